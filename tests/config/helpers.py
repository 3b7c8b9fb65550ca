"""Requests to a real site, and the addresses of the site."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any, Final

from django.urls import get_resolver, reverse

from tests.config.hall import Hall, routes
from tests.processes import Site


def ask(site: Site, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


OF_A_LIBRARY: Final = {"key": "x", "uidb36": "x", "pk": 1}
"""Values for the parts of addresses. None of them exists."""


OF_AN_EVENT: Final = ("t/<slug:tournament>/<slug:event>/", "version/")


def asked() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Every route, of a library each as well; the public ones of an event once more for a draft."""
    for name, wanted, at in routes():
        if name.startswith("library:"):
            yield from of_library(at)
            continue
        yield name, wanted, at
        if at.startswith(OF_AN_EVENT):
            yield f"{name}@draft", wanted, at


def of_library(at: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    found: Any = next(each for each in get_resolver().url_patterns if str(each.pattern) == at)
    for name in sorted(key for key in found.reverse_dict if isinstance(key, str)):
        ((_at, wanted),) = found.reverse_dict[name][0]
        yield name, tuple(wanted), at


def address(hall: Hall, role: str, name: str, wanted: tuple[str, ...], at: str) -> str:
    if ":" in name or name == at:
        return hall.address(role, name, wanted, at)
    return reverse(name, kwargs={key: OF_A_LIBRARY[key] for key in wanted})


WRONG = {
    "DATABASE_URL": "nonsense://[",
    "REDIS_URL": "7",
    "DEBUG": "perhaps",
    "DJANGO_SETTINGS_MODULE": "no.such.module",
    "SECRET_KEY": "",
    "SITE_URL": "not an address",
    "HTTPS": "maybe",
    "VAR_DIR": "/dev/null/nowhere",
    "TIME_ZONE": "Mars/Olympus",
    "LANGUAGE_CODE": "xx-none",
    "CONN_MAX_AGE": "soon",
}
