"""An event in rounds at tables: everybody sits down each round, and the points of all rounds decide.

    order ──first_tables──► round 1          the drawn order, entries to keep apart at different tables
    rounds ──next_tables──► next round       fewest repeated meetings, entries that sat out least sit out first
    rounds ──make_standings──► standings     totals, low or high first, ties share a place
    standings ──place_standings──► placings, for the purse

The rule set says whether low or high totals win: "Low score … wins" (Fort Worth Gin, the seed book).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, groupby, islice
from typing import Any, Final

from pairing.draws.knockout.elimination import Placings
from pairing.draws.order import by_lot
from pairing.draws.places import Move
from pairing.draws.results import Cause, Removal
from pairing.draws.separation.draw import AvoidList
from pairing.draws.separation.exchanges import Seats, following, separate_pairs
from pairing.draws.table_rounds.seating import LARGEST_TABLE, SMALLEST_TABLE, seat, table_sizes
from tournament.cases import Fields, Problems
from tournament.purse import place_finish

MOST_ROUNDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTerms:
    """The terms of rounds at tables. `size` is the most entries at one table.

    If `full` is true, every table has exactly that many, and the entries left over sit the round out.
    """

    size: int = 4
    full: bool = False
    rounds: int = 1

    def as_json(self) -> dict[str, Any]:
        return {"size": self.size, "full": self.full, "rounds": self.rounds}

    @property
    def fewest(self) -> int:
        return self.size if self.full else SMALLEST_TABLE

    def left_over(self, entries: int) -> int:
        """Return how many of these entries sit a round out.

        >>> TableTerms(size=3, full=True).left_over(8), TableTerms(size=3).left_over(8)
        (2, 0)
        """
        return entries % self.size if self.full else 0

    def sizes(self, entries: int) -> tuple[int, ...]:
        """Return the sizes of the tables for a number of entries, larger ones first.

        >>> TableTerms(size=3, full=True).sizes(8), TableTerms(size=4).sizes(9)
        ((3, 3), (3, 3, 3))

        Raises:
            ValueError: there are fewer than `fewest` entries.
        """
        if entries < self.fewest:
            raise ValueError("too few for one table")
        return table_sizes(entries - self.left_over(entries), self.size)


def read_table_terms(options: Mapping[str, Any]) -> TableTerms:
    """Read the options of an event strictly. Missing options have their defaults.

    >>> read_table_terms({"size": 3, "full": True, "rounds": 2})
    TableTerms(size=3, full=True, rounds=2)

    Raises:
        BadCase: an option is unknown or out of bounds.
    """
    problems = Problems()
    fields = Fields(dict(options), problems)
    terms = TableTerms(
        size=fields.integer("size", minimum=SMALLEST_TABLE, maximum=LARGEST_TABLE, default=4),
        full=fields.boolean("full", default=False),
        rounds=fields.integer("rounds", minimum=1, maximum=MOST_ROUNDS, default=1),
    )
    fields.finish()
    problems.check()
    return terms


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """The end of a table: the points of every entry that has any, by entry number.

    A table that was closed without play has no points, and `cause` says why. A void outcome opens the table again.
    """

    points: Mapping[int, int]
    winner: int | None = None
    cause: Cause = Cause.PLAYED


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of one round: its match, its entries in the order of the seats, and its outcome, if there is one."""

    match: str
    entries: tuple[int, ...]
    outcome: TableOutcome | None = None

    @property
    def is_decided(self) -> bool:
        return self.outcome is not None and self.outcome.cause is not Cause.VOID

    @property
    def points(self) -> Mapping[int, int]:
        return self.outcome.points if self.outcome is not None and self.is_decided else {}

    @property
    def was_closed(self) -> bool:
        """Whether the table ended without points for anybody."""
        return self.is_decided and not self.points


