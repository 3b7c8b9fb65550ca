"""People keep the links, codes and numbers that the old laptop gave them after a director adds the missing acts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from tests.factories import a_director, an_entrant, an_event
from tests.kit import event_url, get_page
from tests.page_forms import fields_of, read_html
from tests.tournament.helpers.second_laptop import Desk, Snapshot, missed, pay
from tournament.core.selectors.issued import EntryCredentials, IssuedValues, use_issued_values
from tournament.core.selectors.log import check_log_chain
from tournament.models import AuditEntry, Entrant, Event, LedgerLine
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person, approve_link_request, request_link
from tournament.second_laptop.selectors import MissingAction
from tournament.second_laptop.services.missing_acts import save_missing_actions

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("apart")]


def register(event: Event, name: str) -> Entrant:
    """Enter a player through the public form, and return the entry."""
    page = event_url("tournament:register", event)
    form = fields_of(read_html(get_page(page)).xpath("//form[@method='post']")[0])
    fields = {**form, "name": name, "email": f"{name.split()[0].lower()}@example.org"}
    assert Client().post(page, fields).status_code == 302
    return entry_of(event, name)


def entry_of(event: Event, name: str) -> Entrant:
    return event.entrants.get(name=name)


def receipt_of(cents: int) -> str:
    return LedgerLine.objects.get(kind="payment", cents=cents).movement.receipt


# --- Entries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["token", "sign_code", "number"])
def test_an_added_entry_is_the_same(desk: Desk, value: str) -> None:
    before = Snapshot()
    there = register(desk.event, "Alan Turing")
    desk.decide(missed(after=before)[0], "add")
    assert getattr(entry_of(desk.event, "Alan Turing"), value) == getattr(there, value)


def test_the_photographed_link_opens_the_players_page(desk: Desk) -> None:
    before = Snapshot()
    link = f"/my/{register(desk.event, 'Alan Turing').token}/"
    [act] = missed(after=before)
    assert Client().get(link).status_code == 404
    desk.decide(act, "add")
    assert "Alan Turing" in get_page(link)
    assert check_log_chain(desk.event.tournament).is_intact


def test_an_entry_that_is_added_first_keeps_its_higher_number(desk: Desk) -> None:
    before = Snapshot()
    for name in ("Alan Turing", "Grace Hopper"):
        register(desk.event, name)
    first, second = missed(after=before)
    for act in (second, first):
        assert "Added: Entry added" in desk.decide(act, "add")
    assert [str(each) for each in desk.event.entrants.all()] == ["1 Ada Lovelace", "2 Alan Turing", "3 Grace Hopper"]


def test_an_entry_whose_number_is_taken_gets_another_one_and_keeps_its_link(desk: Desk) -> None:
    before = Snapshot()
    token = register(desk.event, "Alan Turing").token
    [act] = missed(after=before)
    register(desk.event, "Grace Hopper")
    page = desk.decide(act, "add")
    sentence = (
        "Alan Turing had number 2 on the old laptop, which another entry has here. Tell them their new number: 3."
    )
    assert sentence in page and "print a new slip" not in page
    assert (entry_of(desk.event, "Alan Turing").token, entry_of(desk.event, "Alan Turing").number) == (token, 3)
    assert AuditEntry.objects.get(verb="old-laptop.added").reason == sentence


def test_another_number_is_none_that_somebody_else_got_on_the_old_laptop(desk: Desk) -> None:
    before = Snapshot()
    for name in ("Alan Turing", "Grace Hopper"):
        register(desk.event, name)
    first, second = missed(after=before)
    register(desk.event, "Emmy Noether")
    for act in (first, second):
        desk.decide(act, "add")
    numbers = {each.name: each.number for each in desk.event.entrants.all()}
    assert numbers == {"Ada Lovelace": 1, "Emmy Noether": 2, "Grace Hopper": 3, "Alan Turing": 4}


def test_a_link_that_another_entry_has_is_replaced_and_the_page_says_so(desk: Desk) -> None:
    before = Snapshot()
    register(desk.event, "Alan Turing")
    [act] = missed(after=before)
    [issued] = act.issued.entries
    elsewhere = an_entrant(an_event(desk.event.tournament), token=issued.token)
    page = desk.decide(act, "add")
    assert "The private link that Alan Turing got on the old laptop does not work here." in page
    assert entry_of(desk.event, "Alan Turing").token != elsewhere.token


def test_an_entry_that_the_phone_has_sent_again_has_another_link(desk: Desk) -> None:
    page = event_url("tournament:register", desk.event)
    form = fields_of(read_html(get_page(page)).xpath("//form[@method='post']")[0])
    form |= {"name": "Alan Turing", "email": "alan@example.org"}
    before = Snapshot()
    Client().post(page, form)
    [act] = missed(after=before)
    Client().post(page, form)
    answer = desk.decide(act, "add")
    assert "This laptop already had it" in answer
    assert "The private link that Alan Turing got on the old laptop does not work here." in answer


def test_the_link_of_a_substitute_is_the_same(desk: Desk) -> None:
    page = event_url("tournament:desk_substitute", desk.event, number=1)
    form = fields_of(read_html(get_page(page, desk.director)).xpath("//main//form[@method='post']")[0])
    before = Snapshot()
    desk.director.post(page, {**form, "seat": "1", "name": "Alan Turing", "reason": "ill"})
    token = entry_of(desk.event, "Alan Turing").token
    [act] = missed(after=before)
    assert "Added: " in desk.decide(act, "add")
    assert entry_of(desk.event, "Alan Turing").token == token != desk.entrant.token


def test_a_link_that_the_desk_renewed_is_the_same(desk: Desk) -> None:
    request = request_link(desk.event, name="Ada Lovelace", secret="a browser")
    page = event_url("tournament:desk_link_requests", desk.event)
    before = Snapshot()
    approved = {"act": "show", "request": request.pk, "entry": "1", "renew": "1"}
    assert desk.client.post(page, approved).status_code == 302
    token = entry_of(desk.event, "Ada Lovelace").token
    act = missed(after=before)[-1]
    assert "Added: " in desk.decide(act, "add")
    assert entry_of(desk.event, "Ada Lovelace").token == token != desk.entrant.token


def test_an_act_that_gave_out_no_link_changes_none(desk: Desk) -> None:
    before = Snapshot()
    pay(desk.client, desk.entrant)
    [act] = missed(after=before)
    request = request_link(desk.event, name="Ada Lovelace", secret="a browser")
    approve_link_request(request, desk.entrant, renew=True, by=a_director(desk.event.tournament))
    token = entry_of(desk.event, "Ada Lovelace").token
    assert "Added: Payment recorded" in desk.decide(act, "add")
    assert entry_of(desk.event, "Ada Lovelace").token == token != desk.entrant.token


def test_each_of_several_entries_in_one_act_gets_its_own_link(desk: Desk) -> None:
    names = ("Alan Turing", "Grace Hopper")
    entries = [
        EntryCredentials(event=desk.event.slug, number=number, name=name, token=f"link-of-{number}", sign_code="123456")
        for number, name in enumerate(names, start=11)
    ]
    with use_issued_values(IssuedValues(entries=entries)):
        for name in reversed(names):
            by = a_director(desk.event.tournament)
            add_entry(desk.event, EntryRequest((Person(name=name),), source=Entrant.Source.DESK.value), by=by)
    assert [entry_of(desk.event, name).token for name in names] == ["link-of-11", "link-of-12"]


# --- Receipts --------------------------------------------------------------------------------------------------------


def miss_two_payments(desk: Desk) -> list[MissingAction]:
    before = Snapshot()
    for dollars in ("10", "20"):
        pay(desk.client, desk.entrant, dollars)
    return missed(after=before)


def test_a_payment_that_is_added_first_keeps_its_receipt_number(desk: Desk) -> None:
    first, second = miss_two_payments(desk)
    for act in (second, first):
        desk.decide(act, "add")
    printed = f"{desk.event.pk}-000"
    assert (receipt_of(1000), receipt_of(2000)) == (f"{printed}1", f"{printed}2")


def test_a_receipt_whose_number_is_taken_is_printed_again(desk: Desk) -> None:
    first, second = miss_two_payments(desk)
    pay(desk.client, desk.entrant, "30")
    printed = f"{desk.event.pk}-000"
    page = desk.decide(first, "add")
    assert f"Receipt {printed}1 has the number {printed}3 here. Print it again, and swap the papers." in page
    assert "Receipt" not in desk.decide(second, "add").replace("Receipts", "")
    assert (receipt_of(3000), receipt_of(2000), receipt_of(1000)) == (f"{printed}1", f"{printed}2", f"{printed}3")


def test_a_fee_that_was_charged_has_no_paper(desk: Desk) -> None:
    before = Snapshot()
    register(desk.event, "Alan Turing")
    [act] = missed(after=before)
    register(desk.event, "Grace Hopper")
    assert "Print it again" not in desk.decide(act, "add")


# --- What another laptop sends ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [{"token": "../../desk"}, {"token": ""}, {"sign_code": "abc"}, {"number": 0}, {"number": "7"}, {"number": True}],
    ids=str,
)
def test_values_that_no_laptop_gives_out_are_left_out(value: dict[str, Any]) -> None:
    entry = {"event": "singles", "number": 7, "name": "Ada", "token": "k7mp-3xwq-9dtf", "sign_code": "123456"}
    values = IssuedValues.from_json({"entries": [entry, {**entry, **value}], "receipts": []})
    assert [each.token for each in values.entries] == [entry["token"]]


def test_a_receipt_without_a_number_is_left_out() -> None:
    receipt = {"event": "", "number": -1, "kind": "payment", "printed": "T1-0001"}
    assert IssuedValues.from_json({"entries": [], "receipts": [receipt]}).receipts == []


def test_acts_from_before_an_update_can_still_be_added(desk: Desk) -> None:
    """An older release stored less about each action that only the other laptop recorded.

    It left out the account, the sign-in link, and the values that people got, such as private links.
    """
    act = desk.miss_payment()
    content = {name: value for name, value in act.as_json().items() if name not in ("account", "link", "issued")}
    save_missing_actions([content])
    assert "Added: Payment recorded" in desk.decide(replace(act), "add")
