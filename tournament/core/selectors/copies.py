"""The rules for a copy of a tournament: it sends nothing, takes no card payments, and is marked on screen and paper.

A copy is opened from a tournament's file, to look at it or to try things out. Its players are real people, who must
never receive anything from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:  # PDFs are also drawn without Django's models
    from tournament.models import Tournament


def sends_email(tournament: Tournament) -> bool:
    """Return whether this tournament sends emails. A copy never does, and the site must be set up for email."""
    return bool(settings.MAIL_IS_SET) and not tournament.is_copy


def takes_card_payments(tournament: Tournament) -> bool:
    """Return whether players of this tournament may pay by card."""
    return "card" in tournament.providers and not tournament.is_copy


_is_output_of_copy: ContextVar[bool] = ContextVar("is_output_of_copy", default=False)


@contextmanager
def mark_files_of_copy(tournament: Tournament) -> Iterator[None]:
    """If the tournament is a copy, mark all PDFs and files that are made in this block.

    Views and print jobs enter this block as soon as they know their tournament. Therefore, nothing is printed without
    the mark.
    """
    token = _is_output_of_copy.set(tournament.is_copy)
    try:
        yield
    finally:
        _is_output_of_copy.reset(token)


def is_output_of_copy() -> bool:
    """Return whether the PDFs and files that are being made belong to a copy."""
    return _is_output_of_copy.get()
