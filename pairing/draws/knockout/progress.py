"""The progress of a bracket and each entry's path through it, computed from the recorded facts.

The same facts in the same order always give the same progress.

- The last outcome recorded for the two current sides counts. If an earlier match is corrected and another entry
  advances, the old pair's outcome no longer counts (`superseded_outcomes`). It counts again only if that pair meets
  after all. A void outcome cancels what was recorded for the pair before it.
- A recorded outcome counts no matter who is removed afterward.
- A match without an outcome is decided by walkover as soon as both sides are known and one player is missing. A player
  is missing if the entry was removed, or if nobody advanced because the earlier match had no winner. The opponent wins
  the match, and this win counts even if the opponent is removed later. If both players are missing, nobody wins, and
  the opponent in the next match gets a walkover in turn.
- A kept side (`RetainedMatchSides`) keeps its entry, no matter who advances to it. The entry that would have advanced
  is passed over. Unless it plays on elsewhere, it ranks as if it had lost the match that it came from.
- Time is measured by a fact's position in the recorded order, its “turn”. A corrected outcome has the turn of the
  outcome that it corrects, because that is when the match was played.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from pairing.draws.knockout.bracket import Bracket, BracketMatch, BracketPart, DrawnSide, LoserOf, SideSource
from pairing.draws.results import (
    BracketFact,
    Credit,
    EntryRemoval,
    MatchOutcome,
    RemovalReason,
    Result,
    ResultCause,
    RetainedMatchSides,
)


class BracketMatchState(StrEnum):
    """A match's state. Only the reset of a double elimination can be `NOT_NEEDED`."""

    WAITING = "waiting"
    READY = "ready"
    DECIDED = "decided"
    NOT_NEEDED = "not-needed"


@dataclass(frozen=True, slots=True)
class BracketSide:
    """One side of a match, as far as it is known.

    `entry` is None while the match that feeds this side is open. If nobody advances from that match, `entry` stays None
    and `vacant` is true.

    If `kept` is true, the entry stays on this side, even though a corrected result no longer sends it here.
    `displaced_entry` is the entry that the corrected result sends here instead, if any.
    """

    source: SideSource
    entry: int | None = None
    vacant: bool = False
    kept: bool = False
    displaced_entry: int | None = None

    @property
    def is_known(self) -> bool:
        return self.vacant or self.entry is not None

    @property
    def occupancy(self) -> tuple[int | None, bool]:
        """The entry on this side of a match, and whether the side is vacant. Sides are compared by these two values."""
        return self.entry, self.vacant

    def keep_original_entry(self, entry: int | None) -> "BracketSide":
        """Return this side of a match with `entry` kept on it, even though a corrected result sends another entry here.

        Return the side unchanged if `entry` is already there or is None.
        """
        if entry is None or entry == self.entry:
            return self
        return BracketSide(self.source, entry, kept=True, displaced_entry=self.entry)


@dataclass(frozen=True, slots=True)
class BracketMatchProgress:
    """The current state of a match: its sides, and its outcome once it is decided.

    `is_decided_without_result` is true if nobody recorded the outcome, because it follows from removals and empty
    sides.
    """

    match: BracketMatch
    sides: tuple[BracketSide, BracketSide]
    outcome: MatchOutcome | None = None
    is_decided_without_result: bool = False
    is_needed: bool = True

    @property
    def state(self) -> BracketMatchState:
        if not self.is_needed:
            return BracketMatchState.NOT_NEEDED
        if self.outcome is not None:
            return BracketMatchState.DECIDED
        first, second = self.sides  # this runs several times per match, and `all` would take twice as long
        return BracketMatchState.READY if first.is_known and second.is_known else BracketMatchState.WAITING

    @property
    def winner(self) -> int | None:
        return None if self.outcome is None else self.outcome.winner

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(side.entry for side in self.sides if side.entry is not None)

    @property
    def passed_over_entries(self) -> tuple[int, ...]:
        """The entries that advanced to this match but can't play it, because its previous players were kept."""
        return tuple(side.displaced_entry for side in self.sides if side.displaced_entry is not None)

    @property
    def losers(self) -> tuple[int, ...]:
        """The entries that lost this match. There are two if nobody won, and none if the winner had no opponent."""
        if self.outcome is None:
            return ()
        return tuple(entry for entry in self.entries if entry != self.winner)


