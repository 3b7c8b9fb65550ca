"""A player's own pages are built from cached values, and always equal pages built without the cache."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from django.test import Client

from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import prefetch_seats
from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card
from scoring.rehearsal.selectors.playable import list_playable_combinations
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from tests.chance import QUICK
from tests.kit import page_text
from tests.pairing.helpers.events import win
from tests.pairing.helpers.stages import staged
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, sign_both, the_card, the_director
from tournament.core.cached import clear_cache
from tournament.core.permissions import make_player_actor
from tournament.core.selectors.events import reload_event
from tournament.models import Entrant, Event
from tournament.setup.services.tournaments import change_tournament

pytestmark = pytest.mark.django_db

PANEL = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "card-panel"}
LOOKS = 6 if QUICK else 12
ALIVE = re.compile(rb'(name="(?:csrfmiddlewaretoken|key|seal)" value|data-key|nonce)="[^"]*"')


def link(card: Card, page: str) -> str:
    return f"/my/{card.entrants[0].token}/{page}"


def own_card(card: Card, act: str = "") -> str:
    return link(card, f"card/{card.token}/{act}")


@pytest.fixture
@prebuilt
def card() -> Card:
    card = the_card(an_event_in_play(target=200))
    play(card, gin("A", 3, "8H"), gin("B", 4, "9H"))
    return card


@pytest.mark.parametrize(("page", "cold", "warm"), [("card", 11, 1), ("match", 15, 1), ("hand", 11, 1)])
def test_what_was_folded_is_not_asked_again(
    card: Card, page: str, cold: int, warm: int, django_assert_num_queries: Any
) -> None:
    """Once its values are cached, each page needs one query, which reads the versions of the data."""
    client = Client()
    address = {"card": own_card(card), "match": link(card, "match/"), "hand": own_card(card, "hand/")}[page]
    client.get(address, **PANEL)
    clear_cache()
    with django_assert_num_queries(cold):
        client.get(address, **PANEL)
    with django_assert_num_queries(warm):
        client.get(address, **PANEL)


def test_both_players_of_a_match_share_what_was_folded(card: Card, django_assert_num_queries: Any) -> None:
    one, other = Client(), Client()
    other.get(f"/my/{card.entrants[1].token}/card/{card.token}/")
    clear_cache()
    one.get(own_card(card), **PANEL)
    with django_assert_num_queries(2):
        other.get(f"/my/{card.entrants[1].token}/card/{card.token}/", **PANEL)


def test_after_a_write_for_everybody_the_first_phone_reads_for_all(django_assert_num_queries: Any) -> None:
    event = an_event_in_play(("A", "B", "C", "D", "E", "F", "G", "H"), target=200)
    cards = list(Card.objects.filter(match__event=event).prefetch_related(prefetch_seats()).order_by("pk"))
    phones = [(Client(), f"/my/{who.token}/match/") for card in cards for who in card.entrants]
    for phone, address in phones:
        phone.get(address, **PANEL)
    change_tournament(event.tournament, {"name": "Another Open"}, by=the_director(event))
    first, *others = phones
    with django_assert_num_queries(14):
        first[0].get(first[1], **PANEL)
    for phone, address in others:
        with django_assert_num_queries(1):
            phone.get(address, **PANEL)
    play(cards[0], gin("A", 3, "8H"))
    for at, (phone, address) in enumerate(phones):
        with django_assert_num_queries((6, 1)[at > 0]):
            page = phone.get(address, **PANEL).content.decode()
        assert ('data-hands="1"' in page) == (at < 2)


def test_who_waits_after_a_match_is_told_from_what_the_other_was(django_assert_num_queries: Any) -> None:
    card = the_card(an_event_in_play(("A", "B", "C", "D")))
    phones = [(Client(), f"/my/{who.token}/match/") for who in card.entrants]
    for phone, address in phones:
        phone.get(address)
    post(card)
    for (asked, has_won), (phone, address) in zip([(34, True), (10, False)], phones, strict=True):
        with django_assert_num_queries(asked):
            assert phone.get(address).context["played"] == [("A – B", has_won, [(card.token, 1)])]


def test_what_a_player_wrote_is_on_their_next_page(card: Card) -> None:
    client, keeper = Client(), card.entrants[0]
    for hands in (3, 4, 5):
        add_line(card, LineEntry(gin("A", 5, "2H"), override="as played"), by=make_player_actor(keeper))
        for address in (own_card(card), link(card, "match/")):
            assert f'data-hands="{hands}"' in client.get(address).content.decode()


def test_the_last_signature_is_on_the_page_of_both(card: Card) -> None:
    clients = [(Client(), f"/my/{who.token}/card/{card.token}/") for who in card.entrants]
    play(card, gin("A", 90, "2H"), gin("A", 90, "3H"))
    for client, address in clients:
        assert "Check and sign" in client.get(address).content.decode()
    sign_both(card)
    for client, address in clients:
        assert "Check and sign" not in client.get(address).content.decode()


def test_another_name_of_the_tournament_is_on_the_next_page(card: Card) -> None:
    client, tournament = Client(), card.match.event.tournament
    client.get(own_card(card))
    change_tournament(tournament, {"name": "Another Open"}, by=the_director(card.match.event))
    assert "Another Open" in client.get(own_card(card)).content.decode()


@pytest.mark.sample("folded pages", 2)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.long
def test_a_page_is_the_same_folded_and_made_anew(seed: int) -> None:
    """While a random event is played, compare the players' pages built with and without cached values."""
    dice = random.Random(seed)
    one = dice.choice(list(list_playable_combinations()))
    client, wrong, looks = Client(), [], []

    def look(done: ActionRecord) -> bool:
        if done.refused is not None or done.number % 6 or done.event.state != Event.State.IN_PLAY:
            return False
        addresses = _addresses(done.event)
        before = reload_event(done.event).version
        folded = {address: _still(client.get(address).content) for address in addresses}
        if reload_event(done.event).version != before:  # who came first opened a card
            folded = {address: _still(client.get(address).content) for address in addresses}
        clear_cache()
        for address in addresses:
            if _still(client.get(address).content) != folded[address]:
                wrong.append(f"{address} after {done.act}: {done.about}")
        looks.append(done.number)
        return len(looks) == LOOKS

    RandomEvent(one.kind.name, one.rules.name, seed=seed, entrants=4, after_act=look).play()
    assert looks
    assert not wrong, "\n".join(wrong)


