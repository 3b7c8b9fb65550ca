"""Boxes of matches are written once: the name of what is kept has all that a box shows, so none is ever old."""

from collections.abc import Callable, Hashable

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from pairing.draws.knockout.progress import MatchView
from pairing.knockout.selectors import Board
from tournament.core.folded import folded


def kept_box(
    board: Board, view: MatchView, me: int | None, place: tuple[Hashable, ...], write: Callable[[], SafeString]
) -> SafeString:
    """What `write` gives for this match as it stands; `place` is all that it depends on besides, `me` who looks on."""
    mine = me if me in view.entries else None
    return folded(0, (), {}, (*place, mine, get_language(), *_shown(board, view)), write)


def _shown(board: Board, view: MatchView) -> tuple[Hashable, ...]:
    ident, outcome = view.match.id, view.outcome
    credits = outcome.credits if outcome is not None else {}
    numbers = (*view.entries, *credits)
    played_by = board.played_by.get(ident, board.names)
    return (
        view.match,
        view.sides,
        view.is_needed,
        (view.winner, tuple(credits.items()), outcome is not None),
        tuple((board.names.get(number), played_by.get(number)) for number in numbers),
        tuple(board.scores.get(ident, {}).items()),
        (board.tables.get(ident), ident in board.begun, ident in board.corrected),
        (board.digits, board.has_two_lives),
    )
