"""The posted rounds of a stage at tables."""

from django.db.models import Prefetch

from pairing.draws.results import Cause
from pairing.draws.table_rounds.rounds import SeatedRound, SeatedTable, TableOutcome
from pairing.matches.selectors.records import read_credits
from pairing.models import Match, MatchResult, MatchSeat, Stage


def load_seated(stage: Stage) -> tuple[SeatedRound, ...]:
    """Return the posted rounds that count, in order."""
    seats = Prefetch("matches__seats", MatchSeat.objects.select_related("entrant"))
    results = Prefetch("matches__results", MatchResult.objects.select_related("winner").order_by("pk"))
    counting = stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    return tuple(
        SeatedRound(seating.round, tuple(_table(match) for match in seating.matches.all()), tuple(seating.sits_out))
        for seating in counting.prefetch_related("matches", seats, results)
    )


def _table(match: Match) -> SeatedTable:
    results = list(match.results.all())
    entries = tuple(seat.entrant.number for seat in match.seats.all())
    return SeatedTable(match.ident, entries, outcome_at_table(results[-1]) if results else None)


def outcome_at_table(result: MatchResult) -> TableOutcome:
    """Return the outcome that a row recorded for a table, whether or not it still counts."""
    points = {int(number): total for number, total in result.score.items()}
    causes = {credit.cause for credit in read_credits(result.credits).values()}
    cause = Cause.PLAYED if points else min(causes, default=Cause.PLAYED)
    return TableOutcome(points, result.winner.number if result.winner else None, cause)
