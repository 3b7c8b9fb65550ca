from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from tests.factories import a_director, a_player, a_user
from tests.kit import client_as, entrant_of, event_url, get_page, refused
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.tournament.helpers.money import ALL, BACKUP, DINNER, a_finished_event, faults_of, paid_with, remit
from tests.tournament.helpers.side_pools import SENIOR, STROKES, a_charged_event, faults, finish, ledger_is_zero, reopen
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import Conflict, NotAllowed
from tournament.models import AuditEntry, Event, EventMoney, Finish, Member, PaidOut, Tournament, Withholding
from tournament.money.pdf.payouts import write_payout_list
from tournament.money.pdf.receipts import write_payout_receipts
from tournament.money.selectors.awards import find_wrong_payouts, sum_paid_prize_cents
from tournament.money.selectors.drawers_and_close import load_day_report
from tournament.money.selectors.finances import Ledger, load_account_balances, load_event_money_figures, load_expenses
from tournament.money.selectors.ledger import load_held_cents_by_account, sum_money_on_hand_by_method
from tournament.money.selectors.prizes import load_entrant_prize, load_prizes, load_tax_rows
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import EventMoneyDetails, record_event_money, reverse_event_money
from tournament.money.services.payouts import (
    WithheldAmount,
    pay_prize,
    record_returned_excess,
    reissue_payout,
    set_tax_form_threshold,
    sign_payout,
    undo_payout,
)
from tournament.money.services.side_pools import add_event_extra, add_side_pool, join_side_pool, sell_event_extra
from tournament.purse.journal import JOURNAL_SYNTAXES


