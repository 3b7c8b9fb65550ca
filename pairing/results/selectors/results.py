"""Later matches that depend on a result, and the open issues and prizes when an event is finished."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from django.utils.translation import gettext as _

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.knockout.places import Placings, PossiblePlaces
from pairing.draws.results import MatchOutcome, ResultCause
from pairing.draws.stages.corrections import ResultCorrection
from pairing.models import Match
from pairing.stages.selectors.boards import load_matches_in_play
from pairing.stages.selectors.course import load_event_stages, load_final_placings, load_placings_so_far
from pairing.stages.selectors.kinds import NewResult, StageState
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from tournament.core.services.previews import compute_preview_digest
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.awards import WrongPayout, find_wrong_payouts, get_prize_cents_by_entry
from tournament.money.selectors.ledger import (
    PrizeBreakdown,
    load_event_accounts,
    load_payout,
    load_pool_division,
    load_prize_breakdown,
    load_prize_pool,
)
from tournament.money.selectors.prizes import (
    UnresolvedIssue,
    UnresolvedIssueLoader,
    load_money_issues,
    load_side_pool_issues,
)
from tournament.purse.prizes import CentsRange, compute_payout, compute_prize_ranges, divide_pool_by_place


def load_correction(
    event: Event, match: Match, outcome: MatchOutcome | None, choices: Mapping[str, LaterMatchChoice] | None = None
) -> ResultCorrection:
    """Return the effects of a new result on later matches. If `outcome` is None, the result is undone."""
    stage, next_stage = _find_stage(event, match)
    if stage is None:
        return ResultCorrection()
    new = NewResult(
        match=match.ident,
        outcome=outcome,
        choices=choices or {},
        in_play=partial(load_matches_in_play, event, stage),
        next_stage=next_stage,
    )
    return stage.compute_correction(new)


def load_dependent_entries(event: Event, match: Match) -> frozenset[int] | None:
    """Return the entries that are in a bracket match or waiting for its result.

    Return None if the bracket can end with this match, because its result then affects all entries.
    """
    stage, _next_stage = _find_stage(event, match)
    if stage is not None and stage.progress is not None and stage.progress.bracket.can_be_last_match(match.ident):
        return None
    return stage.find_affected_entries(match.ident) if stage is not None else frozenset()


def load_affected_entries(event: Event, matches: Iterable[Match]) -> frozenset[int]:
    """Return the entries that play in these matches, or that wait in a bracket for their results."""
    stages = {stage.row.pk: stage for stage in load_event_stages(event).stages}
    entries: set[int] = set()
    for match in matches:
        stage = stages.get(match.stage_id)
        if stage is not None:
            state = stage.match_states.get(match.ident)
            entries |= stage.find_affected_entries(match.ident) | set(state.entries if state is not None else ())
    return frozenset(entries)


def load_walkovers_won(entrant: Entrant) -> list[tuple[Match, int]]:
    """Return the matches of the current stage that an entrant won because the opponent had left the event.

    Each match comes with the opponent's number. A match is left out if the desk decided it or the entrant has played on
    since.
    """
    course = load_event_stages(entrant.event)
    if entrant.event.state != Event.State.IN_PLAY or not course.stages:
        return []
    stage, own = course.current_stage, entrant.number
    rows = {match.ident: match for match in Match.objects.filter(VALID_MATCH_FILTER, stage=stage.row)}
    walkovers = []
    for ident, state in stage.match_states.items():
        if (
            state.is_decided_without_result
            and state.outcome is not None
            and state.outcome.winner == own
            and len(state.entries) > 1
        ):
            both_lost = MatchOutcome.lost_by_all(ident, state.entries, ResultCause.FORFEIT)
            correction = load_correction(entrant.event, rows[ident], both_lost)
            if not (correction.winner_advances and correction.affected_matches):
                walkovers.append((rows[ident], next(entry for entry in state.entries if entry != own)))
    return walkovers


def find_dependent_stage_or_matches(event: Event, match: Match, outcome: MatchOutcome) -> tuple[str, ...]:
    """Return what a new outcome of a match would affect.

    If the next stage is open, return its name. Otherwise, return the names of the affected later matches.
    """
    _stage, next_stage = _find_stage(event, match)
    return (next_stage,) if next_stage else load_correction(event, match, outcome).affected_matches


def _find_stage(event: Event, match: Match) -> tuple[StageState | None, str]:
    """Return the match's stage, and the name of the stage that was opened after it, if any."""
    stages = load_event_stages(event).stages
    for at, stage in enumerate(stages):
        if stage.row.pk == match.stage_id:
            return stage, stages[at + 1].name if at + 1 < len(stages) else ""
    return None, ""


