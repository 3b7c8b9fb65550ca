"""Impossible points in a round of the book's games. They cause a warning that a reason can override.

The fixed facts of a game are data on its pad and rounds. Some games need a check of their own. Such checks ask who
took the queen of spades, which tricks are left for a missed bid, or what a bid of 70 can score.

Source: Metzker Book of Card Game Rules 2026, the page of each game.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scoring.rules.variants.score_pad.pad import Bidding, Pad, PadLine, PadRound, PlayedRound, RoundFault, Scorers
from tournament.said import either, joined, worded, worded_plural

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


def find_faults(pad: Pad, played: PlayedRound) -> Iterator[RoundFault]:
    """Yield a fault for each reason why the book excludes this round."""
    points = played.line.points
    if not _is_swept(played.round, points):
        yield from _check_total(played.round, points)
        yield from _check_each(pad, played.round, points)
    if pad.most_in_all is not None and sum(each for each in points.values() if each > 0) > pad.most_in_all:
        yield (
            "points-too-high",
            worded("All cards together are only %(most)s points in this game.", most=f"{pad.most_in_all:,}"),
        )
    zeros = sum(not each for each in points.values())
    if (
        (pad.scorers is Scorers.SOMEBODY and zeros == len(points))
        or (pad.scorers is Scorers.NOT_ALL and not zeros)
        or (pad.scorers is Scorers.ALL_BUT_ONE and zeros != 1)
    ):
        yield "who-scores", pad.why_scorers
    if pad.bidding is not Bidding.NONE and not played.line.bids and played.line.bid is None:
        yield "no-bid", worded("No bid is recorded. The bids are written down before play.")
    if pad.check is not None:
        yield from pad.check(played)


def _is_swept(played: PadRound, points: Mapping[str, int]) -> bool:
    """Return whether one side took everything, and the points are written down as the book requires in that case."""
    least, *others = sorted(points.values())
    return played.swept is not None and least == 0 and set(others) == {played.swept}


def _check_total(played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    """Check that the points of all sides add up to the round's total, and that a side that took everything scores 0."""
    if played.total is None:
        return
    taker = next((side for side, each in points.items() if each == played.total), None)
    in_all = sum(points.values())
    if in_all != played.total:
        yield (
            "round-total",
            worded("The points in this round are %(total)s in all, not %(values)s.", total=played.total, values=in_all),
        )
    elif played.swept is not None and taker is not None:
        message = worded(
            "%(side)s took everything in this round. That scores 0 for %(side)s and %(swept)s for everyone else.",
            side=taker,
            swept=played.swept,
        )
        yield "took-everything", message


def _check_each(pad: Pad, played: PadRound, points: Mapping[str, int]) -> Iterator[RoundFault]:
    unit = played.unit or pad.unit
    odd = [side for side, each in points.items() if each % unit]
    if odd:
        message = worded("The points here are multiples of %(unit)s. Check %(sides)s.", unit=unit, sides=_list(odd))
        yield "odd-points", message
    lowest = None if played.is_signed else pad.lowest
    low = [side for side, each in points.items() if lowest is not None and each < lowest]
    if low:
        text = worded("Nobody can score less than %(lowest)s here. Check %(sides)s.", lowest=lowest, sides=_list(low))
        yield "points-too-low", text
    high = [side for side, each in points.items() if pad.highest is not None and each > pad.highest]
    if high:
        text = worded(
            "Nobody can score more than %(highest)s here. Check %(sides)s.", highest=pad.highest, sides=_list(high)
        )
        yield "points-too-high", text
    other = [side for side, each in points.items() if pad.only and each not in pad.only and side not in low]
    if other:
        text = worded(
            "A side scores %(points)s in a round. Check %(sides)s.",
            points=either([str(each) for each in pad.only]),
            sides=_list(other),
        )
        yield "no-such-points", text


def check_queen(played: PlayedRound) -> Iterator[RoundFault]:
    """Check Hearts: the player who took the queen of spades has at least her 13 points."""
    if sum(played.line.points.values()) == played.round.total and max(played.line.points.values()) < QUEEN_OF_SPADES:
        yield (
            "queen-of-spades",
            worded("Somebody took the queen of spades and has at least 13 points. Nobody has so many."),
        )


def check_first_meld(played: PlayedRound) -> Iterator[RoundFault]:
    """Check Dice: nothing counts before a side has thrown 1,000 in one turn."""
    short = [side for side, each in played.line.points.items() if not played.before[side] and 0 < each < FIRST_MELD]
    if short:
        message = worded("The first score of a player is 1,000 or more. Check %(sides)s.", sides=_list(short))
        yield "first-meld", message


def check_quarters(played: PlayedRound) -> Iterator[RoundFault]:
    """Check Thirty One: only the player who knocked can lose two quarters."""
    if sum(each > 1 for each in played.line.points.values()) > 1:
        yield "two-knocked", worded("Only the player who knocked can lose 2 quarters.")


