from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from django.test import Client

from scoring.card_state.selectors.cards import load_card_state_by_pk
from tests.factories import a_user
from tests.kit import client_as
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, knock, play, play_out, the_card

pytestmark = pytest.mark.django_db


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


def send(card: Any, what: str, body: Any, *, who: Any = None, key: str = "k", client: Client | None = None) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    if client is None:
        headers["Authorization"] = f"Bearer {(who or card.entrants[0]).token}"
    text = body if isinstance(body, str) else json.dumps(body)
    return (client or Client()).post(
        f"/api/cards/{card.token}/{what}", text, content_type="application/json", headers=headers
    )


def codes(answer: Any) -> list[str]:
    body = answer.json()
    assert body["ok"] is False
    assert all(set(error) == {"code", "path", "message"} for error in body["errors"])
    return [error["code"] for error in body["errors"]]


def test_a_hand_goes_in_and_the_card_comes_back(card: Any) -> None:
    cut_for(card)
    answer = send(card, "lines", {"line": knock("A", 5, 20), "hand": 1})
    assert (answer.status_code, answer.json()["tally"]["totals"]) == (201, {"A": 15, "B": 0})
    again = send(card, "lines", {"line": knock("A", 5, 20), "hand": 1})
    assert again.json()["digest"] == answer.json()["digest"]
    assert len(load_card_state_by_pk(card.pk).lines) == 1


def test_anybody_can_compute_the_digest_from_the_published_card(card: Any) -> None:
    play(card, gin("A", 3))
    body = Client().get(f"/api/cards/{card.token}/").json()
    assert hashlib.sha256(rfc8785.dumps(body["card"])).hexdigest() == body["digest"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"line": knock("A", 9, 20)}, "knock-too-high"),
        ({"line": knock("A", 1, 20, "AS")}, "ace-requires-gin"),
        ({"line": {"outcome": "gin"}}, "missing-field"),
        ({"line": gin(), "hand": 7}, "hand-taken"),
        ({"lime": gin()}, "missing-field"),
        ({"line": gin("A", 99)}, "improbable"),
        ({"line": None}, "missing-field"),
        ("{", "bad-json"),
        ("[1]", "bad-json"),
        ('{"line": NaN}', "bad-json"),
    ],
)
def test_bad_input_is_refused_with_codes(card: Any, body: Any, code: str) -> None:
    cut_for(card)
    answer = send(card, "lines", body)
    assert answer.status_code in (409, 422)
    assert code in codes(answer)
    assert not load_card_state_by_pk(card.pk).lines


def test_an_impossible_hand_names_its_path(card: Any) -> None:
    cut_for(card)
    error = send(card, "lines", {"line": knock("A", 9, 20)}).json()["errors"][0]
    assert (error["path"], "rule 4" in error["message"]) == ("counts.A", True)


def test_a_write_needs_a_key_and_somebody(card: Any) -> None:
    cut_for(card)
    assert codes(send(card, "lines", {"line": gin()}, key="")) == ["key-needed"]
    assert codes(send(card, "lines", {"line": gin()}, client=Client())) == ["who-are-you"]
    stranger = the_card(card.match.event, "R1M2").entrants[0]
    answer = send(card, "lines", {"line": gin()}, who=stranger)
    assert (answer.status_code, codes(answer)) == (403, ["not-your-card"])


def test_a_hand_is_corrected_and_struck(card: Any) -> None:
    play(card, gin("A", 3))
    sent = {"line": gin("A", 4), "replaces": 1, "reason": "was 4"}
    assert send(card, "lines", sent).json()["tally"]["totals"] == {"A": 29, "B": 0}
    sent = {"line": None, "replaces": 1, "reason": "thrown in"}
    assert send(card, "lines", sent, key="k2").json()["tally"]["lines"] == []


def test_signatures_by_code_strokes_and_desk(card: Any) -> None:
    digest = play_out(card).digest
    assert codes(send(card, "signatures", {"digest": "0" * 64, "code": "123456"})) == ["card-changed"]
    assert codes(send(card, "signatures", {"digest": digest, "code": "000000"})) == ["wrong-code"]
    strokes = [[[i, i, i] for i in range(9)]]
    assert send(card, "signatures", {"digest": digest, "strokes": strokes}).json()["signed"] == [1]
    client = client_as("desk", card.match.event)
    answer = send(card, "signatures", {"digest": digest, "entrant": 2, "witness": "Lily"}, client=client, key="d")
    assert (answer.json()["posted"], answer.json()["state"]) == (True, "posted")


def test_two_senders_and_two_cards_may_use_the_same_key(card: Any) -> None:
    digest = play_out(card).digest
    for who in card.entrants:
        answer = send(card, "signatures", {"digest": digest, "code": "123456"}, who=who, key="1")
    assert answer.json()["posted"] is True
    neighbour = the_card(card.match.event, "R1M2")
    cut_for(neighbour)
    for table in (card, neighbour):
        send(table, "lines", {"line": gin("A", 3)}, who=table.entrants[0], key="1")
    assert len(load_card_state_by_pk(neighbour.pk).lines) == 1


def test_a_session_without_the_csrf_token_writes_nothing(card: Any) -> None:
    cut_for(card)
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_user("desk", card.match.event.tournament))
    assert send(card, "lines", {"line": gin()}, client=client).status_code == 403
    assert not load_card_state_by_pk(card.pk).lines


def test_a_program_that_says_nobody_is_told_so_as_json(card: Any) -> None:
    answer = send(card, "lines", {"line": gin()}, client=Client(enforce_csrf_checks=True))
    assert (answer.status_code, codes(answer)) == (403, ["who-are-you"])


def test_a_form_is_not_json(card: Any) -> None:
    client, token = Client(enforce_csrf_checks=True), "a" * 32
    client.force_login(a_user("desk", card.match.event.tournament))
    client.cookies["csrftoken"] = token
    headers = {"Idempotency-Key": "k", "X-CSRFToken": token}
    answer = client.post(f"/api/cards/{card.token}/lines", {"line": "{}"}, headers=headers)
    assert (answer.status_code, codes(answer)) == (422, ["not-json"])
