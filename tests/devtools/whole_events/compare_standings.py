"""Compare the standings and places of every format with the independently computed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from tests.devtools.whole_events.facts import CardRow, Facts
from tests.devtools.whole_events.second_bracket import bracket_places, knockouts
from tests.devtools.whole_events.second_cards import read_card
from tests.devtools.whole_events.second_standings import (
    Pool,
    pool_places,
    read_play_off,
    read_pool,
    read_tables,
    table_places,
    turning_places,
)
from tests.devtools.whole_events.values import Disagreement, Found, compare, reports_failed_pages
from tests.devtools.whole_events.words import Pages, Row, number, read_rows, select, words

TURNING = ("rotation", "court-whist")


@reports_failed_pages
def compare_rounds(facts: Facts, pages: Pages) -> Found:
    where = pages.of_event("rounds/")
    page = pages.get(where)
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
    totals = read_card(card).totals
    return [(name, totals[letter]) for letter, (_number, name) in card.sides.items()]


def _own_total(facts: Facts, card: CardRow) -> tuple[str, int]:
    """Return the current name of the card's only entry, and the card's total.

    If a substitute has replaced a player, the total counts for the substitute.
    """
    (one,) = card.numbers
    return facts.name(one), read_card(card).totals[next(iter(card.sides))]


def _whist(totals: list[tuple[str, int]], page: HtmlElement, where: str) -> Iterator[Disagreement]:
    """Check that everybody still playing is ranked by the total of their own card. Equal totals share a place."""
    rows = [row for table in select(page, "table.score-sheet") for row in select(table, "tbody tr")]
    seen = []
    for row in rows:
        cells = [words(cell) for cell in row if cell.tag in ("td", "th")]
        seen.append((int(cells[0].split("–")[0]), cells[1], number(cells[-1])))
    better = [total for _name, total in totals]
    wanted = [(1 + sum(other > total for other in better), name, total) for name, total in totals]
    if rows and sorted(seen, key=str) != sorted(wanted, key=str):
        yield Disagreement("standings", where, sorted(wanted), sorted(seen, key=str), "the lines of all cards")


POOLS = ("record", "fixed", "swiss", "round-robin", "ladder")


def shown_places(levels: Sequence[Sequence[int]]) -> dict[int, str]:
    """Return each entry's place in the form shown on pages: “3”, or “3–4” if it is shared."""
    found: dict[int, str] = {}
    place = 1
    for level in levels:
        last = place + len(level) - 1
        found |= {entry: str(place) if last == place else f"{place}–{last}" for entry in level}
        place = last + 1
    return found


def final_levels(facts: Facts) -> list[list[int]] | None:
    """Return the final places, best first, with tied entries together."""
    out = frozenset(number for number, why in facts.gone.items() if why == "disqualified")
    if facts.draw is None:
        return None
    if facts.kind == "tables":
        return table_places(facts)
    if facts.kind in TURNING:
        return turning_places(facts)
    return _of_stages(facts, out)


def _of_stages(facts: Facts, out: frozenset[int]) -> list[list[int]]:
    """Rank the entries by the last stage, and then by earlier stages for entries that were not in it.

    Play-offs break ties.
    """
    brackets = {knockout.stage: knockout for knockout in knockouts(facts)}
    play_offs = {stage.pk: read_play_off(facts, stage) for stage in facts.stages if stage.kind == "play-off"}
    finishes = [one.finish for one in play_offs.values() if one.over]
    pools = {stage.pk: read_pool(facts, stage, finishes) for stage in facts.stages if stage.kind in POOLS}
    levels: list[list[int]] = []
    for stage in reversed(facts.stages):
        if stage.pk in pools:
            levels += pool_places(pools[stage.pk])
        elif stage.pk in brackets:
            levels += bracket_places(brackets[stage.pk], facts.gone)
        else:
            before = [pools[one.pk] for one in facts.stages if one.pk in pools and one.number < stage.number][-1]
            played = play_offs[stage.pk]
            for level in (played.through, *(played.levels if played.places_are_open else ())):
                levels += before.rank(level)
    seen: set[int] = set(out)
    found = []
    for level in levels:
        left = sorted(entry for entry in level if entry not in seen)
        seen |= set(left)
        found += [left] if left else []
    return found


