"""The places in single and double elimination, and what pages and prints need of a bracket of either kind."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, NamedTuple

from pairing.draws.knockout.bracket import (
    Bracket,
    BracketMatch,
    DoubleBracket,
    DoubleMatch,
    DoubleSource,
    DrawnSide,
    LoserOf,
    Part,
)
from pairing.draws.knockout.progress import (
    DecideOpenMatch,
    FactRecord,
    MatchView,
    MatchViews,
    Progress,
    Side,
    State,
    make_progress,
    view_match,
)
from pairing.draws.results import BracketFact, Removal
from tournament.purse import Placing, TiedPlaces

# --- Places ----------------------------------------------------------------------------------------------------------
# The champion is first and the runner-up second. The losers of each round tie and share their places.


@dataclass(frozen=True, slots=True)
class Placings:
    """Every entry of the draw, once: placed, still in, or disqualified.

    `finish` is best first, with the places that count if the event ends now. The entries that are still in come before
    it, so its first place is one more than their number. While a bracket is in play, others can still lose in the same
    round and share the place. `possible_places` computes what each entry can still get.
    """

    finish: tuple[Placing, ...]
    still_in: tuple[int, ...]
    disqualified: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PossiblePlaces:
    """The finishes that every entry can still have, best first. An entry with one finish has it for certain.

    `still_in` holds the entries that play on. Disqualified entries have no finish.
    """

    finishes: Mapping[int, tuple[TiedPlaces, ...]]
    still_in: tuple[int, ...] = ()
    disqualified: tuple[int, ...] = ()

    @classmethod
    def settled(cls, placings: Placings) -> "PossiblePlaces":
        """Return the places of a finished bracket, in which every entry has one finish."""
        finishes = {entry: (placing.places,) for placing in placings.finish for entry in placing.entries}
        return cls(finishes, (), placings.disqualified)

    @property
    def placed(self) -> tuple[int, ...]:
        """The entries that play no more, by place and then by number."""
        out = set(self.finishes) - set(self.still_in)
        return tuple(sorted(out, key=lambda entry: (self.finishes[entry], entry)))


def make_placings(progress: Progress) -> Placings:
    """Return the placings as far as they are settled.

    - An entry ranks with the losers of the round in which its way ended, whether the match was played or not. An entry
      removed while it waits for an opponent ranks with the losers of that round. An entry that was withdrawn before
      the draw is not in the bracket and has no place.
    - If a match has no winner, both sides rank with the losers of that round. In the final, they tie for first place.
    - An entry that won a match but was passed over, because the next match was kept, ranks with the losers of that
      match.
    - A disqualified entry has no place, however far it came. The entries behind it move up.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.knockout.progress import make_progress
    >>> won = [("R1M1", 7, 2), ("R1M2", 5, 9), ("R2M1", 5, 7)]
    >>> progress = make_progress(make_bracket((7, 2, 5, 9)), [MatchOutcome.won(*who) for who in won])
    >>> [(placing.place, placing.entries) for placing in make_placings(progress).finish]
    [(1, (5,)), (2, (7,)), (3, (2, 9))]
    """
    return _rank_by_exit_round(_exit_rounds(progress), progress.bracket.entries, progress.removed)


def _rank_by_exit_round(exits: Mapping[int, int], entries: Collection[int], removed: Mapping[int, Removal]) -> Placings:
    """Return the placings of all entries of a draw from the exit round of each eliminated entry.

    A higher round is better.
    """
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


def _exit_rounds(progress: Progress) -> dict[int, int]:
    """Return the round in which each eliminated entry lost. The champion's number is one higher than the final's."""
    out: dict[int, int] = {}
    for view in progress.views.values():
        for entry in view.entries:
            out.pop(entry, None)
        ended = view.losers
        if view.state is State.WAITING:
            ended = tuple(entry for entry in view.entries if entry in progress.removed)
        out.update((entry, view.match.round) for entry in ended)
        out.update((entry, view.match.round - 1) for entry in view.passed_over)
    winner = progress[progress.bracket.final.id].winner
    if winner is not None:
        out[winner] = progress.bracket.rounds + 1
    return out


# --- Double elimination ----------------------------------------------------------------------------------------------
# The progress is computed as in a single elimination, with a second life and a reset.


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
    bracket: DoubleBracket, facts: Iterable[BracketFact] = (), rest: DecideOpenMatch | None = None
) -> DoubleProgress:
    """Return the progress of a double elimination from the outcomes and removals, in the order of recording.

    With `rest`, the bracket is played to its end.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.knockout.bracket import make_double_bracket
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
        sides = record.apply_kept_sides(match.id, _fill_side(match.sides[0], views), _fill_side(match.sides[1], views))
        if match.if_needed and not record.has_kept_side(match.id) and _is_over_without_reset(views[bracket.final.id]):
            views[match.id] = MatchView(match, sides, is_needed=False)
            continue
        known_at = max((decided_at[side.match] for side in match.sides if not isinstance(side, DrawnSide)), default=0)
        views[match.id], decided_at[match.id] = view_match(match, sides, known_at, record)
    return DoubleProgress(views, record.removed, record.fallen(views), bracket)


