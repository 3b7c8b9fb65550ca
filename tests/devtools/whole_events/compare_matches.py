"""Compare match pages, the bracket, the results for staff, and the pairings with the recorded results and the draw."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from tests.devtools.whole_events.compare_cards import FLAGS, WAITS
from tests.devtools.whole_events.compare_standings import TURNING
from tests.devtools.whole_events.facts import Facts, MatchRow, ResultRow
from tests.devtools.whole_events.second_bracket import Standing, knockouts
from tests.devtools.whole_events.second_cards import CardReading, Counts, says_otherwise, what_it_counts_for
from tests.devtools.whole_events.values import Disagreement, Found, compare, reports_failed_pages
from tests.devtools.whole_events.words import BoxWords, Pages, read_boxes, select, words

PLAYED = ("in-play", "finished")
DECIDED = ("done", "corrected", "walkover", "not needed", "final", "posted", "void")


def compare_bracket(facts: Facts, pages: Pages, *, thorough: bool = True) -> Found:
    """Compare every box on the bracket page. If `thorough` is true, also compare each match's own page."""
    for knockout in knockouts(facts):
        yield from _compare_boxes(knockout.matches, pages)
        for ident, standing in knockout.matches.items() if thorough else ():
            yield from compare_match_page(standing, pages, ident)


@reports_failed_pages
def _compare_boxes(matches: dict[str, Standing], pages: Pages) -> Found:
    where = pages.of_event("bracket/")
    boxes = {box.ident: box for box in read_boxes(pages.get(where))}
    for ident, standing in matches.items():
        if ident in boxes:
            yield from compare_box(standing, boxes[ident], where)
        else:
            yield Disagreement("match", where, f"a box of {ident}", sorted(boxes), "places of the draw")


@reports_failed_pages
def compare_match_page(standing: Standing, pages: Pages, ident: str) -> Found:
    where = pages.of_event(f"match/{ident}/")
    page = pages.get(where)
    for box in read_boxes(page):
        if box.ident == ident:
            yield from compare_box(standing, box, where)


def compare_box(standing: Standing, box: BoxWords, where: str) -> Found:
    made_of = f"the results of {standing.ident} and of those before it"
    sides = [side or None for side in standing.sides]
    yield from compare(f"{standing.ident}: sides", where, sides, [side.number for side in box.sides], made_of)
    winners = [side.number for side in box.sides if side.won]
    wanted = [standing.winner] if standing.winner else []
    yield from compare(f"{standing.ident}: winner", where, wanted, winners, made_of)
    is_over = box.state.casefold() in DECIDED
    yield from compare(f"{standing.ident}: decided", where, standing.decided, is_over, f"{made_of}; state {box.state}")
    score = standing.result.score if standing.result else {}
    for side in box.sides:
        if side.number is not None and standing.decided:
            seen, expected = side.total, score.get(side.number)
            yield from compare(f"{standing.ident}: score of {side.number}", where, expected, seen, made_of)


def compare_pool_matches(facts: Facts, pages: Pages, matches: list[MatchRow]) -> Found:
    """Compare the recorded matches of pools and play-offs with the page of each match."""
    for match in matches:
        if len(match.seats) == 2 and match.seating is None and match.counts:
            yield from _compare_pool_match(facts, pages, match)


@reports_failed_pages
def _compare_pool_match(facts: Facts, pages: Pages, match: MatchRow) -> Found:
    where = pages.of_event(f"match/{match.ident}/")
    for box in read_boxes(pages.get(where)):
        if box.ident == match.ident:
            yield from _pool_box(facts, match, box, where)


