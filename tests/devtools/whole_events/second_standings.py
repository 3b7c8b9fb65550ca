"""Recompute the standings of pools, play-offs, and tables.

The source is the `standings` contract (`docs/draw.md`, part 10). The program's own tie-break code is not used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, groupby
from typing import Any

from pairing.models import Stage
from tests.devtools.whole_events.facts import Facts, MatchRow, ResultRow

USUAL = ("wins", "losses", "play-off", "head-to-head", "opponents-wins", "point-spread", "draw")


@dataclass
class Record:
    wins: int = 0
    losses: int = 0
    opponents: list[int] = field(default_factory=list)
    """The opponents in all matches with a win or a loss."""
    won_against: list[int] = field(default_factory=list)
    spread: int = 0
    spread_over: int = 0
    in_a_row: int = 0
    run: int = 0
    """The longest winning streak. A bye neither counts nor interrupts it."""


@dataclass(frozen=True)
class Group:
    """Entries that are ranked together: a group of the draw, the players at one playing site, or a whole pool.

    `levels` are the ranked entries, best first, with tied entries together. `without` are the disqualified entries.
    """

    entries: tuple[int, ...]
    levels: tuple[tuple[int, ...], ...]
    without: tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    stage: Stage
    entries: tuple[int, ...]
    records: dict[int, Record]
    groups: tuple[Group, ...]
    rank: Callable[[Sequence[int]], list[list[int]]]


def read_pool(facts: Facts, stage: Stage, play_offs: Sequence[dict[int, int]] = ()) -> Pool:
    """Recompute a pool's records and standings.

    `play_offs` contains the final places of the play-offs after the pool.
    """
    entries = tuple(dict.fromkeys([*stage.entries, *facts.stage_late[stage.pk]]))
    records = _records(facts, stage, entries)
    out = {number for number, why in facts.gone.items() if why == "disqualified"}
    tie_breaks = facts.event.plan.get("tie_breaks") or USUAL
    if stage.kind == "ladder":
        tie_breaks = ["run", "wins", "losses", *(one for one in ("play-off", "draw") if one in tie_breaks)]
    parts = _parts(facts, stage, entries)
    by_match = len({len(part) for part in parts}) > 1
    ranking = _Ranking(records, list(tie_breaks), play_offs, facts.lots.get(stage.pk, []))

    def rank(chosen: Sequence[int], *, shares: bool = False) -> list[list[int]]:
        return ranking.split([one for one in chosen if one not in out], shares=shares)

    def levels(part: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        together = rank(entries, shares=by_match) if _is_cut_across(facts, stage, len(parts)) else rank(part)
        own = (tuple(entry for entry in level if entry in part) for level in together)
        return tuple(level for level in own if level)

    groups = tuple(Group(part, levels(part), tuple(sorted(set(part) & out))) for part in parts)
    return Pool(stage, entries, records, groups, lambda chosen: rank(chosen, shares=by_match))


def _is_cut_across(facts: Facts, stage: Stage, parts: int) -> bool:
    """Return whether the entries that advance are chosen from a combined ranking of all groups.

    If so, this ranking also determines the order within each group.
    """
    planned = facts.event.plan["stages"][stage.number :]
    if parts < 2 or not planned or (stage.kind == "record" and stage.terms.get("wins") is not None):
        return False
    places, best = planned[0].get("places"), stage.terms.get("best")
    return planned[0]["kind"] == "play-off" or bool(places and (best is None or places < best * parts))


def _parts(facts: Facts, stage: Stage, entries: tuple[int, ...]) -> list[tuple[int, ...]]:
    drawn = stage.record.get("groups")
    if drawn:
        groups = [list(group) for group in drawn]
        for entry in entries:
            if not any(entry in group for group in groups):
                min(groups, key=len).append(entry)
        return [tuple(group) for group in groups]
    if stage.terms.get("by_site"):
        sites = dict(facts.event.entrants.values_list("number", "site"))
        names = sorted({sites[entry] for entry in entries})
        return [tuple(entry for entry in entries if sites[entry] == name) for name in names]
    return [entries]


def _records(facts: Facts, stage: Stage, entries: Iterable[int]) -> dict[int, Record]:
    found = {entry: Record() for entry in entries}
    for _pk, match in sorted(facts.matches.items()):
        if match.stage != stage.pk or not match.counts or not match.seats:
            continue
        credits, score = ended_by(facts, match)
        for entry in match.seats:
            if entry not in found or entry not in credits:
                continue
            own, other = found[entry], next((one for one in match.seats if one != entry), None)
            result, cause = credits[entry]
            if cause != "bye" and result in ("win", "loss"):
                own.in_a_row = own.in_a_row + 1 if result == "win" else 0
                own.run = max(own.run, own.in_a_row)
            own.wins += result == "win"
            own.losses += result == "loss"
            if other is not None and result in ("win", "loss"):
                own.opponents.append(other)
                if result == "win":
                    own.won_against.append(other)
            if other is not None and entry in score and other in score:
                own.spread += score[entry] - score[other]
                own.spread_over += 1
    return found


def ended_by(facts: Facts, match: Any) -> tuple[dict[int, tuple[str, str]], dict[int, int]]:
    """Return each entry's credit in the match, and each entry's points.

    A credit is a pair: the result, such as “win”, and its cause, such as “played”. If no result is recorded, an entry
    that has left the event loses.
    """
    last = match.results[-1] if match.results else None
    if last is not None and last.credits and last.is_void:
        return ({}, {}) if not _robin(facts, match) else _by_itself(facts, match)
    if last is not None and last.credits:
        return last.credits, last.score
    return _by_itself(facts, match)


def _robin(facts: Facts, match: Any) -> bool:
    return any(stage.pk == match.stage and stage.kind == "round-robin" for stage in facts.stages)


def _by_itself(facts: Facts, match: Any) -> tuple[dict[int, tuple[str, str]], dict[int, int]]:
    left = {side: facts.gone_at[side] for side in match.seats if side in facts.gone_at}
    if not left:
        return {}, {}
    out = [side for side, at in left.items() if at == min(left.values())]
    return {side: ("loss", facts.gone[side]) if side in out else ("win", "walk-over") for side in match.seats}, {}


@dataclass
class _Ranking:
    records: dict[int, Record]
    tie_breaks: list[str]
    play_offs: Sequence[dict[int, int]]
    draws: Sequence[Sequence[int]]

    def split(self, entries: Sequence[int], *, shares: bool = False, at: int = 0) -> list[list[int]]:
        """Divide the entries into groups that remain tied, best first.

        `at` is the index of the first tie-break to apply. If `shares` is true, averages are compared instead of totals.
        """
        if len(entries) < 2 or at >= len(self.tie_breaks):
            return [sorted(entries)] if entries else []
        by = self.tie_breaks[at]
        worth = self._worth(by, list(entries), shares)
        ordered = sorted(entries, key=lambda entry: worth[entry], reverse=True)
        parts = [list(part) for _value, part in groupby(ordered, key=lambda entry: worth[entry])]
        again = by == "head-to-head" and len(parts) > 1
        return [level for part in parts for level in self.split(part, shares=shares, at=at if again else at + 1)]

    def _worth(self, by: str, entries: list[int], shares: bool) -> dict[int, Fraction]:
        """Return each entry's value for a tie-break. Higher values are better."""
        records = self.records
        if by == "run":
            return {e: Fraction(records[e].run) for e in entries}
        if by == "wins":
            return {e: _share(records[e].wins, records[e].wins + records[e].losses, shares) for e in entries}
        if by == "losses":
            return {e: Fraction(0 if shares else -records[e].losses) for e in entries}
        if by == "opponents-wins":
            sums = {e: sum(records[o].wins for o in records[e].opponents if o in records) for e in entries}
            return {e: _share(sums[e], len(records[e].opponents), shares) for e in entries}
        if by == "point-spread":
            return {e: _share(records[e].spread, records[e].spread_over, shares) for e in entries}
        if by == "head-to-head":
            return {e: Fraction(value) for e, value in self._head_to_head(entries).items()}
        if by == "play-off":
            named = [finish for finish in self.play_offs if set(entries) <= finish.keys()]
            return {e: Fraction(-named[-1][e] if named else 0) for e in entries}
        drawn = [list(order) for order in self.draws if set(entries) <= set(order)]
        return {e: Fraction(-drawn[-1].index(e) if drawn else 0) for e in entries}

    def _head_to_head(self, entries: list[int]) -> dict[int, int]:
        met = defaultdict(int)
        beat = defaultdict(int)
        for entry in entries:
            for other in self.records[entry].opponents:
                met[entry, other] += 1
            for other in self.records[entry].won_against:
                beat[entry, other] += 1
        pairs = list(combinations(entries, 2))
        if len({met[a, b] for a, b in pairs} | {met[b, a] for a, b in pairs}) == 1 and met[pairs[0]]:
            return {e: sum(beat[e, o] for o in entries if o != e) for e in entries}
        return {e: int(all(met[e, o] and beat[e, o] == met[e, o] for o in entries if o != e)) for e in entries}


