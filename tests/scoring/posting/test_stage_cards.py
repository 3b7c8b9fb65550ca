"""If staff undo a pairing or a stage, nothing more is written on its score cards."""

from __future__ import annotations

import pytest

from pairing.desk.services.pairings import PairsToSend, undo_pairing
from pairing.results.services.corrections import undo_result
from pairing.stages.services.stages import open_next_stage, take_back_stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.hands import LineEntry, correct_line, record_scorekeeper
from scoring.models import Card, DirectorCall
from scoring.posting.selectors.card_status import load_disagreeing_cards
from scoring.posting.services.opening import get_or_open_card, open_ready_cards
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tests.scoring.helpers.playing import gin, play, sign_both
from tests.scoring.helpers.stages import on_paper
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.models import Event
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db


def first_card(event: Event) -> Card:
    return get_or_open_card(load_ready_seated_matches(fresh(event))[0], 1, by=SYSTEM_ACTOR)


def test_a_posted_card_counts_in_the_pool() -> None:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    card = first_card(event)
    on_paper(card)
    pool = course_of(event).pool
    assert pool is not None
    assert [str(pool.qualifying[who.number].record) for who in card.entrants] == ["1–0", "0–1"]


def test_nothing_is_written_on_the_card_of_a_pair_that_was_taken_back() -> None:
    event = staged(4, QUALIFIER, FINALS)
    sent = send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    card = first_card(event)
    undo_pairing(sent, by=SYSTEM_ACTOR, reason="wrong pair")
    with pytest.raises(Conflict, match="This pairing was undone"):
        record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)


def test_nothing_is_written_on_the_card_of_a_stage_that_was_taken_back() -> None:
    event = staged(4, {"kind": "fixed", "games": 1}, {"kind": "single-elimination", "seeded": True})
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    for meeting in load_ready_seated_matches(fresh(event)):
        on_paper(get_or_open_card(meeting, 1, by=SYSTEM_ACTOR))
    open_next_stage(event, by=SYSTEM_ACTOR)
    card = first_card(event)
    take_back_stage(event, by=SYSTEM_ACTOR, reason="a card was read wrongly")
    open_next_stage(event, by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="The stage of this score card was undone"):
        on_paper(card)


def test_a_game_that_is_played_again_has_a_card_of_its_own() -> None:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    first = first_card(event)
    on_paper(first)
    undo_result(first.match, by=SYSTEM_ACTOR, reason="the wrong boards")
    with writing(fresh(event), verb="desk.sent", by=SYSTEM_ACTOR) as write:
        assert not open_ready_cards(write)
    again = Card.objects.get(match=first.match_id, game=2)
    on_paper(again)
    pool = course_of(event).pool
    assert pool is not None
    assert [str(pool.qualifying[who.number].record) for who in first.entrants] == ["1–0", "0–1"]


def test_signed_after_others_were_paired_by_it_the_desk_is_asked() -> None:
    event = staged(4, QUALIFIER, FINALS)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 40}, 1), by=SYSTEM_ACTOR)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    for meeting in load_ready_seated_matches(fresh(event)):
        card = get_or_open_card(meeting, 1, by=SYSTEM_ACTOR)
        play(card, gin("A", 20))
        sign_both(card)
    card = Card.objects.order_by("pk")[0]
    one = card.entrants[0]
    correct_line(card, 1, LineEntry(gin("B", 30, "9C"), via="desk"), by=SYSTEM_ACTOR, reason="the wrong column")
    send_pairs(event, PairsToSend(pairs=((1, 3), (2, 4))), by=SYSTEM_ACTOR)
    sign_both(card)
    pool = course_of(event).pool
    assert pool is not None
    assert str(pool.qualifying[one.number].record) == "1–0"
    (found,) = load_disagreeing_cards(event)
    assert found.state.card.match == card.match
    assert not DirectorCall.objects.exists()


def test_pairs_that_play_already_are_taken_back_by_whoever_has_seen_their_lines() -> None:
    event = staged(4, QUALIFIER, FINALS)
    sent = send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    client, page = client_as("desk", event), event_url("pairing:desk_take_back", event, pairing=sent.pk)
    assert "They are playing already" not in client.get(page).content.decode()
    play(first_card(event), gin("A", 20))
    blind = client.post(page, {"reason": "wrong pair", "seen": ""}, follow=True).content.decode()
    assert "Hands are entered on the score card of G1." in blind and "They are playing already" in blind
    assert 'name="seen" value="G1"' in blind and course_of(event).current_stage.matches
    client.post(page + "?all", {"reason": "wrong pair", "seen": "G1"})
    assert not course_of(event).current_stage.matches


def test_a_stage_is_taken_back_by_whoever_has_seen_which_cards_have_lines() -> None:
    event = staged(2, {"kind": "fixed", "games": 1}, {"kind": "single-elimination", "seeded": True})
    send_pairs(event, PairsToSend(pairs=((1, 2),)), by=SYSTEM_ACTOR)
    on_paper(first_card(event))
    open_next_stage(event, by=SYSTEM_ACTOR)
    play(first_card(event), gin("A", 20))
    client = client_as("director", event)
    said = client.post(
        event_url("pairing:desk_stage_back", event), {"reason": "a wrong card", "act": "look"}
    ).content.decode()
    assert "Hands are entered on its score card." in said


def test_an_empty_card_has_the_name_of_the_substitute_and_one_that_was_begun_stays() -> None:
    event = staged(4, QUALIFIER, FINALS)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    cards = [get_or_open_card(meeting, 1, by=SYSTEM_ACTOR) for meeting in load_ready_seated_matches(fresh(event))]
    play(cards[1], gin("A", 20))
    for number, name in ((1, "Sub Stitute"), (3, "Other Sub")):
        leaving = event.entrants.select_related("event__tournament").get(number=number)
        substitute_player(leaving, 1, Person(name), by=SYSTEM_ACTOR, reason="taken ill")
    assert [load_card_state_by_pk(card.pk).names[0] for card in cards] == ["Sub Stitute", "Player 3"]
    on_paper(cards[0])
    pool = course_of(event).pool
    assert pool is not None and str(pool.qualifying[1].record) == "1–0"
