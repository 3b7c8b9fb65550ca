"""Pages for a background job: show its progress, download its file, or retry it after a failure."""

from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import make_job_context
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.services.jobs import retry_job
from tournament.errors import NotFound
from tournament.models import Job, Tournament


@staff_tournament_view("desk")
def show_job(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Show a job's progress, either on a full page or as a panel that refreshes while the job runs."""
    job = get_object_or_404(tournament.jobs.select_related("event__tournament"), pk=pk)
    is_panel = request.headers.get("HX-Request") == "true"
    if job.event is not None and not is_panel:
        request.event = job.event  # the full page has the menu of the event
    template = "components/progress.html" if is_panel else "tournament/core/job.html"
    return render(request, template, make_job_context(job, tournament))


@require_POST
@staff_tournament_view("desk")
def retry_failed_job(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    retry_job(get_object_or_404(tournament.jobs.select_related("tournament"), pk=pk), by=request.actor)
    return redirect("tournament:desk_job", tournament=tournament.slug, pk=pk)


@staff_tournament_view("desk")
def download_job_file(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponseBase:
    job = get_object_or_404(tournament.jobs.all(), pk=pk, state=Job.State.DONE)
    try:
        content = job.file.open()
    except FileNotFoundError:
        raise NotFound("no-file", _("This print is not on this server. Print it again.")) from None
    subject = job.event.slug if job.event is not None else job.tournament.slug
    rounds, table = job.parameters.get("rounds") or (), job.parameters.get("table") or 0
    name = make_pdf_file_name(job.tournament, subject, job.kind, at=job.created_at, rounds=rounds, table=table)
    return FileResponse(content, filename=name, content_type="application/pdf")
