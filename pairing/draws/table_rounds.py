"""Events with rounds at tables: everybody gets a new seat each round, and the total of all rounds decides.

    order ──plan_first_seating──► round 1        the drawn order, entries to keep apart at different tables
    rounds ──plan_next_seating──► next round     fewest repeated meetings, and everybody sits out about equally often
    rounds ──make_standings──► standings         totals, low or high first, ties share a place
    standings ──make_table_placings──► placings, for the payouts

The rule set defines whether low or high totals win. The rule book says about Fort Worth Gin: "Low score … wins".
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, groupby, islice
from typing import Any, Final

from pairing.draws.knockout.places import Placings
from pairing.draws.order import SeededRandom, order_by_lot, require_unique_entries
from pairing.draws.pairs.record import EntryWithRecord, pair_by_record
from pairing.draws.places import EntryMove
from pairing.draws.results import RemovalReason, ResultCause
from pairing.draws.separation.draw import AvoidList
from pairing.draws.separation.exchanges import (
    SeatingArrangement,
    count_unavoidable_repeats,
    find_seating_with_fewest_repeats,
    rotate_order_from,
    separate_pairs,
)
from tournament.purse.prizes import make_placings_from_finish

MAX_TABLE_ROUNDS: Final = 20
MIN_TABLE_SIZE: Final = 2
MAX_TABLE_SIZE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTerms:
    """The terms for rounds at tables. `size` is the maximum number of entries at a table.

    If `requires_full_tables` is true, every table must have exactly that many, and the remaining entries sit out the
    round.
    """

    size: int = 4
    requires_full_tables: bool = False
    rounds: int = 1

    def as_json(self) -> dict[str, Any]:
        return {"size": self.size, "full": self.requires_full_tables, "rounds": self.rounds}

    @property
    def min_entries(self) -> int:
        return self.size if self.requires_full_tables else MIN_TABLE_SIZE

    def count_sitting_out(self, entries: int) -> int:
        """Return how many entries sit out a round, given the number of available `entries`."""
        return entries % self.size if self.requires_full_tables else 0

    def compute_table_sizes(self, entries: int) -> tuple[int, ...]:
        """Return the table sizes for this many entries, largest first.

        >>> TableTerms(size=3, requires_full_tables=True).compute_table_sizes(8)
        (3, 3)
        >>> TableTerms(size=4).compute_table_sizes(9)
        (3, 3, 3)

        Raises:
            ValueError: there are fewer than `min_entries` entries.
        """
        if entries < self.min_entries:
            raise ValueError("too few for one table")
        return _compute_table_sizes(entries - self.count_sitting_out(entries), self.size)


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The outcome of a table, with the points of each entry that has any.

    A table that was closed without play has no points, and `cause` is the reason. A void outcome reopens the table.
    """

    points: Mapping[int, int]
    winner: int | None = None
    cause: ResultCause = ResultCause.PLAYED


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table in a round: the name of its match, its entries in seat order, and its outcome."""

    match: str
    entries: tuple[int, ...]
    outcome: TableOutcome | None = None

    @property
    def is_decided(self) -> bool:
        return self.outcome is not None and self.outcome.cause is not ResultCause.VOID

    @property
    def points(self) -> Mapping[int, int]:
        return self.outcome.points if self.outcome is not None and self.is_decided else {}

    @property
    def was_closed(self) -> bool:
        """Whether the table was closed and nobody got points."""
        return self.is_decided and not self.points


@dataclass(frozen=True, slots=True)
class TableRound:
    number: int
    tables: tuple[SeatedTable, ...]
    sits_out: tuple[int, ...] = ()

    @property
    def unfinished_tables(self) -> tuple[SeatedTable, ...]:
        return tuple(table for table in self.tables if not table.is_decided)

    def find_table(self, entry: int) -> SeatedTable | None:
        return next((table for table in self.tables if entry in table.entries), None)

    def get_points(self, entry: int) -> int | None:
        table = self.find_table(entry)
        return table.points.get(entry) if table else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRounds:
    """The current state of an event in rounds at tables: the rounds that were posted, and the removed entries.

    `entries` are the drawn entries in drawn order, followed by late entries.
    """

    terms: TableTerms
    entries: tuple[int, ...]
    rounds: tuple[TableRound, ...] = ()
    removal_reasons: Mapping[int, RemovalReason]
    low_wins: bool = False

    @property
    def current_round(self) -> TableRound | None:
        return self.rounds[-1] if self.rounds else None

    @property
    def ready_tables(self) -> tuple[SeatedTable, ...]:
        """All tables without a result, earlier rounds first."""
        return tuple(table for each in self.rounds for table in each.unfinished_tables)

    @property
    def is_complete(self) -> bool:
        """Whether all rounds have been seated and every table has a result."""
        return len(self.rounds) >= self.terms.rounds and not self.ready_tables

    @property
    def rounds_met(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """The rounds in which two entries sat together, keyed by pair `(low, high)`. Closed tables do not count."""
        found: dict[tuple[int, int], list[int]] = {}
        for each in self.rounds:
            for table in each.tables:
                for pair in () if table.was_closed else combinations(sorted(table.entries), 2):
                    found.setdefault(pair, []).append(each.number)
        return {pair: tuple(numbers) for pair, numbers in found.items()}

    def list_tables_of_entry(self, entry: int) -> tuple[tuple[int, SeatedTable], ...]:
        """Return the entry's table in each round, along with the round's number."""
        found = ((each.number, each.find_table(entry)) for each in self.rounds)
        return tuple((number, table) for number, table in found if table is not None)

    def find_table(self, match: str) -> tuple[int, SeatedTable] | None:
        found = ((each.number, table) for each in self.rounds for table in each.tables if table.match == match)
        return next(found, None)


@dataclass(frozen=True, slots=True)
class SeatingPlan:
    """The plan for a round before it is posted: its tables in seat order, and the entries that sit out.

    `repeated_pairs` are the pairs that have met before, and `unseparated_pairs` the pairs that should be kept apart.
    `is_minimal` is true if no other seating of the same entries has fewer of these pairs in total. `moves` are the
    changes to the drawn order in round 1.
    """

    tables: tuple[tuple[int, ...], ...]
    sits_out: tuple[int, ...] = ()
    repeated_pairs: tuple[tuple[int, int], ...] = ()
    unseparated_pairs: tuple[tuple[int, int], ...] = ()
    is_minimal: bool = True
    moves: tuple[EntryMove, ...] = ()


def plan_first_seating(order: Sequence[int], terms: TableTerms, avoid: AvoidList) -> SeatingPlan:
    """Seat round 1 in drawn order, table by table. If tables must be full, the entries drawn last sit out.

    If two entries at a table should be kept apart, the later-drawn one changes places with an entry at another table.
    If no exchange is possible, the earlier-drawn one is tried in the same way. If that fails, too, both stay.

    >>> plan_first_seating([4, 9, 2, 7, 5], TableTerms(size=3), AvoidList([(4, 9)])).tables
    ((4, 7, 2), (9, 5))

    Raises:
        ValueError: there are too few entries for one table.
    """
    coming = iter(order)
    opponents = avoid.reasons_by_opponent()
    drawn = {entry: turn for turn, entry in enumerate(order)}
    hall = SeatingArrangement([islice(coming, size) for size in terms.compute_table_sizes(len(order))], opponents)

    def choose(entry: int, _stays: int) -> int | None:
        return hall.find_first_fit(entry, rotate_order_from(order, drawn[entry]))

    moves = tuple(separate_pairs(hall, hall.iter_conflicts(drawn.__getitem__), choose, opponents))
    return SeatingPlan(tuple(map(tuple, hall.tables)), tuple(coming), moves=moves)


def plan_next_seating(
    rounds: TableRounds, entries: Collection[int], *, seed: str, apart: Iterable[tuple[int, int]] = ()
) -> SeatingPlan:
    """Seat the next round with as few repeated meetings as possible.

    If tables must be full, some entries may have to sit out. These are the entries with the fewest rounds sat out so
    far. Lots from the seed break ties and determine the order of the seats. Pairs to be kept `apart` (clubs, couples,
    two entries of the same person) count as if they had met.

    >>> before = TableRounds(terms=TableTerms(size=2, rounds=2), entries=(1, 2, 3, 4), removal_reasons={},
    ...                 rounds=(TableRound(1, (SeatedTable("R1T1", (1, 2)), SeatedTable("R1T2", (3, 4)))),))
    >>> plan_next_seating(before, [1, 2, 3, 4], seed="friday").repeated_pairs
    ()

    Raises:
        ValueError: there are too few entries for one table.
    """
    terms = rounds.terms
    terms.compute_table_sizes(len(entries))
    turn = order_by_lot(entries, seed=seed)
    sat_out = Counter(entry for each in rounds.rounds for entry in each.sits_out)
    resting = sorted(turn, key=lambda entry: sat_out[entry])[: terms.count_sitting_out(len(turn))]
    playing = [entry for entry in turn if entry not in resting]
    parted = {(min(pair), max(pair)) for pair in apart}
    known = {*rounds.rounds_met, *parted}
    seating = seat_entries_at_tables(playing, known, size=terms.size, seed=seed)
    tables = tuple(tuple(sorted(table, key=turn.index)) for table in seating.tables)
    again, together = (
        _list_known_pairs_at_tables(tables, set(rounds.rounds_met)),
        _list_known_pairs_at_tables(tables, parted),
    )
    return SeatingPlan(tables, tuple(sorted(resting)), again, together, seating.is_least)


def _list_known_pairs_at_tables(
    tables: Iterable[Iterable[int]], known: Collection[tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    pairs = (pair for table in tables for pair in combinations(sorted(table), 2))
    return tuple(sorted(pair for pair in pairs if pair in known))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStanding:
    """An entry's standing. `place` is None if the entry is disqualified or has never played.

    `points` are its points in each round, or None for a round without points. `missed` counts the finished rounds in
    which it has no points although it did not sit out. `won` counts the tables that it won.
    """

    entry: int
    place: int | None
    tied: int = 1
    total: int
    points: tuple[int | None, ...]
    missed: int
    won: int

    @property
    def rounds_with_points(self) -> int:
        return sum(points is not None for points in self.points)


def make_standings(rounds: TableRounds) -> tuple[TableStanding, ...]:
    """Rank all entries by points, best first.

    - The total decides. If some entries have played fewer rounds, because they sat out or their table is
      unfinished, the average per round decides.
    - A round missed by staying away or leaving counts as zero points if high totals win. If low totals win, entries
      that have missed fewer rounds rank first. This way, nobody gains by staying away.
    - Tied entries share a place.
    """
    made = [_make_standing(rounds, entry) for entry in rounds.entries]
    placed = sorted((one for one in made if _has_place(rounds, one)), key=lambda one: _make_ranking_key(rounds, one))
    ranked: list[TableStanding] = []
    for _key, group in groupby(placed, key=lambda one: _make_ranking_key(rounds, one)[:-1]):
        equal = list(group)
        place = len(ranked) + 1
        ranked += [replace(one, place=place, tied=len(equal)) for one in equal]
    return (*ranked, *(one for one in sorted(made, key=lambda one: one.entry) if not _has_place(rounds, one)))


def make_final_standings(rounds: TableRounds) -> tuple[TableStanding, ...]:
    """Return the standings of an event that has ended. If nobody has played, everybody shares first place."""
    made = make_standings(rounds)
    if any(one.place is not None for one in made):
        return made
    gone = rounds.removal_reasons
    level = [one for one in made if one.entry not in gone or gone[one.entry].keeps_place]
    found = [replace(one, place=1, tied=len(level)) for one in level]
    return (*found, *(one for one in made if one not in level))


def _make_standing(rounds: TableRounds, entry: int) -> TableStanding:
    points = tuple(each.get_points(entry) for each in rounds.rounds)
    missed = sum(
        got is None and not each.unfinished_tables and entry not in each.sits_out
        for got, each in zip(points, rounds.rounds, strict=True)
    )
    won = sum(
        table.outcome is not None and table.outcome.winner == entry
        for _number, table in rounds.list_tables_of_entry(entry)
    )
    total = sum(got for got in points if got is not None)
    return TableStanding(entry=entry, place=None, total=total, points=points, missed=missed, won=won)


def _has_place(rounds: TableRounds, standing: TableStanding) -> bool:
    removal = rounds.removal_reasons.get(standing.entry)
    return standing.rounds_with_points > 0 and (removal is None or removal.keeps_place)


def _make_ranking_key(rounds: TableRounds, standing: TableStanding) -> tuple[int, Fraction, int]:
    if rounds.low_wins:
        return standing.missed, Fraction(standing.total, standing.rounds_with_points), standing.entry
    return 0, Fraction(-standing.total, standing.rounds_with_points + standing.missed), standing.entry


def make_table_placings(standings: Sequence[TableStanding]) -> Placings:
    """Return the places for the payouts. Entries that share a place also share its prizes."""
    placed = [one for one in standings if one.place is not None]
    groups = [[one.entry for one in group] for _place, group in groupby(placed, key=lambda one: one.place)]
    without = tuple(one.entry for one in standings if one.place is None)
    return Placings(make_placings_from_finish(groups), (), without)


# --- Seating ---------------------------------------------------------------------------------------------------------
# As few entries as possible sit with somebody they have met, however often. Exchanges come first, then annealing if
# needed, and a proof for small fields. The seed's lots break ties.


MAX_ENTRIES_FOR_EXACT_SEARCH: Final = 20
"""Up to this many entries, the result is guaranteed to have as few repeats as possible."""

MAX_ENTRIES_FOR_PROOF_ATTEMPT: Final = 40
"""Up to this many entries, the search tries to prove, within a time limit, that the result has the fewest repeats."""

_PROOF_STEPS: Final = 300_000
"""The maximum number of steps to prove the result for a larger field, which takes about a second."""


@dataclass(frozen=True, slots=True)
class _SeatedTables:
    """The entries at each table. Each table is sorted, and the tables are sorted by their first entry.

    `repeats` counts the pairs at the same table that had met before. `is_least` is true if no seating can have fewer.
    """

    tables: tuple[tuple[int, ...], ...]
    repeats: int
    is_least: bool


def _compute_table_sizes(entries: int, size: int = 4) -> tuple[int, ...]:
    """Return the sizes of the tables, largest first.

    There are as few tables as possible, of sizes as equal as possible.

    A table has at most `size` entries. Nobody sits alone, so with tables of two, an odd number makes one table of
    three.
    """
    if entries < MIN_TABLE_SIZE or not MIN_TABLE_SIZE <= size <= MAX_TABLE_SIZE:
        raise ValueError("tables take two to five, and nobody sits alone")
    tables = min(-(-entries // size), entries // MIN_TABLE_SIZE)
    small, larger = divmod(entries, tables)
    return (small + 1,) * larger + (small,) * (tables - larger)


def seat_entries_at_tables(
    entries: Sequence[int], met: Iterable[tuple[int, int]], *, size: int = 4, seed: str
) -> _SeatedTables:
    """Return the tables for the next round with as few repeated meetings as possible.

    `met` may name entries that have left, and may list a pair twice. With up to `MAX_ENTRIES_FOR_EXACT_SEARCH` entries,
    or at tables of two, the result is guaranteed to be the minimum. Otherwise, `is_least` is true if the search reached
    the lower bound or proved that no seating is better. The same input gives the same tables on any machine, and the
    order of the entries does not matter.

    >>> seat_entries_at_tables([1, 2, 3, 4, 5, 6], [(1, 2), (3, 4)], size=2, seed="friday").repeats
    0
    >>> seat_entries_at_tables([1, 2, 3], [(1, 2), (2, 1), (3, 9)], size=3, seed="friday")
    _SeatedTables(tables=((1, 2, 3),), repeats=1, is_least=True)

    Raises:
        ValueError: there are fewer than two entries, one occurs twice, or the size is not from two to five.
    """
    require_unique_entries(entries)
    sizes = _compute_table_sizes(len(entries), size)
    turn = order_by_lot(entries, seed=seed)
    known = _index_meetings_by_lot(turn, met)
    hall, is_least = _search_seating(known, sizes, seed)
    tables = sorted(tuple(sorted(turn[place] for place in table)) for table in hall.tables)
    return _SeatedTables(tuple(tables), hall.conflict_count, is_least)


def _search_seating(known: Mapping[int, set[int]], sizes: Sequence[int], seed: str) -> tuple[SeatingArrangement, bool]:
    if sizes[0] == MIN_TABLE_SIZE:
        # Tables of two only are a pairing without records, which is exact for any field.
        field = [EntryWithRecord(entry, wins=0, met=frozenset(met)) for entry, met in known.items()]
        return SeatingArrangement(pair_by_record(field, seed=seed).pairs, known), True
    enough = count_unavoidable_repeats((len(known) - 1 - len(met) for met in known.values()), sizes[-1])
    lots = SeededRandom(seed)
    hall = _improve_by_exchanges(_fill_tables(known, sizes), lots, enough=enough)
    if hall.conflict_count > enough:
        annealed = _search_by_annealing(SeatingArrangement(hall.tables, known), lots, enough=enough)
        hall = min(hall, annealed, key=lambda found: found.conflict_count)
    if hall.conflict_count == enough or len(known) > MAX_ENTRIES_FOR_PROOF_ATTEMPT:
        return hall, hall.conflict_count == enough
    steps = None if len(known) <= MAX_ENTRIES_FOR_EXACT_SEARCH else _PROOF_STEPS
    better, is_least = find_seating_with_fewest_repeats(known, sizes, below=hall.conflict_count, steps=steps)
    return hall if better is None else SeatingArrangement(better, known), is_least


def _index_meetings_by_lot(turn: Sequence[int], met: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    turn_of = {entry: index for index, entry in enumerate(turn)}
    known: dict[int, set[int]] = {index: set() for index in range(len(turn))}
    for one, other in met:
        if one in turn_of and other in turn_of:
            known[turn_of[one]].add(turn_of[other])
            known[turn_of[other]].add(turn_of[one])
    return known


# --- Search by exchanges ---------------------------------------------------------------------------------------------

_MAX_EXCHANGES_WITHOUT_GAIN: Final = 1_000_000
"""The maximum number of exchanges to try in a row without an improvement. This takes less than a second."""

_MAX_STEPS_WITHOUT_GAIN: Final = 400


def _fill_tables(known: Mapping[int, Collection[int]], sizes: Sequence[int]) -> SeatingArrangement:
    tables: list[list[int]] = [[] for _ in sizes]
    at: dict[int, int] = {}
    open_tables = list(range(len(sizes)))
    for entry in known:
        met = Counter(at[other] for other in known[entry] if other in at)
        chosen = min(open_tables, key=met.__getitem__)
        tables[chosen].append(entry)
        at[entry] = chosen
        open_tables.remove(chosen)
        if len(tables[chosen]) < sizes[chosen]:
            open_tables.append(chosen)
    return SeatingArrangement(tables, known)


def _improve_by_exchanges(hall: SeatingArrangement, lots: SeededRandom, *, enough: int) -> SeatingArrangement:
    """Return the best seating found by exchanging two entries at a time. Stop at `enough` repeats.

    Each step makes the best exchange for one entry, even if that is no improvement. An entry that has just moved stays
    for a few steps, so that the search does not go in circles.
    """
    own = {entry: hall.count_conflicts(entry, hall.at[entry]) for entry in hall.known}
    best = now = hall.conflict_count
    best_tables = hall.copy_tables()
    since, step = 0, 0
    rests_until = dict.fromkeys(hall.known, 0)
    most = min(_MAX_STEPS_WITHOUT_GAIN, _MAX_EXCHANGES_WITHOUT_GAIN // max(1, len(hall.known)))
    while best > enough and since < most:
        step, since = step + 1, since + 1
        unhappy = [entry for entry, repeats in own.items() if repeats]
        one = unhappy[lots.pick_below(len(unhappy))]
        awake = [other for other, until in rests_until.items() if until < step]
        found = _find_best_exchange(hall, own, one, awake, lots)
        if found is None:
            continue
        gain, other = found
        hall.exchange(one, other)
        for table in (hall.at[one], hall.at[other]):
            own |= {entry: hall.count_conflicts(entry, table) for entry in hall.tables[table]}
        now -= gain
        rests_until[one], rests_until[other] = step + 1 + lots.pick_below(3), step + 1 + lots.pick_below(3)
        if now < best:
            best, best_tables, since = now, hall.copy_tables(), 0
    return SeatingArrangement(best_tables, hall.known)


def _find_best_exchange(
    hall: SeatingArrangement, own: Mapping[int, int], one: int, others: Iterable[int], lots: SeededRandom
) -> tuple[int, int] | None:
    known, at = hall.known, hall.at
    here, met = at[one], known[one]
    there = Counter(at[other] for other in met)
    knows_here = Counter(other for sitting in hall.tables[here] for other in known[sitting])
    best: list[int] = []
    most = -len(known) * len(known)
    for other in others:
        if at[other] == here:
            continue
        # An entry that has met `one` is counted once too often at either table, since the two swap tables.
        gain = own[one] + own[other] - there[at[other]] - knows_here[other] + 2 * (other in met)
        if gain > most:
            most, best = gain, [other]
        elif gain == most:
            best.append(other)
    return (most, best[lots.pick_below(len(best))]) if best else None


# --- Search by annealing ---------------------------------------------------------------------------------------------
# If the exchanges stop short, a longer search makes random exchanges, fewer and fewer of them bad.

_START_TEMPERATURE: Final = 24_000
_TEMPERATURE_SCALE: Final = 65_536
_EXCHANGES_PER_ENTRY: Final = 2_500
_MAX_EXCHANGES: Final = 200_000
"""The maximum number of exchanges in simulated annealing. This takes about half a second."""


def _search_by_annealing(hall: SeatingArrangement, lots: SeededRandom, *, enough: int) -> SeatingArrangement:
    entries = tuple(hall.known)
    count = len(entries)
    effort = min(_MAX_EXCHANGES, _EXCHANGES_PER_ENTRY * count)
    now = best = hall.conflict_count
    best_tables = hall.copy_tables()
    for turn in range(effort):
        one, other = entries[lots.pick_below(count)], entries[lots.pick_below(count)]
        if hall.at[one] == hall.at[other]:
            continue
        worse = hall.count_added_conflicts(one, other)
        left = effort - turn
        chance = _START_TEMPERATURE * left * left // (effort * effort)
        if worse > 0 and not all(lots.pick_below(_TEMPERATURE_SCALE) < chance for _ in range(worse)):
            continue
        hall.exchange(one, other)
        now += worse
        if now < best:
            best, best_tables = now, hall.copy_tables()
            if best <= enough:
                break
    return SeatingArrangement(best_tables, hall.known)
