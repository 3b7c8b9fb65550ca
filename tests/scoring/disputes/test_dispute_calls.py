from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from scoring.disputes.services.appeals import set_committee
from scoring.disputes.services.disputes import DisputeFindings, NewDispute, open_dispute
from scoring.models import Card, CardPosted, Dispute, DisputeDropped, UpCard
from scoring.rules.irregularities import IRREGULARITIES
from tests.factories import a_user
from tests.kit import page_text, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ruled
from tests.scoring.helpers.playing import an_event_in_play, card_desk_url, gin, knock, my_card_url, play, post, the_card
from tournament.core.permissions import make_player_actor, make_staff_actor
from tournament.errors import Conflict

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")
SAID: dict[str, tuple[dict[str, str], dict[str, Any], str, dict[str, Any] | None]] = {
    "up-card": (
        {"claims_A": "8h", "claims_B": "9C"}, {"claims": {"A": "8H", "B": "9C"}}, "", None,
    ),
    "improper-knock": (
        {"by": "A", "up": "8h", "count": "10", "opponent_count": "7"},
        {"by": "A", "up": "8H", "count": 10, "opponent_count": 7},
        "accept", {"up": "8H", "outcome": "points", "to": "B", "points": 28},
    ),
    "wrong-count": (
        {"plays": "5", "cards_A": "9", "cards_B": "10", "ended": "gin", "by": "B", "counts_A": "30", "counts_B": "0",
         "up": "10s"},
        {"plays": 5, "cards": {"A": 9, "B": 10}, "ended": "gin", "by": "B", "counts": {"A": 30, "B": 0}, "up": "TS"},
        "", {"up": "TS", "outcome": "gin", "by": "B", "counts": {"A": 30, "B": 0}, "missing": {"A": 1}},
    ),
    "false-gin": ({"by": "B", "count": "3"}, {"by": "B", "count": 3}, "", None),
    "drew-two": ({"by": "B"}, {"by": "B"}, "", None),
    "up-card-out-of-turn": ({"by": "A"}, {"by": "A"}, "take", None),
    "wrong-card-down": ({"by": "A"}, {"by": "A"}, "", None),
    "touched-pile": ({"by": "B"}, {"by": "B"}, "", None),
    "retake-discard": ({"by": "B", "to_knock": "true"}, {"by": "B", "to_knock": True}, "", None),
    "count-after-agreement": ({"agreed": "false"}, {"agreed": False}, "", None),
    "false-report": ({"by": "B"}, {"by": "B"}, "", None),
    "unmatched-play": ({}, {}, "elimination", None),
    "gave-game-away": ({}, {}, "no-penalty", None),
    "conduct": ({"by": "B"}, {"by": "B"}, "warning", None),
}  # fmt: skip
"""An example for each kind of dispute.

It consists of the typed values, the facts that result from them, the choice, and the line that the ruling writes.
"""


@pytest.fixture
@prebuilt
def card() -> Card:
    return the_card(an_event_in_play(FOUR))


def call(client: Client, card: Card, kind: str, who: int = 0, **said: Any) -> Any:
    return client.post(my_card_url(card, "what", who), {"key": f"{kind}{who}", "kind": kind, "hand": 1, **said})


def test_every_kind_is_on_the_players_page(client: Client, card: Card) -> None:
    page = client.get(my_card_url(card, "what")).content.decode()
    assert set(re.findall(r"\?kind=([a-z-]*)\"", page)) == {*IRREGULARITIES, ""} == {*SAID, ""}


@pytest.mark.parametrize("kind", SAID)
def test_a_kind_goes_from_the_players_form_to_its_facts_and_a_ruling(client: Client, card: Card, kind: str) -> None:
    said, facts, chosen, line = SAID[kind]
    assert client.get(my_card_url(card, "what") + f"?kind={kind}").status_code == 200
    answer = call(client, card, kind, **said, about="They did it")
    dispute = Dispute.objects.get()
    assert answer.url == my_card_url(card, "dispute", dispute=dispute.pk)
    assert (dispute.kind, dispute.facts, dispute.about) == (kind, facts, "They did it")
    assert dispute.entrant == card.entrants[0] and dispute.card == card
    more: dict[str, Any] = {"chosen": chosen} if chosen else {}
    more |= {"drew-two": {"nine_spread_or_gin": False}, "up-card": {"recorded": "8H"}}.get(kind, {})
    made = ruled(dispute, **more)
    assert made.rule == IRREGULARITIES[kind].cite("gra-singles") and not made.overrules
    assert (made.effects["sheet"] or {}).get("line") == line
    assert made.ruling in page_text(client.get(my_card_url(card, "dispute", dispute=dispute.pk))) or made.decided