@dataclass(frozen=True, slots=True)
class SeatedRound:
    number: int
    tables: tuple[SeatedTable, ...]
    sits_out: tuple[int, ...] = ()

    @property
    def unfinished(self) -> tuple[SeatedTable, ...]:
        return tuple(table for table in self.tables if not table.is_decided)

    def table_of(self, entry: int) -> SeatedTable | None:
        return next((table for table in self.tables if entry in table.entries), None)

    def points_of(self, entry: int) -> int | None:
        table = self.table_of(entry)
        return table.points.get(entry) if table else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The current state of the event: the rounds that were seated and posted, and the removed entries.

    `entries` holds the entries of the draw in the drawn order, followed by late entries.
    """

    terms: TableTerms
    entries: tuple[int, ...]
    rounds: tuple[SeatedRound, ...] = ()
    gone: Mapping[int, Removal]
    low_wins: bool = False

    @property
    def current(self) -> SeatedRound | None:
        """The round that was seated last."""
        return self.rounds[-1] if self.rounds else None

    @property
    def ready(self) -> tuple[SeatedTable, ...]:
        """Every table that is being played or still has to be, earlier rounds first."""
        return tuple(table for each in self.rounds for table in each.unfinished)

    @property
    def is_complete(self) -> bool:
        """Whether all rounds are seated and every table is decided."""
        return len(self.rounds) >= self.terms.rounds and not self.ready

    @property
    def met(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """Map every two entries that sat together, lower number first, to the rounds. A closed table does not count."""
        found: dict[tuple[int, int], list[int]] = {}
        for each in self.rounds:
            for table in each.tables:
                for pair in () if table.was_closed else combinations(sorted(table.entries), 2):
                    found.setdefault(pair, []).append(each.number)
        return {pair: tuple(numbers) for pair, numbers in found.items()}

    def tables_of(self, entry: int) -> tuple[tuple[int, SeatedTable], ...]:
        """Return the tables of an entry in all rounds, each with the number of the round."""
        found = ((each.number, each.table_of(entry)) for each in self.rounds)
        return tuple((number, table) for number, table in found if table is not None)

    def find(self, match: str) -> tuple[int, SeatedTable] | None:
        found = ((each.number, table) for each in self.rounds for table in each.tables if table.match == match)
        return next(found, None)


@dataclass(frozen=True, slots=True)
class RoundTables:
    """A round before it is posted: its tables in the order of the seats, and the entries that sit out.

    `again` holds the pairs that met before, `together` the pairs that should be kept apart. `is_least` is true if it
    is certain that no seating has fewer of both. `moves` holds the changes to the drawn order in round 1.
    """

    tables: tuple[tuple[int, ...], ...]
    sits_out: tuple[int, ...] = ()
    again: tuple[tuple[int, int], ...] = ()
    together: tuple[tuple[int, int], ...] = ()
    is_least: bool = True
    moves: tuple[Move, ...] = ()


def first_tables(order: Sequence[int], terms: TableTerms, avoid: AvoidList) -> RoundTables:
    """Seat round 1 in the drawn order, from the first table on. The last drawn sit out if tables must be full.

    If two entries at one table should be kept apart, the later-drawn changes places with the next later-drawn entry at
    another table. The exchange must leave nobody at the two tables with an entry to be kept apart from. Earlier-drawn
    entries are tried after those. If there is none, the earlier-drawn of the two is moved in the same way. If that is
    impossible too, both stay.

    >>> first_tables([4, 9, 2, 7, 5], TableTerms(size=3), AvoidList([(4, 9)])).tables
    ((4, 7, 2), (9, 5))

    Raises:
        ValueError: there are too few entries for one table.
    """
    coming = iter(order)
    opponents = avoid.opponents()
    drawn = {entry: turn for turn, entry in enumerate(order)}
    hall = Seats([islice(coming, size) for size in terms.sizes(len(order))], opponents)

    def choose(entry: int, _stays: int) -> int | None:
        return hall.first_fit(entry, following(order, drawn[entry]))

    moves = tuple(separate_pairs(hall, hall.together(drawn.__getitem__), choose, opponents))
    return RoundTables(tuple(map(tuple, hall.tables)), tuple(coming), moves=moves)


def next_tables(
    rounds: Rounds, entries: Collection[int], *, seed: str, apart: Iterable[tuple[int, int]] = ()
) -> RoundTables:
    """Seat the next round, so that as few entries as possible sit again with somebody they have met.

    At full tables, the entries that have sat out least often sit out. The seed's lots decide between equals, and the
    order of the seats. Pairs to be kept `apart` (clubs, couples, two entries of one person) count as if they had met.

    >>> before = Rounds(terms=TableTerms(size=2, rounds=2), entries=(1, 2, 3, 4), gone={},
    ...                 rounds=(SeatedRound(1, (SeatedTable("R1T1", (1, 2)), SeatedTable("R1T2", (3, 4)))),))
    >>> next_tables(before, [1, 2, 3, 4], seed="friday").again
    ()

    Raises:
        ValueError: there are too few entries for one table.
    """
    terms = rounds.terms
    terms.sizes(len(entries))
    turn = by_lot(entries, seed=seed)
    sat_out = Counter(entry for each in rounds.rounds for entry in each.sits_out)
    resting = sorted(turn, key=lambda entry: sat_out[entry])[: terms.left_over(len(turn))]
    playing = [entry for entry in turn if entry not in resting]
    parted = {(min(pair), max(pair)) for pair in apart}
    known = {*rounds.met, *parted}
    seating = seat(playing, known, size=terms.size, seed=seed)
    tables = tuple(tuple(sorted(table, key=turn.index)) for table in seating.tables)
    again, together = _pairs_among(tables, set(rounds.met)), _pairs_among(tables, parted)
    return RoundTables(tables, tuple(sorted(resting)), again, together, seating.is_least)


def _pairs_among(tables: Iterable[Iterable[int]], known: Collection[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    pairs = (pair for table in tables for pair in combinations(sorted(table), 2))
    return tuple(sorted(pair for pair in pairs if pair in known))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStanding:
    """The standing of an entry. `place` is None if it is disqualified or has never played.

    `points` holds its points of each round, with None for a round without points. `missed` counts the decided rounds
    in which it neither has points nor was seated out. `won` counts the tables it has won.
    """

    entry: int
    place: int | None
    tied: int = 1
    total: int
    points: tuple[int | None, ...]
    missed: int
    won: int

    @property
    def played(self) -> int:
        return sum(points is not None for points in self.points)


def make_standings(rounds: Rounds) -> tuple[TableStanding, ...]:
    """Rank everybody by points, best first, then the entries without a place.

    - The total decides. If some have played fewer rounds, because they sat out or their table is unfinished, the total
      per round decides.
    - A missed round (not coming, leaving) counts as zero points if high wins. If low wins, entries that have missed
      fewer rounds rank first. So nobody gains by staying away.
    - Equal entries share the place.
    """
    made = [_make_standing(rounds, entry) for entry in rounds.entries]
    placed = sorted((one for one in made if _has_place(rounds, one)), key=lambda one: _ranking_key(rounds, one))
    ranked: list[TableStanding] = []
    for _key, group in groupby(placed, key=lambda one: _ranking_key(rounds, one)[:-1]):
        equal = list(group)
        place = len(ranked) + 1
        ranked += [replace(one, place=place, tied=len(equal)) for one in equal]
    return (*ranked, *(one for one in sorted(made, key=lambda one: one.entry) if not _has_place(rounds, one)))


def make_standings_at_end(rounds: Rounds) -> tuple[TableStanding, ...]:
    """Return the standings of an event that is ended. If nobody has played, all share the first place."""
    made = make_standings(rounds)
    if any(one.place is not None for one in made):
        return made
    gone = rounds.gone
    level = [one for one in made if one.entry not in gone or gone[one.entry].keeps_place]
    found = [replace(one, place=1, tied=len(level)) for one in level]
    return (*found, *(one for one in made if one not in level))


def _make_standing(rounds: Rounds, entry: int) -> TableStanding:
    points = tuple(each.points_of(entry) for each in rounds.rounds)
    missed = sum(
        got is None and not each.unfinished and entry not in each.sits_out
        for got, each in zip(points, rounds.rounds, strict=True)
    )
    won = sum(table.outcome is not None and table.outcome.winner == entry for _number, table in rounds.tables_of(entry))
    total = sum(got for got in points if got is not None)
    return TableStanding(entry=entry, place=None, total=total, points=points, missed=missed, won=won)


def _has_place(rounds: Rounds, standing: TableStanding) -> bool:
    removal = rounds.gone.get(standing.entry)
    return standing.played > 0 and (removal is None or removal.keeps_place)


def _ranking_key(rounds: Rounds, standing: TableStanding) -> tuple[int, Fraction, int]:
    if rounds.low_wins:
        return standing.missed, Fraction(standing.total, standing.played), standing.entry
    return 0, Fraction(-standing.total, standing.played + standing.missed), standing.entry


def place_standings(standings: Sequence[TableStanding]) -> Placings:
    """Return the placings for the purse. Entries that share a place share what the places are worth."""
    placed = [one for one in standings if one.place is not None]
    groups = [[one.entry for one in group] for _place, group in groupby(placed, key=lambda one: one.place)]
    without = tuple(one.entry for one in standings if one.place is None)
    return Placings(place_finish(groups), (), without)
