"""Random score lines for any rule set. Lines are generated until the rule set accepts one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scoring.rehearsal.selectors.playable import RehearsalRandomizer
from scoring.rules.hand.cards import DECK
from scoring.rules.sheet.sheets import ScoreSheet, judge_line, tally_sheet
from scoring.rules.variants.metzker.couples import GIN_COUNT_BY_OUTCOME, CouplesOutcome
from scoring.rules.variants.score_pad.pad import BidKind, PadRound, ScorePadGame, ScoringSideLimit
from scoring.rules.variants.score_pad.pads import (
    BID_STEP,
    MAX_TOTAL_WITHOUT_BID,
    MIN_BID,
    MIN_FIRST_SCORE,
    NO_TRUMP_BONUS,
    POINTS_PER_HAND,
    QUEEN_OF_SPADES_POINTS,
    check_saskatchewan_payments,
    list_possible_payments,
)
from scoring.rules.variants.score_pad.variant import TypedPadOptions
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.errors import InvalidInput

_Line = dict[str, Any]
_MAX_ATTEMPTS: Final = 200
_MAX_LINES: Final = 120


def make_random_line(dice: RehearsalRandomizer, sheet: ScoreSheet) -> _Line | None:
    """Return a random next line for the sheet, or None if no attempt gave a valid line."""
    makers = {"score-pad": make_random_score_pad_round, "metzker": _make_couples_round}
    make = makers.get(sheet.rule_sheet.rules, _make_line_with_random_values)
    for _throw in range(_MAX_ATTEMPTS):
        line = make(dice, sheet)
        try:
            judge_line(sheet, line)
        except InvalidInput:
            continue
        return line
    return None


def make_random_wrong_line(dice: RehearsalRandomizer, sheet: ScoreSheet) -> _Line:
    """Return a line with one random change, which usually makes it invalid."""
    line = dict(make_random_line(dice, sheet) or {})
    names = sorted(line)
    if names:
        name = dice.choice(names)
        line[name] = dice.choice((None, -1, 10**12, "ZZ", {}, [], {"A": 5}, "void", True))
    return line


def make_random_lines_to_end(dice: RehearsalRandomizer, sheet: ScoreSheet) -> list[_Line]:
    """Return random lines that bring the game to its end, or an empty list if the end could not be reached."""
    lines: list[_Line] = []
    while len(lines) < _MAX_LINES:
        line = make_random_line(dice, sheet)
        if line is None:
            return []
        judged = judge_line(sheet, line)
        sheet, lines = judged.sheet, [*lines, line]
        if judged.tally.complete:
            return lines
    return []


# --- Any rule set, by its fields -------------------------------------------------------------------------------------

_RARE_FIELD_CHANCE: Final = 0.03
_USUAL_CHANCE: Final = 0.9
_MAX_NUMBER: Final = 60
_MAX_LOW_NUMBER: Final = 10
_RARE_CHOICES: Final = frozenset({"stock", "void", "points"})
"""Endings of a hand that are chosen less often, because they are rare in real games."""


def _make_line_with_random_values(dice: RehearsalRandomizer, sheet: ScoreSheet) -> dict[str, Any]:
    """Return a line with random values, keeping the values that the variant prescribes."""
    variant = sheet.variant
    return _fill_fields(dice, variant.line_fields(), sheet.sides, dict(variant.prefill_next_line(sheet.lines)))


def _fill_fields(
    dice: RehearsalRandomizer, fields: Iterable[LineField], sides: Sequence[str], line: dict[str, Any]
) -> dict[str, Any]:
    for asked in fields:
        is_asked = not asked.outcomes or str(line.get(asked.depends_on, "")) in asked.outcomes
        if asked.name in line or not is_asked:
            continue
        if asked.required or dice.happens_with_probability(_RARE_FIELD_CHANCE if asked.is_collapsed else _USUAL_CHANCE):
            line[asked.name] = _choose_field_value(dice, asked, sides, line)
    return line


def _choose_field_value(
    dice: RehearsalRandomizer, asked: LineField, sides: Sequence[str], line: Mapping[str, Any]
) -> Any:
    match asked.kind:
        case FieldKind.CARD:
            return str(dice.choice(sorted(DECK)))
        case FieldKind.CHOICE:
            return _choose_usual_value(dice, [value for value, _words in asked.choices])
        case FieldKind.SIDE:
            return dice.choice(sides)
        case FieldKind.NUMBER:
            return dice.choose_low_number(_MAX_NUMBER)
        case FieldKind.NUMBER_A_SIDE:
            return _choose_number_by_side(dice, asked, sides, line)
        case FieldKind.CARDS_A_SIDE:
            return {dice.choice(sides): [str(dice.choice(sorted(DECK)))]}
        case FieldKind.SWITCH:
            return dice.happens_with_probability(0.5)
        case FieldKind.GROUP:
            return [
                _fill_fields(dice, asked.fields, sides, {}) for _turn in range(dice.randint(asked.fewest, asked.most))
            ]


def _choose_usual_value(dice: RehearsalRandomizer, values: list[str]) -> str:
    usual = [value for value in values if value not in _RARE_CHOICES]
    return dice.choice(usual if usual and dice.happens_with_probability(_USUAL_CHANCE) else values)


def _choose_number_by_side(
    dice: RehearsalRandomizer, asked: LineField, sides: Sequence[str], line: Mapping[str, Any]
) -> dict[str, int]:
    """Return random numbers, keyed by side.

    If there are more than two sides, one of them gets no number, because some rule sets require this. A rarely needed
    field gets a number for only one side.
    """
    by = line.get("by")
    if asked.is_collapsed:
        return {dice.choice(sides): dice.randint(1, 2)}
    numbers = {
        side: dice.choose_low_number(
            _MAX_LOW_NUMBER if side == by and dice.happens_with_probability(0.8) else _MAX_NUMBER
        )
        for side in sides
    }
    if (
        asked.zero_count_player_field
        and line.get(asked.zero_count_player_field) in numbers
        and str(line.get("outcome")) in asked.zero_count_outcomes
    ):
        numbers[line[asked.zero_count_player_field]] = 0
    if len(sides) > 2:
        dropped = by if by in numbers and dice.happens_with_probability(0.5) else dice.choice(sides)
        numbers = {side: count for side, count in numbers.items() if side != dropped}
    return numbers


# --- Rounds of couples -----------------------------------------------------------------------------------------------

_MAX_RUN_COUNT = 9


def _make_couples_round(dice: RehearsalRandomizer, sheet: ScoreSheet) -> dict[str, Any]:
    """Return a line with random results from two tables."""
    return {"results": [make_random_couples_result(dice, sheet.sides) for _table in range(2)]}


def make_random_couples_result(dice: RehearsalRandomizer, sides: tuple[str, ...]) -> dict[str, Any]:
    outcome = dice.choice(list(CouplesOutcome))
    by, other = dice.sample(sides, 2)
    counts = {
        by: 0 if outcome in GIN_COUNT_BY_OUTCOME else dice.randint(0, _MAX_RUN_COUNT),
        other: dice.choose_low_number(60),
    }
    if outcome is CouplesOutcome.STOCK:
        return {"outcome": str(outcome), "counts": counts}
    return {"outcome": str(outcome), "by": by, "counts": counts}


# --- Rounds of a score pad -------------------------------------------------------------------------------------------

_ROUNDS_TO_TARGET: Final = 4
_USUAL_TARGET: Final = 40
_SWEEP_CHANCE: Final = 0.1


def make_random_score_pad_round(dice: RehearsalRandomizer, sheet: ScoreSheet) -> dict[str, Any]:
    """Return a random round that the game's rules allow, with enough points to end the game soon."""
    terms = TypedPadOptions.from_options(sheet.rule_sheet.options)
    pad = terms.pad or ScorePadGame(name="", title="", page="", players="", wins="", lowest=None)
    place = len(sheet.lines)
    played = terms.make_round(place)
    if (
        pad.check is check_saskatchewan_payments
        and terms.has_rounds_of_book
        and list_possible_payments(place, len(sheet.sides))
    ):
        played = replace(played, total=dice.choice(list_possible_payments(place, len(sheet.sides))))
    totals = tally_sheet(sheet).totals
    if pad.bidding is BidKind.EACH and played.cards is not None:
        return _make_round_with_bids(dice, played.cards, sheet.sides)
    if pad.bidding is BidKind.HIGHEST and len(sheet.sides) == 2:
        return _make_round_with_highest_bid(dice, totals)
    line: dict[str, Any] = {"points": _choose_points(dice, terms, pad, played, totals)}
    may_be_won_outright = not terms.rounds and terms.target is None and len(sheet.lines) >= 2
    if may_be_won_outright and dice.happens_with_probability(0.5):
        line["won_by"] = dice.choice(sheet.sides)
    return line


