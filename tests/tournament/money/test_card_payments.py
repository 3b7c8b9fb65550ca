from __future__ import annotations

import base64
import datetime as dt
import json
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.factories import a_tournament, a_user, an_event
from tests.kit import client_as, event_url, get_page, refused
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.tournament.helpers.closes import EVENING, SATURDAY, a_day_of_two_events, closed_day
from tests.tournament.helpers.money import charged
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import NotAllowed
from tournament.models import CardEvent, CardPayment, Entrant, Event
from tournament.money.providers import (
    MAX_WEBHOOK_AGE_S,
    check_webhook_signature,
    get_card_payment_service,
    list_provider_choices,
    sign_webhook,
)
from tournament.money.public import MAX_WEBHOOKS_PER_MINUTE
from tournament.money.selectors.ledger import find_posting_faults, load_entry_account
from tournament.money.services.transfers_and_cards import (
    CardProviderMessage,
    match_card_event,
    record_card_event,
    retry_card_event,
    set_card_event_aside,
    start_card_payment,
)
from tournament.setup.services.tournaments import change_tournament

NOW = dt.datetime(2026, 11, 28, 20, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _console(settings: Any) -> None:
    settings.CARD_PROVIDER, settings.CARD_WEBHOOK_SECRET = "console", "whsec"
    cache.clear()  # messages are counted by the minute


@prebuilt
def to_pay() -> tuple[Entrant, CardPayment]:
    event = an_event()
    change_tournament(event.tournament, {"providers": ["desk", "card"]}, by=SYSTEM_ACTOR)
    entrant = Entrant.objects.select_related("event__tournament").get(pk=charged(event).pk)
    return entrant, start_card_payment(entrant, by=make_player_actor(entrant), key="k")


def told(kind: str, payment: CardPayment, ident: str = "evt_1", **more: Any) -> bytes:
    about = {"payment": payment.ident, "amount": 300_00, "currency": "USD"} | more
    return json.dumps({"id": ident, "type": kind, "data": about}).encode()


def send(body: bytes, header: str | None = None) -> Any:
    header = sign_webhook(body, "whsec", timezone.now()) if header is None else header
    client = Client(enforce_csrf_checks=True)
    url = reverse("tournament:card_webhook")
    return client.post(url, body, content_type="application/json", headers={"Card-Signature": header})


class TestSignature:
    @pytest.mark.parametrize("late", [-MAX_WEBHOOK_AGE_S, 0, MAX_WEBHOOK_AGE_S])
    def test_a_valid_signature_within_the_tolerance_is_accepted(self, late: int) -> None:
        check_webhook_signature(b"{}", sign_webhook(b"{}", "s", NOW), "s", NOW + dt.timedelta(seconds=late))

    def test_one_of_two_signatures_is_enough_while_the_secret_changes(self) -> None:
        old, new = sign_webhook(b"{}", "old", NOW), sign_webhook(b"{}", "new", NOW)
        check_webhook_signature(b"{}", f"{old},{new.partition(',')[2]}", "new", NOW)

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "v1=abc",
            "t=,v1=abc",
            "t=²,v1=abc",
            "t=1,v1=é",
            sign_webhook(b"[]", "s", NOW),
            sign_webhook(b"{}", "other", NOW),
            sign_webhook(b"{}", "s", NOW).partition(",")[0],
            sign_webhook(b"{}", "s", NOW - dt.timedelta(seconds=MAX_WEBHOOK_AGE_S + 1)),
            sign_webhook(b"{}", "s", NOW + dt.timedelta(seconds=MAX_WEBHOOK_AGE_S + 1)),
            sign_webhook(b"{}", "s", NOW) + ",t=1",
        ],
    )
    def test_anything_else_is_refused(self, header: str) -> None:
        with refused("bad-signature"):
            check_webhook_signature(b"{}", header, "s", NOW)


