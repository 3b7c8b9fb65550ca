"""Random actions that advance an event step by step from registration to payouts, or undo one of these steps."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pairing.blind_draw.selectors import UnreadyEntrant, load_current_commitment, load_draw_terms, load_unready_entrants
from pairing.blind_draw.services import (
    close_registration,
    make_draw,
    post_draw,
    renew_commitment,
    set_draw_terms,
    take_back_draw,
)
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import CAUSES_WITH_WINNER, CAUSES_WITHOUT_WINNER, PLAYED_MATCH_CAUSES, ResultCause
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.models import Match
from pairing.results.selectors.results import compute_early_end_digest, load_placings_if_ended
from pairing.results.services.corrections import bring_back_entrant, undo_result
from pairing.results.services.finish import call_off_event, end_event_early, finish_event, reinstate_event, reopen_event
from pairing.results.services.results import MatchDecision, decide_match, preview_decision, remove_entrant
from pairing.stages.selectors.course import load_final_placings, load_match_sides
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import load_current_entry_numbers, load_draw_preview
from scoring.card_state.selectors.players import SeatedMatch
from scoring.posting.services.opening import get_or_open_card, start_play
from scoring.rehearsal.services.acts.entering import list_absent_entrants, list_present_entrants, make_random_entry
from scoring.rehearsal.services.play import (
    EventState,
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    register_main_action,
    register_side_action,
)
from tournament.errors import DomainError
from tournament.models import Entrant, EntrantFact, LedgerLine, PaidOut
from tournament.money.selectors.awards import (
    find_wrong_payouts,
    get_prize_cents_by_entry,
    load_paid_prize_cents,
    load_valid_payouts,
)
from tournament.money.selectors.ledger import load_payout
from tournament.money.services.payouts import (
    NOTHING_WITHHELD,
    WithheldAmount,
    pay_prize,
    record_returned_excess,
    reissue_payout,
    undo_payout,
)
from tournament.registration.services.entries import (
    add_entry,
    keep_entrants_in_draw,
    leave_entries_out_of_draw,
    return_entries_to_draw,
)
from tournament.setup.services.tournaments import open_registration


@register_main_action("close-registration", in_state=(EventState.OPEN,), turn=2)
def _propose_close_registration(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(play.event.name, lambda: close_registration(play.event, by=play.director))


@register_side_action("open-registration-again", in_state=(EventState.CLOSED,), weight=0.5)
def _propose_reopen_registration(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(
        play.event.name, lambda: open_registration(play.event, by=play.director, reason=play.choose_reason())
    )


@register_side_action("enter-after-closing", in_state=(EventState.CLOSED, EventState.DRAWN))
def _propose_entry_after_closing(play: RehearsalContext) -> RehearsalAction | None:
    entry = make_random_entry(play)
    return RehearsalAction(entry.people[0].name, lambda: add_entry(play.event, entry, by=play.desk))


@register_main_action("enter-for-the-field", in_state=(EventState.CLOSED,))
def _propose_entry_for_draw(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to enter one more person, because withdrawals have left too few entrants for a draw."""
    return (
        _propose_entry_after_closing(play)
        if load_draw_preview(play.event) is None and _has_too_few_entrants(play)
        else None
    )


def _has_too_few_entrants(play: RehearsalContext) -> bool:
    entered = list_present_entrants(play)
    if len(entered) < play.playable.kind.find_min_entrants(play.playable.rules):
        return True
    if play.playable.kind.has_rotating_sides:
        sides = [who.side for who in entered]
        return sides.count("left") != sides.count("right") or "" in sides
    sites = [who.site for who in entered]
    return any(sites.count(site) < 2 for site in play.event.sites)


