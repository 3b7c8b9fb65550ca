"""The current state of a pool of games, the entries that advance from it, and the places over all stages.

plan, entries, meetings ──make_pool──► Pool: records, standings of each group or site
pool, next stage ──find_advancing──► Advancement: entries that advance, and entries that play off
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from pairing.draws.knockout.places import Placings
from pairing.draws.order import order_by_lot, require_unique
from pairing.draws.results import Cause, Meeting, Removal, Removed, Result, WinLossRecord
from pairing.draws.stages.plan import PoolTerms, StageKind
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.qualifier import QualifyingEntry, QualifyingStage, QualifyingStatus, make_qualifying_stage
from pairing.draws.stages.standings import USUAL, RankedEntry, RankingFacts, TieBreak, group_ties, rank, rank_parts
from tournament.purse.prizes import placings_from_finish


@dataclass(frozen=True, slots=True)
class PoolPart:
    """A group, a site, or the whole pool, which has no name."""

    name: str
    entries: tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    """A pool with the records of everybody in it. `scheduled` holds fixed games that are at no table yet.

    `play_offs` holds the finishes of play-offs, each entry with its place, for the tiebreaks. If `cut_across` is true,
    all groups or sites are ranked together, and that ranking gives the places within each.
    """

    kind: StageKind
    terms: PoolTerms
    qualifying: QualifyingStage
    meetings: tuple[Meeting, ...]
    parts: tuple[PoolPart, ...]
    scheduled: tuple[Meeting, ...] = ()
    tie_breaks: tuple[TieBreak, ...] = USUAL
    play_offs: tuple[Mapping[int, int], ...] = ()
    draws: tuple[tuple[int, ...], ...] = ()
    cut_across: bool = False

    @cached_property
    def standings(self) -> tuple[tuple[PoolPart, tuple[RankedEntry, ...]], ...]:
        """The ranking of each part that decides who advances, best first."""
        ranked = self.rank_parts([part.entries for part in self.parts])
        return tuple(zip(self.parts, ranked, strict=True))

    @cached_property
    def gone(self) -> dict[int, Removal]:
        found = self.qualifying.entrants.items()
        return {entry: one.removal for entry, one in found if one.removal is not None}

    @property
    def rounds(self) -> int:
        """The most games that any entry has begun."""
        return max((_count_begun_games(one.record) for one in self.qualifying.entrants.values()), default=0)

    @property
    def is_complete(self) -> bool:
        """Whether nobody is at a table and no game is left to play."""
        if self.kind.traits.all_meet:
            return not self.scheduled and not self.qualifying.playing
        return self.qualifying.is_complete

    @property
    def line(self) -> tuple[int, ...]:
        """The entries that wait for a game, in the order of the list."""
        return self.qualifying.ready

    def ahead_of(self, entry: int) -> int | None:
        """Return how many play before a waiting entry, or None if the pool has no line."""
        return None

    @cached_property
    def ready_scheduled(self) -> tuple[Meeting, ...]:
        """The fixed games whose sides are both free, in the order of the schedule."""
        busy = set(self.qualifying.playing)
        return tuple(meeting for meeting in self.scheduled if busy.isdisjoint(meeting.sides))

    @cached_property
    def overall_ranking(self) -> tuple[RankedEntry, ...]:
        """The entries of all groups or sites in one ranking, best first."""
        return self.rank(self.qualifying.entrants, self.tie_breaks)

    def compares_by_match(self, entries: Iterable[int]) -> bool:
        """Return whether the entries come from groups or sites of different sizes, so that averages count."""
        wanted = set(entries)
        sizes = {len(part.entries) for part in self.parts if not wanted.isdisjoint(part.entries)}
        return len(sizes) > 1

    def rank(self, entries: Iterable[int], tie_breaks: Sequence[TieBreak]) -> tuple[RankedEntry, ...]:
        """Rank the entries by these tiebreaks. Their results against all others count, too."""
        wanted = tuple(entries)
        return rank(self._ranking_facts(wanted), tie_breaks, among=wanted)

    def rank_parts(self, parts: Sequence[Sequence[int]]) -> tuple[tuple[RankedEntry, ...], ...]:
        """Rank the entries of each group or site, by itself or in the ranking of all of them."""
        if not self.cut_across:
            return tuple(self.rank(part, self.tie_breaks) for part in parts)
        return rank_parts(self._ranking_facts(entry for part in parts for entry in part), parts, self.tie_breaks)

    def _ranking_facts(self, entries: Iterable[int]) -> RankingFacts:
        return RankingFacts(
            records={entry: one.record for entry, one in self.qualifying.entrants.items()},
            gone=self.gone,
            play_offs=self.play_offs,
            draws=self.draws,
            by_match=self.compares_by_match(entries),
        )

    def rank_among_equals(self, entry: int) -> RankedEntry | None:
        """Return the entry's rank among those with the same place in other groups, or None for one group."""
        if len(self.parts) == 1:
            return None
        places = {row.entry: row.place for _part, ranked in self.standings for row in ranked}
        place = places.get(entry)
        if place is None:
            return None
        level = [other for other, found in places.items() if found == place]
        return next(row for row in self.rank(level, self.tie_breaks) if row.entry == entry)


