"""How far a double elimination is: the fold of `progress`, with a second life, and a reset that may not be needed.

- Who wins goes on, who loses a match of the winners' bracket drops to the losers' bracket, and who loses there is out.
- Where a side never comes, the side that stands there goes on by a walk-over at that moment: nobody waits for a bye. A
  match to which neither comes is won by nobody, and the next one is a walk-over in turn.
- Where a match of the winners' bracket is won by nobody (both absent, both put out), both are out: one place in the
  losers' bracket is not two. A director who lets one of them go on records it as the winner, with a loss of its own.
- The reset is needed only if both finalists are there and the one from the losers' bracket has won the final. Else it
  is `NOT_NEEDED` as soon as the final is decided; what was recorded for it before a correction is `fallen`, unless the
  reset is kept as it was played.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pairing.draws.knockout.bracket import DrawnSide
from pairing.draws.knockout.double_bracket import DoubleBracket, DoubleMatch, DoubleSource, LoserOf, Part
from pairing.draws.knockout.placing import Placings, rank_by_exit_round
from pairing.draws.knockout.progress import FactRecord, MatchView, MatchViews, Rest, Side, State, view_match
from pairing.draws.results.credits import BracketFact


@dataclass(frozen=True)
class DoubleProgress(MatchViews):
    bracket: DoubleBracket

    @property
    def last(self) -> MatchView:
        """The match that decides: the reset where it is needed, else the final."""
        reset = self.views[self.bracket.reset.id]
        final = self.views[self.bracket.final.id]
        return reset if final.state is State.DECIDED and reset.is_needed else final

    def way_of(self, entry: int) -> tuple[MatchView, ...]:
        """The matches in which an entry stands now, from its first on; a reset that is not needed is none."""
        return self._ways.get(entry, ())

    @cached_property
    def _ways(self) -> dict[int, tuple[MatchView, ...]]:
        found: defaultdict[int, list[MatchView]] = defaultdict(list)
        for view in self.views.values():
            if view.is_needed:
                for entry in view.entries:
                    found[entry].append(view)
        return {entry: tuple(views) for entry, views in found.items()}


def make_double_progress(
    bracket: DoubleBracket, facts: Iterable[BracketFact] = (), rest: Rest | None = None
) -> DoubleProgress:
    """The progress of a double elimination from the outcomes and removals, in the order of recording.

    With `rest` it is played to its end.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 4, 3)]
    >>> facts = [MatchOutcome.won(*who) for who in won]
    >>> progress = make_double_progress(make_double_bracket((4, None, 1, 3)), facts)
    >>> progress.champion, progress["F2M1"].state
    (4, <State.NOT_NEEDED: 'not-needed'>)

    Raises:
        ValueError: an outcome of a match that is not in the bracket.
    """
    record = FactRecord(facts, bracket.by_id, rest)
    views: dict[str, MatchView] = {}
    decided_at: dict[str, int] = {}
    for match in bracket.matches:
        sides = record.stand(match.id, _come_up(match.sides[0], views), _come_up(match.sides[1], views))
        if match.if_needed and not record.keeps(match.id) and _is_settled(views[bracket.final.id]):
            views[match.id] = MatchView(match, sides, is_needed=False)
            continue
        known_at = max((decided_at[side.match] for side in match.sides if not isinstance(side, DrawnSide)), default=0)
        views[match.id], decided_at[match.id] = view_match(match, sides, known_at, record)
    return DoubleProgress(views, record.removed, record.fallen(views), bracket)


def _come_up(source: DoubleSource, views: Mapping[str, MatchView]) -> Side:
    if isinstance(source, DrawnSide):
        return Side(source, source.number)
    earlier = views[source.match]
    if earlier.state is not State.DECIDED:
        return Side(source)
    coming = earlier.winner
    if isinstance(source, LoserOf):
        coming = None if earlier.winner is None else next(iter(earlier.losers), None)
    return Side(source, coming, vacant=coming is None)


def _is_settled(final: MatchView) -> bool:
    """Whether the final is decided and leaves nothing to play: only an unbeaten side that was there has a life left."""
    if final.state is not State.DECIDED:
        return False
    unbeaten, other = final.sides
    return unbeaten.entry is None or other.entry is None or final.winner != other.entry


def make_double_placings(progress: DoubleProgress) -> Placings:
    """The placings as far as they are settled: who is out earlier in the losers' bracket, is behind.

    - The loser of the last match is second, no matter who it is; the losers of one round of the losers' bracket tie.
    - Who is out by a match of the winners' bracket that nobody won is placed with those who lose the match into which
      its loser would have dropped. One removed while it waits, with those of the round in which it will be out.
    - Where nobody won the last match, both tie for first place. A disqualified entry has no place.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 3, 4), ("F2M1", 3, 4)]
    >>> facts = [MatchOutcome.won(*who) for who in won]
    >>> finish = make_double_placings(make_double_progress(make_double_bracket((4, None, 1, 3)), facts)).finish
    >>> [(placing.place, placing.entries) for placing in finish]
    [(1, (3,)), (2, (4,)), (3, (1,))]
    """
    return rank_by_exit_round(double_exit_rounds(progress), progress.bracket.entries, progress.removed)


def double_exit_rounds(progress: DoubleProgress) -> dict[int, int]:
    """Return how far each entry got that plays no more, as one of `Ends`."""
    ends = Ends(progress.bracket)
    out: dict[int, int] = {}
    for view in progress.views.values():
        if not view.is_needed:
            continue
        for entry in view.entries:
            out.pop(entry, None)
        out.update((entry, ends.of(name)) for entry, name in _left_behind(progress, view))
        leaving = view.losers if view.state is State.DECIDED else ()
        if view.state is State.WAITING:
            leaving = tuple(entry for entry in view.entries if entry in progress.removed)
        out.update((entry, ends.of(view.match.id)) for entry in leaving)
    if progress.is_complete and progress.last.winner is not None:
        out[progress.last.winner] = ends.champion
    return out


def _left_behind(progress: DoubleProgress, view: MatchView) -> Iterator[tuple[int, str]]:
    """Who was passed over here and stands in no match that follows from the one before, and the name of that one."""
    for side in view.sides:
        if side.instead_of is None or isinstance(side.source, DrawnSide):
            continue
        before, bracket = side.source.match, progress.bracket
        following = [match.id for match in (bracket.next_of.get(before), bracket.drop_of.get(before)) if match]
        if not any(side.instead_of in progress[name].entries for name in following):
            yield side.instead_of, before


class Ends:
    """The number of rounds that an eliminated entry got: the losers' bracket from 1, the finals, the champion."""

    def __init__(self, bracket: DoubleBracket) -> None:
        self.bracket = bracket
        self.final = 1 + max((match.round for match in bracket.matches if match.part is Part.LOSERS), default=0)
        self.champion = self.final + 1

    def of(self, name: str) -> int:
        match: DoubleMatch = self.bracket.by_id[name]
        if match.part is Part.WINNERS:
            match = self.bracket.drop_of[name]
        return match.round if match.part is Part.LOSERS else self.final
