"""Enter a whole paper card at the desk, and confirm or reject an entry made by another staff member."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_match_players
from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.cards.services.closing import write_corrected_totals
from scoring.cards.services.hands import (
    BadLine,
    LineEntry,
    read_table_draw,
    require_recorded_table_draw,
    save_scorekeeper,
    strike_all_hands,
    update_closed_game_result,
    write_corrected_hand,
    write_corrected_table_draw,
    write_line,
    write_next_hand,
    write_table_draw,
)
from scoring.cards.services.signing import add_paper_signature
from scoring.models import Card, SheetLine, StaffEntry
from scoring.posting.services.correction_period import (
    EntryWriter,
    PendingStaffEntry,
    add_officials_to_reason,
    apply_confirmed_staff_entry,
    write_or_store_staff_entry,
    write_staff_entry_rejection,
)
from scoring.posting.services.posting import (
    make_card_idempotency_key,
    post_card_if_signed,
    require_writable_card,
    update_match_result,
)
from scoring.rules.sheet.paper import check_running_totals, judge_totals_line
from scoring.rules.sheet.sheets import ScoreSheet, judge_line, make_empty_sheet
from scoring.rules.variants.variant import is_totals_record
from scoring.seals.services.sealing import post_and_seal_card
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.previews import require_override
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, InvalidInput
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A line of a paper card: the hand, and the running totals that are legible next to it, keyed by letter."""

    line: Mapping[str, Any]
    running: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperCard:
    """A paper card as typed at the desk: its `totals` (by letter) or its `rows`, who signed, and the witness."""

    totals: Mapping[str, int] | None = None
    rows: tuple[PaperRow, ...] = ()
    keeper: Entrant | None = None
    drawn: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    witness: str = ""
    override: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class _CheckedPaper:
    """The result of checking a paper card.

    `wrong_sums` maps each row with wrong running totals to a message. `sides_with_wrong_sums` maps such a row to the
    letters of the sides whose totals are wrong. Rows are counted from 0.
    """

    lines: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]
    wrong_sums: Mapping[int, str]
    sides_with_wrong_sums: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


class BadPaperRows(DomainError):
    """An error for impossible rows. `data["rows"]` maps row numbers (from 0) to messages."""

    def __init__(self, rows: Mapping[int, str], state: CardState) -> None:
        message = " ".join(f"{_name_row(state, row + 1)}: {sentence}" for row, sentence in rows.items())
        super().__init__("bad-rows", message, rows=dict(rows))


def enter_paper_card(card: Card, paper: PaperCard, *, by: Actor) -> CardState:
    """Write the lines and signatures of a paper card, and post it if all sides signed. On an error, nothing is written.

    Raises:
        BadLine, BadPaperRows: the totals or a hand are impossible.
        ReasonRequired: something is improbable, a sum is wrong, or the card already has other hands.
        Conflict: the card is posted already.
    """
    require_permission(by, "desk", card.match.event.tournament)
    key = make_card_idempotency_key(card, by, make_idempotency_key(paper.key, paper))
    with writing(card.match.event, verb="card.entered", by=by, key=key, reason=paper.override) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_writable_card(write, card)
        _require_not_posted(state)
        write_or_store_staff_entry(
            write, state, _make_pending_entry(state, paper), lambda: _write_paper_card(write, state, paper)
        )
        return load_card_state_by_pk(card.pk)


def _require_not_posted(state: CardState) -> None:
    if state.is_posted:
        each = ", ".join(f"{name} {total}" for name, total in zip(state.names, state.score.totals, strict=True))
        raise Conflict(
            "posted-already",
            _(
                "This score card is posted already: %(each)s. If the paper says something else, correct it "
                "on its own page."
            )
            % {"each": each},
        )


def _make_pending_entry(state: CardState, paper: PaperCard) -> PendingStaffEntry:
    totals = dict(paper.totals) if paper.totals is not None else None
    words = ", ".join(f"{state.names_by_letter.get(side, side)} {points}" for side, points in (totals or {}).items())
    payload = {
        "totals": totals,
        "rows": [{"line": dict(row.line), "running": dict(row.running)} for row in paper.rows],
        "keeper": paper.keeper.pk if paper.keeper else None,
        "drawn": list(paper.drawn),
        "signed": sorted(paper.signed),
        "witness": paper.witness,
        "override": paper.override,
        "said": words or ngettext("%(number)s hand", "%(number)s hands", len(paper.rows)) % {"number": len(paper.rows)},
    }
    return PendingStaffEntry(StaffEntry.Kind.CARD, payload, ("totals", "rows", "signed", "drawn"), str(payload["said"]))