def _pool_box(facts: Facts, match: MatchRow, box: BoxWords, where: str) -> Found:
    made_of = f"{len(match.results)} results of {match.ident}"
    yield from compare(
        f"{match.ident}: sides", where, sorted(match.seats), sorted(s.number or 0 for s in box.sides), made_of
    )
    last = match.last
    gone = [side for side in match.seats if side in facts.gone]
    if last is None and gone:
        return  # It ends by itself: the standings say how.
    winners = [side.number for side in box.sides if side.won]
    yield from compare(f"{match.ident}: winner", where, [last.winner] if last and last.winner else [], winners, made_of)
    for side in box.sides:
        if last is not None and side.number is not None:
            expected = last.score.get(side.number)
            yield from compare(f"{match.ident}: score of {side.number}", where, expected, side.total, made_of)


@reports_failed_pages
def compare_results_desk(facts: Facts, pages: Pages) -> Found:
    where = pages.of_desk("results/?_export=csv")
    if facts.draw is None or facts.event.state in ("draft", "open", "closed") or facts.kind in TURNING:
        return
    rows = list(csv.DictReader(io.StringIO(pages.raw(where, staff=True).decode("utf-8-sig"))))
    listed = {row["Match"]: row for row in rows if "Match" in row}
    for knockout in knockouts(facts):
        for ident, standing in knockout.matches.items():
            if ident not in listed and len(standing.entries) < 2:
                continue  # Nobody knows yet who meets there.
            if ident not in listed:
                yield Disagreement("result", where, f"a row of {ident}", sorted(listed)[:8], "places of the draw")
                continue
            yield from _result_row(facts, standing, listed[ident], where)
    for match in facts.matches.values():
        if len(match.seats) == 2 and match.counts and match.seating is None and match.ident in listed:
            yield from _pool_row(facts, match, listed[match.ident], where)


def _result_row(facts: Facts, standing: Standing, row: dict[str, str], where: str) -> Found:
    made_of = f"the results of {standing.ident}"
    names = _names_in(facts, standing.result, standing.entries)
    for side, column in zip(standing.sides, ("Player", "Against"), strict=True):
        if side:
            yield from compare(f"{standing.ident}: {column}", where, names[side], row[column], made_of)
    winner = names[standing.winner] if standing.winner else ""
    yield from compare(f"{standing.ident}: goes on", where, winner, row.get("Winner", ""), made_of)
    score = standing.result.score if standing.result else {}
    if standing.decided and len(standing.entries) == 2:
        figures = re.findall(r"[-\u2212]?\d+", row["Score"])
        expected = [str(score[side]).replace("-", "\u2212") for side in standing.entries if side in score]
        seen = [figure if figure in expected else figure.replace("-", "\u2212") for figure in figures]
        yield from compare(f"{standing.ident}: score", where, expected, seen, made_of)


def _names_in(facts: Facts, held: ResultRow | None, sides: Sequence[int]) -> dict[int, str]:
    """Return the names of a match's entries as the desk's list of results shows them.

    A substitute can change an entry's name. The list shows the names that the entries had when the first result between
    them was recorded. Without a result, it shows the current names.
    """
    if held is None:
        return {side: facts.name(side) for side in sides}
    rows = [row for row in facts.matches[held.match].results if row.credits.keys() == set(sides)]
    return {side: facts.name_then(side, rows[0].at if rows else held.at) for side in sides}


def _pool_row(facts: Facts, match: MatchRow, row: dict[str, str], where: str) -> Found:
    last = match.last
    if last is None and any(side in facts.gone for side in match.seats):
        return
    names = _names_in(facts, last, match.seats)
    winner = names[last.winner] if last and last.winner else ""
    made_of = f"{len(match.results)} results of {match.ident}"
    yield from compare(f"{match.ident}: goes on", where, winner, row.get("Winner", ""), made_of)
    for side in match.seats if last else ():
        if last and side in last.score and str(abs(last.score[side])) not in re.findall(r"\d+", row["Score"]):
            yield Disagreement(f"{match.ident}: score", where, last.score[side], row["Score"], made_of)


