from typing import ClassVar, Final

from django.db import models

from tournament.models.event import Event

EVERYBODY: Final = "event"
"""The topic of what concerns all pages of an event; every page follows it."""

BRACKET: Final = "bracket"
PAIRINGS: Final = "pairings"
STANDINGS: Final = "standings"
PRIZES: Final = "prizes"
DESK: Final = "desk"
"""What the desk has to know: everything that is written, but for rows that say that they are plain (`is_plain`)."""
ENTRANTS: Final = "entrants"
"""Lists that everybody may look at: each concerns anyone who shows something of it."""


def entrant_topic(entrant: int) -> str:
    """What concerns whom this entrant is, by its primary key: their own pages."""
    return f"entrant-{entrant}"


class TopicVersion(models.Model):
    """The event's version when something of this topic was last written (`tournament.core.topics`)."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    version = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_version_a_topic")]

    def __str__(self) -> str:
        return f"{self.name}: {self.version}"
