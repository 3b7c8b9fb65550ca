"""Names of topics, and the version of the event at which each topic last changed.

A topic is a name for data that some pages show, such as the standings. A page is updated when one of its topics
changes.
"""

from typing import ClassVar, Final

from django.db import models

from tournament.models.tournament import Event

EVERYBODY_TOPIC: Final = "event"
"""The topic of writes that may affect all pages of an event. When it changes, all these pages are updated."""

BRACKET_TOPIC: Final = "bracket"
PAIRINGS_TOPIC: Final = "pairings"
STANDINGS_TOPIC: Final = "standings"
PRIZES_TOPIC: Final = "prizes"
DESK_TOPIC: Final = "desk"
"""The topic of the desk's pages. Saving a row changes it, unless the row has no topics or its `is_plain` is true."""
ENTRANTS_TOPIC: Final = "entrants"
"""The topic of the public entrant list, and of all pages that show part of it."""


def get_entrant_topic(entrant: int) -> str:
    """Return the name of the topic for an entrant's own pages. `entrant` is the entrant's primary key."""
    return f"entrant-{entrant}"


class TopicVersion(models.Model):
    """The version that an event had when one of its topics last changed (`tournament.core.topics`)."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    version = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_version_a_topic")]

    def __str__(self) -> str:
        return f"{self.name}: {self.version}"
