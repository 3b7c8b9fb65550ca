"""The settlement of a gin game besides its points: boxes, the game bonus, a shutout. It never decides the winner.

Source: CONTRACTS.md, tally, `settlement`: “each side's total (the winner's doubled in a shutout) + box_bonus × hands it
won (an undercut is one) + game_bonus for the winner”. Only the total is doubled, not the bonuses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scoring.rules.book.layout import Cell, LineCells, Mark
from scoring.rules.hand.terms import GinTerms
from scoring.rules.variants.variant import SheetStanding
from tournament.said import worded, worded_plural


@dataclass(frozen=True, slots=True)
class GinStanding(SheetStanding):
    """The totals and the boxes, which are the hands won by each side. A hand worth no points is nobody's."""

    boxes: Mapping[str, int] = field(default_factory=dict)


def settle(standing: GinStanding, terms: GinTerms) -> dict[str, int] | None:
    """Return what each side is paid for a complete game, or None while it is open."""
    if standing.winner is None:
        return None
    bonuses = settlement_items(standing, terms).values()
    return {side: total + sum(item[side] for item in bonuses) for side, total in standing.totals.items()}


def settlement_items(standing: GinStanding, terms: GinTerms) -> dict[str, dict[str, int]]:
    """Return the payments besides the points, by the labels of the sheet's foot. An open game has only its boxes."""
    items = {}
    if terms.shutout_doubles:
        items[worded("Shutout")] = {s: t if _has_shut_out(standing, s) else 0 for s, t in standing.totals.items()}
    if terms.box_bonus:
        items[worded("Boxes, %(bonus)s each", bonus=terms.box_bonus)] = {
            s: terms.box_bonus * n for s, n in standing.boxes.items()
        }
    if terms.game_bonus:
        items[worded("Game")] = {side: terms.game_bonus if side == standing.winner else 0 for side in standing.totals}
    return items


def foot_of_game(standing: GinStanding, terms: GinTerms, *, written: bool) -> tuple[LineCells, ...]:
    """Return the settlement under a sheet with hand, up card, outcome, and points and total of each side.

    `written` means that it is filled in by pencil.
    """
    sides = tuple(standing.totals)
    lines = [_foot_line(worded("Boxes"), [box_cell(standing.boxes[side], written=written) for side in sides])]
    if written or standing.complete:
        for words, amounts in settlement_items(standing, terms).items():
            lines.append(_foot_line(words, [amount_cell(amounts[side], written=written) for side in sides]))
        paid = settle(standing, terms) or dict.fromkeys(sides, 0)
        cells = [amount_cell(paid[side], written=written, strong=True) for side in sides]
        lines.append(_foot_line(worded("Settlement"), cells))
    return tuple(lines)


def box_cell(boxes: int, *, written: bool) -> Cell:
    """Return the boxes of a side as a circled count."""
    if written or not boxes:
        return Cell(numeric=True, write=written)
    return Cell(
        text=str(boxes),
        numeric=True,
        mark=Mark.BOX,
        why=worded_plural("%(number)s hand won", "%(number)s hands won", boxes),
    )


def amount_cell(amount: int, *, written: bool, strong: bool = False) -> Cell:
    return Cell(text="" if written else str(amount), numeric=True, strong=strong, write=written)


def _foot_line(words: str, cells: Sequence[Cell]) -> LineCells:
    """Return a line of the foot, with every amount under its side's total."""
    return LineCells((Cell(text=words, span=3), *(cell for amount in cells for cell in (Cell(), amount))))


def _has_shut_out(standing: GinStanding, side: str) -> bool:
    return side == standing.winner and not any(t for other, t in standing.totals.items() if other != side)