@pytest.mark.django_db
class TestWebhook:
    def test_a_payment_is_recorded_once_however_often_it_is_reported(self) -> None:
        entrant, payment = to_pay()
        for body in (told("payment.succeeded", payment),) * 2 + (told("payment.succeeded", payment, "evt_2"),):
            assert send(body).status_code == 200
        assert load_entry_account(entrant).due_cents == 0
        line = entrant.ledger.get(kind="payment")
        assert (line.cents, line.method, line.reference) == (300_00, "card", payment.ident)
        assert [row.state for row in payment.told.all()] == ["recorded", "ignored"]
        assert find_posting_faults(entrant.event) == []
        assert all(check.passed for check in verify_event(entrant.event) if check.kind == "ledger")

    def test_a_refund_reported_first_waits_for_its_payment(self) -> None:
        entrant, payment = to_pay()
        back = told("payment.refunded", payment, "evt_2", amount=100_00, refund="re_1")
        assert send(back).json() == {"received": True, "state": "waiting"}
        assert load_entry_account(entrant).net_paid_cents == 0
        assert send(told("payment.succeeded", payment)).json()["state"] == "recorded"
        assert load_entry_account(entrant).net_paid_cents == 200_00
        again = told("payment.refunded", payment, "evt_3", amount=100_00, refund="re_1")
        assert send(again).json()["state"] == "ignored"
        more = told("payment.refunded", payment, "evt_4", amount=250_00, refund="re_2")
        assert send(more).json()["state"] == "waiting"
        assert load_entry_account(entrant).net_paid_cents == 200_00

    def test_an_unknown_message_is_stored_and_changes_nothing(self) -> None:
        entrant, payment = to_pay()
        assert send(told("dispute.opened", payment)).json()["state"] == "ignored"
        nowhere = told("payment.succeeded", CardPayment(ident="pay_elsewhere"), "evt_9")
        assert [send(nowhere).json()["state"] for _time in range(2)] == ["waiting", "waiting"]
        assert CardEvent.objects.count() == 2
        assert load_entry_account(entrant).net_paid_cents == 0

    @pytest.mark.parametrize("wrong", [{"currency": "EUR"}, {"currency": "?"}, {"amount": 0}])
    def test_another_currency_waits_for_the_director(self, wrong: dict[str, Any]) -> None:
        entrant, payment = to_pay()
        assert send(told("payment.succeeded", payment, **wrong)).json()["state"] == "waiting"
        assert load_entry_account(entrant).net_paid_cents == 0
        assert "The player started a payment of $300.00" in payment.told.get().note

    def test_an_unsigned_message_is_refused_and_not_stored(self) -> None:
        _entrant, payment = to_pay()
        assert send(told("payment.succeeded", payment), "t=1,v1=00").status_code == 400
        assert not CardEvent.objects.exists()
        assert Client().get(reverse("tournament:card_webhook")).status_code == 405

    def test_too_many_messages_from_one_address_are_refused_for_a_minute(self) -> None:
        with time_machine.travel(NOW, tick=False):
            codes = [send(b"", "t=1,v1=00").status_code for _message in range(MAX_WEBHOOKS_PER_MINUTE + 1)]
            assert set(codes[:-1]) == {400}
            assert (codes[-1], send(b"")["Retry-After"]) == (429, "60")

    def test_without_a_provider_there_is_no_webhook(self, settings: Any) -> None:
        settings.CARD_PROVIDER = ""
        assert send(b"{}").status_code == 404
        assert [name for name, _label in list_provider_choices()] == ["desk", "transfer"]
        settings.CARD_PROVIDER = "nobody"
        with pytest.raises(ImproperlyConfigured):
            get_card_payment_service()


def unreadable() -> dict[str, bytes]:
    """Return messages of a card provider, by name, that the program cannot read or store exactly."""
    good = told("payment.succeeded", CardPayment(ident="pay_1"))
    with_more = {
        "half a letter": b'"\\ud800"',
        "half a letter as bytes": b'"\xed\xa0\x80"',
        "NUL": b'"a\\u0000b"',
        "NaN": b"NaN",
        "infinity": b"1e999",
        "a large number": b"12345678901234567890",
        "a large float": b"1e20",
        "deeply nested": b"[" * 900 + b"]" * 900,
    }
    found = {name: good[:-1] + b', "note": ' + more + b"}" for name, more in with_more.items()}
    found |= {"NUL in a name": good[:-1] + b', "a\\u0000": 1}', "nothing": b"", "a list": b"[]", "cut off": b"{"}
    found |= {"no type": b'{"id": 1}', "brackets": b"[" * 100_000, "not UTF-8": b"\xff\xfe\xfd"}
    wrong: tuple[dict[str, Any], ...] = ({"amount": -1}, {"amount": True}, {"currency": ""}, {"refund": "x" * 101})
    found |= {str(each): told("payment.succeeded", CardPayment(ident="pay_1"), **each) for each in wrong}
    return found


