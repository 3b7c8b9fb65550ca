"""A score pad: the rounds of a game that needs no sheet of its own, and the line that records one of them.

A game that is not in the book is played on the same pad, with rounds and target set by the director.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
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


class Bidding(StrEnum):
    """The kind of bidding in a game. It decides the bids that the pad records."""

    NONE = ""
    EACH = "each"
    """Every side bids how many tricks it will take (Oh Hell!)."""
    HIGHEST = "highest"
    """The highest bidder plays for the points of the bid (500 Rummy)."""


class Scorers(StrEnum):
    """The number of sides that can score in a round."""

    ANY = ""
    SOMEBODY = "somebody"
    """At least one side scores."""
    NOT_ALL = "not all"
    """At least one side scores 0: the one that went out."""
    ALL_BUT_ONE = "all but one"
    """Exactly one side scores 0."""


@dataclass(frozen=True, slots=True)
class PadRound:
    """A round: its name and what it asks for (“2 sets of 4”, “3s are wild”).

    `total` is the points that are in it, where they are fixed. `swept` is what every other side scores if one side
    takes them all and scores 0. `unit` is what its points are multiples of, where that differs from the rest of the
    game. `is_signed`: points below zero are possible in it, though not in the rest of the game. `cards` is the number
    of cards dealt to each side, where tricks are bid for.
    """

    name: str
    asks: str = ""
    total: int | None = None
    swept: int | None = None
    unit: int | None = None
    is_signed: bool = False
    cards: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PadLine:
    """A recorded round: every side's points as written down.

    `round` is its name where it is recorded. `won_by` is the side that won the game with it other than by points.
    `bids` are the tricks that each side bid. `bid` is the highest bid, by the side `bid_by`.
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
    """A recorded round beside the sheet it was written on: `place` from 0, and the totals `before` it.

    `by_the_book`: the pad has the book's own rounds, so that `place` says which one it was.
    """

    line: PadLine
    round: PadRound
    place: int
    before: Mapping[str, int]
    by_the_book: bool


RoundFault = tuple[str, str]
"""Why the points of a round cannot come about: the code of the warning, and a sentence."""
RoundCheck = Callable[[PlayedRound], Iterator[RoundFault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad:
    """One game of the book as its pad needs it.

    `rounds` are played once each; `turns` come round again and again (Hearts: which way cards are passed); `steps` is
    what each side does in turn at its own pace (Desert Rummy). `sides`: the fewest and the most that play, teams where
    it is a game of partners. `target`, `losing_total`, `back_to_zero`: when it is over, as the options of `score-pad`
    have it. `counts` is what the cards and feats are worth, as printed.

    What the book leaves no room for warns (`pad_faults.py`): all points are multiples of `unit`, from `lowest` to
    `highest` (None: any) or one of `only`; the points above zero are `most_in_all` at most; `scorers` sides score, as
    the sentence `why_scorers` says; and the game's own `check`. `bidding`: the bids that are recorded.
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
    only: tuple[int, ...] = ()
    most_in_all: int | None = None
    scorers: Scorers = Scorers.ANY
    why_scorers: str = ""
    bidding: Bidding = Bidding.NONE
    check: RoundCheck | None = None
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
