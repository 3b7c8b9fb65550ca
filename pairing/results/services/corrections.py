"""Preview what an action changes in an event, undo a match's latest result, and bring an entrant back."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from django.utils.translation import gettext as _

from pairing.draws.knockout.corrections import LaterMatchChoice, find_affected_matches
from pairing.draws.knockout.progress import make_bracket_progress
from pairing.draws.results import Credit, EntryRemoval, MatchOutcome, Result, ResultCause
from pairing.draws.stages.corrections import ResultCorrection
from pairing.draws.stages.plan import StageKind
from pairing.models import Match, MatchKept, MatchResult
from pairing.ports import score_cards
from pairing.results.selectors.effects import ActionEffects, compare_snapshots, load_snapshot
from pairing.results.selectors.late_entries import accepts_late_entries
from pairing.results.selectors.results import load_correction
from pairing.results.services.finish import finish_event
from pairing.results.services.results import (
    MatchDecision,
    decide_match,
    record_credits,
    record_later_match_choices,
    record_result,
    require_unchanged_later_games,
    require_unchanged_result,
)
from pairing.stages.selectors.boards import load_matches_in_play
from pairing.stages.selectors.course import load_drawn_entries, load_event_stages, load_final_placings
from pairing.stages.selectors.kinds import StageMatch, StageState
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.records import VALID_MATCH_FILTER, is_actual_result, parse_match_credits
from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_permission
from tournament.core.services.previews import Preview
from tournament.core.services.record import WriteTransaction, make_idempotency_key, require_reason, writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.services.waiting_list import record_entrant_fact
from tournament.setup.services.tournaments import change_event_state


class EventPreview(Preview[ActionEffects]):
    """Previews the matches, standings, places, money, and signed cards that an action would change."""

    def start_comparison(self) -> Callable[[], ActionEffects]:
        before = load_snapshot(self.event)
        return lambda: compare_snapshots(before, load_snapshot(self.event, before))

    def preview(self, act: Callable[[], object]) -> ActionEffects:
        effects = super().preview(act)
        # After the rollback, load the present status of the signed cards of the changed matches.
        changed = {
            match
            for match, _mark in effects.before.match_fingerprints.items() ^ effects.after.match_fingerprints.items()
        }
        cards = tuple(score_cards().load_card_summaries(self.event, changed)) if changed else ()
        return replace(effects, cards_before=cards)


def preview_decision_after_reopening(decision: MatchDecision) -> ActionEffects:
    """Return the effects that a correction would have if the finished event were reopened and then finished again."""
    event = decision.match.event

    def act() -> None:
        with writing(event, verb="event.reopened", by=SYSTEM_ACTOR, reason=decision.reason) as write:
            change_event_state(write, write.the_event, Event.State.IN_PLAY)
        decide_match(decision, by=SYSTEM_ACTOR)
        if load_final_placings(Event.objects.select_related("tournament").get(pk=event.pk)) is not None:
            finish_event(event, by=SYSTEM_ACTOR)

    return EventPreview(event).preview(act)


def undo_result(
    match: Match,
    *,
    by: Actor,
    reason: str,
    key: str = "",
    seen: int | None = None,
    choices: Mapping[str, LaterMatchChoice] | None = None,
    listed: tuple[str, ...] | None = None,
) -> MatchResult:
    """Undo a match's latest result.

    If there was an earlier result, that one counts again. Otherwise the match is open.

    Choices for later matches that were made together with the result are undone, too. Later pool games that were paired
    based on the result do not change, unless `choices` specifies otherwise. `seen` and `listed` are what the page
    showed, as in `MatchDecision`. If they are None, they are not checked.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `by-cards`, `no-result`, `decided-meanwhile`, `not-in-play`, `look-again`.
    """
    require_permission(by, "desk", match.event.tournament)
    if load_stage_traits(match.event).one_card:
        raise Conflict(
            "by-cards", _("This result is the sum of all score cards. Correct the score card that is wrong.")
        )
    require_reason(reason, _("Write why you undo it. The reason stays on record."))
    key = make_idempotency_key(key, match.pk, *sorted((choices or {}).items()))
    with writing(match.event, verb="match.undone", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return MatchResult.objects.get(pk=write.outcome["result"])
        require_unchanged_result(match, seen)
        last = match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
        if last is None or not is_actual_result(last):
            raise Conflict("no-result", _("There is no result to undo. Nothing was changed."))
        if write.the_event.state != Event.State.IN_PLAY:
            raise Conflict(
                "not-in-play", _("Results can be undone only while the event is in play. Open the event again first.")
            )
        later = load_effects_of_undo(write.the_event, last, choices)
        require_unchanged_later_games(listed, later.affected_matches)
        result = record_result_undo(write, last)
        chosen = record_later_match_choices(write, result, later.facts_to_record)
        write.outcome.update({"added": chosen} if chosen else {})
        return result


def record_result_undo(write: WriteTransaction, last: MatchResult) -> MatchResult:
    """Undo a match's latest result, and the choices made together with it. Call this inside a write transaction."""
    match = last.match
    for kept in last.kept.all():
        earlier = MatchKept.objects.filter(match=kept.match, pk__lt=kept.pk).exclude(result=last).last()
        sides = earlier.sides if earlier is not None else [None, None]
        MatchKept.objects.create(match=kept.match, sides=sides, **write.fact_fields())
    result = _restore_previous_result(write, last)
    for chosen in MatchResult.objects.filter(match__draw=match.draw_id, at=last.at).exclude(match=match):
        if _is_chosen_correction(chosen):
            _restore_previous_result(write, chosen)
    score_cards().open_ready_cards(write)
    write.about(match, result=result.pk, undone=last.pk)
    return result


