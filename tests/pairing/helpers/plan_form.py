"""Submit the form for an event's plan as a browser without scripts does."""

from __future__ import annotations

from typing import Any

from django.test import Client

from pairing.stages.console.formats import EventPlanForm
from tests.kit import client_as, desk_url
from tournament.models import Event


def at_the_page(event: Event) -> tuple[Client, str]:
    client = client_as("director", event)
    return client, desk_url(event, "format/")


def shown(context: Any) -> dict[str, Any]:
    """Return the form data that a browser would submit if nothing on the page was changed."""
    plan: EventPlanForm = context["plan"]
    sent: dict[str, Any] = {"format": "stages", "key": "k"}
    sent["stages-INITIAL_FORMS"] = plan.rows.initial_form_count()
    sent["stages-TOTAL_FORMS"] = plan.rows.total_form_count()
    for form in (*plan.rows.forms, plan.ties):
        for field in form:
            value = field.value()
            if value not in (None, False, ""):
                sent[field.html_name] = value
    return sent
