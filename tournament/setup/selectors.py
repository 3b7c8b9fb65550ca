"""The completed steps of an event's setup."""

from django.db.models import Q

from tournament.core.selectors.rows import load_recorded_keys
from tournament.models import Event

SETUP_IN_STEPS_KEY = "in_steps"
"""A key in the data of a new event's log row. It is present if the event is set up in steps."""
SETUP_STEP_KEY = "setup_step"
"""A key in the data of a log row about a changed event. Its value is the name of the setup step that was completed.

The value is `ALL_SETUP_STEPS` if all steps were saved together.
"""
ALL_SETUP_STEPS = "all"


def load_completed_setup_steps(event: Event) -> frozenset[str] | None:
    """Return the names of the event's completed setup steps, or None if the setup is complete."""
    earlier = load_recorded_keys(event.tournament_id).list_earlier_keys(Event._meta.label, event.pk)
    begun = Q(event=None, verb="event.created", data__event__in=earlier)
    rows = event.tournament.log.filter(begun | Q(event=event, verb="event.changed")).values_list("data", flat=True)
    changes = list(rows)
    saved = frozenset(data[SETUP_STEP_KEY] for data in changes if SETUP_STEP_KEY in data)
    return None if ALL_SETUP_STEPS in saved or not any(SETUP_IN_STEPS_KEY in data for data in changes) else saved
