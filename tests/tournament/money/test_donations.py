from __future__ import annotations

import io

import pytest
import time_machine
from pypdf import PdfReader

from tests.factories import a_director, a_user
from tests.kit import client_as, entrant_of, event_url, get_page, page_text, refused
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.tournament.helpers.closes import EVENING, FRIDAY
from tests.tournament.helpers.money import faults_of
from tests.tournament.helpers.side_pools import a_charged_event, faults, finish, ledger_is_zero
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import Event, EventMoney, LedgerLine
from tournament.money.selectors.drawers_and_close import load_day_report
from tournament.money.selectors.finances import Ledger, load_account_balances, load_event_money_figures, load_expenses
from tournament.money.selectors.ledger import (
    load_entry_account,
    load_held_cents_by_account,
    load_prize_pool,
    sum_money_on_hand_by_method,
)
from tournament.money.services.fees_and_refunds import reverse_ledger_line
from tournament.money.services.ledger import EventMoneyDetails, record_event_money, reverse_event_money
from tournament.money.services.side_pools import DeskSale, complete_sale
from tournament.purse.journal import JOURNAL_SYNTAXES

HOSPICE = EventMoneyDetails(20_00, "check", "The hospice", reference="1042")


@prebuilt
def donate(
    event: Event, cents: int = 20_00, paid: int = 100_00, by: Actor = SYSTEM_ACTOR, **about: object
) -> LedgerLine:
    complete_sale(entrant_of(event, 1), DeskSale(paid, "cash", donation=cents, **about), by=by)  # type: ignore[arg-type]
    return event.ledger.get(kind="donation")


def pass_on(event: Event, sent: EventMoneyDetails = HOSPICE, by: Actor = SYSTEM_ACTOR, key: str = "") -> EventMoney:
    return record_event_money(event, "charity", sent, by=by, key=key)


@pytest.mark.django_db
class TestAtTheDesk:
    def test_a_donation_beside_a_payment_pays_no_fee_and_no_prize(self) -> None:
        event = a_charged_event(2)
        pool = load_prize_pool(event)
        complete_sale(
            entrant_of(event, 1),
            DeskSale(100_00, "cash", donation=20_00, given_cents=150_00),
            by=SYSTEM_ACTOR,
            key="once",
        )
        assert complete_sale(
            entrant_of(event, 1),
            DeskSale(100_00, "cash", donation=20_00, given_cents=150_00),
            by=SYSTEM_ACTOR,
            key="once",
        ).cents
        assert load_entry_account(entrant_of(event, 1)).is_settled
        assert load_prize_pool(event).pool_cents == pool.pool_cents + 82_00
        assert load_expenses(event).left_cents == 18_00
        assert (load_held_cents_by_account(event)["donations"], sum_money_on_hand_by_method(event)) == (
            20_00,
            {"cash": 120_00},
        )
        payment = event.ledger.get(kind="payment").movement
        assert payment.given_cents is not None and payment.given_cents - 100_00 == 30_00
        assert ledger_is_zero(event) and not faults(event)

    def test_an_entry_that_owes_nothing_can_donate_even_when_the_event_is_finished(self) -> None:
        event = a_charged_event(2)
        donate(event, 5_00)
        event = finish(event, [1], [2])
        pool = load_prize_pool(event)
        line = complete_sale(
            entrant_of(event, 1),
            DeskSale(0, "check", donation=15_00, reference="77", given_cents=20_00),
            by=SYSTEM_ACTOR,
        )
        assert (line.kind, line.reference, line.movement.given_cents) == ("donation", "77", 20_00)
        assert (load_prize_pool(event), load_held_cents_by_account(event)["donations"]) == (pool, 20_00)
        assert not faults(event)

    @pytest.mark.parametrize(("paid", "donated", "given"), [(0, 0, None), (100_00, 20_00, 110_00), (100_00, -1, None)])
    def test_nonsense_is_refused(self, paid: int, donated: int, given: int | None) -> None:
        event = a_charged_event(1)
        sale = DeskSale(paid, "cash", donation=donated, given_cents=given)
        with refused("bad-value"):
            complete_sale(entrant_of(event, 1), sale, by=SYSTEM_ACTOR)
        assert not event.ledger.filter(kind__in=("payment", "donation")).exists()

    def test_the_pages_record_a_donation_and_the_receipt_shows_it(self) -> None:
        event = a_charged_event(2)
        client, sale = client_as("director", event), event_url("tournament:desk_sale", event, number=1)
        answer = client.post(
            sale, {"cents": "100", "donation": "20", "given": "150", "method": "cash", "key": "a"}, follow=True
        )
        text = page_text(answer)
        assert "Give back $30.00" in text and "donated $20.00 to charity" in text
        client.post(sale, {"cents": "", "donation": "5", "method": "cash", "key": "b"})
        assert load_held_cents_by_account(event)["donations"] == 25_00
        paper = client.get(event_url("tournament:receipt", event, number=1)).content
        printed = " ".join(PdfReader(io.BytesIO(paper)).pages[0].extract_text().split())
        assert "Donation to charity" in printed and "$125.00" in printed and "Paid in full" in printed
        assert "Donation to charity" in get_page(event_url("tournament:desk_money", event, number=1), client)
        assert "not passed on yet" in get_page(event_url("tournament:desk_ledger", event), client)

    def test_the_desk_reverses_a_mistyped_donation_on_its_receipt_page(self) -> None:
        event = a_charged_event(1)
        line = donate(event)
        client = client_as("director", event)
        number = line.movement.number
        client.post(event_url("tournament:desk_movement", event, number=number), {"reason": "typed twice", "key": "r"})
        assert (load_held_cents_by_account(event)["donations"], sum_money_on_hand_by_method(event)) == (
            0,
            {"cash": 100_00},
        )
        with refused("reversed"):
            reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="again")
        assert ledger_is_zero(event) and not faults(event)


