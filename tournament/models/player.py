import re
from collections.abc import Collection
from typing import ClassVar

from django.db import models
from django.utils import timezone

from tournament.models.fact import Fact, OrderedFact
from tournament.models.names import NameField, SortKeyField
from tournament.models.topic import EVERYBODY


def shown_name(name: str, public_name: str = "", *, hides_name: bool = False) -> str:
    """Return a person's public name: the one they chose, their initials if they hide the name, or their name."""
    if public_name or not hides_name:
        return public_name or name
    return " ".join(f"{word[0].upper()}." for word in re.findall(r"\w+", name)) or "–"


class Player(models.Model):
    """A person, as one tournament knows them.

    Two records of one person have the same `email_key` or `name_key`.
    """

    name = NameField(max_length=200)
    sort_name = NameField(max_length=200, blank=True, default="", db_default="")
    sort_key = SortKeyField()
    public_name = NameField(max_length=200, blank=True)
    email = models.CharField(max_length=254, blank=True)
    phone = models.CharField(max_length=60, blank=True)
    address = models.TextField(blank=True, default="", db_default="")
    """The postal address, which is requested only if a prize goes on a tax form."""

    club = NameField(max_length=200, blank=True)
    email_key = models.CharField(max_length=254, blank=True, db_index=True)
    name_key = models.CharField(max_length=200, db_index=True)
    consent_at = models.DateTimeField(null=True, blank=True)
    hides_name = models.BooleanField(default=False, db_default=False)
    """Whether the public sees only the initials, unless the player chose a public name."""

    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="merged")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["sort_key", "pk"]

    def __str__(self) -> str:
        return shown_name(self.name, self.public_name, hides_name=self.hides_name)

    def topics_of(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        """Return no topics for a new player, because no page shows them before they are entered."""
        return () if created else (EVERYBODY,)


class Merge(Fact):
    """Two records that are one person. `moved` lists the rows that pointed to `gone` before."""

    kept = models.ForeignKey(Player, on_delete=models.RESTRICT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.RESTRICT, related_name="merges_away")
    moved = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.gone} is {self.kept}"


class MergeUndone(Fact):
    merge = models.OneToOneField(Merge, on_delete=models.RESTRICT, related_name="undone")

    def __str__(self) -> str:
        return f"not so: {self.merge}"


class PlayerCorrection(OrderedFact):
    """A name, address or consent that the desk corrected: the old and the new value of each field.

    `shown_before` has the earlier public name, for papers that were signed under it.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="corrections")
    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="corrections")
    changes = models.JSONField()
    shown_before = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.player}: {', '.join(self.changes)}"

    def topics(self) -> tuple[str, ...]:
        return (EVERYBODY,)
