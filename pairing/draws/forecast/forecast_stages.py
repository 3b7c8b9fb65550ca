"""List the games that a stage still has to play, if they are known beforehand.

bracket ──bracket_games──► each match after the matches that its sides come from, the reset in half of the runs
rounds, play-off ──wave_games──► a round after the whole round before
groups ──fixed_games──► each game when both of its sides are free
"""

from collections.abc import Iterable, Mapping, Sequence

from pairing.draws.forecast.forecast_hall import ToPlay
from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.double_bracket import DoubleMatch
from pairing.draws.knockout.elimination import AnyProgress
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.results.win_loss import Meeting
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool

RESET_NEEDED = 0.5
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
    return RESET_NEEDED if is_reset and view.state is State.WAITING else 1.0


def round_waves(pool: Pool) -> list[int]:
    """Return the number of games in each round of a Swiss stage that is still to come, of the entries still in it.

    >>> from pairing.draws.plans.reading import read_stage
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
