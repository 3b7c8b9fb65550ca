"""Paper score cards: enter a card by its final totals, and check the players' running totals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.rules.book.layout import format_signed_number
from scoring.rules.sheet.sheets import (
    JudgedLine,
    ScoreSheet,
    VariantRules,
    accepts_totals,
    make_empty_sheet,
    read_totals,
    tally_sheet,
)
from scoring.rules.variants.variant import TOTALS_KEY, LineWarning
from tournament.cases import ProblemCollector
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import lazy_text


def judge_totals_line(
    rules: VariantRules, sides: Sequence[str], totals: Any, *, unfinished: bool = False
) -> JudgedLine:
    """Return the line for a paper card's final totals, given as `{side: points}`.

    Exactly one side must have reached the target. If `unfinished` is set because time was called, both sides can be
    below the target.

    >>> from scoring.rules.sheet.sheets import make_variant_rules
    >>> judge_totals_line(make_variant_rules("gra-singles"), ["A", "B"], {"A": 163, "B": 98}).as_json()
    {'totals': {'A': 163, 'B': 98}}

    Raises:
        InvalidInput: `totals` is invalid (`bad-value`, `missing-field` or `unknown-field`). The code is also
            `bad-value` if no game can end with these totals, or if cards of this variant cannot be entered as totals.
    """
    empty = make_empty_sheet(rules, sides)
    problems = ProblemCollector()
    line = read_totals(empty.variant, totals, TOTALS_KEY, problems)
    problems.raise_if_any()
    if line is None:
        raise ValueError("totals without problems are a line")
    final = line.totals
    if not unfinished or max(final.values()) >= _get_target(rules):
        _require_possible_totals(final, _get_target(rules))
    winner = max(empty.sides, key=lambda side: final[side])
    sheet = replace(empty, lines=(line,))
    counted = tally_sheet(sheet)
    return JudgedLine(line, counted.lines[0], sheet, counted, tuple(_warn_of_high_total(empty, winner, final[winner])))


def was_entered_as_totals(sheet: ScoreSheet) -> bool:
    """Return whether the lines only record final totals, with one line of points for each side that scored.

    Older paper cards are stored in this form.
    """
    if not (sheet.lines and accepts_totals(sheet.variant)):
        return False
    totals = tally_sheet(sheet).totals
    scored = [side for side in sorted(totals, key=lambda side: totals[side]) if totals[side] > 0]
    return list(sheet.lines) == [sheet.variant.make_points_line(side, totals[side]) for side in scored]


def _get_target(rules: VariantRules) -> int:
    target = rules.options["target"]
    if not isinstance(target, int):
        raise TypeError("the target is a number of points")
    return target


def _require_possible_totals(final: Mapping[str, int], target: int) -> None:
    """Raise an error unless exactly one side has reached the target."""
    low, high = sorted(final.values())
    if high < target:
        message = lazy_text("Nobody has reached %(target)s: the game is still open.", target=target)
    elif low == high:
        message = lazy_text("Both sides have %(high)s: a game cannot end equal.", high=high)
    elif low >= target:
        message = lazy_text(
            "Both sides are at %(target)s or over: the game ended when the first of them got there.", target=target
        )
    else:
        return
    raise InvalidInput([InputProblem("bad-value", "totals", message)])


def _warn_of_high_total(sheet: ScoreSheet, winner: str, total: int) -> Iterator[LineWarning]:
    """Yield a warning if the winner's total is so high that the game would have ended before the last hand."""
    most = sheet.variant.compute_max_points()
    target = _get_target(sheet.rule_sheet)
    if most is not None and total > target - 1 + most:
        yield LineWarning(
            "total-too-high",
            lazy_text(
                "%(winner)s can hardly have %(total)s: under %(target)s before the last hand, which brings "
                "%(most)s at most.",
                winner=winner,
                total=total,
                target=target,
                most=most,
            ),
        )


@dataclass(frozen=True, slots=True)
class WrongRunningTotal:
    """A running total on paper that does not follow from the one above it.

    `number` is the line's number, starting at 1. `expected` is the sum of the hands so far. `line` is the line's
    capitalized name.
    """

    number: int
    side: str
    written: int
    expected: int
    line: str = ""

    @property
    def sentence(self) -> str:
        """The error as a sentence.

        >>> WrongRunningTotal(3, "Ann", 87, 77).sentence
        'Line 3: Ann has 87 written, it comes to 77.'
        >>> WrongRunningTotal(2, "Ann", 0, -20).sentence
        'Line 2: Ann has 0 written, it comes to −20.'
        """
        where = self.line or lazy_text("Line %(number)s", number=self.number)
        written, expected = format_signed_number(self.written), format_signed_number(self.expected)
        return lazy_text(
            "%(where)s: %(side)s has %(written)s written, it comes to %(expected)s.",
            where=where,
            side=self.side,
            written=written,
            expected=expected,
        )


def check_running_totals(sheet: ScoreSheet, written: Sequence[Mapping[str, int]]) -> tuple[WrongRunningTotal, ...]:
    """Return the wrong running totals on paper, each at the line where the error was made.

    `written` has one item per line, with the totals that players wrote on that line. Some sides' totals can be missing.
    A total counts as correct if it follows from the points so far, or from a wrong total above it.

    >>> from scoring.rules.sheet.sheets import judge_line, make_variant_rules
    >>> sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["A", "B"])
    >>> for points in (30, 20, 15):
    ...     sheet = judge_line(sheet, {"outcome": "points", "to": "A", "points": points}).sheet
    >>> check_running_totals(sheet, [{"A": 30}, {"A": 60}, {"A": 65}])
    (WrongRunningTotal(number=2, side='A', written=60, expected=50, line=''),)

    Raises:
        ValueError: `written` does not have exactly one item per line, or it has a total for a side that is not on the
            sheet.
    """
    if len(written) != len(sheet.lines) or any(set(totals) - set(sheet.sides) for totals in written):
        raise ValueError("written totals are one item a line, by the sheet's sides")
    slips = []
    above = counted = dict.fromkeys(sheet.sides, 0)
    for number, (row, totals) in enumerate(zip(tally_sheet(sheet).lines, written, strict=True), start=1):
        carried = {side: above[side] + row.running[side] - counted[side] for side in sheet.sides}
        counted = dict(row.running)
        slips += [
            WrongRunningTotal(number, side, total, counted[side])
            for side, total in totals.items()
            if total not in (carried[side], counted[side])
        ]
        above = carried | dict(totals)
    return tuple(slips)
