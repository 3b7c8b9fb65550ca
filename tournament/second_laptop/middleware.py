"""Refuse all forms on a read-only laptop, and keep requests that the second laptop has not confirmed."""

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse, RawPostDataException
from django.utils.translation import gettext as _

from tournament.core.dispatch import RequestWrites, collect_writes
from tournament.core.middleware import render_refusal
from tournament.core.services.durable_files import sync_folder
from tournament.errors import DomainError
from tournament.models import AuditEntry
from tournament.second_laptop.selectors import (
    LaptopRole,
    RememberedRequest,
    get_requests_file,
    lock_requests_file,
    read_link,
)

logger = logging.getLogger(__name__)

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
THIS_LAPTOP_VIEW = "tournament:this_laptop"


class LaptopIsReadOnly(DomainError):
    """Raised if a form is sent to a read-only laptop. Phones keep their unsent hands, and send them again later."""

    http_status = 503


class ReadOnlyLaptopMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, *_arguments: Any) -> HttpResponse | None:
        if request.method in SAFE_METHODS or _is_for_this_laptop(request):
            return None
        link = read_link()
        if link is not None and link.role is LaptopRole.SHUT_OUT:  # also before the restart with `READ_ONLY_DATABASE`
            message = _(
                "The second laptop has taken over, so nothing was recorded here. Open this page on that laptop, and "
                "send it there."
            )
            return render_refusal(request, LaptopIsReadOnly("shut-out", message))
        if not settings.READ_ONLY_DATABASE:
            return None
        message = _(
            "This is the second laptop, which only follows the first one. Nothing was recorded. Send it to the first "
            "laptop, or take over on this laptop’s own screen."
        )
        return render_refusal(request, LaptopIsReadOnly("second-laptop", message))


def _is_for_this_laptop(request: HttpRequest) -> bool:
    """Return whether the form belongs to the page *This laptop*, whose forms only write files."""
    return request.resolver_match is not None and request.resolver_match.view_name == THIS_LAPTOP_VIEW


# --- Keep requests that the second laptop has not confirmed -----------------------------------------------------------

KEPT_HEADERS: Final = (
    *("CONTENT_TYPE", "HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_IDEMPOTENCY_KEY", "HTTP_USER_AGENT"),
    *("HTTP_HX_REQUEST", "HTTP_HX_TARGET", "HTTP_HX_TRIGGER"),
)
MAX_KEPT_BODY_BYTES: Final = 100_000
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_ACCOUNT_PATHS: Final = ("/accounts/", "/sign-in/")
_SECRET_FIELD: Final = "pass"
"""A request with a field whose name contains this text is not kept, because it may contain a password or passphrase."""


class KeepUnconfirmedRequestsMiddleware:
    """Store each request whose writes the second laptop has not confirmed, so that a director can repeat it there.

    While the two laptops are connected, nothing is kept.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in SAFE_METHODS:
            return self.get_response(request)
        with collect_writes() as writes:
            response = self.get_response(request)
        if writes.unconfirmed:
            try:
                _keep_request(request, writes)
            except OSError as error:  # a full disk: what was recorded stays recorded, and is entered by hand there
                logger.warning("a request could not be kept for the second laptop: %s", error)
        return response


def _keep_request(request: HttpRequest, writes: RequestWrites) -> None:
    kept = _make_remembered_request(request)
    # By their digests, because a restored database may give the same numbers to other rows.
    entries = AuditEntry.objects.filter(pk__in=writes.unconfirmed).order_by("pk").values_list("digest", flat=True)
    content = {
        "entries": list(entries),
        "change": writes.last_change,
        "request": asdict(kept) if kept is not None else None,
    }
    file = get_requests_file()
    with (
        lock_requests_file(),
        open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab", buffering=0) as target,
    ):
        is_first = not os.fstat(target.fileno()).st_size
        target.write(json.dumps(content).encode() + b"\n")
        os.fsync(target.fileno())
        if is_first:  # the file may be new
            sync_folder(file.parent)


def _make_remembered_request(request: HttpRequest) -> RememberedRequest | None:
    """Return the request in a form that can be stored, or None if it has a file, a password, or too much text."""
    if request.path.startswith(_ACCOUNT_PATHS):
        return None
    headers: dict[str, str] = {name: request.META[name] for name in KEPT_HEADERS if name in request.META}
    try:
        if any(_SECRET_FIELD in name for name in request.POST) or request.FILES:
            return None
        if request.content_type == "multipart/form-data":
            headers["CONTENT_TYPE"], body = _FORM_TYPE, request.POST.urlencode()
        else:
            body = request.body.decode()
    except (SuspiciousOperation, RawPostDataException, UnicodeDecodeError):
        return None
    if len(body) > MAX_KEPT_BODY_BYTES:
        return None
    form_page = urlsplit(request.headers.get("Referer", "")).path
    return RememberedRequest(
        method=str(request.method), path=request.get_full_path(), headers=headers, body=body, page=form_page
    )
