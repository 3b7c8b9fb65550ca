"""The desk's results for tables: totals typed without a card, a table closed without play, or opened again."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from pairing.above import score_cards
from pairing.draws.results import Cause, Credit, Result
from pairing.draws.table_rounds.rounds import SeatedTable, TableOutcome
from pairing.matches.services import refuse_against_cards
from pairing.models import Match, MatchResult
from pairing.results.services.results import WHY_DECIDED, record_credits, refuse_unseen
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.permissions import Actor, require
from tournament.core.services.record import refuse_without, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event

LARGEST_TOTAL = 99_999
CLOSED_BY = frozenset({Cause.BOTH_ABSENT, Cause.FORFEIT, Cause.TIME, Cause.PENALTY, Cause.VOID})


def record_table(
    match: Match,
    totals: Mapping[int, int],
    cause: Cause | None = None,
    *,
    by: Actor,
    reason: str,
    key: str = "",
    seen: int | None = None,
    override: bool = False,
) -> MatchResult:
    """Record the points of a table by entry number, or the cause why it has none.

    A player who left without points is not in `totals`. `Cause.VOID` takes the result back and opens the table again.
    `override` means that the user has seen what the result changes.

    Raises:
        DomainError: `reason-needed`, `no-totals`, `bad-total`, `bad-cause`.
        Conflict: `not-in-play`, `not-a-side`, `decided-meanwhile`.
        NeedsReason: `against-card`. The user has to see the consequences first.
    """
    outcome = _outcome(totals, cause)
    require(by, "desk", match.event.tournament)
    refuse_without(reason, str(WHY_DECIDED))
    with writing(
        match.event, verb="table.decided", by=by, reason=reason, key=scoped_key(key, match.pk, outcome)
    ) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        refuse_unseen(match, seen)
        table, low_wins = _table(write.the_event, match)
        strangers = set(outcome.points) - set(table.entries)
        if strangers:
            raise Conflict(
                "not-a-side",
                _("Entry %(number)s does not play at this table. Choose the right table.") % {"number": min(strangers)},
            )
        winner = _winner(outcome.points, low_wins=low_wins)
        credits = _credits(table, outcome, winner)
        result = record_credits(write, match, winner, credits, score=outcome.points)
        if not override:
            refuse_against_cards(write.the_event, match)
        score_cards().open_ready_cards(write)
        write.about(match, result=result.pk, points={str(n): p for n, p in outcome.points.items()}, cause=outcome.cause)
        return result


def _outcome(totals: Mapping[int, int], cause: Cause | None) -> TableOutcome:
    if cause is not None:
        if cause not in CLOSED_BY:
            raise DomainError("bad-cause", _("A table cannot be closed for that reason. Choose another."))
        return TableOutcome({}, None, cause)
    if not totals:
        raise DomainError("no-totals", _("A total is missing. Enter the total of every player at this table."))
    if any(abs(total) > LARGEST_TOTAL for total in totals.values()):
        raise DomainError(
            "bad-total", _("A total is too large. Enter %(largest_total)s or less.") % {"largest_total": LARGEST_TOTAL}
        )
    return TableOutcome(dict(totals))


def _table(event: Event, match: Match) -> tuple[SeatedTable, bool]:
    rounds = load_course(event).rounds
    if rounds is None or event.state != Event.State.IN_PLAY:
        raise Conflict("not-in-play", _("Results can be recorded only while the event is in play."))
    found = rounds.find(match.ident)
    if found is None:
        raise Conflict("taken-back", _("The assignment of this table was undone. Look at the tables of the round."))
    return found[1], rounds.low_wins


def _winner(points: Mapping[int, int], *, low_wins: bool) -> int | None:
    if not points:
        return None
    best = (min if low_wins else max)(points.values())
    first = [number for number, total in points.items() if total == best]
    return first[0] if len(first) == 1 else None


def _credits(table: SeatedTable, outcome: TableOutcome, winner: int | None) -> dict[int, Credit]:
    """Return a credit for everybody at the table.

    Players with points have played, and the others have forfeited. If the table was closed, its cause applies to all.
    """
    if not outcome.points:
        return {number: Credit(Result.NONE, outcome.cause) for number in table.entries}
    credits = {number: Credit(Result.LOSS, Cause.FORFEIT) for number in table.entries}
    lost = Result.NONE if winner is None else Result.LOSS
    credits |= {number: Credit(lost, Cause.PLAYED) for number in outcome.points}
    if winner is not None:
        credits[winner] = Credit(Result.WIN, Cause.PLAYED)
    return credits