def _count_begun_games(record: WinLossRecord) -> int:
    """Return the number of games begun. A penalty outside any match does not count."""
    alone = sum(own.opponent is None and own.credit.cause is Cause.PENALTY for own in record.credits)
    return record.games - alone + len(record.playing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """The facts of a pool: the entries in their order, games decided or at a table, and fixed games."""

    entries: tuple[int, ...]
    meetings: tuple[Meeting, ...] = ()
    scheduled: tuple[Meeting, ...] = ()
    gone: Mapping[int, Removed] = field(default_factory=dict)
    parts: tuple[PoolPart, ...] = ()
    play_offs: tuple[Mapping[int, int], ...] = ()
    draws: tuple[tuple[int, ...], ...] = ()
    cut_across: bool = False


def make_pool(kind: StageKind, terms: PoolTerms, played: PoolFacts, tie_breaks: Sequence[TieBreak] = USUAL) -> Pool:
    """Return the current state of a pool. Open games of a removed entry end as walkovers.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_plan
    >>> terms = read_plan({"stages": [{"kind": "fixed", "games": 1, "best": 1}]}).stages[0].pool
    >>> met = Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(4, 9), meetings=(met,)))
    >>> pool.is_complete, [row.entry for row in pool.standings[0][1]]
    (True, [9, 4])
    """
    settled = [meeting.with_walkovers(played.gone) for meeting in (*played.meetings, *played.scheduled)]
    at_table = {meeting.match for meeting in played.meetings}
    begun = tuple(meeting for meeting in settled if meeting.match in at_table or meeting.outcome is not None)
    scheduled = tuple(meeting for meeting in settled if meeting.match not in at_table and meeting.outcome is None)
    return Pool(
        kind=kind,
        terms=terms,
        qualifying=make_qualifying_stage(terms.qualifier, played.entries, begun, played.gone.values()),
        meetings=begun,
        parts=played.parts or (PoolPart("", played.entries),),
        scheduled=scheduled,
        tie_breaks=tuple(tie_breaks),
        play_offs=played.play_offs,
        draws=played.draws,
        cut_across=played.cut_across,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Advancement:
    """The entries that advance from a pool, and those below, each best first.

    `by_lot` holds the entries that advanced only by lot. If the line below the last place cuts through a group of tied
    entries, the group is in `play_off`. It plays for `open_places`, unless lots decide.
    """

    through: tuple[int, ...] = ()
    play_off: tuple[int, ...] = ()
    open_places: int = 0
    by_lot: tuple[int, ...] = ()
    below: tuple[int, ...] = ()


def _draw_line(groups: Iterable[Sequence[int]], places: int) -> Advancement:
    """Draw the line below this many places. The entries of one group are tied."""
    listed = [tuple(group) for group in groups]
    require_unique([entry for group in listed for entry in group])
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
    return Advancement(through=tuple(through), play_off=cut, open_places=open_places, below=tuple(below))


def find_advancing(pool: Pool, *, play_off_places: int | None, seed: str, places: int | None = None) -> Advancement:
    """Return the entries that advance from a pool: those qualified by the record, or the best of each part.

    `places` limits the number of entries that advance. With a play-off, the tied entries at the line play off. They are
    tied in every tiebreak before the play-off. Without a play-off, lots decide among them.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage
    >>> terms = read_stage({"kind": "fixed", "games": 1, "best": 1}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met))
    >>> find_advancing(pool, play_off_places=None, seed="friday").by_lot in ((2,), (9,))
    True
    >>> line = find_advancing(pool, play_off_places=3, seed="friday")
    >>> sorted(line.through), sorted(line.play_off), line.open_places
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
        return _order_over_pool(pool, _draw_line(group_ties(pool.rank(candidates, before)), play_off_places))
    through, lots = list(candidates), set[int]()
    if pool.terms.best is not None:
        inside = [[entry for entry in part.entries if entry in set(candidates)] for part in pool.parts]
        through, lots = _cut(pool, [each for each in inside if each], pool.terms.best, seed)
    if places is not None and len(through) > places:
        through, drawn = _cut(pool, [through], places, seed)
        lots = (lots | drawn) & set(through)
    taken = set(through)
    below = tuple(entry for entry in candidates if entry not in taken)
    by_lots = tuple(entry for entry in through if entry in lots)
    return _order_over_pool(pool, Advancement(through=tuple(through), by_lot=by_lots, below=below))


def _cut(pool: Pool, parts: Sequence[Sequence[int]], best: int, seed: str) -> tuple[list[int], set[int]]:
    through: list[int] = []
    lots: set[int] = set()
    for ranked in pool.rank_parts(parts):
        line = _draw_line(group_ties(ranked), best)
        drawn = order_by_lot(line.play_off, seed=seed)[: line.open_places]
        through += [*line.through, *drawn]
        lots.update(drawn)
    return through, lots


def find_ties_before_lot(pool: Pool) -> tuple[tuple[int, ...], ...]:
    """Return the entries of each part that are tied in every tiebreak before the lot.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage
    >>> terms = read_stage({"kind": "fixed", "games": 1, "best": 1}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met))
    >>> find_ties_before_lot(pool)
    ((2, 9), (4, 7))
    """
    if TieBreak.DRAW not in pool.tie_breaks:
        return ()
    before = pool.tie_breaks[: pool.tie_breaks.index(TieBreak.DRAW)]
    groups = (group for part in pool.parts for group in group_ties(pool.rank(part.entries, before)))
    return tuple(group for group in groups if len(group) > 1)


def _order_over_pool(pool: Pool, line: Advancement) -> Advancement:
    """Return the entries best first over the whole pool. Group winners come before the runners-up."""
    position: dict[int, tuple[int, int]] = {}
    overall = {row.entry: at for at, row in enumerate(pool.overall_ranking)}
    for _part, ranked in pool.standings:
        for at, row in enumerate(ranked):
            position[row.entry] = (at if len(pool.parts) > 1 else 0, overall[row.entry])
    return replace(
        line,
        through=tuple(sorted(line.through, key=position.__getitem__)),
        play_off=tuple(sorted(line.play_off, key=position.__getitem__)),
    )


def make_groups(entries: Sequence[int], groups: int) -> tuple[tuple[int, ...], ...]:
    """Deal the entries into groups in a snake: 1 2 3, 3 2 1, 1 2 3 …, so that the sizes differ by at most one.

    >>> make_groups([1, 2, 3, 4, 5, 6, 7], 3)
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


def add_late_entries(groups: Sequence[Sequence[int]], late: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Return the groups with each late entry, in turn, in the smallest group, the first of equals.

    >>> add_late_entries([(1, 4), (2, 3)], [9, 8, 7])
    ((1, 4, 9, 7), (2, 3, 8))
    """
    found = [list(group) for group in groups]
    for entry in late:
        min(found, key=len).append(entry)
    return tuple(tuple(group) for group in found)


def schedule_groups(
    groups: Sequence[Sequence[int]], left_out: Iterable[Sequence[int]] = ()
) -> tuple[tuple[int, int, tuple[int, int]], ...]:
    """Return every game of every group except those `left_out`, round by round.

    Each item is the group from 0, the round from 1, and the pair.

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
    """Return the rounds in which every pair meets once, by the circle method.

    Pairs are `(low, high)`, sorted in each round.

    The first entry stays, or nobody if the number is odd. The others form a circle that turns by one place each round.
    In round r, the entry that stays meets the r-th of the circle. In an odd field, the r-th sits out. The entries at
    equal distances to its left and right meet.

    >>> schedule_round_robin([1, 2, 3, 4])
    (((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3)))
    >>> schedule_round_robin([1, 2, 3])
    (((2, 3),), ((1, 3),), ((1, 2),))

    Raises:
        ValueError: an entry occurs twice.
    """
    require_unique(entries)
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

_LEAVING = frozenset(removal.cause for removal in Removal)


def find_absent_qualifiers(
    pool: Pool, *, play_off_places: int | None, seed: str, places: int | None = None
) -> Advancement:
    """Return the entries that qualified but are out of the event, and lost no game by leaving.

    A disqualified entry has no place. An entry that left with games to play has not qualified.

    >>> from pairing.draws.stages.plan import read_stage
    >>> from pairing.draws.results import MatchOutcome
    >>> terms = read_stage({"kind": "fixed", "games": 1, "best": 2}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> gone = {9: Removed(9, Removal.NO_SHOW), 4: Removed(4, Removal.WITHDRAWN)}
    >>> pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(2, 4, 7, 9), meetings=met, gone=gone))
    >>> find_absent_qualifiers(pool, play_off_places=None, seed="friday")
    Advancement(through=(9,), play_off=(), open_places=0, by_lot=(), below=())
    """
    entrants = pool.qualifying.entrants
    here = {
        entry: pool.qualifying.without_removal(entry)
        for entry, one in entrants.items()
        if _finished_before_leaving(one)
    }
    back = {entry: one for entry, one in here.items() if pool.kind.traits.all_meet or not one.status.is_in_play}
    if not back:
        return Advancement()
    whole = replace(pool, qualifying=replace(pool.qualifying, entrants={**entrants, **back}))
    found = find_advancing(whole, play_off_places=play_off_places, seed=seed, places=places)
    through, play_off = (tuple(entry for entry in each if entry in back) for each in (found.through, found.play_off))
    return Advancement(through=through, play_off=play_off)


def _finished_before_leaving(one: QualifyingEntry) -> bool:
    if one.removal is None or not one.removal.keeps_place:
        return False
    return not any(own.credit.result is Result.LOSS and own.credit.cause in _LEAVING for own in one.record.credits)


def add_absent_entries(groups: Iterable[Sequence[int]], absent: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the groups of a bracket, best first, with the absent entries added to the last group.

    >>> list(add_absent_entries([[7], [3], [9, 4]], [5]))
    [(7,), (3,), (4, 5, 9)]
    """
    listed = [tuple(group) for group in groups]
    if absent:
        listed[-1:] = [tuple(sorted({*(listed[-1] if listed else ()), *absent}))]
    yield from listed


# --- Places over all stages ------------------------------------------------------------------------------------------

Groups = Iterable[Sequence[int]]
"""Groups of tied entries, best group first."""


def combine_stage_places(stages: Iterable[Groups], without: Collection[int] = ()) -> Placings:
    """Combine the places of the stages, last stage first.

    Entries placed in a later stage, or without a place, are skipped.

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
    return Placings(placings_from_finish(finish), (), tuple(sorted(without)))


def group_pool_ties(pool: Pool) -> Iterator[tuple[int, ...]]:
    """Yield the groups of tied entries of a pool, best first.

    With several groups or sites, the firsts come before the seconds. The tiebreaks rank the entries of equal place.

    >>> from pairing.draws.stages.plan import read_stage
    >>> terms = read_stage({"kind": "fixed", "games": 1}).pool
    >>> played = PoolFacts(entries=(4, 9), meetings=(Meeting.bye("G1", 9),))
    >>> list(group_pool_ties(make_pool(StageKind.FIXED, terms, played)))
    [(9,), (4,)]
    """
    if len(pool.parts) == 1:
        yield from group_ties(pool.standings[0][1])
        return
    by_place: dict[int, list[int]] = {}
    for _part, ranked in pool.standings:
        for row in ranked:
            if row.place is not None:
                by_place.setdefault(row.place, []).append(row.entry)
    for place in sorted(by_place):
        yield from group_ties(pool.rank(by_place[place], pool.tie_breaks))


def group_play_off_ties(
    play_off: PlayOff, through: Sequence[int], pool: Pool, absent: Sequence[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the entries that advanced without the play-off, then those that played off, later losers first.

    The standings of the pool rank equal entries. While the play-off is not over, entries that are still in come before
    those that have lost. The `absent` rank with the losers of its first round.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage
    >>> from pairing.draws.pairs.record import RecordEntry
    >>> from pairing.draws.stages.play_off import PlayOffCase, make_play_off
    >>> pool = make_pool(StageKind.FIXED, read_stage({"kind": "fixed"}).pool, PoolFacts(entries=(4, 9, 7)))
    >>> two = [RecordEntry(4, wins=0), RecordEntry(9, wins=0)]
    >>> played = make_play_off(PlayOffCase(two, 1, {"P1M1": MatchOutcome.won("P1M1", 9, 4)}))
    >>> list(group_play_off_ties(played, [7], pool))
    [(7,), (9,), (4,)]
    """
    yield from group_ties(pool.rank(through, pool.tie_breaks))
    standing = dict(play_off.standing)
    lost_first = max(2, *standing.values(), 0)
    standing |= dict.fromkeys(absent, lost_first)
    for place in sorted(set(standing.values())):
        level = [entry for entry, found in standing.items() if found == place]
        yield from group_ties(pool.rank(level, pool.tie_breaks))