@pytest.mark.django_db
class TestPassedOn:
    def test_donations_on_hand_are_passed_on_once_and_reversed(self) -> None:
        event = a_charged_event(1)
        line = donate(event)
        with refused("more-than-donated"):
            pass_on(event, EventMoneyDetails(20_01, "cash", "The hospice"))
        with refused("bad-value"):
            pass_on(event, EventMoneyDetails(20_00, "cash", " "))
        sent = pass_on(event, key="k")
        assert pass_on(event, key="k") == sent
        assert (load_held_cents_by_account(event)["donations"], sum_money_on_hand_by_method(event)) == (
            0,
            {"cash": 120_00, "check": -20_00},
        )
        with refused("donation-sent"):
            reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="not given")
        reverse_event_money(sent, by=SYSTEM_ACTOR, reason="came back")
        reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="not given")
        assert sum(sum_money_on_hand_by_method(event).values()) == 100_00
        assert ledger_is_zero(event) and not faults(event)

    def test_the_desk_takes_donations_and_a_director_passes_them_on(self) -> None:
        event = a_charged_event(1)
        desk = make_staff_actor(a_user("desk", event.tournament))
        donate(event, by=desk)
        with pytest.raises(NotAllowed):
            pass_on(event, by=desk)
        assert pass_on(event, by=a_director(event.tournament)).by_name

    def test_the_page_and_today_show_donations_on_hand(self) -> None:
        event = a_charged_event(2)
        donate(event)
        client, expenses = client_as("director", event), event_url("tournament:desk_expenses", event)
        assert "$20.00</strong> was donated to charity" in get_page(expenses, client)
        event = finish(event, [1], [2])
        today = get_page(event_url("scoring:desk_today", event), client)
        assert "Donations not passed on to the charity yet" in today
        facts = {"act": "charity", "charity-cents": "20", "charity-party": "The hospice", "charity-method": "cash"}
        client.post(expenses, facts | {"charity-key": "k"})
        assert (
            "Payment to charity" in get_page(expenses, client) and load_held_cents_by_account(event)["donations"] == 0
        )

    def test_a_changed_donation_is_found(self) -> None:
        event = a_charged_event(1)
        line = donate(event)
        LedgerLine.objects.filter(pk=line.pk).update(cents=10_00)
        assert any("donations" in fault or "10 given" in fault for fault in faults(event))


@pytest.mark.django_db
def test_the_close_and_all_files_show_donations(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with time_machine.travel(EVENING, tick=False):
        event = a_charged_event(1)
        donate(event)
        pass_on(event, EventMoneyDetails(5_00, "cash", "The hospice"))
        report = load_day_report(event.tournament, FRIDAY)
    moved = {line.kind: line.cents for line in report.moved}
    assert (moved["donation"], moved["charity"]) == (20_00, -5_00)
    assert [line.after_cents for line in report.accounts if line.account == "donations"] == [-15_00]
    assert dict(load_account_balances(Ledger(event.tournament)))["Liabilities:Donations"] == -15_00
    assert load_event_money_figures(event)["donations"] == 15_00
    client = client_as("director", event)
    for program in JOURNAL_SYNTAXES:
        content = b"".join(
            client.get(event_url("tournament:desk_journal", event, scope="event", program=program)).streaming_content
        ).decode()
        assert "Liabilities:Donations" in content and "Payment to charity" in content
        assert not faults_of(program, content, tmp_path)
    for listed, text in (("postings", "Donation to charity"), ("expenses", "Payment to charity")):
        assert text in get_page(event_url("tournament:desk_money_list", event, listed=listed, kind="csv"), client)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestTwoAtOnce:
    def test_two_directors_pass_the_same_donations_on(self) -> None:
        event = a_charged_event(1)
        donate(event)
        codes = codes_of(*(lambda key=key: pass_on(event, key=key) for key in "ab"))
        assert codes == ["done", "more-than-donated"]
        assert load_held_cents_by_account(event)["donations"] == 0 and not faults(event)

    def test_a_donation_is_reversed_while_it_is_passed_on(self) -> None:
        event = a_charged_event(1)
        line = donate(event)
        codes = codes_of(lambda: reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="not given"), lambda: pass_on(event))
        assert codes in (["donation-sent", "done"], ["done", "more-than-donated"])
        assert load_held_cents_by_account(event)["donations"] == 0 and ledger_is_zero(event) and not faults(event)

    def test_two_desks_take_the_same_form_once(self) -> None:
        event = a_charged_event(1)
        sale = DeskSale(100_00, "cash", donation=20_00)
        assert (
            codes_of(
                *(lambda: complete_sale(entrant_of(event, 1), sale, by=SYSTEM_ACTOR, key="form") for _desk in "ab")
            )
            == ["done"] * 2
        )
        assert (event.ledger.filter(kind="donation").count(), load_held_cents_by_account(event)["donations"]) == (
            1,
            20_00,
        )