def _share(value: int, over: int, shares: bool) -> Fraction:
    if not shares:
        return Fraction(value)
    return Fraction(value, over) if over else Fraction(0)


def pool_places(pool: Pool) -> list[list[int]]:
    """Rank the winners of all groups first, then the second places, and so on.

    Entries with the same place are ranked by the tie-breaks.
    """
    if len(pool.groups) == 1:
        return [list(level) for level in pool.groups[0].levels]
    by_place: dict[int, list[int]] = defaultdict(list)
    for group in pool.groups:
        place = 1
        for level in group.levels:
            by_place[place] += level
            place += len(level)
    return [level for place in sorted(by_place) for level in pool.rank(sorted(by_place[place]))]


@dataclass(frozen=True)
class PlayOffReading:
    """A recomputed play-off.

    `lost` contains the round in which each entry lost. `over` is true when all places are filled.
    """

    through: tuple[int, ...]
    contenders: tuple[int, ...]
    lost: dict[int, int]
    standing: frozenset[int]
    """The primary keys of the valid matches. A correction may have made other matches obsolete."""
    over: bool
    places_are_open: bool

    @property
    def left(self) -> list[int]:
        return [entry for entry in self.contenders if entry not in self.lost]

    @property
    def finish(self) -> dict[int, int]:
        """The places in a finished play-off.

        The remaining entries are tied, and entries that lost later are placed before those that lost earlier.
        """
        if not self.over or not self.standing:
            return dict.fromkeys(self.contenders, 1) if self.over and self.places_are_open else {}
        return {entry: place for place, level in enumerate(self.levels, start=1) for entry in level}

    @property
    def levels(self) -> list[list[int]]:
        """The contenders, best first, with tied entries together."""
        rounds = sorted(set(self.lost.values()), reverse=True)
        found = [self.left, *([entry for entry, at in self.lost.items() if at == number] for number in rounds)]
        return [sorted(level) for level in found if level]


