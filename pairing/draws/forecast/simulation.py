"""Simulate the rest of a stage until its end.

For speed, everything is stored as plain numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from operator import add, gt
from typing import Final, NamedTuple

from pairing.draws.desk.desk import DeskTerms
from pairing.draws.forecast.pace import LENGTHS_PER_DISTRIBUTION, GameLengthDistribution
from pairing.draws.order import SeededRandom
from pairing.draws.results import WinLossRecord
from pairing.draws.stages.qualifier import QualifierTerms

_ANY_DIFFERENCE: Final = 50
"""The allowed difference in wins if there is no limit."""

USUAL_DROPOUTS, USUAL_DROPOUT_WEIGHT = 1.0, 100.0
"""The dropout rate that is assumed before anybody has left: 1 in every 100 entries that finish a game."""

_EXTRA_CANDIDATES: Final = 12
"""How many more entries than free seats are considered when tables are scarce.

Considering all waiting entries would take too long.
"""

_MASK_64_BITS: Final = (1 << 64) - 1


@dataclass(frozen=True)
class SimulationStart:
    """The state from which a simulation starts.

    `seats` are the records of the entries still in play. `minutes` is how long each of them has been waiting or
    playing. `opponents` maps one entry of each game in progress to the other entry. `finished_games` counts each game
    once for each of its entries. `dropouts` counts the entries that have left.
    """

    terms: QualifierTerms
    desk: DeskTerms
    tables: int
    seats: tuple[WinLossRecord, ...]
    minutes: tuple[float, ...]
    opponents: Mapping[int, int]
    dropouts: int = 0
    finished_games: int = 0

    def __post_init__(self) -> None:
        if self.tables < 1:
            raise ValueError("nobody plays without a table")

    @cached_property
    def max_games(self) -> int:
        return sum(max(0, self.terms.games - seat.wins - seat.losses) for seat in self.seats) // 2 + 1

    @cached_property
    def dropout_rate(self) -> int:
        """The dropout rate: how many of every 65,536 entries that finish a game are expected to leave the event."""
        return int(65536 * (self.dropouts + USUAL_DROPOUTS) / (self.finished_games + USUAL_DROPOUT_WEIGHT))

    @cached_property
    def seat_index_by_entry(self) -> Mapping[int, int]:
        return {seat.entry: place for place, seat in enumerate(self.seats)}

    @cached_property
    def records_with_next_game(self) -> frozenset[tuple[int, int]]:
        """The win-loss records with which an entry may still have another game to play after its current one."""
        plays_on, counts = self.terms.has_next_game, range(self.terms.games)
        return frozenset(
            (wins, losses)
            for wins in counts
            for losses in counts
            if plays_on(wins + 1, losses) or plays_on(wins, losses + 1)
        )

    @cached_property
    def previous_opponents(self) -> list[int]:
        """The previous opponents of each entry, as a bit set of indexes into `seats`."""
        index = self.seat_index_by_entry
        return [sum(1 << index[other] for other in seat.met if other in index) for seat in self.seats]

    def simulate(self, pace: GameLengthDistribution, turn: int) -> tuple[float, int]:
        """Run simulation number `turn`. Return the minutes until it ends, and the number of games that start in it."""
        return _QualifyingRun(self, pace, turn).simulate()


class _QualifyingRun:
    """One simulated run of a qualifying stage.

    Times are in minutes from now, and entries are numbered by their index in `seats`.
    """

    def __init__(self, rest: SimulationStart, pace: GameLengthDistribution, turn: int) -> None:
        self.rest, self.desk, self.terms, self.pace = rest, rest.desk, rest.terms, pace
        self.difference = _ANY_DIFFERENCE if rest.desk.difference is None else rest.desk.difference
        self.state = (turn + 1) * 0xD1342543DE82EF95 & _MASK_64_BITS
        self.wins = [seat.wins for seat in rest.seats]
        self.losses = [seat.losses for seat in rest.seats]
        self.met = list(rest.previous_opponents)
        self.games = 0
        self.coming = 0
        """A bit for each entry at a table that may have another game to play after this one."""
        index = rest.seat_index_by_entry
        self.tables: list[tuple[float, int, int]] = []
        for one, other in rest.opponents.items():
            elapsed = rest.minutes[index[one]] if one in index else 0.0
            left = pace.pick_minutes_left(self._pick_random_number() / 65536, elapsed)
            sides = index.get(one, -1), index.get(other, -1)
            self.tables.append((left, *sides))
            self._mark_possible_next_games(*sides)
        heapify(self.tables)
        busy = {place for _end, *sides in self.tables for place in sides}
        self.waiting = {place: -minutes for place, minutes in enumerate(rest.minutes) if place not in busy}

    def _pick_random_number(self) -> int:
        """Return a pseudorandom number from 0 to 65,535, which is sixteen bits from Vigna's SplitMix64."""
        self.state = state = (self.state + 0x9E3779B97F4A7C15) & _MASK_64_BITS
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64_BITS
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK_64_BITS
        return (state ^ (state >> 31)) >> 48

    def simulate(self) -> tuple[float, int]:
        now = ended = 0.0
        while True:
            again = self._start_games(now)
            if self.tables and self.tables[0][0] <= again:
                now, one, other = heappop(self.tables)
                ended = now
                self._end_game(now, one, other)
            elif len(self.waiting) > 1:
                now = again
            else:
                return ended, self.games

    def _end_game(self, now: float, one: int, other: int) -> None:
        winner, loser = (one, other) if self._pick_random_number() & 1 else (other, one)
        for place, record in ((winner, self.wins), (loser, self.losses)):
            if place >= 0:
                self.coming &= ~(1 << place)
                record[place] += 1
                if (
                    self.terms.has_next_game(self.wins[place], self.losses[place])
                    and self._pick_random_number() >= self.rest.dropout_rate
                ):
                    self.waiting[place] = now

    def _start_games(self, now: float) -> float:
        """Start all games that the desk would start now. Return the time of the next attempt."""
        waiting, desk = self.waiting, self.desk
        if len(waiting) < 2:
            return float("inf") if self.tables else now
        due = min(waiting.values()) + desk.longest_wait
        if len(waiting) < desk.wait_for and now < due and self.coming:
            return due
        if len(self.tables) >= self.rest.tables:
            return float("inf")
        self._pair_waiting_entries(now)
        if len(waiting) < 2:
            return float("inf") if self.tables else now
        return max(now + 1.0, min(waiting.values()) + desk.longest_wait)

    def _pair_waiting_entries(self, now: float) -> None:
        """Pair the entries from most wins to fewest.

        Each gets the possible opponent whose number of wins is closest to its own. If tables are scarce, the pairs that
        have waited longest start first.
        """
        waiting = self.waiting
        free = self.rest.tables - len(self.tables)
        first = sorted(waiting, key=waiting.__getitem__)[: 2 * free + _EXTRA_CANDIDATES]
        order = sorted(first, key=lambda place: -self.wins[place])
        if len(order) % 2:
            # Of the win groups of odd size, the entry with the shortest wait stays.
            odd: set[int] = set()
            for place in order:
                odd ^= {self.wins[place]}
            order.remove(max((place for place in order if self.wins[place] in odd), key=waiting.__getitem__))
        hopes = {place for place in order if self.coming & ~self.met[place]}
        pairs = []
        while len(order) > 1:
            one = order.pop(0)
            other = next((other for other in order if self._can_meet(one, other, hopes, now)), None)
            if other is not None:
                order.remove(other)
                pairs.append((min(waiting[one], waiting[other]), one, other))
        for _since, one, other in sorted(pairs)[:free]:
            self._start_game(now, one, other)

    def _mark_possible_next_games(self, *places: int) -> None:
        for place in places:
            if place >= 0 and (self.wins[place], self.losses[place]) in self.rest.records_with_next_game:
                self.coming |= 1 << place

    def _can_meet(self, one: int, other: int, hopes: set[int], now: float) -> bool:
        """Return whether the desk would pair these two entries.

        `hopes` are the entries that may still get a new opponent when a game ends. If neither entry is one of them,
        they are paired even if they have met or their numbers of wins differ a lot.
        """
        if one not in hopes and other not in hopes:
            return True
        if self.met[one] >> other & 1:
            return False
        beyond = abs(self.wins[one] - self.wins[other]) - self.difference
        waited = now - min(self.waiting[one], self.waiting[other])
        return beyond <= 0 or 0 < (self.desk.grow_every or 0) * beyond <= waited

    def _start_game(self, now: float, one: int, other: int) -> None:
        for place in (one, other):
            del self.waiting[place]
        self.met[one] |= 1 << other
        self.met[other] |= 1 << one
        self.games += 1
        self._mark_possible_next_games(one, other)
        heappush(self.tables, (now + self.pace.pick_length(self._pick_random_number() / 65536), one, other))


