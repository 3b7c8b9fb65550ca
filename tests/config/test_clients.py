"""Whom limits count: the peer, or behind trusted proxies the address that they name."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import RequestFactory

from config.front.clients import RealClientMiddleware, client_address, read_proxies

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
    settings.TRUSTED_PROXIES = read_proxies(trusted)
    assert client_address(peer, forwarded) == client


def test_pages_see_the_client(settings: Any) -> None:
    settings.TRUSTED_PROXIES = read_proxies([PROXY])
    request = RequestFactory().get("/", REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR="203.0.113.9")
    RealClientMiddleware(lambda _request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == "203.0.113.9"


def test_pages_see_who_comes_by_ipv4_without_any_proxy(settings: Any) -> None:
    """The limits of pages take the network of an address of IPv6, too."""
    settings.TRUSTED_PROXIES = read_proxies([])
    request = RequestFactory().get("/", REMOTE_ADDR="::ffff:192.0.2.7")
    RealClientMiddleware(lambda _request: HttpResponse())(request)
    assert request.META["REMOTE_ADDR"] == "192.0.2.7"


def test_a_wrong_setting_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXIES is a number or a list of addresses"):
        read_proxies(["caddy"])
