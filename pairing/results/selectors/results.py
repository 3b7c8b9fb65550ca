"""Later matches that depend on a result, and the open points and prizes when an event is finished."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from django.utils.translation import gettext as _

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.knockout.places import Placings, PossiblePlaces
from pairing.draws.results import Cause, MatchOutcome
from pairing.draws.stages.corrections import Correction
from pairing.models import Match
from pairing.stages.selectors.boards import load_in_play
from pairing.stages.selectors.course import load_course, load_final_placings, load_placings_so_far
from pairing.stages.selectors.kinds import NewResult, StageState
from pairing.stages.selectors.records import COUNTING
from tournament.core.services.previews import preview_digest
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.awards import WrongPayout, won_of, wrong_payouts
from tournament.money.selectors.ledger import Purse, division_now, load_books, load_payout, load_pool, load_purse
from tournament.money.selectors.prizes import OpenPoint, StillOpen, money_points, side_pool_points
from tournament.purse import CentsRange, divide_places, pay_out, prize_ranges


def load_correction(
    event: Event, match: Match, outcome: MatchOutcome | None, choices: Mapping[str, LaterChoice] | None = None
) -> Correction:
    """Return what a new result changes in later matches. `outcome` is None if the result is taken back."""
    stage, following = _find_stage(event, match)
    if stage is None:
        return Correction()
    new = NewResult(
        match=match.ident,
        outcome=outcome,
        choices=choices or {},
        in_play=partial(load_in_play, event, stage),
        next_stage=following,
    )
    return stage.correction(new)


def load_dependent_entries(event: Event, match: Match) -> frozenset[int] | None:
    """Return the entries that are in a bracket match or wait for its result.

    Return None if the bracket can end with this match.
    """
    stage, _following = _find_stage(event, match)
    if stage is not None and stage.progress is not None and stage.progress.bracket.can_end_with(match.ident):
        return None
    return stage.waiting_for(match.ident) if stage is not None else frozenset()


def load_affected_entries(event: Event, matches: Iterable[Match]) -> frozenset[int]:
    """Return the entries that are in these matches or wait in a bracket for the result of one."""
    stages = {stage.row.pk: stage for stage in load_course(event).stages}
    found: set[int] = set()
    for match in matches:
        stage = stages.get(match.stage_id)
        if stage is not None:
            stands = stage.match_states.get(match.ident)
            found |= stage.waiting_for(match.ident) | set(stands.entries if stands is not None else ())
    return frozenset(found)


def load_walkovers_won(entrant: Entrant) -> list[tuple[Match, int]]:
    """Return the matches of the current stage that an entrant has won because the opponent had left the event.

    Each comes with the opponent's number. A match that was decided at the desk is left out, and so is one after which
    the entrant has played on.
    """
    course = load_course(entrant.event)
    if entrant.event.state != Event.State.IN_PLAY or not course.stages:
        return []
    stage, own = course.current, entrant.number
    rows = {match.ident: match for match in Match.objects.filter(COUNTING, stage=stage.row)}
    found = []
    for ident, now in stage.match_states.items():
        if now.by_itself and now.outcome is not None and now.outcome.winner == own and len(now.entries) > 1:
            both_lost = MatchOutcome.won_by_nobody(ident, now.entries, Cause.FORFEIT)
            correction = load_correction(entrant.event, rows[ident], both_lost)
            if not (correction.goes_on and correction.touched):
                found.append((rows[ident], next(entry for entry in now.entries if entry != own)))
    return found


def find_later_dependents(event: Event, match: Match, outcome: MatchOutcome) -> tuple[str, ...]:
    """Return what depends on the old result of a match: the name of the next stage, or later matches."""
    _stage, following = _find_stage(event, match)
    return (following,) if following else load_correction(event, match, outcome).touched


def _find_stage(event: Event, match: Match) -> tuple[StageState | None, str]:
    """Return the stage of a match, and the name of the stage that was opened after it."""
    stages = load_course(event).stages
    for at, stage in enumerate(stages):
        if stage.row.pk == match.stage_id:
            return stage, stages[at + 1].name if at + 1 < len(stages) else ""
    return None, ""


# --- The finish: open points, places and prizes ----------------------------------------------------------------------

PRIZES = "tournament:desk_prizes"


def load_open_points(event: Event, placings: Placings, still_open: StillOpen) -> tuple[OpenPoint, ...]:
    """Return the open points, first those that stop the finish, then those that are only information."""
    books = load_books(event)
    wrong: Sequence[WrongPayout] = ()
    if event.paid_out.exists() and placings.finish:
        # The payouts that will differ from the prizes if the event finishes by these places.
        pool, division = load_pool(event, books), division_now(event)
        wrong = wrong_payouts(event, won_of(pay_out(pool.pool_cents, division, placings.finish)))
    money = [*money_points(event, books), *side_pool_points(event, books), *_payout_points(wrong)]
    points = [*still_open(event), *money]
    return tuple(sorted(points, key=lambda point: not point.stops))


def _payout_points(found: Iterable[WrongPayout]) -> list[OpenPoint]:
    too_much = tuple((one.name, one.to_get_back_cents) for one in found if one.to_get_back_cents)
    too_little = tuple((one.name, one.to_pay_cents) for one in found if one.to_pay_cents)
    points = (("paid-too-much", too_much), ("paid-too-little", too_little))
    return [OpenPoint(code, PRIZES, len(who), who, stops=False) for code, who in points if who]


def placings_if_ended(event: Event) -> Placings:
    """Return the places if the event ended now, before everything is decided.

    An event can also end early if everything is decided but nobody who is left has played. They share the first place.

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


def early_end_digest(placings: Placings, points: Iterable[OpenPoint]) -> str:
    """Return a digest of the places and the open points that an early end was shown with."""
    return preview_digest("end", [list(placing.entries) for placing in placings.finish], *points)


def load_prizes_by_entry(event: Event, placings: Placings, purse: Purse | None = None) -> Mapping[int, int]:
    """Map entry numbers to the cents they won, or would win if the event ended with these places.

    Entries that win nothing are left out.
    """
    won = load_prize_ranges(event, PossiblePlaces.settled(placings), purse)
    return {entry: prize.least for entry, prize in won.items()}


def load_prize_ranges(event: Event, places: PossiblePlaces, purse: Purse | None = None) -> Mapping[int, CentsRange]:
    """Map entry numbers to the range of cents they can still win of the fees collected so far.

    In a finished event, both ends of the range are the award. Entries that can win nothing are left out.
    """
    purse = purse or load_purse(event)
    payout = load_payout(event, purse.pool) if event.state == Event.State.FINISHED else None
    if payout is not None:
        return {won.entry: CentsRange(won.cents, won.cents) for won in payout.awards}
    if not places.finishes:
        return {}
    places_cents = divide_places(purse.pool.pool_cents, purse.division, len(places.finishes))
    return {entry: prize for entry, prize in prize_ranges(places_cents, places.finishes).items() if prize.most}
