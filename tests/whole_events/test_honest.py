"""Every kind of event, played whole with every way to sign: it verifies clean, card by card and file by file."""

from __future__ import annotations

import pytest

from scoring.models import Card
from scoring.selectors.verification import verify_event
from tests.whole_events.kinds import KINDS, Kind, play
from tournament.models import Event

pytestmark = pytest.mark.django_db

EVERY = [pytest.param(kind, rules, id=f"{name}, {rules}") for name, kind in KINDS.items() for rules in kind.rules]


def wrong(event: Event) -> list[str]:
    return [f"{check.what}: {check.found}" for check in verify_event(event) if not check.good]


@pytest.mark.parametrize(("kind", "rules"), EVERY)
def test_an_honest_event_verifies_clean(kind: Kind, rules: str) -> None:
    event = play(kind, rules)
    assert wrong(event) == []
    assert Card.objects.filter(match__event=event, postings__isnull=False).exists()
