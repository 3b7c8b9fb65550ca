"""Display data for a card, on pages and in print: its sheet, its signatures, and descriptions of its lines.

Corrections and struck-out lines remain visible.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.card_state.forms import PER_SIDE_FIELD_KINDS, format_sheet_field_value
from scoring.card_state.selectors.players import Substitution, load_substitutions
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE, CardState, LineHistory
from scoring.models import CardClosed, CardSeat, SheetLine, Signature
from scoring.rules.book.layout import Cell, CellMark, Heading, LineCells, SheetBlock, format_signed_number
from scoring.rules.hand.cards import RANKS, SUIT_SYMBOLS
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.sheet.closing import ClosingResult
from scoring.rules.variants.variant import TOTALS_KEY, FieldKind, LineField, is_totals_record
from tournament.templatetags.gin import card_text, local_day_time, local_time, minus

LOST_GAME_MATCH_KEY = "game_of"
"""A key in a ruling's effect on a side. It is set if the side lost only one game of a longer match."""


_MAX_DEVICE_LENGTH: Final = 60


_SUIT_BY_SYMBOL: Final = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}


_TOTAL_LABELS: Final = ("Final", "Now", "Total", "Totals", gettext_lazy("Grand total"))
"""Labels of footer lines that already show the totals."""


_SIDE_PHRASES: Final = {"by": gettext_lazy("by %s"), "to": gettext_lazy("to %s")}
"""Formats that join a side's name to the text before it, as in “gin by Ann”."""


# --- The sheet -------------------------------------------------------------------------------------------------------


def make_sheet_context(state: CardState) -> dict[str, Any]:
    """Return the template context for components/score_sheet.html."""
    blocks = state.draw.displayed_variant.blocks(state.score.rows, state.score.named_tally)
    # Notes can go below the lines if a block shows each recorded line as one line, in order.
    numbers = [row.number for row in state.score.rows]
    by_line = (block for block in blocks if [each.number for each in block.lines if each.number is not None] == numbers)
    inline = next(by_line, None)
    caption = _("Game %(game)s: %(names)s") if state.is_single_game else "%(names)s"
    noted = [] if inline is not None else [_make_remark_context(state, entered) for entered in state.entered]
    return {
        "caption": caption % {"game": state.card.game, "names": state.title},
        "blocks": [_make_block_context(state, block, inline=block is inline) for block in blocks],
        "remarks": [remark for remark in noted if remark],
        "workings": [
            (row.number, row.line_tally.explanation) for row in state.score.rows if row.line_tally.explanation
        ],
        "target": state.target,
        "has_boxes": any(cell.mark is CellMark.BOX for block in blocks for line in block.lines for cell in line.cells),
    }


def list_running_totals(state: CardState) -> list[list[int]]:
    """Return the totals after each line, for components/running_totals_chart.html."""
    return [[line.running[side] for side in state.letters] for line in state.score.tally.lines]


def _make_block_context(state: CardState, block: SheetBlock, *, inline: bool) -> dict[str, Any]:
    lines = list(_iter_block_lines(state, block)) if inline else [_make_line_context(line) for line in block.lines]
    return {
        "title": block.title,
        "groups": [{"label": group.text, "span": group.span} for group in block.groups],
        "columns": [{"label": _shorten_heading(state, block, h), "numeric": h.numeric} for h in block.headings],
        "width": len(block.headings),
        "lines": lines,
        "foot": [*_make_totals_cells(state, block), *(_make_line_context(line) for line in block.footer)],
    }


def _iter_block_lines(state: CardState, block: SheetBlock) -> Iterator[dict[str, Any]]:
    """Yield the lines of a block of the score sheet.

    Struck-out lines keep their position, and corrected lines are marked.
    """
    waiting = iter(state.entered)
    for line in block.lines:
        if line.number is None:
            yield _make_line_context(line)
            continue
        for entered in waiting:
            if not entered.is_struck:
                yield _make_entered_line_context(state, entered, line, block)
                break
            yield _make_struck_line_context(state, entered, block)
    for entered in waiting:
        yield _make_struck_line_context(state, entered, block)


def _make_line_context(line: LineCells) -> dict[str, Any]:
    return {"cells": [_make_cell_context(cell) for cell in line.cells]}


