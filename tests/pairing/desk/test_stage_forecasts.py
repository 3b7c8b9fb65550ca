"""Forecasts of when an event ends. Each recorded game takes twenty minutes, so the end is known exactly."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from pairing.desk.selectors.forecast import _load_past_games, load_event_forecast
from pairing.desk.services.sending import DeskPreview, call_ready_matches, change_desk_settings, send_previewed_pairs
from pairing.draws.desk.desk import DeskTerms, SiteTables
from pairing.draws.forecast.forecast import StageForecast
from pairing.stages.selectors.course import load_ready_matches
from pairing.stages.services.stages import open_next_stage
from scoring.rulesheets.selectors import load_relative_match_lengths
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.desk import desk_of
from tests.pairing.helpers.events import an_event_in_play, win
from tests.pairing.helpers.sites import AUSTIN, OSLO, in_play
from tests.pairing.helpers.stages import FINALS, course_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

GAME = timedelta(minutes=20)
BEGAN = datetime(2026, 11, 28, 18, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _before_play() -> Iterator[None]:
    """Set the clock to an hour before `BEGAN`, because the setup is recorded with the current time."""
    with time_machine.travel(BEGAN - timedelta(hours=1), tick=False):
        yield


def minutes_left(event: Event, now: datetime) -> float:
    return (forecast_of(event, now).overall.ends_at - now) / timedelta(minutes=1)


def forecast_of(event: Event, now: datetime) -> StageForecast:
    found = load_event_forecast(fresh(event), now)
    assert found is not None
    return found


def play_bracket_round(event: Event, at: datetime) -> datetime:
    """Call all ready matches to tables, end them after twenty minutes, and return the time at their end."""
    idents = load_ready_matches(fresh(event))
    with time_machine.travel(at, tick=False):
        call_ready_matches(fresh(event), 1, len(idents), by=SYSTEM_ACTOR)
    with time_machine.travel(at + GAME, tick=False):
        for ident in idents:
            win(event, ident)
    return at + GAME


def call_at_desk(event: Event, at: datetime) -> None:
    """Send to tables all pairs and games that the pairing page suggests."""
    desk = desk_of(event, at)
    pairs = tuple(one.pair_and_table for one in desk.next_pairs if one.table is not None or desk.pairs_in_rounds)
    calls = tuple((game.ident, table) for game, table in desk.next_calls)
    with time_machine.travel(at, tick=False):
        send_previewed_pairs(
            fresh(event), DeskPreview(at=desk.now, pairs=pairs, calls=calls, bye=desk.bye), by=SYSTEM_ACTOR
        )


def end_at_desk(event: Event, at: datetime) -> None:
    desk = desk_of(event, at)
    with time_machine.travel(at, tick=False):
        for one in desk.busy_tables:
            won(event, one.ident, *sorted(one.sides))


def play_at_desk(event: Event, at: datetime) -> datetime:
    call_at_desk(event, at)
    end_at_desk(event, at + GAME)
    return at + GAME


def test_a_bracket_ends_after_the_rounds_that_are_left() -> None:
    event = an_event_in_play(16)
    assert load_event_forecast(Event(state=Event.State.DRAWN)) is None
    now = play_bracket_round(event, BEGAN)
    assert 58 <= minutes_left(event, now) <= 85
    assert forecast_of(event, now).overall.games_left == 7
    now = play_bracket_round(event, play_bracket_round(event, now))
    assert 19 <= minutes_left(event, now) <= 26
    play_bracket_round(event, now)
    assert load_event_forecast(fresh(event), now + GAME) is None


def test_the_final_to_more_points_is_that_much_longer() -> None:
    event = an_event_in_play(8)
    lengths = ({"from_end": 1, "options": {"target": 450}},)
    plain = play_bracket_round(event, play_bracket_round(event, BEGAN))
    usual = minutes_left(event, plain)
    save_rule_sheet(
        event, ChosenRules("gra-singles", {"target": 150}, lengths=lengths), by=SYSTEM_ACTOR, reason="the final is long"
    )
    assert load_relative_match_lengths(fresh(event), [("", "R1M1"), ("", "R3M1")]) == {
        ("", "R1M1"): 1.0,
        ("", "R3M1"): 3.0,
    }
    assert 2.7 * usual < minutes_left(event, plain) < 3.4 * usual


def test_a_match_at_its_table_counts_from_its_call_and_a_correction_is_no_later_end() -> None:
    event = an_event_in_play(4)
    now = play_bracket_round(event, BEGAN)
    with time_machine.travel(now + timedelta(hours=3), tick=False):
        win(event, "R1M1", side=1)
    past = _load_past_games(fresh(event))
    assert [game.ended - game.began for game in past if game.ended is not None] == [GAME, GAME]
    with time_machine.travel(now, tick=False):
        call_ready_matches(fresh(event), 1, 1, by=SYSTEM_ACTOR)
    assert minutes_left(event, now + timedelta(minutes=10)) < minutes_left(event, now)


def test_a_double_elimination_counts_both_brackets() -> None:
    event = staged(8, {"kind": "double-elimination"})
    now = play_bracket_round(event, BEGAN)
    # Winners' bracket 2 rounds more, losers' bracket 4, of which the first goes on beside; then the final.
    assert 95 <= minutes_left(event, now) <= 140


def test_swiss_rounds_wait_for_the_slowest_table_and_for_tables() -> None:
    event = staged(16, {"kind": "swiss", "rounds": 4})
    now = play_at_desk(event, BEGAN)
    enough = minutes_left(event, now)
    assert 60 <= enough <= 100
    change_desk_settings(event, DeskTerms(last_table=4), by=SYSTEM_ACTOR)
    assert 1.7 * enough < minutes_left(event, now) < 2.2 * enough
    call_at_desk(event, now)
    assert forecast_of(event, now).overall.games_left == 16 + 4
    assert minutes_left(event, now + timedelta(minutes=10)) < minutes_left(event, now)


def test_groups_end_when_everybody_met_everybody() -> None:
    event = staged(8, {"kind": "round-robin", "groups": 2, "best": 1}, FINALS)
    now = play_at_desk(event, BEGAN)
    assert forecast_of(event, now).overall.games_left == 8
    assert 38 <= minutes_left(event, now) <= 60
    change_desk_settings(event, DeskTerms(last_table=2), by=SYSTEM_ACTOR)
    assert 78 <= minutes_left(event, now) <= 115


def test_a_play_off_ends_after_its_rounds_and_knows_the_pace_of_the_pool() -> None:
    event = staged(8, {"kind": "fixed", "games": 1}, {"kind": "play-off", "places": 1}, {"kind": "single-elimination"})
    now = play_at_desk(event, BEGAN)
    open_next_stage(event, by=SYSTEM_ACTOR)
    play_off = course_of(event).current_stage.play_off
    assert play_off is not None and len(play_off.rounds[0].matches) == 2
    found = forecast_of(event, now)
    assert found.overall.games_left == 3 and found.overall.why.endswith("(20 minutes a game so far).")
    assert 38 <= minutes_left(event, now) <= 60


def test_each_site_is_forecast_by_its_own_tables_and_the_stage_ends_with_the_last() -> None:
    event = in_play(*[AUSTIN] * 8, *[OSLO] * 8)
    terms = DeskTerms(wait_for=2, at_sites=(SiteTables(AUSTIN, 1, 4), SiteTables(OSLO, 11, 11)))
    change_desk_settings(event, terms, by=SYSTEM_ACTOR)
    found = forecast_of(event, BEGAN)
    ends = {name: site.ends_at for name, site in found.sites}
    assert ends[OSLO] > ends[AUSTIN] + timedelta(minutes=90)
    assert found.overall.ends_at == ends[OSLO]
    html = client_as("director", event).get(event_url("pairing:desk_pairing", event)).content.decode()
    assert html.count("ends at about") == 2 and html.count("Ends at about") == 1


def test_sites_that_share_tables_have_them_by_who_is_still_in_play() -> None:
    event = in_play(*[AUSTIN] * 12, *[OSLO] * 4)
    change_desk_settings(event, DeskTerms(wait_for=2, last_table=4), by=SYSTEM_ACTOR)
    ends = {name: site.ends_at for name, site in forecast_of(event, BEGAN).sites}
    assert abs(ends[AUSTIN] - ends[OSLO]) < timedelta(minutes=60)


@pytest.mark.parametrize(("page", "format"), [("desk_tables", "bracket"), ("desk_stages", "stages")])
def test_the_pages_of_a_director_say_when_it_ends(page: str, format: str) -> None:
    event = an_event_in_play(4) if format == "bracket" else staged(8, {"kind": "swiss", "rounds": 3})
    html = client_as("director", event).get(event_url(f"pairing:{page}", event)).content.decode()
    assert "Ends at about" in html and "No game is being played, " in html
