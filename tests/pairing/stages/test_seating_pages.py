"""Pages of an event at tables need the same number of queries for any number of rounds."""

from __future__ import annotations

import csv
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from pairing.draws.cases.pair import run_pair_case
from pairing.models import MatchResult, Seating, SeatingPosted
from pairing.stages.services.tables import seat_next_round
from tests.factories import a_tournament, an_event, plan_of
from tests.kit import client_as, fresh
from tests.pairing.helpers.events import a_closed_event, an_open_event, post_seating, the_match
from tests.pairing.helpers.seatings import in_play, play, play_round, the_hall
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def path(event: Event, page: str, at: str = "t") -> str:
    return f"/{at}/{event.tournament.slug}/{event.slug}/{page}"


def shown(event: Event, page: str, **query: str) -> str:
    cache.clear()
    answer = Client().get(path(fresh(event), page), query, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def tables_of_round(event: Event, number: int) -> list[tuple[int, ...]]:
    return [table.entries for table in the_hall(event).rounds.rounds[number - 1].tables]


def rounds_played(event: Event, rounds: int) -> None:
    for number in range(1, rounds + 1):
        if number > 1:
            seat_next_round(event, by=SYSTEM_ACTOR)
            post_seating(event, by=SYSTEM_ACTOR)
        play_round(event)


class TestPublicPages:
    @pytest.mark.parametrize(
        "page", ["seatings/", "bracket/", "pairings/", "standings/", "wall/", "draw/", "draw/check/", "prizes/", ""]
    )
    @pytest.mark.parametrize("stage", ["open", "closed", "in-play"])
    def test_no_page_breaks_at_any_stage_and_none_leads_to_a_bracket(self, page: str, stage: str) -> None:
        made = {"open": an_open_event, "closed": a_closed_event}.get(stage)
        event = made(8, format="tables", format_options={"rounds": 2}) if made else in_play()
        found = shown(event, page)
        assert "/bracket/" not in found
        if page == "":
            assert "/seatings/" in found

    def test_a_name_finds_its_tables_and_a_bracket_address_leads_there(self) -> None:
        event = in_play()
        rounds_played(event, 2)
        found = shown(event, "bracket/", me="Player 5")
        assert "The tables of Player 5" in found
        mine = found.split('id="my-tables"')[1].split("</section>")[0]
        assert re.findall(r"Round (\d), group", mine) == ["2", "1"]
        assert "No player in the draw is called" in shown(event, "seatings/", me="Nemo")

    def test_a_preview_is_seen_by_nobody(self) -> None:
        event = in_play()
        play_round(event)
        seat_next_round(event, by=SYSTEM_ACTOR)
        for page in ("seatings/", "wall/", "standings/"):
            assert "Round 2, group" not in shown(event, page)
        post_seating(event, by=SYSTEM_ACTOR)
        assert "Round 2, group 1" in shown(event, "seatings/")

    def test_the_standings_show_totals_rounds_and_shared_places(self) -> None:
        event = in_play()
        rounds_played(event, 1)
        head, *rows = csv.reader(shown(event, "standings/", _export="csv").removeprefix("\ufeff").splitlines())
        assert head[:5] == ["Place", "Name", "Total", "R1", "Won"]
        assert [row[0] for row in rows] == ["1–2"] * 2 + ["3–4"] * 2 + ["5–6"] * 2 + ["7–8"] * 2
        assert "After round 1 of 2." in shown(event, "standings/")

    @pytest.mark.parametrize(("rounds", "heading"), [(1, "Prize if it ended now"), (2, "Prize")])
    def test_prizes_say_that_places_can_change_until_the_last_round(self, rounds: int, heading: str) -> None:
        event = in_play()
        rounds_played(event, rounds)
        head, *_rows = csv.reader(shown(event, "standings/", _export="csv").splitlines())
        assert [column for column in head if column.startswith("Prize")] == [heading]

    def test_the_standings_say_what_is_still_playing(self) -> None:
        event = in_play()
        play(event, "R1T1", 0, 10, 20, 30)
        assert "Round 1 of 2: 1 table is still playing" in shown(event, "standings/")
        assert "1 table is still playing" in shown(event, "wall/")

    def test_a_tables_own_page_tells_all_that_was_recorded(self) -> None:
        event = in_play()
        play(event, "R1T1", 0, 10, 20, 30)
        play(event, "R1T1", 5, 10, 20, 30)
        found = shown(event, "match/R1T1/")
        assert found.count("superseded") == 1
        assert Client().get(path(event, "match/R1M1/")).status_code == 404

    def test_anybody_seats_a_later_round_again_from_its_record(self) -> None:
        event = in_play(9)
        rounds_played(event, 2)
        first, second = Client().get(path(event, "seatings.json")).json()["rounds"]
        assert first["tables"] == [list(table) for table in tables_of_round(event, 1)]
        again = run_pair_case(second["case"])["tables"]
        assert sorted(sorted(table) for table in second["tables"]) == [list(table) for table in again]
        assert Client().get(path(a_closed_event(2), "seatings.json")).status_code == 404

    def test_a_name_with_markup_is_text(self) -> None:
        event = in_play()
        event.entrants.filter(number=1).update(name="<b>Bold</b> & Co")
        for page in ("seatings/", "standings/", "wall/", "draw/", "match/R1T1/"):
            assert "<b>Bold" not in shown(event, page)

    def test_why_a_seating_was_taken_back_is_published(self) -> None:
        event = in_play()
        client_as("director", event).post(
            path(event, "seatings/", "desk"), {"act": "take-back", "reason": "the wrong hall"}
        )
        assert "the wrong hall" in shown(event, "seatings/")

    @pytest.mark.parametrize(("page", "queries"), [("seatings/", 13), ("standings/", 14), ("wall/", 13)])
    @pytest.mark.parametrize("rounds", [1, 3])
    def test_as_many_questions_for_one_round_as_for_three(
        self, page: str, queries: int, rounds: int, django_assert_num_queries: Any
    ) -> None:
        event = in_play(12, rounds=3)
        rounds_played(event, rounds)
        cache.clear()
        with django_assert_num_queries(queries):
            Client().get(path(fresh(event), page))


class TestDesk:
    def test_the_format_is_chosen_with_its_options(self) -> None:
        event = an_event(a_tournament())
        client, page = client_as("director", event), path(event, "format/", "desk")
        typed = {"format": "tables", "key": "k", "tables-size": "3-full", "tables-rounds": "5"}
        assert client.post(page, {**typed, "tables-rounds": "0"}).status_code == 422
        assert client.post(page, typed).status_code == 302
        assert fresh(event).plan == plan_of("tables", {"size": 3, "full": True, "rounds": 5})
        assert 'value="3-full" selected' in client.get(page).content.decode()
        assert client.post(page, {"format": "single-elimination", "key": "l"}).status_code == 302
        assert fresh(event).plan == plan_of("single-elimination", {})

    def test_the_preview_of_the_draw_shows_the_tables(self) -> None:
        event = a_closed_event(9, format="tables")
        client, page = client_as("director", event), path(event, "draw/", "desk")
        client.post(page, {"act": "cut", "public": "7H", "key": "k"})
        found = client.get(page).content.decode()
        assert "the tables of round 1 at once" in found
        assert found.split("Round one")[1].split("</ol>")[0].count("<li>") == 3

    def test_a_round_is_seated_looked_at_and_posted(self) -> None:
        event = in_play()
        play_round(event)
        client, page = client_as("director", event), path(event, "seatings/", "desk")
        assert "Round 2 can be paired" in client.get(page).content.decode()
        client.post(page, {"act": "seat", "key": "k"})
        found = client.get(page).content.decode()
        assert "4 pairs meet again; fewer are not possible." in found
        assert found.count(" met in round 1</li>") == 4
        post_seating(event, by=SYSTEM_ACTOR)
        assert SeatingPosted.objects.count() == 2
        assert "Round 2, group 1" in client.get(page).content.decode()

    def test_unfinished_tables_are_said_and_left_out_with_a_reason(self) -> None:
        event = in_play(12)
        play(event, "R1T1", 0, 10, 20, 30)
        client, page = client_as("director", event), path(event, "seatings/", "desk")
        assert "Round 1, group 2; Round 1, group 3" in client.get(page).content.decode()
        refused = client.post(page, {"act": "seat", "key": "k", "reason": ""}, follow=True).content.decode()
        assert "2 tables are not finished" in refused
        client.post(page, {"act": "seat", "key": "k2", "reason": "no time"})
        assert Seating.objects.filter(round=2).count() == 1

    def test_totals_are_typed_and_what_was_typed_stays_when_refused(self) -> None:
        event = in_play()
        client, page = client_as("desk", event), path(event, "results/R1T1/", "desk")
        entries = the_hall(event).rounds.rounds[0].tables[0].entries
        typed = {f"total_{number}": str(10 * turn) for turn, number in enumerate(entries)}
        refused = client.post(page, {**typed, "end": "played", "reason": "", "key": "k", "seen": "0"})
        assert refused.status_code == 422
        assert 'value="30"' in refused.content.decode()
        none = client.post(page, {"end": "played", "reason": "x", "key": "k", "seen": "0"})
        assert "Enter the totals" in none.content.decode()
        facts = {**typed, "end": "played", "reason": "no card", "key": "k", "seen": "0"}
        assert client.post(page, facts).status_code == 302
        assert MatchResult.objects.get().score == {str(n): 10 * turn for turn, n in enumerate(entries)}
        assert client.post(page, {"end": "void", "reason": "again", "key": "l"}).status_code == 302
        assert not the_hall(event).rounds.rounds[0].tables[0].is_decided

    def test_the_desk_moves_a_group_and_sends_all_out(self) -> None:
        event = in_play()
        client, page = client_as("desk", event), path(event, "seatings/", "desk")
        client.post(page, {"act": "release", "match": "R1T1"})
        assert "1 group needs a table" in client.get(page).content.decode()
        client.post(page, {"act": "all", "first": "5", "last": "9"})
        assert the_hall(event).tables == {"R1T1": 5, "R1T2": 2}
        assert client.get(path(event, "tables/", "desk")).headers["Location"] == page

    def test_the_results_finish_the_event_and_somebody_goes_out(self) -> None:
        event = in_play(rounds=1)
        client, page = client_as("director", event), path(event, "results/", "desk")
        gone = event.entrants.get(number=8)
        client.post(page, {"entrant": gone.pk, "kind": "withdrawn", "reason": "unwell", "key": "k"})
        assert "gets no further table" in client.get(page).content.decode()
        play_round(event)
        assert "Finish the event" in client.get(page).content.decode()
        assert client.post(path(event, "finish/", "desk")).status_code == 302
        assert fresh(event).state == Event.State.FINISHED
        assert "The event is finished." in client.get(page).content.decode()

    def test_only_the_director_is_offered_the_acts_of_a_director(self) -> None:
        event = in_play()
        play_round(event)
        found = client_as("desk", event).get(path(event, "seatings/", "desk")).content.decode()
        assert "Pair round 2" not in found
        assert client_as("desk", event).post(path(event, "begin-round/", "desk")).status_code == 403

    @pytest.mark.parametrize(("page", "queries"), [("seatings/", 19), ("results/", 19), ("results/R1T1/", 19)])
    @pytest.mark.parametrize("rounds", [1, 3])
    def test_as_many_questions_for_one_round_as_for_three(
        self, page: str, queries: int, rounds: int, django_assert_num_queries: Any
    ) -> None:
        event = in_play(12, rounds=4)
        rounds_played(event, rounds)
        client = client_as("director", event)
        with django_assert_num_queries(queries):
            client.get(path(fresh(event), page, "desk"))


def test_the_players_link_leads_to_their_tables() -> None:
    event = in_play()
    who = event.entrants.get(number=3)
    answer = Client().get(f"/my/{who.token}/path/")
    assert answer.headers["Location"] == path(event, "seatings/?me=3")
    assert the_match(event, "R1T1").seats.count() == 4
