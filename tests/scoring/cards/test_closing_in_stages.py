from __future__ import annotations

from typing import Any

import pytest

from pairing.models import MatchResult
from pairing.stages.selectors.course import EventStages, load_event_stages
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.closing import TimeCall, call_time, load_open_games, reopen_game
from scoring.models import Card
from scoring.posting.services.opening import open_missing_cards
from scoring.rules.book.options import MatchPosition
from scoring.rulesheets.selectors import describe_rule_sheet, list_match_length_scopes
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.kit import fresh
from tests.pairing.helpers.events import an_event_in_play
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import fresh_card, gin, play
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

GROUP = {"kind": "round-robin", "name": "Everybody once", "best": 4}
LENGTHS: tuple[dict[str, Any], ...] = (
    {"stage": "round-robin", "options": {"target": 60}},
    {"stage": "double-elimination", "options": {"target": 80}},
    {"from_end": 1, "options": {"target": 90}},
)


@prebuilt
def in_play(last: str = "double-elimination") -> Event:
    stages = {"stages": [GROUP, {"kind": last, "seeded": True}]}
    event = an_event_in_play(4, format="stages", format_options=stages)
    chosen = ChosenRules("gra-singles", {"target": 120}, lengths=LENGTHS, unfinished="leader")
    save_rule_sheet(event, chosen, by=SYSTEM_ACTOR, reason="Before the first card")
    return fresh(event)


def course_of(event: Event) -> EventStages:
    course = load_event_stages(fresh(event))
    return course


def open_states(event: Event) -> list[CardState]:
    open_missing_cards(fresh(event), by=SYSTEM_ACTOR)
    return [game.state for game in load_open_games(fresh(event))]


def close_all(event: Event) -> None:
    """On each open card, record one gin for the first player. Then call time, which must decide every match."""
    for state in open_states(event):
        play(fresh_card(state.card), gin("A", 10))
    games = [TimeCall(game.state.card, game.snapshot) for game in load_open_games(fresh(event))]
    assert not call_time(fresh(event), games, by=SYSTEM_ACTOR).undecided


def test_the_places_are_the_stages_and_the_last_rounds() -> None:
    event = in_play()
    assert [place.name for place in list_match_length_scopes(event)][:4] == [
        "Everybody once",
        "Finals",
        "Final",
        "Last round before the final, of both brackets",
    ]
    assert list_match_length_scopes(event)[2].match_position == MatchPosition("double-elimination", 1)
    sheet = event.rule_sheets.get(version=event.rule_sheets.count())
    assert describe_rule_sheet(sheet)["lengths"] == [
        ("Final", "to 90"),
        ("Finals", "to 80"),
        ("Everybody once", "to 60"),
    ]


def test_a_group_is_closed_by_the_clock_and_the_bracket_has_its_own_lengths() -> None:
    event = in_play()
    assert {state.target for state in open_states(event)} == {60}
    assert {game.group_name for game in load_open_games(event)} == {"Everybody once"}
    while not course_of(event).current_stage.is_complete:
        close_all(event)
    causes = {tuple(credit) for result in MatchResult.objects.all() for credit in result.credits.values()}
    assert causes == {("win", "time"), ("loss", "time")}
    open_next_stage(fresh(event), by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H"))
    while not course_of(event).is_complete:
        close_all(event)
    targets = dict(Card.objects.filter(match__ident__regex="^[WLF]").values_list("match__ident", "length"))
    assert targets.pop("F1M1") == {"options": {"target": 90}}
    assert {length["options"]["target"] for length in targets.values()} == {80}


def test_a_closing_in_a_group_is_taken_back() -> None:
    event = in_play()
    state = open_states(event)[0]
    play(fresh_card(state.card), gin("A", 10))
    game = next(game for game in load_open_games(fresh(event)) if game.state.card == state.card)
    call_time(fresh(event), [TimeCall(state.card, game.snapshot)], by=SYSTEM_ACTOR)
    assert course_of(event).current_stage.matches[state.card.match.ident].is_decided
    reopen_game(fresh_card(state.card), by=SYSTEM_ACTOR, reason="There was time left")
    assert not course_of(event).current_stage.matches[state.card.match.ident].is_decided
    play(fresh_card(state.card), gin("A", 20, "9C"))
    assert load_card_state_by_pk(state.card.pk).is_complete
