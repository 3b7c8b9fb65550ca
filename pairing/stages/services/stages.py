"""Open an event's stages, create their matches, seal their blind draws, and undo the latest stage."""

import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from django.db import connections, router, transaction
from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import BracketMatch
from pairing.draws.order import SECRET_BYTE_COUNT, compute_commitment
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.pools import find_ties_needing_lots, schedule_groups
from pairing.models import Draw, Match, MatchSeat, Stage, StageLots, StageSeal, StageTakenBack
from pairing.ports import score_cards
from pairing.stages.selectors.brackets import load_bracket
from pairing.stages.selectors.course import EventStages, is_stage_without_result, load_event_stages
from pairing.stages.selectors.kinds import find_stage_kind_hooks
from pairing.stages.selectors.openings import (
    NO_STAGE_OPENING_CHOICES,
    StageOpening,
    StageOpeningChoices,
    is_drawn_by_lot,
    load_stage_opening,
    make_first_stage_opening,
)
from pairing.stages.selectors.plans import load_event_plan
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.core.topics import record_bulk_created_rows, record_changed_rows
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant, Event
from tournament.registration.selectors.entries import list_sites, load_entrants_without_site

# --- Opening and undoing a stage -------------------------------------------------------------------------------------


def open_first_stage(write: WriteTransaction, draw: Draw) -> Stage:
    """Open the first stage. Call this in the transaction that posts the draw."""
    return _open_stage(write, draw, make_first_stage_opening(draw, load_event_plan(write.the_event).first))


def open_next_stage(
    event: Event, *, by: Actor, choices: StageOpeningChoices = NO_STAGE_OPENING_CHOICES, key: str = "", reason: str = ""
) -> Stage:
    """Open the stage after the current one for the entries that advance.

    Raises:
        Conflict: `not-in-play`, `last-stage`, `not-complete`.
        DomainError: `too-few`.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="stage.opened", by=by, key=make_idempotency_key(key, choices), reason=reason) as write:
        if write.repeated:
            return Stage.objects.get(pk=write.outcome["stage"])
        course = require_stages_in_play(write.the_event)
        seal = None
        if is_drawn_by_lot(course.next_plan) and course.current_stage.is_complete:
            seal = course.current_stage.row.seals.last() or _seal_next_draw(write, course.current_stage.row)
        return _open_stage(write, course.draw, load_stage_opening(write.the_event, course, choices, seal))


def _open_stage(write: WriteTransaction, draw: Draw, opening: StageOpening) -> Stage:
    """Record the stage and create the matches that are already known. Call this inside a write transaction.

    Raises:
        DomainError: `no-sites`, `no-site`.
    """
    require_entrants_have_sites(write.the_event, [opening.plan], opening.entries)
    stage = Stage.objects.create(
        draw=draw,
        number=opening.number,
        kind=opening.plan.kind.value,
        name=opening.plan.name,
        terms=dict(opening.plan.terms),
        entries=list(opening.entries),
        record=dict(opening.record),
        **write.fact_fields(),
    )
    write.log_row_digest("stages", stage)
    write.about(stage, stage=stage.pk, kind=stage.kind, entries=stage.entries)
    if is_drawn_by_lot(load_event_plan(write.the_event).get_stage_after(opening.number)):
        _seal_next_draw(write, stage)
    begin = find_stage_kind_hooks(opening.plan.kind).create_initial_matches
    if begin is not None:
        begin(write, stage)
    score_cards().open_ready_cards(write)
    return stage


def _seal_next_draw(write: WriteTransaction, stage: Stage) -> StageSeal:
    """Seal the blind draw for the next stage. Only the seal is public. Call this inside a write transaction."""
    secret = make_draw_secret()
    turn = StageSeal.objects.filter(stage__draw=stage.draw).count() + 1
    return StageSeal.objects.create(
        stage=stage,
        draw_id=f"{stage.draw.commitment.draw_id}-stage-{stage.number + 1}-{turn}",
        commitment=compute_commitment(secret),
        secret=secret.hex(),
        **write.fact_fields(),
    )


def make_draw_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTE_COUNT)


def take_back_stage(event: Event, *, by: Actor, reason: str) -> Stage:
    """Undo the latest stage. This is possible until its first result. The stage stays on record with the reason.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `first-stage` (undo the draw instead), `play-began`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Write why you undo the stage. The reason stays on record."))
    with writing(event, verb="stage.taken-back", by=by, reason=reason) as write:
        course = require_stages_in_play(write.the_event)
        stage = course.current_stage
        if len(course.stages) == 1:
            raise Conflict("first-stage", _("The first stage came with the draw. Undo the draw instead."))
        if not is_stage_without_result(stage):
            raise Conflict(
                "play-began", _("The stage has a result, so it cannot be undone. Correct single results instead.")
            )
        StageTakenBack.objects.create(stage=stage.row, **write.fact_fields())
        if is_drawn_by_lot(stage.plan):
            _seal_next_draw(write, course.stages[-2].row)
        write.about(stage.row, stage=stage.row.pk)
        return stage.row


