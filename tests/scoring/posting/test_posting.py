from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import MatchDecision, decide_match
from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_seated_match
from scoring.cards.player import match as player_match
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import Card, DirectorCall
from scoring.posting.selectors.card_status import load_disagreeing_cards
from scoring.posting.services.opening import get_or_open_card
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, sign_both, the_card, the_director
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, ReasonRequired

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


def test_the_winner_moves_up_and_the_next_card_is_opened() -> None:
    event = an_event_in_play(FOUR)
    assert Card.objects.count() == 2
    post(the_card(event, "R1M1"), "B")
    post(the_card(event, "R1M2"), "A")
    final = the_card(event, "R2M1")
    assert [entrant.name for entrant in final.entrants] == ["Alan", "Grace"]
    result = MatchResult.objects.get(match__ident="R1M1")
    assert (result.winner.name, result.score) == ("Alan", {"1": 0, "2": 91})


def test_the_last_match_leaves_a_champion() -> None:
    event = an_event_in_play()
    post(the_card(event))
    progress = load_event_stages(event).progress
    assert progress is not None
    assert progress.champion == 1


def test_a_match_of_two_games_won_opens_game_after_game() -> None:
    event = an_event_in_play(games_to_win=2)
    post(the_card(event), "A")
    assert not MatchResult.objects.exists()
    post(the_card(event, game=2), "B")
    post(the_card(event, game=3), "B")
    result = MatchResult.objects.get()
    assert (result.winner.name, result.score) == ("Alan", {"1": 1, "2": 2})
    assert Card.objects.filter(match__ident="R1M1").count() == 3


def turned_round(event: Any, override: str = "") -> Any:
    """Correct the first hand on the card of match 1, so that side B won it."""
    card = the_card(event)
    entry = LineEntry(gin("B", 30, "9C"), via="desk", override=override)
    return correct_line(card, 1, entry, by=the_director(event), reason="written on the wrong side")


def test_a_correction_that_turns_the_winner_supersedes_the_result_once_it_is_signed() -> None:
    event = an_event_in_play(FOUR, target=40)
    card = the_card(event)
    play(card, gin("A", 20))
    sign_both(card)
    state = turned_round(event)
    assert state.score.winner == card.entrants[1]
    assert MatchResult.objects.get().winner == card.entrants[0]
    sign_both(card)
    assert list(MatchResult.objects.values_list("winner__name", flat=True)) == ["Ada", "Alan"]
    progress = load_event_stages(event).progress
    assert progress is not None
    assert progress["R1M1"].winner == 2


def test_corrected_back_to_what_was_signed_is_signed_anew_and_counts_then() -> None:
    event = an_event_in_play(FOUR, target=40)
    card = the_card(event)
    first = play(card, gin("A", 20))
    sign_both(card)
    turned_round(event)
    sign_both(card)
    entry = LineEntry(gin("A", 20), via="desk")
    state = correct_line(card, 1, entry, by=the_director(event), reason="it was right at first")
    assert state.score.totals == first.score.totals
    assert (state.digest == first.digest, state.is_posted, len(state.signatures.missing_seats)) == (False, False, 2)
    sign_both(card)
    last = MatchResult.objects.get(superseded_by__isnull=True)
    assert last.winner == card.entrants[0]


def test_a_correction_after_the_next_match_began_needs_a_reason_of_its_own() -> None:
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    play(the_card(event, "R1M2"), gin("A", 20))
    sign_both(the_card(event, "R1M2"))
    play(the_card(event, "R2M1"), gin("A", 3))
    with pytest.raises(ReasonRequired, match="is already in the next match"):
        turned_round(event)
    assert load_card_state_by_pk(the_card(event).pk).is_posted
    assert turned_round(event, override="Both agree; the final starts again").was_posted


def test_decided_first_with_the_next_match_kept_the_card_is_corrected_and_signed() -> None:
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    play(the_card(event, "R1M2"), gin("A", 20))
    sign_both(the_card(event, "R1M2"))
    play(the_card(event, "R2M1"), gin("A", 3))
    with pytest.raises(ReasonRequired) as refusal:
        turned_round(event)
    assert (refusal.value.data["ident"], refusal.value.data["ending"]) == ("R1M1", "played:2")
    match, winner = the_card(event).match, the_card(event).entrants[1]
    kept = {"R2M1": LaterMatchChoice.KEEP}
    said = MatchDecision(
        match=match,
        winner=winner,
        cause=ResultCause.PLAYED,
        reason="wrong side",
        later_match_choices=kept,
        override=True,
        points={1: 0, 2: 55},
    )
    decide_match(said, by=the_director(event))
    assert turned_round(event).score.winner == winner
    sign_both(the_card(event))
    progress = load_event_stages(event).progress
    assert progress is not None
    assert (progress["R1M1"].winner, progress["R2M1"].entries) == (2, (1, 3))
    play(the_card(event, "R2M1"), gin("A", 30, "9C"))
    sign_both(the_card(event, "R2M1"))
    finished = load_event_stages(event).progress
    assert finished is not None and finished.champion == 1


