from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError
from django.db import IntegrityError, transaction
from django.db.models import Sum

from tests.factories import a_director, an_event
from tests.kit import refused
from tests.races import at_once, codes_of
from tests.tournament.helpers.money import a_day, case_for_the_command, charged, money_checks, paid
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.errors import Conflict
from tournament.models import Event, Finish, LedgerLine, Movement, Posting
from tournament.money.selectors.awards import load_paid_prize_cents
from tournament.money.selectors.ledger import (
    find_posting_faults,
    load_entry_account,
    load_event_accounts,
    load_prize_pool,
    sum_money_on_hand_by_method,
)
from tournament.money.services.fees_and_refunds import (
    cancel_fee,
    correct_payment,
    discount_or_waive_fee,
    refund_entry,
    restore_fee,
    reverse_ledger_line,
    take_payment,
)
from tournament.money.services.side_pools import record_finish
from tournament.purse.cases import run_ledger_case
from tournament.registration.services.entries import withdraw_entrant


@pytest.mark.django_db
@pytest.mark.parametrize("discounts_from", ["expenses", "fee"])
def test_the_command_agrees_with_an_event_with_canceled_fees(discounts_from: str) -> None:
    event = an_event(discounts_from=discounts_from)
    paid(event)
    let_off, gone, part, back, guest = (charged(event) for _ in range(5))
    for entrant in (let_off, gone):
        discount_or_waive_fee(entrant, 20_00, by=SYSTEM_ACTOR, reason="club member", key="")
        take_payment(entrant, 280_00, "check", by=SYSTEM_ACTOR, key="")
    cancel_fee(gone, by=SYSTEM_ACTOR, reason="cannot come", key="")
    refund_entry(gone, 280_00, "check", by=SYSTEM_ACTOR, key="", reason="cannot come")
    take_payment(part, 100_00, "cash", by=SYSTEM_ACTOR, key="")
    cancel_fee(back, by=SYSTEM_ACTOR, reason="cannot come", key="")
    with writing(event, verb="test.restored", by=SYSTEM_ACTOR) as write:
        restore_fee(write, back)
    take_payment(back, 300_00, "card", by=SYSTEM_ACTOR, key="")
    discount_or_waive_fee(guest, None, by=SYSTEM_ACTOR, reason="past champion", key="")
    for entrant in (part, guest):
        withdraw_entrant(entrant, by=SYSTEM_ACTOR)
    event = Event.objects.get(pk=event.pk)
    answer, pool = run_ledger_case(case_for_the_command(event)), load_prize_pool(event)
    assert pool.collected_cents == 300_00 + 280_00 + 100_00 + 300_00
    figures = [answer[name] for name in ("collected_cents", "pool_cents", "expenses_cents", "sum_cents")]
    assert figures == [pool.collected_cents, pool.pool_cents, pool.expenses_cents, 0]
    assert answer["methods"] == {method: cents for method, cents in sum_money_on_hand_by_method(event).items() if cents}
    assert answer["entries"][str(part.number)] == {"owed": 100_00, "paid": 100_00, "due": 0, "to_return": 0}


@pytest.mark.django_db
class TestPosted:
    def test_every_fact_has_a_receipt_and_balanced_postings(self) -> None:
        event = a_day()
        facts = event.ledger.count() + event.paid_out.count()
        numbers = list(event.movements.order_by("pk").values_list("number", flat=True))
        assert numbers == list(range(1, facts + 1))
        assert len({movement.receipt for movement in event.movements.all()}) == facts
        assert event.postings.aggregate(sum=Sum("cents"))["sum"] == 0
        for movement in event.movements.annotate(sum=Sum("postings__cents")):
            assert movement.sum == 0
        assert find_posting_faults(event) == []
        assert all(money_checks(event).values())

    def test_balances_are_sums_of_columns(self) -> None:
        event = a_day()
        in_hand = dict(event.postings.filter(account="money").order_by().values_list("method").annotate(Sum("cents")))
        assert in_hand == {"cash": -load_paid_prize_cents(event)[1], "card": 300_00, "check": 300_00}
        assert {posting.day for posting in event.postings.all()} == {movement.day for movement in event.movements.all()}

    def test_a_reversed_refund_leaves_no_trace_in_the_sums(self) -> None:
        one = paid(an_event(), 350_00)
        line = refund_entry(one, 50_00, "cash", by=SYSTEM_ACTOR, key="", reason="paid too much")
        back = reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="the bill was found", key="k")
        assert (back.kind, back.cents, back.corrects) == ("reversal", 50_00, line)
        assert load_entry_account(one).refund_due_cents == 50_00
        assert reverse_ledger_line(line, by=SYSTEM_ACTOR, reason="the bill was found", key="k") == back
        assert back.movement.reverses == line.movement
        for wrong, code in (
            (line, "reversed"),
            (back, "not-reversible"),
            (one.ledger.get(kind="payment"), "not-reversible"),
        ):
            with refused(code):
                reverse_ledger_line(wrong, by=SYSTEM_ACTOR, reason="again")

    def test_a_line_that_a_later_line_depends_on_is_not_reversed(self) -> None:
        one = paid(an_event())
        refund_entry(one, 100_00, "cash", by=SYSTEM_ACTOR, key="", reason="half a day")
        with refused("too-much"):
            correct_payment(one.ledger.get(kind="payment"), by=SYSTEM_ACTOR, reason="typed twice")

    def test_a_refund_is_no_more_than_was_paid_by_its_method(self) -> None:
        one = paid(an_event(), 200_00)
        take_payment(one, 150_00, "card", by=SYSTEM_ACTOR, key="")
        with pytest.raises(Conflict, match="by this method") as refusal:
            refund_entry(one, 150_01, "card", by=SYSTEM_ACTOR, key="", reason="left")
        assert refusal.value.code == "too-much"
        refund_entry(one, 150_00, "card", by=SYSTEM_ACTOR, key="", reason="left")
        assert load_entry_account(one).net_paid_cents == 200_00

    def test_refunding_one_of_two_payments_leaves_a_paid_entry(self) -> None:
        one = paid(an_event())
        take_payment(one, 300_00, "cash", by=SYSTEM_ACTOR, key="")
        refund_entry(one, 300_00, "cash", by=SYSTEM_ACTOR, key="", reason="paid twice")
        assert load_entry_account(one).is_settled
        assert load_entry_account(one).collected_cents == 300_00

    def test_the_amount_given_is_stored_with_the_receipt(self) -> None:
        one = charged(an_event())
        line = take_payment(one, 300_00, "cash", by=SYSTEM_ACTOR, key="", given=320_00)
        assert line.movement.given_cents == 320_00
        assert load_entry_account(one).net_paid_cents == 300_00


