"""A decision asked for once more on a page of its own, by name, with what happens then."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirm:
    """The question, and the button that repeats its verb and its name; `back` is where “No, go back” leads.

    `reason`: one is asked for; `typed` is what was typed already, `error` what is wrong with it.
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
    """Posted, it comes back to the same address."""
    status = 422 if confirm.error else 200
    return render(request, "confirm_page.html", {"confirm": confirm}, status=status)


def sent_fields(request: HttpRequest) -> tuple[dict[str, str], ...]:
    """Everything that was typed, to be sent along unseen with the answer."""
    sent = ((name, str(value)) for name, values in request.POST.lists() for value in values)
    return tuple({"name": name, "value": value} for name, value in sent if name != "csrfmiddlewaretoken")
