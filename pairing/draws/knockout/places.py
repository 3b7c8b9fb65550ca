"""The bracket's places that are decided so far, and the places that each entry can still get.

The champion is first and the runner-up second. The losers of a round share their places. In a double elimination,
losers of earlier rounds in the losers' bracket rank lower.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

from pairing.draws.knockout.bracket import Bracket, BracketPart, DrawnSide, LoserOf
from pairing.draws.knockout.progress import (
    BracketMatchProgress,
    BracketMatchState,
    BracketProgress,
    make_bracket_progress,
)
from pairing.draws.results import BracketFact
from tournament.purse.prizes import Placing, TiedPlaces


@dataclass(frozen=True, slots=True)
class Placings:
    """The place of every entry in the draw. An entry is either placed, still in, or disqualified.

    `finish` has the places that count if the event ends now, best first. The entries in `still_in` rank above all of
    these. If three entries are still in, `finish` begins with fourth place.
    """

    finish: tuple[Placing, ...]
    still_in: tuple[int, ...]
    disqualified: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PossiblePlaces:
    """The places that each entry can still get, best first.

    If an entry has only one possible place, that place is certain. Disqualified entries have no place.
    """

    finishes: Mapping[int, tuple[TiedPlaces, ...]]
    still_in: tuple[int, ...] = ()
    disqualified: tuple[int, ...] = ()

    @classmethod
    def from_placings(cls, placings: Placings) -> "PossiblePlaces":
        """Return the possible places of a finished bracket, in which every entry has exactly one place."""
        finishes = {entry: (placing.places,) for placing in placings.finish for entry in placing.entries}
        return cls(finishes, (), placings.disqualified)

    @property
    def placed_entries(self) -> tuple[int, ...]:
        """The entries that have finished playing, sorted by place and then by number."""
        out = set(self.finishes) - set(self.still_in)
        return tuple(sorted(out, key=lambda entry: (self.finishes[entry], entry)))


def make_placings(progress: BracketProgress) -> Placings:
    """Return the places that are decided so far.

    - An entry ranks with the losers of its last match, even if that match was not played. An entry that was removed
      while it was waiting for an opponent ranks with the losers of that round. Entries withdrawn before the draw have
      no place.
    - If a match has no winner, both sides rank with the losers of that round. If it is in the winners' bracket, they
      rank with the losers of the round into which the loser would have dropped. If it is the last match, they tie for
      first place.
    - If an entry was passed over because the next match was kept, it ranks with the losers of the match that it won.
    - A disqualified entry has no place, no matter how far it got. The entries below it move up.

    >>> from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
    >>> from pairing.draws.results import MatchOutcome
    >>> won = [("R1M1", 7, 2), ("R1M2", 5, 9), ("R2M1", 5, 7)]
    >>> single = make_bracket_progress(make_bracket((7, 2, 5, 9)), [MatchOutcome.won(*who) for who in won])
    >>> [(placing.place, placing.entries) for placing in make_placings(single).finish]
    [(1, (5,)), (2, (7,)), (3, (2, 9))]
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 3, 4), ("F2M1", 3, 4)]
    >>> bracket = make_double_elimination_bracket((4, None, 1, 3))
    >>> double = make_bracket_progress(bracket, [MatchOutcome.won(*who) for who in won])
    >>> [(placing.place, placing.entries) for placing in make_placings(double).finish]
    [(1, (3,)), (2, (4,)), (3, (1,))]
    """
    entries, removed, exits = progress.bracket.entries, progress.removed, _compute_exit_numbers(progress)
    disqualified = {entry for entry in entries if entry in removed and not removed[entry].keeps_place}
    groups: dict[int, list[int]] = defaultdict(list)
    for entry in sorted(set(exits) - disqualified):
        groups[exits[entry]].append(entry)
    still_in = tuple(sorted(set(entries) - set(exits) - disqualified))
    place = len(still_in) + 1
    finish = []
    for end in sorted(groups, reverse=True):
        finish.append(Placing(place, tuple(groups[end])))
        place = finish[-1].last_place + 1
    return Placings(tuple(finish), still_in, tuple(sorted(disqualified)))


def _compute_exit_numbers(progress: BracketProgress) -> dict[int, int]:
    """Return how far each eliminated entry got, as the exit number of its last match.

    The champion has the highest number.
    """
    exits = progress.bracket.elimination_order
    out: dict[int, int] = {}
    for view in progress.views.values():
        if not view.is_needed:
            continue
        for entry in view.entries:
            out.pop(entry, None)
        leaving = view.losers
        if view.state is BracketMatchState.WAITING:
            leaving = tuple(entry for entry in view.entries if entry in progress.removed)
        out.update((entry, exits[view.match.id]) for entry in leaving)
        out.update((entry, exits[name]) for entry, name in _iter_entries_passed_over(progress, view))
    if progress.last_match.winner is not None:
        out[progress.last_match.winner] = exits[progress.bracket.final_match.id] + 1
    return out


def _iter_entries_passed_over(progress: BracketProgress, view: BracketMatchProgress) -> Iterator[tuple[int, str]]:
    for side in view.sides:
        if side.displaced_entry is None or isinstance(side.source, DrawnSide):
            continue
        before, bracket = side.source.match, progress.bracket
        following = [
            match.id for match in (bracket.next_matches.get(before), bracket.loser_matches.get(before)) if match
        ]
        if not any(side.displaced_entry in progress[name].entries for name in following):
            yield side.displaced_entry, before


# --- Places that are still possible ----------------------------------------------------------------------------------

_MAX_FORKS: Final = 6
"""The maximum number of open matches that are tried with both outcomes. If there are more, any place is possible."""


def find_possible_places(
    bracket: Bracket, facts: Iterable[BracketFact], rank: Callable[[BracketProgress], Placings] = make_placings
) -> dict[int, tuple[TiedPlaces, ...]]:
    """Return the places that each entry can still get, best first.

    Every open match is assumed to be played and to have a winner.

    If an entry has only one possible place, that place is certain. A disqualified entry has no place. `rank` ranks
    everybody once the bracket is over, including entries that are not in the bracket.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.results import MatchOutcome
    >>> found = find_possible_places(make_bracket((7, 2, 5, 9)), [MatchOutcome.won("R1M1", 7, 2)])
    >>> [(entry, [str(tie) for tie in ties]) for entry, ties in sorted(found.items())]
    [(2, ['3–4']), (5, ['1', '2', '3–4']), (7, ['1', '2']), (9, ['1', '2', '3–4'])]
    """
    recorded = tuple(facts)
    now = make_bracket_progress(bracket, recorded)
    forks = _find_matches_leading_to_kept_sides(now)
    found: defaultdict[int, set[TiedPlaces]] = defaultdict(set)
    for winners in product((0, 1), repeat=len(forks) if len(forks) <= _MAX_FORKS else 0):
        fixed = dict(zip(forks, winners, strict=False))
        over = make_bracket_progress(bracket, recorded, lambda match, fixed=fixed: fixed.get(match, 0))  # type: ignore[misc]
        places = {entry: placing.places for placing in rank(over).finish for entry in placing.entries}
        turns = _compute_exit_numbers(over)
        of_round = {turn: places[entry] for entry, turn in turns.items() if entry in places}
        ends = _find_possible_exit_numbers(now, over, fixed)
        for entry, tie in places.items():
            found[entry] |= {of_round[turn] for turn in ends.get(entry, ()) if turn in of_round} or {tie}
    if len(forks) > _MAX_FORKS:
        anywhere = set().union(*found.values())
        found = defaultdict(set, dict.fromkeys(found, anywhere))
    return {entry: tuple(sorted(ties)) for entry, ties in found.items()}


def _find_matches_leading_to_kept_sides(now: BracketProgress) -> tuple[str, ...]:
    """Return the undecided matches whose winner would advance to a place that is kept for another player.

    A place is kept if its player stayed in the match although a corrected result would send somebody else there.
    Matches that lead to such a place through other matches are included.
    """
    forks: set[str] = set()
    for name, view in reversed(tuple(now.views.items())):
        for side in view.sides:
            if isinstance(side.source, DrawnSide) or now[side.source.match].state is BracketMatchState.DECIDED:
                continue
            if side.kept or name in forks:
                forks.add(side.source.match)
    return tuple(name for name in now.views if name in forks)


def _find_possible_exit_numbers(
    now: BracketProgress, over: BracketProgress, fixed: Mapping[str, int]
) -> dict[int, set[int]]:
    """Return the exit numbers that each entry of an undecided match can still get.

    An entry's exit number is that of the match that eliminates it (`Bracket.elimination_order`). The champion's number
    is one higher than that of the final. `now` is the current progress of the bracket. `over` is its progress after one
    possible way to finish it, and shows which matches are not needed or are decided without play.

    `fixed` has the assumed winning side (0 or 1) of some undecided matches. They are the matches that lead to a side
    whose player was kept after a correction (`_find_matches_leading_to_kept_sides`).
    """
    bracket = now.bracket
    exits = bracket.elimination_order
    champion = exits[bracket.final_match.id] + 1
    winners: dict[str, set[int]] = {}
    losers: dict[str, set[int]] = {}
    found: defaultdict[int, set[int]] = defaultdict(set)
    for name, view in now.views.items():
        then = over[name]
        if (
            view.state in (BracketMatchState.DECIDED, BracketMatchState.NOT_NEEDED)
            or then.state is BracketMatchState.NOT_NEEDED
        ):
            continue
        sides = []
        for side in view.sides:
            if side.entry is not None or side.vacant or isinstance(side.source, DrawnSide):
                sides.append({side.entry} if side.entry is not None else set())
            else:
                coming = losers if isinstance(side.source, LoserOf) else winners
                sides.append(coming.get(side.source.match, set()))
        if then.is_decided_without_result:
            won = [then.winner is not None and side.entry == then.winner for side in then.sides]
            winners[name] = set().union(*(side for side, wins in zip(sides, won, strict=True) if wins))
            losers[name] = set().union(*(side for side, wins in zip(sides, won, strict=True) if not wins))
            if then.winner is None:
                losers[name] = set()
        elif name in fixed:
            winners[name], losers[name] = sides[fixed[name]], sides[1 - fixed[name]]
        else:
            winners[name] = losers[name] = sides[0] | sides[1]
            if view.match.part is not BracketPart.WINNERS:
                for entry in losers[name]:
                    found[entry].add(exits[name])
        if bracket.can_be_last_match(name):
            for entry in winners[name]:
                found[entry].add(champion)
    return dict(found)
