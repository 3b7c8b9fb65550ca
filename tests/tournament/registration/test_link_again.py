from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client

from config.celery import app
from tests.factories import an_event
from tests.kit import public_url
from tournament.core import dispatch

pytestmark = pytest.mark.django_db
NOT_SENT = "Try again in a few minutes, or ask the director for your link."


@pytest.fixture
def with_broker(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Pretend that a message broker is running, and return a list that collects the names of the tasks sent to it."""
    sent: list[str] = []
    settings.REDIS_URL = "redis://there"
    monkeypatch.setattr(dispatch, "_ask_broker", lambda _command: 0)
    monkeypatch.setattr(app, "send_task", lambda name, **_more: sent.append(name))
    return sent


@pytest.fixture
def with_mail(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    cache.clear()


@pytest.fixture
def unable_to_store(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there is no message broker, and that the disk is full as soon as a task should be stored instead."""

    def fail(**_columns: Any) -> None:
        raise OperationalError("database or disk is full")

    settings.REDIS_URL = ""
    monkeypatch.setattr(dispatch.StoredTask.objects, "create", fail)


@pytest.mark.usefixtures("with_mail", "unable_to_store")
def test_a_link_that_cannot_be_sent_is_not_promised() -> None:
    event = an_event()
    path = public_url(event, "register/link/")
    answer = Client().post(path, {"email": "nobody@example.org"})
    page = answer.content.decode()
    assert (answer.status_code, NOT_SENT in page, "on its way" in page) == (409, True, False)
    assert 'value="nobody@example.org"' in page


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("with_mail", "unable_to_store")
def test_the_entrant_learns_whether_the_email_was_sent(settings: Any, with_broker: list[str]) -> None:
    event = an_event()
    for name, url in (("Ada", settings.REDIS_URL), ("Alan", "")):
        settings.REDIS_URL = url
        typed = {"name": name, "email": f"{name}@example.org", "consent": "on", "key": name}
        answer = Client().post(public_url(event, "register/"), typed, follow=True)
        page = answer.content.decode()
        assert ("on its way by email" in page) == bool(url), page
        assert ("with your link could not be sent" in page) == (not url)
    assert with_broker == ["tournament.send_confirmation"]


@pytest.mark.usefixtures("with_broker", "with_mail")
def test_only_frequent_requests_are_limited() -> None:
    event = an_event()
    path = public_url(event, "register/link/")
    answers = [Client().post(path, {"email": "nobody@example.org"}, REMOTE_ADDR="192.0.2.4") for _ in range(61)]
    assert {answer.status_code for answer in answers[:60]} == {200}
    assert answers[-1].status_code == 429
    page = answers[-1].content.decode()
    assert "Too many links have been requested from here." in page and "on its way" not in page
    other = Client().post(path, {"email": "nobody@example.org"}, REMOTE_ADDR="192.0.2.5")
    assert "on its way" in other.content.decode()
