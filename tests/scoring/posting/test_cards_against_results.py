"""A score card that was corrected and signed again after play went on can contradict its match's result.

Pages and `verify_event` name the card until staff decide which of the two counts.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card, DirectorCall
from scoring.posting.services.opening import get_or_open_card
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import send_pairs
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tests.scoring.helpers.playing import an_event_in_play, gin, play, sign_both, the_card, the_director
from tests.scoring.helpers.superseded import FOUR, bad_lines, corrected_late, page, today, verify_page, words
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = pytest.mark.django_db


def test_card_page_and_match_page_both_say_that_they_disagree() -> None:
    event = corrected_late()
    card = the_card(event)
    digest = load_card_state_by_pk(card.pk).digest
    for where in (page(event, "scoring:card", token=card.token), page(event, "pairing:match", ident="R1M1")):
        assert "The score card and the result disagree." in where
        assert "Ada won, 45–0" in where and "Ada 0 – 55 Alan" in where
        assert "Signed by all and verified" not in where
    assert "Differs from the result" in page(event, "scoring:match_cards", ident="R1M1")
    assert find_card_proof(digest).authenticity is Authenticity.DISAGREES
    assert "Genuine." not in verify_page(digest)
    assert not DirectorCall.objects.exists()


def test_today_lists_it_with_one_button_that_leads_to_the_decision() -> None:
    event = corrected_late()
    listed = today(event)
    address = event_url("pairing:desk_decide", event, ident="R1M1") + "?ending=played:2"
    assert listed.count("Decide the match") == 1
    assert f'href="{address}"' in listed
    form = words(client_as("director", event).get(address).content.decode())
    assert 'name="points_2" value="55"' in form and 'value="played:2" required checked' in form


def test_verify_event_names_each_card_and_result_that_disagree() -> None:
    event = corrected_late()
    (bad,) = bad_lines(event)
    assert bad.startswith("R1M1, game 1 (Ada – Alan)")
    assert "the card says Ada 0\u00a0–\u00a055 Alan; the result on record says Ada won 45–0" in bad
    said = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("verify_event", event.tournament.slug, event.slug, "--json", stdout=said)
    answer = json.loads(said.getvalue())
    assert [one["code"] for one in answer["problems"] if one["place"].startswith("R1M1")] == ["card-against-result"]


@pytest.mark.parametrize("keep_result", [True, False])
def test_once_it_is_decided_both_say_what_counts(keep_result: bool) -> None:
    event = corrected_late()
    match, digest = the_card(event).match, load_card_state_by_pk(the_card(event).pk).digest
    more: dict[str, Any] = (
        {"points": {1: 45, 2: 0}} if keep_result else {"later_match_choices": {"R2M1": LaterMatchChoice.KEEP}}
    )
    winner = event.entrants.get(number=1 if keep_result else 2)
    said = MatchDecision(
        match=match, winner=winner, cause=ResultCause.PLAYED, reason="We looked", override=True, **more
    )
    result = decide_match(said, by=the_director(event))
    assert result.score == ({"1": 45, "2": 0} if keep_result else {"1": 0, "2": 55})
    assert find_card_proof(digest).authenticity is (Authenticity.SUPERSEDED if keep_result else Authenticity.GENUINE)
    assert bad_lines(event) == []
    assert "Decide the match" not in today(event)


def test_the_same_winner_by_other_points_is_recorded_with_the_new_points() -> None:
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    entry = LineEntry(gin("A", 25), via="desk")
    correct_line(the_card(event), 1, entry, by=the_director(event), reason="miscounted")
    sign_both(the_card(event))
    assert MatchResult.objects.get(superseded_by__isnull=True).score == {"1": 50, "2": 0}
    assert bad_lines(event) == []


def test_in_a_pool_a_card_signed_after_the_next_round_was_paired_disagrees_and_is_named() -> None:
    event = staged(4, QUALIFIER, FINALS)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 40}, 1), by=SYSTEM_ACTOR)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    for meeting in load_ready_seated_matches(fresh(event)):
        card = get_or_open_card(meeting, 1, by=SYSTEM_ACTOR)
        play(card, gin("A", 20))
        sign_both(card)
    card = Card.objects.order_by("pk")[0]
    correct_line(card, 1, LineEntry(gin("B", 30, "9C"), via="desk"), by=SYSTEM_ACTOR, reason="the wrong column")
    send_pairs(event, PairsToSend(pairs=((1, 3), (2, 4))), by=SYSTEM_ACTOR)
    sign_both(card)
    event = fresh(event)
    assert "The score card and the result disagree." in page(event, "pairing:match", ident=card.match.ident)
    assert "Decide the match" in today(event)
    assert len(bad_lines(event)) == 1


def test_standings_keep_the_point_spread_of_a_corrected_match() -> None:
    event = staged(4, QUALIFIER, FINALS)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 40}, 1), by=SYSTEM_ACTOR)
    send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
    for meeting in load_ready_seated_matches(fresh(event)):
        card = get_or_open_card(meeting, 1, by=SYSTEM_ACTOR)
        play(card, gin("A", 20))
        sign_both(card)
    match, winner = Card.objects.order_by("pk")[0].match, event.entrants.get(number=2)
    said = MatchDecision(
        match=match, winner=winner, cause=ResultCause.PLAYED, reason="swapped", override=True, points={1: 3, 2: 45}
    )
    decide_match(said, by=SYSTEM_ACTOR)
    pool = course_of(event).pool
    assert pool is not None
    assert (pool.qualifying[2].record.spread, pool.qualifying[1].record.spread) == (42, -42)
    assert [
        check.finding for check in verify_event(fresh(event)) if not check.passed and check.subject != "draw order"
    ] == []