def _fill_side(source: DoubleSource, views: Mapping[str, MatchView]) -> Side:
    if isinstance(source, DrawnSide):
        return Side(source, source.number)
    earlier = views[source.match]
    if earlier.state is not State.DECIDED:
        return Side(source)
    coming = earlier.winner
    if isinstance(source, LoserOf):
        coming = None if earlier.winner is None else next(iter(earlier.losers), None)
    return Side(source, coming, vacant=coming is None)


def _is_over_without_reset(final: MatchView) -> bool:
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

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> won = [("W1M1", 3, 1), ("W2M1", 4, 3), ("L1M1", 3, 1), ("F1M1", 3, 4), ("F2M1", 3, 4)]
    >>> facts = [MatchOutcome.won(*who) for who in won]
    >>> finish = make_double_placings(make_double_progress(make_double_bracket((4, None, 1, 3)), facts)).finish
    >>> [(placing.place, placing.entries) for placing in finish]
    [(1, (3,)), (2, (4,)), (3, (1,))]
    """
    return _rank_by_exit_round(_double_exit_rounds(progress), progress.bracket.entries, progress.removed)


def _double_exit_rounds(progress: DoubleProgress) -> dict[int, int]:
    """Return how far each eliminated entry got, as a number of `_ExitNumbers`."""
    ends = _ExitNumbers(progress.bracket)
    out: dict[int, int] = {}
    for view in progress.views.values():
        if not view.is_needed:
            continue
        for entry in view.entries:
            out.pop(entry, None)
        out.update((entry, ends.number_of(name)) for entry, name in _passed_over_for_good(progress, view))
        leaving = view.losers if view.state is State.DECIDED else ()
        if view.state is State.WAITING:
            leaving = tuple(entry for entry in view.entries if entry in progress.removed)
        out.update((entry, ends.number_of(view.match.id)) for entry in leaving)
    if progress.is_complete and progress.last.winner is not None:
        out[progress.last.winner] = ends.champion
    return out


def _passed_over_for_good(progress: DoubleProgress, view: MatchView) -> Iterator[tuple[int, str]]:
    """Yield the passed-over entries that are in no other match that follows, each with the match it came from."""
    for side in view.sides:
        if side.instead_of is None or isinstance(side.source, DrawnSide):
            continue
        before, bracket = side.source.match, progress.bracket
        following = [match.id for match in (bracket.next_of.get(before), bracket.drop_of.get(before)) if match]
        if not any(side.instead_of in progress[name].entries for name in following):
            yield side.instead_of, before


class _ExitNumbers:
    """The numbers for how far an entry got: the losers' rounds from 1, then the finals, then the champion."""

    def __init__(self, bracket: DoubleBracket) -> None:
        self.bracket = bracket
        self.final = 1 + max((match.round for match in bracket.matches if match.part is Part.LOSERS), default=0)
        self.champion = self.final + 1

    def number_of(self, name: str) -> int:
        match: DoubleMatch = self.bracket.by_id[name]
        if match.part is Part.WINNERS:
            match = self.bracket.drop_of[name]
        return match.round if match.part is Part.LOSERS else self.final


# --- Brackets of either kind -----------------------------------------------------------------------------------------

AnyBracket = Bracket | DoubleBracket
AnyMatch = BracketMatch | DoubleMatch
AnyProgress = Progress | DoubleProgress


class RoundKey(NamedTuple):
    """A round. In a double elimination each part counts its own rounds."""

    part: Part | None
    number: int

    def __str__(self) -> str:
        """Return the short name of the round.

        >>> str(RoundKey(None, 3)), str(RoundKey(Part.LOSERS, 2))
        ('3', 'L2')
        """
        return f"{self.part.name[0] if self.part else ''}{self.number}"


def round_of(match: AnyMatch) -> RoundKey:
    """Return the round of a match.

    >>> from pairing.draws.knockout.bracket import DrawnSide
    >>> round_of(DoubleMatch(Part.WINNERS, 2, 1, (DrawnSide(1), DrawnSide(2))))
    RoundKey(part=<Part.WINNERS: 'winners'>, number=2)
    """
    return RoundKey(match.part if isinstance(match, DoubleMatch) else None, match.round)


