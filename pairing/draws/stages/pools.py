"""The current state of a pool, the entries that advance from it, and everybody's places after all stages.

plan, entries, meetings ──make_pool──► Pool: records, standings of each group or site
pool, next stage ──find_advancing_entries──► Advancement: entries that advance, and entries that play off
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from pairing.draws.knockout.places import Placings
from pairing.draws.order import order_by_lot, require_unique_entries
from pairing.draws.results import EntryRemoval, Meeting, RemovalReason, Result, ResultCause, WinLossRecord
from pairing.draws.stages.plan import PoolTerms, StageKind
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.qualifier import QualifyingEntry, QualifyingStage, QualifyingStatus, make_qualifying_stage
from pairing.draws.stages.standings import (
    DEFAULT_TIE_BREAKS,
    RankedEntry,
    RankingFacts,
    TieBreak,
    group_tied_entries,
    rank_entries,
    rank_pool_parts,
)
from tournament.purse.prizes import make_placings_from_finish


@dataclass(frozen=True, slots=True)
class PoolPart:
    """A group, a site, or the whole pool. The whole pool has no name."""

    name: str
    entries: tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    """The state of a pool. `scheduled` are games that were fixed in advance and are not at a table yet.

    `play_offs` are the places that entries reached in play-offs, for the tiebreaks. If `has_single_ranking` is true,
    all groups or sites are ranked together, and that ranking also determines the places within each of them.
    """

    kind: StageKind
    terms: PoolTerms
    qualifying: QualifyingStage
    meetings: tuple[Meeting, ...]
    parts: tuple[PoolPart, ...]
    scheduled: tuple[Meeting, ...] = ()
    tie_breaks: tuple[TieBreak, ...] = DEFAULT_TIE_BREAKS
    play_offs: tuple[Mapping[int, int], ...] = ()
    draws: tuple[tuple[int, ...], ...] = ()
    has_single_ranking: bool = False

    @cached_property
    def standings(self) -> tuple[tuple[PoolPart, tuple[RankedEntry, ...]], ...]:
        """The ranking of the entries in each group or site, best first. This ranking decides who advances."""
        ranked = self.rank_parts([part.entries for part in self.parts])
        return tuple(zip(self.parts, ranked, strict=True))

    @cached_property
    def removal_reasons(self) -> dict[int, RemovalReason]:
        found = self.qualifying.entrants.items()
        return {entry: one.removal for entry, one in found if one.removal is not None}

    @property
    def max_started_games(self) -> int:
        """The highest number of games that any entry in the pool has started."""
        return max((_count_begun_games(one.record) for one in self.qualifying.entrants.values()), default=0)

    @property
    def is_complete(self) -> bool:
        """Whether nobody is at a table and nobody has a game left to play."""
        if self.kind.traits.all_meet:
            return not self.scheduled and not self.qualifying.playing_entries
        return self.qualifying.is_complete

    @property
    def waiting_line(self) -> tuple[int, ...]:
        """The entries that are waiting for a game, in the order of the pool's entries."""
        return self.qualifying.ready_entries

    def count_entries_ahead(self, entry: int) -> int | None:
        """Return how many entries play before this waiting entry, or None if waiting entries play in no fixed order."""
        return None

    @cached_property
    def ready_scheduled_games(self) -> tuple[Meeting, ...]:
        """The scheduled games whose sides are both free, in the order of the schedule."""
        busy = set(self.qualifying.playing_entries)
        return tuple(meeting for meeting in self.scheduled if busy.isdisjoint(meeting.sides))

    @cached_property
    def overall_ranking(self) -> tuple[RankedEntry, ...]:
        """All entries ranked together, best first, even if they are in different groups or at different sites."""
        return self.rank(self.qualifying.entrants, self.tie_breaks)

    def uses_averages(self, entries: Iterable[int]) -> bool:
        """Return whether entries have to be ranked by averages per match.

        This is necessary if their groups or sites have different sizes.
        """
        wanted = set(entries)
        sizes = {len(part.entries) for part in self.parts if not wanted.isdisjoint(part.entries)}
        return len(sizes) > 1

    def rank(self, entries: Iterable[int], tie_breaks: Sequence[TieBreak]) -> tuple[RankedEntry, ...]:
        """Rank some of the pool's entries, best first. Results against entries that are not ranked count, too."""
        wanted = tuple(entries)
        return rank_entries(self._ranking_facts(wanted), tie_breaks, among=wanted)

    def rank_parts(self, parts: Sequence[Sequence[int]]) -> tuple[tuple[RankedEntry, ...], ...]:
        """Rank each group or site separately. If `has_single_ranking` is true, use a single ranking of all of them."""
        if not self.has_single_ranking:
            return tuple(self.rank(part, self.tie_breaks) for part in parts)
        return rank_pool_parts(self._ranking_facts(entry for part in parts for entry in part), parts, self.tie_breaks)

    def _ranking_facts(self, entries: Iterable[int]) -> RankingFacts:
        return RankingFacts(
            records={entry: one.record for entry, one in self.qualifying.entrants.items()},
            removal_reasons=self.removal_reasons,
            play_offs=self.play_offs,
            draws=self.draws,
            uses_averages=self.uses_averages(entries),
        )

    def rank_among_equals(self, entry: int) -> RankedEntry | None:
        """Return the entry's rank among the entries that have the same place in their own groups.

        Return None if there is only one group.
        """
        if len(self.parts) == 1:
            return None
        places = {row.entry: row.place for _part, ranked in self.standings for row in ranked}
        place = places.get(entry)
        if place is None:
            return None
        level = [other for other, found in places.items() if found == place]
        return next(row for row in self.rank(level, self.tie_breaks) if row.entry == entry)


