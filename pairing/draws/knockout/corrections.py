"""Correct a result after play has continued: find the later matches that are affected, and apply a choice for each.

    bracket, facts, outcome, choices ──propagate_correction──► the bracket before and after, and the facts to record

A later match is affected (“touched”) if it was played or started with an entry that the correction sends elsewhere.
There are three choices for each affected match:

- `KEEP`: it remains as it was played, with its players. The entry that should have advanced instead is passed over.
- `REPLAY`: it is open again for its new players. The recorded result counts again if the same pair meets after all.
- `VOID`: like `REPLAY`, but the recorded result is canceled for good.

In a double elimination, a correction can put an entry into two matches at once: `KEEP` holds it in one match, and the
corrected result sends it to another one. If that other match has not been played, its previous player stays there, and
the entry plays only in the first match. If that other match has been played, the user has to keep both matches or
neither.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pairing.draws.knockout.bracket import Bracket, DrawnSide, LoserOf, WinnerOf
from pairing.draws.knockout.progress import (
    BracketMatchProgress,
    BracketMatchState,
    BracketProgress,
    make_bracket_progress,
)
from pairing.draws.results import BracketFact, MatchOutcome, RetainedMatchSides


class LaterMatchChoice(StrEnum):
    """The choice for a later match that is affected by a corrected result."""

    KEEP = "keep"
    REPLAY = "replay"
    VOID = "void"


DoubleBooking = tuple[int, str, str]
"""An entry that would be in two unrelated matches at once, and the names of both matches."""


@dataclass(frozen=True)
class _BracketCorrection:
    """The effects of a correction in a bracket.

    `touched` are the later matches that are affected, in bracket order. `after` is the bracket after the choices are
    applied. `added` are the facts to record after the outcome, in this order. If `double_bookings` is not empty, the
    choices contradict each other.
    """

    before: BracketProgress
    after: BracketProgress
    touched: tuple[str, ...]
    added: tuple[BracketFact, ...]
    double_bookings: tuple[DoubleBooking, ...]


def propagate_correction(
    bracket: Bracket,
    facts: Iterable[BracketFact],
    outcome: MatchOutcome,
    choices: Mapping[str, LaterMatchChoice] | None = None,
    begun: Collection[str] = (),
    *,
    before: BracketProgress | None = None,
) -> _BracketCorrection:
    """Return the effects of a corrected result.

    A later match that it affects is replayed, unless a choice for this match says otherwise.

    `begun` are matches without a result that are in progress or were called to a table. Such matches can be affected as
    well. `before` is the current progress, if it is already known.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> played = [MatchOutcome.won("R1M1", 1, 2), MatchOutcome.won("R1M2", 3, 4), MatchOutcome.won("R2M1", 1, 3)]
    >>> wrong = MatchOutcome.won("R1M1", 2, 1)
    >>> replayed = propagate_correction(make_bracket((1, 2, 3, 4)), played, wrong)
    >>> replayed.touched, replayed.after["R2M1"].entries, replayed.after.champion
    (('R2M1',), (2, 3), None)
    >>> kept = propagate_correction(make_bracket((1, 2, 3, 4)), played, wrong, {"R2M1": LaterMatchChoice.KEEP})
    >>> kept.after["R2M1"].entries, kept.after.champion
    ((1, 3), 1)

    Raises:
        ValueError: an outcome names a match that is not in the bracket.
    """
    recorded = list(facts)
    before = before or make_bracket_progress(bracket, recorded)
    freed = _release_kept_sides(bracket, recorded, outcome.match)
    plain = [*recorded, *freed, outcome]
    after = make_bracket_progress(bracket, plain)
    touched = tuple(name for name in find_affected_matches(before, after, begun) if name != outcome.match)
    chosen = choices or {}
    added: list[BracketFact] = list(freed)
    void = [name for name in touched if chosen.get(name) is LaterMatchChoice.VOID and before[name].outcome is not None]
    added += [MatchOutcome.void(name, before[name].entries) for name in void]
    kept = [name for name in touched if chosen.get(name) is LaterMatchChoice.KEEP]
    for name in (
        stays for last in kept for stays in _iter_earlier_walkovers_and_match(bracket, before, last, outcome.match)
    ):
        after = make_bracket_progress(bracket, [*recorded, outcome, *added])
        added += _list_sides_to_keep(before[name], after[name])
    if added:
        after = make_bracket_progress(bracket, [*recorded, outcome, *added])
    after, beside = _keep_players_in_unplayed_matches(before, after, [*recorded, outcome, *added])
    return _BracketCorrection(before, after, touched, (*added, *beside), _find_double_bookings(after))


def find_affected_matches(
    before: BracketProgress, after: BracketProgress, begun: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the matches that are affected by the change from `before` to `after`, such as a corrected result.

    A match is affected if its recorded result would no longer count, or if it has started and would get different
    players.
    """
    return tuple(name for name, view in before.views.items() if _is_affected(view, after[name], name in begun))