def check_cents(played: PlayedRound) -> Iterator[RoundFault]:
    """Check Saskatchewan Rummy: all tricks and hearts are paid for, and PayDay pays out the pot."""
    if not played.by_the_book:
        return
    paid = sum(played.line.points.values())
    fitting = cents_paid(played.place, len(played.line.points))
    if fitting and paid not in fitting:
        cents = either([str(each) for each in fitting])
        text = worded("All players together pay %(cents)s cents here, not %(paid)s.", cents=cents, paid=paid)
        yield "round-total", text
    left = sum(played.before.values()) + paid
    if played.round.is_signed and left:
        text = worded("PayDay pays out all that was paid in. The totals add up to 0 then, not to %(left)s.", left=left)
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


def check_bids(played: PlayedRound) -> Iterator[RoundFault]:
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
        text = worded_plural(
            "With %(number)s card a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            "With %(number)s cards a player scores 0, or the bid with a 1 in front: %(least)s to %(most)s. "
            "Check %(sides)s.",
            cards,
            least=scores[0],
            most=scores[cards]
            if cards < 10
            else worded("19, or %(made)s for a bid of %(bid)s", made=scores[10], bid=10),
            sides=_list(wrong),
        )
        yield "no-such-points", text
    high = [side for side, bid in bids.items() if bid > cards]
    if high:
        yield (
            "bid-too-high",
            worded_plural(
                "Nobody can bid more than the %(number)s card dealt. Check %(sides)s.",
                "Nobody can bid more than the %(number)s cards dealt. Check %(sides)s.",
                cards,
                sides=_list(high),
            ),
        )
    for side, bid in bids.items():
        if bid <= cards and points[side] in bid_of and points[side] != scores[bid]:
            text = worded(
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
            worded("The bids add up to the %(cards)s cards dealt. The dealer may not bid so.", cards=cards),
        )
    elif not wrong:
        yield from _check_tricks(cards, {side: bid_of[each] for side, each in points.items() if each}, played.line)


def _check_tricks(cards: int, made: Mapping[str, int], line: PadLine) -> Iterator[RoundFault]:
    """Check that the tricks of the round are possible. `made` are the bids of the sides that score."""
    left = cards - sum(made.values())
    missed = [side for side in line.points if side not in made]
    if left < 0:
        text = worded(
            "The bids that score are %(bid)s tricks together. Only %(cards)s were played.",
            bid=cards - left,
            cards=cards,
        )
        yield "too-many-tricks", text
    elif not missed and (cards > 1 or left):
        yield (
            "everybody-made-it",
            worded("Not everybody can make the bid here: the bids may not add up to the cards dealt.")
            if cards > 1
            else worded("There is one trick, so the bids of players who all score add up to 1."),
        )
    elif missed and not _can_miss(left, [line.bids.get(side) for side in missed]):
        text = worded_plural(
            "%(number)s trick is left for %(sides)s. However it falls, one of them makes the bid.",
            "%(number)s tricks are left for %(sides)s. However they fall, one of them makes the bid.",
            left,
            sides=_list(missed),
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


def check_highest_bid(played: PlayedRound) -> Iterator[RoundFault]:
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
            yield "not-the-bid", worded("There is no bid by which the two teams score so. A hand has 125 points.")
        return
    if line.bid < LEAST_BID or line.bid % BID_STEP:
        yield "bid-too-low", worded("The least bid is 60, and bids go up by 5. %(bid)s is recorded.", bid=line.bid)
    if line.bid > IN_THE_HAND:
        yield "bid-too-high", worded("A hand has 125 points. Nobody can make a bid of %(bid)s.", bid=line.bid)
    by = line.bid_by or sides[0]
    other = next(side for side in sides if side != by)
    scores = _scores_of(by, line.bid, no_trump=line.no_trump, played=played)
    if not scores:
        text = worded(
            "%(other)s did not bid and scores what it took: 125 at most, and up to 495 in all. Check %(other)s.",
            other=other,
        )
        yield "points-too-high", text
    elif line.points[by] not in scores:
        text = worded(
            "%(by)s bid %(bid)s, and %(other)s scored %(taken)s. So %(by)s scores %(scores)s, not %(points)s.",
            by=by,
            bid=line.bid,
            other=other,
            taken=line.points[other],
            scores=either([_signed(each) for each in scores]),
            points=_signed(line.points[by]),
        )
        yield "not-the-bid", text


def _scores_of(by: str, bid: int, *, no_trump: bool, played: PlayedRound) -> tuple[int, ...]:
    """Return the scores that the bidding team can have beside the other team's points."""
    other = next(side for side in played.line.points if side != by)
    most = max(0, MOST_WITHOUT_BID - played.before[other])
    scores: dict[int, None] = {}
    for taken in range(0, IN_THE_HAND + 1, BID_STEP):
        if min(taken, most) == played.line.points[other]:
            own = IN_THE_HAND - taken
            scores[(own + NO_TRUMP_BONUS * no_trump) if own >= bid else -bid] = None
    return tuple(scores)


def _list(sides: Sequence[str]) -> str:
    return joined(", ", list(sides))


def _signed(points: int) -> str:
    return str(points).replace("-", "−")
