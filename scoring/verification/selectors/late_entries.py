"""Compute the late entries of a bracket again. Each has the first open bye of that time, by the order of the lots."""

from collections.abc import Iterator

from pairing.late_entries.selectors.byes import load_late_entries, lots_of
from pairing.matches.selectors.records import load_posted_draw
from pairing.models import LateEntry
from pairing.stage_kinds.selectors.brackets import places_of
from pairing.stage_kinds.selectors.stages import load_course
from scoring.verification.selectors.checks import Check
from tournament.models import Event


def check_late_entries(event: Event) -> Iterator[Check]:
    """Check the late entries of an event. Nothing is yielded if there are none."""
    draw = load_posted_draw(event)
    came = list(load_late_entries(draw).select_related("stage")) if draw is not None else []
    if not came:
        return
    progress = load_course(event).progress
    views = progress.views if progress is not None else {}
    counting = [late for late in came if not hasattr(late, "taken_back")]
    entered = {ident: set(view.entries) for ident, view in views.items()}
    good = all(entered.get(late.match.ident) == {late.entrant.number, late.bye.number} for late in counting)
    good = good and all(map(_by_lot, came))
    said = f"{len(counting)} by the lots of the draw, {len(came) - len(counting)} taken back"
    facts = {"late_entries": [late.pk for late in came]}
    yield Check("late entries", good, said, kind="late_entries", counts={"late_entries": len(came)}, facts=facts)


def _by_lot(late: LateEntry) -> bool:
    lots = lots_of(late.draw, places_of(late.stage))
    in_order = [entry for entry in lots if entry in late.open_byes] == late.open_byes
    given = next((entry for entry in late.open_byes if entry not in late.kept_apart), None)
    return in_order and given == late.bye.number
