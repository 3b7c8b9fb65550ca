"""The data of a score pad: a game's rounds, and checks for points that are impossible under its rules.

Games that are not in the book use the same pad, with rounds and a target set by the director.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from scoring.rules.book.options import OptionValue
from scoring.rules.variants.variant import TableDraw
from tournament.lazy_text import join_texts, join_with_or, lazy_text

ELECTED_SCOREKEEPER_TEXT: Final = lazy_text("The scorekeeper is elected or volunteers.")
RANDOM_DEALER_DRAW: Final = TableDraw(
    rule=lazy_text("Metzker Book, General Rules"),
    instruction=lazy_text("Choose the first dealer."),
    name=lazy_text("the choice of the first dealer"),
    words=lazy_text("The first dealer is chosen at random. The deal then goes around the table."),
    keeper=ELECTED_SCOREKEEPER_TEXT,
)
"""The draw for games whose rules do not say who begins: the first dealer is chosen at random."""
HIGH_WINS: Final = "high"
LOW_WINS: Final = "low"


class BidKind(StrEnum):
    """The kind of bids recorded on the pad, if any."""

    NONE = ""
    EACH = "each"
    """Each side bids how many tricks it will take (Oh Hell!)."""
    HIGHEST = "highest"
    """The highest bidder has to score as many points as it bid (500 Rummy)."""


class ScoringSideLimit(StrEnum):
    """The number of sides that can score in a round."""

    ANY = ""
    SOMEBODY = "somebody"
    """One side or more scores."""
    NOT_ALL = "not all"
    """One side or more, such as the side that went out, scores 0."""
    ALL_BUT_ONE = "all but one"
    """Exactly one side scores 0."""


@dataclass(frozen=True, slots=True)
class PadRound:
    """A round on the pad, with its name and its task (“2 sets of 4”, “3s are wild”).

    `total` is the sum of all points in the round, if the sum is fixed. A side that takes everything scores 0, and all
    others score `points_if_swept`. If `unit` is set, all points in the round are multiples of `unit`. `is_signed`
    allows negative points. `unit` and `is_signed` override the game's own settings. `cards` is the number of cards
    dealt to each side, in games with bids for tricks.
    """

    name: str
    task: str = ""
    total: int | None = None
    points_if_swept: int | None = None
    unit: int | None = None
    is_signed: bool = False
    cards: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PadLine:
    """A recorded round with each side's points.

    `round` is the round's name, if it was recorded. `won_by` is the side that won the whole game in this round,
    regardless of points. `bids` contains each side's bid in tricks. `bid` is the highest bid, made by the side
    `bid_by`.
    """

    points: Mapping[str, int]
    round: str | None = None
    won_by: str | None = None
    bids: Mapping[str, int] = field(default_factory=dict)
    bid: int | None = None
    bid_by: str | None = None
    no_trump: bool = False


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A recorded round, its position on the sheet (`place`, starting at 0), and the totals `before` it.

    `by_the_book` is True if the sheet has exactly the rounds that the rule book lists for the game, in the same order.
    The round is then also at position `place` in the book.
    """

    line: PadLine
    round: PadRound
    place: int
    before: Mapping[str, int]
    by_the_book: bool


