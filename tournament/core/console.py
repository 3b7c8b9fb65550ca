from zoneinfo import ZoneInfo

from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render

from tournament.core.pages.access import ActorRequest, console_tournament
from tournament.core.pages.links import job_links
from tournament.errors import NotFound
from tournament.models import Job, Tournament


@console_tournament("desk")
def job_panel(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """How far a job is; asked for again by the page while it runs."""
    job = get_object_or_404(tournament.jobs.all(), pk=pk)
    is_panel = request.headers.get("HX-Request") == "true"
    template = "components/progress.html" if is_panel else "tournament/core/job.html"
    return render(request, template, job_links(job, tournament))


@console_tournament("desk")
def job_file(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponseBase:
    job = get_object_or_404(tournament.jobs.all(), pk=pk, state=Job.State.DONE)
    try:
        content = job.file.open()
    except FileNotFoundError:
        raise NotFound("no-file", "This print is not on this server. Print it again.") from None
    return FileResponse(content, filename=file_name(job), content_type="application/pdf")


def file_name(job: Job) -> str:
    """What, which rounds and table, and when it was asked for at the venue, so that two of a day can be told apart."""
    asked, event = job.parameters, job.event
    rounds = "-".join(map(str, asked.get("rounds") or ()))
    parts = (
        event.slug if event is not None else job.tournament.slug,
        job.kind,
        f"round-{rounds}" if rounds else "",
        f"table-{asked['table']}" if asked.get("table") else "",
        job.created_at.astimezone(ZoneInfo(job.tournament.time_zone)).strftime("%Y-%m-%d-%H%M"),
    )
    return "-".join(part for part in parts if part) + ".pdf"