def _count_begun_games(record: WinLossRecord) -> int:
    """Return the number of games that the entry has started. A penalty outside any match does not count."""
    alone = sum(own.opponent is None and own.credit.cause is ResultCause.PENALTY for own in record.credits)
    return record.games - alone + len(record.playing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The facts that a pool is computed from: its entries, the games decided or at a table, and the scheduled games."""

    entries: tuple[int, ...]
    meetings: tuple[Meeting, ...] = ()
    scheduled: tuple[Meeting, ...] = ()
    removals: Mapping[int, EntryRemoval] = field(default_factory=dict)
    parts: tuple[PoolPart, ...] = ()
    play_offs: tuple[Mapping[int, int], ...] = ()
    draws: tuple[tuple[int, ...], ...] = ()
    has_single_ranking: bool = False


def make_pool(
    kind: StageKind, terms: PoolTerms, played: PoolFacts, tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS
) -> Pool:
    """Return the current state of a pool. A removed entry's open games become walkovers.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_event_plan
    >>> terms = read_event_plan({"stages": [{"kind": "fixed", "games": 1, "best": 1}]}).stages[0].pool
    >>> met = Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(4, 9), meetings=(met,)))
    >>> pool.is_complete, [row.entry for row in pool.standings[0][1]]
    (True, [9, 4])
    """
    settled = [meeting.with_walkovers(played.removals) for meeting in (*played.meetings, *played.scheduled)]
    at_table = {meeting.match for meeting in played.meetings}
    begun = tuple(meeting for meeting in settled if meeting.match in at_table or meeting.outcome is not None)
    scheduled = tuple(meeting for meeting in settled if meeting.match not in at_table and meeting.outcome is None)
    return Pool(
        kind=kind,
        terms=terms,
        qualifying=make_qualifying_stage(terms.qualifier, played.entries, begun, played.removals.values()),
        meetings=begun,
        parts=played.parts or (PoolPart("", played.entries),),
        scheduled=scheduled,
        tie_breaks=tuple(tie_breaks),
        play_offs=played.play_offs,
        draws=played.draws,
        has_single_ranking=played.has_single_ranking,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advancement:
    """The entries that advance from a pool, and the ones that do not, both best first.

    `advanced_by_lot` are the entries that advanced only by lot. If tied entries compete for the last places, they are
    in `play_off` and play for `open_places`, unless the tie is broken by lot.
    """

    advancing_entries: tuple[int, ...] = ()
    play_off: tuple[int, ...] = ()
    open_places: int = 0
    advanced_by_lot: tuple[int, ...] = ()
    entries_not_advancing: tuple[int, ...] = ()


def _advance_best_groups(groups: Iterable[Sequence[int]], places: int) -> Advancement:
    """Let groups of tied entries advance, best group first, until this many places are filled.

    If a group is too large for the remaining places, its entries are in `play_off`, and the places are counted in
    `open_places`.
    """
    listed = [tuple(group) for group in groups]
    require_unique_entries([entry for group in listed for entry in group])
    if places < 1:
        raise ValueError("a final has one place at least")
    through: list[int] = []
    cut: tuple[int, ...] = ()
    below: list[int] = []
    for group in listed:
        room = places - len(through)
        if cut or room == 0:
            below += group
        elif len(group) <= room:
            through += group
        else:
            cut = group
    open_places = places - len(through) if cut else 0
    return Advancement(
        advancing_entries=tuple(through), play_off=cut, open_places=open_places, entries_not_advancing=tuple(below)
    )


def find_advancing_entries(
    pool: Pool, *, play_off_places: int | None, seed: str, places: int | None = None
) -> Advancement:
    """Return the entries that advance from a pool.

    `places` limits how many advance. If entries are still tied for the last places after all earlier tiebreaks, they
    play a play-off. If there is no play-off, the tie is broken by lot.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> terms = read_stage_plan({"kind": "fixed", "games": 1, "best": 1}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met))
    >>> find_advancing_entries(pool, play_off_places=None, seed="friday").advanced_by_lot in ((2,), (9,))
    True
    >>> line = find_advancing_entries(pool, play_off_places=3, seed="friday")
    >>> sorted(line.advancing_entries), sorted(line.play_off), line.open_places
    ([2, 9], [4, 7], 1)
    """
    # Removed entries do not advance. If the record decides, only qualified entries do.
    entrants = pool.qualifying.entrants.items()
    if pool.terms.qualifier.wins is not None:
        candidates = [entry for entry, one in entrants if one.status is QualifyingStatus.QUALIFIED]
    else:
        candidates = [entry for entry, one in entrants if one.removal is None]
    if play_off_places is not None:
        before = tuple(takewhile(lambda by: by is not TieBreak.PLAY_OFF, pool.tie_breaks))
        return _sort_over_pool(
            pool, _advance_best_groups(group_tied_entries(pool.rank(candidates, before)), play_off_places)
        )
    through, lots = list(candidates), set[int]()
    if pool.terms.best is not None:
        inside = [[entry for entry in part.entries if entry in set(candidates)] for part in pool.parts]
        through, lots = _find_advancing_in_each_part(pool, [each for each in inside if each], pool.terms.best, seed)
    if places is not None and len(through) > places:
        through, drawn = _find_advancing_in_each_part(pool, [through], places, seed)
        lots = (lots | drawn) & set(through)
    taken = set(through)
    below = tuple(entry for entry in candidates if entry not in taken)
    by_lots = tuple(entry for entry in through if entry in lots)
    return _sort_over_pool(
        pool, Advancement(advancing_entries=tuple(through), advanced_by_lot=by_lots, entries_not_advancing=below)
    )


def _find_advancing_in_each_part(
    pool: Pool, parts: Sequence[Sequence[int]], best: int, seed: str
) -> tuple[list[int], set[int]]:
    through: list[int] = []
    lots: set[int] = set()
    for ranked in pool.rank_parts(parts):
        line = _advance_best_groups(group_tied_entries(ranked), best)
        drawn = order_by_lot(line.play_off, seed=seed)[: line.open_places]
        through += [*line.advancing_entries, *drawn]
        lots.update(drawn)
    return through, lots


def find_ties_needing_lots(pool: Pool) -> tuple[tuple[int, ...], ...]:
    """Return the ties in each group or site that can be broken only by lot.

    Each tie is a tuple of two or more entries that are still tied after all tiebreaks listed before `TieBreak.DRAW`.
    The result is empty if lots are not among the pool's tiebreaks.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> terms = read_stage_plan({"kind": "fixed", "games": 1, "best": 1}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met))
    >>> find_ties_needing_lots(pool)
    ((2, 9), (4, 7))
    """
    if TieBreak.DRAW not in pool.tie_breaks:
        return ()
    before = pool.tie_breaks[: pool.tie_breaks.index(TieBreak.DRAW)]
    groups = (group for part in pool.parts for group in group_tied_entries(pool.rank(part.entries, before)))
    return tuple(group for group in groups if len(group) > 1)


def _sort_over_pool(pool: Pool, line: Advancement) -> Advancement:
    """Sort the advancing entries best first across the whole pool. All group winners come before the runners-up."""
    position: dict[int, tuple[int, int]] = {}
    overall = {row.entry: at for at, row in enumerate(pool.overall_ranking)}
    for _part, ranked in pool.standings:
        for at, row in enumerate(ranked):
            position[row.entry] = (at if len(pool.parts) > 1 else 0, overall[row.entry])
    return replace(
        line,
        advancing_entries=tuple(sorted(line.advancing_entries, key=position.__getitem__)),
        play_off=tuple(sorted(line.play_off, key=position.__getitem__)),
    )


def deal_into_groups(entries: Sequence[int], groups: int) -> tuple[tuple[int, ...], ...]:
    """Deal the entries into groups in snake order (1 2 3, 3 2 1, 1 2 3 …), so that group sizes differ by at most one.

    >>> deal_into_groups([1, 2, 3, 4, 5, 6, 7], 3)
    ((1, 6, 7), (2, 5), (3, 4))

    Raises:
        ValueError: a group would have fewer than two entries.
    """
    if groups < 1 or len(entries) < 2 * groups:
        raise ValueError("every group has two entries at least")
    found: list[list[int]] = [[] for _ in range(groups)]
    for at, entry in enumerate(entries):
        turn, place = divmod(at, groups)
        found[place if turn % 2 == 0 else groups - 1 - place].append(entry)
    return tuple(tuple(group) for group in found)


def add_late_entries_to_groups(groups: Sequence[Sequence[int]], late: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Add each late entry, in order, to the smallest group. The first such group wins a tie.

    >>> add_late_entries_to_groups([(1, 4), (2, 3)], [9, 8, 7])
    ((1, 4, 9, 7), (2, 3, 8))
    """
    found = [list(group) for group in groups]
    for entry in late:
        min(found, key=len).append(entry)
    return tuple(tuple(group) for group in found)


