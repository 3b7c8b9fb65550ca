"""A refusal of a service is shown on the form that was sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms

from tournament.errors import DomainError


@contextmanager
def refusals_on(form: forms.BaseForm) -> Iterator[None]:
    """A refusal of a service stands on the form, and what was typed stays."""
    try:
        yield
    except DomainError as error:
        form.add_error(error.data.get("field"), error.message)