def test_no_further_game_is_opened_by_whoever_read_the_match_before_it_was_decided() -> None:
    event = an_event_in_play(FOUR)
    match = the_card(event).match
    read_before = load_seated_match(match)
    post(the_card(event))
    with pytest.raises(Conflict, match="decided"):
        get_or_open_card(read_before, 2, by=SYSTEM_ACTOR)
    assert list(Card.objects.filter(match=match).values_list("game", flat=True)) == [1]


def test_a_match_page_that_was_overtaken_by_the_last_signature_shows_what_is_next(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = an_event_in_play(FOUR)
    ada = the_card(event).entrants[0]
    read = player_match.load_cached_match_cards

    def overtaken(*asked: Any) -> Any:
        monkeypatch.setattr(player_match, "load_cached_match_cards", read)
        post(the_card(event))
        return read(*asked)

    monkeypatch.setattr(player_match, "load_cached_match_cards", overtaken)
    page = client.get(f"/my/{ada.token}/match/")
    assert page.status_code == 200
    assert page.context["played"] == [("Ada – Alan", True, [(the_card(event).token, 1)])]
    assert Card.objects.filter(match__ident="R1M1").count() == 1


def test_a_match_made_void_is_decided_by_the_card_of_its_replay() -> None:
    event = an_event_in_play(FOUR)
    post(the_card(event), "A")
    match = the_card(event).match
    said = MatchDecision(
        match=match, winner=None, cause=ResultCause.VOID, reason="Wrong opponents sat down", override=True
    )
    decide_match(said, by=the_director(event))
    card = get_or_open_card(load_seated_match(match), 2, by=SYSTEM_ACTOR)
    post(card, "B")
    last = MatchResult.objects.get(superseded_by__isnull=True)
    assert (last.winner.name, last.score) == ("Alan", {"1": 0, "2": 91})


def corrected_before_the_final_was_played() -> Any:
    """Return an event whose first card was corrected so that Alan has won, but was not signed again.

    Ada, who had won before the correction, plays and wins the final.
    """
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    turned_round(event)
    play(the_card(event, "R1M2"), gin("A", 20))
    sign_both(the_card(event, "R1M2"))
    play(the_card(event, "R2M1"), gin("A", 20))
    sign_both(the_card(event, "R2M1"))
    return event


def test_signed_after_the_next_match_was_played_the_desk_is_asked_and_nothing_is_reopened() -> None:
    event = corrected_before_the_final_was_played()
    sign_both(the_card(event))
    assert load_card_state_by_pk(the_card(event).pk).is_posted
    progress = load_event_stages(event).progress
    assert progress is not None
    assert (progress["R1M1"].winner, progress["R2M1"].winner, progress.champion) == (1, 1, 1)
    (found,) = load_disagreeing_cards(event)
    assert (found.state.card.match.ident, found.result.winner if found.result else None) == ("R1M1", 1)
    assert not DirectorCall.objects.exists(), "nobody called, and no call is made in anybody's name"


def test_asked_the_director_decides_and_the_final_stands_as_it_was_played() -> None:
    event = corrected_before_the_final_was_played()
    sign_both(the_card(event))
    match, winner = the_card(event).match, the_card(event).entrants[1]
    said = MatchDecision(
        match=match,
        winner=winner,
        cause=ResultCause.PLAYED,
        reason="as the card says",
        later_match_choices={"R2M1": LaterMatchChoice.KEEP},
        override=True,
    )
    decide_match(said, by=the_director(event))
    progress = load_event_stages(event).progress
    assert progress is not None
    assert (progress["R1M1"].winner, progress["R2M1"].entries, progress.champion) == (2, (1, 3), 1)


def test_signed_late_with_the_same_winner_nobody_is_asked() -> None:
    event = an_event_in_play(FOUR, target=40)
    play(the_card(event), gin("A", 20))
    sign_both(the_card(event))
    entry = LineEntry(gin("A", 25), via="desk")
    correct_line(the_card(event), 1, entry, by=the_director(event), reason="miscounted")
    play(the_card(event, "R1M2"), gin("A", 20))
    sign_both(the_card(event, "R1M2"))
    play(the_card(event, "R2M1"), gin("A", 20))
    sign_both(the_card(event, "R2M1"))
    sign_both(the_card(event))
    assert not DirectorCall.objects.exists()
    assert load_disagreeing_cards(event) == []
    assert MatchResult.objects.get(match__ident="R1M1", superseded_by__isnull=True).score == {"1": 50, "2": 0}