def schedule_groups(
    groups: Sequence[Sequence[int]], left_out: Iterable[Sequence[int]] = ()
) -> tuple[tuple[int, int, tuple[int, int]], ...]:
    """Return all games of all groups, round by round. The pairs in `left_out` get no game.

    Each item is the group (counted from 0), the round (counted from 1), and the pair.

    >>> schedule_groups([(1, 2, 3)])
    ((0, 1, (2, 3)), (0, 2, (1, 3)), (0, 3, (1, 2)))
    """
    without = {frozenset(pair) for pair in left_out}
    games = [
        (turn, at, pair)
        for at, group in enumerate(groups)
        for turn, pairs in enumerate(schedule_round_robin(group), start=1)
        for pair in pairs
        if frozenset(pair) not in without
    ]
    return tuple((at, turn, pair) for turn, at, pair in sorted(games, key=lambda game: game[:2]))


def schedule_round_robin(entries: Sequence[int]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the rounds of a round robin, in which every pair meets once. The schedule follows the circle method.

    Pairs are `(low, high)` and sorted within each round.

    >>> schedule_round_robin([1, 2, 3, 4])
    (((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3)))
    >>> schedule_round_robin([1, 2, 3])
    (((2, 3),), ((1, 3),), ((1, 2),))

    Raises:
        ValueError: an entry occurs twice.
    """
    require_unique_entries(entries)
    if len(entries) < 2:
        return ()
    stays, circle = (entries[:1], entries[1:]) if len(entries) % 2 == 0 else ((), entries)
    size = len(circle)
    rounds: list[tuple[tuple[int, int], ...]] = []
    for turn in range(size):
        pairs = [(stayer, circle[turn]) for stayer in stays]
        pairs += [(circle[turn - step], circle[(turn + step) % size]) for step in range(1, size // 2 + 1)]
        rounds.append(tuple(sorted((min(pair), max(pair)) for pair in pairs)))
    return tuple(rounds)


# --- Absent qualifiers -----------------------------------------------------------------------------------------------
# An entry can qualify for a stage and leave the event before the stage begins.

_REMOVAL_CAUSES = frozenset(removal.cause for removal in RemovalReason)


def find_absent_qualifiers(
    pool: Pool, *, play_off_places: int | None, seed: str, places: int | None = None
) -> Advancement:
    """Return the entries that qualified but have left the event.

    Disqualified entries are not included, nor are entries that left before they finished their games in the pool.

    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> from pairing.draws.results import MatchOutcome
    >>> terms = read_stage_plan({"kind": "fixed", "games": 1, "best": 2}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> gone = {9: EntryRemoval(9, RemovalReason.NO_SHOW), 4: EntryRemoval(4, RemovalReason.WITHDRAWN)}
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met, removals=gone))
    >>> find_absent_qualifiers(pool, play_off_places=None, seed="friday")
    Advancement(advancing_entries=(9,), play_off=(), open_places=0, advanced_by_lot=(), entries_not_advancing=())
    """
    entrants = pool.qualifying.entrants
    here = {
        entry: pool.qualifying.make_entry_without_removal(entry)
        for entry, one in entrants.items()
        if _finished_before_leaving(one)
    }
    back = {entry: one for entry, one in here.items() if pool.kind.traits.all_meet or not one.status.is_in_play}
    if not back:
        return Advancement()
    whole = replace(pool, qualifying=replace(pool.qualifying, entrants={**entrants, **back}))
    found = find_advancing_entries(whole, play_off_places=play_off_places, seed=seed, places=places)
    through, play_off = (
        tuple(entry for entry in each if entry in back) for each in (found.advancing_entries, found.play_off)
    )
    return Advancement(advancing_entries=through, play_off=play_off)


def _finished_before_leaving(one: QualifyingEntry) -> bool:
    if one.removal is None or not one.removal.keeps_place:
        return False
    return not any(
        own.credit.result is Result.LOSS and own.credit.cause in _REMOVAL_CAUSES for own in one.record.credits
    )


def add_absent_entries_to_groups(groups: Iterable[Sequence[int]], absent: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield a bracket's groups of tied entries, best first, with the absent entries added to the last group.

    >>> list(add_absent_entries_to_groups([[7], [3], [9, 4]], [5]))
    [(7,), (3,), (4, 5, 9)]
    """
    listed = [tuple(group) for group in groups]
    if absent:
        listed[-1:] = [tuple(sorted({*(listed[-1] if listed else ()), *absent}))]
    yield from listed


