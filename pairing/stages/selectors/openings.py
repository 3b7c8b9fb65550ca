"""The next stage if it were opened now: its entries, bracket positions, groups and byes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from pairing.draws.order import compute_draw_order
from pairing.draws.places import compute_bracket_size
from pairing.draws.separation.draw import AvoidList, place_drawn_order
from pairing.draws.separation.groups_and_seeds import separate_groups, separate_seeds
from pairing.draws.stages.plan import KnockoutTerms, StagePlan
from pairing.draws.stages.play_off import AwardedBye, ByeBasis, ByeRule
from pairing.draws.stages.pools import Advancement, deal_into_groups
from pairing.models import Draw, StageSeal
from pairing.stages.selectors.apart import load_avoid_list
from pairing.stages.selectors.course import EventStages, Qualifiers, find_qualifiers, load_persons_by_entry
from tournament.errors import Conflict, DomainError
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class StageOpening:
    """A stage that is about to be opened. Its entries are in the order of the standings or the draw.

    `promoted_alternates` are replacements for entries that left after the play-off. Before the cut for a blind draw,
    `record` has no order yet, and `byes_by_lot` is the number of byes still to be drawn.
    """

    number: int
    plan: StagePlan
    entries: tuple[int, ...]
    record: Mapping[str, Any]
    byes: tuple[AwardedBye, ...] = ()
    advancement: Advancement | None = None
    promoted_alternates: tuple[int, ...] = ()
    byes_by_lot: int = 0

    @property
    def is_drawn_blind(self) -> bool:
        return is_drawn_by_lot(self.plan)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOpeningChoices:
    """The director's input for opening a stage.

    `cut` is the cut for a blind draw. `bye_entries` has the entries that get byes, if the plan lets the director decide
    this.
    """

    cut: str = ""
    bye_entries: tuple[int, ...] = ()


NO_STAGE_OPENING_CHOICES = StageOpeningChoices()


def is_drawn_by_lot(plan: StagePlan | None) -> bool:
    """Return whether the stage is a bracket that is drawn by lot."""
    return plan is not None and plan.knockout is not None and plan.kind.traits.is_bracket and not plan.knockout.seeded


def make_first_stage_opening(draw: Draw, plan: StagePlan) -> StageOpening:
    """Return the first stage, with all entries in the order of the draw."""
    order, avoid = tuple(draw.order), AvoidList.from_json(draw.avoid)
    # The places of a bracket are part of the draw.
    return StageOpening(1, plan, order, {} if plan.kind.traits.is_bracket else _make_pool_record(plan, order, avoid))


def load_stage_opening(
    event: Event,
    course: EventStages,
    choices: StageOpeningChoices = NO_STAGE_OPENING_CHOICES,
    seal: StageSeal | None = None,
) -> StageOpening:
    """Return the opening of the stage after the current one, based on the results.

    A blind draw needs a sealed secret (`seal`) and the cards that were cut from a deck (in `choices`). If the stage is
    a blind draw and `seal` is None, the result has no draw yet.

    Raises:
        Conflict: `last-stage`, `not-complete`.
        DomainError: `too-few`.
    """
    if course.next_plan is None:
        raise Conflict("last-stage", _("This is the last stage of the event. Finish the event instead."))
    if not course.current_stage.is_complete:
        raise Conflict(
            "not-complete",
            _("“%(name)s” is not over. Finish its open games at the desk first.") % {"name": course.current_stage.name},
        )
    opening = _make_opening(event, course, course.next_plan, choices, seal)
    if len(opening.entries) < 2:
        message = _("Fewer than two entrants advance, so there is nothing to play. Finish the event by its standings.")
        raise DomainError("too-few", message)
    return opening


def preview_next_stage(
    event: Event, course: EventStages, choices: StageOpeningChoices = NO_STAGE_OPENING_CHOICES
) -> StageOpening | None:
    """Return the next stage as if the current one were over. Return None if the current stage is the last one."""
    return None if course.next_plan is None else _make_opening(event, course, course.next_plan, choices, None)


def _make_opening(
    event: Event, course: EventStages, plan: StagePlan, choices: StageOpeningChoices, seal: StageSeal | None
) -> StageOpening:
    number, qualifiers = len(course.stages) + 1, find_qualifiers(course, plan)
    if plan.kind.traits.for_places:
        return _make_play_off_opening(event, course, number, plan, qualifiers)
    entries = qualifiers.entries
    if plan.kind.traits.is_bracket and len(entries) > 1:
        return _make_bracket_opening(event, number, plan, qualifiers, choices, seal)
    # Only entries with the same place in the stage before may exchange groups.
    record = _make_pool_record(plan, entries, load_avoid_list(event), by_row=True) if len(entries) > 1 else {}
    return StageOpening(
        number,
        plan,
        entries,
        record,
        advancement=qualifiers.advancement,
        promoted_alternates=qualifiers.promoted_alternates,
    )


def _make_play_off_opening(
    event: Event, course: EventStages, number: int, plan: StagePlan, qualifiers: Qualifiers
) -> StageOpening:
    advancement = qualifiers.advancement
    assert advancement is not None
    persons = load_persons_by_entry(event, advancement.play_off)
    record = {
        "through": list(advancement.advancing_entries),
        "play_off": list(advancement.play_off),
        "open_places": advancement.open_places,
        "persons": {str(entry): sorted(players) for entry, players in persons.items()},
        "seed": f"{course.draw.commitment.draw_id} stage {number}",
    }
    return StageOpening(number, plan, qualifiers.entries, record, advancement=advancement)


def _make_bracket_opening(
    event: Event,
    number: int,
    plan: StagePlan,
    qualifiers: Qualifiers,
    choices: StageOpeningChoices,
    seal: StageSeal | None,
) -> StageOpening:
    """Return the opening of a seeded bracket, or of a bracket that is drawn blind.

    A blind draw follows from two inputs: the secret whose hash was published before (`seal`), and the result of a
    public cut, such as dice (`choices`). Without `seal`, a blind bracket is not drawn yet, and the opening has only the
    byes that do not depend on the draw.
    """
    assert plan.knockout is not None
    record: dict[str, Any] = {"named": list(choices.bye_entries), "came_up": list(qualifiers.promoted_alternates)}
    opening = StageOpening(
        number,
        plan,
        qualifiers.entries,
        record,
        advancement=qualifiers.advancement,
        promoted_alternates=qualifiers.promoted_alternates,
    )
    if plan.knockout.seeded:
        return replace(opening, record={**record, **_make_seeding_record(qualifiers, load_avoid_list(event))})
    if seal is None:
        byes = _award_byes(plan.knockout, qualifiers, "", choices)
        known = tuple(bye for bye in byes if bye.by is not ByeBasis.LOT)
        return replace(opening, byes=known, byes_by_lot=len(byes) - len(known))
    cut, secret = choices.cut.strip(), bytes.fromhex(seal.secret)
    order = compute_draw_order(qualifiers.entries, secret=secret, public=cut, draw_id=seal.draw_id)
    seed = f"{seal.draw_id} {cut} {seal.secret}"
    byes = _award_byes(plan.knockout, qualifiers, seed, choices)
    avoid = replace(load_avoid_list(event), former_groups=qualifiers.former_groups)
    placed = place_drawn_order(order, byes_to=[bye.entry for bye in byes], avoid=avoid)
    record |= {
        "cut": cut,
        "seal": {"draw_id": seal.draw_id, "commitment": seal.commitment, "secret": seal.secret},
        "seed": seed,
        "byes": [bye.as_json() for bye in byes],
        "order": list(order),
        "avoid": avoid.as_json(),
        "places": list(placed.places),
        "moves": [move.as_json() for move in placed.moves],
    }
    return replace(opening, record=record, byes=byes)


def _award_byes(
    terms: KnockoutTerms, qualifiers: Qualifiers, seed: str, choices: StageOpeningChoices
) -> tuple[AwardedBye, ...]:
    """Return the byes of a bracket.

    Entries get byes first if `terms.byes_to` lists their number of wins. `terms.fallback` decides who gets the
    remaining byes: the entries with the best standing, entries chosen by lot, or entries named by the director.

    Return an empty tuple if the draw decides who gets byes.
    """
    if not terms.byes_to and terms.fallback is not ByeBasis.DIRECTOR:
        return ()
    byes = compute_bracket_size(len(qualifiers.entries)) - len(qualifiers.entries)
    rule = ByeRule(
        preferred_win_counts=terms.byes_to, fallback=terms.fallback, seed=seed, director_choices=choices.bye_entries
    )
    return rule.give_byes({entry: qualifiers.wins.get(entry, 0) for entry in qualifiers.entries}, byes)


def _make_seeding_record(qualifiers: Qualifiers, avoid: AvoidList) -> dict[str, Any]:
    """Seed a bracket from the standings. Entries from the same group are kept apart in round one if possible."""
    placed = separate_seeds(qualifiers.entries, qualifiers.same_place_groups, avoid, qualifiers.former_groups)
    return {
        "seeded": True,
        "places": list(placed.places),
        "levels": [list(level) for level in qualifiers.same_place_groups],
        "mates": [list(group) for group in qualifiers.former_groups],
        "avoid": avoid.as_json(),
        "moves": [move.as_json() for move in placed.moves],
    }


def _make_pool_record(
    plan: StagePlan, order: Sequence[int], avoid: AvoidList, *, by_row: bool = False
) -> dict[str, Any]:
    """Return a pool's record: its groups, and the moves that were made to keep entries apart.

    If `by_row` is true, an entry changes places only with entries at the same position in other groups.

    The record's `left_out` has games between entries of the same person that no move can separate. These games are not
    played. The record is empty if the pool's games are not all scheduled in advance.
    """
    if not plan.kind.traits.all_meet:
        return {}
    assert plan.pool is not None
    try:
        groups = deal_into_groups(order, plan.pool.groups)
    except ValueError:
        message = _(
            "%(order)s entrants are too few for %(groups)s groups. Each group needs at least two; plan fewer groups."
        ) % {"order": len(order), "groups": plan.pool.groups}
        raise DomainError("too-few", message) from None
    if len(groups) == 1:
        avoid = replace(avoid, groups=())
    rows = {entry: at for group in groups for at, entry in enumerate(group)}
    groups, moves = separate_groups(groups, avoid, levels=rows if by_row else None)
    record: dict[str, Any] = {"groups": [list(group) for group in groups]}
    members = [set(group) for group in groups]
    left_out = sorted(sorted(pair) for pair in avoid.same_person if any(set(pair) <= group for group in members))
    record |= {"left_out": left_out} if left_out else {}
    return {**record, "moves": [move.as_json() for move in moves]} if moves else record


# --- Verification ----------------------------------------------------------------------------------------------------


def verify_seeding(entries: Sequence[int], record: Mapping[str, Any]) -> bool:
    """Return whether the recorded positions follow from the standings and the entries to keep apart."""
    avoid = AvoidList.from_json(record.get("avoid", {}))
    placed = separate_seeds(entries, record.get("levels", ()), avoid, record.get("mates", ()))
    return bool(list(placed.places) == record["places"])


def verify_drawn_places(record: Mapping[str, Any]) -> bool:
    """Return whether the recorded positions follow from the drawn order, the byes, and the entries to keep apart."""
    byes = [bye["entry"] for bye in record["byes"]]
    placed = place_drawn_order(record["order"], byes_to=byes, avoid=AvoidList.from_json(record["avoid"]))
    return bool(list(placed.places) == record["places"])
