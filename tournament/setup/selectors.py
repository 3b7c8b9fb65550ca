"""How far the setup of an event has come, read from its log: each step that was saved is a row of it."""

from django.db.models import Q

from tournament.models import Event

IN_STEPS = "in_steps"
"""In the row of an event that was begun to be set up step by step."""
STEP = "setup_step"
"""In the row of a change: the step that was saved; `ALL` where everything was saved at once."""
ALL = "all"


def load_setup_saved(event: Event) -> frozenset[str] | None:
    """Return the names of the steps that were saved. None: nothing of the setup is left to do."""
    begun = Q(event=None, verb="event.created", data__event=event.pk)
    rows = event.tournament.log.filter(begun | Q(event=event, verb="event.changed")).values_list("data", flat=True)
    said = list(rows)
    saved = frozenset(data[STEP] for data in said if STEP in data)
    return None if ALL in saved or not any(IN_STEPS in data for data in said) else saved
