"""Response helpers that all pages share: errors on forms, confirmation pages, and links with QR codes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from tournament.core.services.jobs import is_worker_running
from tournament.errors import DomainError
from tournament.models import Entrant, Event, Job, Tournament


@contextmanager
def domain_errors_as_form_errors(form: forms.BaseForm) -> Iterator[None]:
    """Add a domain error raised in the block to the form's errors, so that the user's input is not lost."""
    try:
        yield
    except DomainError as error:
        form.add_error(error.data.get("field"), error.message)


def run_and_flash_result(request: HttpRequest, act: Callable[[], str | None]) -> bool:
    """Run the action, and show its message or its error on the next page. Return whether the action was completed.

    An action that returns None was not completed. In this case, no message is shown.
    """
    try:
        message = act()
    except DomainError as error:
        messages.error(request, error.message)
        return False
    if message is not None:
        messages.success(request, message)
    return message is not None


# --- Confirmation pages ----------------------------------------------------------------------------------------------


def render_confirmation(
    request: HttpRequest, *, title: str, label: str, back: str, error: str = "", **more: object
) -> HttpResponse:
    """Render a confirmation page whose form is posted to the same URL. `label` is the button's label.

    `back` is the URL for “No, go back”. `error` explains what is wrong with the reason that the user entered. The other
    values are described in `components/confirm_form.html`.
    """
    confirm = {"title": title, "label": label, "back": back, "error": error, **more}
    return render(request, "confirm_page.html", {"confirm": confirm}, status=422 if error else 200)


def list_submitted_fields(request: HttpRequest) -> tuple[dict[str, str], ...]:
    """Return all fields of the submitted form, so that a confirmation page can include them as hidden fields."""
    posted = ((name, str(value)) for name, values in request.POST.lists() for value in values)
    return tuple({"name": name, "value": value} for name, value in posted if name != "csrfmiddlewaretoken")


# --- Links -----------------------------------------------------------------------------------------------------------


def make_event_url(event: Event, page: str, **place: object) -> str:
    return reverse(page, kwargs={"tournament": event.tournament.slug, "event": event.slug, **place})


def find_site_url(request: HttpRequest) -> str:
    """Return the site's base URL for links in emails and QR codes, without a trailing slash."""
    return settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")


def make_private_link(request: HttpRequest, entrant: Entrant) -> str:
    return f"{find_site_url(request)}{reverse('tournament:my', kwargs={'token': entrant.token})}"


@lru_cache(maxsize=2048)
def make_qr_data_uri(link: str) -> str:
    """Return a QR code image as a data URI."""
    return segno.make_qr(link, error="m").svg_data_uri(scale=6, border=3, light="#fff", dark="#000")


def make_job_context(job: Job, tournament: Tournament) -> dict[str, object]:
    place = {"tournament": tournament.slug, "pk": job.pk}
    return {
        "job": job,
        "nobody_works": job.state in (Job.State.QUEUED, Job.State.RUNNING) and not is_worker_running(),
        "url": reverse("tournament:desk_job", kwargs=place),
        "download_url": reverse("tournament:job_file", kwargs=place),
        "again_url": reverse("tournament:desk_job_again", kwargs=place),
    }
