from __future__ import annotations

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from tournament.models import Job, Tournament
from tournament.views.access import ActorRequest, console_tournament


@console_tournament("look")
def job_panel(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """How far a job is; asked for again by the page while it runs."""
    job = get_object_or_404(tournament.jobs.all(), pk=pk)
    template = "components/progress.html" if is_panel(request) else "tournament/console/job.html"
    return render(request, template, job_links(job, tournament))


@console_tournament("look")
def job_file(request: ActorRequest, tournament: Tournament, pk: int) -> HttpResponseBase:
    job = get_object_or_404(tournament.jobs.all(), pk=pk, state=Job.State.DONE)
    return FileResponse(job.file.open(), filename=f"{tournament.slug}-{job.kind}.pdf", content_type="application/pdf")


def is_panel(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def job_links(job: Job, tournament: Tournament) -> dict[str, object]:
    place = {"tournament": tournament.slug, "pk": job.pk}
    return {
        "job": job,
        "url": reverse("tournament:desk_job", kwargs=place),
        "download_url": reverse("tournament:job_file", kwargs=place),
    }
