from typing import ClassVar

from django.db import models

from pairing.models.match import PLAY
from tournament.models.fact import Fact, OrderedFact
from tournament.models.topic import entrant_topic


class Seating(Fact):
    """Who sits at which table in one round of a stage that is played at tables.

    `tables` lists the entry numbers of each table in the order of their seats; `sits_out` those without a table.
    `record` says how it came about: the format's own words, costs and seed.
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
    """From here on everybody sees it, and its matches exist."""

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.seating} posted"


class SeatingTakenBack(Fact):
    """It no longer counts (before its first result only); it stays in the record with its reason."""

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.seating} taken back"


class MatchSeat(models.Model):
    """A seat of a match at a table: here the sides are recorded, not computed from earlier results."""

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
    """What an event's rule sheet means for its tables, as the sheet's own app says it; the last one counts."""

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="rules_at_tables")
    title = models.CharField(max_length=200)
    fewest = models.PositiveSmallIntegerField()
    most = models.PositiveSmallIntegerField()
    low_wins = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.title}: {self.fewest} to {self.most} at a table"
