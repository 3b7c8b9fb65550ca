"""The staff page to request PDFs for printing."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.stages.selectors.plans import load_event_plan
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.posting.services.opening import open_missing_cards
from scoring.prints.pdf.card_prints import is_printed_two_up
from scoring.prints.pdf.prints import (
    FULL_EXPORT_NAME,
    Printout,
    TooSmallPrintout,
    find_too_small_printouts,
    list_printouts,
)
from scoring.rules.book.options import MatchPosition
from scoring.rulesheets.selectors import (
    MatchLengthScope,
    find_side_limits,
    load_current_rule_sheet,
    load_scopes_with_special_match_length,
    make_default_rule_sheet,
    make_rules_for_position,
)
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import find_site_url, make_job_context
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import load_last_paper_size
from tournament.core.services.jobs import request_job
from tournament.lazy_text import LazyText, join_texts, lazy_text
from tournament.models import Event

# --- What to print ---------------------------------------------------------------------------------------------------

PAPER_SIZE_CHOICES = [(name, paper.name) for name, paper in PAPER_SIZES.items()]


class FullExportForm(forms.Form):
    """A form to request one PDF with everything that is needed to continue by hand."""

    paper = forms.ChoiceField(label=gettext_lazy("Paper size"), choices=PAPER_SIZE_CHOICES)


class PrintForm(forms.Form):
    """A form to request one kind of PDF. `static/css/forms.css` hides fields that the kind does not need."""

    kind = forms.ChoiceField(label=gettext_lazy("What to print"))
    paper = forms.ChoiceField(label=gettext_lazy("Paper size"), choices=PAPER_SIZE_CHOICES)
    count = forms.IntegerField(label=gettext_lazy("How many"), min_value=1, max_value=2000, initial=20, required=False)
    round = forms.IntegerField(
        label=gettext_lazy("Only this round"),
        min_value=1,
        max_value=999,
        required=False,
        help_text=gettext_lazy("Leave empty for every round."),
    )
    table = forms.IntegerField(
        label=gettext_lazy("Only this table"),
        min_value=1,
        max_value=9999,
        required=False,
        help_text=gettext_lazy("Leave empty for every table."),
    )
    back = forms.BooleanField(
        label=gettext_lazy("Short rules on the back"),
        required=False,
        help_text=gettext_lazy("Print on both sides. Where two cards share a page, flip on the short edge."),
    )
    players = forms.ChoiceField(label=gettext_lazy("Players on each card"), required=False)
    place = forms.ChoiceField(label=gettext_lazy("For which matches"), required=False)
    small = forms.BooleanField(label=gettext_lazy("Print one page anyway"), required=False)
    card = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)

    def __init__(
        self,
        data: Any = None,
        *,
        kinds: Sequence[tuple[str, str]],
        places: Sequence[MatchLengthScope] = (),
        sides: tuple[int, int] = (2, 2),
        too_small: Mapping[str, TooSmallPrintout] | None = None,
        paper: str = "",
    ) -> None:
        """Set the form's choices.

        `places` are the stages and rounds for which blank cards can be printed. `sides` is the minimum and maximum
        number of players on a card. `too_small` contains printouts that need confirmation because they are hard to
        read. `paper` is the preselected paper size.
        """
        super().__init__(data, initial={"paper": paper})
        self.too_small = too_small or {}
        if not self.too_small:
            del self.fields["small"]
        few, many = sides
        choices: dict[str, list[tuple[Any, Any]]] = {
            "players": [("", gettext_lazy("As many as at a table")), *((n, str(n)) for n in range(few, many + 1))],
            "place": [
                ("", gettext_lazy("Any match, to the usual points")),
                *((each.code, each.name) for each in places),
            ],
            "kind": list(kinds),
        }
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = offered
        if few == many:
            del self.fields["players"]
        if not places:
            del self.fields["place"]

    def clean(self) -> dict[str, Any]:
        """Reject a printout that would be too small to read, and select the version on several tiled pages instead."""
        asked: dict[str, Any] = super().clean() or {}
        papers, instead = self.too_small.get(asked.get("kind", ""), ((), ""))
        if asked.get("paper") in papers and not asked.get("small"):
            self.data = {**self.data.dict(), "kind": instead} if isinstance(self.data, QueryDict) else self.data
            self.add_error(
                "kind", gettext_lazy("The names would be too small to read. Tiled pages are chosen instead.")
            )
        return asked


PRINT_TASK_NAME = "scoring.tasks.prints.print_job"
CURRENT_ROUND_PRINTOUTS = ("round-cards", "pairings", FULL_EXPORT_NAME)
"""Printouts about the matches that can be played now. Round numbers are part of the file names."""


@staff_event_view("desk")
def request_printouts(request: ActorRequest, event: Event) -> HttpResponse:
    """Request one kind of printout, or everything in one file. The page also lists the latest printouts."""
    offered = list_printouts(stage.kind for stage in load_event_plan(event).stages)
    wants_all = request.POST.get("kind") == FULL_EXPORT_NAME
    paper, small = load_last_paper_size(event.tournament), find_too_small_printouts(event)
    everything = FullExportForm(request.POST if wants_all else None, auto_id="everything_%s", initial={"paper": paper})
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    form = PrintForm(
        request.POST if request.POST and not wants_all else None,
        kinds=[(name, _(title)) for name, (title, _build) in offered.items() if name != FULL_EXPORT_NAME],
        places=load_scopes_with_special_match_length(event),
        sides=find_side_limits(sheet.variant, sheet.options),
        too_small=small,
        paper=paper,
    )
    asked = everything if wants_all else form
    if request.method == "POST" and asked.is_valid():
        return _request_printout(request, event, offered, {"kind": FULL_EXPORT_NAME} | asked.cleaned_data)
    recent = [
        make_job_context(job, event.tournament) for job in event.jobs.select_related("tournament").order_by("-pk")[:10]
    ]
    two_up = is_printed_two_up(make_rules_for_position(sheet, MatchPosition()))
    context = {"form": form, "everything": everything, "kind": FULL_EXPORT_NAME, "recent": recent}
    context |= {"two_up": two_up, "too_small": bool(small)}
    return render(request, "scoring/prints/console.html", context)


def _request_printout(
    request: ActorRequest, event: Event, offered: dict[str, Printout], wanted: dict[str, Any]
) -> HttpResponse:
    kind = wanted["kind"]
    if kind in ("round-cards", FULL_EXPORT_NAME) and event.state == Event.State.IN_PLAY:
        open_missing_cards(event, by=request.actor)
    parameters = {
        "paper": wanted["paper"],
        "card": wanted.get("card", ""),
        "back": wanted.get("back", False),
        "count": wanted.get("count") or 20,
        "site": find_site_url(request),
        "place": wanted.get("place", ""),
        "players": int(wanted.get("players") or 0),
        "round": wanted.get("round") or 0,
        "table": wanted.get("table") or 0,
        "rounds": _list_requested_rounds(event, kind, wanted.get("round")),
    }
    title = describe_print_request(offered[kind][0], parameters)
    job = request_job(event, kind=kind, title=title, task=PRINT_TASK_NAME, parameters=parameters, by=request.actor)
    return redirect("tournament:desk_job", tournament=event.tournament.slug, pk=job.pk)


def describe_print_request(what: str, asked: dict[str, Any]) -> str:
    """Return a printout's title for the list of the latest printouts, such as “Pairings, round 2, table 7”."""
    parts: list[str] = [LazyText(what)]
    if asked["round"]:
        parts.append(lazy_text("round %(number)s", number=asked["round"]))
    if asked["table"]:
        parts.append(lazy_text("table %(number)s", number=asked["table"]))
    return join_texts(", ", parts)


def _list_requested_rounds(event: Event, kind: str, asked: int | None) -> list[int]:
    """Return the round numbers to include in a printout's file name."""
    if asked or kind not in CURRENT_ROUND_PRINTOUTS:
        return [asked] if asked else []
    return sorted({meeting.match.round for meeting in load_ready_seated_matches(event)})
