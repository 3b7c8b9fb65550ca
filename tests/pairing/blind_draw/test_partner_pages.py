from __future__ import annotations

import json
import re

import pytest
from django.test import Client

from pairing.blind_draw.services import make_partner_draw, post_partner_draw, seal_partner_draw, take_back_partner_draw
from pairing.models import PartnerDraw, PartnerSeal
from tests.factories import an_event
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import an_event_in_play, win
from tests.pairing.helpers.partners import act, drawn, pairs, posted, second_chance
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.registration.services.pairs import join_partners

pytestmark = pytest.mark.django_db


def test_the_director_seals_cuts_looks_and_posts_on_one_page() -> None:
    event = pairs(5)
    client = client_as("director", event)
    assert (
        "5 players are looking for a partner" in client.get(event_url("pairing:desk_partners", event)).content.decode()
    )
    page = act(client, event, "seal", number=["1", "2", "3", "4", "5"])
    assert "The list of 5 players is sealed" in page
    assert "No card is picked. Tap the cards that were cut." in act(client, event, "cut", public="", key="k")
    page = act(client, event, "cut", public="7H QS", key="k")
    assert "Only staff see this" in page and "Without a partner:" in page
    page = act(client, event, "post")
    assert "Posted: 2 pairs are in." in page
    (left,) = PartnerDraw.objects.get().left
    assert f"withdraw Player {left}" in page
    assert event.entrants.filter(state="in").count() == 2


def test_what_is_refused_is_said_on_the_page() -> None:
    event = pairs(3)
    client = client_as("director", event)
    assert "needs at least two players" in act(client, event, "seal", number="1")
    assert "Seal the list first" in act(client, event, "cut", public="7H", key="k")
    assert client_as("desk", event).get(event_url("pairing:desk_partners", event)).status_code == 403


def test_a_pool_is_said_on_the_page() -> None:
    event = pairs(2, pools="AA")
    page = client_as("director", event).get(event_url("pairing:desk_partners", event)).content.decode()
    assert "nobody is there to play with" in page
    address = re.search(r'formaction="(\?pool=2-B)"', page)
    assert address is not None
    client_as("director", event).post(event_url("pairing:desk_partners", event) + address[1], {"act": "pool"})
    assert event.entrants.get(number=2).pool == "B"


def test_the_ticked_ones_go_to_a_pool_in_one_act() -> None:
    event = pairs(3, pools="AAB")
    client = client_as("director", event)
    address = f"{event_url('pairing:desk_partners', event)}?pool=B"
    page = client.post(address, {"act": "pools", "number": ["1", "3"]}, follow=True).content.decode()
    assert "Moved to pool B: 1." in page
    assert list(event.entrants.order_by("number").values_list("pool", flat=True)) == ["B", "A", "B"]
    again = client.post(address, {"act": "pools", "number": ["3"]}, follow=True).content.decode()
    assert "None of these players can move to pool B" in again


def test_by_hand_and_apart_again_each_with_a_reason() -> None:
    event = pairs(3)
    client = client_as("director", event)
    one, other = (event.entrants.get(number=number).pk for number in (1, 3))
    refused = client.post(
        event_url("pairing:desk_partners", event), {"act": "join", "one": one, "other": other, "key": "k"}
    )
    assert refused.status_code == 422
    page = act(client, event, "join", one=one, other=other, key="k", reason="sisters")
    assert "Player 1 / Player 3 is number 4." in page
    assert "put together by the director" in client.get(event_url("pairing:partners", event)).content.decode().lower()
    assert "Write the reason" in act(client, event, "part", number="4", reason="")
    assert "The pair is split. Both players are looking for a partner again" in act(
        client, event, "part", number="4", reason="one is ill"
    )
    assert event.entrants.get(number=4).state == "parted"
    assert "Put together" not in act(client, event, "seal", number=["1", "2", "3"])


