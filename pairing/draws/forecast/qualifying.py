"""Simulate the rest of a qualifying to its end, with plain numbers and as little work for each game as possible."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from pairing.draws.forecast.pace import Pace
from pairing.draws.stages.qualifier import QualifierTerms

FEWEST_WAITING: Final = 4
USUAL_DROPOUTS, USUAL_DROPOUT_WEIGHT = 1.0, 100.0
"""The usual dropouts, before anybody has left: 1 of every 100 entries that end a game."""

_EXTRA_CANDIDATES: Final = 12
"""The number of entries considered besides those that can go, if tables are short. All of them would take too long."""

_MASK: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPace:
    """The way a desk pairs in the simulation: when `pair_at` entries wait, or one has waited `longest_wait` minutes.

    Two may meet if their wins differ by at most `difference`. It grows by one with each `grows_every` minutes that
    either has waited. If `grows_every` is 0, it does not grow.
    """

    tables: int
    pair_at: int = FEWEST_WAITING
    longest_wait: float = 5.0
    difference: int = 1
    grows_every: float = 5.0

    def __post_init__(self) -> None:
        if self.tables < 1:
            raise ValueError("nobody plays without a table")


@dataclass(frozen=True, slots=True)
class EntryClock:
    """An entry in play, and the minutes for which it has been waiting or playing."""

    number: int
    wins: int
    losses: int
    met: frozenset[int]
    minutes: float


class Run(NamedTuple):
    """The minutes until a run ended, and the number of games that began in it."""

    minutes: float
    games: int


@dataclass(frozen=True)
class RemainingPlay:
    """The state in which the rest begins.

    `opponents` has each game at a table once. `finished_games` counts each game once for each of
    its entries, and `dropouts` counts the entries that left after a game.
    """

    terms: QualifierTerms
    desk: DeskPace
    seats: tuple[EntryClock, ...]
    opponents: Mapping[int, int]
    dropouts: int = 0
    finished_games: int = 0

    @cached_property
    def games_at_most(self) -> int:
        return sum(max(0, self.terms.games - seat.wins - seat.losses) for seat in self.seats) // 2 + 1

    @cached_property
    def dropout_share(self) -> int:
        """The number of entries, of every 65,536 that end a game, that leave the event."""
        return int(65536 * (self.dropouts + USUAL_DROPOUTS) / (self.finished_games + USUAL_DROPOUT_WEIGHT))

    @cached_property
    def index(self) -> Mapping[int, int]:
        return {seat.number: place for place, seat in enumerate(self.seats)}

    @cached_property
    def records_with_next_game(self) -> frozenset[tuple[int, int]]:
        """The records with which an entry at a table may have another game to play."""
        plays_on, counts = self.terms.plays_on, range(self.terms.games)
        return frozenset(
            (wins, losses)
            for wins in counts
            for losses in counts
            if plays_on(wins + 1, losses) or plays_on(wins, losses + 1)
        )

    @cached_property
    def met(self) -> list[int]:
        """A bit set for each seat, with the seats it has met."""
        index = self.index
        return [sum(1 << index[other] for other in seat.met if other in index) for seat in self.seats]

    def simulate(self, pace: Pace, turn: int) -> Run:
        """Simulate the rest to its end. `turn` is the number of the run."""
        return _QualifyingRun(self, pace, turn).to_the_end()


class _QualifyingRun:
    """One run. Times are minutes from now, and entries are numbered by their place among the seats."""

    def __init__(self, rest: RemainingPlay, pace: Pace, turn: int) -> None:
        self.rest, self.desk, self.terms, self.pace = rest, rest.desk, rest.terms, pace
        self.state = (turn + 1) * 0xD1342543DE82EF95 & _MASK
        self.wins = [seat.wins for seat in rest.seats]
        self.losses = [seat.losses for seat in rest.seats]
        self.met = list(rest.met)
        self.games = 0
        self.coming = 0
        """A bit for each entry at a table that may have another game to play after this one."""
        index = rest.index
        self.tables: list[tuple[float, int, int]] = []
        for one, other in rest.opponents.items():
            elapsed = rest.seats[index[one]].minutes if one in index else 0.0
            left = pace.left(self._lot() / 65536, elapsed)
            sides = index.get(one, -1), index.get(other, -1)
            self.tables.append((left, *sides))
            self._sit(*sides)
        heapify(self.tables)
        busy = {place for _end, *sides in self.tables for place in sides}
        self.waiting = {place: -seat.minutes for place, seat in enumerate(rest.seats) if place not in busy}

    def _lot(self) -> int:
        """Return a number from 0 to 65,535: sixteen bits of Vigna's SplitMix64."""
        self.state = state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return (state ^ (state >> 31)) >> 48

    def to_the_end(self) -> Run:
        now = ended = 0.0
        while True:
            again = self._send(now)
            if self.tables and self.tables[0][0] <= again:
                now, one, other = heappop(self.tables)
                ended = now
                self._end(now, one, other)
            elif len(self.waiting) > 1:
                now = again
            else:
                return Run(ended, self.games)

    def _end(self, now: float, one: int, other: int) -> None:
        winner, loser = (one, other) if self._lot() & 1 else (other, one)
        for place, record in ((winner, self.wins), (loser, self.losses)):
            if place >= 0:
                self.coming &= ~(1 << place)
                record[place] += 1
                if self.terms.plays_on(self.wins[place], self.losses[place]) and self._lot() >= self.rest.dropout_share:
                    self.waiting[place] = now

    def _send(self, now: float) -> float:
        """Pair the entries that may be paired. Return when to look again if no game ends before."""
        waiting, desk = self.waiting, self.desk
        if len(waiting) < 2:
            return float("inf") if self.tables else now
        due = min(waiting.values()) + desk.longest_wait
        if len(waiting) < desk.pair_at and now < due and self.coming:
            return due
        if len(self.tables) >= desk.tables:
            return float("inf")
        self._pair(now)
        if len(waiting) < 2:
            return float("inf") if self.tables else now
        return max(now + 1.0, min(waiting.values()) + desk.longest_wait)

    def _pair(self, now: float) -> None:
        """Pair from the most wins down, each entry with the nearest it may meet.

        If tables are short, the pairs with the longest wait begin first.
        """
        waiting = self.waiting
        free = self.desk.tables - len(self.tables)
        first = sorted(waiting, key=waiting.__getitem__)[: 2 * free + _EXTRA_CANDIDATES]
        order = sorted(first, key=lambda place: -self.wins[place])
        if len(order) % 2:
            # The entry with the shortest wait among the groups of wins of odd size stays.
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
            self._begin(now, one, other)

    def _sit(self, *places: int) -> None:
        for place in places:
            if place >= 0 and (self.wins[place], self.losses[place]) in self.rest.records_with_next_game:
                self.coming |= 1 << place

    def _can_meet(self, one: int, other: int, hopes: set[int], now: float) -> bool:
        """Return whether the desk lets the two meet. If neither can hope for a new opponent, any opponent will do."""
        if one not in hopes and other not in hopes:
            return True
        if self.met[one] >> other & 1:
            return False
        beyond = abs(self.wins[one] - self.wins[other]) - self.desk.difference
        waited = now - min(self.waiting[one], self.waiting[other])
        return beyond <= 0 or 0 < self.desk.grows_every * beyond <= waited

    def _begin(self, now: float, one: int, other: int) -> None:
        for place in (one, other):
            del self.waiting[place]
        self.met[one] |= 1 << other
        self.met[other] |= 1 << one
        self.games += 1
        self._sit(one, other)
        heappush(self.tables, (now + self.pace.length(self._lot() / 65536), one, other))
