"""An event of any kind that cannot continue is ended early with its current standings."""

from __future__ import annotations

import random

import pytest
from django.test import Client

from pairing.results.services.corrections import bring_back_entrant
from pairing.results.services.finish import end_event_early, finish_event, reopen_event
from pairing.results.services.results import record_table_result, remove_entrant
from pairing.stages.selectors.course import load_final_placings
from pairing.stages.services.stages import open_next_stage
from pairing.stages.services.tables import change_round_count, seat_next_round
from scoring.today.selectors.today import load_next_stage_step
from tests.factories import a_user
from tests.kit import client_as, event_url, fresh, refused
from tests.pairing.helpers.events import an_event_in_play, the_match, win
from tests.pairing.helpers.seatings import in_play as in_play_at_tables
from tests.pairing.helpers.seatings import play as play_table
from tests.pairing.helpers.seatings import play_round, the_hall
from tests.pairing.helpers.stages import a_play_off, decide_ready, play_off_of, play_pool, staged
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, EndedEarly, EntrantFact, Event, Finish
from tournament.money.selectors.ledger import load_payout

pytestmark = pytest.mark.django_db

WHY = "the hall closes at midnight"


def out(event: Event, *entries: int, kind: str = EntrantFact.Kind.WITHDRAWN) -> None:
    for number in entries:
        remove_entrant(event.entrants.get(number=number), kind, by=SYSTEM_ACTOR, reason="called home")


def ended(event: Event) -> list[list[int]]:
    """End the event early, and return the recorded final places.

    Also check that `verify_event` finds no problem in them.
    """
    finish = end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
    wrong = [str(check.finding) for check in verify_event(fresh(event)) if not check.passed and check.kind == "places"]
    assert wrong == []
    places: list[list[int]] = finish.places
    return places


def said(client: Client, where: str) -> str:
    return " ".join(client.get(where).content.decode().split())


class TestPlaces:
    def test_in_a_bracket_those_who_are_still_in_share_the_first_place(self) -> None:
        event = an_event_in_play(4)
        won = win(event, "R1M1")
        winner, loser = won.winner, next(int(number) for number in won.credits if int(number) != won.winner.number)
        still_in = sorted({1, 2, 3, 4} - {loser})
        assert winner is not None
        assert ended(event) == [still_in, [loser]]

    def test_in_a_double_elimination_too(self) -> None:
        event = staged(4, {"kind": "double-elimination"})
        decide_ready(event, random.Random(1))
        decide_ready(event, random.Random(1))
        places = ended(event)
        assert len(places[0]) > 1 and sorted(entry for level in places for entry in level) == [1, 2, 3, 4]

    @pytest.mark.parametrize(
        "pool",
        [
            {"kind": "swiss", "rounds": 3},
            {"kind": "fixed", "games": 3},
            {"kind": "record", "games": 3},
            {"kind": "round-robin", "groups": 1},
        ],
        ids=lambda pool: str(pool["kind"]),
    )
    def test_in_a_pool_the_standings_count(self, pool: dict[str, object]) -> None:
        event = staged(4, pool, {"kind": "single-elimination"})
        out(event, 4)
        places = ended(event)
        assert sorted(entry for level in places for entry in level) == [1, 2, 3, 4]
        if pool["kind"] == "round-robin":
            assert 4 in places[-1]

    def test_in_a_play_off_who_has_lost_comes_behind_those_who_are_still_in(self) -> None:
        event = a_play_off(8, 2)
        play_off = play_off_of(event)
        one, other = (match.sides for match in play_off.rounds[0].matches)
        out(event, one[0], kind=EntrantFact.Kind.NO_SHOW)
        places = [entry for level in ended(event) for entry in level]
        assert places.index(one[0]) > max(places.index(entry) for entry in (one[1], *other))

    def test_at_tables_the_totals_count_and_nobody_who_never_played_has_a_place(self) -> None:
        event = in_play_at_tables(4)
        play_table(event, "R1T1", 10, 40, 20, 30)
        seats = the_hall(event).rounds.rounds[0].tables[0].entries
        assert ended(event) == [[seats[1]], [seats[3]], [seats[2]], [seats[0]]]

    def test_at_tables_where_nobody_has_played_all_are_level(self) -> None:
        event = in_play_at_tables(4)
        assert ended(event) == [[1, 2, 3, 4]]
        assert said(Client(), event_url("pairing:standings", event)).count("1–4") == 4


class TestDeadEnds:
    def test_too_few_for_the_next_round_at_tables(self) -> None:
        event = in_play_at_tables(4, full=True)
        play_round(event)
        out(event, 1, 2)
        with pytest.raises(DomainError, match="end the event early"):
            seat_next_round(fresh(event), by=SYSTEM_ACTOR)
        door = load_next_stage_step(fresh(event))
        assert door is not None and door.page == "pairing:desk_end_early"
        assert sorted(entry for level in ended(event) for entry in level) == [1, 2, 3, 4]

    def test_too_few_for_the_groups_of_the_next_stage(self) -> None:
        event = staged(4, {"kind": "fixed", "games": 1}, {"kind": "round-robin", "groups": 2})
        play_pool(event, random.Random(1))
        out(event, 1)
        with pytest.raises(DomainError):
            open_next_stage(fresh(event), by=SYSTEM_ACTOR)
        with pytest.raises(Conflict):
            finish_event(fresh(event), by=SYSTEM_ACTOR)
        door = load_next_stage_step(fresh(event))
        assert door is not None and door.page == "pairing:desk_end_early"
        director = client_as("director", event)
        assert event_url("pairing:desk_end_early", event) in said(director, event_url("pairing:desk_stages", event))
        assert len(ended(event)) > 1


