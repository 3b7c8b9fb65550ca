"""Test the host names of the site, the client addresses that rate limits count, and requests over real sockets."""

from __future__ import annotations

import io
import os
import re
import socket
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.environment import BASE_DIR
from config.front.clients import ClientAddressMiddleware, find_client_address, parse_trusted_proxies, read_site_host
from config.pages.hosts import AllowLocalAddressMiddleware
from tests.config.helpers import ask
from tests.processes import PATIENCE, Site, of_this_test
from tournament.core.selectors.addresses import is_local_machine_address

PROXY = "10.1.0.1"


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "client"),
    [
        ([], PROXY, "203.0.113.9", PROXY),  # never without the setting
        (["10.1.0.1"], PROXY, "203.0.113.9", "203.0.113.9"),
        (["10.1.0.0/16"], PROXY, "203.0.113.9, 10.1.0.2", "203.0.113.9"),
        (["10.1.0.1"], PROXY, "198.51.100.1, 203.0.113.9", "203.0.113.9"),  # what a client made up stands left
        (["10.1.0.1"], "203.0.113.5", "198.51.100.1", "203.0.113.5"),  # past the proxy
        (["10.1.0.1"], PROXY, "nonsense", PROXY),
        (["10.1.0.1"], PROXY, "", PROXY),
        (["10.1.0.0/16"], PROXY, "10.1.0.9", "10.1.0.9"),  # who asks is in the proxies' network
        (["1"], PROXY, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (["2"], PROXY, "198.51.100.1, 203.0.113.9, 192.0.2.7", "203.0.113.9"),
        (["2"], PROXY, "203.0.113.9", "203.0.113.9"),
        (["1"], PROXY, "nonsense", PROXY),
        (["1"], "", "2001:db8::7", "2001:db8::7"),  # a proxy on a Unix socket has no address
        (["2001:db8::/32"], "2001:db8::1", "2001:db9::7", "2001:db9::7"),
        ([], "::ffff:192.0.2.7", "", "192.0.2.7"),  # a socket for both kinds of address
        (["10.1.0.1"], "::ffff:10.1.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
        (["1"], "::ffff:10.1.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_client(settings: Any, trusted: list[str], peer: str, forwarded: str, client: str) -> None:
    settings.TRUSTED_PROXIES = parse_trusted_proxies(trusted)
    assert find_client_address(peer, forwarded) == client


def test_pages_see_the_client(settings: Any) -> None:
    settings.TRUSTED_PROXIES = parse_trusted_proxies([PROXY])
    request = RequestFactory().get("/", REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR="203.0.113.9")
    ClientAddressMiddleware(lambda _request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == "203.0.113.9"


def test_pages_see_who_comes_by_ipv4_without_any_proxy(settings: Any) -> None:
    """An IPv6 socket reports IPv4 addresses with an IPv6 prefix, which the middleware removes."""
    settings.TRUSTED_PROXIES = parse_trusted_proxies([])
    request = RequestFactory().get("/", REMOTE_ADDR="::ffff:192.0.2.7")
    ClientAddressMiddleware(lambda _request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == "192.0.2.7"


def test_a_wrong_setting_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES is a number or a list of addresses"):
        parse_trusted_proxies(["caddy"])


NOT_OURS = "203.0.113.77"
"""An address from a range for documentation, which no machine has."""


@pytest.fixture
def answer(settings: object) -> AllowLocalAddressMiddleware:
    settings.ALLOWED_HOSTS = ["localhost"]  # restored after the test, no matter what is learned
    return AllowLocalAddressMiddleware(lambda request: HttpResponse(request.get_host()))


def asked_by(host: str) -> HttpRequest:
    return RequestFactory().get("/", headers={"host": host})


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "127.0.0.5", "[::1]:8000", "localhost"])
def test_own_addresses_are_hosts(answer: AllowLocalAddressMiddleware, host: str) -> None:
    assert answer(asked_by(host)).content.decode() == host


@pytest.mark.parametrize("host", [NOT_OURS, "0.0.0.0", "224.0.0.1", "127.0.0.1.example.org", "example.org", "", "[::"])
def test_other_names_and_addresses_are_not(answer: AllowLocalAddressMiddleware, host: str) -> None:
    assert not is_local_machine_address(host)
    answer.get_response = lambda request: HttpResponse()
    answer(asked_by(host))
    assert settings.ALLOWED_HOSTS == ["localhost"]


def test_an_address_that_is_no_longer_ours_is_forgotten(answer: AllowLocalAddressMiddleware) -> None:
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
    assert read_site_host(site) == host


@pytest.mark.parametrize("site", ["gin.example.org", "https://", "https://example.org/gin", "ftp://example.org"])
def test_an_address_that_is_none_is_refused(site: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="SITE_URL begins with"):
        read_site_host(site)


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
    """Links in emails and prints use `find_site_url`, because a request does not know the public URL of a proxy."""
    sources = [path for app in ("tournament", "pairing", "scoring") for path in (BASE_DIR / app).rglob("*.py")]
    found = {path.name for path in sources if "build_absolute_uri" in path.read_text()}
    assert found == {"responses.py"}


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


def test_a_form_of_any_size_arrives_whole(live_site: Site) -> None:
    status, headers, page = ask(live_site, "/accounts/login/")
    assert status == 200
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    body = b"login=nobody@example.org&password=" + b"x" * 900_000 + b"&csrfmiddlewaretoken=" + token[1]
    form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": headers["set-cookie"].split(";")[0]}
    assert ask(live_site, "/accounts/login/", "POST", body, **form)[0] == 200


def test_an_address_with_letters_beyond_ascii_is_no_accident(live_site: Site) -> None:
    with socket.create_connection(("127.0.0.1", live_site.port), timeout=PATIENCE) as raw:
        raw.sendall("GET /?q=é HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert raw.recv(12) == b"HTTP/1.1 200"


def test_static_files_are_there(live_site: Site) -> None:
    status, headers, _ = ask(live_site, "/static/css/site.css")
    assert status == 200 and headers["content-type"].startswith("text/css")


def test_a_foreign_host_is_refused(live_site: Site) -> None:
    assert ask(live_site, "/", Host="evil.example")[0] == 400


def test_an_answer_half_made_when_the_test_before_ended_is_not_held_against_the_next() -> None:
    gone = (
        "ERROR django.request: Internal Server Error: /t/desert-7/singles/standings/\nTraceback\nEvent.DoesNotExist\n"
    )
    own = "ERROR django.request: Internal Server Error: /desk/desert-8/singles/\nTraceback\nEvent.DoesNotExist\n"
    row = "ERROR django.request: Internal Server Error: /t/desert-7/singles/\nTraceback\nKeyError: 3\n"
    other = "ERROR django.request: Internal Server Error: /t/desert-7/singles/\nTraceback\nKeyError: 'name'\n"
    link = "ERROR django.request: Internal Server Error: /my/~1a2b3c4d\nTraceback\nEvent.DoesNotExist\n"
    assert of_this_test(f"ready\n{gone}{own}{link}", {"desert-8"}) == f"ready\n{own}"
    assert of_this_test(link, {"~1a2b3c4d"}) == link
    assert of_this_test(gone + row + other, {"desert-8"}) == other