@pytest.mark.django_db
class TestUnread:
    """A signed message that cannot be read is stored byte for byte until the desk settles it."""

    @pytest.mark.parametrize("name", unreadable())
    def test_it_is_stored_once_and_waits(self, name: str) -> None:
        body = unreadable()[name]
        for _time in range(2):
            answer = send(body)
            assert (answer.status_code, answer.json()["state"]) == (200, "waiting")
        row = CardEvent.objects.get()
        assert row.kind == "unread" and base64.b64decode(row.payload["base64"]) == body

    @pytest.mark.postgres
    @pytest.mark.parametrize("name", unreadable())
    def test_postgresql_stores_it_too(self, name: str) -> None:
        self.test_it_is_stored_once_and_waits(name)

    def test_the_desk_settles_it(self) -> None:
        entrant, _payment = to_pay()
        send(unreadable()["NUL"])
        client, url = client_as("director", entrant.event), event_url("tournament:desk_card_payments", entrant.event)
        shown = get_page(url, client)
        assert "This message cannot be read. It begins: {&quot;id&quot;: &quot;evt_1&quot;" in shown
        today = get_page(url.replace("cards-paid", "today"), client)
        assert "1 message of the card provider has to be settled." in today
        row = CardEvent.objects.get()
        sent = {"act": "aside", "told": row.pk, "aside-key": "a", "aside-reason": "paid at the desk"}
        assert "set aside" in client.post(url, sent, follow=True).content.decode()
        assert "cannot be read. It begins" not in get_page(url, client)
        assert all(check.passed for check in verify_event(entrant.event) if check.kind == "ledger")

    def test_a_readable_message_is_stored_unchanged(self) -> None:
        _entrant, payment = to_pay()
        body = told("payment.succeeded", payment, note="é 𝄞 \\u0000", rate=0.25, at=1e15, more=[None, {"a": -0.5}])
        assert send(body).json()["state"] == "recorded"
        assert payment.told.get().payload == json.loads(body)


@pytest.mark.django_db
class TestAnotherAmount:
    """If the paid amount differs from the amount of the started payment, a director has to settle it."""

    @pytest.fixture
    def partly(self) -> CardPayment:
        _entrant, payment = to_pay()
        assert send(told("payment.succeeded", payment, amount=100_00)).json()["state"] == "waiting"
        return payment

    def settle(self, payment: CardPayment, **sent: Any) -> str:
        client, url = client_as("director", payment.event), event_url("tournament:desk_card_payments", payment.event)
        answer = client.post(url, {"told": payment.told.order_by("pk")[0].pk, **sent}, follow=True)
        return str(answer.content.decode())

    def test_the_desk_sees_both_amounts(self, partly: CardPayment) -> None:
        shown = get_page(event_url("tournament:desk_card_payments", partly.event), client_as("director", partly.event))
        assert "The player started a payment of $300.00. The card provider reports $100.00." in shown
        assert load_entry_account(partly.entrant).net_paid_cents == 0

    def test_a_full_payment_reported_later_counts(self, partly: CardPayment) -> None:
        assert send(told("payment.succeeded", partly, "evt_2")).json()["state"] == "recorded"
        assert load_entry_account(partly.entrant).net_paid_cents == 300_00

    def test_a_director_records_it(self, partly: CardPayment) -> None:
        assert "Recorded" in self.settle(partly, act="accept")
        assert load_entry_account(partly.entrant).net_paid_cents == 100_00
        assert all(check.passed for check in verify_event(partly.event) if check.kind == "ledger")

    def test_a_full_payment_after_a_partial_one_waits_again(self, partly: CardPayment) -> None:
        self.settle(partly, act="accept")
        assert send(told("payment.succeeded", partly, "evt_2")).json()["state"] == "waiting"
        assert "Recorded before: $100.00." in partly.told.get(ident="evt_2").note

    def test_the_same_amount_again_is_the_same_payment(self, partly: CardPayment) -> None:
        self.settle(partly, act="accept")
        again = told("payment.succeeded", partly, "evt_3", amount=100_00)
        assert send(again).json()["state"] == "ignored"

    def test_a_director_sets_it_aside_with_a_reason(self, partly: CardPayment) -> None:
        sent = {"act": "aside", "aside-key": "a", "aside-reason": "refunded there"}
        assert "set aside" in self.settle(partly, **sent)
        row = partly.told.get()
        assert (row.state, row.note) == ("ignored", "refunded there")
        assert all(check.passed for check in verify_event(partly.event) if check.kind == "ledger")

    def test_a_retry_does_not_accept_another_amount(self, partly: CardPayment) -> None:
        self.settle(partly)
        assert load_entry_account(partly.entrant).net_paid_cents == 0


