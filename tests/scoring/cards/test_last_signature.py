"""The request with a match's last signature loads the card once, under the lock, and then updates it in memory."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from pairing.draws.results import MatchOutcome
from pairing.models import MatchResult
from pairing.results.services.results import record_result
from pairing.stages.selectors.brackets import load_updatable_bracket
from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_card_state_by_token
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, CardPosted
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, play_out, post, sign, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.core.services.record import writing
from tournament.models import AuditEntry

FOUR = ("Ada", "Alan", "Grace", "Kurt")
STROKES = "[[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]"


def signed_by_one(card: Card) -> Card:
    cache.clear()
    play_out(card)
    sign(card, card.entrants[0])
    return card


@prebuilt
def before_the_final() -> Card:
    """Return a card that one player has signed. The other player's signature decides who plays the final."""
    event = an_event_in_play(FOUR)
    post(the_card(event, "R1M2"))
    return signed_by_one(the_card(event))


def before_the_second_game() -> Card:
    event = an_event_in_play(games_to_win=2)
    post(the_card(event))
    return signed_by_one(the_card(event, game=2))


def signs_on_the_phone(card: Card, queries: Any, **how: str) -> None:
    """Give the last signature on a phone, and check that the card is posted and the match has a result.

    `queries` is a context manager that checks the number of database queries, including the start and the end of the
    transaction. It does not count those for opening the page.
    """
    who, client = card.entrants[1], Client()
    page = reverse("scoring:my_sign", kwargs={"token": who.token, "card": card.token})
    client.get(page)
    sent = {"digest": load_card_state_by_token(card.token).digest, "key": "sent-once", **how}
    rows = AuditEntry.objects.count()
    with queries:
        answer = client.post(page, sent)
    assert answer.status_code == 302
    assert CardPosted.objects.filter(card=card).exists()
    assert MatchResult.objects.filter(match=card.match).count() == 1
    assert AuditEntry.objects.count() == rows + 1


@pytest.mark.django_db(transaction=True)
def test_the_request_takes_forty_one_queries_when_it_posts_the_card_and_makes_the_final(
    django_assert_num_queries: Any,
) -> None:
    card = before_the_final()
    signs_on_the_phone(card, django_assert_num_queries(41), code=card.entrants[1].sign_code)
    assert the_card(card.match.event, "R2M1").entrants


@pytest.mark.django_db(transaction=True)
def test_a_drawn_signature_takes_one_less_than_a_code(django_assert_num_queries: Any) -> None:
    signs_on_the_phone(before_the_final(), django_assert_num_queries(40), strokes=STROKES)


@pytest.mark.django_db(transaction=True)
def test_the_second_game_of_a_match_takes_no_more_than_the_only_one(django_assert_max_num_queries: Any) -> None:
    card = before_the_second_game()
    signs_on_the_phone(card, django_assert_max_num_queries(40), code=card.entrants[1].sign_code)


@pytest.mark.django_db(transaction=True)
def test_the_service_takes_thirty_eight(django_assert_num_queries: Any) -> None:
    card = before_the_final()
    who, seen = card.entrants[1], SigningContext(load_card_state_by_token(card.token).digest, key="sent-once")
    with django_assert_num_queries(38):
        state = sign_by_code(card, who.sign_code, seen, by=make_player_actor(who))
    assert state.is_posted


@pytest.mark.django_db
def test_what_grew_in_memory_is_what_the_database_has() -> None:
    card = before_the_final()
    who = card.entrants[1]
    grown = sign_by_code(
        card, who.sign_code, SigningContext(load_card_state_by_pk(card.pk).digest), by=make_player_actor(who)
    )
    loaded = load_card_state_by_token(card.token)
    assert (grown.digest, grown.signed, grown.postings) == (loaded.digest, loaded.signed, loaded.postings)


@pytest.mark.django_db
def test_a_bracket_that_grew_is_the_bracket_that_is_read_again() -> None:
    event = an_event_in_play(FOUR)
    match = the_card(event).match
    with writing(event, verb="match.decided", by=SYSTEM_ACTOR) as write:
        bracket = load_updatable_bracket(match)
        assert bracket is not None and not bracket.has_result(match)
        view = bracket.progress[match.ident]
        grown = bracket.with_result(record_result(write, match, MatchOutcome.won(match.ident, *view.entries)))
        again = load_event_stages(event).progress
    assert grown.has_result(match) and again is not None
    assert grown.progress.views == again.views
