"""Score cards on paper: entry by totals only, and finding the line where the players added wrongly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.rules.sheet.sheets import Sheet, VariantRules, open_sheet, read_totals, takes_totals, tally
from scoring.rules.variants.variant import TOTALS, Doubt, TotalsLine
from scoring.rules.variants.word_gin import with_minus
from tournament.cases import Problems
from tournament.errors import BadCase, Problem
from tournament.lazy_text import lazy_text


@dataclass(frozen=True, slots=True)
class _EnteredTotals:
    """A sheet for a card of which only the final totals are known, and the doubts about them."""

    sheet: Sheet
    doubts: tuple[Doubt, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the line to be recorded, with the totals and no hand."""
        return TotalsLine(tally(self.sheet).totals).as_json()


def enter_totals(rules: VariantRules, sides: Sequence[str], totals: Any, *, unfinished: bool = False) -> _EnteredTotals:
    """Return a sheet with final totals from paper, `{side: points}`: one side at the target, the other under it.

    With `unfinished`, time was called and both sides may be under the target.

    >>> from scoring.rules.sheet.sheets import rule_sheet
    >>> enter_totals(rule_sheet("gra-singles"), ["A", "B"], {"A": 163, "B": 98}).as_json()
    {'totals': {'A': 163, 'B': 98}}

    Raises:
        BadCase: `bad-value`, `missing-field` or `unknown-field` at `totals` or below it, because no game can end so.
            Also if the variant's sheets do not end at a target between two sides.
    """
    empty = open_sheet(rules, sides)
    problems = Problems()
    line = read_totals(empty.variant, totals, TOTALS, problems)
    problems.check()
    if line is None:
        raise ValueError("totals without problems are a line")
    final = line.totals
    if not unfinished or max(final.values()) >= _target(rules):
        _refuse_totals(final, _target(rules))
    winner = max(empty.sides, key=lambda side: final[side])
    return _EnteredTotals(replace(empty, lines=(line,)), tuple(_doubt_total(empty, winner, final[winner])))


def was_written_as_totals(sheet: Sheet) -> bool:
    """Return whether the lines are only the totals of a paper card, one line of points per side.

    Older cards have this form.
    """
    if not (sheet.lines and takes_totals(sheet.variant)):
        return False
    totals = tally(sheet).totals
    scored = [side for side in sorted(totals, key=lambda side: totals[side]) if totals[side] > 0]
    return list(sheet.lines) == [sheet.variant.points_line(side, totals[side]) for side in scored]


def _target(rules: VariantRules) -> int:
    target = rules.options["target"]
    if not isinstance(target, int):
        raise TypeError("the target is a number of points")
    return target


def _refuse_totals(final: Mapping[str, int], target: int) -> None:
    """Refuse totals unless exactly one side is at the target, because the game ends with the hand that reaches it."""
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
    raise BadCase([Problem("bad-value", "totals", message)])


def _doubt_total(sheet: Sheet, winner: str, total: int) -> Iterator[Doubt]:
    """Doubt a total that is too high, since the winner was under the target before the last hand."""
    most = sheet.variant.most_points()
    target = _target(sheet.rule_sheet)
    if most is not None and total > target - 1 + most:
        yield Doubt(
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
class Slip:
    """A running total on paper that does not follow from the one above it. `number` counts lines from 1.

    `expected` is the sum of the hands so far, whatever is written above. `line` is the name of the line at the start of
    a sentence.
    """

    number: int
    side: str
    written: int
    expected: int
    line: str = ""

    @property
    def sentence(self) -> str:
        """The mistake as a sentence.

        >>> Slip(3, "Ann", 87, 77).sentence
        'Line 3: Ann has 87 written, it comes to 77.'
        >>> Slip(2, "Ann", 0, -20).sentence
        'Line 2: Ann has 0 written, it comes to −20.'
        """
        where = self.line or lazy_text("Line %(number)s", number=self.number)
        written, expected = with_minus(self.written), with_minus(self.expected)
        return lazy_text(
            "%(where)s: %(side)s has %(written)s written, it comes to %(expected)s.",
            where=where,
            side=self.side,
            written=written,
            expected=expected,
        )


def check_running(sheet: Sheet, written: Sequence[Mapping[str, int]]) -> tuple[Slip, ...]:
    """Return the mistakes in the running totals written on paper, each at the line where it was made.

    `written` has one item per line, with the totals written there. A side without a total keeps the one above. A total
    is right if it follows from the points, or from a wrong total above it that was carried on. So the first correct
    total after a mistake is not reported.

    >>> from scoring.rules.sheet.sheets import judge_line, rule_sheet
    >>> sheet = open_sheet(rule_sheet("gra-singles"), ["A", "B"])
    >>> for points in (30, 20, 15):
    ...     sheet = judge_line(sheet, {"outcome": "points", "to": "A", "points": points}).sheet
    >>> check_running(sheet, [{"A": 30}, {"A": 60}, {"A": 75}]) == check_running(sheet, [{}, {"A": 60}, {"A": 65}])
    True
    >>> check_running(sheet, [{"A": 30}, {"A": 60}, {"A": 65}])
    (Slip(number=2, side='A', written=60, expected=50, line=''),)

    Raises:
        ValueError: there is not one item per line, or a total for a side that is not on the sheet.
    """
    if len(written) != len(sheet.lines) or any(set(totals) - set(sheet.sides) for totals in written):
        raise ValueError("written totals are one item a line, by the sheet's sides")
    slips = []
    above = counted = dict.fromkeys(sheet.sides, 0)
    for number, (row, totals) in enumerate(zip(tally(sheet).lines, written, strict=True), start=1):
        carried = {side: above[side] + row.running[side] - counted[side] for side in sheet.sides}
        counted = dict(row.running)
        slips += [
            Slip(number, side, total, counted[side])
            for side, total in totals.items()
            if total not in (carried[side], counted[side])
        ]
        above = carried | dict(totals)
    return tuple(slips)