@dataclass(frozen=True)
class BracketProgress:
    """The current state of all the matches in a bracket, and the outcomes that no longer count."""

    bracket: Bracket
    views: Mapping[str, BracketMatchProgress]
    removed: Mapping[int, RemovalReason]
    superseded_outcomes: tuple[MatchOutcome, ...]

    def __getitem__(self, match: str) -> BracketMatchProgress:
        return self.views[match]

    @cached_property
    def ready(self) -> tuple[BracketMatchProgress, ...]:
        return tuple(view for view in self.views.values() if view.state is BracketMatchState.READY)

    def find_affected_entries(self, ident: str) -> frozenset[int]:
        """Return the entries that are in this match, or are already waiting in a later match that it leads to."""
        reached = {ident}
        for view in self.views.values():
            if any(getattr(side.source, "match", None) in reached for side in view.sides):
                reached.add(view.match.id)
        return frozenset(entry for name in reached for entry in self.views[name].entries)

    def find_changed_matches(self, before: "BracketProgress") -> tuple[str, ...]:
        """Return the matches whose entries differ from those in the progress `before`, in bracket order."""
        return tuple(
            match
            for match, now in self.views.items()
            if [side.occupancy for side in now.sides] != [side.occupancy for side in before[match].sides]
        )

    @property
    def last_match(self) -> BracketMatchProgress:
        """The match that decides the bracket: the final or, if it is needed, the reset of a double elimination."""
        final, reset = self.views[self.bracket.final_match.id], self.views[self.bracket.reset_match.id]
        return reset if final.state is BracketMatchState.DECIDED and reset.is_needed else final

    @property
    def is_complete(self) -> bool:
        """Whether the last match is decided."""
        return self.last_match.state is BracketMatchState.DECIDED

    @property
    def champion(self) -> int | None:
        """The winner of the last match. It is None if nobody won or the winner was disqualified later."""
        winner = self.last_match.winner
        if winner is None or not self.removed.get(winner, RemovalReason.WITHDRAWN).keeps_place:
            return None
        return winner

    def list_matches_of_entry(self, entry: int) -> tuple[BracketMatchProgress, ...]:
        """Return an entry's matches in the order of play, starting with its first match.

        The reset (a second final) is left out if it is not needed.

        In a single elimination, the result also includes future matches up to the final, unless the entry is
        eliminated.

        Raises:
            KeyError: the entry is not in the draw of a single elimination.
        """
        if self.bracket.is_double:
            return self._matches_by_entry.get(entry, ())
        way = [self.views[match.id] for match in self.bracket.list_matches_if_winning(entry)]
        end = max(turn for turn, view in enumerate(way) if entry in view.entries)
        stops = entry in way[end].losers or any(entry in view.passed_over_entries for view in way[end + 1 :])
        return tuple(way[: end + 1] if stops else way)

    @cached_property
    def _matches_by_entry(self) -> dict[int, tuple[BracketMatchProgress, ...]]:
        found: defaultdict[int, list[BracketMatchProgress]] = defaultdict(list)
        for view in self.views.values():
            if view.is_needed:
                for entry in view.entries:
                    found[entry].append(view)
        return {entry: tuple(views) for entry, views in found.items()}