def _write_paper_card(write: WriteTransaction, state: CardState, paper: PaperCard) -> None:
    """Enter a paper card that is not posted yet, in the caller's transaction. Post it if all sides have signed.

    The caller must already have checked that the actor has desk permission.
    """
    card = state.card
    if paper.drawn:
        order = read_table_draw(state, paper.drawn)
        if order != state.draw.recorded_order:
            write_table_draw(write, state, order)
            state = load_card_state_by_pk(card.pk)
    require_recorded_table_draw(state)
    checked = check_paper_rows(state, paper.rows) if paper.totals is None else _check_final_totals(state, paper.totals)
    if paper.keeper is not None:
        save_scorekeeper(write, state, paper.keeper)
    _write_lines(write, state, paper, checked)
    update_closed_game_result(write, state)
    after = load_card_state_by_pk(card.pk)
    already = {seat.side for seat in after.seats if seat.pk in after.signatures.signed_seats}
    for side in paper.signed:
        if side not in already:
            after = add_paper_signature(write, after, side, paper.witness)
    write.about(card, card=card.pk, signed=list(paper.signed))
    post_card_if_signed(write, after)


def check_paper_rows(state: CardState, rows: tuple[PaperRow, ...]) -> _CheckedPaper:
    sheet = make_empty_sheet(state.rules, state.names)
    bad: dict[int, str] = {}
    warnings: list[str] = []
    for number, row in enumerate(rows):
        try:
            judged = judge_line(sheet, state.replace_letters_with_names(dict(row.line)))
        except InvalidInput as error:
            bad[number] = " ".join(problem.message for problem in error.problems)
            continue
        sheet = judged.sheet
        warnings += [f"{_name_row(state, number + 1)}: {doubt.message}" for doubt in judged.warnings]
    if bad:
        raise BadPaperRows(bad, state)
    if not rows:
        raise DomainError("no-rows", _("Nothing is entered yet. Enter the first hand, or the final totals."))
    return _check_running_sums(state, sheet, rows, warnings)


def _check_running_sums(
    state: CardState, sheet: ScoreSheet, rows: tuple[PaperRow, ...], warnings: list[str]
) -> _CheckedPaper:
    letters = dict(zip(state.names, state.letters, strict=True))
    slips: dict[int, str] = {}
    wrong: dict[int, tuple[str, ...]] = {}
    for slip in check_running_totals(sheet, [state.replace_letters_with_names(dict(row.running)) for row in rows]):
        row, sentence = slip.number - 1, replace(slip, line=_name_row(state, slip.number)).sentence
        slips[row] = " ".join(filter(None, [slips.get(row), sentence]))
        wrong[row] = (*wrong.get(row, ()), letters[slip.side])
    return _CheckedPaper(tuple(dict(row.line) for row in rows), tuple(warnings), slips, wrong)


def _name_row(state: CardState, number: int) -> str:
    """Return the name of a row for the start of a sentence: “Line 3”, “Hand with 3s wild”. Rows are numbered from 1."""
    is_numbered = state.label_line(number) == str(number)
    return (
        _("Line %(number)s") % {"number": number} if is_numbered else capitalize_first_letter(state.name_line(number))
    )


def _check_final_totals(state: CardState, totals: Mapping[str, int]) -> _CheckedPaper:
    try:
        unfinished = state.closing is not None
        named = judge_totals_line(
            state.rules, state.names, state.replace_letters_with_names(dict(totals)), unfinished=unfinished
        )
    except InvalidInput as error:
        raise BadLine(error.problems) from None
    typed = judge_totals_line(state.rules, state.sheet.sides, dict(totals), unfinished=unfinished)
    warnings = tuple(doubt.message for doubt in named.warnings)
    return _CheckedPaper((typed.as_json(),), warnings, {})