def _is_affected(was: BracketMatchProgress, now: BracketMatchProgress, is_begun: bool) -> bool:
    if was.outcome is not None:
        return not was.is_decided_without_result and now.outcome != was.outcome
    return is_begun and [side.occupancy for side in now.sides] != [side.occupancy for side in was.sides]


def _find_double_bookings(progress: BracketProgress) -> tuple[DoubleBooking, ...]:
    """Return the entries that are in two matches, although the first match does not send them to the second."""
    last: dict[int, BracketMatchProgress] = {}
    bookings = []
    for view in progress.views.values():
        if not view.is_needed:
            continue
        for side in view.sides:
            if side.entry is None:
                continue
            was = last.get(side.entry)
            came = isinstance(side.source, DrawnSide) if was is None else _sends_entry_to(was, side.source, side.entry)
            if was is not None and not came and not (side.kept and was.state is BracketMatchState.DECIDED):
                bookings.append((side.entry, was.match.id, view.match.id))
            last[side.entry] = view
    return tuple(bookings)


def _sends_entry_to(was: BracketMatchProgress, source: object, entry: int) -> bool:
    if was.state is not BracketMatchState.DECIDED:
        return False
    return source == (WinnerOf(was.match.id) if was.winner == entry else LoserOf(was.match.id))


def _release_kept_sides(bracket: Bracket, facts: Sequence[BracketFact], corrected: str) -> list[RetainedMatchSides]:
    """Return the facts that release players who were kept in a match although an earlier result was corrected.

    Only sides that come directly from the match `corrected` are released. The new result of that match then decides who
    plays on these sides.
    """
    kept = {fact.match: fact for fact in facts if isinstance(fact, RetainedMatchSides)}
    freed = []
    for fact in kept.values():
        sources = bracket.matches_by_id[fact.match].sides
        gives = [not isinstance(source, DrawnSide) and source.match == corrected for source in sources]
        upper, lower = (None if given else entry for given, entry in zip(gives, fact.sides, strict=True))
        if (upper, lower) != fact.sides:
            freed.append(RetainedMatchSides(fact.match, (upper, lower)))
    return freed


def _iter_earlier_walkovers_and_match(
    bracket: Bracket, before: BracketProgress, name: str, corrected: str
) -> Iterator[str]:
    """Yield the earlier matches that lead to this match and were decided without being played, then the match itself.

    The corrected match is never among them.
    """
    for source in bracket.matches_by_id[name].sides:
        if (
            not isinstance(source, DrawnSide)
            and source.match != corrected
            and before[source.match].is_decided_without_result
        ):
            yield from _iter_earlier_walkovers_and_match(bracket, before, source.match, corrected)
    yield name


def _list_sides_to_keep(was: BracketMatchProgress, now: BracketMatchProgress) -> list[RetainedMatchSides]:
    """Return the fact to record so that a match keeps its players although an earlier result was corrected.

    `was` is the match before the correction, and `now` is the match after it. The fact names the previous player of
    each side that would change, and of each side whose player was kept earlier. If the match would no longer be needed,
    the fact names both players.

    The list has one fact, or none if there is no player to keep.
    """
    changed = [
        then.entry if not now.is_needed or side.kept or then.occupancy != side.occupancy else None
        for then, side in zip(was.sides, now.sides, strict=True)
    ]
    return (
        [RetainedMatchSides(was.match.id, (changed[0], changed[1]))]
        if any(entry is not None for entry in changed)
        else []
    )


def _keep_players_in_unplayed_matches(
    before: BracketProgress, after: BracketProgress, facts: Sequence[BracketFact]
) -> tuple[BracketProgress, list[RetainedMatchSides]]:
    """Resolve double bookings by leaving the previous player in an unplayed match.

    An entry is double-booked if it was kept in one match although the corrected result sends it to another one. If that
    other match has not been played, its previous player stays there instead.

    `after` is the progress that results from `facts`. Return the new progress, and the additional facts to record.
    """
    beside: list[RetainedMatchSides] = []
    while True:
        found = next(
            (
                kept
                for booking in _find_double_bookings(after)
                for kept in _resolve_double_booking(booking, before, after)
            ),
            None,
        )
        if found is None:
            return after, beside
        beside.append(found)
        after = make_bracket_progress(after.bracket, [*facts, *beside])


def _resolve_double_booking(
    booking: DoubleBooking, before: BracketProgress, after: BracketProgress
) -> Iterator[RetainedMatchSides]:
    entry, *matches = booking
    for name in matches:
        was, now = before[name], after[name]
        if was.outcome is not None and not was.is_decided_without_result:
            continue
        for turn, (then, side) in enumerate(zip(was.sides, now.sides, strict=True)):
            if side.entry == entry and not side.kept and then.entry not in (None, entry):
                kept = [here.entry if here.kept else None for here in now.sides]
                kept[turn] = then.entry
                yield RetainedMatchSides(name, (kept[0], kept[1]))
