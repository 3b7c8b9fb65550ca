from typing import ClassVar, Final

from django.db import models

from tournament.models.fact import Fact, OrderedFact
from tournament.models.topic import BRACKET, EVERYBODY, PAIRINGS, STANDINGS

BEGUN: Final = (BRACKET, PAIRINGS)
"""What concerns anyone who shows which matches are being played."""

PLAY: Final = (BRACKET, PAIRINGS, STANDINGS)
"""What concerns anyone who shows how matches ended, or who was paired."""


def match_topic(match: int) -> str:
    """What concerns who looks at this match, by its primary key."""
    return f"match-{match}"


class Match(models.Model):
    """A match of a stage.

    In a bracket its sides are computed from the results (`pairing.draws.knockout.progress`); at tables they are its
    `seats`, and `seating` is the round it belongs to. A match of two teams has neither: its card names the teams. A
    match paired at the desk has its two `seats` and the `pairing` that sent it; a bye or a penalty outside any match
    has one seat.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="matches")
    draw = models.ForeignKey("Draw", on_delete=models.CASCADE, related_name="matches")
    seating = models.ForeignKey("Seating", null=True, blank=True, on_delete=models.CASCADE, related_name="matches")
    stage = models.ForeignKey("Stage", on_delete=models.CASCADE, related_name="matches")
    pairing = models.ForeignKey("Pairing", null=True, blank=True, on_delete=models.CASCADE, related_name="matches")
    ident = models.CharField(max_length=20)
    round = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["round", "position"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "ident"], name="one_ident_a_stage")]

    def __str__(self) -> str:
        return f"{self.event} {self.ident}"

    def topics(self) -> tuple[str, ...]:
        return PLAY


class MatchResult(Fact):
    """How a match ended: the credits of both sides, each with its cause; a later result supersedes an earlier one.

    `credits` is by entry number. So is `score`, what to show beside the names (points, or games won); empty where
    nothing was played. `undoes` is the result that was taken back by this one.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="results")
    winner = models.ForeignKey("tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    credits = models.JSONField()
    score = models.JSONField(default=dict, blank=True)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="superseded_by"
    )
    undoes = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="undone_by")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["match"], condition=models.Q(supersedes__isnull=True), name="one_first_result_a_match"
            )
        ]

    def __str__(self) -> str:
        return f"{self.match}: {self.winner or 'nobody'}"

    def topics(self) -> tuple[str, ...]:
        """A first result moves two players on, who are told besides; what a correction moves is anybody's guess."""
        if self.supersedes_id is not None or self.undoes_id is not None:
            return (EVERYBODY,)
        return (match_topic(self.match_id), *PLAY)


class MatchKept(OrderedFact):
    """A match of a bracket stays as it was played, although a corrected result sends somebody else there.

    `sides` are the entry numbers that stay, in the order of the match; null where the one who comes up stands. The
    last of a match counts. `result` is the correction that was made in the same act.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="kept")
    sides = models.JSONField()
    result = models.ForeignKey(MatchResult, null=True, blank=True, on_delete=models.RESTRICT, related_name="kept")

    def __str__(self) -> str:
        return f"{self.match} kept"


class TableCall(OrderedFact):
    """A match was sent to a table; the last call counts, an empty table takes it back."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="calls")
    table = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.match} at table {self.table}"

    def topics(self) -> tuple[str, ...]:
        return (match_topic(self.match_id), *BEGUN)