def read_play_off(facts: Facts, stage: Stage) -> PlayOffReading:
    record = stage.record
    places, contenders = int(record["open_places"]), tuple(record["play_off"])
    rows = [one for one in facts.matches.values() if one.stage == stage.pk and one.counts and one.seats]
    kept = {match for match, _at, sides in facts.kept if all(sides)}
    lost: dict[int, int] = {}
    standing: set[int] = set()
    for number in sorted({one.round for one in rows}):
        here = _of_round([one for one in rows if one.round == number], lost, kept)
        standing |= {one.pk for one in here}
        for one in here:
            for entry in one.seats:
                lost.pop(entry, None)
            credits, _score = ended_by(facts, one)
            out = [entry for entry in one.seats if credits and not _won(one, entry, credits)]
            lost.update((entry, number) for entry in out)
    undecided = [pk for pk in standing if not ended_by(facts, facts.matches[pk])[0]]
    left = len(contenders) - len(lost)
    over = not contenders or places < 1 or (left <= places and not undecided)
    through = tuple(record["through"])
    return PlayOffReading(through, contenders, lost, frozenset(standing), over, bool(contenders) and places > 0)


def _of_round(rows: list[MatchRow], lost: dict[int, int], kept: set[int]) -> list[MatchRow]:
    """Return the valid matches of a play-off's round. Each entry has at most one of them.

    Matches in `kept` come first, because their entries stayed together in spite of a correction. Then come the newest
    of the other matches. A match that is not in `kept` is not valid if one of its entries has already lost.
    """
    found: list[MatchRow] = []
    taken: set[int] = set()
    for one in sorted(rows, key=lambda row: (row.pk in kept, row.pk), reverse=True):
        if taken & set(one.seats) or (one.pk not in kept and any(entry in lost for entry in one.seats)):
            continue
        found.append(one)
        taken |= set(one.seats)
    return found