def _make_cell_context(cell: Cell) -> dict[str, Any]:
    mark = str(cell.mark)
    classes = ["is-number"] * cell.numeric + ["is-strong"] * cell.strong + [f"is-{mark}"] * bool(mark)
    return {
        "text": cell.text,
        "card": _find_card_code(cell.text),
        "span": cell.span,
        "mark": mark,
        "rings": cell.circle_count,
        "numeric": cell.numeric,
        "css": " ".join(classes),
    }


def _find_card_code(text: str) -> str:
    """Return the code of a playing card, such as TH for `10♥`, or "" if the text is not a playing card."""
    suit = _SUIT_BY_SYMBOL.get(text.rstrip("\N{VARIATION SELECTOR-15}")[-1:], "")
    rank = text.rstrip("\N{VARIATION SELECTOR-15}")[:-1].replace("10", "T")
    return rank + suit if suit and rank and rank in RANKS else ""


def _make_entered_line_context(
    state: CardState, entered: LineHistory, line: LineCells, block: SheetBlock
) -> dict[str, Any]:
    shown = _make_line_context(line)
    if entered.earlier:
        # The correction is shown in the outcome cell, or else in the cell beside the line's number.
        outcome = next((i for i, heading in enumerate(block.headings) if heading.key == "outcome"), 1)
        place = 0 if is_totals_record(entered.fact.line) else min(outcome, len(block.headings) - 1)
        shown["correction"] = shown["cells"][place]["correction"] = _make_correction_context(state, entered)
    return {**shown, "note": _describe_accepted_warnings(entered.fact)}


def _make_correction_context(state: CardState, entered: LineHistory) -> dict[str, Any]:
    fact = entered.fact
    return {
        "was": describe_line(state, entered.earlier[-1].line),
        "by": fact.by_name,
        "official": fact.by_id is not None,
        "reason": fact.reason,
        "at": local_time(fact.at, state.card.match.event.tournament),
    }


def _make_struck_line_context(state: CardState, entered: LineHistory, block: SheetBlock) -> dict[str, Any]:
    was = next(fact for fact in reversed(entered.earlier) if fact.line is not None)
    width = len(block.headings)
    cells = [
        {"text": "–", "span": 1, "numeric": True},
        {"text": describe_line(state, was.line), "span": max(1, width - 1)},
    ]
    note = _("Struck out by %(who)s: %(why)s") % {"who": entered.fact.by_name, "why": entered.fact.reason}
    return {"cells": cells, "struck": True, "note": note, "official": entered.fact.by_id is not None}


def _make_remark_context(state: CardState, entered: LineHistory) -> dict[str, Any]:
    """Return the correction or warning to show below the sheet for a line, or {} if there is neither."""
    if not entered.earlier and not entered.fact.warnings:
        return {}
    return {
        "now": describe_line(state, entered.fact.line),
        "correction": _make_correction_context(state, entered) if entered.earlier else None,
        "note": _describe_accepted_warnings(entered.fact),
    }


def _describe_accepted_warnings(fact: SheetLine) -> str:
    if not fact.warnings:
        return ""
    return _("Entered anyway: %(why)s (%(warnings)s)") % {"why": fact.reason, "warnings": " ".join(fact.warnings)}


def _shorten_heading(state: CardState, block: SheetBlock, heading: Heading) -> str:
    """Return a column's heading, without the side's name if the group heading above already shows it."""
    if block.groups and heading.text in state.names and heading.key == "points":
        return _("Won")
    if block.groups and heading.key == "running" and heading.text.removesuffix(", total") in state.names:
        return _("Total") if heading.text not in state.names else heading.text
    return heading.text


def _make_totals_cells(state: CardState, block: SheetBlock) -> list[dict[str, Any]]:
    """Return a list with one line of the footer, which shows each side's running total.

    Return an empty list if the block has no running totals, or if the footer already shows the totals.
    """
    running = [i for i, heading in enumerate(block.headings) if heading.key == "running"]
    says = any(line.cells[0].text in _TOTAL_LABELS for line in block.footer)
    if len(running) != len(state.names) or says or not state.lines:
        return []
    texts = dict(zip(running, state.score.totals, strict=True))
    first = {"text": _("Final") if state.is_complete else _("Now"), "span": running[0]}
    places = range(running[0], len(block.headings))
    totals = [{"text": minus(texts.get(place, "")), "span": 1, "css": "is-number"} for place in places]
    return [{"cells": [first, *totals]}]


# --- Signatures ------------------------------------------------------------------------------------------------------


