"""New score cards have the substitute's name, and begun score cards show when the substitute took over."""

from __future__ import annotations

import io
import re

import pytest
from django.test import Client
from pypdf import PdfReader

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import CardSeat, CardVersion
from scoring.scorekeeping.services import post_cards_signed_on_paper
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, desk_url, page_text, public_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import called
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, sign_both, the_card
from tests.scoring.helpers.whist import a_whist_event, enter, enter_all, move, the_hall
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Entrant, Event
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db
ON = "Ben has played for Ada since"
OVER = "Ben played for Ada from"


@prebuilt
def comes(event: Event, name: str = "Ben", number: int = 1) -> Entrant:
    leaving = event.entrants.select_related("event__tournament").get(number=number)
    return substitute_player(leaving, 1, Person(name), by=SYSTEM_ACTOR, reason="taken ill")


def words(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200, address
    return page_text(page)


def test_who_came_before_the_first_hand_stands_on_the_card_that_they_sign() -> None:
    event = an_event_in_play()
    comes(event)
    card = the_card(event)
    assert load_card_state_by_pk(card.pk).names == ("Ben", "Alan")
    post(card)
    state = load_card_state_by_pk(card.pk)
    assert (state.names, state.score.winner_name, CardSeat.objects.get(card=card, position=0).name) == (
        ("Ben", "Alan"), "Ben", "Ben",
    )  # fmt: skip
    assert '"name":"Ben"' in CardVersion.objects.get().content and "Ada" not in CardVersion.objects.get().content
    page = words(Client(), public_url(event, f"card/{card.token}/"))
    assert "Ben" in page and "played for" not in page


def test_a_matter_at_a_card_that_nobody_has_begun_names_who_plays_there_now() -> None:
    event = an_event_in_play()
    dispute = called(the_card(event), "conduct", by="A")
    comes(event)
    client = client_as("director", event)
    assert "Ben – Alan" in words(client, desk_url(event, "rulings/"))
    assert "Ada" not in words(client, desk_url(event, f"rulings/{dispute.pk}/"))


def test_a_card_that_was_begun_says_who_plays_on_and_who_signed() -> None:
    event = an_event_in_play()
    card = the_card(event)
    play(card, gin("B", 3, "2C"))
    ben = comes(event)
    client = client_as("director", event)
    public = public_url(event, f"card/{card.token}/")
    of_all = (public, desk_url(event, f"cards/{card.token}/"), f"/my/{ben.token}/card/{card.token}/")
    for address in of_all:
        assert ON in words(client, address), address
    play_out(the_card(event))
    sign_both(the_card(event))
    state = load_card_state_by_pk(card.pk)
    for address in (public, f"/verify/{state.digest}/"):
        page = words(client, address)
        assert OVER in page and "The score card keeps its first name." in page, address
        assert "Ada: Ben by signing code" in page, address
    paper = client.get(f"{public}pdf/").content
    text = re.sub(r"\s+", " ", "\n".join(each.extract_text() for each in PdfReader(io.BytesIO(paper)).pages))
    assert OVER in text and "Ada: Ben" in text
    assert find_card_proof(state.digest).authenticity is Authenticity.GENUINE


def test_who_came_after_the_card_was_posted_is_not_on_it() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    card = the_card(event)
    post(card)
    comes(event)
    page = words(Client(), public_url(event, f"card/{card.token}/"))
    assert "Ben" not in page and "Ada" in page


def test_of_court_whist_the_card_of_seven_games_says_from_when_on() -> None:
    event = a_whist_event()
    enter_all(event)
    move(event)
    guest = the_hall(event).guests[1]
    name = guest.state.names[0]
    ida = comes(event, "Ida Rolf")
    for game in range(2, 8):
        enter(event, 1, override="as played")
        if game < 7:
            move(event)
    state = the_hall(event).guests[1].state
    sign_by_code(state.card, ida.sign_code, SigningContext(state.digest), by=make_player_actor(ida))
    post_cards_signed_on_paper(event, "the desk", by=SYSTEM_ACTOR)
    page = words(Client(), public_url(event, f"card/{state.card.token}/"))
    assert f"Ida Rolf played for {name} from" in page and f"{name}: Ida Rolf by signing code" in page
    assert the_hall(event).standings[0].guest.state.is_posted
