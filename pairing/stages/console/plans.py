"""The page on which a director chooses the format of an event."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.desk.selectors.settings import load_too_many_rounds
from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds import TableTerms
from pairing.stages.forms.plans import PRESETS, FormatForm, PlanForm, SidesForm, TablesForm, preset, with_empty_row
from pairing.stages.selectors.plans import STAGES, TABLES, format_of, load_plan, load_rules_at_tables
from pairing.stages.services.plans import choose_format
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on
from tournament.models import Event

ROTATING_FORMATS = tuple(kind.value for kind in StageKind if kind.traits.one_card)
ChosenForm = TablesForm | SidesForm | PlanForm


class _Page:
    """The forms of all formats on one page."""

    def __init__(self, request: ActorRequest, event: Event) -> None:
        self.event = event
        data = request.POST if request.method == "POST" else None
        self.form = FormatForm(data, event=event)
        self.chosen = request.POST.get("format", "")
        terms = load_plan(event).first.tables or TableTerms()
        self.tables = TablesForm(data if self.chosen == TABLES else None, terms=terms)
        self.sides = {
            name: SidesForm(data if self.chosen == name else None, event=event, format=name)
            for name in ROTATING_FORMATS
        }
        saved = event.plan if format_of(event) == STAGES else None
        typed = self.chosen == STAGES and "stages-TOTAL_FORMS" in request.POST
        self.plan = PlanForm(data if typed else None, options=saved or preset(PRESETS[0][0]))

    @property
    def chosen_form(self) -> ChosenForm | None:
        """Return the form of the chosen format, or None if the format has no options."""
        if self.chosen == STAGES:
            return self.plan
        return self.tables if self.chosen == TABLES else self.sides.get(self.chosen)

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "tables": self.tables,
            "couples": self.sides[StageKind.ROTATION],
            "whist": self.sides[StageKind.COURT_WHIST],
            "plan": self.plan,
            "presets": [(key, label) for key, label, _stages in PRESETS],
            "rules": load_rules_at_tables(self.event),
            "too_many_rounds": load_too_many_rounds(self.event),
            "open": self.event.state in (Event.State.DRAFT, Event.State.OPEN),
        }


@console_event("direct")
def format_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Let the director choose the format. It is open until registration closes."""
    page = _Page(request, event)
    if request.method != "POST":
        return render(request, "pairing/stages/plans/console.html", page.context())
    wanted = preset(request.POST.get("preset", ""))
    if wanted or "more" in request.POST:
        page.plan = PlanForm(options=wanted) if wanted else PlanForm(with_empty_row(request.POST))
        return render(request, "pairing/stages/plans/console.html", page.context())
    if _save_format(request, event, page):
        messages.success(request, _("The format is saved."))
        return redirect(request.path)
    return render(request, "pairing/stages/plans/console.html", page.context(), status=422)


def _save_format(request: ActorRequest, event: Event, page: _Page) -> bool:
    own = page.chosen_form
    if not page.form.is_valid() or (own is not None and not own.is_valid()):
        return False
    options = own.options() if own is not None else {}
    facts = page.form.cleaned_data
    with refusals_on(page.form):
        choose_format(event, facts["format"], options, by=request.actor, key=facts["key"])
    return not page.form.errors