@pytest.mark.django_db
class TestUnknown:
    """If the card provider reports a payment that this program did not start, a director has to settle it."""

    def told_of_nothing(self, kind: str = "payment.succeeded", ident: str = "evt_9") -> tuple[Entrant, CardEvent]:
        entrant, _payment = to_pay()
        assert send(told(kind, CardPayment(ident="pay_elsewhere"), ident)).json()["state"] == "waiting"
        return entrant, CardEvent.objects.get(ident=ident)

    def test_the_page_says_what_to_do_and_records_it_once(self) -> None:
        entrant, row = self.told_of_nothing()
        client, url = client_as("director", entrant.event), event_url("tournament:desk_card_payments", entrant.event)
        shown = get_page(url, client)
        assert "Find each one at the card provider" in shown
        assert "pay_elsewhere" in shown
        sent = {"act": "match", "told": row.pk, "match-entrant": entrant.pk, "match-key": "m"}
        for _time in range(2):
            assert "recorded as a payment of" in client.post(url, sent, follow=True).content.decode()
        assert entrant.ledger.get(kind="payment").reference == "evt_9"
        shown = get_page(url, client)
        assert "Find each one" not in shown
        assert "Recorded by a director" in shown
        with refused("not-waiting"):
            match_card_event(row, entrant, by=SYSTEM_ACTOR)

    def test_a_message_for_nobody_is_set_aside_with_a_reason(self) -> None:
        entrant, row = self.told_of_nothing("payment.refunded")
        with refused("bad-value"):
            match_card_event(row, entrant, by=SYSTEM_ACTOR)
        client, url = client_as("director", entrant.event), event_url("tournament:desk_card_payments", entrant.event)
        sent = {"act": "aside", "told": row.pk, "aside-key": "a", "aside-reason": ""}
        assert "This field is required" in client.post(url, sent).content.decode()
        assert "set aside" in client.post(url, sent | {"aside-reason": "another shop"}, follow=True).content.decode()
        row.refresh_from_db()
        assert (row.state, row.note, entrant.ledger.filter(kind="refund").exists()) == (
            "ignored",
            "another shop",
            False,
        )

    def test_unrelated_tournaments_neither_show_nor_settle_it(self) -> None:
        _entrant, row = self.told_of_nothing()
        no_cards, euros = an_event(), an_event(a_tournament(currency="EUR", providers=["desk", "card"]))
        for event in (no_cards, euros):
            client, url = client_as("director", event), event_url("tournament:desk_card_payments", event)
            assert "pay_elsewhere" not in get_page(url, client)
            sent = {"act": "aside", "told": row.pk, "aside-key": "a", "aside-reason": "why"}
            assert client.post(url, sent).status_code == 404
        administrator = Client()
        administrator.force_login(a_user("director", is_superuser=True))
        assert "pay_elsewhere" in get_page(event_url("tournament:desk_card_payments", no_cards), administrator)

    def test_verification_finds_a_changed_message(self) -> None:
        entrant, row = self.told_of_nothing()
        assert send(told("payment.succeeded", entrant.card_payments.get())).status_code == 200
        set_card_event_aside(row, entrant.event.tournament, by=SYSTEM_ACTOR, reason="another shop")
        for changed in (None, row, CardEvent.objects.get(ident="evt_1")):
            if changed is not None:
                CardEvent.objects.filter(pk=changed.pk).update(cents=1)
            (check,) = [one for one in verify_event(entrant.event) if one.subject == "transfers and cards"]
            assert check.passed == (changed is None), check.finding
            CardEvent.objects.filter(cents=1).update(cents=300_00)


@pytest.mark.django_db
class TestStarting:
    def test_only_the_player_pays_and_only_the_amount_owed(self) -> None:
        entrant, payment = to_pay()
        assert payment.cents == 300_00
        assert start_card_payment(entrant, by=make_player_actor(entrant), key="k") == payment
        with pytest.raises(NotAllowed):
            start_card_payment(entrant, by=SYSTEM_ACTOR, key="")
        record_card_event(CardProviderMessage("evt", "payment.succeeded", payment.ident, 300_00, "USD"))
        change_tournament(entrant.event.tournament, {"providers": ["desk"]}, by=SYSTEM_ACTOR)
        for providers, code in ((["desk"], "not-offered"), (["card"], "nothing-owed")):
            change_tournament(entrant.event.tournament, {"providers": providers}, by=SYSTEM_ACTOR)
            with refused(code):
                start_card_payment(entrant, by=make_player_actor(entrant), key="")


