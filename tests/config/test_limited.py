"""Anyone who asks too often is told so, in the frame of the site, and when to try again."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/accounts/password/reset/", {"email": "nobody@example.org"}),
        ("/accounts/login/", {"login": "nobody@example.org", "password": "x"}),
        ("/accounts/signup/", {"email": "nobody@example.org", "password1": "x"}),
    ],
)
def test_an_account_page_says_that_it_was_too_often(path: str, sent: dict[str, str], settings: Any) -> None:
    settings.MAIL_IS_SET = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    cache.clear()
    client = Client(REMOTE_ADDR="192.0.2.4")
    answers = [client.post(path, sent) for _ in range(40)]
    limited = [answer for answer in answers if answer.status_code == 429]
    if limited:
        assert limited[0]["Retry-After"] == "300"
        page = limited[0].content.decode()
        assert "Wait five minutes, then try again." in page and "site.css" in page
    else:
        assert "Too many failed login attempts" in answers[-1].content.decode()
    assert all(answer.status_code != 302 for answer in answers[-5:])
    assert Client(REMOTE_ADDR="192.0.2.5").get("/accounts/login/").status_code == 200
