"""What the next stage would be if it were opened now: who is in it, and how it comes about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pairing.draws import (
    ByeBy,
    ByeRule,
    GivenBye,
    GoingOn,
    KnockoutTerms,
    StageKind,
    StagePlan,
    bracket_size,
    give_byes,
    make_groups,
    place_order,
    seeded_places,
)
from pairing.draws.lots import by_lot
from pairing.models import Draw
from pairing.selectors.draws import load_avoid
from pairing.selectors.stages import Course, StageState, load_persons
from tournament.errors import Conflict, DomainError
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class Opening:
    """A stage to be opened: its entries, the best or first drawn first, and its record."""

    number: int
    plan: StagePlan
    entries: tuple[int, ...]
    record: Mapping[str, Any]
    byes: tuple[GivenBye, ...] = ()
    going_on: GoingOn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the director adds: the cut of a blind draw, and whom he names for byes where he decides."""

    cut: str = ""
    named: tuple[int, ...] = field(default=())


NO_WISHES = Wishes()


def first_opening(event: Event, draw: Draw, plan: StagePlan, order: Sequence[int]) -> Opening:
    """The first stage: everybody in the order of the draw."""
    if plan.kind.is_elimination:
        return _bracket(event, draw, 1, plan, _Coming(tuple(order), {}, drawn=True), NO_WISHES)
    return Opening(1, plan, tuple(order), _pool_record(plan, order))


def load_opening(event: Event, course: Course, wishes: Wishes = NO_WISHES) -> Opening:
    """The stage after the current one, from its results.

    Raises:
        Conflict: `last-stage`, `not-complete`.
        DomainError: `too-few`.
    """
    plan = course.to_come
    if plan is None:
        raise Conflict("last-stage", "This is the last stage of the event.")
    if not course.current.is_complete:
        raise Conflict("not-complete", f"“{course.current.name}” is not over. Look at the desk for what is open.")
    number = len(course.stages) + 1
    coming, going_on = _coming(course, plan)
    if plan.kind is StageKind.PLAY_OFF:
        assert going_on is not None
        return _play_off(event, course, number, plan, going_on)
    if len(coming.entries) < 2:
        raise DomainError(
            "too-few", "Fewer than two go on: there is nothing to play. Finish the event by its standings."
        )
    if plan.kind.is_elimination:
        return _bracket(event, course.draw, number, plan, coming, wishes, going_on)
    return Opening(number, plan, coming.entries, _pool_record(plan, coming.entries), going_on=going_on)


@dataclass(frozen=True, slots=True)
class _Coming:
    """Who comes into a stage, the best first, with the wins each has; `drawn`: in the order of a blind draw."""

    entries: tuple[int, ...]
    wins: Mapping[int, int]
    drawn: bool = False


def _coming(course: Course, plan: StagePlan) -> tuple[_Coming, GoingOn | None]:
    current, pool = course.current, course.last_pool
    assert pool.pool is not None
    if current.play_off is not None:
        entries = (*current.row.record["through"], *current.play_off.through)
        going_on = None
    else:
        places = plan.knockout.places if plan.kind is StageKind.PLAY_OFF and plan.knockout else None
        going_on = pool.going_on(places)
        entries = going_on.through
    gone = pool.pool.gone
    here = tuple(entry for entry in entries if entry not in gone)
    return _Coming(here, {entry: pool.pool.qualifying[entry].record.wins for entry in here}), going_on


def _pool_record(plan: StagePlan, order: Sequence[int]) -> dict[str, Any]:
    if plan.kind is not StageKind.ROUND_ROBIN:
        return {}
    assert plan.pool is not None
    try:
        groups = make_groups(order, plan.pool.groups)
    except ValueError:
        message = f"{len(order)} entrants are too few for {plan.pool.groups} groups: two of each at least."
        raise DomainError("too-few", message) from None
    return {"groups": [list(group) for group in groups]}


def _play_off(event: Event, course: Course, number: int, plan: StagePlan, going_on: GoingOn) -> Opening:
    persons = load_persons(event, going_on.play_off)
    record = {
        "through": list(going_on.through),
        "play_off": list(going_on.play_off),
        "open_places": going_on.open_places,
        "persons": {str(entry): sorted(found) for entry, found in persons.items()},
        "seed": f"{course.draw.commitment.draw_id} stage {number}",
    }
    return Opening(number, plan, (*going_on.through, *going_on.play_off), record, going_on=going_on)


def _bracket(
    event: Event,
    draw: Draw,
    number: int,
    plan: StagePlan,
    coming: _Coming,
    wishes: Wishes,
    going_on: GoingOn | None = None,
) -> Opening:
    assert plan.knockout is not None
    entries = coming.entries[: plan.knockout.places] if plan.knockout.places else coming.entries
    seed = f"{draw.commitment.draw_id} stage {number} {wishes.cut}".strip()
    record: dict[str, Any] = {"cut": wishes.cut, "seed": seed, "named": list(wishes.named)}
    if plan.knockout.seeded:
        record |= {"places": list(seeded_places(entries)), "seeded": True}
        return Opening(number, plan, entries, record, going_on=going_on)
    byes = _byes(plan.knockout, coming, entries, seed, wishes)
    order = entries if coming.drawn else by_lot(entries, seed=seed)
    placed = place_order(order, byes_to=[bye.entry for bye in byes], avoid=load_avoid(event))
    record |= {
        "order": list(order),
        "places": list(placed.places),
        "byes": [bye.as_json() for bye in byes],
        "moves": [move.as_json() for move in placed.moves],
    }
    return Opening(number, plan, entries, record, byes, going_on)


def _byes(
    terms: KnockoutTerms, coming: _Coming, entries: Sequence[int], seed: str, wishes: Wishes
) -> tuple[GivenBye, ...]:
    """By the listed wins, then by the fallback; where neither says anything, the draw gives them."""
    if not terms.byes_to and terms.fallback is not ByeBy.DIRECTOR:
        return ()
    byes = bracket_size(len(entries)) - len(entries)
    rule = ByeRule(listed=terms.byes_to, fallback=terms.fallback, seed=seed, named=wishes.named)
    return give_byes({entry: coming.wins.get(entry, 0) for entry in entries}, byes, rule)


def is_untouched(stage: StageState) -> bool:
    """Whether nothing was recorded in it: until then it can be taken back."""
    if stage.progress is not None:
        return all(view.outcome is None or view.by_itself for view in stage.progress.views.values())
    return all(match.meeting.outcome is None or match.by_itself for match in stage.matches.values())
