"""How far the bracket is: a fold of what was recorded over its matches.

Nothing is carried along: the same facts in the same order always give the same progress.

- The last outcome counts that was recorded for the two sides who meet now. When an earlier match is corrected
  and another entry comes up, what was recorded for the old pair holds no more (`fallen`), and counts again
  only if that pair meets after all. A void outcome takes back what was recorded for the pair before it.
- A recorded outcome stands, no matter who is removed afterwards. A match without one is decided by itself at the
  first moment at which both sides are known and one of them is removed (walk-over) or never comes, because
  its own match ended without a winner. If that is so of both sides at that moment, nobody wins and the next
  match is a walk-over in turn. An entry removed later keeps the walk-over.
- A side that was kept (`SidesKept`) stands there no matter who comes up. Who would have come up is passed over: its way
  ends with the match before, like that of a loser there.
- A moment is the turn of a fact in the order of recording. A corrected outcome has the turn of the one it
  corrects: what happened at the table happened then.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from pairing.draws.knockout.bracket import Bracket, BracketMatch, DrawnSide, Source, WinnerOf
from pairing.draws.knockout.double_bracket import DoubleMatch, DoubleSource
from pairing.draws.results.credits import BracketFact, Cause, Credit, MatchOutcome, Removal, Removed, Result, SidesKept


class State(StrEnum):
    """`NOT_NEEDED` is only the reset of a double elimination, once the unbeaten side has won the final."""

    WAITING = "waiting"
    READY = "ready"
    DECIDED = "decided"
    NOT_NEEDED = "not-needed"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a match as it is known now.

    `entry` is None while the match that gives it is open, and for good where nobody comes from there
    (`vacant`). `kept` stands there as it was played, although somebody else (`instead_of`), or nobody, comes up.
    """

    source: Source | DoubleSource
    entry: int | None = None
    vacant: bool = False
    kept: bool = False
    instead_of: int | None = None

    @property
    def is_known(self) -> bool:
        return self.vacant or self.entry is not None

    @property
    def stands(self) -> tuple[int | None, bool]:
        """Who stands here, however they came."""
        return self.entry, self.vacant

    def keep(self, entry: int | None) -> "Side":
        """This side with `entry` on it in any case; as it is where that comes up anyway, or is None."""
        if entry is None or entry == self.entry:
            return self
        return Side(self.source, entry, kept=True, instead_of=self.entry)


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as it stands: its sides, its state, and its outcome once it is decided.

    `by_itself` marks an outcome that follows from removals and empty sides, without anybody having recorded
    it.
    """

    match: BracketMatch | DoubleMatch
    sides: tuple[Side, Side]
    outcome: MatchOutcome | None = None
    by_itself: bool = False
    is_needed: bool = True

    @property
    def state(self) -> State:
        if not self.is_needed:
            return State.NOT_NEEDED
        if self.outcome is not None:
            return State.DECIDED
        first, second = self.sides  # asked of each match of a bracket several times: `all` would take twice as long
        return State.READY if first.is_known and second.is_known else State.WAITING

    @property
    def winner(self) -> int | None:
        return None if self.outcome is None else self.outcome.winner

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side.entry for side in self.sides if side.entry is not None)

    @property
    def passed_over(self) -> tuple[int, ...]:
        """Who came up, but found the match kept with those who had played it."""
        return tuple(side.instead_of for side in self.sides if side.instead_of is not None)

    @property
    def losers(self) -> tuple[int, ...]:
        """Whose way ends here: one entry, both if nobody won, nobody if the winner stood alone."""
        if self.outcome is None:
            return ()
        return tuple(entry for entry in self.entries if entry != self.winner)


@dataclass(frozen=True)
class MatchViews:
    """Every match as it stands, in the bracket's order, and the outcomes that hold no more."""

    views: Mapping[str, MatchView]
    removed: Mapping[int, Removal]
    fallen: tuple[MatchOutcome, ...]

    def __getitem__(self, match: str) -> MatchView:
        return self.views[match]

    @cached_property
    def ready(self) -> tuple[MatchView, ...]:
        return tuple(view for view in self.views.values() if view.state is State.READY)

    def beyond(self, ident: str) -> frozenset[int]:
        """Who stands in that match, or waits already in one that it leads to."""
        reached = {ident}
        for view in self.views.values():
            if any(getattr(side.source, "match", None) in reached for side in view.sides):
                reached.add(view.match.id)
        return frozenset(entry for name in reached for entry in self.views[name].entries)

    @property
    def last(self) -> MatchView:
        """The match that decides."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether the last match is decided; it never is before all the others are."""
        return self.last.state is State.DECIDED

    @property
    def champion(self) -> int | None:
        """Who won the last match, unless disqualified since; None too where nobody won it."""
        winner = self.last.winner
        if winner is None or not self.removed.get(winner, Removal.WITHDRAWN).keeps_place:
            return None
        return winner