def _choose_points(
    dice: RehearsalRandomizer, terms: TypedPadOptions, pad: ScorePadGame, played: PadRound, totals: Mapping[str, int]
) -> dict[str, int]:
    sides = list(totals)
    if played.points_if_swept is not None and dice.happens_with_probability(_SWEEP_CHANCE):
        winner = dice.choice(sides)
        return {side: 0 if side == winner else played.points_if_swept for side in sides}
    if played.total is not None:
        return _divide_total(dice, played, sides, played.unit or pad.unit)
    if played.is_signed:
        return {side: -sum(totals.values()) if side == sides[0] else 0 for side in sides}
    unit, most = pad.unit, max(1, (terms.target or _USUAL_TARGET) // (_ROUNDS_TO_TARGET * pad.unit)) * 2
    if pad.highest is not None:
        most = min(most, pad.highest // unit)
    if pad.max_points_in_all is not None:
        most = min(most, pad.max_points_in_all // (unit * len(sides)))
    points = {side: unit * dice.randint(0, most) for side in sides}
    if pad.allowed_points:
        points = {side: dice.choice(pad.allowed_points[:2]) for side in sides}
    if pad.lowest is None and dice.happens_with_probability(0.3):
        points[dice.choice(sides)] *= -1
    if pad.back_to_zero:
        points = {side: each if totals[side] or each >= MIN_FIRST_SCORE else 0 for side, each in points.items()}
    first = dice.choice(sides)
    if pad.scoring_side_limit is ScoringSideLimit.ALL_BUT_ONE:
        points = {side: 0 if side == first else each or unit for side, each in points.items()}
    elif pad.scoring_side_limit is not ScoringSideLimit.ANY:
        points[first] = 0 if pad.scoring_side_limit is ScoringSideLimit.NOT_ALL else unit
    return points


def _divide_total(dice: RehearsalRandomizer, played: PadRound, sides: Sequence[str], unit: int) -> dict[str, int]:
    """Divide the round's fixed total among the sides, in multiples of `unit`.

    In games where a side scores 0 for taking the whole total, the total is usually split between at least two sides.
    """
    left, found = played.total or 0, dict.fromkeys(sides, 0)
    first, second = dice.sample(list(sides), 2)
    if played.points_if_swept == played.total:  # Hearts: the queen of spades is a single piece
        found[first], left = QUEEN_OF_SPADES_POINTS, left - QUEEN_OF_SPADES_POINTS
    if played.points_if_swept is not None:
        found[second], left = found[second] + unit, left - unit
    for _piece in range(left // unit):
        found[dice.choice([first] if found[second] and dice.happens_with_probability(0.2) else sides)] += unit
    return found


def _make_round_with_bids(dice: RehearsalRandomizer, cards: int, sides: Sequence[str]) -> dict[str, Any]:
    """Return bids and tricks for a round of Oh Hell! The bids never add up to the number of tricks."""
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


def _make_round_with_highest_bid(dice: RehearsalRandomizer, totals: Mapping[str, int]) -> dict[str, Any]:
    """Return the highest bid in a hand of 500 Rummy, and the points that each side won."""
    by, other = dice.sample(list(totals), 2)
    bid, no_trump = MIN_BID + BID_STEP * dice.randint(0, 8), dice.happens_with_probability(0.2)
    own = BID_STEP * dice.randint(0, POINTS_PER_HAND // BID_STEP)
    scored = (own + NO_TRUMP_BONUS * no_trump) if own >= bid else -bid
    taken = min(POINTS_PER_HAND - own, max(0, MAX_TOTAL_WITHOUT_BID - totals[other]))
    line = {"bid_by": by, "bid": bid, "points": {by: scored, other: taken}}
    return line | ({"no_trump": True} if no_trump else {})
