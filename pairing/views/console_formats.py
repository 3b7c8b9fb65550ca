from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.forms.formats import FormatForm, SidesForm, TablesForm
from pairing.selectors.formats import TABLES, load_rules_at_tables
from pairing.selectors.turning import COURT_WHIST, ROTATION, TURNING
from pairing.services.formats import choose_format
from tournament.errors import DomainError
from tournament.models import Event
from tournament.views.access import ActorRequest, console_event


@console_event("direct")
def format_page(request: ActorRequest, event: Event) -> HttpResponse:
    """By which format the event is played: open until registration closes."""
    form = FormatForm(request.POST or None, event=event)
    options = event.format_options if event.format == TABLES else {}
    chosen_format = request.POST.get("format")
    tables = TablesForm(request.POST if chosen_format == TABLES else None, options=options)
    sides = {
        name: SidesForm(request.POST if chosen_format == name else None, event=event, format=name) for name in TURNING
    }
    own: TablesForm | SidesForm | None = tables if chosen_format == TABLES else sides.get(chosen_format or "")
    if request.method == "POST" and form.is_valid() and (own is None or own.is_valid()):
        chosen = own.options() if own is not None else {}
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
        "couples": sides[ROTATION],
        "whist": sides[COURT_WHIST],
        "rules": load_rules_at_tables(event),
        "open": event.state in (Event.State.DRAFT, Event.State.OPEN),
    }
    status = 422 if form.errors or (own is not None and own.errors) else 200
    return render(request, "pairing/console/format.html", context, status=status)