@dataclass(frozen=True)
class Progress(MatchViews):
    """Of a single elimination."""

    bracket: Bracket

    @property
    def last(self) -> MatchView:
        return self.views[self.bracket.final.id]

    def way_of(self, entry: int) -> tuple[MatchView, ...]:
        """The matches of an entry from its first to the one it lost, or to the final while it is in.

        Raises:
            KeyError: the entry is not in the draw.
        """
        way = [self.views[match.id] for match in self.bracket.way_of(entry)]
        end = max(turn for turn, view in enumerate(way) if entry in view.entries)
        stops = entry in way[end].losers or any(entry in view.passed_over for view in way[end + 1 :])
        return tuple(way[: end + 1] if stops else way)


def make_progress(bracket: Bracket, facts: Iterable[BracketFact] = (), rest: "Rest | None" = None) -> Progress:
    """The progress of a bracket from the outcomes and removals, in the order of recording.

    A removal of an entry that is not in the draw changes nothing. With `rest` the bracket is played to its end.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> bracket = make_bracket((4, None, 1, 3))
    >>> facts = [MatchOutcome.won("R1M1", winner=3, loser=1), Removed(4, Removal.WITHDRAWN)]
    >>> progress = make_progress(bracket, facts)
    >>> progress["R2M1"].entries, progress["R2M1"].by_itself, progress.champion
    ((4, 3), True, 3)

    Raises:
        ValueError: an outcome of a match that is not in the bracket.
    """
    record = FactRecord(facts, bracket.by_id, rest)
    views: dict[str, MatchView] = {}
    decided_at: dict[str, int] = {}
    for match in bracket.matches:
        sides = record.stand(match.id, _come_up(match.sides[0], views), _come_up(match.sides[1], views))
        known_at = max((decided_at[s.match] for s in match.sides if isinstance(s, WinnerOf)), default=0)
        views[match.id], decided_at[match.id] = view_match(match, sides, known_at, record)
    return Progress(views, record.removed, record.fallen(views), bracket)


Rest = Callable[[str], int]
"""Says for each match that is still open whether its upper side (0) or its lower side (1) will win it."""


