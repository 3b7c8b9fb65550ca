"""An event's topics, and the version at which each was last written."""

from typing import ClassVar, Final

from django.db import models

from tournament.models.tournament import Event

EVERYBODY: Final = "event"
"""The topic of writes that may affect all pages of an event. Every page follows it."""

BRACKET: Final = "bracket"
PAIRINGS: Final = "pairings"
STANDINGS: Final = "standings"
PRIZES: Final = "prizes"
DESK: Final = "desk"
"""The topic of the desk's pages. Every saved row changes it, except rows with `is_plain`."""
ENTRANTS: Final = "entrants"
"""The topic of the public entrant list, and of all pages that show part of it."""


def entrant_topic(entrant: int) -> str:
    """Return the topic of an entrant's own pages. `entrant` is the entrant's primary key."""
    return f"entrant-{entrant}"


class TopicVersion(models.Model):
    """The event's version at the last write to this topic (`tournament.core.topics`)."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    version = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_version_a_topic")]

    def __str__(self) -> str:
        return f"{self.name}: {self.version}"
