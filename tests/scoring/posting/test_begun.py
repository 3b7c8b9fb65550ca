"""A bracket shows that a match is being played as soon as its score card has a line."""

from __future__ import annotations

import pytest

from pairing.stages.pictures.boxes import get_match_state_code
from pairing.stages.selectors.boards import load_bracket_board
from scoring.posting.selectors.results import load_started_matches
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play, the_card
from tournament.models import Event

pytestmark = pytest.mark.django_db


def state(event: Event) -> str:
    board = load_bracket_board(Event.objects.get(pk=event.pk))
    assert board is not None
    return get_match_state_code(board, board.progress["R1M1"])


def test_a_match_is_played_from_its_first_line_on() -> None:
    event = an_event_in_play()
    card = the_card(event)
    cut_for(card)
    assert state(event) == "called"
    play(card, gin())
    assert state(event) == "playing"


def test_a_line_of_others_is_not_theirs() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    play(the_card(event, "R1M2"), gin())
    assert load_started_matches(event, ["R1M1"]) == set()
    assert load_started_matches(event, ["R1M1", "R1M2"]) == {("R1M2", frozenset({3, 4}))}