# --- Places over all stages ------------------------------------------------------------------------------------------

TiedEntryGroups = Iterable[Sequence[int]]
"""Groups of tied entries, best group first."""


def combine_stage_places(stages: Iterable[TiedEntryGroups], without: Collection[int] = ()) -> Placings:
    """Combine the places of all stages into places for the event. The last stage comes first.

    An entry that already has a place from a later stage is skipped, and so are the entries in `without`.

    >>> placings = combine_stage_places([[[7], [3]], [[3], [7], [9, 4], [1]]], without=[1])
    >>> [str(placing) for placing in placings.finish], placings.finish[2].entries, placings.disqualified
    (['1', '2', '3–4'], (9, 4), (1,))
    """
    seen: set[int] = set(without)
    finish: list[tuple[int, ...]] = []
    for groups in stages:
        for group in groups:
            left = tuple(entry for entry in group if entry not in seen)
            seen.update(left)
            finish += [left] if left else []
    return Placings(make_placings_from_finish(finish), (), tuple(sorted(without)))


def iter_pool_ties(pool: Pool) -> Iterator[tuple[int, ...]]:
    """Yield a pool's groups of tied entries, best first.

    With several groups or sites, all winners come before all runners-up. Entries with the same place in different
    groups are ranked by the tiebreaks.

    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> terms = read_stage_plan({"kind": "fixed", "games": 1}).pool
    >>> played = PoolFacts(entries=(4, 9), meetings=(Meeting.bye("G1", 9),))
    >>> list(iter_pool_ties(make_pool(StageKind.FIXED, terms, played)))
    [(9,), (4,)]
    """
    if len(pool.parts) == 1:
        yield from group_tied_entries(pool.standings[0][1])
        return
    by_place: dict[int, list[int]] = {}
    for _part, ranked in pool.standings:
        for row in ranked:
            if row.place is not None:
                by_place.setdefault(row.place, []).append(row.entry)
    for place in sorted(by_place):
        yield from group_tied_entries(pool.rank(by_place[place], pool.tie_breaks))


