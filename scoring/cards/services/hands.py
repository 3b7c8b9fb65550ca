"""Write on a card: hands, corrections, cuts and draws, and announced totals.

Impossible lines are rejected. Improbable lines require a reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.card_state.permissions import (
    can_act_for_desk,
    is_player_on_card,
    require_player_or_desk,
    require_scorekeeper_or_desk,
)
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.cards.selectors.checks import (
    add_recorded_up_card,
    find_up_card_warnings,
    load_game_standing,
    must_announce_totals,
)
from scoring.models import Card, Cut, SheetLine, StaffEntry, TotalsAnnounced
from scoring.posting.services.correction_period import (
    PendingStaffEntry,
    find_correction_kind,
    is_acting_as_director,
    write_or_store_staff_entry,
)
from scoring.posting.services.posting import (
    make_card_idempotency_key,
    require_reason_to_remove_win,
    require_writable_card,
    update_match_result,
)
from scoring.rules.rulings.policies import find_dispute_policy
from scoring.rules.sheet.sheets import JudgedLine, judge_line
from scoring.rules.variants.variant import is_totals_record, list_sides_by_drawn_position
from scoring.seals.services.sealing import add_deck_cut_to_log, add_lines_to_log
from tournament.core.permissions import Actor, make_player_actor
from tournament.core.services.previews import require_override
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, InputProblem, InvalidInput, NotAllowed
from tournament.models import Entrant, Event

ENTERED_BY_TOTALS_MESSAGE: Final = gettext_lazy(
    "This score card was entered by its totals. Correct the totals on the score card's page."
)


class BadLine(DomainError):
    """An error for an impossible line. `data["problems"]` lists each problem with its path."""

    def __init__(self, problems: list[InputProblem]) -> None:
        super().__init__(problems[0].code, " ".join(p.message for p in problems), problems=problems)


@dataclass(frozen=True, slots=True)
class LineEntry:
    """A hand as submitted by a form.

    `hand` is the number of the hand that the form displayed. `override` is the reason why an improbable hand is
    correct. `typed_at` is the phone's clock in seconds since 1970 if the hand was typed without a network, otherwise 0.
    `drawn` is the result of the draw before play, if it was sent with the hand.
    """

    line: dict[str, Any]
    via: str = SheetLine.Via.PHONE
    key: str = ""
    hand: int | None = None
    override: str = ""
    typed_at: int = 0
    drawn: tuple[str, ...] = ()


# --- Add a hand ------------------------------------------------------------------------------------------------------


def preview_line(state: CardState, line: dict[str, Any], *, at: int | None = None) -> JudgedLine:
    """Score a hand before it is recorded. The returned line contains the players' names instead of letters.

    If `at` is given, the line replaces the hand at that index. Hands are counted from 0.

    Raises:
        BadLine: the line is impossible.
    """
    try:
        return judge_line(state.named_sheet, state.replace_letters_with_names(line), at=at)
    except InvalidInput as error:
        raise BadLine(_translate_problem_paths(state, line, at, error)) from None


def _translate_problem_paths(
    state: CardState, line: dict[str, Any], at: int | None, named: InvalidInput
) -> list[InputProblem]:
    """Return the problems of a rejected line, with the players' names in their messages.

    The paths of the problems contain the sides' letters instead of names, because stored lines use letters.
    """
    try:
        judge_line(state.sheet, line, at=at)
    except InvalidInput as error:
        return [replace(one, path=own.path) for one, own in zip(named.problems, error.problems, strict=False)]
    return named.problems


def add_line(card: Card, entry: LineEntry, *, by: Actor) -> CardState:
    """Add the next hand, and return the new state of the card.

    Raises the same errors as `add_line_and_return_name`.
    """
    add_line_and_return_name(card, entry, by=by)
    return load_card_state_by_pk(card.pk)


def add_line_and_return_name(card: Card, entry: LineEntry, *, by: Actor) -> str:
    """Add the next hand, and return the name of the card's last line, such as “hand 3”.

    Raises:
        NotAllowed: only the scorekeeper (or the desk) enters hands.
        BadLine: the hand is impossible. The message names the rule.
        ReasonRequired: the hand is improbable, and `entry.override` is empty.
        Conflict: somebody recorded this hand already, or the event is not in play.
    """
    key = make_card_idempotency_key(
        card, by, make_idempotency_key(entry.key, entry.hand, entry.line, *([entry.drawn] if entry.drawn else []))
    )
    with writing(card.match.event, verb="card.line", by=by, key=key, reason=entry.override) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state.name_line(len(state.lines))
        state = _record_draw_with_hand(write, state, entry.drawn)
        require_scorekeeper_or_desk(by, card, state.keeper_id)
        require_writable_card(write, card)
        _require_hands_left(state)
        require_recorded_table_draw(state)
        _require_next_hand(state, entry)
        entry = replace(entry, line=add_recorded_up_card(state, entry.line))
        typed = _make_pending_entry(state, len(state.lines) + 1, entry, StaffEntry.Kind.LINE)
        is_written = write_or_store_staff_entry(write, state, typed, lambda: write_next_hand(write, state, entry))
        return state.name_line(len(state.lines) + is_written)


def write_next_hand(write: WriteTransaction, state: CardState, entry: LineEntry) -> SheetLine:
    """Add the next hand in the caller's transaction.

    The caller must already have checked the card and the user's permission.

    Raises:
        ReasonRequired, BadLine: see `add_line_and_return_name`.
    """
    hand = len(state.lines) + 1
    judged = preview_line(state, entry.line)
    warnings = _require_reason_for_doubts(judged, entry.override, find_up_card_warnings(state, hand, entry.line))
    # A hand in the middle of a game changes no list at the desk.
    begins, ends = not state.entered, judged.tally.complete
    is_routine = state.is_single_game and not (begins or ends or state.postings or state.facts.closings)
    fact = write_line(write, state, entry, warnings, is_routine=is_routine)
    write.about(state.card, card=state.card.pk, line=fact.pk, hand=hand)
    if entry.typed_at:
        write.outcome["typed_at"] = entry.typed_at
    update_closed_game_result(write, state)
    return fact


def _require_hands_left(state: CardState) -> None:
    if state.score.verdict is not None and not state.score.accepts_hands:
        raise Conflict(
            "card-closed",
            _("This game is closed: %(why)s Only the desk can undo or correct that.")
            % {"why": state.score.verdict.why},
        )


def _require_next_hand(state: CardState, entry: LineEntry) -> None:
    if state.signatures.signed_entrants and state.is_complete:
        raise Conflict("after-end", _("The game is over and signed. Nothing can be added; ask the desk to correct it."))
    expected = len(state.lines) + 1
    if entry.hand is None or entry.hand == expected:
        return
    names = {"hand": capitalize_first_letter(state.name_line(entry.hand)), "expected": state.name_line(expected)}
    if entry.hand > expected:
        raise Conflict(
            "hand-taken",
            _("%(hand)s cannot be recorded yet: the next on this score card is %(expected)s. Enter that first.")
            % names,
        )
    raise Conflict(
        "hand-taken",
        _("%(hand)s is on the score card already; the next is %(expected)s. Look at the score card first.") % names,
    )


def _require_reason_for_doubts(judged: JudgedLine, override: str, doubts: Iterable[str] = ()) -> list[str]:
    warnings = [*(doubt.message for doubt in judged.warnings), *doubts]
    require_override(warnings, override)
    return warnings


def _make_pending_entry(state: CardState, hand: int, entry: LineEntry | None, kind: str) -> PendingStaffEntry:
    """Return a typed hand as a staff entry, which a second person may have to confirm.

    If `entry` is None, the staff entry strikes out the recorded hand.
    """
    words = f"{state.name_line(hand)} {'otherwise' if entry else 'as struck out'}"
    line, via, override = (entry.line, str(entry.via), entry.override) if entry else (None, "", "")
    payload = {"hand": hand, "line": line, "via": via, "override": override, "said": words}
    return PendingStaffEntry(kind, payload, ("hand", "line"), words)


def write_line(
    write: WriteTransaction, state: CardState, entry: LineEntry, warnings: list[str], *, is_routine: bool = False
) -> SheetLine:
    """Store a line in the caller's transaction.

    The line is a hand, or a paper card's totals that `judge_totals_line` has already checked.
    """
    line = entry.line if is_totals_record(entry.line) else judge_line(state.sheet, entry.line).as_json()
    fact = SheetLine(
        card=state.card,
        number=max((entered.fact.number for entered in state.entered), default=0) + 1,
        line=line,
        via=entry.via,
        warnings=warnings,
        **write.fact_fields(),
    )
    fact.is_plain = is_routine
    fact.save(force_insert=True)
    add_lines_to_log(write, fact)
    return fact


def update_closed_game_result(write: WriteTransaction, before: CardState) -> None:
    """Update the match's result after a write to a card whose game was closed early.

    This runs in the caller's transaction. `before` is the card before the write.
    """
    if before.closing is not None and (before.score.is_closed or load_card_state_by_pk(before.card.pk).score.is_closed):
        update_match_result(write, before.card)


# --- Correct a hand --------------------------------------------------------------------------------------------------


def correct_line(card: Card, hand: int, entry: LineEntry | None, *, by: Actor, reason: str, key: str = "") -> CardState:
    """Replace a hand with another line, or strike it out if `entry` is None. Hands are numbered from 1.

    The scorekeeper can correct the last hand until the card is posted or time is called. The desk can correct any hand.
    Signatures of the old content no longer count.

    Raises:
        DomainError: `reason-needed`.
        ReasonRequired: the new line is improbable, or the next match has started already.
    """
    own = make_card_idempotency_key(card, by, make_idempotency_key(key, hand, entry))
    with writing(card.match.event, verb="card.corrected", by=by, key=own, reason=reason) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_scorekeeper_or_desk(by, card, state.keeper_id)
        require_writable_card(write, card)
        if not reason.strip():
            raise DomainError("reason-needed", _("Write what was wrong. Every correction needs a reason."))
        if not 1 <= hand <= len(state.lines):
            raise Conflict(
                "no-such-hand",
                _("There is no %(hand)s on this score card now. Look at it again.") % {"hand": state.name_line(hand)},
            )
        _require_correction_allowed(state, hand, by, write)
        if (
            entry is None
            and is_totals_record(state.lines[hand - 1].line)
            and not can_act_for_desk(by, write.tournament)
        ):
            raise NotAllowed(
                "by-totals", _("The desk entered this score card by its totals. Ask the desk to correct them.")
            )
        typed = _make_pending_entry(state, hand, entry, find_correction_kind(write, state))
        require_correctable_hand(write, state, hand)
        write_or_store_staff_entry(write, state, typed, lambda: write_corrected_hand(write, state, hand, entry))
    return load_card_state_by_pk(card.pk)


def write_corrected_hand(
    write: WriteTransaction, state: CardState, hand: int, entry: LineEntry | None, *, override: str = ""
) -> SheetLine:
    """Replace or strike out a hand in the caller's transaction, and update the result.

    The caller must already have checked the card and the user's permission. `override` is used only when a hand is
    struck out. If it gives a reason, the hand is struck out even if later matches depend on the old result.

    Raises:
        ReasonRequired, BadLine: see `correct_line`.
    """
    override = entry.override if entry else override
    if entry is not None and is_totals_record(state.lines[hand - 1].line):
        raise Conflict("by-totals", str(ENTERED_BY_TOTALS_MESSAGE))
    old, warnings = state.lines[hand - 1], []
    if entry is not None:
        warnings = _require_reason_for_doubts(
            preview_line(state, entry.line, at=hand - 1), override, find_up_card_warnings(state, hand, entry.line)
        )
        entry = replace(entry, line=judge_line(state.sheet, entry.line, at=hand - 1).as_json())
    fact = supersede_line(write, old, entry, warnings)
    update_results_after_correction(write, state, override)
    write.about(state.card, card=state.card.pk, line=fact.pk, hand=hand, was=old.line)
    return fact


def _require_correction_allowed(state: CardState, hand: int, by: Actor, write: WriteTransaction) -> None:
    if can_act_for_desk(by, write.tournament):
        return
    if state.score.verdict is not None:
        raise DomainError(
            "time-called", _("Time is called, so only the desk can correct the score card. Call the director.")
        )
    if state.postings:
        raise DomainError("posted", _("The score card is posted, so only the desk can correct it. Call the director."))
    if hand != len(state.lines):
        raise DomainError(
            "not-last-hand", _("Only the last hand can be corrected here. Ask the desk to correct another one.")
        )


def require_correctable_hand(write: WriteTransaction, state: CardState, hand: int) -> None:
    """Raise NotAllowed if the rules no longer allow a correction of this hand, unless the actor is a director."""
    why = find_dispute_policy(state.sheet.rule_sheet.rules).late(load_game_standing(state), hand)
    if why and not is_acting_as_director(write):
        raise NotAllowed("too-late", _("%(why)s Call the director if that is wrong.") % {"why": why})


def supersede_line(write: WriteTransaction, old: SheetLine, entry: LineEntry | None, warnings: list[str]) -> SheetLine:
    fact = SheetLine.objects.create(
        card_id=old.card_id,
        number=old.number,
        line=entry.line if entry else None,
        via=entry.via if entry else old.via,
        warnings=warnings,
        supersedes=old,
        **write.fact_fields(),
    )
    add_lines_to_log(write, fact)
    return fact


def strike_all_hands(write: WriteTransaction, state: CardState) -> None:
    for old in state.lines:
        supersede_line(write, old, None, [])


def update_results_after_correction(write: WriteTransaction, before: CardState, override: str) -> None:
    """Update the results that depend on a correction, in the caller's transaction.

    Raises:
        BadLine: hands would follow the end of the game.
        ReasonRequired: the correction takes a win away, and later matches depend on it.
    """
    after = load_card_state_by_pk(before.card.pk)
    try:
        after.named_sheet.list_rows()
    except InvalidInput as error:
        raise BadLine(error.problems) from None
    if before.is_posted:
        require_reason_to_remove_win(before, after, override)
    if after.is_posted or before.score.is_closed:
        update_match_result(write, before.card)


# --- The cut and the draw before play --------------------------------------------------------------------------------


def record_scorekeeper(card: Card, keeper: Entrant, *, by: Actor, key: str = "") -> CardState:
    """Record who keeps score. If the low card decides this, the scorekeeper also deals first (GRA 2012, singles 2).

    Every player can record the scorekeeper until the first hand. After that, only the desk can.
    """
    with writing(
        card.match.event,
        verb="card.cut",
        by=by,
        key=make_card_idempotency_key(card, by, make_idempotency_key(key, keeper.pk)),
    ) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_player_or_desk(by, card)
        require_writable_card(write, card)
        if not is_player_on_card(make_player_actor(keeper), card):
            raise DomainError("not-a-player", _("Only a player on this score card can keep score. Choose one of them."))
        if state.keeper_id is not None and state.lines and not can_act_for_desk(by, write.tournament):
            raise Conflict("cut-done", _("Play has started. Ask the desk to change who keeps score."))
        write.about(card, card=card.pk)
        save_scorekeeper(write, state, keeper)
    return load_card_state_by_pk(card.pk)


def record_table_draw(card: Card, drawn: Sequence[str], *, by: Actor, reason: str = "", key: str = "") -> CardState:
    """Record who drew which position.

    `drawn` lists the sides' letters in the order of the positions (`Variant.table_draw`). The last position can be left
    out. Every player of the card can record and correct the draw until the first hand. After that, the desk can correct
    it with a reason, and signatures of the old draw no longer count.

    Raises:
        DomainError: `bad-draw`, `seats-by-event`, `reason-needed`.
        Conflict: `draw-done`.
        BadLine: the hands on the card are impossible with this draw.
    """
    own = make_card_idempotency_key(card, by, make_idempotency_key(key, *drawn))
    with writing(card.match.event, verb="card.draw", by=by, key=own, reason=reason) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_player_or_desk(by, card)
        require_writable_card(write, card)
        order = read_table_draw(state, drawn)
        write.about(card, card=card.pk, drawn=list(order), was=list(state.draw.recorded_order))
        if order == state.draw.recorded_order:
            return state
        if not state.entered and not state.signatures.all_signatures:
            write_table_draw(write, state, order)
        else:
            _record_corrected_draw(write, state, order)
    return load_card_state_by_pk(card.pk)


def write_corrected_table_draw(write: WriteTransaction, state: CardState, order: Sequence[str]) -> None:
    """Record a different draw in the caller's transaction, and update the result.

    The caller must already have checked the draw and the user's permission.

    Raises:
        BadLine, ReasonRequired: see `correct_line`.
    """
    write_table_draw(write, state, order)
    update_results_after_correction(write, state, write.reason)


def _record_corrected_draw(write: WriteTransaction, state: CardState, order: tuple[str, ...]) -> None:
    if not can_act_for_desk(write.by, write.tournament):
        raise Conflict("draw-done", _("Play has started. Ask the desk to correct the draw."))
    if not write.reason.strip():
        raise DomainError("reason-needed", _("Write what was wrong. Every correction needs a reason."))
    kind, words = find_correction_kind(write, state), state.draw.describe_draw(order)
    typed = PendingStaffEntry(kind, {"hand": 0, "drawn": list(order), "said": words}, ("drawn",), words)
    write_or_store_staff_entry(write, state, typed, lambda: write_corrected_table_draw(write, state, order))


def read_table_draw(state: CardState, drawn: Sequence[object]) -> tuple[str, ...]:
    """Return the letters of all sides in the order of the positions that they drew.

    The side that is left over gets the last position, even if nobody entered it.

    Raises:
        DomainError: `bad-draw`, or `seats-by-event` if the seats come from the event's draw.
    """
    if not state.draw.is_drawn_at_table and state.draw.table_draw.places:
        raise DomainError(
            "seats-by-event",
            _("The seats of this event come from its draw. The director can change that on the rule sheet."),
        )
    return list_sides_by_drawn_position(state.draw.table_draw, sorted(state.letters), drawn)


def write_table_draw(write: WriteTransaction, state: CardState, order: Sequence[str]) -> None:
    """Record who drew which position.

    If the draw only decides who keeps score, the scorekeeper is recorded instead.
    """
    if state.draw.table_draw.keeps_score:
        seat = state.find_seat_by_letter(order[0])
        if seat is None or seat.entrant is None:
            raise DomainError("not-a-player", _("Only a player on this score card can keep score. Choose one of them."))
        save_scorekeeper(write, state, seat.entrant)
        return
    _write_cut(write, state, order=list(order))
    write.about(state.card, drawn=list(order))


def save_scorekeeper(write: WriteTransaction, state: CardState, keeper: Entrant) -> None:
    if state.keeper_id != keeper.pk:
        _write_cut(write, state, keeper=keeper)
    write.about(state.card, keeper=keeper.number)


def _write_cut(
    write: WriteTransaction, state: CardState, *, keeper: Entrant | None = None, order: Sequence[str] = ()
) -> None:
    add_deck_cut_to_log(
        write, Cut.objects.create(card=state.card, keeper=keeper, order=list(order), **write.fact_fields())
    )
    write.about(state.card, card=state.card.pk)


def _record_draw_with_hand(write: WriteTransaction, state: CardState, drawn: Sequence[str]) -> CardState:
    """Record a draw that a phone sent together with the first hand, because it was offline during the draw.

    The player who enters the hand becomes the scorekeeper if there is none yet.

    Raises:
        DomainError: `bad-draw`.
        Conflict: `draw-differs`: another draw has been recorded on the card in the meantime.
    """
    if not drawn:
        return state
    require_player_or_desk(write.by, state.card)
    order = read_table_draw(state, drawn)
    if not state.draw.is_draw_missing:
        _require_same_draw(state, order)
    elif not state.lines:
        write_table_draw(write, state, order)
    after = load_card_state_by_pk(state.card.pk)
    if after.keeper is None and write.by.entrant is not None:
        save_scorekeeper(write, after, write.by.entrant)
    return load_card_state_by_pk(state.card.pk)


def _require_same_draw(state: CardState, order: tuple[str, ...]) -> None:
    known = state.draw.recorded_order
    if known != order:
        words = state.draw.describe_draw(known)
        raise Conflict(
            "draw-differs",
            _("The score card has another draw: %(said)s. Look at it, then enter the hand.") % {"said": words},
        )


def require_recorded_table_draw(state: CardState) -> None:
    """Raise Conflict if the roles still have to be drawn before the first hand (three-handed gin)."""
    if state.draw.blocks_first_hand:
        raise Conflict(
            "no-draw", _("%(words)s Record who drew which card first.") % {"words": state.draw.table_draw.words}
        )


# --- Announced totals ------------------------------------------------------------------------------------------------


def announce_totals(card: Card, *, by: Actor, key: str = "") -> TotalsAnnounced:
    """Record that the scorekeeper announced the totals before the last hand (Fort Worth C 3).

    After that, only a director can correct earlier hands.

    Raises:
        NotAllowed: the sender is neither the scorekeeper nor the desk.
        Conflict: `not-in-play`, `not-before-last`: the next hand is not the last one.
    """
    with writing(
        card.match.event, verb="totals.announced", by=by, key=make_card_idempotency_key(card, by, key)
    ) as write:
        if write.repeated:
            return TotalsAnnounced.objects.get(pk=write.outcome["announced"])
        state = load_card_state_by_pk(card.pk)
        require_scorekeeper_or_desk(by, card, state.keeper_id)
        if write.event is None or write.event.state != Event.State.IN_PLAY:
            raise Conflict("not-in-play", _("The event is not in play. Nothing was recorded."))
        if not must_announce_totals(state):
            raise Conflict(
                "not-before-last",
                _("Totals are announced once, before the last hand of a game. Look at the score card again."),
            )
        totals = dict(zip(state.letters, state.score.totals, strict=True))
        announced = TotalsAnnounced.objects.create(
            card=card, hand=len(state.lines) + 1, totals=totals, **write.fact_fields()
        )
        write.about(card, card=card.pk, announced=announced.pk, totals=totals)
        return announced