def compare_differences(facts: Facts, pages: Pages, cards: list[CardReading]) -> Found:
    """Check that the match page says so if a card and the result differ.

    The staff page *Today* also has to show the difference until somebody decides the match.
    """
    for own in cards:
        counts = what_it_counts_for(facts, own, cards)
        if counts in (Counts.AGAINST, Counts.DIFFERS, Counts.WAITS, Counts.DECIDED):
            yield from _compare_difference(facts, pages, own, counts)


@reports_failed_pages
def _compare_difference(facts: Facts, pages: Pages, own: CardReading, counts: Counts) -> Found:
    match = facts.matches[own.card.match]
    where = pages.of_event("rounds/" if facts.kind in TURNING else f"match/{match.ident}/")
    made_of = f"card won by {own.winner}, result {match.results[-1].winner}, {counts.value}"
    text = words(pages.get(where))
    wanted = FLAGS if counts in (Counts.AGAINST, Counts.DIFFERS) else WAITS
    if not wanted.search(text):
        yield Disagreement("card and result", where, "said to differ or to be superseded", text[:160], made_of)
    if counts in (Counts.DIFFERS, Counts.WAITS) and facts.event.state in PLAYED:
        yield from _on_today(facts, pages, own, made_of)


@reports_failed_pages
def _on_today(facts: Facts, pages: Pages, own: CardReading, made_of: str) -> Found:
    """Check that the staff page *Today* links to the match's decision, or to a card that waits for signatures."""
    match = facts.matches[own.card.match]
    where = pages.of_desk("today/")
    page = pages.get(where, staff=True)
    turns = facts.kind in TURNING
    ways = [pages.of_desk("rounds/" if turns else f"results/{match.ident}/")]
    if facts.event.state == "in-play":
        ways += [pages.of_desk(f"cards/{card.token}/") for card in facts.cards_of(match.pk) if card.posted]
    links = [link.get("href") or link.get("action") or "" for link in select(page, "li a.box")]
    if not any(way in link for way in ways for link in links):
        yield Disagreement("card and result", where, f"a way to {' or '.join(ways)}", words(page)[:160], made_of)


@reports_failed_pages
def compare_next_step(facts: Facts, pages: Pages) -> Found:
    """Check that the results page for staff shows the same next step as the staff page *Today*.

    Events with rotating partners and Court Whist events have no such results page.
    """
    if facts.event.state not in PLAYED or facts.kind in TURNING:
        return
    where = pages.of_desk("results/")
    said = [words(one) for one in select(pages.get(where, staff=True), "section.next-step h2")]
    today = [words(one) for one in select(pages.get(pages.of_desk("today/"), staff=True), "section.next-step h2")]
    yield from compare("next step", where, today if said else [], said, "what is open")


@reports_failed_pages
def compare_pairings(facts: Facts, pages: Pages) -> Found:
    """Check that the downloaded pairings list exactly the open bracket matches with two known sides."""
    if not facts.is_knockout or facts.event.state not in PLAYED or facts.draw is None:
        return
    where = pages.of_event("pairings/?_export=csv")
    rows = list(csv.DictReader(io.StringIO(pages.raw(where).decode("utf-8-sig"))))
    standings = next(iter(knockouts(facts))).matches.values()
    wanted = sorted(
        (one.ident, facts.name(one.entries[0]), facts.name(one.entries[1]))
        for one in standings
        if len(one.entries) == 2 and not one.decided
    )
    seen = sorted((row["Match"], row["Player"], row["Opponent"]) for row in rows)
    yield from compare("pairings", where, wanted, seen, "the results and the draw")


def problems_expected(facts: Facts, cards: list[CardReading]) -> list[str]:
    """Return the matches that `verify_event` should report, because their card and result differ.

    A card that is waiting for signatures counts if it would change the result, or if the event is finished.
    """
    found = []
    for own in cards:
        counts = what_it_counts_for(facts, own, cards)
        is_over = facts.event.state == "finished"
        if counts is Counts.DIFFERS or (counts is Counts.WAITS and (is_over or says_otherwise(facts, own, cards))):
            found.append(facts.matches[own.card.match].ident)
    return found
