"""No page breaks if a number field contains something unusual, such as “²” or 5,000 digits."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.kit import client_as, event_url
from tests.pairing.helpers.events import an_event_in_play
from tournament.models import Event
from tournament.spreadsheets.names import parse_number

pytestmark = pytest.mark.django_db

NO_NUMBERS = ["²", "9" * 5000, "9" * 30, "1.5", "\x00", "-1", "<b>"]


@pytest.fixture(scope="module")
def _in_play(rows_of_module: None) -> int:
    return an_event_in_play(entrants=4).pk


@pytest.fixture
def event(_in_play: int) -> Event:
    return Event.objects.select_related("tournament").get(pk=_in_play)


@pytest.fixture
def director(event: Event) -> Client:
    return client_as("director", event)


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_anything_but_a_number_is_none(typed: str) -> None:
    assert parse_number(typed) is None


@pytest.mark.parametrize("typed", NO_NUMBERS)
@pytest.mark.parametrize("page", ["tournament:entrants", "pairing:pairings", "pairing:bracket"])
def test_the_public_searches_for_anything(client: Client, event: Event, page: str, typed: str) -> None:
    assert client.get(event_url(page, event), {"q": typed, "me": typed}).status_code == 200


@pytest.mark.parametrize("typed", NO_NUMBERS)
@pytest.mark.parametrize(
    "page", ["tournament:desk_entrants", "tournament:desk_checkin", "pairing:desk_results", "scoring:desk_cards"]
)
def test_the_desk_searches_for_anything(director: Client, event: Event, page: str, typed: str) -> None:
    assert director.get(event_url(page, event), {"q": typed}).status_code == 200


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_an_unknown_table_is_reported(director: Client, event: Event, typed: str) -> None:
    answer = director.get(event_url("scoring:desk_card", event), {"table": typed})
    assert answer.status_code == 200
    assert "Enter a table number." in answer.content.decode()


@pytest.mark.parametrize("typed", NO_NUMBERS)
def test_forms_with_odd_numbers_are_refused_without_an_error(director: Client, event: Event, typed: str) -> None:
    tournament: Any = {"tournament": event.tournament.slug}
    sent = [
        (reverse("tournament:desk_twins", kwargs=tournament), {"pair": f"{typed} 1", "kept": typed}),
        (reverse("tournament:desk_staff", kwargs=tournament), {"act": "take", "role": typed}),
        (event_url("tournament:approve_marked", event), {"number": typed, "role": "director"}),
        (event_url("tournament:desk_arrived", event), {"number": typed}),
        (event_url("tournament:desk_prizes", event), {"entrant": typed, "method": "cash", "key": "k"}),
        *[
            (event_url("pairing:desk_draw", event), {"act": act, "number": typed, "pair": typed})
            for act in ("keep", "together")
        ],
    ]
    assert [url for url, data in sent if director.post(url, data).status_code >= 500] == []


def test_a_number_finds_its_entry(client: Client, event: Event) -> None:
    page = client.get(event_url("tournament:entrants", event), {"q": " 3 "})
    assert [row.record.number for row in page.context["table"].rows] == [3]


@pytest.mark.parametrize("rows", ["-5", "0", "1000000"])
def test_visitors_cannot_set_the_rows_per_page(client: Client, event: Event, rows: str) -> None:
    for page in ("tournament:entrants", "pairing:pairings", "pairing:standings"):
        answer = client.get(event_url(page, event), {"per_page": rows})
        assert answer.status_code == 200
        assert answer.context["table"].page.paginator.per_page in (256, 64, 128)


def test_the_url_cannot_set_the_results_per_page(director: Client, event: Event) -> None:
    assert director.get(event_url("pairing:desk_results", event), {"per_page": "-5"}).status_code == 200


def test_one_match_is_one_match() -> None:
    event = an_event_in_play(entrants=2)
    client = client_as("director", event)
    page = client.post(event_url("pairing:desk_tables", event), {"act": "all", "first": 1, "last": 1}, follow=True)
    assert "One match has a table now." in page.content.decode()
