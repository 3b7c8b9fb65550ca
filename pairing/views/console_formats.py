from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.forms.formats import FormatForm, TablesForm
from pairing.selectors.formats import TABLES, load_rules_at_tables
from pairing.services.formats import choose_format
from tournament.errors import DomainError
from tournament.models import Event
from tournament.views.access import ActorRequest, console_event


@console_event("direct")
def format_page(request: ActorRequest, event: Event) -> HttpResponse:
    """By which format the event is played: open until registration closes."""
    form = FormatForm(request.POST or None, event=event)
    options = event.format_options if event.format == TABLES else {}
    at_tables = request.POST.get("format") == TABLES
    tables = TablesForm(request.POST if at_tables else None, options=options)
    if request.method == "POST" and form.is_valid() and (not at_tables or tables.is_valid()):
        chosen = tables.options() if at_tables else {}
        try:
            choose_format(event, form.cleaned_data["format"], chosen, by=request.actor, key=form.cleaned_data["key"])
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The format is saved."))
            return redirect(request.path)
    context = {
        "form": form,
        "tables": tables,
        "rules": load_rules_at_tables(event),
        "open": event.state in (Event.State.DRAFT, Event.State.OPEN),
    }
    return render(request, "pairing/console/format.html", context, status=422 if form.errors or tables.errors else 200)
