"""The site can be installed as an app on a phone, and its service worker opens cards without a network."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from tests.scoring.helpers.playing import an_event_in_play, the_card

pytestmark = pytest.mark.django_db


def test_a_player_installs_their_own_match() -> None:
    ada = the_card(an_event_in_play()).entrants[0]
    page = Client().get(f"/my/{ada.token}/card/{the_card(ada.event).token}/").content.decode()
    assert f'href="/my/{ada.token}/app.webmanifest"' in page
    app = Client().get(f"/my/{ada.token}/app.webmanifest").json()
    assert (app["start_url"], app["display"]) == (f"/my/{ada.token}/match/", "standalone")
    assert Client().get("/app.webmanifest").json()["start_url"] == "/"


def test_every_icon_has_the_size_it_is_said_to_have() -> None:
    app = Client().get("/app.webmanifest").json()
    assert {icon["purpose"] for icon in app["icons"]} == {"any", "maskable"}
    for icon in app["icons"]:
        found = finders.find(icon["src"].removeprefix("/static/"))
        assert isinstance(found, str)
        width, height = struct.unpack(">II", Path(found).read_bytes()[16:24])
        assert icon["sizes"] == f"{width}x{height}"


def test_the_worker_may_serve_the_whole_site_and_is_never_kept() -> None:
    answer = Client().get("/sw.js")
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"
    assert "worker-src 'self'" in answer["Content-Security-Policy"]
    assert b"/offline/" in answer.content and Client().get("/offline/").status_code == 200


def test_a_page_that_is_only_kept_leaves_what_is_said_once_for_the_page_that_is_read() -> None:
    card = the_card(an_event_in_play())
    phone, page = Client(), f"/my/{card.entrants[0].token}/card/{card.token}/"
    phone.post(f"{page}call/", {"key": "one"})
    said = "The director is called to your table."
    kept = phone.get(page, headers={"X-Keep": "1"}).content.decode()
    assert said not in kept
    assert 'id="messages"' in kept
    assert said in phone.get(page).content.decode()
    assert said not in phone.get(page).content.decode()
