"""Random actions that sign score cards, or confirm another staff member's entries."""

from dataclasses import replace

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.closing import correct_totals
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import (
    confirm_staff_entry,
    enter_paper_card,
    read_stored_paper_card,
    reject_staff_entry,
)
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper, sign_with_strokes
from scoring.models import StaffEntry
from scoring.rehearsal.services.acts.at_tables import is_awaiting_confirmation
from scoring.rehearsal.services.demo import make_random_signature_strokes
from scoring.rehearsal.services.play import (
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    describe_card_for_log,
    register_main_action,
    register_side_action,
)
from scoring.rules.variants.variant import TOTALS_KEY, is_totals_record
from tournament.core.permissions import Actor, make_player_actor


def _list_cards_to_sign(play: RehearsalContext) -> list[CardState]:
    waiting = [state for state in play.state.open_cards if state.is_complete and state.signatures.missing_seats]
    return [state for state in waiting if not is_awaiting_confirmation(play, state)]


@register_main_action("sign")
@act_on_random_item(_list_cards_to_sign)
def _propose_signature(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add a missing signature to a card, either on a phone (drawn or by code) or on paper."""
    seat = play.dice.choice(state.signatures.missing_seats)
    who, by = seat.entrant, play.choose_staff_actor()
    shown = SigningContext(state.digest, device="demo phone", key=play.dice.make_key(), side="" if who else seat.side)
    how = play.dice.choice(("drawn", "drawn", "code", "code", "paper"))
    label = f"{describe_card_for_log(state)}: {state.get_seat_name(seat)}, {how}"
    if who is None or how == "paper":
        return RehearsalAction(label, lambda: sign_on_paper(state.card, seat.side, by.name, shown, by=by))
    if how == "drawn":
        strokes = make_random_signature_strokes(play.dice)
        return RehearsalAction(label, lambda: sign_with_strokes(state.card, strokes, shown, by=make_player_actor(who)))
    return RehearsalAction(label, lambda: sign_by_code(state.card, who.sign_code, shown, by=make_player_actor(who)))


@register_side_action("sign-wrongly", weight=0.5)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.card.entrants])
def _propose_wrong_signature(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose that a player sign with a wrong code, or with a digest that does not match the card."""
    who = play.dice.choice(state.card.entrants)
    digest, code = play.dice.choice(((state.digest, "nobody's"), ("0" * 64, who.sign_code)))
    label = f"{describe_card_for_log(state)}: {who.name}"
    return RehearsalAction(
        label, lambda: sign_by_code(state.card, code, SigningContext(digest), by=make_player_actor(who))
    )


@register_main_action("confirm-entry")
@act_on_random_item(lambda play: [one for one in play.state.entries_to_confirm if one.needs != StaffEntry.Needs.REKEY])
def _propose_confirm_entry(play: RehearsalContext, entry: StaffEntry) -> RehearsalAction | None:
    """Propose that another staff member confirm an entry, or sometimes reject it.

    If the card has changed since the entry was typed, the entry is always rejected.
    """
    refused = f"{entry.card} refused"
    if play.state.has_card_changed(entry):
        return RehearsalAction(
            refused, lambda: reject_staff_entry(entry, by=play.second, reason="the card has changed")
        )
    by = _choose_other_official(play, entry)
    if play.dice.happens_with_probability(0.15):
        return RehearsalAction(refused, lambda: reject_staff_entry(entry, by=by, reason=play.choose_reason()))
    return RehearsalAction(f"{entry.card}", lambda: confirm_staff_entry(entry, by=by, key=play.dice.make_key()))


def _choose_other_official(play: RehearsalContext, entry: StaffEntry) -> Actor:
    return play.dice.choice([actor for actor in (play.director, play.second, play.desk) if actor.user != entry.by])


@register_main_action("type-again")
@act_on_random_item(lambda play: [one for one in play.state.entries_to_confirm if one.needs == StaffEntry.Needs.REKEY])
def _propose_second_typing(play: RehearsalContext, entry: StaffEntry) -> RehearsalAction | None:
    """Propose that another staff member type an entry again, without seeing what was typed the first time."""
    by = _choose_other_official(play, entry)
    return RehearsalAction(f"{entry.card}: {entry.kind}", lambda: _type_entry(play, entry, by))


def _type_entry(play: RehearsalContext, entry: StaffEntry, by: Actor) -> object:
    state, payload = load_card_state_by_pk(entry.card_id), entry.payload
    if entry.kind == StaffEntry.Kind.CARD:
        paper = read_stored_paper_card(state, payload)
        if paper.totals is not None and play.dice.happens_with_probability(0.1):
            paper = replace(paper, totals={side: total + 1 for side, total in paper.totals.items()})
        return enter_paper_card(state.card, paper, by=by)
    line = LineEntry(payload["line"], via=payload["via"], override="as played") if payload["line"] is not None else None
    if line is not None and is_totals_record(line.line):
        totals, seen, reason = line.line[TOTALS_KEY], state.digest, play.choose_reason()
        return correct_totals(state.card, totals, seen=seen, by=by, reason=reason, override="as played")
    if entry.kind == StaffEntry.Kind.LINE and line is not None:
        return add_line(state.card, line, by=by)
    return correct_line(state.card, payload["hand"], line, by=by, reason=play.choose_reason())


@register_main_action("refuse-entry", turn=1)
@act_on_random_item(lambda play: play.state.entries_to_confirm)
def _propose_reject_entry(play: RehearsalContext, entry: StaffEntry) -> RehearsalAction | None:
    """Propose to reject an entry that is waiting to be confirmed, so that the event can continue."""
    return RehearsalAction(
        f"{entry.card}", lambda: reject_staff_entry(entry, by=play.second, reason="typed on another card")
    )
