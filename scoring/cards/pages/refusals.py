"""Answer the refusals of services: on the form that was sent, without losing what was typed, or as JSON."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, cast

from django.http import HttpRequest, JsonResponse
from django.http.request import RawPostDataException
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from scoring.card_state.selectors.cards import CardState
from scoring.cards.services.hands import BadLine
from scoring.posting.services.correction_period import EntryMismatch
from scoring.posting.tables.correction_period import differs_in_words
from tournament.cases import Fields, Problems, parse_case
from tournament.core.pages.access import acting_staff
from tournament.core.permissions import Actor, player
from tournament.core.selectors.events import load_entrant
from tournament.errors import BadCase, DomainError, NeedsReason, NotAllowed, Problem

LARGEST_BODY = 400_000


Answer = Callable[..., JsonResponse]


# --- Forms -----------------------------------------------------------------------------------------------------------


class RefusalsOnForm:
    """A context manager that puts a refusal on a form: `with RefusalsOnForm(form): …`.

    The error goes to the field it is about, or else to the top of the form. `state` is the card if two people may type
    it. With `warns`, an improbable entry is collected in `warnings`, for the form to ask why it is right. `decide` is
    the match to decide first, if a later one has begun.
    """

    def __init__(self, form: Any, state: CardState | None = None, *, warns: bool = False) -> None:
        self.form, self.state, self.warns = form, state, warns
        self.warnings: list[str] = []
        self.decide: dict[str, str] = {}

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, DomainError):
            return False
        if isinstance(error, BadLine) and hasattr(self.form, "show"):
            self.form.show(error)
        elif isinstance(error, NeedsReason) and self.warns:
            self.warnings = list(error.data["warnings"])
            self.decide = {name: error.data[name] for name in ("ident", "ending") if name in error.data}
        elif isinstance(error, EntryMismatch) and self.state is not None:
            self.form.add_error(None, differs_in_words(self.state, error))
        else:
            asks_why = error.code == "reason-needed" and "reason" in self.form.fields
            self.form.add_error("reason" if asks_why else None, error.message)
        return True


# --- JSON requests ---------------------------------------------------------------------------------------------------


def json_view(answer: Answer) -> Answer:
    """Make a view answer every refusal with {"ok": false, "errors": [{code, path, message}]}."""

    @wraps(answer)
    def refusing(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        try:
            return answer(request, *args, **kwargs)
        except BadLine as error:
            return _refusal_response(error.data["problems"], error.http_status)
        except BadCase as error:
            return _refusal_response(error.problems, 422)
        except DomainError as error:
            return _refusal_response([Problem(error.code, "", error.message)], error.http_status)

    protected = csrf_protect(refusing)

    @wraps(answer)
    def by_token_or_session(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
        by_session = request.user.is_authenticated and not _bearer_token(request)
        # Without a session there is no CSRF check, so a stranger gets the refusal as JSON.
        checked = protected if by_session else refusing
        return checked(request, *args, **kwargs)

    return cast(Answer, csrf_exempt(by_token_or_session))


def require_actor(request: HttpRequest) -> Actor:
    token = _bearer_token(request)
    if token:
        return player(load_entrant(token))
    if request.user.is_authenticated:
        return acting_staff(request)
    raise NotAllowed(
        "who-are-you", gettext("Send the header “Authorization: Bearer …” with an entrant's private token, or sign in.")
    )


def require_key(request: HttpRequest) -> str:
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key or len(key) > 100:
        raise DomainError(
            "key-needed",
            gettext("Send a header Idempotency-Key of up to 100 characters, a new one for every new write."),
        )
    return key


@contextmanager
def read_fields(request: HttpRequest) -> Iterator[Fields]:
    """Yield the fields of the body. Read each once inside the block. At its end all problems are refused together."""
    problems = Problems()
    fields = Fields(_read_body(request), problems)
    yield fields
    fields.finish()
    problems.check()


def _read_body(request: HttpRequest) -> dict[str, Any]:
    """Return the body as one strict JSON object."""
    if int(request.headers.get("Content-Length") or 0) > LARGEST_BODY:
        raise DomainError("too-long", gettext("The body is too long for a score card."))
    try:
        return parse_case(request.body)
    except RawPostDataException:  # it was a form, and the CSRF check has already read it
        raise DomainError("not-json", gettext("Send JSON, with the content type application/json.")) from None


def _bearer_token(request: HttpRequest) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _refusal_response(problems: list[Problem], status: int) -> JsonResponse:
    errors = [{"code": p.code, "path": p.path, "message": p.message} for p in problems]
    return JsonResponse({"ok": False, "errors": errors}, status=status)
