from __future__ import annotations

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

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
