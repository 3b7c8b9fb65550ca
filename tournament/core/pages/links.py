"""Links to pages of an event, private links with QR codes, and links of a job."""

from functools import lru_cache

import segno
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from tournament.core.services.jobs import is_worker_there
from tournament.models import Entrant, Event, Job, Tournament


def event_link(event: Event, page: str, **place: object) -> str:
    return reverse(page, kwargs={"tournament": event.tournament.slug, "event": event.slug, **place})


def site_of(request: HttpRequest) -> str:
    """Return the start of links that are read elsewhere: the setting, or the address of this request."""
    return settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")


def private_link(request: HttpRequest, entrant: Entrant) -> str:
    return f"{site_of(request)}{reverse('tournament:my', kwargs={'token': entrant.token})}"


@lru_cache(maxsize=2048)
def qr_of(link: str) -> str:
    """Return a QR code as a data URI, so that nothing is inline or stored."""
    return segno.make_qr(link, error="m").svg_data_uri(scale=6, border=3, light="#fff", dark="#000")


def job_links(job: Job, tournament: Tournament) -> dict[str, object]:
    place = {"tournament": tournament.slug, "pk": job.pk}
    return {
        "job": job,
        "nobody_works": job.state in (Job.State.QUEUED, Job.State.RUNNING) and not is_worker_there(),
        "url": reverse("tournament:desk_job", kwargs=place),
        "download_url": reverse("tournament:job_file", kwargs=place),
        "again_url": reverse("tournament:desk_job_again", kwargs=place),
    }
