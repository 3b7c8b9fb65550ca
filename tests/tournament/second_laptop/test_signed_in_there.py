"""A director can add acts of staff who signed in only on the old laptop, and the log says who acted."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from tests.factories import a_user, an_event
from tests.kit import get_page, page_text
from tests.tournament.helpers.second_laptop import Desk, Snapshot, missed, pay
from tournament.core.permissions import make_staff_actor
from tournament.core.selectors.log import check_log_chain
from tournament.models import AuditEntry, LedgerLine, StaffRole, User
from tournament.second_laptop.selectors import MissingAction
from tournament.second_laptop.services.missing_acts import save_missing_actions
from tournament.setup.services.sign_in import make_sign_in_link
from tournament.setup.services.tournaments import grant_role

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("apart")]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def pay_there(desk: Desk, user: User | None = None) -> MissingAction:
    """Record a payment by a user who signed in only on the old laptop. Return it as an act that this laptop lacks."""
    before = Snapshot()
    pay(signed_in(user or desk.person), desk.entrant)
    return missed(after=before)[-1]


def payment() -> LedgerLine:
    return LedgerLine.objects.get(kind="payment")


def test_a_director_adds_it_in_the_name_of_the_person(desk: Desk) -> None:
    act = pay_there(desk)
    assert "Added: Payment recorded" in desk.decide(act, "add")
    assert payment().by == desk.person
    assert check_log_chain(desk.event.tournament).is_intact


def test_the_log_says_that_only_the_old_laptop_knew_the_person(desk: Desk) -> None:
    act = pay_there(desk)
    desk.decide(act, "add")
    added = AuditEntry.objects.get(verb="old-laptop.added")
    assert added.reason == f"{desk.person} signed in only on the old laptop."
    assert added.user != desk.person and added.data["recorded_by"] == str(desk.person)


def test_nothing_is_said_about_a_sign_in_that_this_laptop_knows(desk: Desk) -> None:
    act = desk.miss_payment()
    assert "signed in only" not in page_text(get_page(desk.page, desk.director))
    desk.decide(act, "add")
    assert AuditEntry.objects.get(verb="old-laptop.added").reason == ""


def test_the_page_says_that_only_the_old_laptop_knew_the_person(desk: Desk) -> None:
    pay_there(desk)
    page = page_text(get_page(desk.page, desk.director))
    assert f"{desk.person} ({desk.person.email}) signed in only on the old laptop." in page


@pytest.mark.parametrize("decision", ["added", "refused"])
def test_nobody_is_signed_in_afterward(desk: Desk, decision: str) -> None:
    act = pay_there(desk)
    if decision == "refused":
        StaffRole.objects.filter(user=desk.person).delete()
    before = set(Session.objects.values_list("pk", flat=True))
    desk.decide(act, "add")
    assert set(Session.objects.values_list("pk", flat=True)) == before


def test_a_sign_in_link_that_somebody_else_made_stays_in_the_log(desk: Desk) -> None:
    person = a_user("desk", desk.event.tournament, password=None)
    rosa = make_staff_actor(a_user("director", desk.event.tournament, name="Rosa Director"))
    token = make_sign_in_link(person, by=rosa)
    before = Snapshot()
    client = Client()
    client.post(reverse("tournament:sign_in", args=[token]))
    pay(client, desk.entrant)
    there = AuditEntry.objects.get(verb="ledger.payment").data["signed_in_by_link"]
    desk.decide(missed(after=before)[-1], "add")
    assert there["by"] == "Rosa Director" and datetime.fromisoformat(there["at"])
    assert AuditEntry.objects.get(verb="ledger.payment").data["signed_in_by_link"] == there


# --- Roles -----------------------------------------------------------------------------------------------------------


def test_a_role_that_was_granted_there_is_added_first(desk: Desk) -> None:
    before = Snapshot()
    staff = reverse("tournament:desk_staff", args=[desk.event.tournament.slug])
    desk.director.post(staff, {"act": "grant", "name": "Dora Desk", "email": "dora@example.org", "role": "desk"})
    pay(signed_in(User.objects.get(email="dora@example.org")), desk.entrant)
    grant, act = missed(after=before)
    refused = desk.decide(act, "add")
    assert "First add “Staff role granted · Dora Desk”, then add this." in refused
    assert "Added: Staff role granted" in desk.decide(grant, "add")
    assert "Added: Payment recorded" in desk.decide(act, "add")
    assert payment().by == User.objects.get(email="dora@example.org")


def test_a_second_role_that_was_granted_there_is_added_first(desk: Desk) -> None:
    hotel = a_user("hotel", desk.event.tournament, name="Dora Desk")
    client, before = signed_in(hotel), Snapshot()
    staff = reverse("tournament:desk_staff", args=[desk.event.tournament.slug])
    desk.director.post(staff, {"act": "grant", "name": hotel.name, "email": hotel.email, "role": "desk"})
    pay(client, desk.entrant)
    grant, act = missed(after=before)
    assert "First add “Staff role granted · Dora Desk”, then add this." in desk.decide(act, "add")
    desk.decide(grant, "add")
    assert "Added: Payment recorded" in desk.decide(act, "add")


def test_a_role_that_was_left_out_gives_no_right(desk: Desk) -> None:
    hotel = a_user("hotel", desk.event.tournament)
    client, before = signed_in(hotel), Snapshot()
    grant_role(desk.event.tournament, hotel, "desk", by=make_staff_actor(a_user("director", desk.event.tournament)))
    pay(client, desk.entrant)
    *_others, grant, act = missed(after=before)
    desk.decide(grant, "leave-out")
    assert "Only the desk of this tournament can do this." in desk.decide(act, "add")


def test_an_unknown_person_can_get_their_role_by_hand(desk: Desk) -> None:
    before = Snapshot()
    dora = a_user("desk", desk.event.tournament, name="Dora Desk")
    pay(signed_in(dora), desk.entrant)
    act = missed(after=before)[-1]
    assert f"On the page “Staff”, give {dora.email} a role, then add this." in desk.decide(act, "add")
    staff = reverse("tournament:desk_staff", args=[desk.event.tournament.slug])
    desk.director.post(staff, {"act": "grant", "name": "Dora Desk", "email": dora.email, "role": "desk"})
    assert "Added: Payment recorded" in desk.decide(act, "add")


def test_a_person_of_the_same_name_is_somebody_else(desk: Desk) -> None:
    before = Snapshot()
    pay(signed_in(a_user("desk", desk.event.tournament, name="Dora Desk")), desk.entrant)
    act = missed(after=before)[-1]
    a_user("desk", desk.event.tournament, name="Dora Desk")
    assert "This laptop does not know Dora Desk." in desk.decide(act, "add")
    assert desk.count_payments() == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda user: user.roles.all().delete(), "Only the desk of this tournament can do this."),
        (lambda user: User.objects.filter(pk=user.pk).update(is_active=False), "This laptop does not know"),
    ],
    ids=["no role", "closed account"],
)
def test_the_account_must_have_its_rights_here(desk: Desk, change: Any, reason: str) -> None:
    act = pay_there(desk)
    change(desk.person)
    assert reason in desk.decide(act, "add")
    assert desk.count_payments() == 0


# --- Forged acts -----------------------------------------------------------------------------------------------------


def forge(act: MissingAction, **fields: Any) -> MissingAction:
    forged = replace(act, **fields)
    save_missing_actions([forged.as_json()])
    return forged


def test_an_act_is_not_recorded_for_another_account_than_its_author(desk: Desk) -> None:
    other = a_user("desk", desk.event.tournament)
    act = forge(pay_there(desk), account=other.email)
    assert "would record something else" in desk.decide(act, "add")
    assert desk.count_payments() == 0


def test_only_the_desk_pages_of_this_tournament_are_opened_for_them(desk: Desk) -> None:
    elsewhere = an_event()
    StaffRole.objects.create(tournament=elsewhere.tournament, user=desk.person, role="desk")
    act = pay_there(desk)
    assert act.request is not None
    path = act.request.path.replace(desk.event.tournament.slug, elsewhere.tournament.slug)
    forged = forge(act, request=replace(act.request, path=path))
    assert "signed in only on the old laptop. Enter it by hand." in desk.decide(forged, "add")


@pytest.mark.parametrize(("is_administrator", "count"), [(True, 1), (False, 0)])
def test_only_an_administrator_adds_an_act_of_an_administrator(desk: Desk, is_administrator: bool, count: int) -> None:
    an_event()  # so that a director of one tournament does not direct all of them
    act = pay_there(desk, a_user("desk", desk.event.tournament, is_superuser=True))
    client = signed_in(a_user("director", desk.event.tournament, is_superuser=is_administrator))
    desk.decide(act, "add", client)
    assert desk.count_payments() == count


def test_an_act_that_names_no_account_is_still_entered_by_hand(desk: Desk) -> None:
    act = forge(pay_there(desk), account="")
    assert "signed in only on the old laptop. Enter it by hand." in desk.decide(act, "add")
    assert desk.count_payments() == 0


def test_an_act_of_somebody_of_another_tournament_is_refused(desk: Desk) -> None:
    stranger = a_user("desk", an_event().tournament)
    act = forge(pay_there(desk), account=stranger.email)
    assert "Only the desk of this tournament can do this." in desk.decide(act, "add")
    assert desk.count_payments() == 0
