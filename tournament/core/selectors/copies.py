"""The rules for a copy of a tournament: it sends nothing, takes no card payments, and is marked on screen and paper.

A copy is opened from a tournament's file, for looking and trying out. Its players are real people, and they must never
hear from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:  # paper is also drawn without Django's models
    from tournament.models import Tournament


def sends_email(tournament: Tournament) -> bool:
    """Return whether this tournament sends emails: email is set up on this site, and the tournament is no copy."""
    return bool(settings.MAIL_IS_SET) and not tournament.is_copy


def takes_card_payments(tournament: Tournament) -> bool:
    """Return whether players of this tournament may pay by card."""
    return "card" in tournament.providers and not tournament.is_copy


_is_output_of_copy: ContextVar[bool] = ContextVar("is_output_of_copy", default=False)


@contextmanager
def outputs_of(tournament: Tournament) -> Iterator[None]:
    """Mark all papers and files that are made in this block if the tournament is a copy.

    Views and print jobs enter this block as soon as they know their tournament. So no paper can be made without its
    mark.
    """
    token = _is_output_of_copy.set(tournament.is_copy)
    try:
        yield
    finally:
        _is_output_of_copy.reset(token)


def is_output_of_copy() -> bool:
    """Return whether papers and files that are made now belong to a copy."""
    return _is_output_of_copy.get()