def make_bracket_progress(
    bracket: Bracket, facts: Iterable[BracketFact] = (), rest: "OpenMatchDecider | None" = None
) -> BracketProgress:
    """Return the progress of a bracket. `facts` are the outcomes and removals in the order in which they were recorded.

    Removing an entry that is not in the draw has no effect. If `rest` is given, it chooses the winner of each open
    match.

    >>> from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
    >>> facts = [MatchOutcome.won("R1M1", winner=3, loser=1), EntryRemoval(4, RemovalReason.WITHDRAWN)]
    >>> progress = make_bracket_progress(make_bracket((4, None, 1, 3)), facts)
    >>> progress["R2M1"].entries, progress["R2M1"].is_decided_without_result, progress.champion
    ((4, 3), True, 3)
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 4, 3)]
    >>> double = make_double_elimination_bracket((4, None, 1, 3))
    >>> progress = make_bracket_progress(double, [MatchOutcome.won(*who) for who in won])
    >>> progress.champion, progress["F2M1"].state
    (4, <BracketMatchState.NOT_NEEDED: 'not-needed'>)

    Raises:
        ValueError: an outcome names a match that is not in the bracket.
    """
    record = _FactRecord(facts, bracket.matches_by_id, rest)
    views: dict[str, BracketMatchProgress] = {}
    decided_at: dict[str, int] = {}
    for match in bracket.matches:
        sides = record.apply_kept_sides(match.id, _fill_side(match.sides[0], views), _fill_side(match.sides[1], views))
        if (
            match.if_needed
            and not record.has_kept_side(match.id)
            and _is_over_without_reset(views[bracket.final_match.id])
        ):
            views[match.id] = BracketMatchProgress(match, sides, is_needed=False)
            continue
        known_at = max((decided_at[side.match] for side in match.sides if not isinstance(side, DrawnSide)), default=0)
        views[match.id], decided_at[match.id] = _make_match_progress(match, sides, known_at, record)
    return BracketProgress(bracket, views, record.removed, record.list_superseded_outcomes(views))


OpenMatchDecider = Callable[[str], int]
"""A function that decides the outcome of an open match, given the match's name.

The function returns 0 if the upper side wins and 1 if the lower side wins.
"""


class _FactRecord:
    """The recorded facts about a bracket, by match and by entry.

    Each fact has its position in the recorded order (its “turn”), counted from 1.
    """

    def __init__(
        self, facts: Iterable[BracketFact], matches: Mapping[str, BracketMatch], rest: OpenMatchDecider | None = None
    ) -> None:
        self.rest = rest
        self.last_turn = 0
        self.outcomes: dict[str, list[tuple[int, MatchOutcome]]] = {}
        self.removed: dict[int, RemovalReason] = {}
        self.removed_at: dict[int, int] = {}
        self.kept: dict[str, tuple[int | None, int | None]] = {}
        for turn, fact in enumerate(facts, start=1):
            self.last_turn = turn
            if isinstance(fact, EntryRemoval):
                self.removed[fact.entry] = fact.why
                self.removed_at.setdefault(fact.entry, turn)
            elif isinstance(fact, RetainedMatchSides):
                self.kept[fact.match] = fact.sides
            else:
                self.outcomes.setdefault(fact.match, []).append((turn, fact))
        for name in [*self.outcomes, *self.kept]:
            if name not in matches:
                raise ValueError(f"there is no match {name} in this bracket")

    def has_kept_side(self, match: str) -> bool:
        return any(entry is not None for entry in self.kept.get(match, ()))

    def apply_kept_sides(self, match: str, upper: BracketSide, lower: BracketSide) -> tuple[BracketSide, BracketSide]:
        keep = self.kept.get(match)
        return (
            (upper, lower) if keep is None else (upper.keep_original_entry(keep[0]), lower.keep_original_entry(keep[1]))
        )

    def list_superseded_outcomes(self, views: Mapping[str, BracketMatchProgress]) -> tuple[MatchOutcome, ...]:
        last = (self.outcomes[match][-1][1] for match in views if match in self.outcomes)
        return tuple(fact for fact in last if not fact.is_void and views[fact.match].outcome is not fact)

    def find_outcome(self, match: str, sides: tuple[int, ...]) -> tuple[int, MatchOutcome | None]:
        """Return the turn and the outcome that count for a match between these `sides`.

        A turn is a position in the recorded order. A correction keeps the turn of the outcome that it corrects. If no
        outcome counts, the outcome is None, and the turn is that of the last void outcome, or 0 if there is none.
        """
        since, counting = 0, None
        for turn, fact in self.outcomes.get(match, ()):
            if fact.sides != frozenset(sides):
                continue
            if fact.is_void or counting is None:
                since = turn
            counting = None if fact.is_void else fact
        return since, counting


