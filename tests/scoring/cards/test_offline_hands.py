"""Hands that a phone stored without a network are recorded once and in order, however they are submitted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.offline import OfflineHand, add_offline_hand, compute_offline_hand_hmac, make_seat_hmac_key
from scoring.models import SheetLine
from tests.factories import a_user
from tests.kit import public_url
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play, sign_both, the_card
from tournament.models import AuditEntry

pytestmark = pytest.mark.django_db

GIN = "up_suit=H&outcome=gin&by=A&counts_A=0&up_rank={}&counts_B={}"


@pytest.fixture
def card() -> Any:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), target=100))
    cut_for(card)
    return card


def kept(card: Any, number: int, count: int = 3, **changed: Any) -> dict[str, Any]:
    """Return what Ada's phone submits for a hand that was typed while it was offline.

    Values in `changed` replace those of the hand after the phone has signed it, so that the signature no longer
    matches.
    """
    typed = OfflineHand(f"key-{number}-{count}", number, 1_790_000_000, GIN.format(number + 4, count), "")
    sent = {"key": typed.key, "hand": number, "typed_at": typed.typed_at, "fields": typed.fields}
    ada = card.entrants[0]
    return {**sent, "entrant": ada.number, "proof": compute_offline_hand_hmac(card, ada, typed), **changed}


def send(card: Any, body: dict[str, Any], what: str = "kept", client: Client | None = None) -> Any:
    address = f"/api/cards/{card.token}/{what}"
    return (client or Client()).post(address, json.dumps(body), content_type="application/json")


def counts(card: Any) -> list[int]:
    return [line.line["counts"]["B"] for line in load_card_state_by_pk(card.pk).lines]


def test_hands_get_onto_the_card_in_order_and_each_once(card: Any) -> None:
    for hand, count in ((1, 3), (2, 4), (1, 3), (2, 4), (3, 5)):
        answer = send(card, kept(card, hand, count))
        assert answer.status_code == 201, answer.json()
    assert counts(card) == [3, 4, 5]
    assert AuditEntry.objects.filter(verb="card.line").first().data["typed_at"] == 1_790_000_000


def test_a_hand_out_of_order_waits_for_the_one_before(card: Any) -> None:
    answer = send(card, kept(card, 2))
    assert (answer.status_code, answer.json()["code"]) == (409, "hand-taken")
    assert counts(card) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"fields": GIN.format(8, 9)},
        {"hand": 2},
        {"key": "another"},
        {"typed_at": 1},
        {"entrant": 2},
        {"proof": ""},
        {"proof": "AAAAAAAAAAAAAAAAAAAAAA"},
    ],
)
def test_what_was_photographed_can_be_changed_in_nothing(card: Any, changed: dict[str, Any]) -> None:
    answer = send(card, kept(card, 1, **changed))
    assert answer.status_code in (403, 422)
    assert send(card, kept(card, 1, **changed), "kept/read").status_code == answer.status_code
    assert counts(card) == []


def test_it_serves_for_no_other_card_and_no_renewed_link(card: Any) -> None:
    other = the_card(card.match.event, "R1M2")
    assert send(other, kept(card, 1)).status_code in (403, 404)
    before = kept(card, 1)
    ada = card.entrants[0]
    ada.token = "renewed"
    ada.save(update_fields=["token"])
    assert send(card, before).json()["code"] == "not-proved"
    assert counts(card) == []


def test_another_hand_in_its_place_is_shown_and_nothing_decided(card: Any) -> None:
    play(card, gin("A", 9))
    answer = send(card, kept(card, 1, 3))
    assert (answer.status_code, answer.json()["code"], answer.json()["hands"]) == (409, "hand-taken", 1)
    assert "9" in answer.json()["on_card"] and "3" in answer.json()["typed"]
    assert counts(card) == [9]


def test_a_hand_that_the_desk_enters_while_another_arrives_is_shown(card: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def after_the_desk(*sent: Any) -> Any:
        play(card, gin("A", 9))
        return add_offline_hand(*sent)

    monkeypatch.setattr("scoring.cards.api.add_offline_hand", after_the_desk)
    answer = send(card, kept(card, 1, 3)).json()
    assert (answer["code"], answer["hands"]) == ("hand-taken", 1)
    assert "9" in answer["on_card"]


def test_the_same_figures_in_its_place_are_no_conflict(card: Any) -> None:
    play(card, gin("A", 3, "5H"))
    answer = send(card, kept(card, 1, 3))
    assert (answer.status_code, answer.json()["was_there"]) == (200, True)
    assert counts(card) == [3]


def test_the_improbable_can_be_given_its_reason(card: Any) -> None:
    assert send(card, kept(card, 1, 99)).json()["code"] == "improbable"
    typed = OfflineHand("key", 1, 5, f"{GIN.format(8, 99)}&override=They+held+ten+kings", "")
    body = {"key": "key", "hand": 1, "typed_at": 5, "fields": typed.fields, "entrant": 1}
    assert send(card, {**body, "proof": compute_offline_hand_hmac(card, card.entrants[0], typed)}).status_code == 201
    assert counts(card) == [99]


def test_who_hands_over_is_on_record_and_the_player_stays_the_author(card: Any) -> None:
    told = send(card, kept(card, 1), "kept/read").json()
    assert (told["player"], told["stands"], told["refused"]) == ("Ada", "new", "")
    assert "Ada" in told["typed"]
    assert send(card, kept(card, 1, carried_by="Kurt")).status_code == 201
    line = SheetLine.objects.get()
    assert (line.via, line.by_name) == ("handed", "Ada (entry 1), handed over by “Kurt”")
    desk = Client()
    user = a_user("desk", card.match.event.tournament)
    desk.force_login(user)
    assert send(card, kept(card, 2, carried_by="Kurt"), client=desk).status_code == 201
    assert SheetLine.objects.last().by_name == f"Ada (entry 1), handed over by {user}"
    assert send(card, kept(card, 1)).status_code == 201  # the first phone is back
    assert counts(card) == [3, 3]
    assert send(card, kept(card, 1), "kept/read").json()["stands"] == "same"


def test_a_card_that_is_signed_takes_nothing_more(card: Any) -> None:
    play(card, gin("A", 60, "9C"), gin("A", 61, "4C"))
    sign_both(card)
    answer = send(card, kept(card, 3))
    assert (answer.status_code, answer.json()["code"]) == (409, "after-end")


def test_only_json_is_read_so_that_no_other_site_can_send_it(card: Any) -> None:
    text = json.dumps(kept(card, 1))
    answer = Client().post(f"/api/cards/{card.token}/kept", text, content_type="text/plain")
    assert (answer.status_code, counts(card)) == (422, [])


def test_only_the_page_of_a_seat_has_its_key(card: Any) -> None:
    ada, alan = card.entrants
    own, others = make_seat_hmac_key(card, ada), make_seat_hmac_key(card, alan)
    page = Client().get(f"/my/{ada.token}/card/{card.token}/").content.decode()
    form = Client().get(f"/my/{ada.token}/card/{card.token}/hand/").content.decode()
    assert own in page and own in form and others not in page + form
    event = card.match.event
    public = Client().get(public_url(event, f"card/{card.token}/")).content.decode()
    table = Client().get(f"/c/{card.token}/").content.decode()
    assert own not in public + table and others not in public + table
