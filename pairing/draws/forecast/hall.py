"""Simulate games that are known to come to their end: a bracket, groups, or rounds one after another.

A hall has the games and its tables. The games that a stage still has to play are listed at the end.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from operator import add, gt
from typing import Final, NamedTuple

from pairing.draws.forecast.pace import STEPS, Pace
from pairing.draws.knockout.bracket import DoubleMatch, DrawnSide
from pairing.draws.knockout.elimination import AnyProgress
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.order import Lots
from pairing.draws.results import Meeting
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool

_LOT: Final = 65536
_CACHED_HALLS: Final = 8
_CACHED_RUNS: Final = 200
"""The number of runs whose lots are cached. They serve several halls and take a few megabytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToPlay:
    """An open game. It begins when the games in `after` have ended and none of its `sides` plays elsewhere.

    Every game of an earlier `wave` must have ended, too. `elapsed` is the number of minutes the game has been at a
    table, or None if it has not begun. `length` is a multiple of the usual length. `chance` is the probability that
    the game is played at all.
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
    """The games in the order in which they are called, and the number of tables.

    `pause` is the time in minutes from the end of a game until its table and its sides play again.

    Raises:
        ValueError: there is no table, a name occurs twice, or a game comes before one it waits for.
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
        """The number of games that each game waits for. A game that is not in the list has ended."""
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
        return [(game, [self.index[name] for name in game.after if name in self.index]) for game in self.games]

    @cached_property
    def waits_only_for_tables(self) -> bool:
        """Whether games wait only for the games before them and for a table, but not for a wave or for a busy side."""
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
        """The number of games that have not begun, without those that may not be needed."""
        return sum(game.elapsed is None and game.chance >= 1 for game in self.games)

    def ends(self, pace: Pace, turns: int) -> list[float]:
        """Return the minutes until the last game has ended, in each of this many runs."""
        if not self.waits_only_for_tables:
            return [_HallRun(self, pace, turn).to_the_end() for turn in range(turns)]
        begins, frees, ended = self.straight_through(pace, turns)
        if len(self.games) <= self.tables:
            return ended
        return [
            last if has_enough_tables(self.tables, own, freed) else _HallRun(self, pace, turn).to_the_end()
            for turn, (own, freed, last) in enumerate(zip(zip(*begins), zip(*frees), ended, strict=True))  # noqa: B905
        ]

    def straight_through(self, pace: Pace, turns: int) -> tuple[list[list[float]], list[list[float]], list[float]]:
        """Simulate as if there were tables enough for all games.

        Return when each game begins and when it frees its table, and when the last game ends, by run. A game that is
        not played in a run begins and frees its table at the same moment.
        """
        begins, frees, last = list[list[float]](), list[list[float]](), [0.0] * turns
        all_lots = _lots_of_games(turns, _round_up_lots(len(self.games)))
        for (game, before), lots in zip(self.with_before, all_lots, strict=False):
            if len(before) > 1:
                at = list(map(max, *(frees[place] for place in before)))
            else:
                at = frees[before[0]] if before else [0.0] * turns
            if game.elapsed is None:
                minutes = [game.length * pace.lengths[step] for step in lots.steps]
            else:
                minutes = [game.length * left for left in pace.all_left(lots.how_long, game.elapsed / game.length)]
            ends = list(map(add, at, minutes))
            freed = [end + self.pause for end in ends]
            if game.elapsed is None and game.chance < 1:
                played = [lot < game.chance for lot in lots.is_played]
                ends = [end if is_played else 0.0 for end, is_played in zip(ends, played, strict=True)]
                freed = [free if is_played else begin for free, begin, is_played in zip(freed, at, played, strict=True)]
            last = list(map(max, last, ends))
            begins.append(at)
            frees.append(freed)
        return begins, frees, last