# --- Hall ------------------------------------------------------------------------------------------------------------
# Simulate games that are known in advance: a bracket, groups, or rounds.

_LOT_COUNT: Final = 65536
_MAX_CACHED_SCHEDULES: Final = 8
_MAX_CACHED_RUNS: Final = 200
"""The number of runs whose random numbers are cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingGame:
    """An open game.

    The game starts when the games in `predecessors` and all games of earlier waves have ended. Neither of its `sides`
    may be playing elsewhere.

    `elapsed` is how many minutes the game has been at a table, or None if it has not started. `length` is relative to a
    usual game. `probability` is the probability that the game is played at all.
    """

    name: str
    predecessors: tuple[str, ...] = ()
    sides: tuple[int, ...] = ()
    wave: int = 0
    elapsed: float | None = None
    length: float = 1.0
    probability: float = 1.0


@dataclass(frozen=True)
class TableSchedule:
    """The games in the order in which they are called, and the number of tables.

    `pause` is the number of minutes that a table and its players need before their next game.

    Raises:
        ValueError: there is no table, a name occurs twice, or a game is listed before one that it depends on.
    """

    games: tuple[RemainingGame, ...]
    tables: int
    pause: float = 0.0

    def __post_init__(self) -> None:
        if self.tables < 1:
            raise ValueError("nobody plays without a table")
        if len(self.index_by_name) < len(self.games):
            raise ValueError("every game has a name of its own")
        before: set[str] = set()
        for game in self.games:
            if any(name in self.index_by_name and name not in before for name in game.predecessors):
                raise ValueError("a game stands behind those it waits for")
            before.add(game.name)

    @cached_property
    def index_by_name(self) -> dict[str, int]:
        return {game.name: place for place, game in enumerate(self.games)}

    @cached_property
    def open_predecessor_counts(self) -> list[int]:
        """For each game, the number of unfinished games that have to end before it can start.

        Games that are not in `games` have already ended.
        """
        return [sum(name in self.index_by_name for name in game.predecessors) for game in self.games]

    @cached_property
    def dependent_games(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _game in self.games]
        for place, game in enumerate(self.games):
            for name in game.predecessors:
                if name in self.index_by_name:
                    found[self.index_by_name[name]].append(place)
        return found

    @cached_property
    def games_with_predecessors(self) -> list[tuple[RemainingGame, list[int]]]:
        return [
            (game, [self.index_by_name[name] for name in game.predecessors if name in self.index_by_name])
            for game in self.games
        ]

    @cached_property
    def waits_only_for_tables(self) -> bool:
        """Whether games wait only for free tables and for the games that they depend on.

        This is false if a player has several games, or if games have to wait for an earlier wave.
        """
        sides = [side for game in self.games for side in game.sides]
        return len(self.games_by_wave) < 2 and len(set(sides)) == len(sides)

    @cached_property
    def games_by_side(self) -> dict[int, list[int]]:
        """Each side's games that have not started, as indexes into `games`."""
        found: dict[int, list[int]] = {}
        for place, game in enumerate(self.games):
            for side in game.sides if game.elapsed is None else ():
                found.setdefault(side, []).append(place)
        return found

    @cached_property
    def games_by_wave(self) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for place, game in enumerate(self.games):
            found.setdefault(game.wave, []).append(place)
        return [found[wave] for wave in sorted(found)]

    @property
    def unstarted_game_count(self) -> int:
        """The number of games that have not started, not counting those that may turn out to be unnecessary."""
        return sum(game.elapsed is None and game.probability >= 1 for game in self.games)

    def simulate(self, pace: GameLengthDistribution, turns: int) -> list[float]:
        """Return the minutes until the last game ends, for each of `turns` runs."""
        if not self.waits_only_for_tables:
            return [_ScheduleRun(self, pace, turn).simulate() for turn in range(turns)]
        begins, frees, ended = self.simulate_without_waits(pace, turns)
        if len(self.games) <= self.tables:
            return ended
        return [
            last if _has_enough_tables(self.tables, own, freed) else _ScheduleRun(self, pace, turn).simulate()
            for turn, (own, freed, last) in enumerate(zip(zip(*begins), zip(*frees), ended, strict=True))  # noqa: B905
        ]

    def simulate_without_waits(
        self, pace: GameLengthDistribution, turns: int
    ) -> tuple[list[list[float]], list[list[float]], list[float]]:
        """Simulate the games as if there were enough tables for all of them.

        For each run, return when each game starts, when it frees its table, and when the last game ends.
        """
        begins, frees, last = list[list[float]](), list[list[float]](), [0.0] * turns
        all_lots = _make_random_numbers_by_game(turns, _round_up_game_count(len(self.games)))
        for (game, before), lots in zip(self.games_with_predecessors, all_lots, strict=False):
            if len(before) > 1:
                at = list(map(max, *(frees[place] for place in before)))
            else:
                at = frees[before[0]] if before else [0.0] * turns
            if game.elapsed is None:
                minutes = [game.length * pace.lengths[step] for step in lots.steps]
            else:
                minutes = [
                    game.length * left for left in pace.list_minutes_left(lots.how_long, game.elapsed / game.length)
                ]
            ends = list(map(add, at, minutes))
            freed = [end + self.pause for end in ends]
            if game.elapsed is None and game.probability < 1:
                played = [lot < game.probability for lot in lots.is_played]
                ends = [end if is_played else 0.0 for end, is_played in zip(ends, played, strict=True)]
                freed = [free if is_played else begin for free, begin, is_played in zip(freed, at, played, strict=True)]
            last = list(map(max, last, ends))
            begins.append(at)
            frees.append(freed)
        return begins, frees, last


