"""The Association's presets require all three approvals. Otherwise, the director chooses which ones are required."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_tournament, a_user, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import Entrant, Event
from tournament.registration.selectors.entries import (
    count_missing_approvals,
    explain_approvals,
    find_unstaffed_approval_roles,
)
from tournament.registration.services.entries import EntryRequest, add_approved_entry, add_entry, approve_entrant
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db
THREE = ["director", "coordinator", "hotel"]
FORM = Actor(None, "form")


@prebuilt
def entered(event: Event, name: str = "Ada Lovelace") -> Entrant:
    return add_entry(event, EntryRequest((Person(name, f"{name[:3]}@example.org"),)), by=SYSTEM_ACTOR)


def console(event: Event, page: str, **query: str) -> str:
    client = client_as("director", event)
    kwargs = {"tournament": event.tournament.slug}
    if page != "tournament:new_event":
        kwargs["event"] = event.slug
    return client.get(reverse(page, kwargs=kwargs), query).content.decode()


@pytest.mark.parametrize(
    ("preset", "checked"), [("gra-singles", 3), ("gra-partnership", 3), ("game-night", 0), ("", 0)]
)
def test_the_presets_of_the_association_ask_for_all_three(preset: str, checked: int) -> None:
    page = console(an_event(), "tournament:new_event", preset=preset)
    boxes = [part.split(">", 1)[0] for part in page.split("<input")[1:]]
    asked = [box for box in boxes if 'name="approvals"' in box]
    assert (len(asked), sum("checked" in box for box in asked)) == (3, checked)


@pytest.mark.parametrize("role", THREE)
def test_each_approval_can_be_required_alone(role: str) -> None:
    event = an_event(approvals=[role])
    entrant = entered(event)
    assert entrant.state == "applied"
    assert approve_entrant(entrant, role, by=make_staff_actor(a_user(role, event.tournament))).state == "in"


def test_without_approvals_an_entry_is_accepted_at_once() -> None:
    assert entered(an_event()).state == "in"


def test_requirements_at_the_time_of_entry_still_apply() -> None:
    event = an_event(approvals=["hotel"])
    ada = entered(event)
    Event.objects.filter(pk=event.pk).update(approvals=[])
    event.refresh_from_db()
    assert entered(event, "Bob Two").state == "in"
    page = console(event, "tournament:desk_entrants")
    assert "the hotel" in page and "No approval is needed" in page
    assert approve_entrant(ada, "hotel", by=make_staff_actor(a_user("hotel", event.tournament))).state == "in"


def test_the_director_sees_required_approvals_and_missing_roles() -> None:
    event = an_event(approvals=["director", "hotel"], state=Event.State.DRAFT)
    a_user("director", event.tournament)
    assert find_unstaffed_approval_roles(event) == ("hotel",)
    assert explain_approvals(event) == (
        "Every new entry needs approval by the director and the hotel. You have no hotel contact yet. Add them under "
        "Staff, or change which approvals are needed."
    )
    for page in ("tournament:desk_settings", "tournament:desk_entrants", "scoring:desk_today"):
        assert "needs approval by the director and the hotel" in console(event, page), page


def test_today_counts_missing_approvals() -> None:
    event = an_event(approvals=THREE)
    entered(event)
    approve_entrant(entered(event, "Bob Two"), "director", by=make_staff_actor(a_user("director", event.tournament)))
    assert count_missing_approvals(event) == {"director": 1, "coordinator": 2, "hotel": 2}
    page = console(event, "scoring:desk_today")
    assert "2 entrants need approval: 1 by the director, 2 by the coordinator, 2 by the hotel" in page


@pytest.mark.parametrize(("rules", "warned"), [("gra-singles", True), ("standard", False)])
def test_before_opening_the_rules_of_the_association_are_named(rules: str, warned: bool) -> None:
    event = an_event(a_tournament(), state=Event.State.DRAFT)
    save_rule_sheet(event, ChosenRules(rules, {}), by=SYSTEM_ACTOR)
    page = console(event, "scoring:desk_today")
    assert ("the director, the coordinator and the hotel approve every entry" in page) is warned


def enter_at_desk(event: Event, role: str, **sent: str) -> tuple[str, Entrant]:
    client = client_as(role, event)
    page = event_url("tournament:new_entrant", event)
    form = client.get(page).content.decode()
    assert client.post(page, {"name": "Ada Lovelace", "key": "k", **sent}).status_code == 302
    return form, event.entrants.get()


@pytest.mark.parametrize(
    ("asked", "role", "sent", "offered", "state"),
    [
        (["director"], "director", {"approved": "on"}, True, "in"),
        (["director"], "director", {}, True, "applied"),
        (["director", "hotel"], "director", {"approved": "on"}, False, "applied"),
        (["director"], "desk", {"approved": "on"}, False, "applied"),
        ([], "director", {}, False, "in"),
    ],
)
def test_a_user_with_all_roles_approves_while_entering(
    asked: list[str], role: str, sent: dict[str, str], offered: bool, state: str
) -> None:
    event = an_event(approvals=asked)
    form, ada = enter_at_desk(event, role, **sent)
    assert ("Approve the entry at once, as the director" in form, ada.state) == (offered, state)
    assert ada.facts.filter(kind="approved").count() == (offered and bool(sent))


def test_entered_and_approved_twice_with_one_key_is_one_entry() -> None:
    event = an_event(approvals=["director"])
    by, entry = make_staff_actor(a_user("director", event.tournament)), EntryRequest((Person("Ada Lovelace"),))
    made = [add_approved_entry(event, entry, by=by, key="k") for _turn in range(2)]
    assert (made[0], event.entrants.count(), made[1].facts.count()) == (made[1], 1, 2)
    with pytest.raises(NotAllowed):
        add_approved_entry(event, entry, by=make_staff_actor(a_user("desk", event.tournament)))


def test_only_missing_approvals_are_offered() -> None:
    event = an_event(approvals=["director", "hotel"])
    ada = entered(event)
    client = Client()
    client.force_login(a_user(is_superuser=True))
    page = event_url("tournament:desk_entrants", event)
    said = client.get(page).content.decode()
    assert [f"Approve all as {role}" in said for role in (*THREE, "desk")] == [True, False, True, False]
    approve_entrant(ada, "director", by=make_staff_actor(a_user("director", event.tournament)))
    said = client.get(page).content.decode()
    assert [f"Approve all as {role}" in said for role in (*THREE, "desk")] == [False, False, True, False]
