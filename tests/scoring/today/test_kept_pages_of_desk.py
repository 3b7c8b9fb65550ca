"""Staff pages use cached values. A new hand reloads only its card, and pages always equal newly computed ones."""

from __future__ import annotations

import random
import re
from typing import Final

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.card_state.selectors.cards import load_cached_cards
from scoring.card_state.selectors.state import CardState
from scoring.models import Card
from scoring.rehearsal.selectors.playable import list_playable_combinations
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from tests.chance import QUICK
from tests.factories import a_user
from tests.kit import client_as, desk_url
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, the_card
from tournament.core.cached import clear_cache, load_versions_by_topic
from tournament.models import Event

pytestmark = pytest.mark.django_db

PAGES: Final = ("today/", "cards/", "cards/?show=all", "check-in/", "prizes/", "end-early/", "results/")
EVERY: Final = 12 if QUICK else 3
"""The pages are checked each time after this number of actions."""
ALIVE: Final = re.compile(rb'(name="(?:csrfmiddlewaretoken|key|shown)" value|data-key|nonce)="[^"]*"')
EIGHT = ("Ada", "Alan", "Barbara", "Claude", "Donald", "Edsger", "Frances", "Grace")


def cards_of(event: Event) -> dict[str, CardState]:
    match_of = dict(Card.objects.filter(match__event=event).values_list("pk", "match_id"))
    states = load_cached_cards(event, match_of, load_versions_by_topic(event.pk))
    return {state.card.match.ident: state for state in states}


def test_a_hand_costs_the_desk_one_card() -> None:
    event = an_event_in_play(EIGHT)
    before = cards_of(event)
    play(the_card(event, "R1M2"), gin())
    after = cards_of(event)
    assert {ident for ident, state in after.items() if state is not before[ident]} == {"R1M2"}
    assert len(after["R1M2"].lines) == 1


def queries_of(client: Client, event: Event, page: str) -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(desk_url(event, page)).status_code == 200
    return len(asked)


@pytest.mark.parametrize("posted", [1, 3])
def test_the_end_of_an_event_asks_no_more_for_many_cards(posted: int) -> None:
    event = an_event_in_play(EIGHT)
    for number in range(1, posted + 1):
        post(the_card(event, f"R1M{number}"))
    client = client_as("director", event)
    queries_of(client, event, "end-early/")
    clear_cache()
    assert [queries_of(client, event, "end-early/") for _look in range(2)] == [32, 13]


@pytest.mark.parametrize(("page", "cold", "after_a_hand", "warm"), [("today/", 50, 45, 7), ("cards/", 22, 21, 7)])
def test_what_pages_of_cards_ask(page: str, cold: int, after_a_hand: int, warm: int) -> None:
    event = an_event_in_play(EIGHT)
    post(the_card(event, "R1M1"))
    client = client_as("director", event)
    queries_of(client, event, page)
    clear_cache()
    asked = [queries_of(client, event, page)]
    play(the_card(event, "R1M2"), gin())
    asked += [queries_of(client, event, page), queries_of(client, event, page)]
    assert asked == [cold, after_a_hand, warm]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("seed", range(1 if QUICK else 2))
@pytest.mark.long
def test_the_desk_sees_the_same_folded_and_made_anew(seed: int) -> None:
    dice, client, wrong = random.Random(seed), Client(), []
    one = dice.choice(list(list_playable_combinations()))

    def look(done: ActionRecord) -> None:
        if done.number == 1:
            client.force_login(a_user("director", done.event.tournament))
        if done.refused is not None or done.number % EVERY:
            return
        folded = {page: still_page(client, done.event, page) for page in PAGES}
        clear_cache()
        wrong.extend(
            f"{page} after {done.act}" for page in PAGES if still_page(client, done.event, page) != folded[page]
        )

    RandomEvent(one.kind.name, one.rules.name, seed=seed, entrants=4, after_act=look).play()
    assert not wrong


def still_page(client: Client, event: Event, page: str) -> bytes:
    cache.clear()
    return ALIVE.sub(b"", client.get(desk_url(event, page)).content)
