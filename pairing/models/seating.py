from typing import ClassVar

from django.db import models

from pairing.models.match import PLAY
from tournament.models.base import Fact, OrderedFact
from tournament.models.topic import entrant_topic


class Seating(Fact):
    """The table assignments for one round of a stage played at tables.

    `tables` lists the entry numbers of each table in the order of their seats. `sits_out` are the entries without a
    table. `record` is the format's account of the assignment: words, costs and seed.
    """

    stage = models.ForeignKey("Stage", on_delete=models.CASCADE, related_name="seatings")
    round = models.PositiveSmallIntegerField()
    tables = models.JSONField()
    sits_out = models.JSONField(default=list, blank=True)
    record = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["round", "pk"]

    def __str__(self) -> str:
        return f"{self.stage}, round {self.round}"


class SeatingPosted(Fact):
    """The posting of table assignments. Everybody sees them from then on, and their matches exist."""

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.seating} posted"


class SeatingTakenBack(Fact):
    """The undoing of table assignments, possible only before their first result.

    They stay on record with the reason.
    """

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.seating} taken back"


class MatchSeat(models.Model):
    """A seat of a match whose sides are recorded instead of computed from earlier results."""

    match = models.ForeignKey("Match", on_delete=models.CASCADE, related_name="seats")
    position = models.PositiveSmallIntegerField()
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "position"], name="one_entrant_a_match_seat"),
            models.UniqueConstraint(fields=["match", "entrant"], name="one_match_seat_an_entrant"),
        ]

    def __str__(self) -> str:
        return f"{self.entrant} at {self.match}"

    def topics(self) -> tuple[str, ...]:
        return (*PLAY, entrant_topic(self.entrant_id))


class RulesAtTables(OrderedFact):
    """The table sizes that an event's rule sheet allows, and whether the fewest points win. The newest row counts."""

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="rules_at_tables")
    title = models.CharField(max_length=200)
    fewest = models.PositiveSmallIntegerField()
    most = models.PositiveSmallIntegerField()
    low_wins = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.title}: {self.fewest} to {self.most} at a table"
