"""An event's topics, and the version at which each was last written."""

from typing import ClassVar, Final

from django.db import models

from tournament.models.tournament import Event

EVERYBODY_TOPIC: Final = "event"
"""The topic of writes that may affect all pages of an event. Every page follows it."""

BRACKET_TOPIC: Final = "bracket"
PAIRINGS_TOPIC: Final = "pairings"
STANDINGS_TOPIC: Final = "standings"
PRIZES_TOPIC: Final = "prizes"
DESK_TOPIC: Final = "desk"
"""The topic of the desk's pages. Every saved row changes it, except rows with `is_plain`."""
ENTRANTS_TOPIC: Final = "entrants"
"""The topic of the public entrant list, and of all pages that show part of it."""


def get_entrant_topic(entrant: int) -> str:
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
