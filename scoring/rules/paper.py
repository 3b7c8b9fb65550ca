"""Score cards kept on paper: entering totals only, and finding the line where the players' addition went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.rules.sheets import RuleSheet, Sheet, open_sheet, tally
from scoring.rules.variant import Doubt
from tournament.cases import Fields, Problems, read_object
from tournament.errors import BadCase, Problem


@dataclass(frozen=True, slots=True)
class EnteredTotals:
    """A card of which only the final totals are known, as lines of the usual record; and what is improbable."""

    sheet: Sheet
    doubts: tuple[Doubt, ...]

    def lines_as_json(self) -> list[dict[str, Any]]:
        """The lines to be recorded: the loser's points, then the winner's, for the winner's came last."""
        return [self.sheet.variant.write_line(line) for line in self.sheet.lines]


def enter_totals(rules: RuleSheet, sides: Sequence[str], totals: Any, *, unfinished: bool = False) -> EnteredTotals:
    """Final totals from paper, `{side: points}`, as lines: one side at the target, the other under it.

    `unfinished`: time was called, and both may be under it.

    >>> from scoring.rules import rule_sheet
    >>> enter_totals(rule_sheet("gra-singles"), ["A", "B"], {"A": 163, "B": 98}).lines_as_json()
    [{'outcome': 'points', 'to': 'B', 'points': 98}, {'outcome': 'points', 'to': 'A', 'points': 163}]

    Raises:
        BadCase: `bad-value`, `missing-field`, `unknown-field` at `totals` or below it: no game can end so. Also
            where the variant's sheets do not end at a target between two sides.
    """
    empty = open_sheet(rules, sides)
    final = _read_totals(empty, totals)
    winner, loser = sorted(final, key=lambda side: final[side], reverse=True)
    if not unfinished or final[winner] >= _target(rules):
        _refuse_totals(final, _target(rules))
    scored = [side for side in (loser, winner) if final[side] > 0]
    lines = tuple(empty.variant.points_line(side, final[side]) for side in scored)
    return EnteredTotals(replace(empty, lines=lines), tuple(_doubt_total(empty, winner, final[winner])))


def _read_totals(sheet: Sheet, totals: Any) -> dict[str, int]:
    problems = Problems()
    if sheet.variant.points_line(sheet.sides[0], 1) is None or len(sheet.sides) != 2:
        problems.bad("totals", f"{sheet.variant.title}: a sheet cannot be entered by its totals.")
    data = read_object(totals, "totals", problems)
    problems.check()
    fields = Fields(data or {}, problems, "totals")
    final = {side: fields.integer(side, minimum=0, maximum=10**9) for side in sheet.sides}
    fields.finish()
    problems.check()
    return final


def _target(rules: RuleSheet) -> int:
    target = rules.options["target"]
    if not isinstance(target, int):
        raise TypeError("the target is a number of points")
    return target


def _refuse_totals(final: Mapping[str, int], target: int) -> None:
    """Exactly one side is at the target: the game ends with the hand that brings it there."""
    low, high = sorted(final.values())
    if high < target:
        message = f"Nobody has reached {target}: the game is still open."
    elif low == high:
        message = f"Both sides have {high}: a game cannot end equal."
    elif low >= target:
        message = f"Both sides are at {target} or over: the game ended when the first of them got there."
    else:
        return
    raise BadCase([Problem("bad-value", "totals", message)])


def _doubt_total(sheet: Sheet, winner: str, total: int) -> Iterator[Doubt]:
    """The winner was under the target before his last hand."""
    most = sheet.variant.most_points()
    target = _target(sheet.rule_sheet)
    if most is not None and total > target - 1 + most:
        yield Doubt(
            "total-too-high",
            f"{winner} cannot well have {total}: under {target} before the last hand, which brings {most} at most.",
        )


@dataclass(frozen=True, slots=True)
class Slip:
    """A running total on paper that does not follow from the one above it. `number` counts lines from 1."""

    number: int
    side: str
    written: int
    expected: int

    @property
    def sentence(self) -> str:
        """
        >>> Slip(3, "Ann", 87, 77).sentence
        'Line 3: Ann has 87 written, it comes to 77.'
        """
        return f"Line {self.number}: {self.side} has {self.written} written, it comes to {self.expected}."


def check_running(sheet: Sheet, written: Sequence[Mapping[str, int]]) -> tuple[Slip, ...]:
    """Where the running totals written on paper go wrong: only the lines of a slip, not those that carry it on.

    `written` has an item a line, with the totals written there; a side without one is carried from above.

    >>> from scoring.rules import judge_line, rule_sheet
    >>> sheet = open_sheet(rule_sheet("gra-singles"), ["A", "B"])
    >>> for points in (30, 20, 15):
    ...     sheet = judge_line(sheet, {"outcome": "points", "to": "A", "points": points}).sheet
    >>> check_running(sheet, [{"A": 30}, {"A": 60}, {"A": 75}])
    (Slip(number=2, side='A', written=60, expected=50),)

    Raises:
        ValueError: not one item a line, or a total for a side that is not on the sheet.
    """
    if len(written) != len(sheet.lines) or any(set(totals) - set(sheet.sides) for totals in written):
        raise ValueError("written totals are one item a line, by the sheet's sides")
    slips = []
    above = counted = dict.fromkeys(sheet.sides, 0)
    for number, (row, totals) in enumerate(zip(tally(sheet).lines, written, strict=True), start=1):
        expected = {side: above[side] + row.running[side] - counted[side] for side in sheet.sides}
        counted = dict(row.running)
        slips += [
            Slip(number, side, total, expected[side]) for side, total in totals.items() if total != expected[side]
        ]
        above = expected | dict(totals)
    return tuple(slips)
