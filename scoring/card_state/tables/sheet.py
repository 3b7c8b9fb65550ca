"""A card as the sheet component shows it: the blocks of its variant; corrections and struck lines stay readable."""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.entered_lines import Entered
from scoring.card_state.selectors.signatures import SCOREKEEPER
from scoring.card_state.selectors.substitutes import PlaysOn, load_plays_on
from scoring.card_state.tables.words import line_in_words
from scoring.models import CardSeat, SheetLine, Signature
from scoring.rules.book.layout import Block, Cell, Heading, LineCells, Mark
from scoring.rules.hand.cards import RANKS, SUIT_SYMBOLS
from scoring.rules.variants.totals import says_totals
from tournament.templatetags.gin import local_time, minus

LONGEST_DEVICE: Final = 60

_SUITS: Final = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}
_SAY_THE_TOTAL: Final = ("Final", "Now", "Total", "Totals", gettext_lazy("Grand total"))
"""Feet that have the totals already."""


def sheet_of(state: CardState) -> dict[str, Any]:
    """For components/score_sheet.html."""
    blocks = state.draw.shown_variant.blocks(state.score.rows, state.score.named_tally)
    inline = next((block for block in blocks if _is_by_line(state, block)), None)
    caption = _("Game %(game)s: %(names)s") if state.is_game else "%(names)s"
    noted = [] if inline is not None else [_remark(state, entered) for entered in state.entered]
    return {
        "caption": caption % {"game": state.card.game, "names": state.title},
        "blocks": [_block(state, block, inline=block is inline) for block in blocks],
        "remarks": [remark for remark in noted if remark],
        "workings": [(row.number, row.counted.explanation) for row in state.score.rows if row.counted.explanation],
        "target": state.target,
        "has_boxes": any(cell.mark is Mark.BOX for block in blocks for line in block.lines for cell in line.cells),
    }


def running_of(state: CardState) -> list[list[int]]:
    """For components/running_chart.html: the totals after each line."""
    return [[line.running[side] for side in state.letters] for line in state.score.tally.lines]


def signatures_of(state: CardState, *, devices: bool = False, substitutes: bool = True) -> list[dict[str, Any]]:
    """For components/signature.html: one for each side, the one that counts, or the fallen one, or a gap.

    `devices`: on what each was made, for staff. Not `substitutes`: it is known that none plays on this card.
    """
    came = load_plays_on([state]).get(state.card.pk, ()) if state.signatures.made and substitutes else ()
    besides = (_scorekeepers(state, name) for name in state.sheet.variant.signs_besides)
    return [*(_signature(state, seat, came, devices=devices) for seat in state.seats), *besides]


def of_officials(state: CardState) -> bool:
    """It counts although somebody has not signed it: a final card that two officials changed."""
    return state.is_posted and not state.score.is_closed and bool(state.signatures.missing)


def device_in_words(said: str) -> str:
    """What a browser says of its device in the first brackets; else how it begins.

    >>> device_in_words("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15")
    'iPhone; CPU iPhone OS 17_5 like Mac OS X'
    """
    found = re.search(r"\(([^()]+)\)", said)
    return (found[1] if found else said)[:LONGEST_DEVICE].strip()


def _is_by_line(state: CardState, block: Block) -> bool:
    """Whether each recorded line stands in it as one line, in order: notes on it then stand below it."""
    return [line.number for line in block.lines if line.number is not None] == [row.number for row in state.score.rows]


def _block(state: CardState, block: Block, *, inline: bool) -> dict[str, Any]:
    lines = list(_lines(state, block)) if inline else [_plain(line) for line in block.lines]
    return {
        "title": block.title,
        "groups": [{"label": group.text, "span": group.span} for group in block.groups],
        "columns": [{"label": _heading(state, block, h), "numeric": h.numeric} for h in block.headings],
        "width": len(block.headings),
        "lines": lines,
        "foot": [*_totals(state, block), *(_plain(line) for line in block.foot)],
    }


def _lines(state: CardState, block: Block) -> Iterator[dict[str, Any]]:
    """The lines of the block, with what was struck out where it stood, and every correction marked."""
    waiting = iter(state.entered)
    for line in block.lines:
        if line.number is None:
            yield _plain(line)
            continue
        for entered in waiting:
            if not entered.is_struck:
                yield _entered(state, entered, line, block)
                break
            yield _struck(state, entered, block)
    for entered in waiting:
        yield _struck(state, entered, block)


def _plain(line: LineCells) -> dict[str, Any]:
    return {"cells": [_cell(cell) for cell in line.cells]}


def _cell(cell: Cell) -> dict[str, Any]:
    mark = str(cell.mark)
    classes = ["is-number"] * cell.numeric + ["is-strong"] * cell.strong + [f"is-{mark}"] * bool(mark)
    return {
        "text": cell.text,
        "card": _card_of(cell.text),
        "span": cell.span,
        "mark": mark,
        "rings": cell.rings,
        "numeric": cell.numeric,
        "css": " ".join(classes),
    }


def _card_of(text: str) -> str:
    """`10♥` is TH; empty for what is no card."""
    suit = _SUITS.get(text.rstrip("\N{VARIATION SELECTOR-15}")[-1:], "")
    rank = text.rstrip("\N{VARIATION SELECTOR-15}")[:-1].replace("10", "T")
    return rank + suit if suit and rank and rank in RANKS else ""


