"""Stages: the first is opened with the draw, each next one when the one before is over; or taken back."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from pairing.above import score_cards
from pairing.course.selectors.openings import (
    NO_WISHES,
    Opening,
    OpeningInput,
    draws_blind,
    first_opening,
    is_untouched,
    load_opening,
)
from pairing.course.services.secret_source import new_secret
from pairing.course.services.sites import refuse_siteless
from pairing.draws.order.blind import commitment_to
from pairing.draws.stages.pools import group_schedule, tied_in
from pairing.knockout.services import make_elimination_matches
from pairing.models import Draw, Match, MatchSeat, Stage, StageLots, StageSeal, StageTakenBack
from pairing.plans.selectors import load_plan
from pairing.stage_kinds.selectors.brackets import bracket_of
from pairing.stage_kinds.selectors.kind_rooms import room_of
from pairing.stage_kinds.selectors.stage_state import StageState
from pairing.stage_kinds.selectors.stages import Course, load_course
from tournament.core.permissions import Actor, require
from tournament.core.services.reasons import refuse_without
from tournament.core.services.record import Write, scoped_key, writing
from tournament.core.topics import told
from tournament.errors import Conflict, DomainError
from tournament.models import Event

State = Event.State


def open_first_stage(write: Write, draw: Draw) -> Stage:
    """Inside the write that posts the draw."""
    return open_in(write, draw, first_opening(draw, load_plan(write.the_event).first))


def open_next_stage(
    event: Event, *, by: Actor, wishes: OpeningInput = NO_WISHES, key: str = "", reason: str = ""
) -> Stage:
    """The stage after the current one, with those who go on.

    Raises:
        Conflict: `not-in-play`, `last-stage`, `not-complete`.
        DomainError: `too-few`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="stage.opened", by=by, key=scoped_key(key, wishes), reason=reason) as write:
        if write.repeated:
            return Stage.objects.get(pk=write.outcome["stage"])
        course = course_in_play(write.the_event)
        seal = None
        if draws_blind(course.to_come) and course.current.is_complete:
            seal = course.current.row.seals.last() or seal_next(write, course.current.row)
        return open_in(write, course.draw, load_opening(write.the_event, course, wishes, seal))


def open_in(write: Write, draw: Draw, opening: Opening) -> Stage:
    """Inside an open write: the stage as a fact, and the matches that follow from it at once.

    Raises:
        DomainError: `no-sites`, `no-site`.
    """
    refuse_siteless(write.the_event, [opening.plan], opening.entries)
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
    write.keep("stages", stage)
    write.about(stage, stage=stage.pk, kind=stage.kind, entries=stage.entries)
    if draws_blind(load_plan(write.the_event).after(opening.number)):
        seal_next(write, stage)
    begin = room_of(opening.plan.kind).begin
    if begin is not None:
        begin(write, stage)
    score_cards().open_ready_cards(write)
    return stage


def take_back_stage(event: Event, *, by: Actor, reason: str) -> Stage:
    """The stage that was opened last, before its first result; it stays in the record with the reason.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `first-stage` (take back the draw), `play-began`.
    """
    require(by, "direct", event.tournament)
    refuse_without(reason, _("Write why you undo the stage. The reason stays on record."))
    with writing(event, verb="stage.taken-back", by=by, reason=reason) as write:
        course = course_in_play(write.the_event)
        stage = course.current
        if len(course.stages) == 1:
            raise Conflict("first-stage", _("The first stage came with the draw. Undo the draw instead."))
        if not is_untouched(stage):
            raise Conflict(
                "play-began", _("The stage has a result, so it cannot be undone. Correct single results instead.")
            )
        StageTakenBack.objects.create(stage=stage.row, **write.fact_fields())
        if draws_blind(stage.plan):
            seal_next(write, course.stages[-2].row)
        write.about(stage.row, stage=stage.row.pk)
        return stage.row


def seal_next(write: Write, stage: Stage) -> StageSeal:
    """Inside an open write: the seal by which the stage after this one is drawn blind; only the seal is public."""
    secret = new_secret(write.tournament)
    turn = StageSeal.objects.filter(stage__draw=stage.draw).count() + 1
    return StageSeal.objects.create(
        stage=stage,
        draw_id=f"{stage.draw.commitment.draw_id}-stage-{stage.number + 1}-{turn}",
        commitment=commitment_to(secret),
        secret=secret.hex(),
        **write.fact_fields(),
    )


