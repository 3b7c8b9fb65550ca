"""Compare the places and prizes that pages promise during a bracket with the final places and prizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pairing.results.selectors.results import load_prize_ranges
from pairing.stages.selectors.course import load_possible_places
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_money import awards, read_money, read_purse
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import Pages, read_rows
from tournament.models import Event

BRACKETS = ("single-elimination", "double-elimination")
Promise = tuple[int, int, int, int]
"""The best and the worst place, and the lowest and the highest prize in cents."""


@dataclass
class Promises:
    """The places and prizes that pages have shown as possible for each entry, to be compared with the final ones.

    All of them are dropped after an action that changes what is possible, such as a correction or a withdrawal.
    """

    shown: list[tuple[str, int, dict[int, Promise]]] = field(default_factory=list)

    def note(self, label: str, before: Facts, facts: Facts, pages: Pages) -> None:
        """Record the currently shown promises, with the prize pool on which they are based."""
        if _is_unusual(before, facts):
            self.shown.clear()
        if facts.event.state != "in-play" or not facts.stages or facts.stages[-1].kind not in BRACKETS:
            return
        pool = read_purse(facts).pool
        self.shown.append((f"{label}: what can still come", pool, dict(_of_selectors(facts))))
        self.shown.append((f"{label}: {pages.of_event('standings/')}", pool, dict(_of_page(pages))))

    def broken(self, facts: Facts) -> Found:
        """Report the promises that were not kept when the event was finished."""
        if facts.finish is None or facts.ended_early:
            return
        pool = read_purse(facts).pool
        paid = awards(facts, pool, facts.finish) if pool else {}
        place = 1
        for level in facts.finish:
            last = place + len(level) - 1
            for entry in level:
                yield from self._of(entry, (place, last), (pool, paid.get(entry, 0)))
            place = last + 1

    def _of(self, entry: int, places: tuple[int, int], money: tuple[int, int]) -> Found:
        pool, paid = money
        for where, then, promised in self.shown:
            best, worst, least, most = promised.get(entry, (1, 0, 0, 0))
            if not (best <= places[0] and places[1] <= worst):
                yield Disagreement(f"place of {entry}", where, places, (best, worst), "the finish")
            if then == pool and not least <= paid <= most:
                yield Disagreement(f"prize of {entry}", where, paid, (least, most), "the payout")


def _is_unusual(before: Facts, facts: Facts) -> bool:
    """Return whether earlier promises may be broken from now on.

    This is the case if somebody left or returned, a result was corrected, nobody won, or a stage was opened.
    """
    same = ("gone", "late_byes", "kept", "stage_late")
    if any(getattr(before, name) != getattr(facts, name) for name in same):
        return True
    if [stage.pk for stage in before.stages] != [stage.pk for stage in facts.stages]:
        return True
    for pk, match in facts.matches.items():
        earlier = before.matches.get(pk)
        if earlier is not None and earlier.results == match.results:
            continue
        if len(match.results) > 1 or any(result.winner is None for result in match.results):
            return True
    return False


def _of_selectors(facts: Facts) -> Iterator[tuple[int, Promise]]:
    event = Event.objects.select_related("tournament").get(pk=facts.event.pk)
    possible = load_possible_places(event)
    assert possible is not None
    prizes = load_prize_ranges(event, possible)
    for entry, finishes in possible.finishes.items():
        least, most = prizes.get(entry, (0, 0))
        yield entry, (finishes[0].first, max(tie.last for tie in finishes), least, most)


def _of_page(pages: Pages) -> Iterator[tuple[int, Promise]]:
    for row in read_rows(pages.get(pages.of_event("standings/"))):
        places = [int(figure) for figure in re.findall(r"\d+", row["Place"])]
        if not places:
            continue
        amounts = [cents for word in row["Prize"].split() if (cents := read_money(word)) is not None] or [0]
        least = 0 if row["Prize"].startswith("up to") else amounts[0]
        yield int(row["No."]), (places[0], places[-1], least, amounts[-1])
