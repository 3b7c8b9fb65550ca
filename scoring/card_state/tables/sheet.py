"""A card as the sheet component shows it, in the blocks of its variant.

Corrections and struck lines stay readable.
"""

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
from scoring.rules.variants.variant import says_totals
from tournament.templatetags.gin import local_time, minus

LONGEST_DEVICE: Final = 60

_SUITS: Final = {symbol: suit for suit, symbol in SUIT_SYMBOLS.items()}
_SAY_THE_TOTAL: Final = ("Final", "Now", "Total", "Totals", gettext_lazy("Grand total"))
"""The first cells of footer lines that already have the totals."""


def sheet_of(state: CardState) -> dict[str, Any]:
    """Return the context of components/score_sheet.html."""
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
    """Return the totals after each line, for components/running_chart.html."""
    return [[line.running[side] for side in state.letters] for line in state.score.tally.lines]


def signatures_of(state: CardState, *, devices: bool = False, substitutes: bool = True) -> list[dict[str, Any]]:
    """Return the signatures for components/signature.html, one for each side.

    It is the valid signature, or the last one that is no longer valid, or a gap. `devices` adds the signer's device,
    for staff. Pass `substitutes=False` if no substitute plays on this card, which saves a query.
    """
    came = load_plays_on([state]).get(state.card.pk, ()) if state.signatures.made and substitutes else ()
    besides = (_scorekeepers(state, name) for name in state.sheet.variant.signs_besides)
    return [*(_signature(state, seat, came, devices=devices) for seat in state.seats), *besides]


def of_officials(state: CardState) -> bool:
    """Whether the card counts without all signatures because two officials changed a final card."""
    return state.is_posted and not state.score.is_closed and bool(state.signatures.missing)


def device_in_words(said: str) -> str:
    """Return the device from a browser's user agent: the text in its first brackets, or else its beginning.

    >>> device_in_words("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15")
    'iPhone; CPU iPhone OS 17_5 like Mac OS X'
    """
    found = re.search(r"\(([^()]+)\)", said)
    return (found[1] if found else said)[:LONGEST_DEVICE].strip()


def _is_by_line(state: CardState, block: Block) -> bool:
    """Whether the block shows each recorded line as one line, in order. Then notes can go below the lines."""
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
    """Yield the lines of the block, with struck lines in their place and every correction marked."""
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
    """Return the code of a card, such as TH for `10♥`, or "" if the text is not a card."""
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
    """Return the index of the outcome cell, or of the cell beside the line's number."""
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
    """Return the remark for a line that the sheet does not show as one line, or {} if there is none."""
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
    """Return a heading, shortened if the heading of its group already has the side's name."""
    if block.groups and heading.text in state.names and heading.key == "points":
        return _("Won")
    if block.groups and heading.key == "running" and heading.text.removesuffix(", total") in state.names:
        return _("Total") if heading.text not in state.names else heading.text
    return heading.text


def _totals(state: CardState, block: Block) -> list[dict[str, Any]]:
    """Return the closing line with one running total for each side, unless the footer already has the totals."""
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
    """Return the name for a signature: the side, and for a team also its signer: “Guys: Bob and Cleo”.

    `came` are the substitutes on the card. If a substitute signed, the name is “Ada: Ben”.
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
    """Return the scorekeeper's signature. Cards posted before this signature was required do not need it."""
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