@pytest.mark.django_db
class TestPages:
    def test_the_console_provider_sends_payments_and_refunds(self) -> None:
        entrant, _payment = to_pay()
        client = Client()
        assert "Pay by card" in get_page(reverse("tournament:my", args=[entrant.token]), client)
        there = client.post(reverse("tournament:my_pay_by_card", args=[entrant.token]), {"key": "b"})["Location"]
        text = get_page(there, client)
        assert "No card is charged." in text
        assert "$300.00" in text
        assert "Send the refund" not in text
        assert "Send the refund" in client.post(there, {"act": "pay"}, follow=True).content.decode()
        assert load_entry_account(entrant).due_cents == 0
        client.post(there, {"act": "refund"})
        assert load_entry_account(entrant).net_paid_cents == 0
        text = get_page(event_url("tournament:desk_card_payments", entrant.event), client_as("director", entrant.event))
        assert text.count("<span>Recorded ") == 2

    def test_a_waiting_payment_is_recorded_after_the_event_is_reopened(self) -> None:
        entrant, payment = to_pay()
        Event.objects.filter(pk=entrant.event_id).update(state=Event.State.FINISHED)
        assert send(told("payment.succeeded", payment)).json()["state"] == "waiting"
        client, url = client_as("director", entrant.event), event_url("tournament:desk_card_payments", entrant.event)
        sent = {"told": payment.told.get().pk}
        assert "The event is finished" in client.post(url, sent, follow=True).content.decode()
        Event.objects.filter(pk=entrant.event_id).update(state=Event.State.OPEN)
        assert "Recorded." in client.post(url, sent, follow=True).content.decode()
        assert client.post(url, sent).status_code == 409
        assert load_entry_account(entrant).due_cents == 0

    def test_after_the_close_a_payment_counts_to_the_next_day(self) -> None:
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
            change_tournament(event.tournament, {"providers": ["card"]}, by=SYSTEM_ACTOR)
            entrant = Entrant.objects.select_related("event__tournament").get(pk=charged(event).pk)
            payment = start_card_payment(entrant, by=make_player_actor(entrant), key="k")
            Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
            assert send(told("payment.succeeded", payment)).json()["state"] == "waiting"
            Event.objects.filter(pk=event.pk).update(state=Event.State.OPEN)
            closed_day(event, ann, director)
            assert retry_card_event(payment.told.get(), by=director).state == "recorded"
            assert (entrant.ledger.get(kind="payment").movement.day, find_posting_faults(event)) == (SATURDAY, [])
        assert load_entry_account(entrant).due_cents == 0

    def test_without_the_console_provider_its_page_is_not_found(self, settings: Any) -> None:
        entrant, payment = to_pay()
        settings.CARD_PROVIDER = ""
        address = reverse("tournament:my_card_payment", args=[entrant.token, payment.ident])
        assert Client().get(address).status_code == 404
        assert Client().post(reverse("tournament:my_pay_by_card", args=[entrant.token])).status_code == 404


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_webhooks_record_one_payment() -> None:
    entrant, payment = to_pay()
    same = CardProviderMessage("evt", "payment.succeeded", payment.ident, 300_00, "USD")
    other = CardProviderMessage("evt_2", "payment.succeeded", payment.ident, 300_00, "USD")
    acts = [lambda message=message: record_card_event(message) for message in (same, same, other)]
    assert codes_of(*acts) == ["done"] * 3
    assert load_entry_account(entrant).net_paid_cents == 300_00


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_directors_of_two_tournaments_settle_one_unknown_payment() -> None:
    entrant, _payment = to_pay()
    elsewhere = an_event().tournament
    row = record_card_event(CardProviderMessage("evt", "payment.succeeded", "pay_elsewhere", 300_00, "USD"))
    acts = (
        lambda: match_card_event(row, entrant, by=SYSTEM_ACTOR),
        lambda: set_card_event_aside(row, elsewhere, by=SYSTEM_ACTOR, reason="another shop"),
    )
    assert codes_of(*acts) == ["done", "not-waiting"]
    row.refresh_from_db()
    assert load_entry_account(entrant).net_paid_cents == (300_00 if row.state == "recorded" else 0)