def _addresses(event: Event) -> list[str]:
    """Return the URLs of the pages of the event's first players and cards."""
    players = [f"/my/{who.token}/" for who in event.entrants.order_by("number")[:3]]
    cards = Card.objects.filter(match__event=event).order_by("pk")[:4]
    at_card = [f"/my/{who.token}/card/{card.token}/" for card in cards for who in card.entrants[:2]]
    return [*players, *(f"{own}match/" for own in players), *at_card]


def _still(body: bytes) -> bytes:
    return ALIVE.sub(b"", body)


def test_my_match_that_is_open_on_a_card_is_loaded_again_once_the_card_is_posted() -> None:
    card = the_card(an_event_in_play())
    phone, address = Client(), link(card, "match/")
    assert f'data-live-panel="{address}?card={card.token}"' in phone.get(address).content.decode()
    asked = f"{address}?card={card.token}"
    assert "HX-Refresh" not in phone.get(asked, **PANEL).headers
    post(card)
    assert phone.get(asked, **PANEL).headers["HX-Refresh"] == "true"
    assert "HX-Refresh" not in phone.get(asked).headers


def test_the_winner_of_the_final_is_told_that_they_have_won() -> None:
    card = the_card(an_event_in_play(("A", "B")))
    post(card)
    texts = [page_text(Client().get(f"/my/{entrant.token}/match/")) for entrant in card.entrants]
    assert ["You have won the event" in text for text in texts] == [True, False]


def read_my_match(entrant: Entrant) -> str:
    """Return the title of the page *My match* for a player without a match, or “plays” for a player with one."""
    page = Client().get(f"/my/{entrant.token}/match/")
    return page.context["told"].title if "told" in (page.context or {}) else "plays"


PLAYS, WAITS, OUT, WON = "plays", "Waiting for your opponent", "You are eliminated", "You have won the event"


@pytest.mark.parametrize(
    ("kind", "decided", "told"),
    [
        ("single-elimination", "R1M1", (WAITS, OUT, PLAYS, PLAYS)),
        ("single-elimination", "R1M1 R1M2", (PLAYS, OUT, PLAYS, OUT)),
        ("double-elimination", "W1M1", (WAITS, WAITS, PLAYS, PLAYS)),
        ("double-elimination", "W1M1 W1M2 W2M1", (WAITS, PLAYS, WAITS, PLAYS)),
        ("double-elimination", "W1M1 W1M2 L1M1", (PLAYS, WAITS, PLAYS, OUT)),
        ("double-elimination", "W1M1 W1M2 L1M1 W2M1 L2M1", (PLAYS, OUT, PLAYS, OUT)),
    ],
)
def test_my_match_tells_a_player_who_plays_on_from_one_who_is_eliminated(
    kind: str, decided: str, told: tuple[str, ...]
) -> None:
    """Each player's page *My match* shows the text in `told` at the player's place in the draw.

    `decided` names the matches that have a result. The upper side wins each of them, except L2M1.
    """
    event = staged(4, {"kind": kind})
    bracket = load_event_stages(event).bracket
    assert bracket is not None
    for ident in decided.split():
        win(event, ident, int(ident == "L2M1"))
    players = [event.entrants.get(number=number) for number in bracket.progress.bracket.entries]
    assert tuple(map(read_my_match, players)) == told