def record_drawn_lots(event: Event, order: Sequence[int], *, by: Actor, reason: str, key: str = "") -> StageLots:
    """Record a draw of lots among tied entrants in the latest pool. `order` has their numbers in the order drawn.

    Raises:
        DomainError: `reason-needed`, `not-level`.
        Conflict: `not-in-play`, or `next-open` if the next stage is open already.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Write who drew the lots, and how. It is shown with the standings."))
    with writing(
        event, verb="lots.recorded", by=by, reason=reason, key=make_idempotency_key(key, list(order))
    ) as write:
        if write.repeated:
            return StageLots.objects.get(pk=write.outcome["lots"])
        course = require_stages_in_play(write.the_event)
        pool = course.pool
        if pool is None:
            raise Conflict(
                "next-open",
                _("“%(name)s” is open already, so lots would change nothing. Undo that stage first.")
                % {"name": course.current_stage.name},
            )
        if not any(set(order) == set(group) for group in find_ties_needing_lots(pool)) or len(set(order)) < len(order):
            message = _("Enter every entrant of the tie, each once. Look at the standings to see who is tied.")
            raise DomainError("not-level", message)
        lots = StageLots.objects.create(stage=course.current_stage.row, order=list(order), **write.fact_fields())
        write.about(course.current_stage.row, lots=lots.pk, order=lots.order)
        return lots


def require_stages_in_play(event: Event) -> EventStages:
    """Return the stages of an event that is in progress and has games between two entrants.

    Raises:
        Conflict: `not-in-play`.
    """
    course = load_event_stages(event)
    if not course.stages or not course.current_stage.kind.traits.two_meet or event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play (“%(state)s”). Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    return course


# --- The matches of a stage ------------------------------------------------------------------------------------------


def make_bracket_matches(write: WriteTransaction, stage: Stage) -> None:
    make_elimination_matches(write.the_event, stage, load_bracket(stage).matches)


VARYING_MATCH_COLUMNS: Final = ("ident", "round", "position")
"""The database columns that differ between the matches of a stage."""


def make_elimination_matches(event: Event, stage: Stage, matches: Iterable[BracketMatch]) -> None:
    """Insert the rows of all matches of a bracket in a single statement. Call this inside a write transaction.

    `bulk_create` takes seven times as long for 8,191 matches, because it creates model objects.
    """
    same = {"event_id": event.pk, "draw_id": stage.draw_id, "stage_id": stage.pk}
    fields = [
        field
        for field in Match._meta.concrete_fields
        if not field.primary_key and field.name not in VARYING_MATCH_COLUMNS
    ]
    usual = tuple(same.get(field.attname, field.get_default()) for field in fields)
    rows = [(*usual, match.id, match.round, match.position) for match in matches]
    database = connections[router.db_for_write(Match)]
    names = [*(field.attname for field in fields), *VARYING_MATCH_COLUMNS]
    quoted = ", ".join(database.ops.quote_name(name) for name in names)
    places = ", ".join(["%s"] * len(names))
    table = database.ops.quote_name(Match._meta.db_table)
    with transaction.atomic(using=database.alias), database.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({quoted}) VALUES ({places})", rows)
    record_changed_rows(Match, stage.matches.values_list("pk", flat=True))


def make_group_games(write: WriteTransaction, stage: Stage) -> None:
    event = write.the_event
    games = schedule_groups(stage.record["groups"], stage.record.get("left_out", ()))
    idents = find_free_match_names(stage.draw, len(games))
    rows = [
        Match(event=event, draw=stage.draw, stage=stage, ident=ident, round=turn, position=at)
        for at, (ident, (_group, turn, _pair)) in enumerate(zip(idents, games, strict=True), start=1)
    ]
    create_seated_matches(event, rows, [pair for _group, _turn, pair in games])


def advance_play_off(write: WriteTransaction) -> None:
    """Create the matches of all play-off rounds whose sides are known. Call this inside a write transaction."""
    while (stage := load_event_stages(write.the_event).play_off) is not None and stage.lacks_matches:
        for each in stage.play_off.rounds:
            for at, match in enumerate(each.matches, start=1):
                if stage.find_match_name(match) is None:
                    # The name is P2M1, or P2M1-2 if others met there before a correction.
                    taken = sum(ident.partition("-")[0] == match.id for ident in stage.matches)
                    ident = f"{match.id}-{taken + 1}" if taken else match.id
                    create_seated_match(write.the_event, stage.row, ident, match.sides, (each.number, at))


def make_play_off_round(event: Event, *, by: Actor) -> None:
    """Create the matches of a play-off round whose sides became known because somebody left.

    Raises:
        Conflict: `not-in-play`, `no-round`.
    """
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="play-off.advanced", by=by) as write:
        course = require_stages_in_play(write.the_event)
        if not course.current_stage.lacks_matches:
            raise Conflict("no-round", _("All play-off matches that are known have been made. Nothing was changed."))
        advance_play_off(write)
        score_cards().open_ready_cards(write)
        write.about(course.current_stage.row, stage=course.current_stage.row.pk)


def create_seated_match(event: Event, stage: Stage, ident: str, sides: Sequence[int], at: tuple[int, int]) -> Match:
    """Create a match with its sides.

    `at` is its round and its position in the round. Call this inside a write transaction.
    """
    match = Match(event=event, draw=stage.draw, stage=stage, ident=ident, round=at[0], position=at[1])
    return create_seated_matches(event, [match], [sides])[0]


def create_seated_matches(event: Event, matches: Sequence[Match], sides: Iterable[Sequence[int]]) -> list[Match]:
    """Save new matches together with their sides. This must be called inside a write transaction."""
    saved, seated = record_bulk_created_rows(Match.objects.bulk_create(matches)), list(sides)
    everybody = {number for numbers in seated for number in numbers}
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=everybody)}
    seats = [
        MatchSeat(match=match, position=place, entrant=entrants[number])
        for match, numbers in zip(saved, seated, strict=True)
        for place, number in enumerate(numbers)
    ]
    record_bulk_created_rows(MatchSeat.objects.bulk_create(seats))
    return saved


def find_free_match_names(draw: Draw, count: int, letter: str = "G") -> list[str]:
    """Return the next free match names in a draw, such as G1 and G2. They are unique across all pools of the draw.

    `letter` is the first letter of the names. Games have a G. A match with a single entry, which records a loss as a
    penalty, has an X.
    """
    taken = draw.matches.filter(ident__startswith=letter).values_list("ident", flat=True)
    last = max((int(ident[1:]) for ident in taken if ident[1:].isdigit()), default=0)
    return [f"{letter}{last + turn}" for turn in range(1, count + 1)]


# --- Stages that advance the best of each site -----------------------------------------------------------------------


def require_entrants_have_sites(event: Event, plans: Iterable[StagePlan], numbers: Iterable[int]) -> None:
    """Raise an error if an entrant has no site although one of these stages advances the best of each site.

    Raises:
        DomainError: `no-sites`, `no-site`.
    """
    plan = next((plan for plan in plans if _is_by_site(plan)), None)
    if plan is None:
        return
    if not list_sites(event):
        message = _(
            "In “%(name)s” the best of each site advance, but no site is named. Name the sites in the event's settings."
        )
        raise DomainError("no-sites", message % {"name": plan.name})
    missing = load_entrants_without_site(event, numbers)
    if missing:
        names = ", ".join(str(entrant) for entrant in missing)
        message = _("In “%(name)s” the best of each site advance. Choose a site for these entrants first: %(names)s.")
        words = {"name": plan.name, "names": names}
        raise DomainError("no-site", message % words, numbers=[entrant.number for entrant in missing])


def require_opponent_at_site(event: Event, first: StagePlan, numbers: Sequence[int]) -> None:
    """Raise an error if an entrant is alone at their site in the first stage.

    Raises:
        DomainError: `alone-at-site`.
    """
    if not _is_by_site(first):
        return
    entrants = list(Entrant.objects.filter(event=event, number__in=numbers).order_by("number"))
    at_site = Counter(entrant.site for entrant in entrants)
    alone = ", ".join(f"{entrant} ({entrant.site})" for entrant in entrants if at_site[entrant.site] == 1)
    if alone:
        message = _("These entrants are alone at their site: %(alone)s. Give them another site, or leave them out.")
        raise DomainError("alone-at-site", message % {"alone": alone})


def _is_by_site(plan: StagePlan) -> bool:
    return plan.pool is not None and plan.pool.by_site