# --- The finish: open items, places and prizes -----------------------------------------------------------------------


def load_unresolved_issues(
    event: Event, placings: Placings, still_open: UnresolvedIssueLoader
) -> tuple[UnresolvedIssue, ...]:
    """Return the open issues, starting with those that prevent finishing the event."""
    books = load_event_accounts(event)
    wrong: Sequence[WrongPayout] = ()
    if event.paid_out.exists() and placings.finish:
        # The payouts that will differ from the prizes if the event finishes by these places.
        pool, division = load_prize_pool(event, books), load_pool_division(event)
        wrong = find_wrong_payouts(
            event, get_prize_cents_by_entry(compute_payout(pool.pool_cents, division, placings.finish))
        )
    too_much = tuple((one.name, one.to_get_back_cents) for one in wrong if one.to_get_back_cents)
    too_little = tuple((one.name, one.to_pay_cents) for one in wrong if one.to_pay_cents)
    payouts = [
        UnresolvedIssue(code, "tournament:desk_prizes", len(amounts), amounts, stops=False)
        for code, amounts in (("paid-too-much", too_much), ("paid-too-little", too_little))
        if amounts
    ]
    points = [*still_open(event), *load_money_issues(event, books), *load_side_pool_issues(event, books), *payouts]
    return tuple(sorted(points, key=lambda point: not point.stops))


def load_placings_if_ended(event: Event) -> Placings:
    """Return the places that the entrants would get if the event ended early now.

    Usually, an event ends early while something is still undecided. There is one exception: everything is decided, but
    there are no places, because none of the remaining entrants has played a match. They then share first place.

    Raises:
        Conflict: `not-in-play`, `all-decided`, `cards-first`.
    """
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play; it is in the state “%(state)s”. Look at Today for the next step.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    final, placings = load_final_placings(event), load_placings_so_far(event)
    if final is not None and (final.finish or placings is None or not placings.finish):
        raise Conflict("all-decided", _("Every match is decided. Finish the event on the Results page."))
    if placings is None:
        raise Conflict("cards-first", _("Some score cards are still open. Call time for them, then finish the event."))
    return placings


def compute_early_end_digest(placings: Placings, points: Iterable[UnresolvedIssue]) -> str:
    """Return a digest of the places and open issues shown on the page for ending an event early."""
    return compute_preview_digest("end", [list(placing.entries) for placing in placings.finish], *points)


def load_prizes_by_entry(event: Event, placings: Placings, purse: PrizeBreakdown | None = None) -> Mapping[int, int]:
    """Return the prizes for these places in cents, keyed by entry number. Entries that win nothing are left out."""
    won = load_prize_ranges(event, PossiblePlaces.from_placings(placings), purse)
    return {entry: prize.least for entry, prize in won.items()}


def load_prize_ranges(
    event: Event, places: PossiblePlaces, purse: PrizeBreakdown | None = None
) -> Mapping[int, CentsRange]:
    """Return the range of cents that each entry can still win from the fees collected so far, keyed by entry number.

    If the event is finished, both ends of the range are the actual award. Entries that can't win anything are left out.
    """
    purse = purse or load_prize_breakdown(event)
    payout = load_payout(event, purse.pool) if event.state == Event.State.FINISHED else None
    if payout is not None:
        return {won.entry: CentsRange(won.cents, won.cents) for won in payout.awards}
    if not places.finishes:
        return {}
    places_cents = divide_pool_by_place(purse.pool.pool_cents, purse.division, len(places.finishes))
    return {entry: prize for entry, prize in compute_prize_ranges(places_cents, places.finishes).items() if prize.most}
