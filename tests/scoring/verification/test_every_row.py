"""The check of every row reports each manual change in the database, and what the change may mean."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from django.db.models import F

from scoring.models import RuleSheet
from tests.factories import a_user
from tests.scoring.helpers.rows import a_tournament_of, problems
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import list_recorded_models, list_unchecked_columns
from tournament.core.services.record import writing
from tournament.models import Entrant, EntrantFact, Event, EventStep, Member, Player, StaffRole, Tournament
from tournament.money.services.side_pools import EventExtraTerms, add_event_extra, remove_event_extra
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person, correct_player, merge_players
from tournament.setup.services.tournaments import change_event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _entered(rows_of_module: None) -> Event:
    return a_tournament_of("desert", "Ada Lovelace", "Alan Turing", "Grace Hopper")


@pytest.fixture
def event(_entered: Event) -> Event:
    return Event.objects.select_related("tournament").get(pk=_entered.pk)


def test_what_the_program_wrote_is_as_recorded(event: Event) -> None:
    assert problems(event) == []


def swap_two_players(event: Event) -> None:
    one, other = Member.objects.filter(entrant__event=event).order_by("pk")[:2]
    Member.objects.filter(pk=one.pk).update(player=other.player_id)
    Member.objects.filter(pk=other.pk).update(player=one.player_id)


def rename(event: Event) -> None:
    Entrant.objects.filter(event=event, number=1).update(name="Somebody Else")


def change_the_scale(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(prize_scale=["100"])


def delete_the_withdrawal(event: Event) -> None:
    EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.WITHDRAWN).delete()


def open_it_earlier(event: Event) -> None:
    EventStep.objects.filter(event=event).update(at=F("at") - dt.timedelta(hours=1))


def by_another_name(event: Event) -> None:
    EventStep.objects.filter(event=event).update(by_name="Mary")


def other_rules(event: Event) -> None:
    RuleSheet.objects.filter(event=event).update(remarks="Knock with 5")


def another_director(event: Event) -> None:
    StaffRole.objects.create(tournament=event.tournament, user=a_user(), role=StaffRole.Role.DIRECTOR)


def another_bank_account(event: Event) -> None:
    Tournament.objects.filter(pk=event.tournament_id).update(bank_account="DE00")


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (
            swap_two_players,
            r"member \d+ was changed in the database after row \d+ of the log \(entrant\.entered of .*Another player",
        ),
        (rename, r"entrant \d+ was changed .* Who is entered, under which name"),
        (change_the_scale, r"event \d+ was changed .* Fees, prizes, dates or the plan may not be those"),
        (delete_the_withdrawal, r"entrant fact \d+ was deleted .* A withdrawal, .* may be missing"),
        (open_it_earlier, r"event step \d+ was changed .* When and by whom the event was opened"),
        (by_another_name, r"event step \d+ was changed .* When and by whom the event was opened"),
        (other_rules, r"rule sheet \d+ was changed .* Cards may be counted by other rules"),
        (another_director, r"staff role \d+ was added .* Somebody may act here"),
        (another_bank_account, r"tournament \d+ was changed .* bank account"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_act_past_the_program_is_named_with_its_meaning(
    event: Event, act: Callable[[Event], None], named: str
) -> None:
    act(event)
    assert any(re.match(named, problem) for problem in problems(event)), problems(event)


def test_what_the_program_changed_and_deleted_is_as_recorded(event: Event) -> None:
    change_event(event, {"prize_scale": ["60", "40"], "fee_cents": 7000}, by=SYSTEM_ACTOR)
    remove_event_extra(add_event_extra(event, EventExtraTerms("Dinner", 3500), by=SYSTEM_ACTOR), by=SYSTEM_ACTOR)
    assert problems(event) == []


def test_a_player_who_was_corrected_in_another_tournament_is_as_recorded(event: Event) -> None:
    other = a_tournament_of("tampa", "Kurt Gödel", "Emmy Noether")
    ada = Player.objects.get(name="Ada Lovelace")
    add_entry(other, EntryRequest((Person("Ada Lovelace", record=ada),)), by=SYSTEM_ACTOR)
    correct_player(other, ada, {"phone": "555-0100"}, by=SYSTEM_ACTOR)
    assert problems(event) == problems(other) == []
    Player.objects.filter(pk=ada.pk).update(phone="555-0199")
    assert len(problems(event)) == len(problems(other)) == 1


def test_a_player_of_another_tournament_who_only_entered_here_is_as_recorded(event: Event) -> None:
    other = a_tournament_of("tampa", "Kurt Gödel", "Emmy Noether")
    ada = Player.objects.get(name="Ada Lovelace")
    add_entry(other, EntryRequest((Person("Ada Lovelace", record=ada),)), by=SYSTEM_ACTOR)
    assert problems(other) == []
    Player.objects.filter(pk=ada.pk).update(phone="555-0199")
    assert [re.sub(r"\d+", "N", problem) for problem in problems(other)] == [
        "player N was changed in the database after row N of the log (entrant.entered of “N Ada Lovelace” by system). "
        "The name, address or consent of a player may not be what they gave."
    ]


def test_a_player_whose_merged_record_was_merged_in_another_tournament_is_as_recorded(event: Event) -> None:
    other = a_tournament_of("tampa", "Augusta King", "Emmy Noether")
    ada, alan = (Player.objects.get(name=name) for name in ("Ada Lovelace", "Alan Turing"))
    merge_players(event.tournament, ada, alan, by=SYSTEM_ACTOR, reason="the same person")
    add_entry(other, EntryRequest((Person("Ada Lovelace", record=ada),)), by=SYSTEM_ACTOR)
    third = a_tournament_of("reno", "Lady Lovelace", "Kurt Gödel")
    augusta, lady = (Player.objects.get(name=name) for name in ("Augusta King", "Lady Lovelace"))
    merge_players(other.tournament, augusta, ada, by=SYSTEM_ACTOR, reason="the same person")
    add_entry(third, EntryRequest((Person("Augusta King", record=augusta),)), by=SYSTEM_ACTOR)
    merge_players(third.tournament, lady, augusta, by=SYSTEM_ACTOR, reason="the same person")
    assert problems(event) == problems(other) == problems(third) == []


def test_a_row_that_the_log_would_not_know_is_not_written(event: Event) -> None:
    with pytest.raises(RuntimeError, match="tournament_entrant"), writing(event, verb="test", by=SYSTEM_ACTOR):
        Entrant.objects.filter(event=event).update(club="Tampa")


def test_each_table_that_is_not_checked_is_named_with_a_reason() -> None:
    tables = {model._meta.db_table for model in list_recorded_models()}
    named = list_unchecked_columns()
    assert {one["table"] for one in named if one["columns"] == "*"}.isdisjoint(tables)
    assert all(one["why"].endswith(".") for one in named)
