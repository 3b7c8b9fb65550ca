"""A result is corrected after play has gone on: what that touches, and what becomes of each match it touches.

    bracket, facts, outcome, choices ──follow──► the bracket before and after, and the facts to be recorded with it

A match is touched where it was played, or is begun, with somebody who, corrected, would not stand there. For each:

- `KEEP`: it stays as it was played, with those who played it. Anyone who comes up instead is passed over.
- `REPLAY`: it is open again for those who stand there now. What was recorded counts again if that pair meets after all.
- `VOID`: the same, and what was recorded is taken back for good.

In a double elimination an entry that stays in one match leaves the place free to which the corrected result sends it:
the one who stood there stays there too, if that match was not played yet; if it was, both have to be kept or neither.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pairing.draws.knockout.bracket import DrawnSide, WinnerOf
from pairing.draws.knockout.double_bracket import LoserOf
from pairing.draws.knockout.elimination import AnyBracket, AnyProgress, make_any_progress
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.results.credits import BracketFact, MatchOutcome, SidesKept


class LaterChoice(StrEnum):
    """What becomes of a later match that was played with another entrant."""

    KEEP = "keep"
    REPLAY = "replay"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class DoubleBooked:
    """An entry that would stand in two places: its way does not lead from the one match to the other."""

    entry: int
    matches: tuple[str, str]


@dataclass(frozen=True)
class Followed:
    """What a correction leads to.

    `touched` are the later matches it touches, in the bracket's order, and `after` the bracket with the choices made.
    `added` is to be recorded after the outcome, in this order. `torn` is empty, or the choices cannot be made together.
    """

    before: AnyProgress
    after: AnyProgress
    touched: tuple[str, ...]
    added: tuple[BracketFact, ...]
    torn: tuple[DoubleBooked, ...]


def propagate_correction(
    bracket: AnyBracket,
    facts: Iterable[BracketFact],
    outcome: MatchOutcome,
    choices: Mapping[str, LaterChoice] | None = None,
    begun: Collection[str] = (),
    *,
    before: AnyProgress | None = None,
) -> Followed:
    """The bracket as it will stand; a touched match that no choice names is replayed.

    `begun` are matches without a result that are being played, or called to a table: they are touched as well.
    `before` is the bracket as these facts have it, where that was folded already.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> played = [MatchOutcome.won("R1M1", 1, 2), MatchOutcome.won("R1M2", 3, 4), MatchOutcome.won("R2M1", 1, 3)]
    >>> wrong = MatchOutcome.won("R1M1", 2, 1)
    >>> replayed = propagate_correction(make_bracket((1, 2, 3, 4)), played, wrong)
    >>> replayed.touched, replayed.after["R2M1"].entries, replayed.after.champion
    (('R2M1',), (2, 3), None)
    >>> kept = propagate_correction(make_bracket((1, 2, 3, 4)), played, wrong, {"R2M1": LaterChoice.KEEP})
    >>> kept.after["R2M1"].entries, kept.after.champion
    ((1, 3), 1)

    Raises:
        ValueError: an outcome of a match that is not in the bracket.
    """
    recorded = list(facts)
    before = before or make_any_progress(bracket, recorded)
    freed = _freed(bracket, recorded, outcome.match)
    plain = [*recorded, *freed, outcome]
    after = make_any_progress(bracket, plain)
    touched = tuple(name for name in touched_by_change(before, after, begun) if name != outcome.match)
    chosen = choices or {}
    added: list[BracketFact] = list(freed)
    void = [name for name in touched if chosen.get(name) is LaterChoice.VOID and before[name].outcome is not None]
    added += [MatchOutcome.void(name, before[name].entries) for name in void]
    kept = [name for name in touched if chosen.get(name) is LaterChoice.KEEP]
    for name in (stays for last in kept for stays in _with_walk_overs(bracket, before, last, outcome.match)):
        after = make_any_progress(bracket, [*recorded, outcome, *added])
        added += _kept(before[name], after[name])
    if added:
        after = make_any_progress(bracket, [*recorded, outcome, *added])
    after, beside = _keep_beside(before, after, [*recorded, outcome, *added])
    return Followed(before, after, touched, (*added, *beside), find_double_bookings(after))


def touched_by_change(before: AnyProgress, after: AnyProgress, begun: Collection[str] = ()) -> tuple[str, ...]:
    """The matches whose recorded result would hold no more or make another match of it, and begun ones of others."""
    return tuple(name for name, view in before.views.items() if _is_touched(view, after[name], name in begun))


def _is_touched(was: MatchView, now: MatchView, is_begun: bool) -> bool:
    if was.outcome is not None:
        return not was.by_itself and now.outcome != was.outcome
    return is_begun and [side.stands for side in now.sides] != [side.stands for side in was.sides]


def find_double_bookings(progress: AnyProgress) -> tuple[DoubleBooked, ...]:
    """Each entry that stands somewhere without having come there, while it stands somewhere else."""
    last: dict[int, MatchView] = {}
    torn = []
    for view in progress.views.values():
        if not view.is_needed:
            continue
        for side in view.sides:
            if side.entry is None:
                continue
            was = last.get(side.entry)
            came = isinstance(side.source, DrawnSide) if was is None else _leads(was, side.source, side.entry)
            if was is not None and not came and not (side.kept and was.state is State.DECIDED):
                torn.append(DoubleBooked(side.entry, (was.match.id, view.match.id)))
            last[side.entry] = view
    return tuple(torn)


def _leads(was: MatchView, source: object, entry: int) -> bool:
    if was.state is not State.DECIDED:
        return False
    return source == (WinnerOf(was.match.id) if was.winner == entry else LoserOf(was.match.id))


def _freed(bracket: AnyBracket, facts: Sequence[BracketFact], corrected: str) -> list[SidesKept]:
    """Sides that were kept although the corrected match gave somebody else: with its new result that is asked anew."""
    kept = {fact.match: fact for fact in facts if isinstance(fact, SidesKept)}
    freed = []
    for fact in kept.values():
        sources = bracket.by_id[fact.match].sides
        gives = [not isinstance(source, DrawnSide) and source.match == corrected for source in sources]
        upper, lower = (None if given else entry for given, entry in zip(gives, fact.sides, strict=True))
        if (upper, lower) != fact.sides:
            freed.append(SidesKept(fact.match, (upper, lower)))
    return freed


def _with_walk_overs(bracket: AnyBracket, before: AnyProgress, name: str, corrected: str) -> Iterator[str]:
    """The match, and before it those by which its sides went on without play."""
    for source in bracket.by_id[name].sides:
        if not isinstance(source, DrawnSide) and source.match != corrected and before[source.match].by_itself:
            yield from _with_walk_overs(bracket, before, source.match, corrected)
    yield name


def _kept(was: MatchView, now: MatchView) -> list[SidesKept]:
    """Those who stood there before, on the sides where somebody else does now; sides that were kept stay so."""
    changed = [
        then.entry if not now.is_needed or side.kept or then.stands != side.stands else None
        for then, side in zip(was.sides, now.sides, strict=True)
    ]
    return [SidesKept(was.match.id, (changed[0], changed[1]))] if any(entry is not None for entry in changed) else []


def _keep_beside(
    before: AnyProgress, after: AnyProgress, facts: Sequence[BracketFact]
) -> tuple[AnyProgress, list[SidesKept]]:
    """Where a kept entry would come up elsewhere too: the side that stood there stays there, while it is not played.

    `after` is the bracket as `facts` have it.
    """
    beside: list[SidesKept] = []
    while True:
        found = next((kept for torn in find_double_bookings(after) for kept in _untear(torn, before, after)), None)
        if found is None:
            return after, beside
        beside.append(found)
        after = make_any_progress(after.bracket, [*facts, *beside])


def _untear(torn: DoubleBooked, before: AnyProgress, after: AnyProgress) -> Iterator[SidesKept]:
    for name in torn.matches:
        was, now = before[name], after[name]
        if was.outcome is not None and not was.by_itself:
            continue
        for turn, (then, side) in enumerate(zip(was.sides, now.sides, strict=True)):
            if side.entry == torn.entry and not side.kept and then.entry not in (None, torn.entry):
                kept = [here.entry if here.kept else None for here in now.sides]
                kept[turn] = then.entry
                yield SidesKept(name, (kept[0], kept[1]))
