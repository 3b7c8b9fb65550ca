"""The judge of takeovers finds every kind of fault, and no fault after a correct takeover."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.devtools.takeover.crew import Note
from tests.devtools.takeover.facts import Fact, LogRow, Recorded
from tests.devtools.takeover.judge import HAS_EVERYTHING, Correspondence, Sides, judge

FIRST, SECOND = "http://first", "http://second"
BROKEN_AT = 100.0
TOGETHER, ALONE, LATER = [("payment", f"hall {name}") for name in ("together", "alone", "later")]


def recorded(*facts: Fact) -> Recorded:
    """Return the data of a laptop that recorded these payments in this order, each as its own action."""
    rows: dict[Fact, list[tuple[str, str]]] = {}
    log: list[LogRow] = []
    for number, fact in enumerate(facts, 1):
        row = ("tournament_ledgerline", str(number))
        rows.setdefault(fact, []).append(row)
        digest = "/".join(mark for _kind, mark in facts[:number])
        log.append(LogRow((1, number), digest, "Ada", "ledger.payment", fact[1], frozenset({row})))
    return Recorded(rows, {one.place: one for one in log}, [])


def page(*facts: Fact) -> str:
    items = "".join(f"<li>2:45 PM · Ada · Payment · {mark}</li>" for _kind, mark in facts)
    return f"<main><h2>Recorded only here</h2><ul>{items}</ul></main>" if facts else f"<main>{HAS_EVERYTHING}</main>"


def noted(fact: Fact, site: str, at: float, seconds: float = 0.05) -> Note:
    return Note(fact, site, at - seconds, at)


SIDES = Sides(FIRST, SECOND, recorded(TOGETHER, ALONE), recorded(TOGETHER, LATER))
NOTES = [noted(TOGETHER, FIRST, 90), noted(ALONE, FIRST, 105), noted(LATER, SECOND, 120)]


def letters(
    notes: list[Note], *, is_killed: bool = False, unanswered: dict[Fact, float] | None = None
) -> Correspondence:
    sent_to = {site: {note.fact for note in notes if note.site == site} for site in (FIRST, SECOND)}
    waiting = {fact: (FIRST, at) for fact, at in (unanswered or {}).items()}
    return Correspondence(notes, waiting, sent_to, BROKEN_AT, is_killed)


def test_a_takeover_as_promised_has_no_faults() -> None:
    verdict = judge(SIDES, letters(NOTES), page(ALONE))
    assert (verdict.faults, [row.about for row in verdict.alone], verdict.apart) == ([], ["hall alone"], 0)


@pytest.mark.parametrize(
    ("sides", "notes", "shown", "fault"),
    [
        (replace(SIDES, on_second=recorded(LATER)), NOTES, (TOGETHER, ALONE), "together, but lost"),
        (replace(SIDES, on_second=recorded(TOGETHER)), NOTES, (ALONE,), "by the second laptop, there 0 times"),
        (replace(SIDES, on_second=recorded(TOGETHER, LATER, LATER)), NOTES, (ALONE,), "there 2 times"),
        (replace(SIDES, on_second=recorded(TOGETHER, LATER, ALONE)), NOTES, (ALONE,), "but on the second one, too"),
        (replace(SIDES, on_first=recorded(TOGETHER)), NOTES, (), "by the first laptop, there 0 times"),
        (SIDES, NOTES, (), "not on the page"),
        (SIDES, NOTES, (ALONE, TOGETHER), "on the page, but not only there"),
        (replace(SIDES, on_second=recorded(TOGETHER, ALONE)), NOTES[:2], (ALONE,), "on the page, but not only there"),
        (replace(SIDES, on_second=replace(SIDES.on_second, twice=["hand 1"])), NOTES, (ALONE,), "twice on the second"),
    ],
)
def test_a_broken_promise_is_a_fault(sides: Sides, notes: list[Note], shown: tuple[Fact, ...], fault: str) -> None:
    assert [one for one in judge(sides, letters(notes), page(*shown)).faults if fault in one]


def test_what_a_killed_laptop_acknowledged_must_be_on_the_second_one() -> None:
    assert judge(SIDES, letters(NOTES, is_killed=True), page(ALONE)).faults


@pytest.mark.parametrize(
    ("seconds", "unanswered"), [(0.35, {}), (0.05, {("payment", "hall waited in vain"): BROKEN_AT - 0.35})]
)
def test_a_write_that_waited_in_vain_may_be_only_on_the_first_laptop(
    seconds: float, unanswered: dict[Fact, float]
) -> None:
    notes = [NOTES[0], noted(ALONE, FIRST, 95, seconds), NOTES[2]]
    verdict = judge(SIDES, letters(notes, unanswered=unanswered), page(ALONE))
    assert (verdict.faults, verdict.apart) == ([], 1)