def _fill_side(source: SideSource, views: Mapping[str, BracketMatchProgress]) -> BracketSide:
    if isinstance(source, DrawnSide):
        return BracketSide(source, source.number)
    earlier = views[source.match]
    if earlier.state is not BracketMatchState.DECIDED:
        return BracketSide(source)
    coming = earlier.winner
    if isinstance(source, LoserOf):
        coming = None if earlier.winner is None else next(iter(earlier.losers), None)
    return BracketSide(source, coming, vacant=coming is None)


def _is_over_without_reset(final: BracketMatchProgress) -> bool:
    """Return whether the final is decided and the reset is not needed."""
    if final.state is not BracketMatchState.DECIDED:
        return False
    unbeaten, other = final.sides
    return unbeaten.entry is None or other.entry is None or final.winner != other.entry


def _make_match_progress(
    match: BracketMatch, sides: tuple[BracketSide, BracketSide], known_at: int, record: _FactRecord
) -> tuple[BracketMatchProgress, int]:
    """Return a match's progress, and the turn at which it was decided.

    A turn is a fact's position in the recorded order. The returned turn is meaningless while the match is open.
    """
    if not (sides[0].is_known and sides[1].is_known):
        return BracketMatchProgress(match, sides), 0
    present = tuple(side.entry for side in sides if side.entry is not None)
    turn, outcome = record.find_outcome(match.id, present)
    since = max(known_at, turn)
    if outcome is not None:
        return BracketMatchProgress(match, sides, outcome), since
    leaving = [record.removed_at[entry] for entry in present if entry in record.removed]
    if len(present) == 2:
        if not leaving:
            if record.rest is None:
                return BracketMatchProgress(match, sides), 0
            winner = record.rest(match.id)
            won = MatchOutcome.won(match.id, present[winner], present[1 - winner])
            return BracketMatchProgress(match, sides, won), record.last_turn + 1
        since = max(since, min(leaving))
    return BracketMatchProgress(
        match, sides, _make_walkover(match, present, since, record), is_decided_without_result=True
    ), since


def _make_walkover(match: BracketMatch, present: tuple[int, ...], since: int, record: _FactRecord) -> MatchOutcome:
    gone = [entry for entry in present if entry in record.removed and record.removed_at[entry] <= since]
    staying = [entry for entry in present if entry not in gone]
    credits = {
        entry: Credit(Result.LOSS, record.removed[entry].cause if staying else ResultCause.BOTH_ABSENT)
        for entry in gone
    }
    credits.update((entry, Credit(Result.WIN, ResultCause.WALK_OVER)) for entry in staying)
    return MatchOutcome(match.id, staying[0] if staying else None, credits)


# --- The path of an entry --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BracketPath:
    """An entry's matches in the order of play.

    `current_match` is the match that the entry is playing or waiting for. It is None if the entry was removed, is
    eliminated, or has played all its matches. `if_won` are the later matches if the entry keeps winning. `if_lost` are
    the later matches if it loses `current_match` and then keeps winning.
    """

    entry: int
    played: tuple[BracketMatchProgress, ...]
    current_match: BracketMatchProgress | None
    if_won: tuple[BracketMatchProgress, ...] = ()
    if_lost: tuple[BracketMatchProgress, ...] = ()
    is_champion: bool = False


