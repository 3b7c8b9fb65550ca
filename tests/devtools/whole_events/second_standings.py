"""Pools of games read a second time: own credits, and who stands where by the tie-breaks of the event.

From the sentences of the `standings` contract (`docs/draw.md`, part 10), with values that are sorted, not split by
the program's own measures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, groupby
from typing import Any

from pairing.models import Stage
from tests.devtools.whole_events.facts import Facts

USUAL = ("wins", "losses", "play-off", "head-to-head", "opponents-wins", "point-spread", "draw")


@dataclass
class Record:
    """What an entry has from its matches."""

    wins: int = 0
    losses: int = 0
    opponents: list[int] = field(default_factory=list)
    """Of every match in which it got a win or a loss."""
    won_against: list[int] = field(default_factory=list)
    spread: int = 0
    spread_over: int = 0
    in_a_row: int = 0
    run: int = 0
    """The most wins in a row; a bye counts for none."""


@dataclass(frozen=True)
class Group:
    """A group, a site, or a whole pool; the best first, those who are level together, who is disqualified last."""

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
    """`play_offs`: the finishes of the play-offs after it."""
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
    """Whether who goes on is chosen through all groups together: then the places in each follow from that ranking."""
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
    """The credits and points of a match of a pool; who is out of the event loses what is open."""
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
        """Groups of those who stay level, the best first."""
        if len(entries) < 2 or at >= len(self.tie_breaks):
            return [sorted(entries)] if entries else []
        by = self.tie_breaks[at]
        worth = self._worth(by, list(entries), shares)
        ordered = sorted(entries, key=lambda entry: worth[entry], reverse=True)
        parts = [list(part) for _value, part in groupby(ordered, key=lambda entry: worth[entry])]
        again = by == "head-to-head" and len(parts) > 1
        return [level for part in parts for level in self.split(part, shares=shares, at=at if again else at + 1)]

    def _worth(self, by: str, entries: list[int], shares: bool) -> dict[int, Fraction]:
        """More is better."""
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
    """Of several groups the firsts before the seconds, among them by the tie-breaks."""
    if len(pool.groups) == 1:
        return [list(level) for level in pool.groups[0].levels]
    by_place: dict[int, list[int]] = defaultdict(list)
    for group in pool.groups:
        place = 1
        for level in group.levels:
            by_place[place] += level
            place += len(level)
    return [level for place in sorted(by_place) for level in pool.rank(sorted(by_place[place]))]
