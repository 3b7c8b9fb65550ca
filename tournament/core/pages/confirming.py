"""Pages that ask for a confirmation, and tell what the decision will do."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """The question of a confirming page, and the label of its button. `back` is the address of “No, go back”.

    If `reason` is true, the page asks for one. `typed` is the reason so far, and `error` is what is wrong with it.
    """

    title: str
    label: str
    back: str
    text: str = ""
    happens: tuple[str, ...] = ()
    danger: bool = False
    reason: bool = False
    typed: str = ""
    error: str = ""
    key: str = ""
    fields: tuple[dict[str, str], ...] = ()


def ask_once(request: HttpRequest, confirm: Confirm) -> HttpResponse:
    """Render the confirming page. Its form is posted to the same address."""
    status = 422 if confirm.error else 200
    return render(request, "confirm_page.html", {"confirm": confirm}, status=status)


def sent_fields(request: HttpRequest) -> tuple[dict[str, str], ...]:
    """Return all fields of the request, to be sent again as hidden fields of the confirming page."""
    sent = ((name, str(value)) for name, values in request.POST.lists() for value in values)
    return tuple({"name": name, "value": value} for name, value in sent if name != "csrfmiddlewaretoken")