def list_signatures(state: CardState, *, devices: bool = False, substitutes: bool = True) -> list[dict[str, Any]]:
    """Return the signatures for components/signature.html, one for each side.

    A side's last signature is shown even if it is no longer valid. A side without one gets a placeholder. `devices`
    adds the signer's device, for staff. Pass `substitutes=False` to save a query if no substitute plays on this card.
    """
    came = load_substitutions([state]).get(state.card.pk, ()) if state.signatures.all_signatures and substitutes else ()
    besides = (_make_scorekeeper_signature_context(state, name) for name in state.sheet.variant.further_signers)
    return [*(_make_seat_signature_context(state, seat, came, devices=devices) for seat in state.seats), *besides]


def is_posted_by_officials(state: CardState) -> bool:
    """Return whether the card counts without all signatures, because two officials changed it after it was final."""
    return state.is_posted and not state.score.is_closed and bool(state.signatures.missing_seats)


def _make_seat_signature_context(
    state: CardState, seat: CardSeat, came: Collection[Substitution], *, devices: bool
) -> dict[str, Any]:
    name = state.get_seat_name(seat)
    own: list[Signature] = [s for s in state.signatures.all_signatures if s.seat_id == seat.pk]
    valid = next((s for s in own if s.digest == state.digest), None)
    shown = valid or (own[-1] if own else None)
    if shown is None:
        return {"name": name, "side": seat.side, "waived": is_posted_by_officials(state)}
    return {
        "name": describe_signer(name, seat, shown, came),
        "side": seat.side,
        "method": shown.method,
        "strokes": shown.strokes,
        "witness": shown.witness,
        "device": _describe_device(shown.device) if devices else "",
        "digest": shown.digest,
        "at": local_time(shown.at, state.card.match.event.tournament),
        "fallen": "" if valid else _explain_invalid_signature(state),
    }


def _make_scorekeeper_signature_context(state: CardState, name: str) -> dict[str, Any]:
    """Return the scorekeeper's signature. If the signature is missing on a posted card, it is marked as waived."""
    own = [signature for signature in state.signatures.all_signatures if signature.seat_id is None]
    valid = state.signatures.scorekeeper_signature
    shown = valid or (own[-1] if own else None)
    if shown is None:
        return {"name": str(name), "side": SCOREKEEPER_SIDE, "waived": state.is_posted}
    return {
        "name": str(name),
        "side": SCOREKEEPER_SIDE,
        "method": shown.method,
        "strokes": shown.strokes,
        "witness": shown.witness,
        "device": "",
        "digest": shown.digest,
        "at": local_time(shown.at, state.card.match.event.tournament),
        "fallen": "" if valid else _explain_invalid_signature(state),
    }


def _explain_invalid_signature(state: CardState) -> str:
    if is_posted_by_officials(state):
        return _("No longer valid: two officials changed the score card after it was final.")
    return _("No longer valid: the score card was changed after this signature.")


def _describe_device(user_agent: str) -> str:
    """Return the device from a browser's user agent: the text in its first parentheses, or else its beginning.

    >>> _describe_device("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15")
    'iPhone; CPU iPhone OS 17_5 like Mac OS X'
    """
    brackets = re.search(r"\(([^()]+)\)", user_agent)
    return (brackets[1] if brackets else user_agent)[:_MAX_DEVICE_LENGTH].strip()


def describe_signer(name: str, seat: CardSeat, signature: Signature, came: Collection[Substitution] = ()) -> str:
    """Return the name to show next to a signature. For a team, the signer's name is added (“Guys: Bob and Cleo”).

    If Ben signed as Ada's substitute, the text is “Ada: Ben”. `came` contains the substitutions on the card.
    """
    if seat.entrant_id is None:
        return f"{name}: {signature.entrant.name}" if signature.entrant is not None else name
    own = [one for one in came if one.entrant == seat.entrant_id and one.at <= signature.at]
    return f"{name}: {own[-1].substitute_name}" if own and own[0].replaced_name == seat.name else name


# --- Lines as text ---------------------------------------------------------------------------------------------------


def describe_line(state: CardState, line: Mapping[str, Any] | None) -> str:
    if line is None:
        return _("struck out")
    if is_totals_record(line):
        return _("totals from the paper score card: %s") % describe_totals(state, line)
    return _describe_fields(
        state.named_sheet.variant.line_fields(), state.replace_letters_with_names(dict(line)), state.names
    )