def rounds_of(bracket: AnyBracket, part: Part | None = None) -> int:
    """Return the number of rounds of the bracket, or of one part of a double elimination.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> double = make_double_bracket(range(1, 9))
    >>> [rounds_of(double, part) for part in Part]
    [3, 4, 2]
    """
    return max((match.round for match in bracket.matches if round_of(match).part is part), default=0)


def can_end_with(bracket: AnyBracket, ident: str) -> bool:
    """Return whether the bracket may be over with this match. A match that follows it may be at most the reset.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> double = make_double_bracket(range(1, 5))
    >>> [match.id for match in double.matches if can_end_with(double, match.id)]
    ['F1M1', 'F2M1']
    """
    following = bracket.next_of.get(ident)
    return following is None or (isinstance(following, DoubleMatch) and following.if_needed)


def make_any_progress(
    bracket: AnyBracket, facts: Iterable[BracketFact] = (), rest: DecideOpenMatch | None = None
) -> AnyProgress:
    """Return the progress of a bracket of either kind. With `rest`, it is played to its end.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> make_any_progress(make_double_bracket((4, 2))).ready[0].match.id
    'W1M1'

    Raises:
        ValueError: an outcome names a match that is not in the bracket.
    """
    if isinstance(bracket, DoubleBracket):
        return make_double_progress(bracket, facts, rest)
    return make_progress(bracket, facts, rest)


def make_any_placings(progress: AnyProgress) -> Placings:
    """Return the placings of a bracket of either kind, as far as they are settled.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> make_any_placings(make_any_progress(make_double_bracket((4, 2)))).still_in
    (2, 4)
    """
    if isinstance(progress, DoubleProgress):
        return make_double_placings(progress)
    return make_placings(progress)


# --- Places that are still possible ----------------------------------------------------------------------------------
# While a bracket is in play, each entry can still get several places.

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
    >>> from pairing.draws.results import MatchOutcome
    >>> found = possible_places(make_bracket((7, 2, 5, 9)), [MatchOutcome.won("R1M1", 7, 2)])
    >>> [(entry, [str(tie) for tie in ties]) for entry, ties in sorted(found.items())]
    [(2, ['3–4']), (5, ['1', '2', '3–4']), (7, ['1', '2']), (9, ['1', '2', '3–4'])]
    """
    recorded = tuple(facts)
    now = make_any_progress(bracket, recorded)
    forks = _find_forks(now)
    found: defaultdict[int, set[TiedPlaces]] = defaultdict(set)
    for winners in product((0, 1), repeat=len(forks) if len(forks) <= MOST_FORKS else 0):
        fixed = dict(zip(forks, winners, strict=False))
        over = make_any_progress(bracket, recorded, lambda match, fixed=fixed: fixed.get(match, 0))  # type: ignore[misc]
        places = {entry: placing.places for placing in rank(over).finish for entry in placing.entries}
        turns = _double_exit_rounds(over) if isinstance(over, DoubleProgress) else _exit_rounds(over)
        of_round = {turn: places[entry] for entry, turn in turns.items() if entry in places}
        ends = _open_exits(now, over, fixed)
        for entry, tie in places.items():
            found[entry] |= {of_round[turn] for turn in ends.get(entry, ()) if turn in of_round} or {tie}
    if len(forks) > MOST_FORKS:
        anywhere = set().union(*found.values())
        found = defaultdict(set, dict.fromkeys(found, anywhere))
    return {entry: tuple(sorted(ties)) for entry, ties in found.items()}


def _find_forks(now: AnyProgress) -> tuple[str, ...]:
    """Return the open matches that lead to a kept side. Their winners are passed over, or are the kept entry."""
    forks: set[str] = set()
    for name, view in reversed(tuple(now.views.items())):
        for side in view.sides:
            if isinstance(side.source, DrawnSide) or now[side.source.match].state is State.DECIDED:
                continue
            if side.kept or name in forks:
                forks.add(side.source.match)
    return tuple(name for name in now.views if name in forks)


def _open_exits(now: AnyProgress, over: AnyProgress, fixed: Mapping[str, int]) -> dict[int, set[int]]:
    """Return the rounds in which each entry of an open match can still be eliminated.

    `over` is one possible end of the bracket. All ends have walkovers in the same matches.
    """
    bracket = now.bracket
    ends = _ExitNumbers(bracket) if isinstance(bracket, DoubleBracket) else None
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
                turn = ends.number_of(name) if ends is not None else view.match.round
                for entry in losers[name]:
                    found[entry].add(turn)
        if can_end_with(bracket, name):
            for entry in winners[name]:
                found[entry].add(champion)
    return dict(found)
