"""How far the bracket is: a fold of the outcomes and the removals over its matches.

Nothing is carried along: the same facts give the same progress, in whatever order the matches ended.

- The last outcome counts that was recorded for the two sides who meet now. When an earlier match is corrected
  and another entry comes up, what was recorded for the old pair holds no more (`fallen`), and counts again
  only if that pair meets after all. A void outcome takes back what was recorded before it.
- A recorded outcome stands, whoever is removed afterwards. A match without one is decided by itself as soon
  as both sides are known and one of them is removed (walk-over) or never comes, because its own match ended
  without a winner; if that is so of both sides, nobody wins and the next match is a walk-over in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from pairing.draws.bracket import Bracket, Entry, Match, Source
from pairing.draws.credits import Cause, Credit, MatchOutcome, Removal, Result


class State(StrEnum):
    WAITING = "waiting"
    READY = "ready"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a match as it is known now.

    `entry` is None while the match that gives it is open, and for good where nobody comes from there
    (`vacant`).
    """

    source: Source
    entry: int | None = None
    vacant: bool = False

    @property
    def is_known(self) -> bool:
        return self.vacant or self.entry is not None


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as it stands: its sides, its state, and its outcome once it is decided.

    `by_itself` marks an outcome that follows from removals and empty sides, without anybody having recorded
    it.
    """

    match: Match
    sides: tuple[Side, Side]
    outcome: MatchOutcome | None = None
    by_itself: bool = False

    @property
    def state(self) -> State:
        if self.outcome is not None:
            return State.DECIDED
        return State.READY if all(side.is_known for side in self.sides) else State.WAITING

    @property
    def winner(self) -> int | None:
        return None if self.outcome is None else self.outcome.winner

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side.entry for side in self.sides if side.entry is not None)

    @property
    def losers(self) -> tuple[int, ...]:
        """Whose way ends here: one entry, both if nobody won, nobody if the winner stood alone."""
        if self.outcome is None:
            return ()
        return tuple(entry for entry in self.entries if entry != self.winner)


@dataclass(frozen=True)
class Progress:
    """Every match as it stands, in the bracket's order, and the outcomes that hold no more."""

    bracket: Bracket
    views: Mapping[str, MatchView]
    removed: Mapping[int, Removal]
    fallen: tuple[MatchOutcome, ...]

    def __getitem__(self, match: str) -> MatchView:
        return self.views[match]

    @cached_property
    def ready(self) -> tuple[MatchView, ...]:
        return tuple(view for view in self.views.values() if view.state is State.READY)

    @property
    def is_complete(self) -> bool:
        """Whether the final is decided; it never is before all the others are."""
        return self.views[self.bracket.final.id].state is State.DECIDED

    @property
    def champion(self) -> int | None:
        """Who won the final, unless disqualified since; None too where nobody won it."""
        winner = self.views[self.bracket.final.id].winner
        if winner is None or not self.removed.get(winner, Removal.WITHDRAWN).keeps_place:
            return None
        return winner

    def way_of(self, entry: int) -> tuple[MatchView, ...]:
        """The matches of an entry from its first to the one it lost, or to the final while it is in.

        Raises:
            KeyError: the entry is not in the draw.
        """
        way = []
        for match in self.bracket.way_of(entry):
            way.append(self.views[match.id])
            if entry in way[-1].losers:
                break
        return tuple(way)


def make_progress(
    bracket: Bracket, outcomes: Iterable[MatchOutcome] = (), removed: Mapping[int, Removal] | None = None
) -> Progress:
    """The progress of a bracket from what was recorded, in the order of recording.

    Entries removed that are not in the draw change nothing.

    >>> from pairing.draws.bracket import make_bracket
    >>> bracket = make_bracket((4, None, 1, 3))
    >>> progress = make_progress(bracket, [MatchOutcome.won("R1M1", 3, 1)], {4: Removal.WITHDRAWN})
    >>> progress["R2M1"].entries, progress["R2M1"].by_itself, progress.champion
    ((4, 3), True, 3)

    Raises:
        ValueError: an outcome of a match that is not in the bracket.
    """
    gone = dict(removed or {})
    recorded: dict[str, list[MatchOutcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.match not in bracket.by_id:
            raise ValueError(f"there is no match {outcome.match} in this bracket")
        recorded[outcome.match].append(outcome)
    views: dict[str, MatchView] = {}
    for match in bracket.matches:
        sides = (_come_up(match.sides[0], views), _come_up(match.sides[1], views))
        views[match.id] = _view(match, sides, recorded.get(match.id, ()), gone)
    fallen = tuple(
        facts[-1]
        for match, facts in recorded.items()
        if not facts[-1].is_void and views[match].outcome is not facts[-1]
    )
    return Progress(bracket, views, gone, fallen)


def _come_up(source: Source, views: Mapping[str, MatchView]) -> Side:
    if isinstance(source, Entry):
        return Side(source, source.number)
    earlier = views[source.match]
    return Side(source, earlier.winner, earlier.state is State.DECIDED and earlier.winner is None)


def _view(
    match: Match, sides: tuple[Side, Side], recorded: Sequence[MatchOutcome], removed: Mapping[int, Removal]
) -> MatchView:
    if not all(side.is_known for side in sides):
        return MatchView(match, sides)
    present = tuple(side.entry for side in sides if side.entry is not None)
    held = next((fact for fact in reversed(recorded) if fact.sides == frozenset(present)), None)
    if held is not None and not held.is_void:
        return MatchView(match, sides, held)
    staying = [entry for entry in present if entry not in removed]
    if len(staying) == 2:
        return MatchView(match, sides)
    return MatchView(match, sides, _walk_over(match, present, staying, removed), by_itself=True)


def _walk_over(
    match: Match, present: tuple[int, ...], staying: Sequence[int], removed: Mapping[int, Removal]
) -> MatchOutcome:
    credits = {
        entry: Credit(Result.LOSS, removed[entry].cause if staying else Cause.BOTH_ABSENT)
        for entry in present
        if entry not in staying
    }
    credits.update((entry, Credit(Result.WIN, Cause.WALK_OVER)) for entry in staying)
    return MatchOutcome(match.id, staying[0] if staying else None, credits)


@dataclass(frozen=True, slots=True)
class Changes:
    """What a new fact does, as match ids in the bracket's order.

    `sides`: another entry, or nobody, stands on a side. `ready`: can be played now and could not before, or
    now with other sides. `decided`: has an outcome now, or another winner. `reopened`: was decided and is no
    more.
    """

    sides: tuple[str, ...]
    ready: tuple[str, ...]
    decided: tuple[str, ...]
    reopened: tuple[str, ...]


def changes(before: Progress, after: Progress) -> Changes:
    """What differs between two states of one bracket: what to announce, or what a correction would touch."""
    sides, ready, decided, reopened = [], [], [], []
    for match, now in after.views.items():
        was = before.views[match]
        if now.sides != was.sides:
            sides.append(match)
        if now.state is State.READY and (was.state is not State.READY or now.sides != was.sides):
            ready.append(match)
        if now.state is State.DECIDED and (was.state is not State.DECIDED or now.winner != was.winner):
            decided.append(match)
        if now.state is not State.DECIDED and was.state is State.DECIDED:
            reopened.append(match)
    return Changes(tuple(sides), tuple(ready), tuple(decided), tuple(reopened))