def test_the_public_page_shows_the_seal_before_and_everything_after() -> None:
    event = pairs(5, pools="AABBA")
    page = event_url("pairing:partners", event)
    assert "Nothing is sealed yet" in Client().get(page).content.decode()
    sealed = seal_partner_draw(event, by=SYSTEM_ACTOR)
    shown = Client().get(page).content.decode()
    assert sealed.draw_id in shown and "Pool A" in shown
    assert sealed.secret not in shown.replace(" ", "")
    made = make_partner_draw(event, "cut by Blanche", by=SYSTEM_ACTOR)
    preview = Client().get(page).content.decode()
    assert "cut by Blanche" not in preview
    assert sealed.draw_id in preview, "the seal stays where everybody saw it"
    assert sealed.secret not in preview.replace(" ", "")
    assert Client().get(event_url("pairing:partners_json", event)).status_code == 404
    post_partner_draw(event, by=SYSTEM_ACTOR)
    shown = Client().get(page).content.decode()
    assert "cut by Blanche" in shown
    assert shown.count("now number") == len(made.pairs) == 2
    record = json.loads(Client().get(event_url("pairing:partners_json", event)).content)
    assert (record["secret"], record["pairs"], record["pools"]) == (sealed.secret, made.pairs, sealed.pools)
    check = Client().get(event_url("pairing:check_partners", event)).content.decode()
    assert f'value="{sealed.secret}"' in check
    assert event_url("pairing:partners", event) in check


def test_draws_taken_back_are_told_with_their_reasons() -> None:
    event = pairs(4)
    posted(event)
    first = PartnerDraw.objects.get()
    client = client_as("director", event)
    page = act(client, event, "take-back", draw=first.pk, reason="a name was missing")
    assert "undone" in page
    drawn(event, "2C")
    preview = PartnerDraw.objects.order_by("-pk").first()
    assert preview is not None
    take_back_partner_draw(preview, by=SYSTEM_ACTOR, reason="the deck was short")
    shown = Client().get(event_url("pairing:partners", event)).content.decode()
    assert "a name was missing" in shown and "the deck was short" in shown
    for seal in PartnerSeal.objects.all():
        record = Client().get(event_url("pairing:partners_json", event), {"draw": seal.draw_id}).json()
        assert record["draw_id"] == seal.draw_id
    assert Client().get(event_url("pairing:partners_json", event)).status_code == 404, "none counts"


@pytest.mark.parametrize("asking", [4, 8])
def test_the_pages_ask_the_same_number_of_questions(asking: int, django_assert_num_queries: object) -> None:
    event = pairs(asking, pools="AB" * (asking // 2))
    join_partners(event.entrants.get(number=1), event.entrants.get(number=2), by=SYSTEM_ACTOR, reason="sisters")
    posted(event)
    with django_assert_num_queries(10):  # type: ignore[operator]
        Client().get(event_url("pairing:partners", event))


def test_where_no_partners_are_drawn_no_page_leads_there() -> None:
    singles = an_event()
    assert (
        event_url("pairing:partners", singles)
        not in Client().get(event_url("tournament:event", singles)).content.decode()
    )
    assert "This event does not draw partners" in Client().get(event_url("pairing:partners", singles)).content.decode()
    page = client_as("director", singles).get(event_url("pairing:desk_partners", singles)).content.decode()
    assert "This event does not draw partners" in page
    for_pairs = pairs(1)
    assert (
        event_url("pairing:partners", for_pairs)
        in Client().get(event_url("tournament:event", for_pairs)).content.decode()
    )


def test_who_is_out_is_ticked_and_taken_over() -> None:
    first = an_event_in_play(4)
    win(first, "R1M1")
    event = second_chance(fresh(first), entry_size=2)
    client = client_as("director", event)
    page = client.get(event_url("pairing:second_chance", event)).content.decode()
    (found,) = re.findall(r'name="player" value="(\d+)"', page)
    answer = client.post(event_url("pairing:second_chance", event), {"player": [found], "key": "k"}, follow=True)
    assert "One is in." in answer.content.decode()
    assert "already entered" in answer.content.decode()
    assert event.entrants.get().state == "seeking"
    again = client.post(event_url("pairing:second_chance", event), {"key": "l"}, follow=True)
    assert "No new player is checked" in again.content.decode()
    other = an_event(event.tournament)
    assert "not a second chance yet" in client.get(event_url("pairing:second_chance", other)).content.decode()
