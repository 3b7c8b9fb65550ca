from typing import ClassVar, Final

from django.db import models

from tournament.models.base import Fact, OrderedFact
from tournament.models.topic import BRACKET, EVERYBODY, PAIRINGS, STANDINGS

BEGUN: Final = (BRACKET, PAIRINGS)
"""The topics of a change that affects which matches are being played."""

PLAY: Final = (BRACKET, PAIRINGS, STANDINGS)
"""The topics of a change that affects pairings and results."""


def match_topic(match: int) -> str:
    """Return the topic of pages that follow this match, given by its primary key."""
    return f"match-{match}"


class Match(models.Model):
    """A match of a stage.

    In a bracket its sides are computed from the results (`pairing.draws.knockout.progress`). At tables the sides are
    its `seats`, and `seating` is its round. A match of two teams has neither, because its card names the teams. A match
    paired at the desk has two `seats` and the `pairing` that created it. A bye, or a penalty outside any match, has one
    seat.
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
    """A result of a match: the credits of both sides, each with its cause. A later result supersedes an earlier one.

    `credits` and `score` are keyed by entry number. `score` is shown beside the names (points, or games won) and is
    empty if nothing was played. `undoes` is the result that this row takes back.
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
        """Return the topics of the match for a first result, and of everybody for a correction.

        A first result moves only its two players, who have topics of their own. A correction can move anybody.
        """
        if self.supersedes_id is not None or self.undoes_id is not None:
            return (EVERYBODY,)
        return (match_topic(self.match_id), *PLAY)


class MatchKept(OrderedFact):
    """A bracket match that stays as it was played, although a corrected result sends somebody else there.

    `sides` are the entry numbers that stay, in the order of the match. It has null for a side that the entry coming up
    takes. The newest row of a match counts. `result` is the correction made in the same write.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="kept")
    sides = models.JSONField()
    result = models.ForeignKey(MatchResult, null=True, blank=True, on_delete=models.RESTRICT, related_name="kept")

    def __str__(self) -> str:
        return f"{self.match} kept"


class TableCall(OrderedFact):
    """A call of a match to a table. The newest call counts, and one without a table takes it back."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="calls")
    table = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.match} at table {self.table}"

    def topics(self) -> tuple[str, ...]:
        return (match_topic(self.match_id), *BEGUN)
