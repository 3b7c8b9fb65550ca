"""Load the two sides of a match, of whatever kind."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
from pairing.models import Match
from pairing.stage_kinds.selectors.stages import load_course
from tournament.errors import Conflict
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a match.

    `goes_on`: one of them has to advance, as in a bracket. `kind` is set for pools and play-offs.
    """

    numbers: tuple[int, int]
    goes_on: bool
    is_decided: bool
    kind: StageKind | None = None


def load_sides(event: Event, match: Match) -> Sides:
    """Return the sides of a match that can be decided.

    Raises:
        Conflict: `not-in-play`, or any error of `sides_of`.
    """
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Results can be recorded only while the event is in play. Open the event again first.")
        )
    return sides_of(event, match)


def sides_of(event: Event, match: Match) -> Sides:
    """Return the sides of a match of a bracket, a play-off or a pool.

    Raises:
        Conflict: `no-opponent`, `passed-over`.
    """
    course = load_course(event)
    progress = course.progress
    found = course.find(match.ident)
    if found is not None:
        stage, staged = found
        if match.ident in stage.passed_over:
            raise Conflict(
                "passed-over",
                _("This match is no longer played, because an earlier result was corrected. Look at the bracket."),
            )
        return _two(staged.meeting.sides, stage.pool is None, staged.is_decided, stage.kind)
    if progress is None or match.ident not in progress.views:
        raise Conflict("no-opponent", _("This match is not being played now. Look at the results."))
    view = progress[match.ident]
    return _two(view.entries, True, view.outcome is not None, None)


def _two(numbers: tuple[int, ...], goes_on: bool, is_decided: bool, kind: StageKind | None) -> Sides:
    if len(numbers) != 2:
        raise Conflict("no-opponent", _("Both players of this match are not known yet. Look at the bracket."))
    return Sides((numbers[0], numbers[1]), goes_on, is_decided, kind)