@prebuilt
def corrected(event: Event, won: int) -> Event:
    """Correct the result of the event: entry 2 wins, and entry 1 gets a prize of only `won` cents."""
    Event.objects.filter(pk=event.pk).update(prize_scale=[str(100 - won // 100), str(won // 100)])
    Finish.objects.create(event=event, places=[[2], [1]], by_name="test")
    return Event.objects.select_related("tournament").get(pk=event.pk)


@pytest.mark.django_db
class TestPayout:
    def test_the_whole_prize_counts_as_paid_and_the_rest_is_handed_over(self) -> None:
        event = a_finished_event()
        paid = paid_with(event, key="once")
        assert paid_with(event, key="once") == paid
        with refused("paid-already"):
            paid_with(event, WithheldAmount(1, "x"), key="once")
        assert (
            sum_paid_prize_cents(entrant_of(event, 1)),
            sum_money_on_hand_by_method(event),
            load_held_cents_by_account(event)["withheld"],
        ) == (100_00, {"cash": 24_00}, 24_00)
        (row,) = [one for one in load_prizes(event).rows if one.cents]
        assert (row.paid, row.withheld_cents, row.handed_over_cents, row.withheld_for) == (
            True,
            24_00,
            76_00,
            BACKUP.reason,
        )
        assert AuditEntry.objects.get(verb="prize.paid").data["withheld"] == 24_00
        figures = load_event_money_figures(event)
        assert (figures["paid_out"], figures["withheld"], figures["to_pay"]) == (100_00, 24_00, 0)
        assert ledger_is_zero(event) and not faults(event)

    def test_up_to_the_whole_prize_can_be_withheld_with_a_reason(self) -> None:
        event = a_finished_event()
        for withheld, code in (
            (WithheldAmount(100_01, "x"), "bad-value"),
            (WithheldAmount(-1, "x"), "bad-value"),
            (WithheldAmount(24_00, " "), "reason-needed"),
        ):
            with refused(code):
                paid_with(event, withheld)
        paid_with(event, WithheldAmount(100_00, "Levy"))
        assert (sum_money_on_hand_by_method(event), load_held_cents_by_account(event)["withheld"]) == (
            {"cash": 100_00},
            100_00,
        )
        assert ledger_is_zero(event) and not faults(event)

    def test_undoing_a_payout_undoes_its_withholding(self) -> None:
        event = a_finished_event()
        again = reissue_payout(paid_with(event), "check", by=SYSTEM_ACTOR, reason="wrong way")
        assert (sum_money_on_hand_by_method(event), load_held_cents_by_account(event)["withheld"]) == (
            {"cash": 100_00, "check": -76_00},
            24_00,
        )
        assert not faults(event)
        undo_payout(again, by=SYSTEM_ACTOR, reason="not handed over")
        assert (sum_money_on_hand_by_method(event), load_held_cents_by_account(event)["withheld"]) == (
            {"cash": 100_00, "check": 0},
            0,
        )
        assert Withholding.objects.count() == 4
        assert ledger_is_zero(event) and not faults(event)

    def test_a_remittance_is_reversed_before_its_payout(self) -> None:
        event = a_finished_event()
        paid = paid_with(event)
        sent = remit(event)
        with refused("withheld-sent"):
            undo_payout(paid, by=SYSTEM_ACTOR, reason="x")
        paid = reissue_payout(paid, "check", by=SYSTEM_ACTOR, reason="lost")
        reverse_event_money(sent, by=SYSTEM_ACTOR, reason="came back")
        undo_payout(paid, by=SYSTEM_ACTOR, reason="x")
        assert (load_held_cents_by_account(event)["withheld"], sum(sum_money_on_hand_by_method(event).values())) == (
            0,
            100_00,
        )
        assert ledger_is_zero(event) and not faults(event)

    @pytest.mark.parametrize(("won", "withheld", "back"), [(60_00, 24_00, 40_00), (10_00, 10_00, 76_00)])
    def test_a_smaller_prize_is_compared_with_the_whole_payout(self, won: int, withheld: int, back: int) -> None:
        event = a_finished_event()
        paid_with(event)
        event = corrected(event, won)
        row = next(one for one in load_prizes(event).rows if one.number == 1)
        assert (row.cents, row.to_get_back_cents, row.back_cents) == (won, 100_00 - won, back)
        own = get_page(reverse("tournament:my", args=[entrant_of(event, 1).token]), Client())
        assert f"Please return ${back // 100}.00 to the director." in own
        (wrong,) = find_wrong_payouts(event, {1: won})
        assert wrong.back_cents == back
        assert [
            record_returned_excess(entrant_of(event, 1), by=SYSTEM_ACTOR, reason="corrected", key="k")
            for _twice in "ab"
        ] == [back] * 2
        assert (sum_paid_prize_cents(entrant_of(event, 1)), load_held_cents_by_account(event)["withheld"]) == (
            won,
            withheld,
        )
        assert sum_money_on_hand_by_method(event) == {"cash": 24_00 + back}
        assert ledger_is_zero(event) and not [one for one in faults(event) if "wrong" in one]

    def test_withheld_money_is_not_handed_back(self) -> None:
        event = a_finished_event()
        paid_with(event, WithheldAmount(100_00, "Levy"))
        event = corrected(event, won=60_00)
        client, prizes = client_as("director", event), event_url("tournament:desk_prizes", event)
        text = get_page(prizes, client)
        assert "$40.00 withheld too much" in text and "Withhold $40.00 less from Player 1?" in text
        assert "$0.00" not in text.split('id="back-')[1].split("</dialog>")[0]
        assert "Please return" not in get_page(reverse("tournament:my", args=[entrant_of(event, 1).token]), Client())
        form = {"act": "return", "key": "k", "entrant": entrant_of(event, 1).pk, "cents": "4000", "reason": "corrected"}
        assert client.post(prizes, form).status_code == 302
        assert "Player 1 had nothing to give back." in get_page(prizes, client)
        assert (sum_paid_prize_cents(entrant_of(event, 1)), load_held_cents_by_account(event)["withheld"]) == (
            60_00,
            60_00,
        )
        assert ledger_is_zero(event)

    def test_a_changed_withholding_is_found(self) -> None:
        event = a_finished_event()
        paid_with(event)
        Withholding.objects.update(cents=23_00)
        found = faults(event)
        assert any(text.startswith("withheld taxes:") for text in found)
        assert any(text.startswith("postings:") for text in found)


@pytest.mark.django_db
class TestRemittance:
    def test_a_remittance_is_recorded_once_and_never_exceeds_the_withheld_money(self) -> None:
        event = a_finished_event()
        paid_with(event)
        more = EventMoneyDetails(24_01, "check", "IRS")
        with refused("more-than-withheld"):
            remit(event, more)
        assert "$24.00" in refusal(lambda: remit(event, more))
        with refused("bad-value"):
            remit(event, EventMoneyDetails(0, "check", "IRS"))
        with refused("bad-value"):
            remit(event, EventMoneyDetails(1, "check", " "))
        with refused("reason-needed"):
            record_event_money(event, "remittance", ALL, by=SYSTEM_ACTOR, reason=" ", key="")
        sent = remit(event, key="once")
        assert remit(event, key="once") == sent
        assert (load_held_cents_by_account(event)["withheld"], sum_money_on_hand_by_method(event)) == (
            0,
            {"cash": 24_00, "check": -24_00},
        )
        assert load_expenses(event).spent_cents == 0
        assert ledger_is_zero(event) and not faults(event)
        reverse_event_money(sent, by=SYSTEM_ACTOR, reason="typed twice")
        assert load_held_cents_by_account(event)["withheld"] == 24_00
        with refused("reversed"):
            reverse_event_money(sent, by=SYSTEM_ACTOR, reason="again")
        assert ledger_is_zero(event) and not faults(event)

    def test_the_close_counts_only_the_money_handed_over(self) -> None:
        event = a_finished_event()
        paid_with(event)
        remit(event, EventMoneyDetails(10_00, "cash", "IRS"))
        report = load_day_report(event.tournament, event.movements.first().day)
        lines = {(line.kind, line.of): line.cents for line in report.moved}
        assert (lines["payout", "cash"], lines["remittance", "cash"]) == (-76_00, -10_00)
        accounts = {line.account: line.day_cents for line in report.accounts}
        assert (accounts["money"], accounts["withheld"], report.day_cents) == (14_00, -14_00, 0)
        assert report.get_cents_on_hand("cash", includes_earlier=True) == 14_00


def refusal(act: object) -> str:
    with pytest.raises(Conflict) as refusal:
        act()  # type: ignore[operator]
    return refusal.value.message


@pytest.mark.django_db
class TestPages:
    def test_the_desk_withholds_a_percent_signs_for_the_rest_and_sends_it_on(self) -> None:
        event = a_finished_event()
        client, prizes = client_as("director", event), event_url("tournament:desk_prizes", event)
        sent = {"act": "pay", "key": "k", "entrant": entrant_of(event, 1).pk, "cents": "10000", "method": "cash"}
        for wrong in ({"withheld": "much"}, {"withheld_for": "taxes"}, {"withheld": "200%", "withheld_for": "taxes"}):
            assert client.post(prizes, sent | wrong).status_code == 422
        assert client.post(prizes, sent | {"withheld": "24 %", "withheld_for": BACKUP.reason}).status_code == 302
        assert "Player 1 was handed $76.00, and $24.00 was withheld." in get_page(prizes, client)
        paid = PaidOut.objects.get(event=event)
        text = get_page(event_url("tournament:desk_payout_signature", event, paid=paid.pk), client)
        assert "$24.00" in text and BACKUP.reason in text and '<strong class="big-figure">$76.00</strong>' in text
        number = paid.movement.number
        assert "Withheld taxes, not sent on yet" in get_page(
            event_url("tournament:desk_movement", event, number=number), client
        )
        assert "($24.00 withheld)" in get_page(event_url("tournament:desk_ledger", event), client)
        own = get_page(reverse("tournament:my", args=[entrant_of(event, 1).token]), Client())
        assert "<dt>Withheld for taxes</dt><dd>$24.00</dd><dt>Handed to you</dt><dd>$76.00</dd>" in own
        expenses = event_url("tournament:desk_expenses", event)
        today = event_url("scoring:desk_today", event)
        assert "Withheld for taxes and not sent on yet:" in get_page(today, client)
        assert "<strong>$24.00</strong> was withheld" in get_page(expenses, client)
        form = {
            "act": "remittance", "remittance-key": "r", "remittance-cents": "24.01", "remittance-party": "IRS",
            "remittance-method": "check", "remittance-reason": "Form 945",
        }  # fmt: skip
        refused = client.post(expenses, form).content.decode()
        assert "Only $24.00 is withheld and not sent on yet." in refused and "Form 945" in refused
        assert client.post(expenses, form | {"remittance-cents": "24"}).status_code == 302
        assert "Tax remittance" in get_page(expenses, client) and load_held_cents_by_account(event)["withheld"] == 0
        assert "Withheld for taxes and not sent on yet:" not in get_page(today, client)
        with pytest.raises(NotAllowed):
            remit(event, by=make_staff_actor(a_user("desk", event.tournament)))

    def test_papers_and_lists_show_prize_withheld_and_handed_over(self) -> None:
        event = a_finished_event(entry_size=2)
        winners = entrant_of(event, 1)
        Member.objects.create(entrant=winners, player=a_player("Alan"), seat=2, by_name="test")
        set_tax_form_threshold(event.tournament, 50_00, by=SYSTEM_ACTOR)
        paid = paid_with(event, WithheldAmount(24_01, BACKUP.reason))
        share = load_prizes(event).awards[0].shares[0]
        sign_payout(paid, share.player, STROKES, by=SYSTEM_ACTOR)
        assert paid.signatures.get().cents == share.handed_over_cents == 50_00 - 12_01
        assert sorted(
            (row.won_cents, row.paid_cents, row.withheld_cents) for row in load_tax_rows(Tournament.objects.get())
        ) == [(50_00, 50_00, 12_00), (50_00, 50_00, 12_01)]
        texts = []
        for write in (write_payout_receipts, write_payout_list):
            target = io.BytesIO()
            write(target, event, load_prizes(event))
            texts.append(" ".join(PdfReader(target).pages[0].extract_text().split()))
        assert all(text in texts[0] for text in ("I received $37.99.", "I received $38.00.", "$12.01", BACKUP.reason))
        assert "Withheld" in texts[1] and "$24.01" in texts[1]
        client = client_as("director", event)
        for listed, row in (("prizes", "24.01 75.99"), ("payouts", f"24.01 {BACKUP.reason} 75.99")):
            answer = client.get(event_url("tournament:desk_money_list", event, listed=listed, kind="csv"))
            rows = list(csv.reader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
            assert any(" ".join(one).endswith(row) for one in rows)
        assert "Withheld: $12.01" in get_page(event_url("tournament:desk_tax_form", event), client)
        assert "Withheld taxes on hand" in get_page(event_url("tournament:desk_whole_money", event), client)
        own = load_entrant_prize(winners)
        assert own is not None and (own.paid_cents, own.withheld_cents) == (100_00, 24_01)
        reopen(event)
        own = load_entrant_prize(entrant_of(event, 1))
        assert own is not None and own.handed_over_cents == 75_99

    @pytest.mark.parametrize("program", JOURNAL_SYNTAXES)
    def test_accounting_programs_accept_it_with_extras_and_an_award(self, program: str, tmp_path: Path) -> None:
        event = a_charged_event(2, prize_percent="100", prize_scale=["100"])
        senior, dinner = add_side_pool(event, SENIOR, by=SYSTEM_ACTOR), add_event_extra(event, DINNER, by=SYSTEM_ACTOR)
        join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR)
        sell_event_extra(dinner, entrant_of(event, 1), by=SYSTEM_ACTOR, key="one")
        take_payment(entrant_of(event, 1), 155_00, "cash", by=SYSTEM_ACTOR, key="")
        event = finish(event, [1], [2])
        paid_with(event)
        pay_prize(
            entrant_of(event, 1),
            "cash",
            by=SYSTEM_ACTOR,
            pool=senior,
            withheld=WithheldAmount(4_32, "Backup withholding"),
        )
        remit(event, EventMoneyDetails(20_00, "check", "IRS"))
        answer = client_as("director", event).get(
            event_url("tournament:desk_journal", event, scope="event", program=program)
        )
        written = b"".join(answer.streaming_content).decode()
        assert faults_of(program, written, tmp_path) == ""
        found = dict(load_account_balances(Ledger(event.tournament, event)))
        assert (found["Liabilities:Withheld"], found["Income:Extras:Dinner"]) == (-8_32, -35_00)
        assert ledger_is_zero(event) and not faults(event)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_desks_send_the_same_money_on() -> None:
    event = a_finished_event()
    by = a_director(event.tournament)
    paid_with(event)
    assert codes_of(*(lambda key=key: remit(event, by=by, key=key) for key in ("a", "b"))) == [
        "done",
        "more-than-withheld",
    ]
    assert (load_held_cents_by_account(event)["withheld"], EventMoney.objects.count()) == (0, 1)
    assert ledger_is_zero(event)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_a_payout_is_undone_while_its_money_is_sent_on() -> None:
    event = a_finished_event()
    by = a_director(event.tournament)
    paid = paid_with(event)
    outcomes = codes_of(lambda: undo_payout(paid, by=by, reason="not handed over"), lambda: remit(event, by=by))
    assert outcomes in (["done", "more-than-withheld"], ["done", "withheld-sent"])
    assert load_held_cents_by_account(event)["withheld"] == 0 and ledger_is_zero(event)
