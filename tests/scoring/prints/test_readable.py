"""A poster whose names would be too small to read needs a confirmation. The chosen paper size is remembered."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader

from tests.factories import an_entrant
from tests.kit import client_as, event_url
from tests.pairing.helpers.events import an_event_in_play

pytestmark = pytest.mark.django_db

WARNED = "too small to read"
POSTER = {"kind": "bracket-poster", "paper": "letter"}


def test_a_poster_of_128_is_refused_with_tiles_chosen_and_printed_when_asked_again() -> None:
    event = an_event_in_play(128)
    client = client_as("desk", event)
    assert WARNED in client.get(event_url("scoring:desk_prints", event)).content.decode()
    answer = client.post(event_url("scoring:desk_prints", event), POSTER)
    page = answer.content.decode()
    assert (answer.status_code, event.jobs.count()) == (200, 0)
    assert "Tiled pages are chosen instead" in page
    assert '<option value="bracket-tiles" selected>' in page
    client.post(event_url("scoring:desk_prints", event), POSTER | {"small": "on"})
    assert event.jobs.get().kind == "bracket-poster"


def test_a_poster_that_can_be_read_is_printed_at_once() -> None:
    event = an_event_in_play(16)
    client = client_as("desk", event)
    assert WARNED not in client.get(event_url("scoring:desk_prints", event)).content.decode()
    client.post(event_url("scoring:desk_prints", event), POSTER)
    assert event.jobs.get().kind == "bracket-poster"


def test_the_paper_that_was_printed_on_last_is_proposed_and_taken_for_receipts() -> None:
    event = an_event_in_play(4)
    client, number = client_as("desk", event), an_entrant(event).number
    client.post(event_url("scoring:desk_prints", event), {"kind": "table-signs", "paper": "a4", "count": "1"})
    assert (
        client.get(event_url("scoring:desk_prints", event)).content.decode().count('<option value="a4" selected>') == 2
    )
    receipt = client.get(event_url("tournament:receipt", event, number=number))
    assert round(float(PdfReader(io.BytesIO(receipt.content)).pages[0].mediabox.width)) == 595