def _is_chosen_correction(result: MatchResult) -> bool:
    """Return whether the director chose this result for a later match while correcting an earlier one.

    Such a result voids or reopens the later match. The caller passes only results that were recorded at the same time
    as the correction. Return False for a pool game that got a newer result, because the newer result stays valid.
    """
    before = result.supersedes
    in_pool = StageKind(result.match.stage.kind).traits.makes_pairs
    if in_pool and MatchResult.objects.filter(supersedes=result).exists():
        return False
    return not is_actual_result(result) or (before is not None and not is_actual_result(before))


def load_effects_of_undo(
    event: Event, last: MatchResult, choices: Mapping[str, LaterMatchChoice] | None = None
) -> ResultCorrection:
    """Return how undoing the result `last` would affect the later pool games that were paired based on it."""
    before, match = last.supersedes, last.match
    if not StageKind(match.stage.kind).traits.makes_pairs:
        return ResultCorrection()
    credits = parse_match_credits(before.credits) if before is not None else _make_reopening_credits(last)
    winner = before.winner.number if before is not None and before.winner is not None else None
    # If the result before was undone itself, the game is open again.
    restored = MatchOutcome(match.ident, winner, credits) if credits else None
    return load_correction(event, match, restored, choices)


def _make_reopening_credits(last: MatchResult) -> dict[int, Credit]:
    """Return the credits of a result that reopens a match.

    In a pool or play-off, a game with two entries is open again if its last result has no credits. Void credits would
    mean that the game is over and does not count.

    Any other match gets a void credit for each side. In a bracket, this cancels the earlier result.
    """
    sides = [int(number) for number in last.credits or last.score]
    in_pool = StageKind(last.match.stage.kind).traits.makes_pairs
    return {} if in_pool and len(sides) != 1 else {number: Credit(Result.NONE, ResultCause.VOID) for number in sides}


def _restore_previous_result(write: WriteTransaction, last: MatchResult) -> MatchResult:
    before, match = last.supersedes, last.match
    if before is None:
        return record_credits(write, match, None, _make_reopening_credits(last), undoes=last)
    score = {int(number): points for number, points in before.score.items()}
    winner = before.winner.number if before.winner is not None else None
    return record_credits(write, match, winner, parse_match_credits(before.credits), score=score, undoes=last)