RoundFault = tuple[str, str]
"""A warning about impossible points: its code and its message."""
RoundCheck = Callable[[PlayedRound], Iterator[RoundFault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePadGame:
    """A game from the book, as the data that its score pad needs.

    `rounds` are played once each. `turns` repeat until the game ends (Hearts: the direction of the pass). `steps` are
    tasks that each side completes at its own pace (Desert Rummy). `sides` is the minimum and maximum number of sides.
    `counts` lists point values to print, such as the values of cards.

    The game ends when a side's total reaches `target` or falls to `losing_total`. If `back_to_zero` is True, a side
    that has reached `target` plays back down instead, and wins at zero or less.

    The other fields define which points are possible in a round. Impossible points cause a warning
    (`find_round_faults`):

    - Points are multiples of `unit`, from `lowest` to `highest` (None for no limit).
    - If `allowed_points` is not empty, each side's points must be one of the values in it.
    - All positive points of the round add up to at most `max_points_in_all`.
    - `scoring_side_limit` is the permitted number of sides that score, and `scoring_side_warning` is the warning if it
      does not match.
    - `check` is a further check that only this game needs.
    """

    name: str
    title: str
    page: str
    players: str
    wins: str
    sides: tuple[int, int] = (2, 12)
    rounds: tuple[PadRound, ...] = ()
    turns: tuple[PadRound, ...] = ()
    steps: tuple[str, ...] = ()
    target: int | None = None
    losing_total: int | None = None
    back_to_zero: bool = False
    unit: int = 1
    lowest: int | None = 0
    highest: int | None = None
    allowed_points: tuple[int, ...] = ()
    max_points_in_all: int | None = None
    scoring_side_limit: ScoringSideLimit = ScoringSideLimit.ANY
    scoring_side_warning: str = ""
    bidding: BidKind = BidKind.NONE
    check: RoundCheck | None = None
    wild: str = ""
    counts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    draw: TableDraw = RANDOM_DEALER_DRAW
    """The draw that determines who begins."""

    @property
    def source(self) -> str:
        """The book and the pages that describe the game.

        >>> from scoring.rules.variants.score_pad.pads import SCORE_PAD_GAMES
        >>> SCORE_PAD_GAMES["hearts"].source
        'Metzker Book of Card Game Rules 2026, page 11'
        """
        if "–" in self.page:
            return lazy_text("Metzker Book of Card Game Rules 2026, pages %(pages)s", pages=self.page)
        return lazy_text("Metzker Book of Card Game Rules 2026, page %(page)s", page=self.page)

    def make_options(self) -> dict[str, OptionValue]:
        """Return the complete `score-pad` options for this game."""
        return {
            "game": self.name,
            "rounds": [each.name for each in self.rounds],
            "wins": self.wins,
            "target": self.target,
            "losing_total": self.losing_total,
            "back_to_zero": self.back_to_zero,
        }

    def find_round(self, place: int) -> PadRound | None:
        """Return the round at this position (counted from 0), or None if the game has no fixed round there.

        >>> from scoring.rules.variants.score_pad.pads import SCORE_PAD_GAMES
        >>> [SCORE_PAD_GAMES[name].find_round(1).task for name in ("arizona-rummy", "hearts")]
        ['deal 4, 4s are wild', 'pass right']
        >>> SCORE_PAD_GAMES["euchre"].find_round(0) is None
        True
        """
        if self.turns:
            return self.turns[place % len(self.turns)]
        return self.rounds[place] if place < len(self.rounds) else None


# --- Impossible points -----------------------------------------------------------------------------------------------
# The points of a round that the book excludes cause a warning that a reason can override.


def find_round_faults(pad: ScorePadGame, played: PlayedRound) -> Iterator[RoundFault]:
    points = played.line.points
    least, *others = sorted(points.values())
    swept = played.round.points_if_swept
    if swept is None or least or set(others) != {swept}:
        yield from _check_total(played.round, points)
        yield from _check_points_by_side(pad, played.round, points)
    if pad.max_points_in_all is not None and sum(each for each in points.values() if each > 0) > pad.max_points_in_all:
        yield (
            "points-too-high",
            lazy_text("All cards together are only %(most)s points in this game.", most=f"{pad.max_points_in_all:,}"),
        )
    zeros = sum(not each for each in points.values())
    if (
        (pad.scoring_side_limit is ScoringSideLimit.SOMEBODY and zeros == len(points))
        or (pad.scoring_side_limit is ScoringSideLimit.NOT_ALL and not zeros)
        or (pad.scoring_side_limit is ScoringSideLimit.ALL_BUT_ONE and zeros != 1)
    ):
        yield "who-scores", pad.scoring_side_warning
    if pad.bidding is not BidKind.NONE and not played.line.bids and played.line.bid is None:
        yield "no-bid", lazy_text("No bid is recorded. The bids are written down before play.")
    if pad.check is not None:
        yield from pad.check(played)


def _check_total(played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    """Warn if the points do not add up to the round's total, or if a side that took everything does not score 0."""
    if played.total is None:
        return
    taker = next((side for side, each in points.items() if each == played.total), None)
    in_all = sum(points.values())
    if in_all != played.total:
        yield (
            "round-total",
            lazy_text(
                "The points in this round are %(total)s in all, not %(values)s.", total=played.total, values=in_all
            ),
        )
    elif played.points_if_swept is not None and taker is not None:
        message = lazy_text(
            "%(side)s took everything in this round. That scores 0 for %(side)s and %(swept)s for everyone else.",
            side=taker,
            swept=played.points_if_swept,
        )
        yield "took-everything", message


def _check_points_by_side(pad: ScorePadGame, played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    unit = played.unit or pad.unit
    odd = [side for side, each in points.items() if each % unit]
    if odd:
        message = lazy_text(
            "The points here are multiples of %(unit)s. Check %(sides)s.", unit=unit, sides=format_side_names(odd)
        )
        yield "odd-points", message
    lowest = None if played.is_signed else pad.lowest
    low = [side for side, each in points.items() if lowest is not None and each < lowest]
    if low:
        text = lazy_text(
            "Nobody can score less than %(lowest)s here. Check %(sides)s.", lowest=lowest, sides=format_side_names(low)
        )
        yield "points-too-low", text
    high = [side for side, each in points.items() if pad.highest is not None and each > pad.highest]
    if high:
        text = lazy_text(
            "Nobody can score more than %(highest)s here. Check %(sides)s.",
            highest=pad.highest,
            sides=format_side_names(high),
        )
        yield "points-too-high", text
    other = [
        side
        for side, each in points.items()
        if pad.allowed_points and each not in pad.allowed_points and side not in low
    ]
    if other:
        text = lazy_text(
            "A side scores %(points)s in a round. Check %(sides)s.",
            points=join_with_or([str(each) for each in pad.allowed_points]),
            sides=format_side_names(other),
        )
        yield "no-such-points", text


def format_side_names(sides: Sequence[str]) -> str:
    return join_texts(", ", list(sides))
