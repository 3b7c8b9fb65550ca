"""One hand costs the desk's pages one card."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.kept_cards import load_kept_cards
from scoring.models import Card
from tests.factories import a_user
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, the_card
from tournament.core.folded import forget_folds, versions_by_topic
from tournament.models import Event

pytestmark = pytest.mark.django_db

EIGHT = ("Ada", "Alan", "Barbara", "Claude", "Donald", "Edsger", "Frances", "Grace")


def cards_of(event: Event) -> dict[str, CardState]:
    match_of = dict(Card.objects.filter(match__event=event).values_list("pk", "match_id"))
    states = load_kept_cards(event, match_of, versions_by_topic(event.pk))
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
        assert client.get(f"/desk/{event.tournament.slug}/{event.slug}/{page}").status_code == 200
    return len(asked)


@pytest.mark.parametrize(("page", "cold", "after_a_hand", "warm"), [("today/", 50, 47, 35), ("cards/", 18, 22, 10)])
def test_what_pages_of_cards_ask(page: str, cold: int, after_a_hand: int, warm: int) -> None:
    event = an_event_in_play(EIGHT)
    post(the_card(event, "R1M1"))
    client = Client()
    client.force_login(a_user("director", event.tournament))
    queries_of(client, event, page)
    forget_folds()
    asked = [queries_of(client, event, page)]
    play(the_card(event, "R1M2"), gin())
    asked += [queries_of(client, event, page), queries_of(client, event, page)]
    assert asked == [cold, after_a_hand, warm]
