"""Pairing settings of a stage before and after it opens, and entrants who are not checked in."""

from __future__ import annotations

from typing import ClassVar

import pytest

from pairing.blind_draw.services import make_draw, post_draw, take_back_draw
from pairing.desk.selectors.desk import load_rematch_warnings, load_stage_desk_settings
from pairing.desk.services.sending import change_desk_settings, send_manual_pair
from pairing.draws.desk.desk import DeskTerms
from pairing.models import DeskSettings
from pairing.stages.services.stages import open_next_stage
from tests.factories import a_user
from tests.kit import client_as, event_url, fresh, refused
from tests.pairing.helpers.desk import desk_of, end_games, look, send_all
from tests.pairing.helpers.events import a_closed_event, a_posted_event
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import NotAllowed, ReasonRequired
from tournament.models import Event
from tournament.money.services.checkin import set_check_in_status

pytestmark = pytest.mark.django_db
SIX = DeskTerms(wait_for=6, first_table=21)


def suggested(event: Event) -> set[int]:
    return {side for going in desk_of(event).next_pairs for side in going.suggestion.pair}


def uncheck(event: Event, *numbers: int) -> Event:
    event.entrants.filter(number__in=numbers).update(arrived=False)
    return event


class TestBeforeTheStageIsOpen:
    def test_terms_set_before_the_draw_hold_once_it_is_posted_and_after_it_is_drawn_anew(self) -> None:
        event = a_closed_event(8, format="stages", format_options={"stages": [QUALIFIER, FINALS]})
        change_desk_settings(event, SIX, by=SYSTEM_ACTOR)
        make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
        post_draw(event, by=SYSTEM_ACTOR)
        assert desk_of(event).terms == SIX
        take_back_draw(fresh(event), by=SYSTEM_ACTOR, reason="the list was wrong")
        make_draw(fresh(event), "7H QS 2D", by=SYSTEM_ACTOR)
        post_draw(fresh(event), by=SYSTEM_ACTOR)
        assert desk_of(event).terms == SIX

    def test_terms_of_the_next_stage_leave_the_one_that_is_played_as_it_is(self) -> None:
        event = staged(4, {"kind": "fixed", "games": 1, "best": 2}, {"kind": "swiss", "rounds": 1})
        change_desk_settings(event, SIX, by=SYSTEM_ACTOR, number=2)
        assert desk_of(event).terms == DeskTerms()
        client = client_as("director", event)
        send_all(client, event)
        end_games(event, "G1", "G2")
        open_next_stage(fresh(event), by=SYSTEM_ACTOR)
        assert desk_of(event).terms == SIX
        with refused("stage-over"):
            change_desk_settings(fresh(event), SIX, by=SYSTEM_ACTOR, number=1)
        with refused("no-desk"):
            change_desk_settings(fresh(event), SIX, by=SYSTEM_ACTOR, number=3)

    @pytest.mark.parametrize("posted", [False, True])
    def test_the_page_saves_them_of_each_stage_before_play_starts(self, posted: bool) -> None:
        make = a_posted_event if posted else a_closed_event
        event = make(8, format="stages", format_options={"stages": [QUALIFIER, {"kind": "swiss", "rounds": 3}]})
        client, page = client_as("director", event), event_url("pairing:desk_pairing_settings", event)
        terms = {"act": "terms", "wait_for": "6", "longest_wait": "9", "first_table": "11", "missed": "bye"}
        client.post(page, terms)
        client.post(f"{page}?stage=2", terms | {"first_table": "31"})
        saved = [load_stage_desk_settings(fresh(event), number) for number in (1, 2)]
        assert [(one.terms.first_table, one.terms.missed.value) for one in saved if one] == [(11, "bye"), (31, "bye")]
        assert "Swiss rounds" in client.get(page).content.decode()
        assert client.get(f"{page}?stage=3").status_code == 404


