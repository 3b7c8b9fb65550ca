"""A player who lost a private link requests it on a public page, and the desk approves the request."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import a_director, an_entrant, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tournament.core.permissions import Actor
from tournament.errors import Conflict
from tournament.models import AuditEntry, Entrant, Event, LinkAnswer, LinkRequest
from tournament.registration.selectors.people import load_undecided_link_requests
from tournament.registration.services.people import (
    approve_link_request,
    make_private_link_token,
    reject_link_request,
    request_link,
)

pytestmark = pytest.mark.django_db

WHO = {"way": "desk", "name": "Ada Lovelace", "phone_end": "4477"}


@pytest.fixture
@prebuilt
def event() -> Event:
    event = an_event()
    ada = an_entrant(event, "Ada Lovelace").members.get().player
    ada.phone = "(760) 555-4477"
    ada.save()
    return event


def asks(event: Event, **said: str) -> Client:
    """Request a lost link from the browser of a phone, and return the browser."""
    phone = Client()
    assert phone.post(event_url("tournament:link_again", event), {**WHO, **said}).status_code == 302
    return phone


def at_desk(event: Event, role: str = "desk") -> tuple[Client, str]:
    client = client_as(role, event)
    return client, event_url("tournament:desk_link_requests", event)


def words(phone: Client, event: Event) -> str:
    return re.sub(r'data-\S+="[^"]*"', "", phone.get(event_url("tournament:link_again", event)).content.decode())


def test_known_and_unknown_names_get_the_same_answer(event: Event) -> None:
    known, unknown = asks(event), asks(event, name="Nobody Anywhere")
    assert words(known, event) == words(unknown, event).replace("Nobody Anywhere", "Ada Lovelace")


def test_the_desk_sees_a_request_with_the_entries_of_that_name(event: Event) -> None:
    asks(event, name="ada lovelace")
    asks(event, name="Lovelace", phone_end="0000")
    asks(event, name="Nobody Anywhere")
    waiting = load_undecided_link_requests(event, LinkRequest.objects.latest("pk").at)
    found = [[(one["entrant"].number, one["phone_agrees"]) for one in each["candidates"]] for each in waiting]
    assert found == [[(1, True)], [(1, False)], []]


def test_the_link_is_shown_to_the_browser_that_asked_and_to_no_other(event: Event) -> None:
    phone, other = asks(event), Client()
    desk, address = at_desk(event)
    desk.post(address, {"request": LinkRequest.objects.get().pk, "act": "show", "entry": "1", "renew": "1"})
    link = reverse("tournament:my", args=[Entrant.objects.get().token])
    assert link in words(phone, event)
    assert link not in words(other, event)
    assert link not in desk.get(address).content.decode()


@pytest.mark.parametrize("renew", [True, False])
def test_the_old_link_ends_where_the_desk_says_so(event: Event, renew: bool) -> None:
    before = Entrant.objects.get()
    asks(event)
    approve_link_request(LinkRequest.objects.get(), before, renew=renew, by=a_director(event.tournament))
    after = Entrant.objects.get()
    assert (after.token == before.token, after.sign_code == before.sign_code) == (not renew, not renew)
    assert Client().get(f"/my/{before.token}/").status_code == (404 if renew else 200)
    entry = AuditEntry.objects.filter(verb="link.approved").get()
    assert (entry.data["number"], entry.data["renewed"]) == (1, renew)


def test_a_browser_that_knew_the_old_link_is_not_led_to_the_new_one(event: Event) -> None:
    thief, entrant = Client(), Entrant.objects.get()
    mine = event_url("tournament:mine", event)
    thief.get(f"/my/{entrant.token}/")
    assert thief.get(mine).headers["Location"] == f"/my/{entrant.token}/"
    asks(event)
    approve_link_request(LinkRequest.objects.get(), entrant, renew=True, by=a_director(event.tournament))
    assert thief.get(mine).headers["Location"] == event_url("tournament:link_again", event)


def test_the_second_desk_learns_of_the_first_answer(event: Event) -> None:
    asks(event)
    request, by = LinkRequest.objects.get(), a_director(event.tournament)
    approve_link_request(request, Entrant.objects.get(), renew=True, by=by)
    for again in (
        lambda: reject_link_request(request, by=by),
        lambda: approve_link_request(request, Entrant.objects.get(), renew=True, by=by),
    ):
        with pytest.raises(Conflict, match="has just approved this request for Ada Lovelace"):
            again()


@pytest.mark.django_db(transaction=True)
def test_two_desks_that_approve_at_once_make_one_link(event: Event) -> None:
    asks(event)
    request, entrant = LinkRequest.objects.get(), Entrant.objects.get()

    def approves(by: Actor) -> Any:
        return lambda: approve_link_request(request, entrant, renew=True, by=by)

    desks = [a_director(event.tournament) for _turn in range(2)]
    assert codes_of(*map(approves, desks)) == ["answered", "done"]
    assert LinkAnswer.objects.count() == 1


def test_a_request_expires(event: Event) -> None:
    phone = asks(event)
    LinkRequest.objects.update(at=LinkRequest.objects.get().at - timedelta(hours=3))
    with pytest.raises(Conflict, match="too old"):
        approve_link_request(
            LinkRequest.objects.get(), Entrant.objects.get(), renew=True, by=a_director(event.tournament)
        )
    assert "Your request is too old" in words(phone, event)
    assert phone.post(event_url("tournament:link_again", event), WHO).status_code == 302
    assert "The desk has your request" in words(phone, event)


def test_open_requests_are_limited(event: Event) -> None:
    for turn in range(30):
        request_link(event, name="Somebody", birth_year=1951, secret=str(turn))
    answer = Client().post(event_url("tournament:link_again", event), WHO)
    assert (answer.status_code, LinkRequest.objects.count()) == (409, 30)


@pytest.mark.parametrize(
    ("role", "act", "status"), [("desk", "print", 403), ("look", "show", 403), ("director", "print", 200)]
)
def test_a_slip_is_printed_only_by_those_who_may_see_links(event: Event, role: str, act: str, status: int) -> None:
    asks(event)
    client, address = at_desk(event, role)
    answer = client.post(address, {"request": LinkRequest.objects.get().pk, "act": act, "entry": "1"})
    assert answer.status_code == status


def test_the_phone_that_waits_is_woken_by_the_answer(event: Event) -> None:
    phone = asks(event)
    found = re.search(
        r'data-version-url="([^"]*)"', phone.get(event_url("tournament:link_again", event)).content.decode()
    )
    assert found is not None
    before = phone.get(found[1]).content
    reject_link_request(LinkRequest.objects.get(), by=a_director(event.tournament))
    assert phone.get(found[1]).content != before
    assert "The desk did not approve your request" in words(phone, event)


def test_a_link_that_was_typed_from_paper_opens_the_page(event: Event) -> None:
    entrant = Entrant.objects.get()
    entrant.token = make_private_link_token()
    entrant.save()
    typed = entrant.token.upper().replace("-", "")
    assert Client().get(f"/my/{typed}/").headers["Location"] == f"/my/{entrant.token}/"
    assert Client().get("/my/AAAA-BBBB-CCCC/").status_code == 404


@pytest.mark.parametrize("sends", [True, False])
def test_an_email_is_asked_for_only_where_the_site_can_send_one(sends: bool, settings: Any) -> None:
    settings.MAIL_IS_SET = sends
    event = an_event(state=Event.State.OPEN)
    page = Client().get(event_url("tournament:register", event)).content.decode()
    assert ("Email" in page, 'autocomplete="email"' in page) == (sends, sends)
    assert ("By email" in Client().get(event_url("tournament:link_again", event)).content.decode()) == sends