@pytest.mark.django_db
class TestTampered:
    @pytest.mark.parametrize(
        "tamper",
        [
            lambda event: event.postings.filter(account="fees").update(cents=1),
            lambda event: event.postings.filter(method="card").update(method="cash"),
            lambda event: event.postings.first().delete(),
            lambda event: event.movements.last().delete(),
            lambda event: LedgerLine.objects.filter(event=event, kind="refund").update(cents=49_00),
            lambda event: LedgerLine.objects.create(
                event=event, entrant=event.entrants.first(), kind="payment", cents=1, method="cash", by_name="x"
            ),
        ],
        ids=["amount", "method", "posting", "movement", "fact", "fact-without-postings"],
    )
    def test_changed_postings_are_found(self, tamper: Callable[[Event], Any]) -> None:
        event = a_day()
        tamper(event)
        assert not money_checks(event)["postings"]

    def test_a_movement_has_exactly_one_fact(self) -> None:
        event = a_day()
        with pytest.raises(IntegrityError), transaction.atomic():
            Movement.objects.create(tournament=event.tournament, event=event, number=99, kind="payment")


MIGRATION = import_module("tournament.migrations.0007_postings")


@pytest.mark.django_db
class TestCarriedOver:
    def _columns(self) -> list[Any]:
        columns = ("movement__line", "movement__paid_out", "account", "kind", "entrant", "method", "day", "cents")
        return sorted(Posting.objects.values_list(*columns), key=repr)

    def test_the_migration_makes_the_postings_of_earlier_rows(self) -> None:
        event = a_day()
        made, on_hand = self._columns(), sum_money_on_hand_by_method(event)
        reversals = Movement.objects.filter(reverses__isnull=False).count()
        Movement.objects.all().delete()
        LedgerLine.objects.filter(kind="reversal").delete()  # not known before
        kept = [one for one in made if one[0] is None or LedgerLine.objects.filter(pk=one[0]).exists()]
        MIGRATION.post_all(apps, None)
        assert self._columns() == kept
        assert Movement.objects.filter(reverses__isnull=False).count() == reversals - 1
        assert sum_money_on_hand_by_method(event) == on_hand
        assert list(event.movements.values_list("number", flat=True)) == list(range(1, event.movements.count() + 1))

    def test_the_migration_stops_if_sums_differ(self, monkeypatch: pytest.MonkeyPatch) -> None:
        event = a_day()
        Movement.objects.all().delete()
        LedgerLine.objects.filter(kind="reversal").delete()
        monkeypatch.setattr(MIGRATION, "sums_by_entry", lambda lines, owner: {next(iter(owner)): "other sums"})
        with pytest.raises(CommandError, match=f"The ledger of “{event.name}” was not carried over: the account of"):
            MIGRATION.post_all(apps, None)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_refunds_never_exceed_the_payment(self) -> None:
        one = paid(an_event())
        by = a_director(one.event.tournament)
        acts = [lambda key=key: refund_entry(one, 200_00, "cash", by=by, key=key, reason="left") for key in ("a", "b")]
        assert codes_of(*acts) == ["done", "too-much"]
        assert load_entry_account(one).net_paid_cents == 100_00

    def test_finish_against_refund(self) -> None:
        event = an_event(state=Event.State.IN_PLAY)
        one = paid(event)

        def finish() -> None:
            with writing(event, verb="test.finished", by=SYSTEM_ACTOR) as write:
                record_finish(write, event, [[1]])
                write.the_event.state = Event.State.FINISHED
                write.the_event.save(update_fields=["state"])

        outcomes = at_once(finish, lambda: refund_entry(one, 100_00, "cash", by=SYSTEM_ACTOR, key="", reason="left"))
        assert outcomes[0] == "done"
        kept = {"done": 200_00, "finished": 300_00}[outcomes[1]]
        assert load_event_accounts(event).total.collected_cents == kept
        assert Finish.objects.count() == 1
        assert find_posting_faults(event) == []

    def test_two_desks_take_the_same_payment(self) -> None:
        one = charged(an_event())
        with_one_key = [lambda: take_payment(one, 300_00, "cash", by=SYSTEM_ACTOR, key="k") for _desk in range(2)]
        assert codes_of(*with_one_key) == ["done", "done"]
        assert one.ledger.filter(kind="payment").count() == 1
        with_own_keys = [
            lambda key=key: take_payment(one, 300_00, "cash", by=SYSTEM_ACTOR, key=key) for key in ("a", "b")
        ]
        assert codes_of(*with_own_keys) == ["done", "done"]
        for twice in one.ledger.filter(kind="payment")[1:]:
            correct_payment(twice, by=SYSTEM_ACTOR, reason="both desks took it")
        assert load_entry_account(one).is_settled
        numbers = list(one.event.movements.values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))
        assert find_posting_faults(one.event) == []
