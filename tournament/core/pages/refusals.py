"""A refusal of a service is shown on the form that was sent, or told on the next page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from tournament.errors import DomainError


@contextmanager
def refusals_on(form: forms.BaseForm) -> Iterator[None]:
    """A refusal of a service stands on the form, and what was typed stays."""
    try:
        yield
    except DomainError as error:
        form.add_error(error.data.get("field"), error.message)


def told(request: HttpRequest, act: Callable[[], str | None]) -> bool:
    """Whether the act was done: the next page says what it says, or why it was refused; None is not done yet."""
    try:
        said = act()
    except DomainError as error:
        messages.error(request, error.message)
        return False
    if said is not None:
        messages.success(request, said)
    return said is not None
