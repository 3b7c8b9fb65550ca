"""The desk's pages for the format of an event, and for the stage in play with the button that opens the next one."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.desk.selectors.desk import load_too_many_rounds
from pairing.desk.selectors.forecast import load_event_forecast
from pairing.draws.stages.plan import StageKind
from pairing.draws.stages.play_off import ByeBy
from pairing.draws.stages.pools import tied_in
from pairing.draws.table_rounds import TableTerms
from pairing.stages.forms import (
    PRESETS,
    CutFields,
    FormatForm,
    PlanForm,
    ReasonForm,
    SidesForm,
    TablesForm,
    preset,
    with_empty_row,
)
from pairing.stages.public.stages import describe_next_stage, describe_stages
from pairing.stages.selectors.boards import StageBoard, load_stage_board
from pairing.stages.selectors.course import is_over, is_untouched
from pairing.stages.selectors.openings import OpeningChoices, draws_blind
from pairing.stages.selectors.plans import STAGES, TABLES, format_of, load_plan, load_rules_at_tables
from pairing.stages.services.plans import choose_format
from pairing.stages.services.stages import make_play_off_round, open_next_stage, record_lots
from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link, refusals_on, run_and_flash
from tournament.errors import Conflict, DomainError
from tournament.models import Event
from tournament.spreadsheets.names import typed_numbers


class _OpenStageForm(CutFields):
    """The cut of a blind draw, and the byes if the director chooses them."""

    cut = forms.CharField(
        label=gettext_lazy("What the room saw"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("For example the dice or a coin, in plain words."),
    )
    named = forms.MultipleChoiceField(
        label=gettext_lazy("Byes named by the director"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: Any = None, *, blind: bool, entries: Sequence[tuple[int, str]] = ()) -> None:
        """Limit the byes to `entries`, or drop the field if the director does not decide."""
        super().__init__(data, prefix="open")
        choices = [(str(number), f"{number} {name}") for number, name in entries]
        self.fields["named"].choices = choices  # type: ignore[attr-defined]
        for name in [*([] if blind else ["cut", "cards", "tapped"]), *([] if entries else ["named"])]:
            del self.fields[name]

    @property
    def named_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.cleaned_data.get("named", ())))


class LotsForm(KeyedForm):
    """Entry numbers of tied entrants, in the order in which their lots were drawn."""

    order = forms.CharField(
        label=gettext_lazy("Entry numbers in the order drawn"),
        max_length=500,
        help_text=gettext_lazy("The first one drawn comes first, such as “9 4 2”."),
    )
    reason = forms.CharField(label=gettext_lazy("Who drew the lots, and how"), max_length=500)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="lots")

    def clean_order(self) -> list[int]:
        typed = re.findall(r"[^\s,;]+", self.cleaned_data["order"])
        found = typed_numbers(typed)
        if len(found) < 2 or len(found) != len(typed):
            raise forms.ValidationError(gettext_lazy("Enter at least two entry numbers, with spaces between them."))
        return found


Shown = dict[str, forms.Form]


@console_event("desk")
def stages(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the stages, who would advance and why, and open the next stage."""
    if not load_plan(event).desk_stages:
        return redirect(event_link(event, "pairing:desk_draw"))
    board = load_stage_board(event)
    shown: Shown = {"back": ReasonForm(), "lots": LotsForm()}
    if board is not None and board.course.next_plan is not None:
        shown["open"] = _OpenStageForm(blind=draws_blind(board.course.next_plan), entries=_may_be_named(board))
    if request.method == "POST" and run_and_flash(request, lambda: _act(request, event, shown)):
        return redirect(request.path)
    context: dict[str, Any] = {"board": board, "forms": shown, "stages": describe_stages(event, board)}
    if board is not None:
        context |= (
            describe_next_stage(event, board) | _possible_acts(event, board) | {"forecast": load_event_forecast(event)}
        )
    return render(request, "pairing/stages/course/console.html", context)


def _may_be_named(board: StageBoard) -> list[tuple[int, str]]:
    """Return the entries that may get a bye, if the director decides on byes."""
    knockout = board.course.next_plan.knockout if board.course.next_plan is not None else None
    if knockout is None or knockout.fallback is not ByeBy.DIRECTOR or knockout.seeded:
        return []
    play_off = board.course.play_off
    if play_off is None:
        entries = board.course.last_pool.advancement(None, knockout.places).through
    else:
        entries = (*play_off.row.record.get("through", ()), *play_off.play_off.through)
    return [(entry, board.name(entry)) for entry in entries]


def _possible_acts(event: Event, board: StageBoard) -> dict[str, Any]:
    course, in_play = board.course, event.state == Event.State.IN_PLAY
    current, pool = course.current, course.pool
    level = tied_in(pool) if pool is not None and in_play else ()
    played = pool is not None and any(pool.qualifying[entry].record.games for group in level for entry in group)
    return {
        "in_play": in_play,
        "over": is_over(course),
        "complete": current.is_complete,
        "may_open": in_play and current.is_complete and course.next_plan is not None and not is_over(course),
        "may_take_back": in_play and len(course.stages) > 1 and is_untouched(current),
        "can_join": in_play and current.accepts_late_entries,
        "level": [[(entry, board.name(entry)) for entry in group] for group in level] if played else [],
        "lacks_matches": in_play and current.lacks_matches,
    }


def _act(request: ActorRequest, event: Event, shown: Shown) -> str | None:
    """Do the act and return what was done in words, or None if a form has errors."""
    match request.POST.get("act", ""):
        case "open":
            return _open(request, event, shown)
        case "lots":
            return _record_lots(request, event, shown)
        case "advance":
            make_play_off_round(event, by=request.actor)
            return _("The play-off matches are made.")
    raise DomainError("no-act", _("Nothing was done. Choose one of the buttons on this page."))


def _open(request: ActorRequest, event: Event, shown: Shown) -> str | None:
    board = load_stage_board(event)
    if board is None or board.course.next_plan is None:
        raise Conflict("last-stage", _("There is no stage to open. Look at the stages of the event."))
    blind, may = draws_blind(board.course.next_plan), _may_be_named(board)
    form = shown["open"] = _OpenStageForm(request.POST, blind=blind, entries=may)
    if not form.is_valid():
        return None
    choices = OpeningChoices(cut=form.cleaned_data.get("cut", ""), named=form.named_numbers)
    stage = open_next_stage(event, by=request.actor, choices=choices, key=form.cleaned_data["key"])
    return _("“%(name)s” is open with %(count)s entrants.") % {"name": stage.name, "count": len(stage.entries)}


def _record_lots(request: ActorRequest, event: Event, shown: Shown) -> str | None:
    form = shown["lots"] = LotsForm(request.POST)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    record_lots(event, facts["order"], by=request.actor, reason=facts["reason"], key=facts["key"])
    return _("The draw of lots is recorded and breaks these ties.")


# --- The choice of a format ------------------------------------------------------------------------------------------

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