def describe_totals(state: CardState, line: Mapping[str, Any]) -> str:
    """Return a line's totals as text: “Ann 158, Bob 31”."""
    return ", ".join(
        f"{name} {format_signed_number(line[TOTALS_KEY][side])}" for side, name in state.names_by_letter.items()
    )


def _describe_fields(fields: Sequence[LineField], line: Mapping[str, Any], names: Sequence[str]) -> str:
    """Describe a line as text. The text starts with how the hand ended, and the up card comes last.

    `line` has names in place of letters.
    """
    ending = _describe_ending(fields, line, names)
    done = {field.name for field in ending[1]} if ending else set()
    words = [ending[0]] if ending else []
    counted = [field for field in fields if field.kind is FieldKind.NUMBER_A_SIDE and field.required]
    for field in sorted(fields, key=lambda field: field.kind is FieldKind.CARD):
        value = line.get(field.name)
        if value is None or value is False or field.name in done:
            continue
        if field.kind is FieldKind.GROUP:
            each = (
                f"{field.label} {n}: {_describe_fields(field.fields, own, names)}"
                for n, own in enumerate(value, start=1)
            )
            words.append("; ".join(each))
        elif field.name in _SIDE_PHRASES and words:
            words[-1] += " " + str(_SIDE_PHRASES[field.name]) % value
        elif field in counted and len(counted) > 1:
            words.append(
                f"{_lowercase_first(field.label)} {_describe_sides(field, value, names)}"
            )  # “words 61–12, deadwood 0–14”
        elif field.kind is FieldKind.NUMBER and field.label.lower() in " ".join(words):
            words.append(str(value))  # “points only to Ann, 20”
        else:
            words.append(_describe_field(field, value, names))
    return ", ".join(words)


def _describe_ending(
    fields: Sequence[LineField], line: Mapping[str, Any], names: Sequence[str]
) -> tuple[str, tuple[LineField, ...]] | None:
    """Return how the hand ended (“Ann knocked with 5 against 20”), and the fields that this text covers.

    The count of the side that ended the hand comes first.
    """
    outcome = next((field for field in fields if field.verbs), None)
    by = line.get("by")
    verb = dict(outcome.verbs).get(format_sheet_field_value(line.get(outcome.name))) if outcome else None
    if outcome is None or verb is None or by is None:
        return None
    counted = [
        field
        for field in fields
        if field.kind is FieldKind.NUMBER_A_SIDE and field.required and by in (line.get(field.name) or {})
    ]
    covered = (outcome, *(field for field in fields if field.name == "by"), *counted)
    if len(counted) == 1:
        return _("%(name)s %(verb)s with %(counts)s") % {
            "name": by, "verb": verb, "counts": _describe_counts(line[counted[0].name], by, names),
        }, covered  # fmt: skip
    each = [f"{_lowercase_first(field.label)} {_describe_counts(line[field.name], by, names)}" for field in counted]
    return ", ".join([f"{by} {verb}", *each]), covered


def _describe_counts(counts: Mapping[str, int], by: str, names: Sequence[str]) -> str:
    """Return the counts as text, such as “5 against 20”.

    If there are more than two players, the opponents' names are included.
    """
    others = [(name, counts[name]) for name in names if name != by and name in counts]
    several = len(names) > 2
    other = ", ".join(
        _("%(count)s of %(name)s") % {"count": n, "name": name} if several else str(n) for name, n in others
    )
    return _("%(own)s against %(other)s") % {"own": counts[by], "other": other} if other else str(counts[by])


def _describe_field(field: LineField, value: Any, names: Sequence[str]) -> str:
    label = _lowercase_first(field.label)
    if field.kind is FieldKind.CHOICE:
        return str(dict(field.choices).get(format_sheet_field_value(value), format_sheet_field_value(value)))
    if field.kind in PER_SIDE_FIELD_KINDS:
        return _describe_sides(field, value, names)
    if field.kind is FieldKind.SWITCH:
        return label
    if field.kind is FieldKind.CARD:
        return f"{label} {card_text(value)}"
    return f"{label} {value}"


