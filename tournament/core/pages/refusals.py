"""Show the refusal of a service on the submitted form, or as a message on the next page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from tournament.errors import DomainError


@contextmanager
def refusals_on(form: forms.BaseForm) -> Iterator[None]:
    """Add a refusal raised in the block to the form's errors, so that the input is not lost."""
    try:
        yield
    except DomainError as error:
        form.add_error(error.data.get("field"), error.message)


def told(request: HttpRequest, act: Callable[[], str | None]) -> bool:
    """Run the act and flash its message or its refusal. Return whether it was done.

    An act that returns None is not done yet.
    """
    try:
        said = act()
    except DomainError as error:
        messages.error(request, error.message)
        return False
    if said is not None:
        messages.success(request, said)
    return said is not None
