"""A score pad: the rounds of a game that needs no sheet of its own, and the points that are impossible in a round.

A game outside the book uses the same pad, with rounds and target set by the director.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from scoring.rules.book.options import OptionValue
from scoring.rules.variants.variant import TableDraw
from tournament.lazy_text import join_texts, join_with_or, lazy_plural, lazy_text

ELECTED_KEEPER: Final = lazy_text("The scorekeeper is elected or volunteers.")
RANDOM_DEALER: Final = TableDraw(
    rule=lazy_text("Metzker Book, General Rules"),
    ask=lazy_text("Choose the first dealer."),
    name=lazy_text("the choice of the first dealer"),
    words=lazy_text("The first dealer is chosen at random. The deal then goes around the table."),
    keeper=ELECTED_KEEPER,
)
"""The draw of every game whose rules do not say otherwise."""
HIGH_WINS: Final = "high"
LOW_WINS: Final = "low"


class Bidding(StrEnum):
    """The kind of bidding in a game. It decides which bids the pad records."""

    NONE = ""
    EACH = "each"
    """Every side bids how many tricks it will take (Oh Hell!)."""
    HIGHEST = "highest"
    """The highest bidder plays for the points of the bid (500 Rummy)."""


class Scorers(StrEnum):
    """The number of sides that can score in a round."""

    ANY = ""
    SOMEBODY = "somebody"
    """One side or more scores."""
    NOT_ALL = "not all"
    """One side or more scores 0: the side that went out."""
    ALL_BUT_ONE = "all but one"
    """Exactly one side scores 0."""


@dataclass(frozen=True, slots=True)
class PadRound:
    """A round of a pad: its name and its task (“2 sets of 4”, “3s are wild”).

    `total` is the sum of the points in the round, if it is fixed. `swept` is the score of every other side if one side
    takes everything and scores 0. `unit` is the unit of its points, if it differs from the rest of the game.
    `is_signed` allows points below zero, even if the rest of the game does not. `cards` is the number of cards dealt to
    each side, if tricks are bid.
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

    `round` is its name, if recorded. `won_by` is the side that won the game in this round by other means than points.
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
class RoundInContext:
    """A recorded round with its context: its `place` on the sheet from 0, and the totals `before` it.

    `by_the_book` means that the pad has the book's own rounds, so that `place` identifies the round.
    """

    line: PadLine
    round: PadRound
    place: int
    before: Mapping[str, int]
    by_the_book: bool


