"""JSON requests: the sender, the body, and the answers to refusals.

Staff send with their session and the CSRF token, an entrant with `Authorization: Bearer <private token>`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, cast

from django.http import HttpRequest, JsonResponse
from django.http.request import RawPostDataException
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from scoring.cards.services.hands import BadLine
from tournament.cases import Fields, Problems, parse_case
from tournament.core.pages.access import acting_staff
from tournament.core.permissions import Actor, player
from tournament.core.selectors.events import load_entrant
from tournament.errors import BadCase, DomainError, NotAllowed, Problem

LARGEST_BODY = 400_000

Answer = Callable[..., JsonResponse]


def json_view(answer: Answer) -> Answer:
    """Make a view answer every refusal with {"ok": false, "errors": [{code, path, message}]}."""

    @wraps(answer)
    def refusing(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        try:
            return answer(request, *args, **kwargs)
        except BadLine as error:
            return _refused(error.data["problems"], error.http_status)
        except BadCase as error:
            return _refused(error.problems, 422)
        except DomainError as error:
            return _refused([Problem(error.code, "", error.message)], error.http_status)

    protected = csrf_protect(refusing)

    @wraps(answer)
    def by_token_or_session(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        by_session = request.user.is_authenticated and not _bearer(request)
        # Without a session there is no CSRF check, so a stranger gets the refusal as JSON.
        checked = protected if by_session else refusing
        return checked(request, *args, **kwargs)

    return cast(Answer, csrf_exempt(by_token_or_session))


def actor_of(request: HttpRequest) -> Actor:
    token = _bearer(request)
    if token:
        return player(load_entrant(token))
    if request.user.is_authenticated:
        return acting_staff(request)
    raise NotAllowed(
        "who-are-you", gettext("Send the header “Authorization: Bearer …” with an entrant's private token, or sign in.")
    )


def body_of(request: HttpRequest) -> dict[str, Any]:
    """Return the body as one strict JSON object."""
    if int(request.headers.get("Content-Length") or 0) > LARGEST_BODY:
        raise DomainError("too-long", gettext("The body is too long for a score card."))
    try:
        return parse_case(request.body)
    except RawPostDataException:  # it was a form, and the CSRF check has already read it
        raise DomainError("not-json", gettext("Send JSON, with the content type application/json.")) from None


@contextmanager
def fields_of(request: HttpRequest) -> Iterator[Fields]:
    """Yield the fields of the body. Read each once inside the block. At its end all problems are refused together."""
    problems = Problems()
    fields = Fields(body_of(request), problems)
    yield fields
    fields.finish()
    problems.check()


def key_of(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key or len(key) > 100:
        raise DomainError(
            "key-needed",
            gettext("Send a header Idempotency-Key of up to 100 characters, a new one for every new write."),
        )
    return key


def _bearer(request: HttpRequest) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _refused(problems: list[Problem], status: int) -> JsonResponse:
    errors = [{"code": p.code, "path": p.path, "message": p.message} for p in problems]
    return JsonResponse({"ok": False, "errors": errors}, status=status)
