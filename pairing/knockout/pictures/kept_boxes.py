"""Boxes of matches are written once: the name of what is kept has all that a box shows, so none is ever old."""

from collections.abc import Callable, Hashable
from typing import Final
from weakref import WeakKeyDictionary

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.progress import MatchView, Side
from pairing.knockout.selectors import Board

MOST: Final = 50_000
"""Boxes kept in one process: a bracket of 256 shows a thousand, and each result makes a few new ones."""
_written: dict[Hashable, SafeString] = {}
_shown_of: WeakKeyDictionary[Board, dict[str, tuple[Hashable, ...]]] = WeakKeyDictionary()


def kept_box(
    board: Board, view: MatchView, me: int | None, place: tuple[Hashable, ...], write: Callable[[], SafeString]
) -> SafeString:
    """What `write` gives for this match as it stands; `place` is all that it depends on besides, `me` who looks on."""
    mine = me if me in view.entries else None
    name = (place, mine, get_language(), _shown_once(board, view))
    written = _written.get(name)
    if written is None:
        if len(_written) >= MOST:
            _written.clear()
        written = _written[name] = write()
    return written


def _shown_once(board: Board, view: MatchView) -> tuple[Hashable, ...]:
    """A match stands in the list and in the picture, and its board is kept for other pages."""
    of_board = _shown_of.setdefault(board, {})
    if view.match.id not in of_board:
        of_board[view.match.id] = _shown(board, view)
    return of_board[view.match.id]


def _shown(board: Board, view: MatchView) -> tuple[Hashable, ...]:
    ident, outcome = view.match.id, view.outcome
    credits = outcome.credits if outcome is not None else {}
    names, played_by = board.names, board.played_by.get(ident, board.names)
    return (
        ident,
        _side(view.sides[0]),
        _side(view.sides[1]),
        view.is_needed,
        (view.winner, tuple(credits.items()), outcome is not None),
        tuple((names.get(number), played_by.get(number)) for number in (*view.entries, *credits)),
        tuple(board.spell(played_by.get(number, "")) for number in view.entries) if board.spelled else (),
        tuple(board.scores.get(ident, {}).items()),
        (board.tables.get(ident), ident in board.begun, ident in board.corrected),
        (board.digits, board.has_two_lives),
    )


def _side(side: Side) -> tuple[Hashable, ...]:
    """In plain values: a bracket is looked up a thousand times, and dataclasses are slow to hash."""
    source = side.source
    comes = source.number if isinstance(source, DrawnSide) else source.match
    return (type(source).__name__, comes, side.entry, side.vacant, side.kept, side.instead_of)
