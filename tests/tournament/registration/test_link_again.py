"""A private link asked for again."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from tests.factories import an_event

pytestmark = pytest.mark.django_db


def test_who_asks_too_often_is_told_so_and_nobody_else(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    cache.clear()
    event = an_event()
    path = f"/t/{event.tournament.slug}/{event.slug}/register/link/"
    answers = [Client().post(path, {"email": "nobody@example.org"}, REMOTE_ADDR="192.0.2.4") for _ in range(61)]
    assert {answer.status_code for answer in answers[:60]} == {200}
    assert answers[-1].status_code == 429
    page = answers[-1].content.decode()
    assert "Too many links were asked for from here." in page and "on its way" not in page
    other = Client().post(path, {"email": "nobody@example.org"}, REMOTE_ADDR="192.0.2.5")
    assert "on its way" in other.content.decode()
