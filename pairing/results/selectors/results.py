"""The later matches that a corrected result affects, as the stage of the match computes them."""

from collections.abc import Iterable, Mapping
from functools import partial

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.results import Cause, MatchOutcome
from pairing.draws.stages.corrections import Correction
from pairing.models import Match
from pairing.stages.selectors.bracket_boards import load_in_play
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.kinds import NewResult, StageState
from pairing.stages.selectors.records import COUNTING
from tournament.models import Entrant, Event


def load_correction(
    event: Event, match: Match, outcome: MatchOutcome | None, choices: Mapping[str, LaterChoice] | None = None
) -> Correction:
    """Return what a new result changes in later matches. `outcome` is None if the result is taken back."""
    stage, following = _find_stage(event, match)
    if stage is None:
        return Correction()
    new = NewResult(
        match=match.ident,
        outcome=outcome,
        choices=choices or {},
        in_play=partial(load_in_play, event, stage),
        next_stage=following,
    )
    return stage.correction(new)


def load_dependent_entries(event: Event, match: Match) -> frozenset[int] | None:
    """Return the entries that are in a bracket match or wait for its result.

    Return None if the bracket can end with this match.
    """
    stage, _following = _find_stage(event, match)
    if stage is not None and stage.progress is not None and stage.progress.bracket.can_end_with(match.ident):
        return None
    return stage.waiting_for(match.ident) if stage is not None else frozenset()


def load_affected_entries(event: Event, matches: Iterable[Match]) -> frozenset[int]:
    """Return the entries that are in these matches or wait in a bracket for the result of one."""
    stages = {stage.row.pk: stage for stage in load_course(event).stages}
    found: set[int] = set()
    for match in matches:
        stage = stages.get(match.stage_id)
        if stage is not None:
            stands = stage.standing.get(match.ident)
            found |= stage.waiting_for(match.ident) | set(stands.entries if stands is not None else ())
    return frozenset(found)


def load_walkovers_won(entrant: Entrant) -> list[tuple[Match, int]]:
    """Return the matches of the current stage that an entrant has won because the opponent had left the event.

    Each comes with the opponent's number. A match that was decided at the desk is left out, and so is one after which
    the entrant has played on.
    """
    course = load_course(entrant.event)
    if entrant.event.state != Event.State.IN_PLAY or not course.stages:
        return []
    stage, own = course.current, entrant.number
    rows = {match.ident: match for match in Match.objects.filter(COUNTING, stage=stage.row)}
    found = []
    for ident, now in stage.standing.items():
        if now.by_itself and now.outcome is not None and now.outcome.winner == own and len(now.entries) > 1:
            both_lost = MatchOutcome.won_by_nobody(ident, now.entries, Cause.FORFEIT)
            correction = load_correction(entrant.event, rows[ident], both_lost)
            if not (correction.goes_on and correction.touched):
                found.append((rows[ident], next(entry for entry in now.entries if entry != own)))
    return found


def touches_later(event: Event, match: Match, outcome: MatchOutcome) -> tuple[str, ...]:
    """Return what depends on the old result of a match: the name of the next stage, or later matches."""
    _stage, following = _find_stage(event, match)
    return (following,) if following else load_correction(event, match, outcome).touched


def _find_stage(event: Event, match: Match) -> tuple[StageState | None, str]:
    """Return the stage of a match, and the name of the stage that was opened after it."""
    stages = load_course(event).stages
    for at, stage in enumerate(stages):
        if stage.row.pk == match.stage_id:
            return stage, stages[at + 1].name if at + 1 < len(stages) else ""
    return None, ""
