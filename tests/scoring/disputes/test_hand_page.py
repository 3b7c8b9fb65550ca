"""The page that judges two hands keeps all input in its URL, and shows where in a hand an error is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from scoring.rules.variants import VARIANTS
from tests.kit import client_as, event_url, page_text
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, the_card
from tests.scoring.helpers.tables import a_table_card, a_table_event

pytestmark = pytest.mark.django_db

FIVE = "as 2s 3s 7h 7d 7c 9d 9h 9s 5c"
OTHER = "4s 5s kd kc kh qh qs 8c 2d 2h"


def test_hands_typed_by_the_rules_of_the_event() -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    page = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), {"up": "h8", "hand": FIVE, "other": OTHER.upper()}
    )
    words = page_text(page)
    assert "27 to Knocker" in words
    assert "knock: 5 against 32, difference 27: 27 to Knocker, GRA singles rule 6" in words
    assert "32 unmatched after laying off; 41 without." in words
    assert "Knock, legal 5 unmatched; at most 8 is allowed under the up card 8♥." in words
    assert f'value="{FIVE}"' in page.content.decode()


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ({"up": "8h", "hand": FIVE}, "Knocker: knock"),
        ({"up": "8h", "hand": FIVE, "said": "gin", "other": OTHER}, "It cannot be recorded this way"),
        ({"hand": FIVE, "other": OTHER}, "Cannot be decided"),
    ],
)
def test_hands_without_a_score(typed: dict[str, str], verdict: str) -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    assert verdict in page_text(client_as("desk", event).get(event_url("scoring:desk_hands", event), typed))


@pytest.mark.parametrize(
    ("typed", "refusal"),
    [
        ({"hand": FIVE, "other": OTHER.replace("2h", "5c")}, "The five of clubs is in the other hand too"),
        ({"hand": FIVE.replace("5c", "9s")}, "The nine of spades stands here twice: a deck has one."),
        ({"hand": f"{FIVE} 2c 3c"}, "A hand has 10 cards, or 11 before its discard; here are 12."),
        ({"hand": FIVE.replace("5c", "5x")}, "Not a card: 5x. Write rank and suit"),
        ({"hand": FIVE, "up": "8h 9h"}, "Only one card is turned up, but there are 2 here."),
        ({"hand": FIVE, "other": "kd"}, "A hand has 10 cards; here are 1."),
        ({"hand": "<script>" * 20}, "Not a card: "),
        ({"hand": FIVE, "said": "big-gin"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_refused_and_stays_as_it_was_typed(typed: dict[str, str], refusal: str) -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    answer = client_as("desk", event).get(event_url("scoring:desk_hands", event), typed)
    assert answer.status_code == 422
    assert refusal in page_text(answer)
    assert "27 to" not in page_text(answer)
    if "<" not in typed["hand"]:
        assert f'value="{typed["hand"]}"' in answer.content.decode()


def test_a_hand_of_a_card_has_its_up_card_its_names_and_its_totals() -> None:
    event = an_event_in_play(("Ada", "Alan"), target=150)
    play(the_card(event), gin("A", 20, "8H"), knock("B", 5, 20, "9C"))
    card, client = the_card(event), client_as("desk", event)
    page = client.get(event_url("scoring:desk_hands", event), {"card": card.token, "line": "2"}).content.decode()
    assert 'name="up" value="9C"' in page
    assert '<option value="1" selected>Alan</option>' in page
    assert '<option value="knock" selected>knock</option>' in page
    typed = {"card": card.token, "line": "2", "up": "9C", "by": "1", "hand": FIVE, "other": OTHER}
    judged = page_text(client.get(event_url("scoring:desk_hands", event), typed))
    assert "27 to Alan" in judged
    assert "The score card would then be Ada 45 , Alan 27 ." in judged
    assert "Correct hand 2 on the card" in judged
    assert "Check the cards of hand 2" in page_text(
        client.get(event_url("scoring:desk_card_lines", event, token=card.token))
    )


def test_who_is_not_on_the_card_laid_nothing_down() -> None:
    event = an_event_in_play(("Ada", "Alan"))
    typed = {"card": the_card(event).token, "hand": FIVE, "by": "7"}
    assert "Select a valid choice" in page_text(
        client_as("desk", event).get(event_url("scoring:desk_hands", event), typed)
    )


@pytest.mark.parametrize("typed", [{"line": "4"}, {"card": "nothing"}])
def test_a_hand_or_a_card_that_is_not_there(typed: dict[str, str]) -> None:
    event = an_event_in_play(("Ada", "Alan"))
    answer = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), {"card": the_card(event).token, **typed}
    )
    assert answer.status_code == 404


def test_a_card_of_another_event_is_none_here() -> None:
    event, other = an_event_in_play(("Ada", "Alan")), an_event_in_play(("Ada", "Alan"))
    assert (
        client_as("desk", event)
        .get(event_url("scoring:desk_hands", event), {"card": the_card(other).token})
        .status_code
        == 404
    )


def test_the_address_to_show_around_says_the_same_to_everybody() -> None:
    event = a_table_event(("Ada", "Alan"), "standard")
    eleven = f"{FIVE.replace('5c', '9c')} 4s"
    page = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), {"hand": eleven, "other": OTHER.replace("4s", "4d")}
    )
    (address,) = re.findall(rf'href="({event_url("scoring:hands", event)}\?[^"]*)"', page.content.decode())
    shown = Client().get(address.replace("&amp;", "&"))
    assert "big-gin: 41 unmatched, bonus 31: 72 to Knocker" in page_text(page)
    assert "big-gin: 41 unmatched, bonus 31: 72 to Knocker" in page_text(shown)
    assert "Check the hands" not in page_text(shown)
    assert "Ask the desk for the full address" in page_text(
        Client().get(event_url("scoring:hands", event), {"hand": "x"})
    )


def test_melds_divided_by_a_stroke_lie_as_they_were_laid() -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    laid = "4s 5s 6s / 7s 7h 7d 7c / 2d 2h kc"
    typed = {"hand": laid, "other": "3s 8s kd ks kh qh qs jd jc 9d", "up": "8h"}
    page = client_as("desk", event).get(event_url("scoring:desk_hands", event), typed)
    words = page_text(page)
    assert "14 unmatched; at most 8 is allowed" in words
    assert "At its best" not in words
    assert f'value="{laid}"' in page.content.decode()
    assert "4S+5S+6S+%2F+7S+7H+7D+7C+%2F+2D+2H+KC" in page.content.decode()
    short = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), typed | {"hand": "4s 5s 6s 7s / 7h 7d / 7c 2d 2h kc"}
    )
    assert "7H 7D is not a meld" in page_text(short)
    worse = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), typed | {"hand": "4s 5s 6s / 7s 7h 7d 7c 2d 2h kc"}
    )
    assert "At its best, this hand has 14 unmatched." in page_text(worse)


def test_the_book_s_couples_run_with_twelve_cards_and_aces_both_ways() -> None:
    card = a_table_card(("Ada", "Alan"), "metzker")
    event = card.match.event
    twelve, other = "qs ks as 7h 7d 7c 9d 9h 9s 4c 5d 2h", "4s 6s kd kc kh qh 8s 8c 2d 3h 3c tc"
    page = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), {"by": "1", "hand": twelve, "other": other}
    )
    words = page_text(page)
    assert "An ace is low or high in a run" in words
    assert "Girls ran with 11" not in words
    assert "Run, not legal 11 unmatched; at most 9 is allowed." in words
    page = client_as("desk", event).get(
        event_url("scoring:desk_hands", event), {"by": "1", "hand": twelve.replace("5d", "ac"), "other": other}
    )
    assert "Girls ran with 7 against" in page_text(page)
    assert "double gin" in page_text(page).lower()


@pytest.mark.parametrize("rules", list(VARIANTS))
def test_every_rule_set_has_the_page_or_says_why_not(rules: str) -> None:
    names = ("Ada", "Alan", "Grace")[: max(VARIANTS[rules].fewest_sides, 1)]
    event = a_table_event(names, rules)
    words = page_text(client_as("hotel", event).get(event_url("scoring:desk_hands", event)))
    judges = VARIANTS[rules](names, VARIANTS[rules].defaults()).make_knock_rule(None) is not None
    assert ("Check the hands" in words) == judges
    assert ("hands cannot be checked here" in words) != judges


def test_the_desk_s_page_is_the_desk_s() -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    assert Client().get(event_url("scoring:desk_hands", event)).status_code == 302


@pytest.mark.parametrize("hands", [1, 3])
def test_the_page_asks_the_same_of_the_database_whatever_is_on_the_card(
    hands: int, django_assert_num_queries: Any
) -> None:
    event = an_event_in_play(("Ada", "Alan"), target=500)
    play(the_card(event), *[gin("A", 20 + n, f"{n + 2}H") for n in range(hands)])
    client = client_as("desk", event)
    typed = {"card": the_card(event).token, "line": "1", "up": "8H", "by": "0", "hand": FIVE, "other": OTHER}
    with django_assert_num_queries(13):
        client.get(event_url("scoring:desk_hands", event), typed)
    del typed["card"]
    with django_assert_num_queries(5):
        client.get(event_url("scoring:desk_hands", event), typed)


@pytest.mark.parametrize(
    "typed",
    [
        {"hand": "\x00" * 9, "up": "\x00"},
        {"hand": "7h " * 70},
        {"hand": "10" * 99, "other": "♥" * 99},
        {"line": "99999999999999999999", "hand": FIVE},
        {"hand": "/ / /", "said": "stock"},
        {"hand": f"/{FIVE}/", "other": "/"},
        {"hand": "", "other": OTHER},
    ],
)
def test_noise_in_an_address_is_answered_with_a_page(typed: dict[str, str]) -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    assert client_as("desk", event).get(event_url("scoring:desk_hands", event), typed).status_code in (200, 422)
    assert Client().get(event_url("scoring:hands", event), typed).status_code == 200
    assert Client().get(event_url("scoring:hands", event), typed | {"card": "\x00"}).status_code == 404