def has_enough_tables(tables: int, begins: Iterable[float], frees: Iterable[float]) -> bool:
    """Return whether there is a table for each game. A table that is freed at the moment a game begins counts as free.

    >>> [has_enough_tables(tables, [0.0, 0.0, 5.0, 6.0], [5.0, 9.0, 8.0, 7.0]) for tables in (2, 3)]
    [False, True]
    """
    return not any(map(gt, sorted(frees), sorted(begins)[tables:]))


def _minutes(game: ToPlay, pace: Pace, lot: float) -> float:
    """Return the minutes that a game still takes."""
    if game.elapsed is None:
        return game.length * pace.length(lot)
    return game.length * pace.left(lot, game.elapsed / game.length)


class _HallRun:
    """One run. Times are minutes from now, and games are numbered by their place in the hall."""

    def __init__(self, hall: Hall, pace: Pace, turn: int) -> None:
        self.hall, self.pace = hall, pace
        self.lots = _lots(turn, _round_up_lots(len(hall.games)))
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
                self._begin_game(place, game.sides, at + _minutes(game, self.pace, self.lots[place][1]))
        self.ready = [place for place in wave if not self.begun[place] and not self.waits_for[place]]
        heapify(self.ready)
        self._begin(at)
        while self.playing:
            at, place = heappop(self.playing)
            self._release(place)
            if self.ready:
                self._begin(at)
        return at

    def _begin_game(self, place: int, sides: tuple[int, ...], ends: float) -> None:
        """Begin a game. Its table and its sides are free again after the pause."""
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
        """Begin as many games as tables are free, in order.

        A game whose sides still play comes up again when they are free.
        """
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
            self._begin_game(place, game.sides, at + _minutes(game, self.pace, how_long))


def _round_up_lots(count: int) -> int:
    """Return how many lots to draw for a hall of `count` games.

    Rounding up keeps the cached lots useful while games end.

    >>> [_round_up_lots(count) for count in (1, 256, 257)]
    [256, 256, 512]
    """
    return max(256, 1 << (count - 1).bit_length())


@lru_cache(maxsize=_CACHED_RUNS)
def _lots(turn: int, count: int) -> tuple[tuple[float, float], ...]:
    """Return two lots from 0 up to 1 for each game of a run: one decides whether it is played, one how long it takes.

    They are the same in each forecast, so they are cached.
    """
    lots = Lots(f"run {turn}")
    return tuple((lots.below(_LOT) / _LOT, lots.below(_LOT) / _LOT) for _game in range(count))


class _GameLots(NamedTuple):
    """The lots of one game in each run. `steps` holds the index of the length in a pace that `how_long` selects."""

    is_played: tuple[float, ...]
    how_long: tuple[float, ...]
    steps: tuple[int, ...]


@lru_cache(maxsize=_CACHED_HALLS)
def _lots_of_games(turns: int, count: int) -> tuple[_GameLots, ...]:
    found = []
    for drawn in zip(*(_lots(turn, count) for turn in range(turns)), strict=True):
        is_played, how_long = zip(*drawn, strict=True)
        found.append(_GameLots(is_played, how_long, tuple(int(lot * STEPS) for lot in how_long)))
    return tuple(found)


# --- The open games of a stage ---------------------------------------------------------------------------------------
# The games that a stage still has to play are known beforehand in brackets, groups, play-offs and rounds.

_RESET_SHARE = 0.5
"""The share of finals that the side from the losers' bracket wins."""