def _has_enough_tables(tables: int, begins: Iterable[float], frees: Iterable[float]) -> bool:
    """Return whether every game has a table when it starts."""
    return not any(map(gt, sorted(frees), sorted(begins)[tables:]))


def _simulate_game_minutes(game: RemainingGame, pace: GameLengthDistribution, lot: float) -> float:
    if game.elapsed is None:
        return game.length * pace.pick_length(lot)
    return game.length * pace.pick_minutes_left(lot, game.elapsed / game.length)


class _ScheduleRun:
    """One simulated run of a `TableSchedule`.

    Times are in minutes from now, and games are numbered by their index in `games`.
    """

    def __init__(self, hall: TableSchedule, pace: GameLengthDistribution, turn: int) -> None:
        self.hall, self.pace = hall, pace
        self.lots = _make_random_numbers(turn, _round_up_game_count(len(hall.games)))
        self.waits_for = list(hall.open_predecessor_counts)
        self.begun = [game.elapsed is not None for game in hall.games]
        self.playing: list[tuple[float, int]] = []
        self.busy: set[int] = set()
        self.ready: list[int] = []
        self.ended = 0.0

    def simulate(self) -> float:
        at = 0.0
        for wave in self.hall.games_by_wave:
            at = self._simulate_wave(wave, at)
        return self.ended

    def _simulate_wave(self, wave: Sequence[int], at: float) -> float:
        for place in wave:
            game = self.hall.games[place]
            if game.elapsed is not None:
                self._start_game(place, game.sides, at + _simulate_game_minutes(game, self.pace, self.lots[place][1]))
        self.ready = [place for place in wave if not self.begun[place] and not self.waits_for[place]]
        heapify(self.ready)
        self._start_ready_games(at)
        while self.playing:
            at, place = heappop(self.playing)
            self._end_game(place)
            if self.ready:
                self._start_ready_games(at)
        return at

    def _start_game(self, place: int, sides: tuple[int, ...], ends: float) -> None:
        self.begun[place] = True
        self.busy.update(sides)
        if ends > self.ended:
            self.ended = ends
        heappush(self.playing, (ends + self.hall.pause, place))

    def _end_game(self, place: int) -> None:
        sides = self.hall.games[place].sides
        self.busy.difference_update(sides)
        self._release_followers(place)
        for side in sides:
            for other in self.hall.games_by_side.get(side, ()):
                if not self.begun[other] and not self.waits_for[other]:
                    heappush(self.ready, other)

    def _release_followers(self, place: int) -> None:
        for follower in self.hall.dependent_games[place]:
            self.waits_for[follower] -= 1
            if not self.waits_for[follower] and not self.begun[follower]:
                heappush(self.ready, follower)

    def _start_ready_games(self, at: float) -> None:
        """Start the ready games in order until all tables are in use."""
        games, ready, playing, tables = self.hall.games, self.ready, self.playing, self.hall.tables
        while ready and len(playing) < tables:
            place = heappop(ready)
            game = games[place]
            if self.begun[place] or not self.busy.isdisjoint(game.sides):
                continue
            is_played, how_long = self.lots[place]
            if is_played >= game.probability:
                self.begun[place] = True
                self._release_followers(place)
                continue
            self._start_game(place, game.sides, at + _simulate_game_minutes(game, self.pace, how_long))


