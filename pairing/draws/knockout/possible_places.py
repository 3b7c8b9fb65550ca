"""Work out the places that every entry of a bracket can still get while it is in play.

We play the bracket to its end once, which tells how many entries lose in each round. That number does not depend on
who wins an open match, since one of the two loses it. Then we follow each entry through the matches that it can still
reach.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Final

from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.double_bracket import DoubleBracket, DoubleMatch, LoserOf, Part
from pairing.draws.knockout.double_progress import DoubleProgress, Ends, double_exit_rounds
from pairing.draws.knockout.elimination import (
    AnyBracket,
    AnyProgress,
    can_end_with,
    make_any_placings,
    make_any_progress,
)
from pairing.draws.knockout.placing import Placings, exit_rounds
from pairing.draws.knockout.progress import State
from pairing.draws.results.credits import BracketFact
from tournament.purse import TiedPlaces

MOST_FORKS: Final = 6
"""The number of open matches that are tried both ways. With more of them, every place is treated as possible."""


def possible_places(
    bracket: AnyBracket,
    facts: Iterable[BracketFact],
    rank: Callable[[AnyProgress], Placings] = make_any_placings,
) -> dict[int, tuple[TiedPlaces, ...]]:
    """Return the finishes that each entry can still have, best first, if every open match is played and won.

    An entry with one finish has it for certain. A disqualified entry has none. `rank` places everybody once the
    bracket is over, including entries of the event that are not in the bracket.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.results.credits import MatchOutcome
    >>> found = possible_places(make_bracket((7, 2, 5, 9)), [MatchOutcome.won("R1M1", 7, 2)])
    >>> [(entry, [str(tie) for tie in ties]) for entry, ties in sorted(found.items())]
    [(2, ['3–4']), (5, ['1', '2', '3–4']), (7, ['1', '2']), (9, ['1', '2', '3–4'])]
    """
    recorded = tuple(facts)
    now = make_any_progress(bracket, recorded)
    forks = _forks(now)
    found: defaultdict[int, set[TiedPlaces]] = defaultdict(set)
    for winners in product((0, 1), repeat=len(forks) if len(forks) <= MOST_FORKS else 0):
        fixed = dict(zip(forks, winners, strict=False))
        over = make_any_progress(bracket, recorded, lambda match, fixed=fixed: fixed.get(match, 0))  # type: ignore[misc]
        places = {entry: placing.places for placing in rank(over).finish for entry in placing.entries}
        of_round = {turn: places[entry] for entry, turn in _exit_rounds(over).items() if entry in places}
        ends = _open_ends(now, over, fixed)
        for entry, tie in places.items():
            found[entry] |= {of_round[turn] for turn in ends.get(entry, ()) if turn in of_round} or {tie}
    if len(forks) > MOST_FORKS:
        anywhere = set().union(*found.values())
        found = defaultdict(set, dict.fromkeys(found, anywhere))
    return {entry: tuple(sorted(ties)) for entry, ties in found.items()}


def _exit_rounds(progress: AnyProgress) -> dict[int, int]:
    return double_exit_rounds(progress) if isinstance(progress, DoubleProgress) else exit_rounds(progress)


def _forks(now: AnyProgress) -> tuple[str, ...]:
    """Return the open matches that lead to a kept side. Their winners are passed over, or are the kept entry."""
    forks: set[str] = set()
    for name, view in reversed(tuple(now.views.items())):
        for side in view.sides:
            if isinstance(side.source, DrawnSide) or now[side.source.match].state is State.DECIDED:
                continue
            if side.kept or name in forks:
                forks.add(side.source.match)
    return tuple(name for name in now.views if name in forks)


def _open_ends(now: AnyProgress, over: AnyProgress, fixed: Mapping[str, int]) -> dict[int, set[int]]:
    """Return the rounds in which each entry of an open match can still be eliminated.

    `over` is one possible end of the bracket. All ends have walkovers in the same matches.
    """
    bracket = now.bracket
    ends = Ends(bracket) if isinstance(bracket, DoubleBracket) else None
    champion = ends.champion if ends is not None else bracket.matches[-1].round + 1
    winners: dict[str, set[int]] = {}
    losers: dict[str, set[int]] = {}
    found: defaultdict[int, set[int]] = defaultdict(set)
    for name, view in now.views.items():
        then = over[name]
        if view.state in (State.DECIDED, State.NOT_NEEDED) or then.state is State.NOT_NEEDED:
            continue
        sides = []
        for side in view.sides:
            if side.entry is not None or side.vacant or isinstance(side.source, DrawnSide):
                sides.append({side.entry} if side.entry is not None else set())
            else:
                coming = losers if isinstance(side.source, LoserOf) else winners
                sides.append(coming.get(side.source.match, set()))
        if then.by_itself:
            won = [then.winner is not None and side.entry == then.winner for side in then.sides]
            winners[name] = set().union(*(side for side, wins in zip(sides, won, strict=True) if wins))
            losers[name] = set().union(*(side for side, wins in zip(sides, won, strict=True) if not wins))
            if then.winner is None:
                losers[name] = set()
        elif name in fixed:
            winners[name], losers[name] = sides[fixed[name]], sides[1 - fixed[name]]
        else:
            winners[name] = losers[name] = sides[0] | sides[1]
            if not (isinstance(view.match, DoubleMatch) and view.match.part is Part.WINNERS):
                turn = ends.of(name) if ends is not None else view.match.round
                for entry in losers[name]:
                    found[entry].add(turn)
        if can_end_with(bracket, name):
            for entry in winners[name]:
                found[entry].add(champion)
    return dict(found)