def test_something_else_needs_words(client: Client, card: Card) -> None:
    assert call(client, card, "").status_code == 422
    assert not Dispute.objects.exists()
    call(client, card, "", about="The light went out")
    assert Dispute.objects.get().about == "The light went out"


def test_a_kind_that_is_none_is_refused(client: Client, card: Card) -> None:
    assert call(client, card, "sneezing").status_code == 404


def test_facts_that_cannot_be_stand_at_their_field(client: Client, card: Card) -> None:
    answer = call(client, card, "improper-knock", by="A", up="8X", count="10")
    assert answer.status_code == 422 and "8X" in answer.content.decode()
    assert not Dispute.objects.exists()


def test_what_the_caller_says_against_a_recorded_up_card_is_a_claim(client: Client, card: Card) -> None:
    UpCard.objects.create(
        card=card, hand=1, up="9C", turned_at=timezone.now(), entrant=card.entrants[1], by_name="Alan"
    )
    call(client, card, "improper-knock", by="B", up="8H", count="9", says_B="It was the nine.")
    dispute = Dispute.objects.get()
    assert "up" not in dispute.facts
    assert "8 of hearts" in dispute.claims["A"].lower() or "eight of hearts" in dispute.claims["A"].lower()
    assert dispute.claims["B"] == "It was the nine."


def test_somebody_elses_link_is_refused(client: Client, card: Card) -> None:
    call(client, card, "conduct", by="B")
    dispute = Dispute.objects.get()
    other = the_card(card.match.event, "R1M2")
    for act, more in (("what", {}), ("dispute", {"dispute": dispute.pk})):
        url = reverse(f"scoring:my_{act}", kwargs={"token": other.entrants[0].token, "card": card.token, **more})
        assert client.get(url).status_code == 404
        assert client.post(url, {"act": "drop", "key": "x"}).status_code == 404
    assert client.get(my_card_url(other, "dispute", dispute=dispute.pk)).status_code == 404
    assert not DisputeDropped.objects.exists()


def test_the_tables_own_card_calls_as_who_sits_there(client: Client, card: Card) -> None:
    url = reverse("scoring:table_what", kwargs={"card": card.token})
    assert client.get(url).status_code == 302
    client.get(my_card_url(card, "card", 1))
    client.post(url, {"key": "k", "kind": "touched-pile", "hand": 1, "by": "A"})
    assert Dispute.objects.get().entrant == card.entrants[1]


def test_one_call_a_player_and_one_for_both_about_the_same(client: Client, card: Card) -> None:
    call(client, card, "drew-two", by="B")
    dispute = Dispute.objects.get()
    there = my_card_url(card, "dispute", dispute=dispute.pk)
    assert client.post(my_card_url(card, "what"), {"key": "again", "kind": "conduct", "by": "B"}).url == there
    assert call(client, card, "drew-two", who=1, by="A").url == my_card_url(card, "dispute", 1, dispute=dispute.pk)
    assert Dispute.objects.count() == 1
    call(client, card, "conduct", who=1, by="A")
    assert Dispute.objects.count() == 2


def test_sent_twice_it_is_one_call(client: Client, card: Card) -> None:
    first, again = (call(client, card, "drew-two", by="B") for _ in range(2))
    assert first.url == again.url and Dispute.objects.count() == 1


def test_after_the_time_for_rulings_only_staff_opens_with_a_reason(client: Client, card: Card) -> None:
    post(card)
    CardPosted.objects.update(at=timezone.now() - timedelta(minutes=31))
    opening = NewDispute(card=card, findings=DisputeFindings(kind="conduct", facts={"by": "A"}))
    with pytest.raises(Conflict, match="time for rulings"):
        open_dispute(card.match.event, opening, by=make_player_actor(card.entrants[0]))
    assert "Go to the desk" in page_text(client.get(my_card_url(card, "what")))
    by = make_staff_actor(a_user("desk", card.match.event.tournament))
    with refused("reason-needed"):
        open_dispute(card.match.event, opening, by=by)
    late = NewDispute(card=card, findings=opening.findings, reason="They came at once, nobody was here")
    assert open_dispute(card.match.event, late, by=by).reason == late.reason


