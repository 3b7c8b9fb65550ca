from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.factories import a_director, a_user, an_event
from tests.kit import client_as, event_url, get_page, refused
from tests.races import codes_of
from tests.tournament.helpers.money import charged
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.errors import DomainError, NotAllowed
from tournament.models import Event, Player
from tournament.money.selectors.ledger import find_posting_faults, load_entry_account
from tournament.money.selectors.transfers_and_cards import load_unmatched_transfers, make_entry_reference
from tournament.money.services.transfers_and_cards import match_transfer, record_transfers, set_transfer_aside
from tournament.setup.services.tournaments import change_tournament
from tournament.spreadsheets.bank_statements import BankStatementLine, read_bank_statement
from tournament.tasks.mail import send_confirmation

BANK = {"providers": ["desk", "transfer"], "bank_account": "Desert Bank, 12-345"}


def offering(event: Event) -> Event:
    change_tournament(event.tournament, BANK, by=SYSTEM_ACTOR)
    return Event.objects.get(pk=event.pk)


def the_list(*rows: str) -> bytes:
    return "\n".join(["Posting Date;Details;Amount;Name", *rows]).encode()


class TestList:
    def test_a_list_without_amounts_is_refused(self) -> None:
        with refused("no-amounts", "file"):
            read_bank_statement(b"Date,TextLayer\n2026-11-20,fee")


@pytest.mark.django_db
class TestTakingIn:
    def test_transfers_are_matched_by_reference_and_lists_may_overlap(self) -> None:
        event = an_event()
        one, other = charged(event), charged(event)
        good = BankStatementLine("Nov 20", 300_00, "Ada", f"fee {make_entry_reference(one)}")
        both = BankStatementLine("Nov 21", 600_00, "Kurt", f"{make_entry_reference(one)} {make_entry_reference(other)}")
        none = BankStatementLine("Nov 21", 300_00, "Emmy", "entry fee")
        assert record_transfers(event.tournament, [good, both, none], by=SYSTEM_ACTOR) == Counter(
            matched=1, unmatched=2
        )
        assert record_transfers(event.tournament, [none, good, none], by=SYSTEM_ACTOR) == Counter(unmatched=1, known=2)
        assert (load_entry_account(one).due_cents, load_entry_account(other).due_cents) == (0, 300_00)
        line = one.ledger.get(kind="payment")
        assert (line.method, line.reference) == ("transfer", good.text)
        assert find_posting_faults(event) == []
        assert all(check.passed for check in verify_event(event) if check.kind == "ledger")
        event.tournament.transfers.filter(payer="Emmy").update(payer="Ada")
        assert "transfers and cards" in [check.subject for check in verify_event(event) if not check.passed]

    def test_a_transfer_is_matched_by_hand_once_or_set_aside_with_a_reason(self) -> None:
        event = an_event()
        one = charged(event)
        rows = [BankStatementLine("Nov 21", cents, "Emmy", "") for cents in (300_00, 5_00)]
        record_transfers(event.tournament, rows, by=SYSTEM_ACTOR)
        paid, other = load_unmatched_transfers(event.tournament)
        line = match_transfer(paid, one, by=SYSTEM_ACTOR, key="k")
        assert match_transfer(paid, one, by=SYSTEM_ACTOR, key="k") == line
        with pytest.raises(DomainError):
            set_transfer_aside(other, by=SYSTEM_ACTOR, reason=" ")
        set_transfer_aside(other, by=SYSTEM_ACTOR, reason="the hall's deposit")
        for again in (paid, other):
            with refused("matched"):
                match_transfer(again, one, by=SYSTEM_ACTOR)
        assert load_entry_account(one).net_paid_cents == 300_00
        assert not load_unmatched_transfers(event.tournament)

    def test_a_list_of_another_layout_adds_only_what_is_new(self) -> None:
        event = an_event()
        one, other = charged(event), charged(event)
        rows = [(f"{make_entry_reference(one)}", "Ann Lee"), ("entry fee", "Bob Stone")]
        first = "Booking date;Payer;Description;Amount;Balance\n" + "".join(
            f"02.11.2026;{payer};{text};300,00;1300,00\n" for text, payer in rows
        )
        second = "Date,Value date,Amount,Name,Details\n" + "".join(
            f"2026-11-02,2026-11-03,300.00,{payer},{text} SEPA\n"
            for text, payer in [*rows, (make_entry_reference(other), "Cy Young")]
        )
        for text, taken in (
            (first, Counter(matched=1, unmatched=1)),
            (second, Counter(matched=1, known=2)),
            (first, Counter(known=2)),
        ):
            listed = [row for row in read_bank_statement(text.encode()).rows if row.is_incoming]
            assert record_transfers(event.tournament, listed, by=SYSTEM_ACTOR) == taken

    def test_a_second_transfer_for_a_settled_entry_waits_for_the_desk(self) -> None:
        event = an_event()
        one = charged(event)
        rows = [BankStatementLine(f"Nov {day}", 300_00, "Ada", make_entry_reference(one)) for day in (20, 21)]
        assert record_transfers(event.tournament, rows, by=SYSTEM_ACTOR) == Counter(matched=1, unmatched=1)
        shown = get_page(event_url("tournament:desk_transfers", event), client_as("desk", event))
        assert f"{one.name} (entry {one.number}) owes nothing more." in shown

    def test_a_transfer_for_a_finished_event_waits_for_the_desk(self) -> None:
        event = an_event()
        one = charged(event)
        Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
        row = BankStatementLine("Nov 20", 300_00, "Ada", make_entry_reference(one))
        assert record_transfers(event.tournament, [row], by=SYSTEM_ACTOR) == Counter(unmatched=1)

    def test_who_may(self) -> None:
        event = an_event()
        with pytest.raises(NotAllowed):
            record_transfers(event.tournament, [], by=make_staff_actor(a_user("hotel", event.tournament)))
        with pytest.raises(NotAllowed):
            record_transfers(event.tournament, [], by=Actor("nobody"))