def _round_up_game_count(count: int) -> int:
    """Round up `count`, the number of games that need random numbers, to a power of two that is at least 256.

    The cached numbers can then be used again after some games have ended.
    """
    return max(256, 1 << (count - 1).bit_length())


@lru_cache(maxsize=_MAX_CACHED_RUNS)
def _make_random_numbers(turn: int, count: int) -> tuple[tuple[float, float], ...]:
    """Return two random numbers (0 <= lot < 1) for each game of a simulated run.

    One number decides whether the game is played, and the other one how long it takes. The numbers are cached because
    they are the same in each forecast.
    """
    lots = SeededRandom(f"run {turn}")
    return tuple(
        (lots.pick_below(_LOT_COUNT) / _LOT_COUNT, lots.pick_below(_LOT_COUNT) / _LOT_COUNT) for _game in range(count)
    )


class _GameRandomNumbers(NamedTuple):
    """The random numbers for one game, with one number for each run of the simulation.

    `steps` chooses a length from a `GameLengthDistribution`. It is computed from the random numbers in `how_long`.
    """

    is_played: tuple[float, ...]
    how_long: tuple[float, ...]
    steps: tuple[int, ...]


@lru_cache(maxsize=_MAX_CACHED_SCHEDULES)
def _make_random_numbers_by_game(turns: int, count: int) -> tuple[_GameRandomNumbers, ...]:
    found = []
    for drawn in zip(*(_make_random_numbers(turn, count) for turn in range(turns)), strict=True):
        is_played, how_long = zip(*drawn, strict=True)
        found.append(
            _GameRandomNumbers(is_played, how_long, tuple(int(lot * LENGTHS_PER_DISTRIBUTION) for lot in how_long))
        )
    return tuple(found)