@register_main_action("decide-doubtful", in_state=(EventState.CLOSED,), turn=2)
@act_on_random_item(lambda play: [row for row in load_unready_entrants(play.event) if not row.is_kept_in_draw])
def _propose_decide_unready_entrant(play: RehearsalContext, row: UnreadyEntrant) -> RehearsalAction | None:
    """Propose to keep an entrant who has not paid or checked in, or to leave the entrant out of the draw."""
    if load_draw_preview(play.event) is not None:
        return None
    number, enough = (
        row.entrant.number,
        len(list_present_entrants(play)) > play.playable.kind.find_min_entrants(play.playable.rules),
    )
    if (
        enough
        and not play.playable.kind.has_rotating_sides
        and not play.event.sites
        and play.dice.happens_with_probability(0.2)
    ):
        return RehearsalAction(
            f"{row.entrant} out",
            lambda: leave_entries_out_of_draw(play.event, [number], by=play.director, reason="not here"),
        )
    return RehearsalAction(
        f"{row.entrant} kept", lambda: keep_entrants_in_draw(play.event, [number], by=play.director, reason="comes")
    )


@register_side_action("bring-back-left-out", in_state=(EventState.CLOSED,), weight=0.5)
@act_on_random_item(list_absent_entrants)
def _propose_bring_back_left_out(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(
        who.name,
        lambda: return_entries_to_draw(play.event, [who.number], by=play.director, reason=play.choose_reason()),
    )


@register_side_action("say-draw-terms", in_state=(EventState.CLOSED,))
def _propose_draw_terms(play: RehearsalContext) -> RehearsalAction | None:
    return (
        _make_draw_terms_action(play, play.dice.choice(list(DrawKind)))
        if load_event_plan(play.event).first.knockout
        else None
    )


@register_main_action("write-seeds", in_state=(EventState.CLOSED,), turn=2)
def _propose_seeds(play: RehearsalContext) -> RehearsalAction | None:
    needed = (
        load_event_plan(play.event).is_seeded
        and load_draw_terms(play.event) is None
        and load_draw_preview(play.event) is None
    )
    return _make_draw_terms_action(play, DrawKind.SEEDED) if needed else None


def _make_draw_terms_action(play: RehearsalContext, kind: DrawKind) -> RehearsalAction:
    numbers = (
        tuple(play.dice.pick_some(load_current_entry_numbers(play.event), 4)) if kind is not DrawKind.BLIND else ()
    )
    return RehearsalAction(
        f"{kind}: {numbers}", lambda: set_draw_terms(play.event, DrawTerms(kind, numbers), by=play.director)
    )


@register_main_action("seal-again", in_state=(EventState.CLOSED,), turn=3)
def _propose_seal_again(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to seal the list of entrants again, because it has changed since it was sealed."""
    sealed = load_current_commitment(play.event)
    if load_draw_preview(play.event) is not None or (
        sealed is not None and sealed.numbers == load_current_entry_numbers(play.event)
    ):
        return None
    return RehearsalAction(play.event.name, lambda: renew_commitment(play.event, by=play.director))


@register_main_action("draw", in_state=(EventState.CLOSED,), turn=4)
def _propose_draw(play: RehearsalContext) -> RehearsalAction | None:
    if load_draw_preview(play.event) is not None:
        return None
    cut = play.dice.draw_cut_cards()
    return RehearsalAction(cut, lambda: make_draw(play.event, cut, by=play.director))


@register_main_action("post-draw", in_state=(EventState.CLOSED,), turn=5)
def _propose_post_draw(play: RehearsalContext) -> RehearsalAction | None:
    made = load_draw_preview(play.event)
    if made is None or made.commitment.numbers != load_current_entry_numbers(play.event):
        return None
    return RehearsalAction(play.event.name, lambda: post_draw(play.event, by=play.director))


@register_main_action("take-back-changed-draw", in_state=(EventState.CLOSED,), turn=6)
def _propose_undo_outdated_draw(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to undo the draw, because the list of entrants has changed since the draw was made."""
    return RehearsalAction(
        play.event.name, lambda: take_back_draw(play.event, by=play.director, reason="the list has changed")
    )


@register_side_action("take-back-draw", in_state=(EventState.CLOSED, EventState.DRAWN, EventState.IN_PLAY))
def _propose_undo_draw(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(
        play.event.name, lambda: take_back_draw(play.event, by=play.director, reason=play.choose_reason())
    )


@register_main_action("start-play", in_state=(EventState.DRAWN,))
def _propose_start_play(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(play.event.name, lambda: start_play(play.event, by=play.director))


# --- Matches ---------------------------------------------------------------------------------------------------------
# Acts of the desk on matches: decide them, decide against a card, and undo results.

_REMOVAL_KINDS: Sequence[str] = (EntrantFact.Kind.WITHDRAWN, EntrantFact.Kind.NO_SHOW, EntrantFact.Kind.DISQUALIFIED)


def _list_two_entrant_matches(play: RehearsalContext) -> list[SeatedMatch]:
    return [meeting for meeting in play.state.meetings if meeting.has_two_entrants]


def _list_matches_without_card(play: RehearsalContext) -> list[SeatedMatch]:
    with_card = {state.card.match_id for state in play.state.open_cards}
    return [meeting for meeting in _list_two_entrant_matches(play) if meeting.match.pk not in with_card]


@register_main_action("open-card", turn=1)
@act_on_random_item(_list_matches_without_card)
def _propose_open_card(play: RehearsalContext, meeting: SeatedMatch) -> RehearsalAction | None:
    """Propose to open a score card for a match that can be played and has no open card."""
    games = [state.card.game for state in play.state.cards if state.card.match_id == meeting.match.pk]
    games = [state.card.game for state in play.state.cards if state.card.sides_key == meeting.cards_key] and games
    game = max(games, default=0) + 1
    if not play.use_up_allowance(f"open {meeting.match.pk} {game}", 1):
        return None
    return RehearsalAction(f"{meeting.match.ident} game {game}", lambda: get_or_open_card(meeting, game, by=play.desk))


@register_main_action("decide-open-match", turn=2)
@act_on_random_item(_list_two_entrant_matches)
def _propose_decide_open_match(play: RehearsalContext, meeting: SeatedMatch) -> RehearsalAction | None:
    """Propose a staff decision about an open match, so that the event can continue."""
    return _make_decision_action(play, meeting.match, CAUSES_WITH_WINNER)


@register_side_action("decide", weight=3)
@act_on_random_item(_list_two_entrant_matches)
def _propose_decide_without_card(play: RehearsalContext, meeting: SeatedMatch) -> RehearsalAction | None:
    """Propose to decide a match without its score card, or while it is still being played."""
    return _make_decision_action(play, meeting.match, (*CAUSES_WITH_WINNER, *CAUSES_WITHOUT_WINNER))


@register_side_action("decide-otherwise", weight=3)
@act_on_random_item(lambda play: play.state.decided_matches)
def _propose_change_result(play: RehearsalContext, match: Match) -> RehearsalAction | None:
    """Propose to change a match's result, possibly so that it contradicts the score card."""
    return _make_decision_action(play, match, (*CAUSES_WITH_WINNER, *CAUSES_WITHOUT_WINNER))


def _make_decision_action(
    play: RehearsalContext, match: Match, causes: Sequence[ResultCause]
) -> RehearsalAction | None:
    try:
        numbers = load_match_sides(play.event, match).numbers
    except DomainError:
        return None
    cause = play.dice.choice(list(causes))
    winner = None
    if cause in CAUSES_WITH_WINNER and (cause not in CAUSES_WITHOUT_WINNER or play.dice.happens_with_probability(0.7)):
        winner = play.event.entrants.get(number=play.dice.choice(numbers))
    plain = MatchDecision(
        match=match,
        winner=winner,
        cause=cause,
        reason=play.choose_reason(),
        override=play.dice.happens_with_probability(0.9),
        points=_make_random_points(play, numbers, winner)
        if cause in PLAYED_MATCH_CAUSES and winner is not None
        else None,
    )
    label = f"{match.ident}: {winner.name if winner else 'nobody'}, {cause.value}"
    return RehearsalAction(
        label,
        lambda: decide_match(_add_random_choices(play, plain), by=play.choose_staff_actor(), key=play.dice.make_key()),
    )


def _add_random_choices(play: RehearsalContext, plain: MatchDecision) -> MatchDecision:
    """Return a copy of the decision, with a random choice for each later match that the decision affects."""
    _outcome, found = preview_decision(plain)
    return replace(
        plain, later_match_choices={ident: play.dice.choice(list(LaterMatchChoice)) for ident in found.affected_matches}
    )


def _make_random_points(play: RehearsalContext, numbers: Sequence[int], winner: Entrant) -> dict[int, int] | None:
    """Return random points for a match that was played, or None to use the points on its card."""
    if play.dice.happens_with_probability(0.3):
        return None
    won = play.dice.choice([2, 50, 151])
    return {number: won if number == winner.number else play.dice.choice(list(range(won))) for number in numbers}


@register_side_action("undo-result", weight=2)
@act_on_random_item(lambda play: play.state.decided_matches)
def _propose_undo_result(play: RehearsalContext, match: Match) -> RehearsalAction | None:
    return RehearsalAction(
        match.ident,
        lambda: undo_result(match, by=play.choose_staff_actor(), reason=play.choose_reason(), key=play.dice.make_key()),
    )


@register_side_action("leave", weight=2)
@act_on_random_item(lambda play: play.state.filter_entrants(Entrant.State.IN))
def _propose_remove_entrant(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose to remove an entrant who has withdrawn, has not shown up, or is disqualified."""
    kind = play.dice.choice(_REMOVAL_KINDS)
    return RehearsalAction(
        f"{who.name}: {kind}", lambda: remove_entrant(who, kind, by=play.director, reason=play.choose_reason())
    )


@register_side_action("back-in")
@act_on_random_item(lambda play: play.state.filter_entrants(Entrant.State.REMOVED, Entrant.State.WITHDRAWN))
def _propose_reinstate_entrant(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(who.name, lambda: bring_back_entrant(who, by=play.director, reason=play.choose_reason()))


# --- Ending ----------------------------------------------------------------------------------------------------------
# Acts at the end of an event: finish, payouts, and the steps back.


@register_main_action("finish", turn=9)
def _propose_finish(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to finish the event if everything is decided and somebody has a final place."""
    placings = load_final_placings(play.event)
    return _propose_premature_finish(play) if placings is not None and placings.finish else None


@register_main_action("end-early", turn=8)
def _propose_end_short_event(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to end the event early, because too few entrants are left to continue."""
    return _make_end_early_action(play, "too few are left") if load_final_placings(play.event) is None else None


@register_main_action("end-without-points", turn=11)
def _propose_end_without_games(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to end the event early, because the remaining entrants have not played any game."""
    return _make_end_early_action(play, "those who are left have not played")


@register_main_action("let-back-in", turn=10)
def _propose_reinstate_for_winner(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to reinstate an entrant, because nobody is left who could win."""
    return None if play.state.filter_entrants(Entrant.State.IN) else _propose_reinstate_entrant(play)


@register_side_action("end-by-the-standings", weight=0.15)
def _propose_end_by_standings(play: RehearsalContext) -> RehearsalAction | None:
    return _make_end_early_action(play, "the hall closes")


def _make_end_early_action(play: RehearsalContext, reason: str) -> RehearsalAction | None:
    """Return an action that ends the event early, or None if the event cannot end now.

    The final places are those that the “end early” page would suggest.
    """
    try:
        shown = compute_early_end_digest(load_placings_if_ended(play.event), ())
    except DomainError:
        return None
    return RehearsalAction(
        play.event.name, lambda: end_event_early(play.event, by=play.director, reason=reason, shown=shown)
    )


@register_side_action(
    "call-off", in_state=(EventState.OPEN, EventState.CLOSED, EventState.DRAWN, EventState.IN_PLAY), weight=0.05
)
def _propose_call_off(play: RehearsalContext) -> RehearsalAction | None:
    reason, key = play.choose_reason(), play.dice.make_key()
    return RehearsalAction(
        play.event.name, lambda: call_off_event(play.event, by=play.director, reason=reason, key=key)
    )


@register_main_action("bring-back", in_state=(EventState.CALLED_OFF,))
def _propose_reinstate_event(play: RehearsalContext) -> RehearsalAction | None:
    reason, key = play.choose_reason(), play.dice.make_key()
    return RehearsalAction(
        play.event.name, lambda: reinstate_event(play.event, by=play.director, reason=reason, key=key)
    )


@register_side_action("finish-early", weight=0.3)
def _propose_premature_finish(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(play.event.name, lambda: finish_event(play.event, by=play.director))


@register_main_action("pay-out", in_state=(EventState.FINISHED,))
def _propose_payout(play: RehearsalContext) -> RehearsalAction | None:
    payout = load_payout(play.event)
    paid = load_paid_prize_cents(play.event)
    owed = [one for one in payout.awards if paid.get(one.entry, 0) < one.cents] if payout is not None else []
    award = play.dice.pick_one(owed)
    if award is None:
        return None
    who = next(one for one in play.state.entrants if one.number == award.entry)
    method, key = play.dice.choice(LedgerLine.Method.values), play.dice.make_key()
    withheld = _make_random_withholding(play, award.cents - paid.get(award.entry, 0))
    act = partial(pay_prize, who, method, by=play.director, key=key, withheld=withheld)
    return RehearsalAction(f"{who.name}: {award.cents}", act)


def _make_random_withholding(play: RehearsalContext, cents: int) -> WithheldAmount:
    """Return a random amount withheld for taxes: usually nothing, sometimes a third of the prize, rarely all of it."""
    if not play.dice.happens_with_probability(0.4):
        return NOTHING_WITHHELD
    most = cents if play.dice.happens_with_probability(0.1) else cents // 3
    return WithheldAmount(most, "backup withholding") if most else NOTHING_WITHHELD


@register_main_action("take-back-excess", in_state=(EventState.FINISHED,))
def _propose_return_excess(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to take back the excess part of a payout after a correction has reduced the prize."""
    over = [
        one
        for one in find_wrong_payouts(play.event, get_prize_cents_by_entry(load_payout(play.event)))
        if one.to_get_back_cents
    ]
    found = play.dice.pick_one(over)
    if found is None:
        return None
    who = next(one for one in play.state.entrants if one.number == found.number)
    key, reason = play.dice.make_key(), play.choose_reason()
    return RehearsalAction(
        f"{who.name}: back", lambda: record_returned_excess(who, by=play.director, reason=reason, key=key)
    )


@register_side_action("undo-payout", in_state=(EventState.FINISHED, EventState.IN_PLAY))
@act_on_random_item(
    lambda play: load_valid_payouts(play.event).select_related("entrant", "event__tournament").order_by("pk")
)
def _propose_undo_payout(play: RehearsalContext, paid: PaidOut) -> RehearsalAction | None:
    """Propose to undo a payout, because the money was never handed over."""
    act = partial(undo_payout, paid, by=play.director, reason=play.choose_reason(), key=play.dice.make_key())
    return RehearsalAction(f"{paid.entrant}: {paid.cents}", act)


@register_side_action("reissue-payout", in_state=(EventState.FINISHED,), weight=0.5)
@act_on_random_item(
    lambda play: load_valid_payouts(play.event).select_related("entrant", "event__tournament").order_by("pk")
)
def _propose_reissue_payout(play: RehearsalContext, paid: PaidOut) -> RehearsalAction | None:
    """Propose to replace a payout, such as a lost check. This is rejected if a correction has reduced the prize."""
    method, reason, key = play.dice.choice(LedgerLine.Method.values), play.choose_reason(), play.dice.make_key()
    act = partial(reissue_payout, paid, method, by=play.director, reason=reason, key=key)
    return RehearsalAction(f"{paid.entrant}: {paid.cents}", act)


@register_side_action("reopen", in_state=(EventState.FINISHED,))
def _propose_reopen_event(play: RehearsalContext) -> RehearsalAction | None:
    return RehearsalAction(
        play.event.name, lambda: reopen_event(play.event, by=play.director, reason=play.choose_reason())
    )
