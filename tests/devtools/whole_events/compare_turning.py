"""Events of two sides that turn: their page of rounds has the points of all cards, and nothing else keeps standings.

Such an event has no page of standings and no list of results: both addresses lead to its rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml.html import HtmlElement

from tests.devtools.whole_events.compare_cards import page_fails
from tests.devtools.whole_events.facts import CardRow, Facts
from tests.devtools.whole_events.second_tally import read_card
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import PageFails, Pages, number, select, words

TURNING = ("rotation", "court-whist")


def compare_rounds(facts: Facts, pages: Pages) -> Found:
    where = pages.of_event("rounds/")
    try:
        page = pages.get(where)
    except PageFails as fails:
        yield page_fails(fails)
        return
    cards = [card for card in facts.cards if facts.matches[card.match].counts]
    if facts.kind == "court-whist":
        here = [card for card in cards if not any(number in facts.gone for number in card.numbers)]
        yield from _whist([_own_total(facts, card) for card in here], page, where)
        return
    said = [
        (words(select(side, ".match-score-name")[0]), number(words(select(side, "strong")[0])))
        for side in select(page, ".match-score-side")
    ]
    for card in cards:
        if said and read_card(card).complete and said != _totals(card):
            yield Disagreement("totals of the sides", where, _totals(card), said, f"{len(card.lines)} lines")


def _totals(card: CardRow) -> list[tuple[str, int]]:
    """Each side by its name."""
    totals = read_card(card).totals
    return [(name, totals[letter]) for letter, (_number, name) in card.sides.items()]


def _own_total(facts: Facts, card: CardRow) -> tuple[str, int]:
    """A substitute has the total of a card that was closed under the name before theirs."""
    (one,) = card.numbers
    return facts.name(one), read_card(card).totals[next(iter(card.sides))]


def _whist(totals: list[tuple[str, int]], page: HtmlElement, where: str) -> Iterator[Disagreement]:
    """Everybody who plays on with the total of their own card; who has more comes first, equals share the place."""
    rows = [row for table in select(page, "table.score-sheet") for row in select(table, "tbody tr")]
    seen = []
    for row in rows:
        cells = [words(cell) for cell in row if cell.tag in ("td", "th")]
        seen.append((int(cells[0].split("–")[0]), cells[1], number(cells[-1])))
    better = [total for _name, total in totals]
    wanted = [(1 + sum(other > total for other in better), name, total) for name, total in totals]
    if rows and sorted(seen, key=str) != sorted(wanted, key=str):
        yield Disagreement("standings", where, sorted(wanted), sorted(seen, key=str), "the lines of all cards")