class TestRecord:
    def test_the_reason_is_recorded_logged_and_published_and_the_payouts_follow(self) -> None:
        event = an_event_in_play(4, added_cents=100_00)
        win(event, "R1M1")
        end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
        event = fresh(event)
        assert EndedEarly.objects.get().reason == WHY
        row = AuditEntry.objects.order_by("-seq").first()
        assert row is not None and (row.verb, row.reason) == ("event.ended-early", WHY)
        payout = load_payout(event)
        assert payout is not None and sum(won.cents for won in payout.awards) == 100_00
        for page in ("pairing:standings", "tournament:prizes"):
            assert WHY in said(Client(), event_url(page, event))
        standings = said(Client(), event_url("pairing:standings", event))
        assert standings.count("1–3") == 3
        assert (standings.count("Shares first place"), standings.count("Winner")) == (3, 0)

    def test_a_changed_place_or_a_lost_reason_is_found(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
        EndedEarly.objects.update(reason="nobody came")
        assert any(not check.passed and check.kind == "places" for check in verify_event(fresh(event)))
        EndedEarly.objects.update(reason=WHY)
        assert all(check.passed for check in verify_event(fresh(event)) if check.kind == "places")
        EndedEarly.objects.all().delete()
        assert any(not check.passed and check.kind == "places" for check in verify_event(fresh(event)))

    def test_it_can_be_opened_again_and_played_to_its_end(self) -> None:
        event = an_event_in_play(4)
        end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
        reopen_event(fresh(event), by=SYSTEM_ACTOR, reason="the lights are on again")
        assert load_final_placings(fresh(event)) is None
        for ident in ("R1M1", "R1M2", "R2M1"):
            win(event, ident)
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert Finish.objects.count() == 2
        assert WHY not in said(Client(), event_url("pairing:standings", event))
        assert all(check.passed for check in verify_event(fresh(event)) if check.kind == "places")


class TestRefusals:
    def test_it_needs_a_reason_a_director_and_something_that_is_open(self) -> None:
        event = an_event_in_play(2)
        with refused("reason-needed"):
            end_event_early(event, by=SYSTEM_ACTOR, reason=" ")
        with pytest.raises(DomainError) as refusal:
            end_event_early(event, by=make_staff_actor(a_user("desk", event.tournament)), reason=WHY)
        assert refusal.value.http_status == 403
        win(event, "R1M1")
        with refused("all-decided"):
            end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        with refused("not-in-play"):
            end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)

    def test_everybody_disqualified_has_no_finish_until_somebody_is_back_in(self) -> None:
        event = in_play_at_tables(4)
        out(event, 1, 2, 3, 4, kind=EntrantFact.Kind.DISQUALIFIED)
        with refused("no-finish"):
            end_event_early(fresh(event), by=SYSTEM_ACTOR, reason=WHY)
        bring_back_entrant(event.entrants.get(number=2), by=SYSTEM_ACTOR, reason="the committee says so")
        assert ended(event) == [[2]]

    def test_one_who_has_not_played_gets_the_first_place_when_all_others_are_disqualified(self) -> None:
        event = in_play_at_tables(4)
        out(event, 4)
        record_table_result(the_match(event, "R1T1"), {1: 30, 2: 20, 3: 10}, by=SYSTEM_ACTOR, reason="on paper")
        change_round_count(fresh(event), 1, by=SYSTEM_ACTOR, reason="late")
        out(event, 1, 2, 3, kind=EntrantFact.Kind.DISQUALIFIED)
        bring_back_entrant(event.entrants.get(number=4), by=SYSTEM_ACTOR, reason="the committee says so")
        with refused("no-finish"):
            finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert ended(event) == [[4]]
        assert all(check.passed for check in verify_event(fresh(event)))


class TestPage:
    def test_the_places_are_shown_first_and_only_those_are_recorded(self) -> None:
        event = an_event_in_play(4)
        director, where = client_as("director", event), event_url("pairing:desk_end_early", event)
        assert where in said(director, event_url("pairing:desk_results", event))
        shown = said(director, where).split('name="shown" value="')[1].split('"')[0]
        win(event, "R1M1")
        refused = director.post(where, {"shown": shown, "reason": WHY})
        assert refused.status_code == 422 and fresh(event).state == Event.State.IN_PLAY
        shown = refused.content.decode().split('name="shown" value="')[1].split('"')[0]
        assert director.post(where, {"shown": shown, "reason": ""}).status_code == 422
        assert director.post(where, {"shown": shown, "reason": WHY}).status_code == 302
        assert fresh(event).state == Event.State.FINISHED
        assert WHY in said(director, event_url("tournament:desk_prizes", event))