def _entered(state: CardState, entered: Entered, line: LineCells, block: Block) -> dict[str, Any]:
    shown = _plain(line)
    if entered.earlier:
        place = 0 if says_totals(entered.fact.line) else _place_of_correction(block)
        shown["correction"] = shown["cells"][place]["correction"] = _correction(state, entered)
    return {**shown, "note": _note(entered.fact)}


def _place_of_correction(block: Block) -> int:
    """The cell of the outcome, or of what stands beside the line's number."""
    found = next((i for i, heading in enumerate(block.headings) if heading.key == "outcome"), 1)
    return min(found, len(block.headings) - 1)


def _correction(state: CardState, entered: Entered) -> dict[str, Any]:
    fact = entered.fact
    return {
        "was": line_in_words(state, entered.earlier[-1].line),
        "by": fact.by_name,
        "official": fact.by_id is not None,
        "reason": fact.reason,
        "at": local_time(fact.at, state.card.match.event.tournament),
    }


def _struck(state: CardState, entered: Entered, block: Block) -> dict[str, Any]:
    was = next(fact for fact in reversed(entered.earlier) if fact.line is not None)
    width = len(block.headings)
    cells = [
        {"text": "–", "span": 1, "numeric": True},
        {"text": line_in_words(state, was.line), "span": max(1, width - 1)},
    ]
    note = _("Struck out by %(who)s: %(why)s") % {"who": entered.fact.by_name, "why": entered.fact.reason}
    return {"cells": cells, "struck": True, "note": note, "official": entered.fact.by_id is not None}


def _remark(state: CardState, entered: Entered) -> dict[str, Any]:
    """The same of a sheet that has no line of its own for a recorded line; empty where there is nothing to say."""
    if not entered.earlier and not entered.fact.warnings:
        return {}
    return {
        "now": line_in_words(state, entered.fact.line),
        "correction": _correction(state, entered) if entered.earlier else None,
        "note": _note(entered.fact),
    }


def _note(fact: SheetLine) -> str:
    if not fact.warnings:
        return ""
    return _("Entered anyway: %(why)s (%(warnings)s)") % {"why": fact.reason, "warnings": " ".join(fact.warnings)}


def _heading(state: CardState, block: Block, heading: Heading) -> str:
    """A side's own name stands over the group already: its columns say what they are."""
    if block.groups and heading.text in state.names and heading.key == "points":
        return _("Won")
    if block.groups and heading.key == "running" and heading.text.removesuffix(", total") in state.names:
        return _("Total") if heading.text not in state.names else heading.text
    return heading.text


def _totals(state: CardState, block: Block) -> list[dict[str, Any]]:
    """The last line of a sheet with one running total a side, where its foot does not say them."""
    running = [i for i, heading in enumerate(block.headings) if heading.key == "running"]
    says = any(line.cells[0].text in _SAY_THE_TOTAL for line in block.foot)
    if len(running) != len(state.names) or says or not state.lines:
        return []
    texts = dict(zip(running, state.score.totals, strict=True))
    first = {"text": _("Final") if state.is_complete else _("Now"), "span": running[0]}
    places = range(running[0], len(block.headings))
    totals = [{"text": minus(texts.get(place, "")), "span": 1, "css": "is-number"} for place in places]
    return [{"cells": [first, *totals]}]


def signed_as(name: str, seat: CardSeat, signature: Signature, came: Collection[PlaysOn] = ()) -> str:
    """The side; where that is a team, also who of it signed: “Guys: Bob and Cleo”.

    `came` are those who play on for somebody on the card: where one has signed for one player, “Ada: Ben”.
    """
    if seat.entrant_id is None:
        return f"{name}: {signature.entrant.name}" if signature.entrant is not None else name
    own = [one for one in came if one.entrant == seat.entrant_id and one.at <= signature.at]
    return f"{name}: {own[-1].came}" if own and own[0].left == seat.name else name


def _fallen(state: CardState) -> str:
    if of_officials(state):
        return _("No longer valid: two officials changed the score card after it was final.")
    return _("No longer valid: the score card was changed after this signature.")


def _scorekeepers(state: CardState, name: str) -> dict[str, Any]:
    """The signature of the scorekeeper; a card that was posted before it was asked for needs none."""
    own = [signature for signature in state.signatures.made if signature.seat_id is None]
    valid = state.signatures.by_scorekeeper
    shown = valid or (own[-1] if own else None)
    if shown is None:
        return {"name": str(name), "side": SCOREKEEPER, "waived": state.is_posted}
    return {
        "name": str(name),
        "side": SCOREKEEPER,
        "method": shown.method,
        "strokes": shown.strokes,
        "witness": shown.witness,
        "device": "",
        "digest": shown.digest,
        "at": local_time(shown.at, state.card.match.event.tournament),
        "fallen": "" if valid else _fallen(state),
    }


def _signature(state: CardState, seat: CardSeat, came: Collection[PlaysOn], *, devices: bool) -> dict[str, Any]:
    name = state.name_of(seat)
    own: list[Signature] = [s for s in state.signatures.made if s.seat_id == seat.pk]
    valid = next((s for s in own if s.digest == state.digest), None)
    shown = valid or (own[-1] if own else None)
    if shown is None:
        return {"name": name, "side": seat.side, "waived": of_officials(state)}
    return {
        "name": signed_as(name, seat, shown, came),
        "side": seat.side,
        "method": shown.method,
        "strokes": shown.strokes,
        "witness": shown.witness,
        "device": device_in_words(shown.device) if devices else "",
        "digest": shown.digest,
        "at": local_time(shown.at, state.card.match.event.tournament),
        "fallen": "" if valid else _fallen(state),
    }
