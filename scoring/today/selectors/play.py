"""The next step that the kind of the current stage asks for."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.course.selectors.openings import preview_next_stage
from pairing.draws.table_rounds.rounds import Rounds
from pairing.matches.selectors.records import load_called
from pairing.plans.selectors import traits_of
from pairing.stage_kinds.selectors.stage_state import StageState
from pairing.stage_kinds.selectors.stages import Course, load_course, load_held
from pairing.table_rounds.selectors.seatings import load_present, open_seating
from tournament.errors import DomainError
from tournament.models import Event
from tournament.setup.words import NextStep

EARLY = "pairing:desk_end_early"


def load_play_step(event: Event) -> NextStep | None:
    """Return the next step of the current stage, or None in a bracket, whose matches only need tables."""
    course = load_course(event)
    if traits_of(event).one_card:
        label = _("Follow round %(round)s") % {"round": course.turning.current.round if course.turning else 1}
        return NextStep(
            label, _("Enter what the tables report. The next round follows from it."), "scoring:desk_rounds"
        )
    if course.rounds is not None:
        return _next_round(event, course.rounds)
    return _in_stages(event, course) if course.stages and course.bracket is None else None


def _in_stages(event: Event, course: Course) -> NextStep:
    """Return the next step in a pool or play-off: pair until it is over, then open the next stage."""
    stage = course.current
    if stage.is_complete and course.to_come is not None:
        try:
            preview_next_stage(event, course)
        except DomainError as too_few_left:
            return NextStep(_("End the event early"), too_few_left.message, EARLY)
        label = _("Open “%(name)s”") % {"name": course.to_come.name}
        text = _("“%(name)s” is over. Look at who goes on and why.") % {"name": stage.name}
        return NextStep(label, text, "pairing:desk_stages")
    if not _has_to_pair(event, stage):
        text = _("Everybody is playing. The next pairings follow when a match ends.")
        return NextStep(_("Follow the score cards"), text, "scoring:desk_cards")
    label = _("Make pairings in “%(name)s”") % {"name": stage.name}
    text = _("See who is waiting, who plays where, and which pairings come next.")
    return NextStep(label, text, "pairing:desk_pairing")


def _has_to_pair(event: Event, stage: StageState) -> bool:
    """Return whether a match can be called to a table, two entrants wait for each other, or nobody plays."""
    at_table = load_called(event, stage.ready)
    if stage.lacks_matches or len(at_table) < len(stage.ready) or not at_table:
        return True
    pool, traits = stage.pool, stage.kind.traits
    if pool is None or traits.all_meet or traits.by_rounds:
        return False
    held = load_held(stage.row)
    return sum(entry not in held for entry in pool.qualifying.ready) > 1


def _next_round(event: Event, rounds: Rounds) -> NextStep:
    page, seated = "pairing:desk_seatings", len(rounds.rounds)
    if open_seating(event) is not None:
        text = _("The round is paired, and only staff can see it. Look at it, then post it for everybody.")
        return NextStep(_("Post the table assignments"), text, page)
    if rounds.ready:
        text = ngettext("%(count)s table is still playing.", "%(count)s tables are still playing.", len(rounds.ready))
        label = _("Follow round %(round)s") % {"round": seated}
        return NextStep(label, text % {"count": len(rounds.ready)}, page)
    if seated < rounds.terms.rounds and len(load_present(event)) < rounds.terms.fewest:
        return NextStep(_("End the event early"), _("Too few players are left for another table."), EARLY)
    text = _("Every table is decided. As few players as possible meet again.")
    return NextStep(_("Pair round %(round)s") % {"round": seated + 1}, text, page)