def find_bracket_path(progress: BracketProgress, entry: int) -> BracketPath:
    """Return an entry's current path through the bracket.

    >>> from pairing.draws.knockout.bracket import make_double_elimination_bracket
    >>> path = find_bracket_path(make_bracket_progress(make_double_elimination_bracket((1, 2, 3, 4))), 3)
    >>> path.current_match.match.id, [view.match.id for view in path.if_won], [view.match.id for view in path.if_lost]
    ('W1M2', ['W2M1', 'F1M1'], ['L1M1', 'L2M1', 'F1M1', 'F2M1'])

    Raises:
        KeyError: the entry is not in the draw.
    """
    if entry not in progress.bracket.entries:
        raise KeyError(entry)
    own = [view for view in progress.list_matches_of_entry(entry) if entry in view.entries]
    played = tuple(view for view in own if view.state is BracketMatchState.DECIDED)
    now = next((view for view in own if view.state in (BracketMatchState.READY, BracketMatchState.WAITING)), None)
    if now is None or entry in progress.removed:
        return BracketPath(entry, played, None, is_champion=progress.champion == entry)
    side = next(index for index, side in enumerate(now.sides) if side.entry == entry)
    won, lost = _find_matches_after_win_and_loss(progress.bracket, now.match, side)
    return BracketPath(
        entry, played, now, _get_progress_of_matches(progress, won), _get_progress_of_matches(progress, lost)
    )


def _get_progress_of_matches(
    progress: BracketProgress, matches: list[BracketMatch]
) -> tuple[BracketMatchProgress, ...]:
    return tuple(progress[match.id] for match in matches)


def _find_matches_after_win_and_loss(
    bracket: Bracket, now: BracketMatch, side: int
) -> tuple[list[BracketMatch], list[BracketMatch]]:
    """Return an entry's later matches if it wins the match `now`, and its later matches if it loses that match.

    In both cases, the entry is assumed to win all its later matches. `side` is the entry's side of the match. In the
    final, side 0 comes from the winners' bracket.
    """
    if not bracket.is_double:
        return _list_matches_if_winning(bracket, bracket.next_matches.get(now.id)), []
    if now.id == bracket.final_match.id:
        # The unbeaten side needs only the final. The other side needs the final and the reset.
        return ([], [bracket.reset_match]) if side == 0 else ([bracket.reset_match], [])
    won = _list_matches_if_winning(bracket, bracket.next_matches.get(now.id))
    if now.part is not BracketPart.WINNERS:
        return won, []
    if won[-1].id == bracket.reset_match.id:
        won.pop()
    return won, _list_matches_if_winning(bracket, bracket.loser_matches.get(now.id))


def _list_matches_if_winning(bracket: Bracket, match: BracketMatch | None) -> list[BracketMatch]:
    found = []
    while match is not None:
        found.append(match)
        match = bracket.next_matches.get(match.id)
    return found


def find_possible_opponents(progress: BracketProgress, view: BracketMatchProgress, before: str) -> tuple[int, ...]:
    """Return the possible opponents of an entry in the match `view`, which it reaches from the match `before`.

    If the opponent's side is not decided yet, the result has both players of the match that decides it. The result is
    empty if these players are not known yet, or if there is no opponent.

    >>> from pairing.draws.knockout.bracket import make_double_elimination_bracket
    >>> progress = make_bracket_progress(make_double_elimination_bracket((1, 2, 3, 4)))
    >>> find_possible_opponents(progress, progress["W2M1"], "W1M2")
    (1, 2)
    """
    other = next((side for side in view.sides if _get_source_match(side) != before), None)
    if other is None:
        # Both sides come from one match: the winner and the loser of the final meet again.
        return ()
    if other.entry is not None:
        return (other.entry,)
    source = _get_source_match(other)
    if source is None or other.vacant or not all(side.is_known for side in progress[source].sides):
        return ()
    return progress[source].entries


def _get_source_match(side: BracketSide) -> str | None:
    return None if isinstance(side.source, DrawnSide) else side.source.match
