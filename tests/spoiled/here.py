"""The hall on a database of tests in this process: what a case wrote is taken back after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.cache import cache
from django.db import transaction
from django.template.base import Template

from tests.config.hall import Hall
from tests.spoiled.known import Known
from tests.spoiled.rows import known_of
from tests.spoiled.senders import ByClient


def known_here(hall: Hall, *roles: str) -> tuple[Known, ByClient]:
    """Forms and links as these roles see them, without any as everybody does."""
    known, sender = Known(known_of(hall)), ByClient()
    known.read_all(sender, roles)
    return known, sender


def take_back(case: Callable[[], None]) -> None:
    cache.clear()  # a limited client gets nowhere
    with transaction.atomic():
        case()
        transaction.set_rollback(True)


@contextmanager
def as_in_production() -> Iterator[None]:
    """Django's test mode keeps a copy of the context of every template."""
    kept = Template._render
    Template._render = lambda template, context: template.nodelist.render(context)  # type: ignore[method-assign]
    try:
        yield
    finally:
        Template._render = kept  # type: ignore[method-assign]