def _won(match: MatchRow, entry: int, credits: dict[int, tuple[str, str]]) -> bool:
    last = match.last
    if last is not None and last.credits:
        return last.winner == entry
    return credits[entry][0] == "win"


@dataclass(frozen=True)
class TableStanding:
    entry: int
    total: int
    played: int
    missed: int


def read_tables(facts: Facts) -> dict[int, TableStanding]:
    assert facts.draw is not None
    entries = list(facts.draw.order)
    for seating in facts.seatings:
        entries += [number for table in seating.tables for number in table if number not in entries]
    return {entry: _standing(facts, entry) for entry in entries}


def _standing(facts: Facts, entry: int) -> TableStanding:
    total = played = missed = 0
    for seating in facts.seatings:
        results = [_result(match) for match in facts.matches.values() if match.seating == seating.pk and match.counts]
        got = next((one.score[entry] for one in results if one is not None and entry in one.score), None)
        if got is not None:
            total, played = total + got, played + 1
        elif entry not in seating.sits_out and None not in results:
            missed += 1
    return TableStanding(entry, total, played, missed)


def _result(match: MatchRow) -> ResultRow | None:
    """Return the last result at a table, or None if it is void."""
    last = match.results[-1] if match.results else None
    if last is None or any(cause == "void" for _result, cause in last.credits.values()):
        return None
    return last


def table_places(facts: Facts) -> list[list[int]]:
    """Rank the entries by their total from all rounds.

    If high totals win, a missed round scores nothing. If low totals win, entries that missed a round come last.
    """
    found = read_tables(facts)
    out = {number for number, why in facts.gone.items() if why == "disqualified"}
    placed = [one for one in found.values() if one.played and one.entry not in out]
    if facts.ended_early and not placed:
        return [sorted(entry for entry in found if entry not in out)]

    def worth(one: TableStanding) -> tuple[int, Fraction]:
        if facts.low_wins:
            return one.missed, Fraction(one.total, one.played)
        return 0, Fraction(-one.total, one.played + one.missed)

    ordered = sorted(placed, key=lambda one: (worth(one), one.entry))
    return [sorted(one.entry for one in level) for _worth, level in groupby(ordered, key=worth)]


def turning_points(facts: Facts) -> dict[int, int]:
    """Return the points of the entrants in the event's only match, or an empty dictionary if there is no result yet."""
    results = [match.results[-1] for match in facts.matches.values() if match.counts and match.results]
    return dict(max(results, key=lambda one: one.pk).score) if results else {}


def turning_places(facts: Facts) -> list[list[int]]:
    out = {number for number, why in facts.gone.items() if why == "disqualified"}
    points = {number: total for number, total in turning_points(facts).items() if number not in out}
    ordered = sorted(points, key=lambda number: (-points[number], number))
    return [list(level) for _points, level in groupby(ordered, key=lambda number: points[number])]