class TestNotCheckedIn:
    def test_players_not_checked_in_are_not_suggested_until_they_are(self) -> None:
        event = uncheck(staged(6, QUALIFIER, FINALS), 5, 6)
        assert suggested(event) == {1, 2, 3, 4}
        page = look(client_as("director", event), event)
        assert page.count("Not checked in, so the desk does not suggest them yet.") == 2
        for number in (5, 6):
            set_check_in_status(event.entrants.get(number=number), by=SYSTEM_ACTOR)
        assert suggested(event) == {1, 2, 3, 4, 5, 6}

    def test_the_director_can_allow_pairing_absent_players(self) -> None:
        event = uncheck(staged(4, QUALIFIER, FINALS), 3, 4)
        change_desk_settings(event, DeskTerms(pair_absent=True), by=SYSTEM_ACTOR)
        assert suggested(event) == {1, 2, 3, 4}

    def test_everybody_is_suggested_if_nobody_is_checked_in(self) -> None:
        event = uncheck(staged(4, QUALIFIER, FINALS), 1, 2, 3, 4)
        assert suggested(event) == {1, 2, 3, 4}

    def test_a_player_who_has_played_counts_as_checked_in(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        send_all(client_as("director", event), event)
        end_games(event, "G1", "G2")
        assert suggested(uncheck(event, 2, 3, 4)) == {1, 2, 3, 4}

    def test_a_round_is_paired_without_absent_players(self) -> None:
        event = uncheck(staged(7, {"kind": "swiss", "rounds": 2}), 6, 7)
        desk = desk_of(event)
        assert suggested(event) | {desk.bye} == {1, 2, 3, 4, 5}

    def test_pairing_an_absent_player_needs_a_reason(self) -> None:
        event = uncheck(staged(4, QUALIFIER, FINALS), 4)
        with pytest.raises(ReasonRequired) as asked:
            send_manual_pair(event, (1, 4), by=SYSTEM_ACTOR)
        assert asked.value.data["warnings"] == ["Player 4 is not checked in."]
        sent = send_manual_pair(event, (1, 4), seen=("absent",), by=SYSTEM_ACTOR, reason="seen in the hall")
        assert sent.pairs == [[1, 4]]


def test_the_reason_of_a_pair_by_hand_says_who_reads_it() -> None:
    event = staged(4, QUALIFIER, FINALS)
    page = (
        client_as("director", event)
        .get(event_url("pairing:desk_by_hand", event), {"one": "1", "other": "2"})
        .content.decode()
    )
    assert "Everybody can read it" in page


def test_a_game_goes_to_no_table_while_one_of_its_sides_plays_elsewhere() -> None:
    event = staged(4, {"kind": "round-robin", "groups": 1})
    client = client_as("director", event)
    send_all(client, event)
    assert desk_of(event).busy_tables and not desk_of(event).next_calls


class TestFewerRounds:
    SWISS: ClassVar = {"kind": "swiss", "rounds": 5}

    def test_the_stage_is_over_after_so_many_rounds(self) -> None:
        event = staged(4, self.SWISS)
        client = client_as("director", event)
        change_desk_settings(event, DeskTerms(rounds=1), by=SYSTEM_ACTOR, reason="it is late")
        send_all(client, event)
        assert not course_of(event).is_complete
        end_games(event, "G1", "G2")
        assert course_of(event).is_complete

    def test_fewer_rounds_can_be_set_before_the_stage_opens(self) -> None:
        event = staged(8, {"kind": "fixed", "games": 1, "best": 4}, self.SWISS)
        change_desk_settings(event, DeskTerms(rounds=2), by=SYSTEM_ACTOR, number=2)
        assert load_rematch_warnings(fresh(event)) == []

    def test_rounds_are_not_fewer_than_those_made(self) -> None:
        event = staged(4, self.SWISS)
        client = client_as("director", event)
        send_all(client, event)
        end_games(event, "G1", "G2")
        send_all(client, event)
        with refused("rounds-made"):
            change_desk_settings(fresh(event), DeskTerms(rounds=1), by=SYSTEM_ACTOR)
        change_desk_settings(fresh(event), DeskTerms(rounds=2), by=SYSTEM_ACTOR)

    def test_rounds_are_not_fewer_than_the_losses_need(self) -> None:
        event = staged(4, QUALIFIER, FINALS)
        found = load_stage_desk_settings(event)
        assert found is not None
        with refused("rounds-made"):
            change_desk_settings(event, DeskTerms(rounds=1), by=SYSTEM_ACTOR)
        change_desk_settings(event, DeskTerms(rounds=found.min_rounds), by=SYSTEM_ACTOR)

    def test_only_a_director_changes_the_rounds(self) -> None:
        event = staged(4, self.SWISS)
        desk = make_staff_actor(a_user("desk", event.tournament))
        with pytest.raises(NotAllowed):
            change_desk_settings(event, DeskTerms(rounds=3), by=desk)
        change_desk_settings(event, SIX, by=desk)

    def test_the_warning_leads_to_the_page_that_changes_them(self) -> None:
        event = staged(4, self.SWISS)
        client = client_as("director", event)
        settings = event_url("pairing:desk_pairing_settings", event)
        assert f'href="{settings}?stage=1">Play fewer rounds</a>' in look(client, event)
        page = client.get(settings).content.decode()
        assert "Planned: 5. You can play fewer, down to 1." in page
        form = {"act": "terms", "rounds": "3", "first_table": "1", "reason": "it is late"}
        client.post(settings, form)
        assert "Play fewer rounds" not in look(client, event)
        assert DeskSettings.objects.get().settings["rounds"] == 3
