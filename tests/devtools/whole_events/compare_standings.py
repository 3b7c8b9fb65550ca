"""Standings and places, of every way to play, against the second readings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tests.devtools.whole_events.compare_cards import page_fails
from tests.devtools.whole_events.compare_turning import TURNING, compare_rounds
from tests.devtools.whole_events.facts import Facts
from tests.devtools.whole_events.second_double import bracket_places, knockouts
from tests.devtools.whole_events.second_play_off import read_play_off
from tests.devtools.whole_events.second_standings import Pool, pool_places, read_pool
from tests.devtools.whole_events.second_tables import read_tables, table_places, turning_places
from tests.devtools.whole_events.values import Disagreement, Found
from tests.devtools.whole_events.words import PageFails, Pages, Row, number, read_rows

POOLS = ("record", "fixed", "swiss", "round-robin", "ladder")


def shown_places(levels: Sequence[Sequence[int]]) -> dict[int, str]:
    """What a page calls the place of each: “3”, or “3–4” where it is shared."""
    found: dict[int, str] = {}
    place = 1
    for level in levels:
        last = place + len(level) - 1
        found |= {entry: str(place) if last == place else f"{place}–{last}" for entry in level}
        place = last + 1
    return found


def final_levels(facts: Facts) -> list[list[int]] | None:
    """Who is where once everything is played, or as it stood when the event was ended early, the best first."""
    out = frozenset(number for number, why in facts.gone.items() if why == "disqualified")
    if facts.draw is None:
        return None
    if facts.kind == "tables":
        return table_places(facts)
    if facts.kind in TURNING:
        return turning_places(facts)
    return _of_stages(facts, out)


def _of_stages(facts: Facts, out: frozenset[int]) -> list[list[int]]:
    """The last stage decides first; who was not in it comes after. Play-offs decide between those who are level."""
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


def compare_standings(facts: Facts, pages: Pages) -> Found:
    """The page of standings of the whole event; and of each pool its own."""
    if facts.draw is None or facts.event.state in ("draft", "open", "closed", "drawn"):
        return
    if facts.kind in TURNING:
        yield from compare_rounds(facts, pages)
        if facts.event.state == "finished":
            yield from compare_places(facts, [], pages.of_event("rounds/"))
        return
    try:
        rows = read_rows(pages.get(pages.of_event("standings/")))
        if facts.kind == "tables":
            yield from _tables(facts, rows, pages.of_event("standings/"))
        for stage in facts.stages:
            if stage.kind in POOLS:
                where = pages.of_event(f"standings/?stage={stage.number}")
                own = read_rows(pages.get(where))
                pool = read_pool(facts, stage)
                yield from compare_pool(pool, own, where, tells_places=not _has_play_off(facts))
    except PageFails as fails:
        yield page_fails(fails)
        return
    if facts.event.state == "finished":
        yield from compare_places(facts, rows, pages.of_event("standings/"))


def _has_play_off(facts: Facts) -> bool:
    return any(stage.kind == "play-off" for stage in facts.stages)


def compare_pool(pool: Pool, rows: list[Row], where: str, *, tells_places: bool = True) -> Found:
    """Wins and losses, spread and place of everybody in it."""
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
            yield from _same(f"record of {entry}", where, f"{record.wins}–{record.losses}", seen, made_of)
        spread = next((value for head, value in row.items() if head in ("Points", "Spread")), None)
        if spread is not None and number(spread) is not None:
            yield from _same(f"spread of {entry}", where, record.spread, number(spread), made_of)
        if tells_places and places.get(entry) and "Place" in row:
            yield from _same(f"place of {entry} in {pool.stage.name}", where, places[entry], row["Place"], made_of)


def _tables(facts: Facts, rows: list[Row], where: str) -> Found:
    found = read_tables(facts)
    places = shown_places(table_places(facts))
    seen = {int(row["No."]): row for row in rows if row.get("No.", "").isdigit()}
    yield from _same("who is in the standings", where, sorted(found), sorted(seen), "the draw and the seatings")
    for entry, row in seen.items():
        one = found.get(entry)
        if one is None:
            continue
        made_of = f"the results at the tables of entry {entry}"
        total = one.total if one.played else None
        yield from _same(f"total of {entry}", where, total, number(row.get("Total", "")), made_of)
        yield from _same(f"place of {entry}", where, places.get(entry, "–"), row["Place"], made_of)


def compare_places(facts: Facts, rows: list[Row], where: str) -> Found:
    """The finish on record, the second reading of it, and the places on the page."""
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
            yield from _same(f"place of {entry}", where, places.get(entry, "–"), row["Place"] or "–", "the finish")


def _same(what: str, where: str, expected: object, seen: object, facts: str) -> Iterator[Disagreement]:
    if expected != seen:
        yield Disagreement(what, where, expected, seen, facts)