def record_lots(event: Event, order: Sequence[int], *, by: Actor, reason: str, key: str = "") -> StageLots:
    """Lots were drawn among entrants who are level in the last pool: their numbers in the order drawn.

    Raises:
        DomainError: `reason-needed`, `not-level`.
        Conflict: `not-in-play`, `next-open`: who goes on was settled without them.
    """
    require(by, "direct", event.tournament)
    refuse_without(reason, _("Write who drew the lots, and how. It is shown with the standings."))
    with writing(event, verb="lots.recorded", by=by, reason=reason, key=scoped_key(key, list(order))) as write:
        if write.repeated:
            return StageLots.objects.get(pk=write.outcome["lots"])
        course = course_in_play(write.the_event)
        pool = course.pool
        if pool is None:
            raise Conflict(
                "next-open",
                _("“%(name)s” is open already, so lots would change nothing. Undo that stage first.")
                % {"name": course.current.name},
            )
        if not any(set(order) == set(group) for group in tied_in(pool)) or len(set(order)) < len(order):
            message = _("Enter every entrant of the tie, each once. Look at the standings to see who is tied.")
            raise DomainError("not-level", message)
        lots = StageLots.objects.create(stage=course.current.row, order=list(order), **write.fact_fields())
        write.about(course.current.row, lots=lots.pk, order=lots.order)
        return lots


def make_bracket_matches(write: Write, stage: Stage) -> None:
    make_elimination_matches(write.the_event, stage, bracket_of(stage).matches)


def begin_play_off(write: Write, stage: Stage) -> None:
    advance_play_off(write)


def advance_play_off(write: Write) -> None:
    """Inside an open write: the matches of each play-off round that has become known, also after a correction."""
    while (stage := load_course(write.the_event).play_off) is not None and stage.lacks_matches:
        for each in stage.play_off.rounds:
            for at, match in enumerate(each.matches, start=1):
                if stage.ident_of(match) is None:
                    seat_match(write.the_event, stage.row, _free_ident(stage, match.id), match.sides, (each.number, at))


def _free_ident(stage: StageState, name: str) -> str:
    """P2M1; where others met there before a correction P2M1-2."""
    taken = sum(ident.partition("-")[0] == name for ident in stage.matches)
    return f"{name}-{taken + 1}" if taken else name


def make_play_off_round(event: Event, *, by: Actor) -> None:
    """The matches of a round that became known without a result: by somebody who went out.

    Raises:
        Conflict: `not-in-play`, `no-round`.
    """
    require(by, "desk", event.tournament)
    with writing(event, verb="play-off.advanced", by=by) as write:
        course = course_in_play(write.the_event)
        if not course.current.lacks_matches:
            raise Conflict("no-round", _("All play-off matches that are known have been made. Nothing was changed."))
        advance_play_off(write)
        score_cards().open_ready_cards(write)
        write.about(course.current.row, stage=course.current.row.pk)


def seat_match(event: Event, stage: Stage, ident: str, sides: Sequence[int], at: tuple[int, int]) -> Match:
    """Inside an open write: one match and who sits at it; `at` is its round and its position there."""
    match = Match(event=event, draw=stage.draw, stage=stage, ident=ident, round=at[0], position=at[1])
    return seat_matches(event, [match], [sides])[0]


def seat_matches(event: Event, matches: Sequence[Match], sides: Iterable[Sequence[int]]) -> list[Match]:
    """Inside an open write: these matches, and who sits at each."""
    made, seated = told(Match.objects.bulk_create(matches)), list(sides)
    everybody = {number for numbers in seated for number in numbers}
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=everybody)}
    seats = [
        MatchSeat(match=match, position=place, entrant=entrants[number])
        for match, numbers in zip(made, seated, strict=True)
        for place, number in enumerate(numbers)
    ]
    told(MatchSeat.objects.bulk_create(seats))
    return made


def next_idents(draw: Draw, count: int, letter: str = "G") -> list[str]:
    """The next names of games of a draw: G1, G2, … over all its pools; X1, … for penalties outside any game."""
    taken = draw.matches.filter(ident__startswith=letter).values_list("ident", flat=True)
    last = max((int(ident[1:]) for ident in taken if ident[1:].isdigit()), default=0)
    return [f"{letter}{last + turn}" for turn in range(1, count + 1)]


def make_group_games(write: Write, stage: Stage) -> None:
    event = write.the_event
    games = group_schedule(stage.record["groups"], stage.record.get("left_out", ()))
    idents = next_idents(stage.draw, len(games))
    rows = [
        Match(event=event, draw=stage.draw, stage=stage, ident=ident, round=turn, position=at)
        for at, (ident, (_group, turn, _pair)) in enumerate(zip(idents, games, strict=True), start=1)
    ]
    seat_matches(event, rows, [pair for _group, _turn, pair in games])


def course_in_play(event: Event) -> Course:
    """The stages of an event that is in play, and in which two meet.

    Raises:
        Conflict: `not-in-play`.
    """
    course = load_course(event)
    if not course.stages or not course.current.kind.traits.two_meet or event.state != State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play (“%(state)s”). Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    return course
