"""If somebody enters as a person on record, the public sees nothing of the entry until the desk confirms it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import a_tournament, a_user, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import Actor, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import Entrant, Event, Player, Tournament, User
from tournament.registration.selectors.entries import load_entry_summary
from tournament.registration.services.entries import EntryRequest, add_entry, approve_entrant, withdraw_entrant
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import change_tournament, create_event

pytestmark = pytest.mark.django_db

FORM = Actor("the public form")
EMMY = {"name": "Emmy Noether", "email": "emmy@example.org", "consent": "on"}
RUDE = {**EMMY, "public_name": "Cheater", "phone": "555-0100", "club": "Nowhere", "notes": "me again"}


@pytest.fixture
@prebuilt
def singles() -> Event:
    event = an_event(fee_cents=0)
    register(event, **EMMY)
    return event


@prebuilt
def register(event: Event, **typed: str) -> Entrant:
    url = event_url("tournament:register", event)
    page = Client().get(url).content.decode()
    found = re.search(r'name="key" value="(\w+)"', page)
    assert found is not None
    answer = Client().post(url, {**typed, "key": found[1]})
    assert answer.status_code == 302, answer.content.decode()
    return event.entrants.latest("pk")


def seen(event: Event) -> list[str]:
    """Return the HTML of two public pages: the event's list of entrants, and the page of its first entrant."""
    slug, emmy = event.tournament.slug, Player.objects.get(pk=event.entrants.earliest("pk").members.get().player_id)
    urls = [reverse("tournament:entrants", args=(slug, event.slug)), reverse("tournament:player", args=(slug, emmy.pk))]
    return [Client().get(url).content.decode().partition("<h1")[2].partition("<footer")[0] for url in urls]


@pytest.mark.parametrize("capacity", [None, 1])
def test_others_see_nothing_until_the_desk_confirms(singles: Event, capacity: int | None) -> None:
    doubles = an_event(singles.tournament, name="Game night", fee_cents=0, capacity=capacity)
    register(doubles, name="Kurt", email="kurt@example.org", consent="on")
    before = seen(singles), seen(doubles)[0]
    claimed = register(doubles, **RUDE)
    assert (claimed.state, claimed.notes) == ("applied", "me again\nPhone: 555-0100")
    assert (seen(singles), seen(doubles)[0]) == before
    emmy = Player.objects.get(name="Emmy Noether")
    assert (emmy.public_name, emmy.phone, emmy.club) == ("", "", "")
    with pytest.raises(NotAllowed):
        approve_entrant(claimed, "desk", by=make_staff_actor(a_user("hotel", singles.tournament)))
    approve_entrant(claimed, "desk", by=make_staff_actor(a_user("desk", singles.tournament)))
    claimed.refresh_from_db()
    assert claimed.state == ("waiting" if capacity else "in")
    assert "Cheater" in seen(doubles)[0]
    assert "Game night" in seen(singles)[1]


def test_the_desk_confirms_in_addition_to_the_hotel(singles: Event) -> None:
    event = an_event(singles.tournament, fee_cents=0, approvals=["hotel"])
    claimed = register(event, **RUDE)
    assert load_entry_summary(claimed).asked == ("hotel", "desk")
    approve_entrant(claimed, "hotel", by=make_staff_actor(a_user("hotel", singles.tournament)))
    claimed.refresh_from_db()
    assert claimed.state == "applied"
    assert approve_entrant(claimed, "desk", by=make_staff_actor(a_user("desk", singles.tournament))).state == "in"


def test_the_desk_approves_on_the_page_of_the_entry(singles: Event) -> None:
    claimed = register(an_event(singles.tournament, fee_cents=0), **RUDE)
    place = (singles.tournament.slug, claimed.event.slug)
    client = client_as("desk", singles)
    page = client.get(reverse("tournament:desk_entrant", args=(*place, claimed.number))).content.decode()
    assert "Approve as desk" in page
    assert "Waiting for approval by the desk" in page
    client.post(reverse("tournament:approve_marked", args=place), {"all_as": "desk", "sure": "1"})
    claimed.refresh_from_db()
    assert claimed.state == "in"


def test_a_free_place_is_given_after_the_desk_confirms(singles: Event) -> None:
    full = an_event(singles.tournament, fee_cents=0, capacity=1)
    first = register(full, name="Kurt", email="kurt@example.org", consent="on")
    claimed = register(full, **RUDE)
    desk = make_staff_actor(a_user("desk", singles.tournament))
    withdraw_entrant(first, by=desk)
    assert not full.entrants.filter(state="in").exists()
    approve_entrant(claimed, "desk", by=desk)
    claimed.refresh_from_db()
    assert claimed.state == "in"


def test_the_desk_fills_empty_fields_of_the_record(singles: Event) -> None:
    desk = make_staff_actor(a_user("desk", singles.tournament))
    person = Person("Emmy Noether", "emmy@example.org", "555-0100", "Tucson")
    entrant = add_entry(an_event(singles.tournament, fee_cents=0), EntryRequest((person,)), by=desk)
    emmy = Player.objects.get(name="Emmy Noether")
    assert (entrant.state, emmy.phone, emmy.club) == ("in", "555-0100", "Tucson")


def test_no_tournament_uses_data_from_another(singles: Event) -> None:
    elsewhere = an_event(fee_cents=0)
    told = register(elsewhere, **RUDE)
    assert told.state == "in"
    own, other = (event.entrants.latest("pk").members.get().player for event in (singles, elsewhere))
    assert (own.pk == other.pk, own.phone, other.phone) == (False, "", "555-0100")
    client = client_as("director", singles)
    for page in ("desk_entrant", "desk_entrants"):
        number = (1,) if page == "desk_entrant" else ()
        url = event_url(f"tournament:{page}", singles, *number)
        assert "555-0100" not in client.get(url, {"_export": "csv"}).content.decode()


MARKED = "Ada\u202e\u2067 \u200bLove\u00adlace\u200f\ufeff"


def by_the_form(event: Event) -> Any:
    return register(event, name=MARKED, email="a@example.org", consent="on", club=MARKED).name


def by_settings(event: Event) -> Any:
    return change_tournament(
        event.tournament, {"name": MARKED}, by=make_staff_actor(a_user("director", event.tournament))
    ).name


@pytest.mark.parametrize(
    "named",
    [
        by_the_form,
        by_settings,
        lambda event: (
            create_event(event.tournament, by=make_staff_actor(a_user("director", event.tournament)), name=MARKED).name
        ),
        lambda event: Tournament.objects.get(pk=a_tournament(name=MARKED).pk).name,
        lambda event: User.objects.get(pk=User.objects.create_user("x@example.org", name=MARKED).pk).name,
        lambda event: Entrant.objects.filter(pk=by_update(event)).get().name,
    ],
)
def test_no_name_reverses_the_text_beside_it(named: Any) -> None:
    assert named(an_event(fee_cents=0)) == "Ada Lovelace"


def by_update(event: Event) -> int:
    entrant = register(event, name="Ada", email="a@example.org", consent="on")
    Entrant.objects.filter(pk=entrant.pk).update(name=MARKED)
    return entrant.pk


def test_the_same_person_is_found_by_a_marked_name(singles: Event) -> None:
    marked = Person("Emmy Noe\u200b\u202ether", "emmy@example.org")
    assert add_entry(an_event(singles.tournament), EntryRequest((marked,)), by=FORM).state == "applied"
