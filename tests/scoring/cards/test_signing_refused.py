"""A forbidden signature is refused on the private link, on the table's card, at the desk, and by JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card, CardVersion, Signature
from tests.factories import a_user
from tests.kit import client_as, event_url
from tests.scoring.helpers.playing import an_event_in_play, gin, play_out, sign, sign_both, the_card, the_director
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db

Send = Callable[..., Any]
STROKES = [[[i * 10, 50, i] for i in range(20)]]


@pytest.fixture(scope="module")
def event(rows_of_module: None) -> Event:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    card = the_card(event)
    play_out(card)
    Entrant.objects.filter(pk=card.entrants[1].pk).update(sign_code="654321")
    return event


@pytest.fixture
def card(event: Event) -> Card:
    return the_card(event)


def by_link(card: Card, who: Entrant, digest: str, **more: Any) -> Any:
    url = reverse("scoring:my_sign", kwargs={"token": who.token, "card": card.token})
    return Client().post(url, {"digest": digest, "key": "k", "strokes": json.dumps(STROKES), **more})


def at_the_table(card: Card, who: Entrant, digest: str, **more: Any) -> Any:
    """Enter the player's code on the card that the table shares, sign there, and return the response.

    A player of another card is already refused at the code.
    """
    client = Client()
    opened = client.post(f"/c/{card.token}/", {"who": who.pk, "code": who.sign_code})
    if opened.status_code == 422:
        return opened
    return client.post(f"/c/{card.token}/sign/", {"digest": digest, "key": "k", "strokes": json.dumps(STROKES), **more})


def by_json(card: Card, who: Entrant, digest: str, **more: Any) -> Any:
    body = {"digest": digest, "code": more.pop("code", who.sign_code), **more}
    headers = {"Authorization": f"Bearer {who.token}", "Idempotency-Key": "k"}
    url = f"/api/cards/{card.token}/signatures"
    return Client().post(url, json.dumps(body), content_type="application/json", headers=headers)


def at_the_desk(card: Card, who: Entrant, digest: str, **more: Any) -> Any:
    """Record a signature on paper as a member of staff, and return the response."""
    event, client = card.match.event, Client()
    client.force_login(a_user("desk", event.tournament))
    side = next((seat.side for seat in card.seats.all() if seat.entrant_id == who.pk), "C")
    url = event_url("scoring:desk_sign", event, token=card.token)
    return client.post(url, {"digest": digest, "key": "k", "entrant": side, "witness": "Lily", **more}, follow=True)


def desk_json(card: Card, who: Entrant, digest: str, **more: Any) -> Any:
    client = client_as("desk", card.match.event)
    body = {"digest": digest, "entrant": who.number, "witness": "Lily", **more}
    headers = {"Idempotency-Key": "k"}
    url = f"/api/cards/{card.token}/signatures"
    return client.post(url, json.dumps(body), content_type="application/json", headers=headers)


PLAYERS = pytest.mark.parametrize("send", [by_link, at_the_table, by_json])
EVERYBODY = pytest.mark.parametrize("send", [by_link, at_the_table, by_json, at_the_desk, desk_json])


def refused(card: Card, answer: Any, words: str) -> None:
    """Check that the response contains these words, and that its status is one of the expected ones."""
    assert words in answer.content.decode(), (answer.status_code, answer.content.decode()[-3000:])
    assert answer.status_code in (200, 403, 404, 409, 422)


def signed_by(card: Card) -> list[str]:
    return sorted(Signature.objects.filter(card=card).values_list("seat__name", flat=True))


@EVERYBODY
def test_each_way_signs_what_it_may(card: Any, send: Send) -> None:
    assert send(card, card.entrants[0], load_card_state_by_pk(card.pk).digest).status_code in (200, 201, 302)
    assert signed_by(card) == ["Ada"]
    assert CardVersion.objects.get().number == 1


@PLAYERS
def test_somebody_else_s_side(card: Any, send: Send) -> None:
    answer = send(card, card.entrants[0], load_card_state_by_pk(card.pk).digest, side="B")
    refused(card, answer, "Players sign only for their own side.")
    assert not signed_by(card)


@pytest.mark.parametrize("send", [by_link, by_json])
def test_with_the_code_of_the_opponent(card: Any, send: Send) -> None:
    answer = send(card, card.entrants[0], load_card_state_by_pk(card.pk).digest, code="654321")
    refused(card, answer, "not your signing code")
    assert not signed_by(card)


@EVERYBODY
def test_by_somebody_of_another_card(card: Any, send: Send) -> None:
    stranger = the_card(card.match.event, "R1M2").entrants[0]
    answer = send(card, stranger, load_card_state_by_pk(card.pk).digest)
    assert answer.status_code in (200, 403, 404, 422)
    assert not signed_by(card)


@EVERYBODY
def test_an_old_version(card: Any, send: Send) -> None:
    old = sign(card, card.entrants[1]).digest
    entry = LineEntry(gin("A", 30, "9C"))
    correct_line(card, 2, entry, by=the_director(card.match.event), reason="was 30")
    refused(card, send(card, card.entrants[0], old), "has changed since you looked")
    assert signed_by(card) == ["Alan"]
    back = LineEntry(gin("A", 21, "9C"))
    correct_line(card, 2, back, by=the_director(card.match.event), reason="it was 21")
    refused(card, send(card, card.entrants[0], old), "has changed since you looked")
    assert signed_by(card) == ["Alan"]


@EVERYBODY
def test_a_second_time(card: Any, send: Send) -> None:
    digest = sign(card, card.entrants[0]).digest
    answer = send(card, card.entrants[0], digest)
    assert signed_by(card) == ["Ada"]
    assert send is at_the_desk or "has signed this score card already" in answer.content.decode()


@PLAYERS
def test_once_the_card_is_final(card: Any, send: Send) -> None:
    digest = sign_both(card).digest
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        refused(card, send(card, card.entrants[0], digest), "This card has been final since")
    assert signed_by(card) == ["Ada", "Alan"]


@EVERYBODY
def test_once_the_event_is_finished(card: Any, send: Send) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    type(card.match.event).objects.update(state="finished")
    refused(card, send(card, card.entrants[0], digest), "is not in play")
    assert not signed_by(card)


def test_without_saying_who_they_are(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    answer = Client().post(f"/c/{card.token}/sign/", {"digest": digest, "key": "k", "strokes": json.dumps(STROKES)})
    assert answer.status_code == 302
    body = json.dumps({"digest": digest, "code": "123456"})
    headers = {"Idempotency-Key": "k"}
    url = f"/api/cards/{card.token}/signatures"
    assert Client().post(url, body, content_type="application/json", headers=headers).status_code == 403
    assert not signed_by(card)
