"""The winner of a ladder game keeps the table, the loser goes to the end of the line, and no entry loses its turn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairing.desk.selectors.forecast import load_event_forecast
from pairing.desk.services.pairings import end_hold, hold_entrant, penalize_entrant
from pairing.desk.services.sending import change_desk_settings, send_manual_pair
from pairing.draws.desk.desk import DeskTerms
from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.models import Pairing
from pairing.results.services.corrections import undo_result
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import remove_entrant
from tests.factories import an_entrant
from tests.kit import client_as, entrant_of, event_url, fresh
from tests.pairing.helpers.corrections import a_correction, correct
from tests.pairing.helpers.desk import act, hidden, look, send_all
from tests.pairing.helpers.events import the_match
from tests.pairing.helpers.stages import course_of
from tests.pairing.stages.evenings import (
    a_ladder,
    both_lose,
    end,
    make_void,
    next_pairs,
    open_games,
    play,
    send_next,
    the_desk,
    the_ladder,
    the_line,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import Event

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def test_the_desk_suggests_and_sends_and_the_winner_keeps_the_number_of_the_table() -> None:
    event = a_ladder(5, 12)
    change_desk_settings(event, DeskTerms(first_table=7, last_table=9), by=SYSTEM_ACTOR)
    first, second, third, *rest = the_line(event)
    client = client_as("desk", event)
    page = look(client, event)
    assert "Start this match" in page and "are next in the line." in page
    said = send_all(client, event)
    assert f"Player {min(first, second)} – Player {max(first, second)} to table 7" in said
    loser = end(event, second)
    assert loser == first and the_line(event) == [second, third, *rest, first]
    page = look(client, event)
    assert f"Player {second} won the last game and stays; Player {third} is next in the line." in page
    assert next_pairs(event) == [({second, third}, 7)]
    send_all(client, event)
    assert end(event, second) == third
    assert the_line(event) == [second, *rest, first, third]


def test_at_two_tables_each_winner_stays_where_they_are() -> None:
    event = a_ladder(6, 12, held=2)
    a, b, c, d, e, f = the_line(event)
    assert next_pairs(event) == [({a, b}, 1), ({c, d}, 2)]
    send_next(event)
    end(event, c)
    assert next_pairs(event) == [({c, e}, 2)]
    end(event, a)
    assert next_pairs(event) == [({a, f}, 1), ({c, e}, 2)]
    send_next(event)
    busy = {frozenset(one.sides): one.table for one in the_desk(event).busy_tables}
    assert busy == {frozenset({a, f}): 1, frozenset({c, e}): 2}


def test_nobody_is_in_two_pairs_and_no_more_games_are_sent_than_the_ladder_has() -> None:
    event = a_ladder(7, 3, held=3)
    assert len(next_pairs(event)) == 3
    send_next(event)
    assert len({side for pair in open_games(event).values() for side in pair}) == 6
    assert the_desk(event).next_pairs == ()
    end(event, next(iter(open_games(event).values()))[0])
    assert the_desk(event).next_pairs == (), "three games in all"
    page = look(client_as("director", event), event)
    assert "The last games are at their tables." in page


def test_somebody_on_hold_is_passed_over_and_is_next_when_the_hold_ends() -> None:
    event = a_ladder(5, 12)
    first, second, third, fourth, fifth = the_line(event)
    play(event, first)
    client = client_as("desk", event)
    act(client, event, act="hold", number=str(third))
    assert next_pairs(event) == [({first, fourth}, 1)]
    play(event, fourth)
    assert the_line(event) == [fourth, third, fifth, second, first]
    assert next_pairs(event) == [({fourth, fifth}, 1)]
    act(client, event, act="release", number=str(third))
    assert next_pairs(event) == [({fourth, third}, 1)]


def test_somebody_not_checked_in_is_passed_over_and_is_next_when_they_come() -> None:
    event = a_ladder(4, 12)
    first, second, third, fourth = the_line(event)
    event.entrants.filter(number=third).update(arrived=False)
    Event.objects.filter(pk=event.pk).update(version=500)
    play(event, first)
    assert next_pairs(event) == [({first, fourth}, 1)]
    assert "Not checked in, so the desk" in look(client_as("director", event), event)
    play(event, first)
    event.entrants.filter(number=third).update(arrived=True)
    Event.objects.filter(pk=event.pk).update(version=600)
    assert next_pairs(event) == [({first, third}, 1)] and the_line(event) == [first, third, second, fourth]


def test_a_holder_on_hold_gives_up_the_table_and_keeps_their_turn_in_the_line() -> None:
    event = a_ladder(5, 12)
    first, second, third, fourth, fifth = the_line(event)
    play(event, first)
    hold_entrant(entrant_of(event, first), by=SYSTEM_ACTOR)
    assert next_pairs(event) == [({third, fourth}, 1)]
    play(event, third)
    assert the_ladder(event).holders == (third,) and next_pairs(event) == [({third, fifth}, 1)]
    end_hold(entrant_of(event, first), by=SYSTEM_ACTOR)
    assert the_line(event) == [third, fifth, first, second, fourth], "equals stand in the order of the draw"
    play(event, third)
    assert next_pairs(event) == [({third, first}, 1)]


def test_a_late_entry_joins_at_the_end_of_the_line() -> None:
    event = a_ladder(3, 12)
    first, second, third = the_line(event)
    play(event, first)
    late = an_entrant(event, "Late Lou", number=9)
    client = client_as("desk", event)
    page = client.get(event_url("pairing:desk_late", event))
    assert "Late Lou" in page.content.decode()
    join_stage(late, by=SYSTEM_ACTOR, reason="their train was late")
    assert the_line(event) == [first, third, second, 9]
    play(event, third, third)
    assert the_line(event) == [third, 9, first, second]
    assert next_pairs(event) == [({third, 9}, 1)]


def test_the_holder_withdraws_and_the_next_two_meet() -> None:
    event = a_ladder(4, 12)
    first, second, third, fourth = the_line(event)
    play(event, first)
    remove_entrant(entrant_of(event, first), "withdrawn", by=SYSTEM_ACTOR, reason="taken ill")
    assert the_line(event) == [third, fourth, second] and the_ladder(event).holders == ()
    assert next_pairs(event) == [({third, fourth}, 1)]
    assert the_ladder(event).qualifying[first].why == "1–0: withdrawn"


def test_who_plays_somebody_who_withdraws_has_won_and_holds_the_table() -> None:
    event = a_ladder(4, 12)
    first, second, third, fourth = the_line(event)
    play(event, first)
    send_next(event)
    remove_entrant(entrant_of(event, first), "withdrawn", by=SYSTEM_ACTOR, reason="taken ill")
    assert the_ladder(event).holders == (third,) and the_ladder(event).finished_game_count == 2
    assert the_line(event) == [third, fourth, second]
    assert next_pairs(event) == [({third, fourth}, 1)]


def test_a_void_match_changes_nobodys_turn() -> None:
    event = a_ladder(4, 3)
    first, second, third, fourth = the_line(event)
    play(event, first)
    send_next(event)
    make_void(event, "G2")
    assert the_line(event) == [first, third, fourth, second] and the_ladder(event).finished_game_count == 1
    assert next_pairs(event) == [({first, third}, 1)]
    play(event, third)
    assert the_ladder(event).longest_streaks == {first: 1, second: 0, third: 1, fourth: 0}
    assert the_line(event) == [third, fourth, second, first]


def test_a_corrected_result_changes_runs_and_holder_and_later_games_stay() -> None:
    event = a_ladder(4, 5)
    first, second, third, fourth = the_line(event)
    play(event, first, first)
    assert the_ladder(event).longest_streaks == {first: 2, second: 0, third: 0, fourth: 0}
    correct(event, a_correction(event, "G1", second))
    ladder = the_ladder(event)
    assert ladder.longest_streaks == {first: 1, second: 1, third: 0, fourth: 0} and ladder.finished_game_count == 2
    assert ladder.holders == (first,), "who has won the last game at the table"
    assert ladder.waiting_line == (first, fourth, second, third), "a correction is no later end"
    correct(event, a_correction(event, "G2", third))
    assert the_ladder(event).holders == (third,) and the_line(event) == [third, fourth, second, first]
    assert next_pairs(event) == [({third, fourth}, 1)]
    stage = course_of(event).current_stage
    assert [set(match.meeting.sides) for match in stage.matches.values()] == [{first, second}, {first, third}]


def test_a_later_game_that_is_played_again_goes_on_between_the_same_two() -> None:
    event = a_ladder(4, 5)
    first, second, third, _fourth = the_line(event)
    play(event, first, first)
    correct(event, a_correction(event, "G1", second, G2=LaterMatchChoice.REPLAY))
    assert open_games(event) == {"G2": tuple(sorted((first, third)))}
    assert the_ladder(event).games_at_tables == 1 and the_ladder(event).holders == () and next_pairs(event) == []


def test_a_penalty_is_no_game_and_leaves_the_table_to_its_holder() -> None:
    event = a_ladder(3, 4)
    first = the_line(event)[0]
    play(event, first, first)
    penalize_entrant(entrant_of(event, first), by=SYSTEM_ACTOR, reason="for an unmatched game")
    ladder = the_ladder(event)
    assert ladder.holders == (first,) and ladder.finished_game_count == 2 and ladder.longest_streaks[first] == 2
    play(event, first)
    assert the_ladder(event).longest_streaks[first] == 2, "the penalty ended the run"
    assert str(the_ladder(event).qualifying[first].record) == "3–1"


def test_pairs_taken_back_stand_where_they_stood() -> None:
    event = a_ladder(4, 5)
    line = the_line(event)
    play(event, line[0])
    before = the_line(event)
    send_next(event)
    client = client_as("director", event)
    undo = event_url("pairing:desk_take_back", event, pairing=Pairing.objects.latest("pk").pk) + "?all"
    client.post(undo, {"reason": "wrong event"})
    assert the_line(event) == before and the_ladder(event).games_at_tables == 0


def test_the_desk_moved_on_and_nothing_is_sent_from_an_old_page() -> None:
    event = a_ladder(4, 5)
    client = client_as("director", event)
    seen = hidden(look(client, event))
    hold_entrant(entrant_of(event, the_line(event)[0]), by=SYSTEM_ACTOR)
    assert "The pairings have changed since you looked" in act(client, event, **seen, act="send")
    assert not event.matches.exists()


def test_who_has_no_right_to_the_desk_is_refused() -> None:
    event = a_ladder(4, 5)
    pair = "-".join(map(str, sorted(the_line(event)[:2])))
    for role in ("hotel", "scorekeeper"):
        client = client_as(role, event)
        assert client.get(event_url("pairing:desk_pairing", event)).status_code == 403
        assert (
            client.post(
                event_url("pairing:desk_pairing", event), {"act": "one", "pairs": f"{pair}@1", "key": "k"}
            ).status_code
            == 403
        )
        assert client.post(event_url("pairing:desk_pairing", event), {"act": "hold", "number": "1"}).status_code == 403
    assert not event.matches.exists() and not the_desk(event).held


def test_nobody_joins_twice() -> None:
    event = a_ladder(3, 4)
    with pytest.raises(Conflict, match="is in “Ladder” already"):
        join_stage(entrant_of(event, 1), by=SYSTEM_ACTOR, reason="once more")


def test_the_forecast_answers_and_counts_the_games_that_are_left() -> None:
    event = a_ladder(6, 8, held=2)
    now = NOON
    for left in (8, 6, 4, 2):
        found = load_event_forecast(fresh(event), now)
        assert found is not None and found.overall.games_left == left
        with time_machine.travel(now, tick=False):
            send_next(event, now)
        during = load_event_forecast(fresh(event), now + timedelta(minutes=10))
        assert during is not None and during.overall.games_left == left - 2
        now += timedelta(minutes=20)
        with time_machine.travel(now, tick=False):
            for pair in open_games(event).values():
                end(event, pair[0])
    assert load_event_forecast(fresh(event), now) is None
    assert course_of(event).current_stage.is_complete


def test_the_forecast_of_one_table_is_twice_that_of_two() -> None:
    ends = {}
    for held in (1, 2):
        event = a_ladder(6, 8, held=held)
        with time_machine.travel(NOON, tick=False):
            send_next(event, NOON)
        with time_machine.travel(NOON + timedelta(minutes=20), tick=False):
            for pair in open_games(event).values():
                end(event, pair[0])
        found = load_event_forecast(fresh(event), NOON + timedelta(minutes=20))
        assert found is not None
        ends[held] = (found.overall.ends_at - NOON) / timedelta(minutes=1)
    assert ends[1] > 1.6 * ends[2]


def test_the_page_asks_the_same_number_of_questions_whatever_the_field() -> None:
    counts = []
    for entrants in (4, 16):
        event = a_ladder(entrants, 12, held=2)
        client = client_as("director", event)
        send_all(client, event)
        end(event, next(iter(open_games(event).values()))[0])
        client.get(event_url("pairing:desk_pairing", event))
        Event.objects.filter(pk=event.pk).update(version=1000 + entrants)
        with CaptureQueriesContext(connection) as asked:
            client.get(event_url("pairing:desk_pairing", event))
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 40


def test_two_who_won_last_at_one_table_are_sent_to_two() -> None:
    event = a_ladder(8, 20, held=2)
    (one, _beaten), (other, _too) = send_next(event)
    end(event, one)
    hold_entrant(entrant_of(event, one), by=SYSTEM_ACTOR)
    ((third, _fourth),) = send_next(event)
    end(event, third)
    both_lose(event, other)
    end_hold(entrant_of(event, one), by=SYSTEM_ACTOR)
    pairs = next_pairs(event)
    assert [table for _pair, table in pairs] == [1, 2]
    assert {one, third} <= pairs[0][0] | pairs[1][0]


def test_a_result_that_was_undone_ends_its_game_when_it_ends_again() -> None:
    event = a_ladder(6, 20, held=2)
    (first, second), (third, fourth) = send_next(event)
    end(event, first)
    undo_result(the_match(event, "G1"), by=SYSTEM_ACTOR, reason="the wrong table")
    end(event, third)
    end(event, first)
    line = the_line(event)
    assert line.index(fourth) < line.index(second)


def test_two_by_hand_who_have_met_need_no_reason() -> None:
    event = a_ladder(3, 20)
    first, second, _third = the_line(event)
    play(event, first, first)
    assert send_manual_pair(event, (first, second), by=SYSTEM_ACTOR).pairs == [sorted([first, second])]
