"""The desk's page that asks for prints."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.stages.selectors.plans import load_plan
from scoring.card_state.selectors.players import load_ready_meetings
from scoring.posting.services.opening import open_missing_cards
from scoring.prints.forms import EverythingForm, PrintForm
from scoring.prints.pdf.card_prints import prints_two_up
from scoring.prints.pdf.prints import EVERYTHING, Print, prints_of, too_small_prints
from scoring.rules.book.options import MatchPlace
from scoring.rulesheets.selectors.lengths import load_places_with_own_length, rules_for_place
from scoring.rulesheets.selectors.sheets import current_sheet, side_counts, unsaved_sheet
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import job_links, site_of
from tournament.core.selectors.events import last_paper
from tournament.core.services.jobs import request_job
from tournament.lazy_text import LazyText, join_texts, lazy_text
from tournament.models import Event

TASK = "scoring.tasks.prints.print_job"
ROUND_PRINTS = ("round-cards", "pairings", EVERYTHING)
"""Prints about the matches that can be played. Their file names have the rounds."""


@console_event("desk")
def prints(request: ActorRequest, event: Event) -> HttpResponse:
    """Ask for one kind of print, or for everything in one file. The latest prints are listed below."""
    offered = prints_of(stage.kind for stage in load_plan(event).stages)
    wants_all = request.POST.get("kind") == EVERYTHING
    paper, small = last_paper(event.tournament), too_small_prints(event)
    everything = EverythingForm(request.POST if wants_all else None, auto_id="everything_%s", initial={"paper": paper})
    sheet = current_sheet(event) or unsaved_sheet(event)
    form = PrintForm(
        request.POST if request.POST and not wants_all else None,
        kinds=[(name, _(title)) for name, (title, _build) in offered.items() if name != EVERYTHING],
        places=load_places_with_own_length(event),
        sides=side_counts(sheet.variant, sheet.options),
        too_small=small,
        paper=paper,
    )
    asked = everything if wants_all else form
    if request.method == "POST" and asked.is_valid():
        return _ask(request, event, offered, {"kind": EVERYTHING} | asked.cleaned_data)
    recent = [job_links(job, event.tournament) for job in event.jobs.select_related("tournament").order_by("-pk")[:10]]
    two_up = prints_two_up(rules_for_place(sheet, MatchPlace()))
    context = {"form": form, "everything": everything, "kind": EVERYTHING, "recent": recent}
    context |= {"two_up": two_up, "too_small": bool(small)}
    return render(request, "scoring/prints/console.html", context)


def _ask(request: ActorRequest, event: Event, offered: dict[str, Print], wanted: dict[str, Any]) -> HttpResponse:
    kind = wanted["kind"]
    if kind in ("round-cards", EVERYTHING) and event.state == Event.State.IN_PLAY:
        open_missing_cards(event, by=request.actor)
    parameters = {
        "paper": wanted["paper"],
        "card": wanted.get("card", ""),
        "back": wanted.get("back", False),
        "count": wanted.get("count") or 20,
        "site": site_of(request),
        "place": wanted.get("place", ""),
        "players": int(wanted.get("players") or 0),
        "round": wanted.get("round") or 0,
        "table": wanted.get("table") or 0,
        "rounds": _rounds_of(event, kind, wanted.get("round")),
    }
    title = title_of(offered[kind][0], parameters)
    job = request_job(event, kind=kind, title=title, task=TASK, parameters=parameters, by=request.actor)
    return redirect("tournament:desk_job", tournament=event.tournament.slug, pk=job.pk)


def title_of(what: str, asked: dict[str, Any]) -> str:
    """Return the title of a print in the list of the latest prints: “Pairings, round 2, table 7”."""
    parts: list[str] = [LazyText(what)]
    if asked["round"]:
        parts.append(lazy_text("round %(number)s", number=asked["round"]))
    if asked["table"]:
        parts.append(lazy_text("table %(number)s", number=asked["table"]))
    return join_texts(", ", parts)


def _rounds_of(event: Event, kind: str, asked: int | None) -> list[int]:
    """Return the rounds that a print is about, for the name of its file."""
    if asked or kind not in ROUND_PRINTS:
        return [asked] if asked else []
    return sorted({meeting.match.round for meeting in load_ready_meetings(event)})
