"""An entry that is left out of the draw frees its place. If no place is free when it comes back, it has to wait."""

from __future__ import annotations

import pytest

from tests.factories import a_director, a_player, an_entrant, an_event
from tests.prebuilt import prebuilt
from tournament.core.permissions import Actor
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event
from tournament.registration.selectors.people import load_reversible_merges
from tournament.registration.services.entries import (
    EntryRequest,
    add_entry,
    leave_entries_out_of_draw,
    return_entries_to_draw,
)
from tournament.registration.services.people import Person, merge_players
from tournament.setup.services.tournaments import change_event

pytestmark = pytest.mark.django_db

State = Entrant.State


@prebuilt
def four_for_two_places(**fields: object) -> tuple[Event, Actor]:
    event = an_event(state=Event.State.OPEN, capacity=2, **fields)
    by = a_director(event.tournament)
    for name in ("Ada Lovelace", "Alan Turing", "Emmy Noether", "Kurt Gödel"):
        add_entry(event, EntryRequest(people=(Person(name=name),)), by=by)
    return event, by


def states(event: Event) -> dict[int, str]:
    return dict(event.entrants.values_list("number", "state"))


def test_leaving_an_entry_out_frees_its_place() -> None:
    event, by = four_for_two_places()
    assert states(event) == {1: State.IN, 2: State.IN, 3: State.WAITING, 4: State.WAITING}
    assert leave_entries_out_of_draw(event, [1], by=by, reason="not here") == 1
    assert states(event) == {1: State.REMOVED, 2: State.IN, 3: State.IN, 4: State.WAITING}


def test_an_entry_comes_back_to_the_waiting_list_if_its_place_is_taken() -> None:
    event, by = four_for_two_places()
    leave_entries_out_of_draw(event, [1], by=by, reason="not here")
    assert return_entries_to_draw(event, [1], by=by, reason="came after all") == 1
    assert states(event) == {1: State.WAITING, 2: State.IN, 3: State.IN, 4: State.WAITING}
    kinds = list(EntrantFact.objects.filter(entrant__number=1).order_by("pk").values_list("kind", flat=True))
    assert kinds[-3:] == ["left-out", "reinstated", "wait-listed"]


def test_a_whole_field_left_out_by_mistake_comes_back_in_one_act() -> None:
    event = an_event(state=Event.State.OPEN)
    by = a_director(event.tournament)
    for name in ("Ada Lovelace", "Alan Turing", "Emmy Noether"):
        add_entry(event, EntryRequest(people=(Person(name=name),)), by=by)
    leave_entries_out_of_draw(event, [1, 2, 3], by=by, reason="the wrong key")
    assert return_entries_to_draw(event, [1, 2, 3], by=by, reason="the wrong key") == 3
    assert set(states(event).values()) == {State.IN}


def test_nobody_comes_back_once_the_draw_is_posted() -> None:
    event, by = four_for_two_places()
    leave_entries_out_of_draw(event, [1], by=by, reason="not here")
    Event.objects.filter(pk=event.pk).update(state=Event.State.DRAWN)
    with pytest.raises(Conflict, match="draw is posted"):
        return_entries_to_draw(event, [1], by=by, reason="came after all")
    assert states(event)[1] == State.REMOVED


def test_more_places_are_given_at_once() -> None:
    event, by = four_for_two_places()
    change_event(event, {"capacity": 3}, by=by)
    assert states(event) == {1: State.IN, 2: State.IN, 3: State.IN, 4: State.WAITING}
    change_event(event, {"capacity": None}, by=by)
    assert set(states(event).values()) == {State.IN}


def test_a_merge_is_undone_only_where_both_records_play() -> None:
    here, elsewhere = an_event(), an_event()
    kept, gone = a_player("Ada Lovelace"), a_player("Ada Byron")
    for event, player in ((here, kept), (here, gone), (elsewhere, kept)):
        an_entrant(event, player=player)
    merge = merge_players(here.tournament, kept, gone, by=a_director(here.tournament), reason="told at the desk")
    assert list(load_reversible_merges(here.tournament)) == [merge]
    assert list(load_reversible_merges(elsewhere.tournament)) == []
