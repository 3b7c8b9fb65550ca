"""The progress of a double elimination, computed as in `progress`, with a second life and a reset.

- The winner of a match advances. The loser of a match in the winners' bracket drops to the losers' bracket. The loser
  of a match there is out.
- If a side never comes, the other side advances by a walkover at once. Nobody waits for a bye. If neither side comes,
  nobody wins the match, and the next match is a walkover in turn.
- If nobody wins a match of the winners' bracket (both absent, both removed), both are out. One place in the losers'
  bracket cannot hold two. A director can let one of them advance by recording it as the winner, with a loss of its
  own.
- The reset is needed only if both finalists are present and the one from the losers' bracket has won the final.
  Otherwise it is `NOT_NEEDED` as soon as the final is decided. A result that was recorded for the reset before a
  correction is then `fallen`, unless the reset is kept as it was played.
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
        """The deciding match: the reset if it is needed, otherwise the final."""
        reset = self.views[self.bracket.reset.id]
        final = self.views[self.bracket.final.id]
        return reset if final.state is State.DECIDED and reset.is_needed else final

    def way_of(self, entry: int) -> tuple[MatchView, ...]:
        """Return the matches that an entry is in, from its first match on, without a reset that is not needed."""
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
    """Return the progress of a double elimination from the outcomes and removals, in the order of recording.

    With `rest`, the bracket is played to its end.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 4, 3)]
    >>> facts = [MatchOutcome.won(*who) for who in won]
    >>> progress = make_double_progress(make_double_bracket((4, None, 1, 3)), facts)
    >>> progress.champion, progress["F2M1"].state
    (4, <State.NOT_NEEDED: 'not-needed'>)

    Raises:
        ValueError: an outcome names a match that is not in the bracket.
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
    """Return whether the final is decided and no reset is needed.

    A reset is needed only if both finalists were present and the one from the losers' bracket won.
    """
    if final.state is not State.DECIDED:
        return False
    unbeaten, other = final.sides
    return unbeaten.entry is None or other.entry is None or final.winner != other.entry


def make_double_placings(progress: DoubleProgress) -> Placings:
    """Return the placings as far as they are settled. An entry that is out earlier in the losers' bracket ranks lower.

    - The loser of the last match is second, whoever it is. The losers of one round of the losers' bracket tie.
    - If nobody won a match of the winners' bracket, both sides rank with the losers of the match into which its loser
      would have dropped. An entry removed while it waits ranks with those of the round in which it will be out.
    - If nobody won the last match, both tie for first place. A disqualified entry has no place.

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
    """Return how far each eliminated entry got, as a number of `Ends`."""
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
    """Yield the passed-over entries that are in no other match that follows, each with the match it came from."""
    for side in view.sides:
        if side.instead_of is None or isinstance(side.source, DrawnSide):
            continue
        before, bracket = side.source.match, progress.bracket
        following = [match.id for match in (bracket.next_of.get(before), bracket.drop_of.get(before)) if match]
        if not any(side.instead_of in progress[name].entries for name in following):
            yield side.instead_of, before


class Ends:
    """The numbers for how far an entry got: the losers' rounds from 1, then the finals, then the champion."""

    def __init__(self, bracket: DoubleBracket) -> None:
        self.bracket = bracket
        self.final = 1 + max((match.round for match in bracket.matches if match.part is Part.LOSERS), default=0)
        self.champion = self.final + 1

    def of(self, name: str) -> int:
        match: DoubleMatch = self.bracket.by_id[name]
        if match.part is Part.WINNERS:
            match = self.bracket.drop_of[name]
        return match.round if match.part is Part.LOSERS else self.final
