"""Games that are known to come, played to their end in fast time: a bracket, groups, rounds one after another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from typing import Final

from pairing.draws.forecast.forecast_pace import STEPS, Pace
from pairing.draws.order.lots import Lots

LOT: Final = 65536
MOST_KEPT: Final = 200
"""Runs whose lots are kept: those of some halls, a few megabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToPlay:
    """A game that is open: it begins when those in `after` have ended, and none of its `sides` plays elsewhere.

    `wave`: every game of the waves before has ended, too. `elapsed`: for so many minutes it has been at a table; None:
    it has not begun. `length`: as many times as long as a usual one. `chance`: that it is played at all.
    """

    name: str
    after: tuple[str, ...] = ()
    sides: tuple[int, ...] = ()
    wave: int = 0
    elapsed: float | None = None
    length: float = 1.0
    chance: float = 1.0


@dataclass(frozen=True)
class Hall:
    """The games in the order in which they are called, and at how many tables.

    `pause`: minutes from the end of a game until its table and its sides play again.

    Raises:
        ValueError: no table, one name twice, or games that wait for each other.
    """

    games: tuple[ToPlay, ...]
    tables: int
    pause: float = 0.0

    def __post_init__(self) -> None:
        if self.tables < 1:
            raise ValueError("nobody plays without a table")
        if len(self.index) < len(self.games):
            raise ValueError("every game has a name of its own")
        before: set[str] = set()
        for game in self.games:
            if any(name in self.index and name not in before for name in game.after):
                raise ValueError("a game stands behind those it waits for")
            before.add(game.name)

    @cached_property
    def index(self) -> dict[str, int]:
        return {game.name: place for place, game in enumerate(self.games)}

    @cached_property
    def waits_for(self) -> list[int]:
        """Of each game how many it waits for; whoever is not in the list has ended."""
        return [sum(name in self.index for name in game.after) for game in self.games]

    @cached_property
    def followers(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _game in self.games]
        for place, game in enumerate(self.games):
            for name in game.after:
                if name in self.index:
                    found[self.index[name]].append(place)
        return found

    @cached_property
    def with_before(self) -> list[tuple[ToPlay, list[int]]]:
        """Each game with the places of those it waits for."""
        return [(game, [self.index[name] for name in game.after if name in self.index]) for game in self.games]

    @cached_property
    def waits_for_none(self) -> bool:
        """No game waits for a wave, or for a side that plays elsewhere: only for those before it, and for a table."""
        sides = [side for game in self.games for side in game.sides]
        return len(self.waves) < 2 and len(set(sides)) == len(sides)

    @cached_property
    def of_side(self) -> dict[int, list[int]]:
        """The games of each side that have not begun."""
        found: dict[int, list[int]] = {}
        for place, game in enumerate(self.games):
            for side in game.sides if game.elapsed is None else ():
                found.setdefault(side, []).append(place)
        return found

    @cached_property
    def waves(self) -> list[list[int]]:
        found: dict[int, list[int]] = {}
        for place, game in enumerate(self.games):
            found.setdefault(game.wave, []).append(place)
        return [found[wave] for wave in sorted(found)]

    @property
    def to_come(self) -> int:
        """How many games have not begun, those that may not be needed left out."""
        return sum(game.elapsed is None and game.chance >= 1 for game in self.games)

    def play(self, pace: Pace, turn: int) -> float:
        """After how many minutes the last game has ended; `turn` is which of the many runs it is."""
        if self.waits_for_none:
            begins, frees, ended = self.straight_through(pace, turn)
            if most_at_once(begins, frees) <= self.tables:
                return ended
        return _Played(self, pace, turn).to_the_end()

    def straight_through(self, pace: Pace, turn: int) -> tuple[list[float], list[float], float]:
        """As if there were tables enough: when games begin and free their tables, and when the last one ends."""
        lengths, pause, last = pace.lengths, self.pause, 0.0
        begins, frees, over = list[float](), list[float](), list[float]()
        for (game, before), (is_played, how_long) in zip(self.with_before, _lots(turn, len(self.games)), strict=True):
            at = max([over[place] for place in before]) if before else 0.0
            if game.elapsed is not None:
                ends = at + _minutes(game, pace, how_long)
            elif is_played < game.chance:
                ends = at + game.length * lengths[int(how_long * STEPS)]
            else:
                over.append(at)
                continue
            if ends > last:
                last = ends
            begins.append(at)
            frees.append(ends + pause)
            over.append(ends + pause)
        return begins, frees, last