def _describe_sides(field: LineField, value: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the sides' values as text: “5–20” if there are two sides and both have a value.

    Otherwise, each value follows its side's name.
    """
    if field.kind is FieldKind.NUMBER_A_SIDE and len(names) == 2 and set(value) == set(names) and field.required:
        return "–".join(str(value[name]) for name in names)
    shown = {name: " ".join(map(card_text, held)) if isinstance(held, list) else held for name, held in value.items()}
    each = ", ".join(f"{name} {held}" for name, held in shown.items())
    return each if field.required else f"{_lowercase_first(field.label)}: {each}"


def _lowercase_first(words: str) -> str:
    words = str(words)  # the text is lazy, and becomes text of the reader's language here
    return words[:1].lower() + words[1:]


def end_with_period(reason: str) -> str:
    """Return a reason with a period at the end, unless it already ends with punctuation.

    >>> end_with_period("misread "), end_with_period("Why?")
    ('misread.', 'Why?')
    """
    text = reason.strip()
    return text if text[-1:] in tuple(".!?") else f"{text}."


# --- Rulings ---------------------------------------------------------------------------------------------------------


def describe_decision(code: str) -> str:
    """Return a decision as text. An unknown code is returned unchanged."""
    return RulingDecision(code).words if code in list(RulingDecision) else code


def describe_ruling_effect(did: Mapping[str, Any]) -> str:
    """Return the effect of a ruling on one side as text."""
    words = describe_decision(did["effect"])
    return (
        _("%s: one game of the match, and the other needs one less to go on") % words
        if LOST_GAME_MATCH_KEY in did
        else words
    )


# --- Closed games ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ClosingText:
    """The sentences about a closed game: what happened, the rule that applied, the reason, and the outcome."""

    what: str
    rule: str
    why: str
    outcome: str

    @property
    def line(self) -> str:
        """All sentences on a single line, for printing."""
        return " ".join(filter(None, (self.what, self.rule, self.why, self.outcome)))


def describe_closing(state: CardState) -> _ClosingText | None:
    """Return the sentences about a closed game, or None if the game is open or was played to its end."""
    if state.score.verdict is None or state.closing is None:
        return None
    says_it = state.score.verdict.ending is ClosingResult.WAITING or state.closing.rule == CardClosed.Rule.GIVES_UP
    why = "" if says_it else state.score.verdict.why
    left = state.closing.left
    what = _("%(name)s left before the end.") % {"name": state.get_seat_name(left)} if left else _("Time was called.")
    return _ClosingText(what, _describe_closing_rule(state, state.closing), why, _describe_closing_outcome(state))


def is_game_replayed(state: CardState) -> bool:
    return state.score.verdict is not None and state.score.verdict.ending is ClosingResult.REPLAY


def _describe_closing_rule(state: CardState, closing: CardClosed) -> str:
    if closing.rule == CardClosed.Rule.GIVES_UP:
        words = _("A player who leaves loses. Recorded by %(who)s: %(why)s.")
        return words % {"who": closing.by_name, "why": closing.reason.rstrip(".")}
    is_decision = closing.rule != state.card.sheet.unfinished or closing.winner is not None
    if is_decision and closing.reason:
        return _("Decided by %(who)s: %(why)s.") % {"who": closing.by_name, "why": closing.reason.rstrip(".")}
    if closing.rule == CardClosed.Rule.DIRECTOR:
        return ""
    rule = state.card.sheet.get_unfinished_display()
    return _("The rule of this event: %(rule)s.") % {"rule": rule[:1].lower() + rule[1:]}


def _describe_closing_outcome(state: CardState) -> str:
    assert state.score.verdict is not None
    if state.score.winner_name:
        return _("%(name)s wins. The score stays as it is.") % {"name": state.score.winner_name}
    if state.score.verdict.ending is ClosingResult.REPLAY:
        return _("This score card does not count. There is a new one.")
    if state.score.verdict.ending is ClosingResult.WAITING:
        return _("Enter the hand being played. No more hands are dealt.")
    return "" if state.score.verdict.ending is ClosingResult.STANDS else _("No more hands are dealt.")


# --- Substitutes -----------------------------------------------------------------------------------------------------


def describe_substitutions(state: CardState, known: Collection[Substitution] | None = None) -> list[str]:
    """Return a sentence about each substitution on the card, such as “Ben has played for Ada since 2:45 PM”.

    Pass the substitutions as `known` if they are already loaded.
    """
    if known is None:
        known = load_substitutions([state]).get(state.card.pk, ())
    over = _("%(came)s played for %(left)s from %(at)s on. The score card keeps its first name.")
    on = _("%(came)s has played for %(left)s since %(at)s. The score card keeps its first name.")
    tournament = state.card.match.event.tournament
    sentence = over if state.is_posted else on
    return [
        sentence % {"came": one.substitute_name, "left": one.replaced_name, "at": local_day_time(one.at, tournament)}
        for one in known
    ]