class FactRecord:
    """The facts sorted by what they are about, each with its turn; turns count from 1.

    With `rest` every match that can be played is won as it says, after all recorded facts.

    Raises:
        ValueError: an outcome or kept sides of a match that is not in the bracket.
    """

    def __init__(
        self,
        facts: Iterable[BracketFact],
        matches: Mapping[str, BracketMatch] | Mapping[str, DoubleMatch],
        rest: Rest | None = None,
    ) -> None:
        self.rest = rest
        self.last_turn = 0
        self.outcomes: dict[str, list[tuple[int, MatchOutcome]]] = {}
        self.removed: dict[int, Removal] = {}
        self.removed_at: dict[int, int] = {}
        self.kept: dict[str, tuple[int | None, int | None]] = {}
        for turn, fact in enumerate(facts, start=1):
            self.last_turn = turn
            if isinstance(fact, Removed):
                self.removed[fact.entry] = fact.why
                self.removed_at.setdefault(fact.entry, turn)
            elif isinstance(fact, SidesKept):
                self.kept[fact.match] = fact.sides
            else:
                self.outcomes.setdefault(fact.match, []).append((turn, fact))
        for name in [*self.outcomes, *self.kept]:
            if name not in matches:
                raise ValueError(f"there is no match {name} in this bracket")

    def keeps(self, match: str) -> bool:
        return any(entry is not None for entry in self.kept.get(match, ()))

    def stand(self, match: str, upper: Side, lower: Side) -> tuple[Side, Side]:
        """Who stands in the match, from who comes up and who was kept there."""
        keep = self.kept.get(match)
        return (upper, lower) if keep is None else (upper.keep(keep[0]), lower.keep(keep[1]))

    def fallen(self, views: Mapping[str, MatchView]) -> tuple[MatchOutcome, ...]:
        """The last outcomes that hold no more, in the bracket's order."""
        last = (self.outcomes[match][-1][1] for match in views if match in self.outcomes)
        return tuple(fact for fact in last if not fact.is_void and views[fact.match].outcome is not fact)

    def of(self, match: str, sides: tuple[int, ...]) -> tuple[int, MatchOutcome | None]:
        """The outcome that counts for these sides, with the turn of the first since it was last void.

        Without one, the turn at which it was last void, or 0.
        """
        since, counting = 0, None
        for turn, fact in self.outcomes.get(match, ()):
            if fact.sides != frozenset(sides):
                continue
            if fact.is_void or counting is None:
                since = turn
            counting = None if fact.is_void else fact
        return since, counting


def _come_up(source: Source, views: Mapping[str, MatchView]) -> Side:
    if isinstance(source, DrawnSide):
        return Side(source, source.number)
    earlier = views[source.match]
    return Side(source, earlier.winner, earlier.state is State.DECIDED and earlier.winner is None)


def view_match(
    match: BracketMatch | DoubleMatch, sides: tuple[Side, Side], known_at: int, record: FactRecord
) -> tuple[MatchView, int]:
    """The match as it stands, and the turn at which it was decided (no matter what while it is not)."""
    if not (sides[0].is_known and sides[1].is_known):
        return MatchView(match, sides), 0
    present = tuple(side.entry for side in sides if side.entry is not None)
    turn, outcome = record.of(match.id, present)
    since = max(known_at, turn)
    if outcome is not None:
        return MatchView(match, sides, outcome), since
    leaving = [record.removed_at[entry] for entry in present if entry in record.removed]
    if len(present) == 2:
        if not leaving:
            if record.rest is None:
                return MatchView(match, sides), 0
            winner = record.rest(match.id)
            won = MatchOutcome.won(match.id, present[winner], present[1 - winner])
            return MatchView(match, sides, won), record.last_turn + 1
        since = max(since, min(leaving))
    return MatchView(match, sides, _walk_over(match, present, since, record), by_itself=True), since


def _walk_over(
    match: BracketMatch | DoubleMatch, present: tuple[int, ...], since: int, record: FactRecord
) -> MatchOutcome:
    """What a match is by itself at a turn when at least one side is not there."""
    gone = [entry for entry in present if entry in record.removed and record.removed_at[entry] <= since]
    staying = [entry for entry in present if entry not in gone]
    credits = {
        entry: Credit(Result.LOSS, record.removed[entry].cause if staying else Cause.BOTH_ABSENT) for entry in gone
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


def changes(before: MatchViews, after: MatchViews) -> Changes:
    """What differs between two states of one bracket: what to announce, or what a correction would touch."""
    sides, ready, decided, reopened = [], [], [], []
    for match, now in after.views.items():
        was = before.views[match]
        moved = [side.stands for side in now.sides] != [side.stands for side in was.sides]
        if moved:
            sides.append(match)
        if now.state is State.READY and (was.state is not State.READY or moved):
            ready.append(match)
        if now.state is State.DECIDED and (was.state is not State.DECIDED or now.winner != was.winner):
            decided.append(match)
        if now.state is not State.DECIDED and was.state is State.DECIDED:
            reopened.append(match)
    return Changes(tuple(sides), tuple(ready), tuple(decided), tuple(reopened))