def most_at_once(begins: Sequence[float], frees: Sequence[float]) -> int:
    """At how many tables is played at once, one that is free again at that moment not counted.

    >>> most_at_once([0.0, 0.0, 5.0, 6.0], [5.0, 9.0, 8.0, 7.0])
    3
    """
    ends, most, now, free = sorted(frees), 0, 0, 0
    for at in sorted(begins):
        while ends[free] <= at:
            free, now = free + 1, now - 1
        now += 1
        most = max(most, now)
    return most


def _minutes(game: ToPlay, pace: Pace, lot: float) -> float:
    """How long it still takes."""
    if game.elapsed is None:
        return game.length * pace.length(lot)
    return game.length * pace.left(lot, game.elapsed / game.length)


class _Played:
    """One run, minutes from now; games by their place in the hall."""

    def __init__(self, hall: Hall, pace: Pace, turn: int) -> None:
        self.hall, self.pace = hall, pace
        self.lots = _lots(turn, len(hall.games))
        self.waits_for = list(hall.waits_for)
        self.begun = [game.elapsed is not None for game in hall.games]
        self.playing: list[tuple[float, int]] = []
        self.busy: set[int] = set()
        self.ready: list[int] = []
        self.ended = 0.0

    def to_the_end(self) -> float:
        at = 0.0
        for wave in self.hall.waves:
            at = self._play_wave(wave, at)
        return self.ended

    def _play_wave(self, wave: Sequence[int], at: float) -> float:
        for place in wave:
            game = self.hall.games[place]
            if game.elapsed is not None:
                self._sit(place, game.sides, at + _minutes(game, self.pace, self.lots[place][1]))
        self.ready = [place for place in wave if not self.begun[place] and not self.waits_for[place]]
        heapify(self.ready)
        self._begin(at)
        while self.playing:
            at, place = heappop(self.playing)
            self._release(place)
            if self.ready:
                self._begin(at)
        return at

    def _sit(self, place: int, sides: tuple[int, ...], ends: float) -> None:
        """Its table and its sides are free again after the pause."""
        self.begun[place] = True
        self.busy.update(sides)
        if ends > self.ended:
            self.ended = ends
        heappush(self.playing, (ends + self.hall.pause, place))

    def _release(self, place: int) -> None:
        sides = self.hall.games[place].sides
        self.busy.difference_update(sides)
        self._follow(place)
        for side in sides:
            for other in self.hall.of_side.get(side, ()):
                if not self.begun[other] and not self.waits_for[other]:
                    heappush(self.ready, other)

    def _follow(self, place: int) -> None:
        for follower in self.hall.followers[place]:
            self.waits_for[follower] -= 1
            if not self.waits_for[follower] and not self.begun[follower]:
                heappush(self.ready, follower)

    def _begin(self, at: float) -> None:
        """As many as tables are free, in their order; whose sides still play, comes up again when they are free."""
        games, ready, playing, tables = self.hall.games, self.ready, self.playing, self.hall.tables
        while ready and len(playing) < tables:
            place = heappop(ready)
            game = games[place]
            if self.begun[place] or not self.busy.isdisjoint(game.sides):
                continue
            is_played, how_long = self.lots[place]
            if is_played >= game.chance:
                self.begun[place] = True
                self._follow(place)
                continue
            self._sit(place, game.sides, at + _minutes(game, self.pace, how_long))


@lru_cache(maxsize=MOST_KEPT)
def _lots(turn: int, count: int) -> tuple[tuple[float, float], ...]:
    """Of a run, two from 0 up to 1 for each game: whether it is played, and how long it takes.

    They are the same in each forecast, so a hall that is asked again draws none.
    """
    lots = Lots(f"run {turn}")
    return tuple((lots.below(LOT) / LOT, lots.below(LOT) / LOT) for _game in range(count))
