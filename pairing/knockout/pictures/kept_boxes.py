"""A cache of rendered match boxes. Its key contains everything that a box shows, so no entry is ever stale."""

from collections.abc import Callable, Hashable
from typing import Final
from weakref import WeakKeyDictionary

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.progress import MatchView, Side
from pairing.knockout.selectors import Board

MOST: Final = 50_000
"""The most boxes cached in a process. A bracket of 256 shows about a thousand, and each result adds a few."""
_written: dict[Hashable, SafeString] = {}
_shown_of: WeakKeyDictionary[Board, dict[str, tuple[Hashable, ...]]] = WeakKeyDictionary()


def kept_box(
    board: Board, view: MatchView, me: int | None, place: tuple[Hashable, ...], write: Callable[[], SafeString]
) -> SafeString:
    """Return the cached box of this match, or render it with `write`.

    `place` has everything else that the box depends on. `me` is the viewing entrant.
    """
    mine = me if me in view.entries else None
    name = (place, mine, get_language(), _shown_once(board, view))
    written = _written.get(name)
    if written is None:
        if len(_written) >= MOST:
            _written.clear()
        written = _written[name] = write()
    return written


def _shown_once(board: Board, view: MatchView) -> tuple[Hashable, ...]:
    """Return the match's part of the key, computed once for each board. List and picture both need it."""
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
    """Return the side in plain values, because brackets need it thousands of times and dataclasses hash slowly."""
    source = side.source
    comes = source.number if isinstance(source, DrawnSide) else source.match
    return (type(source).__name__, comes, side.entry, side.vacant, side.kept, side.instead_of)