def iter_play_off_ties(
    play_off: PlayOff, through: Sequence[int], pool: Pool, absent: Sequence[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield groups of tied entries: first the ones that advanced without the play-off, then those who played in it.

    Entries still in the play-off come before those that lost in it, and the latest losers come first. Equal entries are
    ranked by the pool's standings. The `absent` entries rank with the losers of the first round.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> from pairing.draws.pairs.record import EntryWithRecord
    >>> from pairing.draws.stages.play_off import PlayOffInput, make_play_off
    >>> pool = make_pool(StageKind.FIXED, read_stage_plan({"kind": "fixed"}).pool, PoolFacts(entries=(4, 9, 7)))
    >>> two = [EntryWithRecord(4, wins=0), EntryWithRecord(9, wins=0)]
    >>> played = make_play_off(PlayOffInput(two, 1, {"P1M1": MatchOutcome.won("P1M1", 9, 4)}))
    >>> list(iter_play_off_ties(played, [7], pool))
    [(7,), (9,), (4,)]
    """
    yield from group_tied_entries(pool.rank(through, pool.tie_breaks))
    standing = dict(play_off.current_places)
    lost_first = max(2, *standing.values(), 0)
    standing |= dict.fromkeys(absent, lost_first)
    for place in sorted(set(standing.values())):
        level = [entry for entry, found in standing.items() if found == place]
        yield from group_tied_entries(pool.rank(level, pool.tie_breaks))
