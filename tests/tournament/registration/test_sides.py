from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import public_url
from tournament.core.permissions import make_player_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry, Entrant, EntrantFact, Event
from tournament.registration.public import PUBLIC_FORM_ACTOR
from tournament.registration.selectors.entries import (
    get_side_name,
    get_side_names,
    load_entry_summary,
    make_side_choices,
)
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.registration.services.waiting_list import change_side

pytestmark = pytest.mark.django_db

FORM = {"name": "Ada Lovelace", "email": "ada@example.org", "consent": "on", "key": "k1"}


def test_the_sides_are_called_as_the_event_says() -> None:
    assert get_side_names(an_event()) is None
    assert get_side_names(an_event(format="rotation")) == ("Guys", "Girls")
    assert get_side_names(an_event(format="court-whist")) == ("Gentlemen", "Ladies")
    own = an_event(format="rotation", format_options={"sides": ["North", "South"]})
    assert make_side_choices(own) == [("left", "North"), ("right", "South")]


def test_the_public_form_asks_and_keeps_the_answer(client: Client) -> None:
    event = an_event(format="rotation", fee_cents=0)
    address = public_url(event, "register/")
    page = client.get(address).content.decode()
    assert "Guys" in page and "Girls" in page
    assert client.post(address, FORM).status_code == 422
    assert client.post(address, {**FORM, "side": "middle"}).status_code == 422
    assert not Entrant.objects.exists()
    assert client.post(address, {**FORM, "side": "right"}).status_code == 302
    entrant = Entrant.objects.get()
    assert (entrant.side, get_side_name(entrant)) == ("right", "Girls")
    assert "<strong>Girls</strong>" in client.get(f"/my/{entrant.token}/").content.decode()


def test_an_event_without_sides_asks_for_none_and_takes_none(client: Client) -> None:
    event = an_event(fee_cents=0)
    address = public_url(event, "register/")
    assert 'name="side"' not in client.get(address).content.decode()
    assert client.post(address, {**FORM, "side": "right"}).status_code == 302
    assert Entrant.objects.get().side == ""
    with pytest.raises(DomainError, match="This event has no sides"):
        add_entry(event, EntryRequest((Person("Alan"),), side="left"), by=PUBLIC_FORM_ACTOR)


def test_the_desk_changes_it_before_the_draw_and_it_stays_in_the_record() -> None:
    event = an_event(format="rotation", fee_cents=0)
    entrant, desk = an_entrant(event, "Ada", side="left"), a_director(event.tournament)
    assert change_side(entrant, "right", by=desk, reason="one too many").side == "right"
    fact = EntrantFact.objects.get(kind=EntrantFact.Kind.SIDE)
    assert (fact.data, fact.reason) == ({"was": "left", "side": "right"}, "one too many")
    assert AuditEntry.objects.get(verb="entrant.side").data == {"number": 1, "was": "left", "side": "right"}
    assert load_entry_summary(entrant).state == "in"
    with pytest.raises(Conflict, match="already plays with the Girls"):
        change_side(entrant, "right", by=desk)
    with pytest.raises(DomainError, match="Guys · Girls"):
        change_side(entrant, "", by=desk)
    with pytest.raises(NotAllowed):
        change_side(entrant, "left", by=make_player_actor(entrant))
    Event.objects.filter(pk=event.pk).update(state=Event.State.DRAWN)
    with pytest.raises(Conflict, match="draw is posted"):
        change_side(entrant, "left", by=desk)


def test_the_desk_sees_the_sides_and_changes_one_on_the_entrants_page(client: Client) -> None:
    tournament = a_tournament()
    event = an_event(tournament, format="court-whist", fee_cents=0)
    entrant = an_entrant(event, "Ada")
    client.force_login(a_user("desk", tournament))
    desk = f"/desk/{tournament.slug}/{event.slug}/entrants/"
    assert "No side yet. Choose one." in client.get(f"{desk}1/").content.decode()
    assert client.post(f"{desk}1/act/", {"act": "side", "side": "right"}).status_code == 302
    entrant.refresh_from_db()
    assert entrant.side == "right"
    assert "Plays with the Ladies" in client.get(f"{desk}1/").content.decode()
    assert "Ladies" in client.get(desk).content.decode()
    made = client.post(f"{desk}new/", {"name": "Alan Turing", "key": "k2", "side": "left"})
    assert (made.status_code, Entrant.objects.get(number=2).side) == (302, "left")


def test_a_list_without_sides_is_no_column_of_other_events(client: Client) -> None:
    tournament = a_tournament()
    event = an_event(tournament, fee_cents=0)
    an_entrant(event, "Ada")
    client.force_login(a_user("desk", tournament))
    page = client.get(f"/desk/{tournament.slug}/{event.slug}/entrants/").content.decode()
    assert ">Side<" not in page