RoundFault = tuple[str, str]
"""The reason why the points of a round are impossible: the code of the warning, and a sentence."""
RoundCheck = Callable[[RoundInContext], Iterator[RoundFault]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pad:
    """A game of the book, as its pad needs it.

    `rounds` are played once each. `turns` repeat again and again (Hearts: which way cards are passed). `steps` are
    tasks that each side completes at its own pace (Desert Rummy). `sides` is the least and the greatest number of
    sides, which are teams in a game of partners. `target`, `losing_total` and `back_to_zero` end the game, as in the
    options of `score-pad`. `counts` is the printed worth of cards and feats.

    Points that the book excludes cause a warning (`find_faults`). All points are multiples of `unit`. They are from
    `lowest` to `highest` (None: any), or one of `only`. The points above zero are at most `most_in_all`. The number of
    sides that score is `scorers`, with the reason `why_scorers`. A game can have its own `check`. `bidding` is the kind
    of bids that are recorded.
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
    """The draw that decides who begins."""

    @property
    def source(self) -> str:
        """The pages of the book that describe the game.

        >>> from scoring.rules.variants.score_pad.pads import pad
        >>> pad("hearts").source
        'Metzker Book of Card Game Rules 2026, page 11'
        """
        if "–" in self.page:
            return lazy_text("Metzker Book of Card Game Rules 2026, pages %(pages)s", pages=self.page)
        return lazy_text("Metzker Book of Card Game Rules 2026, page %(page)s", page=self.page)

    def options(self) -> dict[str, OptionValue]:
        """Return the options of `score-pad` that play this game: a complete set, with every option."""
        return {
            "game": self.name,
            "rounds": [each.name for each in self.rounds],
            "wins": self.wins,
            "target": self.target,
            "losing_total": self.losing_total,
            "back_to_zero": self.back_to_zero,
        }

    def round_at(self, place: int) -> PadRound | None:
        """Return the round at a place, from 0, or None if the game has no fixed round there.

        >>> from scoring.rules.variants.score_pad.pads import pad
        >>> pad("arizona-rummy").round_at(1).asks, pad("hearts").round_at(4).asks, pad("euchre").round_at(0)
        ('deal 4, 4s are wild', 'pass left', None)
        """
        if self.turns:
            return self.turns[place % len(self.turns)]
        return self.rounds[place] if place < len(self.rounds) else None


# --- Impossible points -----------------------------------------------------------------------------------------------
# The points of a round that the book excludes cause a warning that a reason can override.

QUEEN_OF_SPADES: Final = 13
FIRST_MELD: Final = 1000
LEAST_BID: Final = 60
BID_STEP: Final = 5
IN_THE_HAND: Final = 125
NO_TRUMP_BONUS: Final = 50
MOST_WITHOUT_BID: Final = 495
DECK: Final = 52
REMOVABLE: Final = 8
"""The number of 2s and 3s, of which some are removed until the hands are equal."""


def find_faults(pad: Pad, played: RoundInContext) -> Iterator[RoundFault]:
    """Yield a fault for each reason why the book excludes this round."""
    points = played.line.points
    least, *others = sorted(points.values())
    swept = played.round.swept
    if swept is None or least or set(others) != {swept}:
        yield from _check_total(played.round, points)
        yield from _check_each(pad, played.round, points)
    if pad.most_in_all is not None and sum(each for each in points.values() if each > 0) > pad.most_in_all:
        yield (
            "points-too-high",
            lazy_text("All cards together are only %(most)s points in this game.", most=f"{pad.most_in_all:,}"),
        )
    zeros = sum(not each for each in points.values())
    if (
        (pad.scorers is Scorers.SOMEBODY and zeros == len(points))
        or (pad.scorers is Scorers.NOT_ALL and not zeros)
        or (pad.scorers is Scorers.ALL_BUT_ONE and zeros != 1)
    ):
        yield "who-scores", pad.why_scorers
    if pad.bidding is not Bidding.NONE and not played.line.bids and played.line.bid is None:
        yield "no-bid", lazy_text("No bid is recorded. The bids are written down before play.")
    if pad.check is not None:
        yield from pad.check(played)


def _check_total(played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    """Check that the points of all sides add up to the round's total, and that a side that took everything scores 0."""
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
    elif played.swept is not None and taker is not None:
        message = lazy_text(
            "%(side)s took everything in this round. That scores 0 for %(side)s and %(swept)s for everyone else.",
            side=taker,
            swept=played.swept,
        )
        yield "took-everything", message


def _check_each(pad: Pad, played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    unit = played.unit or pad.unit
    odd = [side for side, each in points.items() if each % unit]
    if odd:
        message = lazy_text(
            "The points here are multiples of %(unit)s. Check %(sides)s.", unit=unit, sides=_list_sides(odd)
        )
        yield "odd-points", message
    lowest = None if played.is_signed else pad.lowest
    low = [side for side, each in points.items() if lowest is not None and each < lowest]
    if low:
        text = lazy_text(
            "Nobody can score less than %(lowest)s here. Check %(sides)s.", lowest=lowest, sides=_list_sides(low)
        )
        yield "points-too-low", text
    high = [side for side, each in points.items() if pad.highest is not None and each > pad.highest]
    if high:
        text = lazy_text(
            "Nobody can score more than %(highest)s here. Check %(sides)s.",
            highest=pad.highest,
            sides=_list_sides(high),
        )
        yield "points-too-high", text
    other = [side for side, each in points.items() if pad.only and each not in pad.only and side not in low]
    if other:
        text = lazy_text(
            "A side scores %(points)s in a round. Check %(sides)s.",
            points=join_with_or([str(each) for each in pad.only]),
            sides=_list_sides(other),
        )
        yield "no-such-points", text


def check_queen(played: RoundInContext) -> Iterator[RoundFault]:
    """Check Hearts: the player who took the queen of spades has at least her 13 points."""
    if sum(played.line.points.values()) == played.round.total and max(played.line.points.values()) < QUEEN_OF_SPADES:
        yield (
            "queen-of-spades",
            lazy_text("Somebody took the queen of spades and has at least 13 points. Nobody has so many."),
        )


def check_first_meld(played: RoundInContext) -> Iterator[RoundFault]:
    """Check Dice: nothing counts before a side has thrown 1,000 in one turn."""
    short = [side for side, each in played.line.points.items() if not played.before[side] and 0 < each < FIRST_MELD]
    if short:
        message = lazy_text("The first score of a player is 1,000 or more. Check %(sides)s.", sides=_list_sides(short))
        yield "first-meld", message


def check_quarters(played: RoundInContext) -> Iterator[RoundFault]:
    """Check Thirty One: only the player who knocked can lose two quarters."""
    if sum(each > 1 for each in played.line.points.values()) > 1:
        yield "two-knocked", lazy_text("Only the player who knocked can lose 2 quarters.")


def check_cents(played: RoundInContext) -> Iterator[RoundFault]:
    """Check Saskatchewan Rummy: all tricks and hearts are paid for, and PayDay pays out the pot."""
    if not played.by_the_book:
        return
    paid = sum(played.line.points.values())
    fitting = cents_paid(played.place, len(played.line.points))
    if fitting and paid not in fitting:
        cents = join_with_or([str(each) for each in fitting])
        text = lazy_text("All players together pay %(cents)s cents here, not %(paid)s.", cents=cents, paid=paid)
        yield "round-total", text
    left = sum(played.before.values()) + paid
    if played.round.is_signed and left:
        text = lazy_text(
            "PayDay pays out all that was paid in. The totals add up to 0 then, not to %(left)s.", left=left
        )
        yield "pot-left", text


def cents_paid(place: int, sides: int) -> Sequence[int]:
    """Return the cents that all players together can pay for tricks (round 1) or hearts (round 2), else ().

    Some of the 2s and 3s are removed until the hands are equal.

    >>> cents_paid(0, 4), cents_paid(1, 4), cents_paid(2, 4)
    ((55, 60, 65), (55, 60, 65), ())
    """
    if place == 0:
        return tuple(sorted({5 * ((DECK - n) // sides) for n in range(REMOVABLE + 1) if (DECK - n) % sides == 0}))
    return (55, 60, 65) if place == 1 else ()


def check_bids(played: RoundInContext) -> Iterator[RoundFault]:
    """Check Oh Hell!: a made bid scores the bid with a 1 in front, and the dealer keeps the bids from adding up.

    In the one-card round, everybody bids at the same time, so the bids may add up.
    """
    cards = played.round.cards
    if cards is None:
        return
    bids, points = played.line.bids, played.line.points
    scores = {bid: int(f"1{bid}") for bid in range(cards + 1)}
    bid_of = {score: bid for bid, score in scores.items()}
    wrong = [side for side, each in points.items() if each and each not in bid_of]
    if wrong:
        text = lazy_plural(
            "With %(number)s card a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            "With %(number)s cards a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            cards,
            least=scores[0],
            most=scores[cards]
            if cards < 10
            else lazy_text("19, or %(made)s for a bid of %(bid)s", made=scores[10], bid=10),
            sides=_list_sides(wrong),
        )
        yield "no-such-points", text
    high = [side for side, bid in bids.items() if bid > cards]
    if high:
        yield (
            "bid-too-high",
            lazy_plural(
                "Nobody can bid more than the %(number)s card dealt. Check %(sides)s.",
                "Nobody can bid more than the %(number)s cards dealt. Check %(sides)s.",
                cards,
                sides=_list_sides(high),
            ),
        )
    for side, bid in bids.items():
        if bid <= cards and points[side] in bid_of and points[side] != scores[bid]:
            text = lazy_text(
                "%(side)s bid %(bid)s. That scores %(made)s or 0, not %(points)s.",
                side=side,
                bid=bid,
                made=scores[bid],
                points=points[side],
            )
            yield "not-the-bid", text
    if cards > 1 and len(bids) == len(points) and sum(bids.values()) == cards:
        yield (
            "bids-add-up",
            lazy_text("The bids add up to the %(cards)s cards dealt. The dealer may not bid so.", cards=cards),
        )
    elif not wrong:
        yield from _check_tricks(cards, {side: bid_of[each] for side, each in points.items() if each}, played.line)


def _check_tricks(cards: int, made: Mapping[str, int], line: PadLine) -> Iterator[RoundFault]:
    """Check that the tricks of the round are possible. `made` are the bids of the sides that score."""
    left = cards - sum(made.values())
    missed = [side for side in line.points if side not in made]
    if left < 0:
        text = lazy_text(
            "The bids that score are %(bid)s tricks together. Only %(cards)s were played.",
            bid=cards - left,
            cards=cards,
        )
        yield "too-many-tricks", text
    elif not missed and (cards > 1 or left):
        yield (
            "everybody-made-it",
            lazy_text("Not everybody can make the bid here: the bids may not add up to the cards dealt.")
            if cards > 1
            else lazy_text("There is one trick, so the bids of players who all score add up to 1."),
        )
    elif missed and not _can_miss(left, [line.bids.get(side) for side in missed]):
        text = lazy_plural(
            "%(number)s trick is left for %(sides)s. However it falls, one of them makes the bid.",
            "%(number)s tricks are left for %(sides)s. However they fall, one of them makes the bid.",
            left,
            sides=_list_sides(missed),
        )
        yield "bid-was-made", text


def _can_miss(tricks: int, bids: Sequence[int | None]) -> bool:
    """Return whether the tricks can be divided so that no side takes exactly its bid.

    >>> _can_miss(1, [0, 0]), _can_miss(2, [0, 0]), _can_miss(0, [3]), _can_miss(3, [3]), _can_miss(3, [None])
    (False, True, True, False, True)
    """
    if not bids:
        return tricks == 0
    first, *others = bids
    return any(taken != first and _can_miss(tricks - taken, others) for taken in range(tricks + 1))


def check_highest_bid(played: RoundInContext) -> Iterator[RoundFault]:
    """Check 500 Rummy: both teams' points follow from the bid, and from how the 125 points of the hand were divided."""
    line, sides = played.line, tuple(played.line.points)
    if len(sides) != 2:
        return
    if line.bid is None:
        bids = range(LEAST_BID, IN_THE_HAND + 1, BID_STEP)
        possible = any(
            line.points[by] in _scores_of(by, bid, no_trump=no_trump, played=played)
            for by in sides
            for bid in bids
            for no_trump in (False, True)
        )
        if not possible:
            yield "not-the-bid", lazy_text("There is no bid by which the two teams score so. A hand has 125 points.")
        return
    if line.bid < LEAST_BID or line.bid % BID_STEP:
        yield "bid-too-low", lazy_text("The least bid is 60, and bids go up by 5. %(bid)s is recorded.", bid=line.bid)
    if line.bid > IN_THE_HAND:
        yield "bid-too-high", lazy_text("A hand has 125 points. Nobody can make a bid of %(bid)s.", bid=line.bid)
    by = line.bid_by or sides[0]
    other = next(side for side in sides if side != by)
    scores = _scores_of(by, line.bid, no_trump=line.no_trump, played=played)
    if not scores:
        text = lazy_text(
            "%(other)s did not bid and scores what it took: 125 at most, and up to 495 in all. Check %(other)s.",
            other=other,
        )
        yield "points-too-high", text
    elif line.points[by] not in scores:
        text = lazy_text(
            "%(by)s bid %(bid)s, and %(other)s scored %(taken)s. So %(by)s scores %(scores)s, not %(points)s.",
            by=by,
            bid=line.bid,
            other=other,
            taken=line.points[other],
            scores=join_with_or([_format_signed(each) for each in scores]),
            points=_format_signed(line.points[by]),
        )
        yield "not-the-bid", text


def _scores_of(by: str, bid: int, *, no_trump: bool, played: RoundInContext) -> tuple[int, ...]:
    """Return the scores that the bidding team can have beside the other team's points."""
    other = next(side for side in played.line.points if side != by)
    most = max(0, MOST_WITHOUT_BID - played.before[other])
    scores: dict[int, None] = {}
    for taken in range(0, IN_THE_HAND + 1, BID_STEP):
        if min(taken, most) == played.line.points[other]:
            own = IN_THE_HAND - taken
            scores[(own + NO_TRUMP_BONUS * no_trump) if own >= bid else -bid] = None
    return tuple(scores)


def _list_sides(sides: Sequence[str]) -> str:
    return join_texts(", ", list(sides))


def _format_signed(points: int) -> str:
    return str(points).replace("-", "−")
