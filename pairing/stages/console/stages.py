"""Staff page for an event's stages: who would advance, ties to break by lot, and opening the next stage."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.desk.selectors.forecast import load_event_forecast
from pairing.draws.stages.play_off import ByeBasis
from pairing.draws.stages.pools import find_ties_needing_lots
from pairing.stages.forms import BaseCutForm, ReasonForm
from pairing.stages.public.stages import load_next_stage_context, load_stage_contexts
from pairing.stages.selectors.boards import StageBoard, load_stage_board
from pairing.stages.selectors.course import is_play_over, is_stage_without_result
from pairing.stages.selectors.openings import StageOpeningChoices, is_drawn_by_lot
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.services.stages import make_play_off_round, open_next_stage, record_drawn_lots
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import make_event_url, run_and_flash_result
from tournament.errors import Conflict, DomainError
from tournament.models import Event
from tournament.spreadsheets.names import parse_numbers


class _OpenStageForm(BaseCutForm):
    """A form for opening a stage.

    If the stage is drawn blind, the form asks for the public cut (such as dice or cards) from which the draw follows.
    If the director chooses who gets a bye, it asks for these entrants.
    """

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
        """Offer the director these `entries` for byes. The list is empty if the director does not choose the byes."""
        super().__init__(data, prefix="open")
        choices = [(str(number), f"{number} {name}") for number, name in entries]
        self.fields["named"].choices = choices  # type: ignore[attr-defined]
        for name in [*([] if blind else ["cut", "cards", "tapped"]), *([] if entries else ["named"])]:
            del self.fields[name]

    @property
    def named_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.cleaned_data.get("named", ())))


class DrawnLotsForm(IdempotentForm):
    """A form for the entry numbers of tied entrants, in the order in which their lots were drawn."""

    order = forms.CharField(
        label=gettext_lazy("Entry numbers in the order drawn"),
        max_length=500,
        help_text=gettext_lazy("The first one drawn comes first, such as “9 4 2”."),
    )
    reason = forms.CharField(label=gettext_lazy("Who drew the lots, and how"), max_length=500)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="lots")

    def clean_order(self) -> list[int]:
        words = re.findall(r"[^\s,;]+", self.cleaned_data["order"])
        numbers = parse_numbers(words)
        if len(numbers) < 2 or len(numbers) != len(words):
            raise forms.ValidationError(gettext_lazy("Enter at least two entry numbers, with spaces between them."))
        return numbers


FormsByName = dict[str, forms.Form]


@staff_event_view("desk")
def stages_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the stages, and explain which entries would advance.

    The page also opens the next stage, creates play-off matches, and records lots.
    """
    if not load_event_plan(event).desk_stages:
        return redirect(make_event_url(event, "pairing:desk_draw"))
    board = load_stage_board(event)
    page_forms: FormsByName = {"back": ReasonForm(), "lots": DrawnLotsForm()}
    if board is not None and board.course.next_plan is not None:
        page_forms["open"] = _OpenStageForm(
            blind=is_drawn_by_lot(board.course.next_plan), entries=_list_bye_candidates(board)
        )
    if request.method == "POST" and run_and_flash_result(request, lambda: _run_action(request, event, page_forms)):
        return redirect(request.path)
    context: dict[str, Any] = {"board": board, "forms": page_forms, "stages": load_stage_contexts(event, board)}
    if board is not None:
        context |= (
            load_next_stage_context(event, board)
            | _make_actions_context(event, board)
            | {"forecast": load_event_forecast(event)}
        )
    return render(request, "pairing/stages/course/console.html", context)


def _list_bye_candidates(board: StageBoard) -> list[tuple[int, str]]:
    """Return the entries to which the director can give a bye.

    Return an empty list if the director does not choose the byes.
    """
    knockout = board.course.next_plan.knockout if board.course.next_plan is not None else None
    if knockout is None or knockout.fallback is not ByeBasis.DIRECTOR or knockout.seeded:
        return []
    play_off = board.course.play_off
    if play_off is None:
        entries = board.course.last_pool.compute_advancement(None, knockout.places).advancing_entries
    else:
        entries = (*play_off.row.record.get("through", ()), *play_off.play_off.advancing_entries)
    return [(entry, board.name(entry)) for entry in entries]


def _make_actions_context(event: Event, board: StageBoard) -> dict[str, Any]:
    course, in_play = board.course, event.state == Event.State.IN_PLAY
    current, pool = course.current_stage, course.pool
    tied = find_ties_needing_lots(pool) if pool is not None and in_play else ()
    played = pool is not None and any(pool.qualifying[entry].record.games for group in tied for entry in group)
    return {
        "in_play": in_play,
        "over": is_play_over(course),
        "complete": current.is_complete,
        "may_open": in_play and current.is_complete and course.next_plan is not None and not is_play_over(course),
        "may_take_back": in_play and len(course.stages) > 1 and is_stage_without_result(current),
        "can_join": in_play and current.accepts_late_entries,
        "level": [[(entry, board.name(entry)) for entry in group] for group in tied] if played else [],
        "lacks_matches": in_play and current.lacks_matches,
    }


def _run_action(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    """Run the submitted action and return a success message, or None if a form has errors."""
    match request.POST.get("act", ""):
        case "open":
            return _open_next_stage(request, event, page_forms)
        case "lots":
            return _record_lots(request, event, page_forms)
        case "advance":
            make_play_off_round(event, by=request.actor)
            return _("The play-off matches are made.")
    raise DomainError("no-act", _("Nothing was done. Choose one of the buttons on this page."))


def _open_next_stage(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    board = load_stage_board(event)
    if board is None or board.course.next_plan is None:
        raise Conflict("last-stage", _("There is no stage to open. Look at the stages of the event."))
    blind, may = is_drawn_by_lot(board.course.next_plan), _list_bye_candidates(board)
    form = page_forms["open"] = _OpenStageForm(request.POST, blind=blind, entries=may)
    if not form.is_valid():
        return None
    choices = StageOpeningChoices(cut=form.cleaned_data.get("cut", ""), bye_entries=form.named_numbers)
    stage = open_next_stage(event, by=request.actor, choices=choices, key=form.cleaned_data["key"])
    return _("“%(name)s” is open with %(count)s entrants.") % {"name": stage.name, "count": len(stage.entries)}


def _record_lots(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["lots"] = DrawnLotsForm(request.POST)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    record_drawn_lots(event, facts["order"], by=request.actor, reason=facts["reason"], key=facts["key"])
    return _("The draw of lots is recorded and breaks these ties.")