def bracket_games(
    progress: AnyProgress, lengths: Mapping[str, float], elapsed: Mapping[str, float]
) -> tuple[ToPlay, ...]:
    """Return the open matches of a bracket.

    `lengths` and `elapsed` have the length and the minutes at a table by match.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.knockout.progress import make_progress
    >>> games = bracket_games(make_progress(make_bracket((4, None, 1, 3))), {"R2M1": 2.0}, {"R1M1": 12.0})
    >>> [(game.name, game.after, game.length, game.elapsed) for game in games]
    [('R1M1', (), 1.0, 12.0), ('R2M1', ('R1M1',), 2.0, None)]
    """
    open_states = (State.READY, State.WAITING)
    return tuple(
        ToPlay(
            name=view.match.id,
            after=tuple(dict.fromkeys(side.match for side in view.match.sides if not isinstance(side, DrawnSide))),
            length=lengths.get(view.match.id, 1.0),
            elapsed=elapsed.get(view.match.id) if view.state is State.READY else None,
            chance=_chance(view),
        )
        for view in progress.views.values()
        if view.state in open_states
    )


def _chance(view: MatchView) -> float:
    """Return the probability that a match is played. It is 0 if a side never comes."""
    if any(side.vacant for side in view.sides):
        return 0.0
    is_reset = isinstance(view.match, DoubleMatch) and view.match.if_needed
    return _RESET_SHARE if is_reset and view.state is State.WAITING else 1.0


def round_waves(pool: Pool) -> list[int]:
    """Return the number of games in each round of a Swiss stage that is still to come, of the entries still in it.

    >>> from pairing.draws.plan_reading import read_stage
    >>> from pairing.draws.stages.pools import Played, make_pool
    >>> swiss = read_stage({"kind": "swiss", "rounds": 3})
    >>> round_waves(make_pool(swiss.kind, swiss.pool, Played(entries=(4, 9, 2, 7, 5))))
    [2, 2, 2]
    """
    still_in = sum(one.removal is None for one in pool.qualifying.entrants.values())
    return [still_in // 2] * max(0, pool.terms.qualifier.games - pool.rounds)


def wave_games(
    now: Sequence[tuple[str, float | None]], waves: Iterable[int], *, length: float = 1.0
) -> tuple[ToPlay, ...]:
    """Return the games of the open round and of the rounds after it, which have this many games each.

    `now` has each open game with its minutes at a table, or None if it is at none.

    >>> [(game.name, game.wave) for game in wave_games([("G7", 4.0), ("G8", None)], [2, 1])]
    [('G7', 0), ('G8', 0), ('round +1 game 1', 1), ('round +1 game 2', 1), ('round +2 game 1', 2)]
    """
    games = [ToPlay(name=name, elapsed=elapsed, length=length) for name, elapsed in now]
    for wave, count in enumerate(waves, start=1):
        games += [
            ToPlay(name=f"round +{wave} game {number}", wave=wave, length=length) for number in range(1, count + 1)
        ]
    return tuple(games)


def play_off_waves(play_off: PlayOff, contenders: int) -> tuple[int, ...]:
    """Return how many matches each later round of a play-off has.

    >>> play_off_waves(PlayOff(places=2, rounds=()), 7)
    (3, 2)
    """
    left, found = contenders, []
    for played in play_off.rounds:
        left -= len(played.matches)
    while 0 < play_off.places < left:
        target = play_off.places
        while 2 * target < left:
            target *= 2
        found.append(left - target)
        left = target
    return tuple(found)


def fixed_games(
    scheduled: Iterable[Meeting], playing: Iterable[Meeting], elapsed: Mapping[str, float], *, length: float = 1.0
) -> tuple[ToPlay, ...]:
    """Return the games of groups. Nobody plays two at once.

    >>> at_table, next_one = Meeting("G1", (2, 3)), Meeting("G2", (1, 2))
    >>> [(game.name, game.elapsed) for game in fixed_games([next_one], [at_table], {"G1": 8.0})]
    [('G1', 8.0), ('G2', None)]
    """
    at_tables = [
        ToPlay(name=meeting.match, sides=meeting.sides, elapsed=elapsed.get(meeting.match, 0.0), length=length)
        for meeting in playing
    ]
    to_come = [ToPlay(name=meeting.match, sides=meeting.sides, length=length) for meeting in scheduled]
    return (*at_tables, *to_come)
