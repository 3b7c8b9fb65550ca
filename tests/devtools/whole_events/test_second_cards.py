"""Test how the second reading classifies cards of void matches, and signed cards of matches without a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.template.backends.django import Template

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.results.services.corrections import undo_result
from pairing.results.services.results import MatchDecision, decide_match, record_table_result
from scoring.models import Card
from tests.devtools.whole_events.compare_cards import AGAIN, FLAGS, compare_card_pages, read_cards
from tests.devtools.whole_events.compare_matches import compare_differences
from tests.devtools.whole_events.facts import read_facts
from tests.devtools.whole_events.second_cards import Counts, what_it_counts_for
from tests.devtools.whole_events.words import Pages
from tests.kit import fresh
from tests.scoring.helpers.playing import (
    an_event_in_play,
    fresh_card,
    gin,
    play,
    play_out,
    post,
    sign_both,
    the_card,
    the_director,
)
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, sign_all
from tests.verifying import put_on_record
from tournament.core.cached import clear_cache
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db
Patch = pytest.MonkeyPatch


def decide(event: Event, ident: str, winner: int | None, cause: ResultCause, **choices: LaterMatchChoice) -> None:
    match = event.matches.select_related("event__tournament").get(ident=ident)
    won = event.entrants.get(number=winner) if winner else None
    said = MatchDecision(
        match=match, winner=won, cause=cause, reason="Seen", override=True, later_match_choices=choices
    )
    decide_match(said, by=the_director(event))


def read(event: Event, card: Card) -> tuple[Counts, list[str]]:
    """Return how the card counts, and all disagreements about the event's cards."""
    cache.clear()
    clear_cache()
    facts, pages = read_facts(fresh(event)), Pages(fresh(event))
    cards, wrong = read_cards(facts, pages, facts.cards)
    found = [*wrong, *compare_differences(facts, pages, cards)]
    for own in cards:
        found += compare_card_pages(facts, pages, own, cards)
    (counts,) = (what_it_counts_for(facts, own, cards) for own in cards if own.card.pk == card.pk)
    return counts, [str(one) for one in found]


def alter_pages(patch: Patch, change: Callable[[str], str]) -> None:
    honest = Template.render

    def render(*args: Any, **options: Any) -> str:
        page = honest(*args, **options)
        return type(page)(change(page))

    patch.setattr(Template, "render", render)


def final_in_play() -> tuple[Event, Card]:
    """Return an event of four players, and the card of its final with one hand."""
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    post(the_card(event, "R1M1"))
    post(the_card(event, "R1M2"))
    card = the_card(event, "R2M1")
    play(card, gin("A", 20))
    return event, card


@pytest.fixture
def void_final() -> tuple[Event, Card]:
    """Return an event whose director made a semifinal void, and with it the final, in which two had begun to play."""
    event, card = final_in_play()
    decide(event, "R2M1", 1, ResultCause.WALK_OVER)
    decide(event, "R1M1", None, ResultCause.VOID, R2M1=LaterMatchChoice.VOID)
    put_on_record(event)
    return fresh(event), card


def test_a_card_stays_void_whoever_meets_in_its_match(void_final: tuple[Event, Card]) -> None:
    event, card = void_final
    assert read(event, card) == (Counts.VOID, [])
    decide(event, "R1M1", 2, ResultCause.WALK_OVER)
    assert read(event, card) == (Counts.VOID, [])
    decide(event, "R1M1", 1, ResultCause.WALK_OVER)
    assert read(event, card) == (Counts.VOID, [])


@pytest.mark.parametrize(
    ("honest", "wrong"), [("before its match became void", "at all"), ("Grace is waiting for an opponent.", AGAIN)]
)
def test_a_void_card_with_other_words_is_found(
    void_final: tuple[Event, Card], honest: str, wrong: str, monkeypatch: Patch
) -> None:
    event, card = void_final
    alter_pages(monkeypatch, lambda page: page.replace(honest, wrong))
    assert any("void card" in one for one in read(event, card)[1])


def test_a_card_that_was_begun_by_others_is_parted_and_not_void() -> None:
    event, card = final_in_play()
    decide(event, "R1M1", 2, ResultCause.WALK_OVER)
    decide(event, "R2M1", None, ResultCause.VOID)
    put_on_record(event)
    assert read(event, card) == (Counts.PARTED, [])
    decide(event, "R1M1", 1, ResultCause.WALK_OVER)
    assert read(event, card) == (Counts.OPEN, [])


def signed_in_a_match() -> tuple[Event, Card]:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    card = the_card(event)
    play_out(card, "B")
    decide(event, "R1M1", 1, ResultCause.FORFEIT)
    sign_both(card)
    return event, card


def a_table() -> tuple[Event, Card]:
    event = a_table_event_in_play(4, "fort-worth", {"size": 4, "rounds": 2}, length="very-short")
    the_director(event)  # the staff pages are read as this person
    (card,) = open_cards(event)
    return event, card


def signed_at_a_table() -> tuple[Event, Card]:
    event, card = a_table()
    play_fort_worth(card, {"B": 10, "C": 20, "D": 30})
    record_table_result(card.match, {who.number: 7 for who in card.entrants}, by=SYSTEM_ACTOR, reason="Seen")
    sign_all(card)
    return event, card


@pytest.mark.parametrize("signed", [signed_in_a_match, signed_at_a_table])
def test_today_leads_to_a_signed_card_without_a_result(
    signed: Callable[[], tuple[Event, Card]], monkeypatch: Patch
) -> None:
    event, card = signed()
    assert read(event, card) == (Counts.DIFFERS, [])
    undo_result(fresh_card(card).match, by=SYSTEM_ACTOR, reason="Seen")
    put_on_record(event)
    assert read(event, card) == (Counts.DIFFERS, [])
    with monkeypatch.context() as patch:
        alter_pages(patch, lambda page: page.replace(f"/results/{card.match.ident}/", "/results/"))
        assert any("card and result: expected 'a way to" in one for one in read(event, card)[1])
    alter_pages(monkeypatch, lambda page: FLAGS.sub("…", page))
    assert any("superseded card" in one for one in read(event, card)[1])


def test_of_two_games_at_a_table_the_one_played_again_counts() -> None:
    event, card = a_table()
    play_fort_worth(card, {"B": 10, "C": 20, "D": 30})
    sign_all(card)
    undo_result(card.match, by=SYSTEM_ACTOR, reason="Seen")
    again = fresh_card(Card.objects.get(match=card.match_id, game=2))
    play_fort_worth(again, {"B": 15, "C": 5, "D": 1})
    sign_all(again)
    put_on_record(event)
    assert read(event, card) == (Counts.REPLACED, [])
    assert read(event, again) == (Counts.AGREES, [])
