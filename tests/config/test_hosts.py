from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.environment import BASE_DIR
from config.front.clients import host_in
from config.pages.hosts import OwnAddressMiddleware, is_own_address

NOT_OURS = "203.0.113.77"
"""From a documentation range: no machine has it."""


@pytest.fixture
def answer(settings: object) -> OwnAddressMiddleware:
    settings.ALLOWED_HOSTS = ["localhost"]  # restored after the test, no matter what is learned
    return OwnAddressMiddleware(lambda request: HttpResponse(request.get_host()))


def asked_by(host: str) -> HttpRequest:
    return RequestFactory().get("/", headers={"host": host})


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.0.0.5", "[::1]:8000", "localhost"])
def test_own_addresses_are_hosts(answer: OwnAddressMiddleware, host: str) -> None:
    assert answer(asked_by(host)).content.decode() == host


@pytest.mark.parametrize("host", [NOT_OURS, "0.0.0.0", "224.0.0.1", "127.0.0.1.example.org", "example.org", "", "[::"])
def test_other_names_and_addresses_are_not(answer: OwnAddressMiddleware, host: str) -> None:
    assert not is_own_address(host)
    answer.get_response = lambda request: HttpResponse()
    answer(asked_by(host))
    assert settings.ALLOWED_HOSTS == ["localhost"]


def test_an_address_that_is_no_longer_ours_is_forgotten(answer: OwnAddressMiddleware) -> None:
    settings.ALLOWED_HOSTS = ["localhost", NOT_OURS]
    answer.learned.add(NOT_OURS)
    answer.get_response = lambda request: HttpResponse()
    answer(asked_by(NOT_OURS))
    assert settings.ALLOWED_HOSTS == ["localhost"]


def test_a_foreign_host_is_refused_by_the_site(client: Client) -> None:
    assert client.get("/accounts/login/", headers={"host": "evil.example"}).status_code == 400


# --- Behind a proxy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("site", "host"),
    [
        ("https://gin.example.org", "gin.example.org"),
        ("https://Gin.example.org:8443", "gin.example.org"),
        ("http://[2001:db8::7]:8000", "[2001:db8::7]"),
    ],
)
def test_the_host_of_the_site_is_read_without_its_port(site: str, host: str) -> None:
    assert host_in(site) == host


@pytest.mark.parametrize("site", ["gin.example.org", "https://", "https://example.org/gin", "ftp://example.org"])
def test_an_address_that_is_none_is_refused(site: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SITE_URL begins with"):
        host_in(site)


def test_the_site_itself_is_allowed_and_its_forms_are_accepted() -> None:
    ask = "from config import settings; print(settings.ALLOWED_HOSTS[-1], settings.CSRF_TRUSTED_ORIGINS)"
    environment = {**os.environ, "SITE_URL": "https://gin.example.org:8443/"}
    environment.pop("CSRF_TRUSTED_ORIGINS", None)
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split(maxsplit=1) == ["gin.example.org", "['https://gin.example.org:8443']\n"]


@pytest.mark.django_db
def test_a_link_that_is_printed_in_the_terminal_begins_with_the_site(settings: object) -> None:
    settings.SITE_URL = "https://gin.example.org:8443"
    out = io.StringIO()
    call_command("sign_in_link", "ada@example.org", stdout=out)
    assert out.getvalue().startswith("https://gin.example.org:8443/sign-in/")


def test_every_link_that_is_read_elsewhere_begins_with_the_site() -> None:
    """Only `site_of` makes them, because a request does not know the address of a proxy before it."""
    sources = [path for app in ("tournament", "pairing", "scoring") for path in (BASE_DIR / app).rglob("*.py")]
    found = {path.name for path in sources if "build_absolute_uri" in path.read_text()}
    assert found == {"responses.py"}
