"""The way from the socket to a page and back, which Django's own test client does not go."""

from __future__ import annotations

import re
import socket

import pytest

from tests.config.helpers import ask
from tests.processes import Site, of_this_test

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_form_of_any_size_arrives_whole(live_site: Site) -> None:
    status, headers, page = ask(live_site, "GET", "/accounts/login/")
    assert status == 200
    token = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    body = b"login=nobody@example.org&password=" + b"x" * 900_000 + b"&csrfmiddlewaretoken=" + token[1]
    form = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": headers["set-cookie"].split(";")[0]}
    assert ask(live_site, "POST", "/accounts/login/", body, **form)[0] == 200


def test_an_address_with_letters_beyond_ascii_is_no_accident(live_site: Site) -> None:
    with socket.create_connection(("127.0.0.1", live_site.port), timeout=10) as raw:
        raw.sendall("GET /?q=é HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert raw.recv(12) == b"HTTP/1.1 200"


def test_static_files_are_there(live_site: Site) -> None:
    status, headers, _ = ask(live_site, "GET", "/static/css/site.css")
    assert status == 200 and headers["content-type"].startswith("text/css")


def test_a_foreign_host_is_refused(live_site: Site) -> None:
    assert ask(live_site, "GET", "/", Host="evil.example")[0] == 400


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
