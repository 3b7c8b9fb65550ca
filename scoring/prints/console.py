from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render

from pairing.plans.selectors import load_plan
from scoring.card_state.selectors.meetings import load_ready_meetings
from scoring.posting.services.opening import open_missing_cards
from scoring.prints.forms import PrintForm
from scoring.prints.pdf.prints import prints_of
from scoring.rulesheets.selectors.lengths import load_set_places
from scoring.rulesheets.selectors.sheets import current_sheet, side_counts, unsaved_sheet
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.links import job_links
from tournament.core.services.jobs import ask_for
from tournament.models import Event

TASK = "scoring.tasks.prints.print_job"


@console_event("desk")
def prints(request: ActorRequest, event: Event) -> HttpResponse:
    sheet = current_sheet(event) or unsaved_sheet(event)
    offered = prints_of(stage.kind for stage in load_plan(event).stages)
    form = PrintForm(
        request.POST or None,
        kinds=[(name, title) for name, (title, _build) in offered.items()],
        places=load_set_places(event),
        sides=side_counts(sheet.variant, sheet.options),
    )
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        kind = wanted["kind"]
        if kind == "round-cards" and event.state == Event.State.IN_PLAY:
            open_missing_cards(event, by=request.actor)
        parameters = {name: wanted[name] for name in ("paper", "card", "back")} | {
            "count": wanted["count"] or 20,
            "site": settings.SITE_URL or f"{request.scheme}://{request.get_host()}",
            "place": wanted.get("place", ""),
            "players": int(wanted.get("players") or 0),
            "round": wanted["round"] or 0,
            "table": wanted["table"] or 0,
            "rounds": rounds_of(event, kind, wanted["round"]),
        }
        job = ask_for(event, kind=kind, title=offered[kind][0], task=TASK, parameters=parameters, by=request.actor)
        return redirect("tournament:desk_job", tournament=event.tournament.slug, pk=job.pk)
    recent = [job_links(job, event.tournament) for job in event.jobs.order_by("-pk")[:10]]
    return render(request, "scoring/prints/console.html", {"form": form, "recent": recent})


def rounds_of(event: Event, kind: str, asked: int | None) -> list[int]:
    """Of which rounds a print is, for the name of its file."""
    if asked or kind not in ("round-cards", "pairings"):
        return [asked] if asked else []
    return sorted({meeting.match.round for meeting in load_ready_meetings(event)})
