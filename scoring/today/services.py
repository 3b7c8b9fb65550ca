"""Start an event with all settings of a ready or a former event, in one transaction."""

from django.db import transaction
from django.utils.translation import gettext as _

from pairing.stages.services.plans import choose_format
from scoring.posting.services.correction_period import set_card_terms
from scoring.rulesheets.services import save_rules
from scoring.today.selectors.ready_events import DATES, SETTINGS, EventTemplate
from tournament.core.permissions import Actor
from tournament.errors import Conflict
from tournament.models import Event, Tournament
from tournament.money.services.side_pools import add_extra, add_side_pool, remove_extra, remove_side_pool
from tournament.setup.forms import propose_slug
from tournament.setup.services.tournaments import change_event, create_event


def start_event(tournament: Tournament, template: EventTemplate, *, by: Actor, key: str) -> Event:
    """Create a draft. A repeated request with the same key returns the same draft."""
    with transaction.atomic():
        taken = tournament.events.values_list("slug", flat=True)
        slug = propose_slug(template.settings["name"], "event", taken)
        event = create_event(tournament, by=by, key=key, in_steps=True, slug=slug, **template.settings)
        _fill_in(event, template, by=by, key=key)
    return event


def restart_draft(event: Event, template: EventTemplate, *, by: Actor) -> Event:
    """Start a draft over with other settings. The draft and its address stay.

    Raises:
        Conflict: `not-a-draft`, if registration has opened.
    """
    if event.state != Event.State.DRAFT:
        raise Conflict("not-a-draft", _("Registration has opened. Change the event under Setup instead."))
    with transaction.atomic():
        usual = {name: getattr(Event(), name) for name in (*SETTINGS, *DATES)}
        changed = change_event(event, {**usual, **template.settings}, by=by)
        for pool in changed.side_pools.select_related("event__tournament"):
            remove_side_pool(pool, by=by)
        for extra in changed.extras.select_related("event__tournament"):
            remove_extra(extra, by=by)
        _fill_in(changed, template, by=by)
    return changed


def _fill_in(event: Event, template: EventTemplate, *, by: Actor, key: str = "") -> None:
    choose_format(event, template.format, template.options, by=by, key=key)
    event.refresh_from_db(fields=["plan"])
    if template.rules is not None:
        save_rules(event, template.rules, by=by, key=key)
    if template.terms is not None:
        set_card_terms(event, template.terms, by=by, key=key)
    for pool in template.side_pools:
        add_side_pool(event, pool, by=by, key=key)
    for extra in template.extras:
        add_extra(event, extra, by=by, key=key)