def _write_lines(write: WriteTransaction, state: CardState, paper: PaperCard, checked: _CheckedPaper) -> None:
    """Write the paper's lines on the card, unless it already has the same lines."""
    if [fact.line for fact in state.lines] == list(checked.lines):
        return
    if paper.totals is not None and state.is_complete and dict(paper.totals) == dict(state.score.tally.totals):
        return  # the card has hands with the totals of the paper, so that only signatures are missing
    warnings = [*checked.warnings, *checked.wrong_sums.values()]
    if state.has_only_totals:
        warnings.append(
            _("The score card already has the totals %(figures)s. These would replace them.")
            % {"figures": state.score.totals_text}
        )
    elif state.lines:
        struck_out = ngettext(
            "The score card has %(lines)s hand already, %(figures)s. It would be struck out.",
            "The score card has %(lines)s hands already, %(figures)s. They would be struck out.",
            len(state.lines),
        )
        warnings.append(struck_out % {"lines": len(state.lines), "figures": state.score.totals_text})
    slips, wrong = dict(checked.wrong_sums), dict(checked.sides_with_wrong_sums)
    require_override(warnings, paper.override, code="look-again", slips=slips, wrong=wrong)
    strike_all_hands(write, state)
    for line in checked.lines:
        write_line(write, load_card_state_by_pk(state.card.pk), LineEntry(line, via=SheetLine.Via.DESK), warnings)


# --- Confirmation by a second person ---------------------------------------------------------------------------------


def confirm_staff_entry(entry: StaffEntry, *, by: Actor, key: str = "") -> CardState:
    """Confirm another person's entry, and write it on the card. Both people are recorded as its authors.

    A change to a final card is posted immediately.

    Raises:
        NotAllowed: `own-entry`, `needs-director`.
        Conflict: `decided`, `card-changed`, `type-again`, `not-complete`.
        DomainError: the entry itself would be rejected.
    """
    event = entry.card.match.event
    require_permission(by, "desk", event.tournament)
    reason = add_officials_to_reason(entry, by, entry.reason, "agreed to by")
    with writing(
        event, verb="staff-entry.agreed", by=by, key=make_idempotency_key(key, entry.pk), reason=reason
    ) as write:
        state = load_card_state_by_pk(entry.card_id)
        if write.repeated:
            return state
        require_writable_card(write, entry.card)
        apply_confirmed_staff_entry(write, entry, state, _make_entry_writer(write, entry, state))
        after = load_card_state_by_pk(entry.card_id)
        if entry.kind == StaffEntry.Kind.AFTER_FINAL and not after.is_posted:
            if not after.is_complete:
                raise Conflict("not-complete", _("With this entry nobody wins the game. Add what is missing first."))
            post_and_seal_card(write, after)
            update_match_result(write, after.card)
    return load_card_state_by_pk(entry.card_id)


def reject_staff_entry(entry: StaffEntry, *, by: Actor, reason: str = "") -> None:
    with writing(entry.card.match.event, verb="staff-entry.refused", by=by, reason=reason) as write:
        write_staff_entry_rejection(write, entry)


def _make_entry_writer(write: WriteTransaction, entry: StaffEntry, state: CardState) -> EntryWriter:
    payload = entry.payload
    if entry.kind == StaffEntry.Kind.CARD:
        paper = read_stored_paper_card(state, payload)
        return partial(_write_paper_card, write, state, replace(paper, override=paper.override or write.reason))
    if "drawn" in payload:
        return partial(write_corrected_table_draw, write, state, tuple(payload["drawn"]))
    line = payload["line"]
    override = payload["override"] or ""
    typed = LineEntry(line, via=payload["via"], override=override) if line is not None else None
    if typed is not None and is_totals_record(line):
        return partial(write_corrected_totals, write, state, replace(typed, override=override or write.reason))
    if entry.kind == StaffEntry.Kind.LINE and typed is not None:
        return partial(write_next_hand, write, state, typed)
    return partial(write_corrected_hand, write, state, payload["hand"], typed)


def read_stored_paper_card(state: CardState, payload: Mapping[str, Any]) -> PaperCard:
    """Return a paper card from the data that was stored for the second person's confirmation."""
    keeper = next((who for who in load_match_players(state.card.match) if who.pk == payload["keeper"]), None)
    return PaperCard(
        totals=payload["totals"],
        rows=tuple(PaperRow(row["line"], row["running"]) for row in payload["rows"]),
        keeper=keeper,
        drawn=tuple(payload.get("drawn", ())),
        signed=tuple(payload["signed"]),
        witness=payload["witness"],
        override=payload["override"],
    )
