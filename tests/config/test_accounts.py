"""Test that staff can sign in and out on a laptop without mail: by a link, a password, and printed codes."""

from __future__ import annotations

import html
import re
import time

import pytest
import time_machine
from allauth.mfa.totp.internal import auth
from django.test import Client
from django.utils import timezone

from tests.factories import a_user
from tests.prebuilt import prebuilt
from tournament.models import User
from tournament.setup.services.sign_in import make_sign_in_link

pytestmark = pytest.mark.django_db
PASSWORD = "brass-felt-ivory-1"


def signed_in_by_link(user: User) -> Client:
    client = Client()
    client.post(f"/sign-in/{make_sign_in_link(user, goes_to='/desk/')}/")
    return client


@prebuilt
def without_password() -> User:
    user = a_user()
    user.set_unusable_password()
    user.save()
    return user


def page_at(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code, answer.headers.get("Location"))
    return html.unescape(answer.content.decode())


def test_who_has_no_password_is_told_before_signing_out() -> None:
    user = without_password()
    client = signed_in_by_link(user)
    page = page_at(client, "/accounts/logout/")
    assert "You have no password. To sign in again you need a new sign-in link" in page
    assert "/accounts/password/set/?next=/accounts/logout/" in page
    sent = {"password1": PASSWORD, "password2": PASSWORD, "next": "/accounts/logout/"}
    assert client.post("/accounts/password/set/", sent)["Location"] == "/accounts/logout/"
    page = page_at(client, "/accounts/logout/")
    assert "no password" not in page and user.email in page
    client.post("/accounts/logout/")
    assert "_auth_user_id" not in client.session
    assert client.post("/accounts/login/", {"login": user.email, "password": PASSWORD}).status_code == 302
    assert client.session["_auth_user_id"] == str(user.pk)


def test_the_second_step_is_set_up_without_mail_and_its_codes_sign_in() -> None:
    user = without_password()
    client = signed_in_by_link(user)
    page_at(client, "/accounts/email/")  # from then on its address is known, and not confirmed
    client.post("/accounts/password/set/", {"password1": PASSWORD, "password2": PASSWORD})
    client.post("/accounts/reauthenticate/?next=/accounts/2fa/totp/activate/", {"password": PASSWORD})
    page = page_at(client, "/accounts/2fa/totp/activate/")
    secret = client.session["mfa.totp.secret"]
    assert secret in page
    with time_machine.travel(timezone.now(), tick=False):
        code = auth.format_hotp_value(auth.hotp_value(secret, int(time.time() // 30)))
        answer = client.post("/accounts/2fa/totp/activate/", {"code": code})
    assert answer.status_code == 302, answer.content.decode()
    page = page_at(client, answer["Location"])
    codes = re.findall(r"<li>(\d{8})</li>", page)
    assert len(codes) == 10 and "data-print" in page
    client.post("/accounts/logout/")
    asked = client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    assert asked["Location"].startswith("/accounts/2fa/authenticate/") and "_auth_user_id" not in client.session
    assert "six-digit code" in page_at(client, asked["Location"])
    client.post(asked["Location"], {"code": codes[0]})
    assert client.session["_auth_user_id"] == str(user.pk)


def test_two_factor_pages_say_where_one_stands() -> None:
    client = signed_in_by_link(without_password())
    page = page_at(client, "/accounts/2fa/")
    assert "Set a password first" in page and "Second step" not in page
