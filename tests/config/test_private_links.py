"""Test that only directors see private links and signing codes, and that no log contains them.

The tests request every URL of the site, so that they include new pages.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from django.test import override_settings
from django.urls import reverse
from pypdf import PdfReader

from config.environment import BASE_DIR
from config.outages import PrivateLinkFilter
from tests.chance import in_part
from tests.config.hall import Hall, routes
from tests.config.helpers import rolled_back, unzipped_text
from tournament.core.permissions import ROLES_BY_ACTION
from tournament.models import Entrant

STAFF: Final = ("hotel", "desk", "coordinator", "director")
MAY_LESS: Final = ("hotel", "desk")
"""Roles that have no permission that a coordinator lacks.

A quick run therefore requests half of all URLs as a coordinator, and a sixth of them as any other role.
"""
PRIVATE: Final = {"link": r"private-link-of-\d", "code": r"CODE\d+X"}
FORMS: Final = ({}, {"act": "print", "who": "all", "paper": "letter", "key": "k"})
"""Forms sent to every URL: an empty one, and one that prints the links."""
DIRECTORS: Final = {"tournament:desk_entrant": {"link", "code"}, "tournament:desk_links": {"link", "code"}}
"""The only URLs that show a director private links and signing codes: an entry's page, and the slips to print."""


@pytest.fixture(scope="module")
def hall(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")):
        made = Hall()
        for entrant in Entrant.objects.filter(event__in=made.events.values()):
            entrant.token, entrant.sign_code = f"private-link-of-{entrant.pk}", f"CODE{entrant.pk}X"
            entrant.save(update_fields=["token", "sign_code"])
        yield made


def text_of(content: bytes) -> str:
    if content.startswith(b"%PDF-") and b"%%EOF" in content:
        return "".join("".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(content)).pages)
    return unzipped_text(content)


def shown_to(hall: Hall, role: str) -> dict[str, set[str]]:
    """Return which kinds of private data each URL shows to this role (“link”, “code”, or both), keyed by URL name."""
    found: dict[str, set[str]] = {}
    for number, (name, wanted, at) in enumerate(routes()):
        if name.startswith("library:") or name.endswith((":registered", ":sign_in")):
            continue
        if name not in DIRECTORS and not in_part(number, 2 if role == "coordinator" else 6):
            continue
        url = hall.address(role, name, wanted, at)
        shown = found.setdefault(name, set())
        for query in ("?_export=csv", "") if at.startswith("desk/") else ("",):
            kind, private = ask(hall, role, url + query)
            shown |= private
            if kind.startswith("text/html"):
                break  # nothing to export: the page is the same without the query
        for form in FORMS:
            shown |= ask(hall, role, url, form)[1]
    return {name: what for name, what in found.items() if what}


def ask(hall: Hall, role: str, url: str, form: dict[str, str] | None = None) -> tuple[str, set[str]]:
    """Request a URL, and return the response's content type and the private data in it (“link”, “code”, or both)."""
    client = hall.clients[role]
    with rolled_back(client):
        answer = client.get(url, follow=True) if form is None else client.post(url, form, follow=True)
        text = text_of(b"".join(answer) if answer.streaming else answer.content)
    shown = {kind for kind, pattern in PRIVATE.items() if re.search(pattern, text)}
    return answer.headers.get("Content-Type", ""), shown


@pytest.mark.django_db
@pytest.mark.parametrize("role", STAFF)
def test_only_directors_see_them_and_where(hall: Hall, role: str) -> None:
    found = shown_to(hall, role)
    assert ROLES_BY_ACTION["links"] == {"director"}
    assert all("coordinator" in roles for roles in ROLES_BY_ACTION.values() if roles & set(MAY_LESS))
    assert found == (DIRECTORS if role == "director" else {})


# --- Logs ----------------------------------------------------------------------------------------------------------

PUBLIC: Final = ("api/cards/", "c/", "t/<slug:tournament>/<slug:event>/card/", "desk/", "verify/")
"""Beginnings of URLs without secrets. A string in such a URL only names a public card, or is a digest."""


def private_addresses() -> list[str]:
    own = [at for _name, _wanted, at in routes() if "<str:" in at and not at.startswith(PUBLIC)]
    by_mail = [reverse("account_reset_password_from_key", kwargs={"uidb36": "1", "key": "SECRET"})]
    return [*by_mail, *("/" + re.sub("<[^>]+>", lambda part: "SECRET" if "str:" in part[0] else "1", at) for at in own)]


def logged_by_nginx(path: str) -> str:
    """Return the path as the `map` in the example nginx configuration logs it."""
    rules = re.findall(r'^ +"~(\^.+?)" +"\$place', (BASE_DIR / "docs/running/nginx.conf").read_text(), re.MULTILINE)
    found = [match["place"] for rule in rules if (match := re.match(rule.replace("(?<", "(?P<"), path))]
    return f"{found[0]}***" if found else path


def logged_by_caddy(path: str) -> str:
    rule = re.search(r'request>uri regexp "(.+)" "\$\{1\}', (BASE_DIR / "docs/running/Caddyfile").read_text())
    assert rule is not None
    return re.sub(rule[1], r"\1***", path)


def logged_by_the_program(path: str) -> str:
    record = logging.LogRecord("django.request", logging.ERROR, "", 0, "%s: %s", ("Server Error", path), None)
    assert PrivateLinkFilter().filter(record)
    return record.getMessage().removeprefix("Server Error: ")


@pytest.mark.parametrize("logged", [logged_by_nginx, logged_by_caddy, logged_by_the_program])
def test_no_log_has_a_private_link(logged: Callable[[str], str]) -> None:
    addresses = private_addresses()
    assert {address.split("/")[1] for address in addresses} == {"my", "sign-in", "first-start", "t", "accounts"}
    assert [address for address in addresses if "SECRET" in logged(address)] == []
    assert logged("/t/open/singles/bracket/") == "/t/open/singles/bracket/"