def test_just_before_the_time_is_over_it_is_heard(client: Client, card: Card) -> None:
    post(card)
    CardPosted.objects.update(at=timezone.now() - timedelta(minutes=29))
    assert call(client, card, "conduct", by="B").status_code == 302


def test_the_card_shows_how_it_stands_until_the_appeal(client: Client, card: Card) -> None:
    play(card, gin("A"), knock("B", up="9C"))
    call(client, card, "conduct", by="B")
    dispute = Dispute.objects.get()
    page = page_text(client.get(my_card_url(card, "card", 1)))
    assert "Conduct" in page and "Waiting for the director." in page
    made = ruled(dispute, chosen="warning")
    page = page_text(client.get(my_card_url(card, "card", 1)))
    assert "Warning" in page and f"Ruling {made.number}" in page and made.by_name in page
    there = my_card_url(card, "dispute", 1, dispute=dispute.pk)
    assert "Ask the director if you want to appeal" in page_text(client.get(there))
    set_committee(card.match.event, ["Cy Young"], by=make_staff_actor(a_user("director", card.match.event.tournament)))
    assert client.post(there, {"act": "appeal", "key": "a", "reason": ""}).status_code == 422
    client.post(there, {"act": "appeal", "key": "a", "reason": "I said nothing"})
    made.refresh_from_db()
    assert made.appeal.entrant == card.entrants[1]
    assert "The committee decides" in page_text(client.get(there))


def test_the_caller_takes_it_back_and_nobody_else(client: Client, card: Card) -> None:
    call(client, card, "conduct", by="B")
    dispute = Dispute.objects.get()
    other = client.post(my_card_url(card, "dispute", 1, dispute=dispute.pk), {"act": "drop", "key": "x"})
    assert other.status_code in (403, 422) and not DisputeDropped.objects.exists()
    client.post(
        my_card_url(card, "dispute", dispute=dispute.pk), {"act": "drop", "key": "x", "reason": "They said sorry"}
    )
    assert DisputeDropped.objects.get().reason == "They said sorry"
    assert "Settled without a ruling" in page_text(client.get(my_card_url(card, "card")))


@pytest.mark.parametrize("matters", [1, 3])
def test_the_card_page_takes_as_many_queries_for_three_matters_as_for_one(
    client: Client, card: Card, matters: int, django_assert_max_num_queries: Any
) -> None:
    for kind in ("conduct", "touched-pile", "drew-two")[:matters]:
        open_dispute(
            card.match.event,
            NewDispute(card=card, findings=DisputeFindings(kind=kind, facts={"by": "A"})),
            by=make_staff_actor(a_user("desk", card.match.event.tournament)),
        )
    client.get(my_card_url(card, "card"))
    with django_assert_max_num_queries(45):
        client.get(my_card_url(card, "card"))


def test_staff_opens_it_by_the_number_of_the_table(client: Client, card: Card) -> None:
    client.force_login(a_user("desk", card.match.event.tournament))
    table = card.match.calls.get().table
    there = card_desk_url(card, "desk_card_dispute", token=card.token)
    assert client.get(card_desk_url(card, "desk_call"), {"table": table}).url == there
    assert client.get(card_desk_url(card, "desk_call"), {"table": 9999}).status_code == 422
    page = client.get(there).content.decode()
    assert set(re.findall(r"\?kind=([a-z-]*)\"", page)) == {*SAID, ""}
    said = {"kind": "improper-knock", "hand": 1, "by": "A", "up": "8h", "count": "10", "key": "k", "says_A": "I had 8"}
    dispute_url = client.post(there, said).url
    dispute = Dispute.objects.get()
    assert dispute_url == card_desk_url(card, "desk_ruling", dispute=dispute.pk)
    assert dispute.entrant is None and dispute.claims == {"A": "I had 8"}
    client.post(card_desk_url(card, "desk_add_evidence", dispute=dispute.pk), {"key": "e", "words": "Both were calm"})
    assert "Both were calm" in page_text(client.get(dispute_url))


def test_a_player_opens_nothing_at_the_desk(client: Client, card: Card) -> None:
    client.get(my_card_url(card, "card"))
    assert (
        client.post(card_desk_url(card, "desk_card_dispute", token=card.token), {"kind": "conduct"}).status_code == 302
    )
    assert not Dispute.objects.exists()
