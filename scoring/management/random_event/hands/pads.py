"""A random round of a score pad, within the rules of the game. On a pad without an end, somebody may win outright."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scoring.management.random_event.dice import Dice
from scoring.rules.sheet.sheets import Sheet, tally
from scoring.rules.variants.score_pad.pad import Bidding, Pad, PadRound, Scorers
from scoring.rules.variants.score_pad.pads import (
    BID_STEP,
    FIRST_MELD,
    IN_THE_HAND,
    LEAST_BID,
    MOST_WITHOUT_BID,
    NO_TRUMP_BONUS,
    QUEEN_OF_SPADES,
    cents_paid,
    check_cents,
)
from scoring.rules.variants.score_pad.variant import PadTerms

ROUNDS_TO_TARGET: Final = 4
USUAL: Final = 40
SWEPT: Final = 0.1


def pad_round(dice: Dice, sheet: Sheet) -> dict[str, Any]:
    """Make up a round that the game's book allows, with enough points to end the game soon."""
    terms = PadTerms.of(sheet.rule_sheet.options)
    pad = terms.pad or Pad(name="", title="", page="", players="", wins="", lowest=None)
    place = len(sheet.lines)
    played = terms.round_at(place)
    if pad.check is check_cents and terms.has_own_rounds and cents_paid(place, len(sheet.sides)):
        played = replace(played, total=dice.choice(cents_paid(place, len(sheet.sides))))
    totals = tally(sheet).totals
    if pad.bidding is Bidding.EACH and played.cards is not None:
        return _bid_and_played(dice, played.cards, sheet.sides)
    if pad.bidding is Bidding.HIGHEST and len(sheet.sides) == 2:
        return _highest_bid(dice, totals)
    line: dict[str, Any] = {"points": _points(dice, terms, pad, played, totals)}
    may_be_won_outright = not terms.rounds and terms.target is None and len(sheet.lines) >= 2
    if may_be_won_outright and dice.chance(0.5):
        line["won_by"] = dice.choice(sheet.sides)
    return line


def _points(dice: Dice, terms: PadTerms, pad: Pad, played: PadRound, totals: Mapping[str, int]) -> dict[str, int]:
    sides = list(totals)
    if played.swept is not None and dice.chance(SWEPT):
        winner = dice.choice(sides)
        return {side: 0 if side == winner else played.swept for side in sides}
    if played.total is not None:
        return _shared(dice, played, sides, played.unit or pad.unit)
    if played.is_signed:
        return {side: -sum(totals.values()) if side == sides[0] else 0 for side in sides}
    unit, most = pad.unit, max(1, (terms.target or USUAL) // (ROUNDS_TO_TARGET * pad.unit)) * 2
    if pad.highest is not None:
        most = min(most, pad.highest // unit)
    if pad.most_in_all is not None:
        most = min(most, pad.most_in_all // (unit * len(sides)))
    points = {side: unit * dice.randint(0, most) for side in sides}
    if pad.only:
        points = {side: dice.choice(pad.only[:2]) for side in sides}
    if pad.lowest is None and dice.chance(0.3):
        points[dice.choice(sides)] *= -1
    if pad.back_to_zero:
        points = {side: each if totals[side] or each >= FIRST_MELD else 0 for side, each in points.items()}
    first = dice.choice(sides)
    if pad.scorers is Scorers.ALL_BUT_ONE:
        points = {side: 0 if side == first else each or unit for side, each in points.items()}
    elif pad.scorers is not Scorers.ANY:
        points[first] = 0 if pad.scorers is Scorers.NOT_ALL else unit
    return points


def _shared(dice: Dice, played: PadRound, sides: Sequence[str], unit: int) -> dict[str, int]:
    """Return points that divide the total into pieces of the unit.

    Not all of them go to one side if that would score nothing.
    """
    left, found = played.total or 0, dict.fromkeys(sides, 0)
    first, second = dice.sample(list(sides), 2)
    if played.swept == played.total:  # Hearts: the queen of spades is a single piece
        found[first], left = QUEEN_OF_SPADES, left - QUEEN_OF_SPADES
    if played.swept is not None:
        found[second], left = found[second] + unit, left - unit
    for _piece in range(left // unit):
        found[dice.choice([first] if found[second] and dice.chance(0.2) else sides)] += unit
    return found


def _bid_and_played(dice: Dice, cards: int, sides: Sequence[str]) -> dict[str, Any]:
    """Return bids and tricks of Oh Hell!. The dealer's bid keeps the bids from adding up to the tricks."""
    bids = {side: dice.randint(0, max(1, cards // len(sides) + 1)) for side in sides}
    bids = {side: min(bid, cards) for side, bid in bids.items()}
    if cards > 1 and sum(bids.values()) == cards:
        dealer = dice.choice(sides)
        bids[dealer] += 1 if bids[dealer] < cards else -1
    tricks = dict.fromkeys(sides, 0)
    for _trick in range(cards):
        tricks[dice.choice(sides)] += 1
    points = {side: int(f"1{bids[side]}") if tricks[side] == bids[side] else 0 for side in sides}
    return {"bids": bids, "points": points}


def _highest_bid(dice: Dice, totals: Mapping[str, int]) -> dict[str, Any]:
    """Return a bid of 500 Rummy, and how the points of the hand were taken."""
    by, other = dice.sample(list(totals), 2)
    bid, no_trump = LEAST_BID + BID_STEP * dice.randint(0, 8), dice.chance(0.2)
    own = BID_STEP * dice.randint(0, IN_THE_HAND // BID_STEP)
    scored = (own + NO_TRUMP_BONUS * no_trump) if own >= bid else -bid
    taken = min(IN_THE_HAND - own, max(0, MOST_WITHOUT_BID - totals[other]))
    line = {"bid_by": by, "bid": bid, "points": {by: scored, other: taken}}
    return line | ({"no_trump": True} if no_trump else {})
