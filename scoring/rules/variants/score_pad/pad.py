"""A score pad: what is written down in one of the many games that need no sheet of their own.

A game that is not in the book is played on the same pad, with rounds and target set by the director.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from scoring.rules.book.options import OptionValue
from scoring.rules.variants.table_draw import TableDraw
from tournament.said import worded

ELECTED_KEEPER: Final = worded("The scorekeeper is elected or volunteers.")
RANDOM_DEALER: Final = TableDraw(
    rule=worded("Metzker Book, General Rules"),
    ask=worded("Choose the first dealer."),
    name=worded("the choice of the first dealer"),
    words=worded("The first dealer is chosen at random. The deal then goes around the table."),
    keeper=ELECTED_KEEPER,
)
"""Unless the rules of a game say it differently."""
HIGH_WINS: Final = "high"
LOW_WINS: Final = "low"


@dataclass(frozen=True, slots=True)
class PadRound:
    """A round: its name and what it asks for (“2 sets of 4”, “3s are wild”).

    `total` is the points that are in it, where they are fixed; `swept` what all others get if one side takes them all
    and scores nothing.
    """

    name: str
    asks: str = ""
    total: int | None = None
    swept: int | None = None

    def comes_to(self, points: Iterable[int]) -> bool:
        """Whether the points of all sides are what is in the round.

        >>> hearts = PadRound("", "pass left", 26, 26)
        >>> hearts.comes_to([13, 9, 4, 0]), hearts.comes_to([26, 0, 26, 26]), hearts.comes_to([13, 9, 4, 1])
        (True, True, False)
        """
        least, *others = sorted(points)
        is_swept = self.swept is not None and least == 0 and set(others) == {self.swept}
        return self.total is None or least + sum(others) == self.total or is_swept


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad:
    """One game of the book as its pad needs it.

    `rounds` are played once each; `turns` come round again and again (Hearts: which way cards are passed); `steps` is
    what each side does in turn at its own pace (Desert Rummy). `sides`: the fewest and the most that play, teams where
    it is a game of partners. `target`, `losing_total`, `back_to_zero`: when it is over, as the options of `score-pad`
    have it. `unit`: all points are multiples of it. `counts` is what the cards and feats are worth, as printed.
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
    wild: str = ""
    counts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    draw: TableDraw = RANDOM_DEALER
    """What decides who begins."""

    @property
    def source(self) -> str:
        """
        >>> from scoring.rules.variants.score_pad.pads import pad
        >>> pad("hearts").source
        'Metzker Book of Card Game Rules 2026, page 11'
        """
        if "–" in self.page:
            return worded("Metzker Book of Card Game Rules 2026, pages %(pages)s", pages=self.page)
        return worded("Metzker Book of Card Game Rules 2026, page %(page)s", page=self.page)

    def options(self) -> dict[str, OptionValue]:
        """The options of `score-pad` that play it: a whole rule set, every one named."""
        return {
            "game": self.name,
            "rounds": [each.name for each in self.rounds],
            "wins": self.wins,
            "target": self.target,
            "losing_total": self.losing_total,
            "back_to_zero": self.back_to_zero,
        }

    def round_at(self, place: int) -> PadRound | None:
        """The round at that place, from 0; None where nothing is fixed for it.

        >>> from scoring.rules.variants.score_pad.pads import pad
        >>> pad("arizona-rummy").round_at(1).asks, pad("hearts").round_at(4).asks, pad("euchre").round_at(0)
        ('deal 4, 4s are wild', 'pass left', None)
        """
        if self.turns:
            return self.turns[place % len(self.turns)]
        return self.rounds[place] if place < len(self.rounds) else None
