from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

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
        raise NotFound("no-file", _("This print is not on this server. Print it again.")) from None
    return FileResponse(content, filename=f"{tournament.slug}-{job.kind}.pdf", content_type="application/pdf")
