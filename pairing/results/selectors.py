"""The later matches that a corrected result touches, asked of the stage it belongs to."""

from collections.abc import Iterable, Mapping
from functools import partial

from pairing.draws.knockout.elimination import can_end_with
from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.correction import Correction
from pairing.knockout.selectors import load_in_play
from pairing.models import Match
from pairing.stage_kinds.selectors.stage_state import NewResult, StageState
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Event


def load_correction(
    event: Event, match: Match, outcome: MatchOutcome | None, choices: Mapping[str, LaterChoice] | None = None
) -> Correction:
    """`outcome` None: the result is taken back."""
    stage, following = _stage_of(event, match)
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


def load_waiting_for(event: Event, match: Match) -> frozenset[int] | None:
    """The numbers of those who stand in a match of a bracket, or wait for what comes of it; None: it ends with it."""
    stage, _following = _stage_of(event, match)
    if stage is not None and stage.progress is not None and can_end_with(stage.progress.bracket, match.ident):
        return None
    return stage.waiting_for(match.ident) if stage is not None else frozenset()


def load_concerned(event: Event, matches: Iterable[Match]) -> frozenset[int]:
    """The numbers of those who stand in these matches, or wait in a bracket for what comes of one of them."""
    stages = {stage.row.pk: stage for stage in load_course(event).stages}
    found: set[int] = set()
    for match in matches:
        stage = stages.get(match.stage_id)
        if stage is not None:
            stands = stage.standing.get(match.ident)
            found |= stage.waiting_for(match.ident) | set(stands.entries if stands is not None else ())
    return frozenset(found)


def touches_later(event: Event, match: Match, outcome: MatchOutcome) -> tuple[str, ...]:
    """What has gone on by the result of a match that would be another now: the stage after it, or later matches."""
    _stage, following = _stage_of(event, match)
    return (following,) if following else load_correction(event, match, outcome).touched


def _stage_of(event: Event, match: Match) -> tuple[StageState | None, str]:
    """The stage of a match as it stands, and the name of the one that was opened after it."""
    stages = load_course(event).stages
    for at, stage in enumerate(stages):
        if stage.row.pk == match.stage_id:
            return stage, stages[at + 1].name if at + 1 < len(stages) else ""
    return None, ""