@pytest.mark.django_db
class TestPages:
    def test_the_player_sees_the_reference_on_the_page_and_in_the_mail(self, settings: Any) -> None:
        event = an_event()
        entrant = charged(event)
        Player.objects.filter(members__entrant=entrant).update(email="ada@example.org")
        client = client_as("director", event)
        own = reverse("tournament:my", args=[entrant.token])
        assert "Please pay at the desk." in get_page(own, client)
        offering(event)
        shown = get_page(own, client)
        assert make_entry_reference(entrant) in shown
        assert "Desert Bank, 12-345" in shown
        settings.MAIL_IS_SET = True
        send_confirmation(entrant.pk, "http://testserver")
        assert make_entry_reference(entrant) in mail.outbox[0].body
        assert "Desert Bank, 12-345" in mail.outbox[0].body

    def test_the_desk_imports_a_list_finds_by_reference_and_matches(self) -> None:
        event = offering(an_event())
        one, other = charged(event), charged(event)
        client, url = client_as("desk", event), event_url("tournament:desk_transfers", event)
        content = the_list(f"2026-11-20;{make_entry_reference(one)};300.00;Ada", "2026-11-21;fee;300.00;Emmy")
        sent = {"act": "list", "list-file": SimpleUploadedFile("bank.csv", content)}
        shown = client.post(url, sent, follow=True)
        assert "Payment of" in shown.content.decode()
        assert event.tournament.transfers.count() == 0
        source = client.post(shown.redirect_chain[-1][0], follow=True).content.decode()
        assert "1 payments recorded, 1 transfers to match by hand, 0 known before." in source
        transfer = load_unmatched_transfers(event.tournament).get()
        sent = {"act": "match", "transfer": transfer.pk, "match-entrant": other.pk, "match-key": "k"}
        assert "recorded as a payment of" in client.post(url, sent, follow=True).content.decode()
        assert load_entry_account(other).due_cents == 0
        search = f"fee {make_entry_reference(other)}"
        listed = get_page(event_url("tournament:desk_payments", event), client, q=search)
        assert (other.name in listed, one.name in listed) == (True, False)
        found = client.post(url, {"act": "find", "find-reference": make_entry_reference(other).lower()})
        assert found["Location"] == event_url("tournament:desk_money", event, number=other.number)
        source = client.post(url, {"act": "find", "find-reference": "RF00"}, follow=True).content.decode()
        assert "No entry has this reference." in source
        source = get_page(event_url("tournament:desk_money", event, number=other.number), client)
        assert "RF" in source
        assert client.get(url + "?_export=csv").content.decode("utf-8-sig").count("\n") == 3

    def test_an_amount_in_another_currency_is_doubted_and_pays_nobody(self) -> None:
        event = offering(an_event())
        one, client = charged(event), client_as("desk", event)
        text = f"Date,Text,Amount,Currency\n2026-11-20,{make_entry_reference(one)},300.00,EUR\n"
        address = client.post(event_url("tournament:desk_transfers", event), {"act": "list", "list-pasted": text})[
            "Location"
        ]
        shown = get_page(address, client)
        assert "The amount is in EUR, not in USD." in shown and "€300.00" in shown
        client.post(address)
        assert (load_entry_account(one).due_cents, event.tournament.transfers.count()) == (300_00, 0)

    def test_an_ambiguous_list_needs_a_choice_first(self) -> None:
        event = offering(an_event())
        one, client = charged(event), client_as("desk", event)
        text = f"Date,Text,Amount,Name\n05/11/2026,{make_entry_reference(one)},300.00,Ada\n,what,three,Emmy\n"
        sent = {"act": "list", "list-pasted": text}
        address = client.post(event_url("tournament:desk_transfers", event), sent)["Location"]
        shown = get_page(address, client)
        assert "November 5, 2026" in shown and "May 11, 2026" in shown
        assert "One row was not understood." in shown
        client.post(address)
        assert event.tournament.transfers.count() == 0, "nobody said which day it is"
        client.post(address, {"order": "day-month"})
        client.post(address)
        assert load_entry_account(one).due_cents == 0

    def test_a_transfer_of_another_tournament_is_not_found(self) -> None:
        event, other = an_event(), an_event()
        record_transfers(other.tournament, [BankStatementLine("Nov 21", 1_00, "Emmy", "")], by=SYSTEM_ACTOR)
        sent = {"act": "aside", "transfer": load_unmatched_transfers(other.tournament).get().pk}
        sent |= {"aside-reason": "no", "aside-key": "k"}
        assert client_as("director", event).post(event_url("tournament:desk_transfers", event), sent).status_code == 404


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_desks_import_the_same_list_at_once() -> None:
    event = an_event()
    one, by = charged(event), a_director(event.tournament)
    rows = [
        BankStatementLine("Nov 20", 300_00, "Ada", make_entry_reference(one)),
        BankStatementLine("Nov 21", 1_00, "Emmy", ""),
    ]
    assert codes_of(*[lambda: record_transfers(event.tournament, rows, by=by)] * 2) == ["done", "done"]
    assert load_entry_account(one).net_paid_cents == 300_00
    assert event.tournament.transfers.count() == 2
