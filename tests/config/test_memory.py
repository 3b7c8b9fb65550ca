"""Test public pages from the cache on the real site: they are the same for everybody, and never outdated."""

from __future__ import annotations

import gzip
import threading

import brotli
import pytest
from django.test import Client

from config.front.memory import SUPPORTED_VARY_HEADERS
from scoring.models import Card
from tests.config.helpers import ask, rename_event
from tests.factories import a_user
from tests.kit import public_url
from tests.processes import Site, until
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play, the_card
from tournament.core.topics import EVERYBODY_TOPIC, save_topic_versions
from tournament.models import Event


@pytest.fixture
def event(live_site: Site) -> Event:
    event = an_event_in_play(("Ada", "Alan"), target=900)
    cut_for(the_card(event))
    return event


def test_everybody_gets_the_same_bytes_compressed_or_not(live_site: Site, event: Event) -> None:
    status, told, plain = ask(live_site, public_url(event, "bracket/"))
    again = ask(live_site, public_url(event, "bracket/"))
    assert (status, again[0], again[2]) == (200, 200, plain)
    assert "x-kept" not in told
    assert again[1]["content-security-policy"] == told["content-security-policy"]
    for coding, decompress in (("gzip", gzip.decompress), ("br", brotli.decompress)):
        small = ask(live_site, public_url(event, "bracket/"), accept_encoding=f"deflate, {coding}")
        assert (small[1]["content-encoding"], small[1]["etag"]) == (coding, told["etag"])
        assert "Accept-Encoding" in small[1]["vary"] and "Accept-Encoding" in told["vary"]
        assert decompress(small[2]) == plain
    refused = ask(live_site, public_url(event, "bracket/"), accept_encoding="br;q=0, gzip;q=0")
    assert "content-encoding" not in refused[1] and refused[2] == plain
    assert ask(live_site, public_url(event, "bracket/"), "HEAD")[2] == b""
    unchanged = ask(live_site, public_url(event, "bracket/"), if_none_match=told["etag"])
    assert (unchanged[0], unchanged[2]) == (304, b"")


def test_a_write_that_was_acknowledged_is_on_the_next_page(live_site: Site, event: Event) -> None:
    for turn in range(30):
        ask(live_site, public_url(event, "bracket/"))
        rename_event(event, f"Name {turn}.")
        assert f"Name {turn}.".encode() in ask(live_site, public_url(event, "bracket/"))[2]


def test_no_reader_is_ever_behind_while_somebody_writes(live_site: Site, event: Event) -> None:
    """Each page is at least as new as the last write that was acknowledged before the request."""
    acknowledged, behind, stop = [0], [], threading.Event()

    def read() -> None:
        while not stop.is_set():
            known = acknowledged[0]
            body = ask(live_site, public_url(event, "bracket/"))[2].decode()
            shown = int(body.split("Turn ")[1].split(".")[0]) if "Turn " in body else 0
            if shown < known:
                behind.append((shown, known))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for turn in range(1, 60):
        rename_event(event, f"Turn {turn}.")
        acknowledged[0] = turn
    stop.set()
    for reader in readers:
        reader.join()
    assert behind == []


def test_a_hand_leaves_the_bracket_where_it_is(live_site: Site, event: Event) -> None:
    card: Card = the_card(event)
    play(card, gin("A", 20, "8H"))
    etag = ask(live_site, public_url(event, "bracket/"))[1]["etag"]
    play(card, gin("B", 21, "9H"))
    assert ask(live_site, public_url(event, "bracket/"))[1]["etag"] == etag


def test_who_is_signed_in_or_is_told_something_gets_a_page_of_their_own(live_site: Site, event: Event) -> None:
    ask(live_site, public_url(event, "bracket/"))
    assert ask(live_site, public_url(event, "bracket/"))[1]["etag"].startswith("W/")
    for cookie in ("signed_in=1", "messages=x", "a=b; signed_in=1"):
        assert not ask(live_site, public_url(event, "bracket/"), cookie=cookie)[1].get("etag", "").startswith("W/")


def test_whose_page_is_their_own_does_not_spoil_the_address_for_others(live_site: Site, event: Event) -> None:
    """Browsers may format the Cookie header differently, or send a session cookie without the cookie `signed_in`."""
    client = Client()
    client.force_login(a_user())
    session = f"sessionid={client.cookies['sessionid'].value}"
    for number, cookie in enumerate(("a=b;messages=x", "messages =x", session)):
        address = f"{public_url(event, 'bracket/')}?{number}"
        assert ask(live_site, address, cookie=cookie)[0] == 200
        for _reader in range(2):
            assert ask(live_site, address)[1]["etag"].startswith("W/"), cookie


@pytest.mark.parametrize("page", ["", "bracket/", "pairings/", "standings/", "prizes/", "draw/", "rules/", "wall/"])
def test_a_page_that_is_kept_varies_only_by_what_its_address_has(live_site: Site, event: Event, page: str) -> None:
    _status, headers, _body = ask(live_site, public_url(event, page))
    assert {name.strip().lower().encode() for name in headers["vary"].split(",")} <= SUPPORTED_VARY_HEADERS


def test_a_mark_that_was_lost_is_waited_for_no_longer_than_ten_seconds(live_site: Site, event: Event) -> None:
    """A process can die after its commit, before it has marked the cached page as outdated."""
    ask(live_site, public_url(event, "bracket/"))
    event.refresh_from_db()
    Event.objects.filter(pk=event.pk).update(name="Kept", version=event.version + 1)
    save_topic_versions(event, frozenset({EVERYBODY_TOPIC}), event.version + 1)
    assert b"Kept" not in ask(live_site, public_url(event, "bracket/"))[2]
    until(lambda: b"Kept" in ask(live_site, public_url(event, "bracket/"))[2])
