"""Test that browsers and proxies may cache public pages, but never a page for one reader."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import resolve

from pairing import urls as pairing
from scoring import urls as scoring
from tests.config.hall import Hall
from tests.config.helpers import all_routes, rolled_back, url_for
from tournament import urls as tournament
from tournament.core.middleware import SIGNED_IN_COOKIE

FOR_EVERYBODY = {pattern.callback for app in (tournament, pairing, scoring) for pattern in app.PUBLIC_URLS}
NOT_PERSONAL = {"scoring:ready_paper": "the picture of an empty score card"}
"""URLs that show nothing personal although `PUBLIC_URLS` does not contain them, each with the reason."""
OWN_AMONG_PUBLIC = {
    "tournament:sign_in": "what it shows belongs to whoever has the link",
    "tournament:first_start": "it makes whoever has the link the administrator",
}
"""URLs that `PUBLIC_URLS` contains although their pages are for one reader, each with the reason."""


def kept_by(client: Client, hall: Hall, role: str, *, own: bool) -> dict[str, str]:
    """Request all personal pages, or all public pages with `own=False`.

    Return their Cache-Control headers, keyed by URL name.
    """
    found = {}
    cache.clear()
    for name, wanted, at in all_routes():
        url = url_for(hall, role, name, wanted, at)
        is_own = resolve(url).func not in FOR_EVERYBODY or name in OWN_AMONG_PUBLIC
        if is_own == own and name not in NOT_PERSONAL:
            with rolled_back(client):
                found[name] = client.get(url).headers.get("Cache-Control", "")
    assert len(found) > 30
    return found


def may_be_kept(found: dict[str, str]) -> dict[str, str]:
    return {name: said for name, said in found.items() if not {"private", "no-store"} <= set(said.split(", "))}


@pytest.mark.sample("own pages", 2)
@pytest.mark.django_db
@pytest.mark.parametrize("role", ["anybody", "player", "director"])
def test_no_page_of_one_reader_is_kept(hall: Hall, role: str) -> None:
    assert may_be_kept(kept_by(hall.clients[role], hall, role, own=True)) == {}


@pytest.mark.django_db
def test_pages_for_everybody_say_what_they_said(hall: Hall, settings: Any) -> None:
    after = kept_by(hall.clients["anybody"], hall, "anybody", own=False)
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if not each.endswith("PrivatePagesMiddleware")]
    assert kept_by(Client(), hall, "anybody", own=False) == after
    assert "no-cache" in after.values() and "" in after.values()


@pytest.mark.django_db
def test_public_pages_of_somebody_who_is_signed_in_are_theirs(hall: Hall) -> None:
    client = hall.clients["director"]
    client.cookies[SIGNED_IN_COOKIE] = "1"
    found = may_be_kept(kept_by(client, hall, "director", own=False))
    assert set(found.values()) == {"no-cache"}, found


@pytest.mark.django_db
def test_the_answer_to_a_form_stays_in_the_history_of_the_browser_alone(hall: Hall) -> None:
    client, of_staff = hall.clients["director"], f"/desk/{hall.events['singles'].tournament.slug}/staff/"
    refused = client.post(of_staff, {"act": "grant", "name": "Dora", "email": "no address", "role": "desk"})
    assert (refused.status_code, refused["Cache-Control"]) == (422, "private, no-cache")
    link = client.post(f"{of_staff}{hall.places['newcomer']}/link/")
    assert (link.status_code, link["Cache-Control"]) == (200, "private, no-store")
