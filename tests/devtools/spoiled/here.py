"""The hall on a database of tests in this process: what a case wrote is taken back after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.template.base import Template
from django.test import override_settings

from tests.config.hall import Hall
from tests.devtools.spoiled.known import Known
from tests.devtools.spoiled.rows import known_of
from tests.devtools.spoiled.senders import ByClient
from tests.devtools.spoiled.spoil import PAYMENT
from tournament.models import CardPayment

SECRET: Final = "whsec"


def known_here(hall: Hall, *roles: str) -> tuple[Known, ByClient]:
    """Forms and links as these roles see them, without any as everybody does."""
    known, sender = Known({**known_of(hall), "card_secret": SECRET}), ByClient()
    about = {"event": hall.events["open"], "entrant": hall.events["open"].entrants.get(number=9)}
    CardPayment.objects.create(ident=PAYMENT, cents=300_00, by_name="the hall", **about)
    known.read_all(sender, roles)
    return known, sender


def take_back(case: Callable[[], None]) -> None:
    cache.clear()  # a limited client gets nowhere
    with transaction.atomic():
        case()
        transaction.set_rollback(True)


@contextmanager
def as_in_production() -> Iterator[None]:
    """Django's test mode keeps a copy of the context of every template. Somebody takes cards."""
    kept = Template._render
    Template._render = lambda template, context: template.nodelist.render(context)  # type: ignore[method-assign]
    try:
        with override_settings(CARD_PROVIDER="console", CARD_WEBHOOK_SECRET=SECRET):
            yield
    finally:
        Template._render = kept  # type: ignore[method-assign]