def bring_back_entrant(entrant: Entrant, *, by: Actor, reason: str, key: str = "") -> Entrant:
    """Bring back an entrant who was removed after the draw. Open walkovers turn into matches again.

    If the winner of a walkover has played on since, the walkover becomes a recorded result.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-out`, `not-drawn`, `not-in-draw`, `finished`.
    """
    require_permission(by, "direct", entrant.event.tournament)
    require_reason(reason, _("Write why they are back in the event. The reason stays on record."))
    with writing(
        entrant.event, verb="entrant.back-in", by=by, reason=reason, key=make_idempotency_key(key, entrant.pk)
    ) as write:
        if write.repeated:
            return Entrant.objects.get(pk=entrant.pk)
        return record_entrant_return(write, entrant)


def record_entrant_return(write: WriteTransaction, entrant: Entrant) -> Entrant:
    locked = Entrant.objects.get(pk=entrant.pk)
    if locked.state != Entrant.State.REMOVED:
        raise Conflict(
            "not-out",
            _("The entry of %(name)s is in the state “%(state)s”. Nothing was changed.")
            % {"name": locked.name, "state": locked.get_state_display()},
        )
    _require_can_return(write.the_event, locked)
    permanent = _find_permanent_walkovers(write.the_event, locked.number)
    for match, outcome in permanent.items():
        record_result(write, match, outcome)
    record_entrant_fact(write, locked, EntrantFact.Kind.REINSTATED)
    score_cards().open_ready_cards(write)
    write.about(locked, number=locked.number, stand=[match.ident for match in permanent])
    return locked


def _require_can_return(event: Event, entrant: Entrant) -> None:
    drawn = load_drawn_entries(event)
    if drawn is None:
        raise Conflict("not-drawn", _("The draw is not posted. Bring the entry back on its own page instead."))
    if event.state == Event.State.FINISHED:
        raise Conflict("finished", _("The event is finished. Open it again first, with a reason."))
    if entrant.number not in drawn and not accepts_late_entries(event):
        raise Conflict(
            "not-in-draw", _("%(name)s is not in the draw. Undo the draw to let them in.") % {"name": entrant.name}
        )


def _find_permanent_walkovers(event: Event, entry: int) -> dict[Match, MatchOutcome]:
    """Return the walkovers against this entry that can't be reopened, because their winners have played on since."""
    course = load_event_stages(event)
    walkovers = {
        ident: match.meeting.outcome
        for stage in course.stages
        for ident, match in stage.matches.items()
        if match.is_decided_without_result and match.meeting.outcome is not None and entry in match.meeting.sides
        if stage is not course.current_stage or _has_opponent_played_on(stage, match, entry)
    }
    walkovers |= _find_permanent_bracket_walkovers(event, entry)
    valid = event.matches.filter(VALID_MATCH_FILTER)
    return {valid.get(ident=ident): outcome for ident, outcome in walkovers.items()}


def _has_opponent_played_on(stage: StageState, walkover: StageMatch, entry: int) -> bool:
    """Return whether the opponent won this walkover and has been sent to another game since.

    A group's schedule is fixed, so its walkovers can always be reopened.
    """
    opponent, outcome = walkover.meeting.get_opponent(entry), walkover.meeting.outcome
    if stage.kind.traits.all_meet or outcome is None or outcome.winner != opponent:
        return False
    later = (other.meeting.sides for other in stage.matches.values() if other.row > walkover.row)
    return any(opponent in sides and len(sides) == 2 for sides in later)


def _find_permanent_bracket_walkovers(event: Event, entry: int) -> dict[str, MatchOutcome]:
    """Return the bracket walkovers whose winner has already started or played the next match."""
    stage = load_event_stages(event).bracket
    if stage is None:
        return {}
    before, bracket, facts = stage.progress, stage.progress.bracket, stage.facts
    without = [fact for fact in facts if not (isinstance(fact, EntryRemoval) and fact.entry == entry)]
    walkovers = [
        view
        for view in before.views.values()
        if view.is_decided_without_result and entry in view.losers and view.outcome
    ]
    permanent: dict[str, MatchOutcome] = {}
    in_play = load_matches_in_play(event, stage)
    for view in walkovers:
        after = make_bracket_progress(bracket, [*without, *permanent.values()])
        played_on = {
            number for name in find_affected_matches(before, after, in_play) for number in before[name].entries
        }
        if view.winner in played_on and view.outcome is not None:
            permanent[view.match.id] = view.outcome
    return permanent