@reports_failed_pages
def compare_standings(facts: Facts, pages: Pages) -> Found:
    """Compare the standings of the event and of each of its pools."""
    if facts.draw is None or facts.event.state in ("draft", "open", "closed", "drawn"):
        return
    if facts.kind in TURNING:
        yield from compare_rounds(facts, pages)
        if facts.event.state == "finished":
            yield from compare_places(facts, [], pages.of_event("rounds/"))
        return
    rows = read_rows(pages.get(pages.of_event("standings/")))
    if facts.kind == "tables":
        yield from _tables(facts, rows, pages.of_event("standings/"))
    for stage in facts.stages:
        if stage.kind in POOLS:
            where = pages.of_event(f"standings/?stage={stage.number}")
            own = read_rows(pages.get(where))
            pool = read_pool(facts, stage)
            yield from compare_pool(pool, own, where, tells_places=not _has_play_off(facts))
    if facts.event.state == "finished":
        yield from compare_places(facts, rows, pages.of_event("standings/"))


def _has_play_off(facts: Facts) -> bool:
    return any(stage.kind == "play-off" for stage in facts.stages)


def compare_pool(pool: Pool, rows: list[Row], where: str, *, tells_places: bool = True) -> Found:
    by_number = {int(row["No."]): row for row in rows if row.get("No.", "").isdigit()}
    missing = sorted(set(pool.entries) - set(by_number))
    if missing:
        yield Disagreement("standings", where, f"entries {missing}", sorted(by_number), "who is in the stage")
    places: dict[int, str] = {}
    for group in pool.groups:
        places |= shown_places(group.levels)
    for entry, row in by_number.items():
        if entry not in pool.records:
            yield Disagreement("standings", where, "nobody else", entry, "who is in the stage")
            continue
        record = pool.records[entry]
        made_of = f"the results of entry {entry} in {pool.stage.name}"
        seen = next(
            (value for head, value in row.items() if re.fullmatch(r"\d+[–-]\d+", value) and "lace" not in head), None
        )
        if seen is not None:
            yield from compare(f"record of {entry}", where, f"{record.wins}–{record.losses}", seen, made_of)
        spread = next((value for head, value in row.items() if head in ("Points", "Spread")), None)
        if spread is not None and number(spread) is not None:
            yield from compare(f"spread of {entry}", where, record.spread, number(spread), made_of)
        if tells_places and places.get(entry) and "Place" in row:
            yield from compare(f"place of {entry} in {pool.stage.name}", where, places[entry], row["Place"], made_of)


def _tables(facts: Facts, rows: list[Row], where: str) -> Found:
    found = read_tables(facts)
    places = shown_places(table_places(facts))
    seen = {int(row["No."]): row for row in rows if row.get("No.", "").isdigit()}
    yield from compare("who is in the standings", where, sorted(found), sorted(seen), "the draw and the seatings")
    for entry, row in seen.items():
        one = found.get(entry)
        if one is None:
            continue
        made_of = f"the results at the tables of entry {entry}"
        total = one.total if one.played else None
        yield from compare(f"total of {entry}", where, total, number(row.get("Total", "")), made_of)
        yield from compare(f"place of {entry}", where, places.get(entry, "–"), row["Place"], made_of)


def compare_places(facts: Facts, rows: list[Row], where: str) -> Found:
    """Compare an event's recorded final places with the independently computed places and with the page."""
    levels, finish = final_levels(facts), facts.finish
    if finish is None:
        return
    recorded = [sorted(level) for level in finish]
    if levels is not None and levels != recorded:
        yield Disagreement("places", "the finish on record", levels, recorded, "results, draw and removals")
    places = shown_places(recorded)
    for row in rows:
        if row.get("No.", "").isdigit() and "Place" in row:
            entry = int(row["No."])
            yield from compare(f"place of {entry}", where, places.get(entry, "–"), row["Place"] or "–", "the finish")
