from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import refused
from tests.prebuilt import prebuilt
from tests.tournament.helpers.money import charged, paid
from tournament.core.forms import CentsField
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.core.selectors.log import check_log_chain, compute_fact_digest
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry, EntrantFact, Event, Finish, LedgerLine, PaidOut
from tournament.money.selectors.ledger import (
    load_entry_account,
    load_event_accounts,
    load_payout,
    load_prize_breakdown,
    sum_money_on_hand_by_method,
)
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.checkin import check_in_entrants
from tournament.money.services.fees_and_refunds import (
    cancel_fee,
    correct_payment,
    discount_or_waive_fee,
    refund_entry,
    restore_fee,
    take_payment,
)
from tournament.money.services.payouts import pay_prize, record_returned_excess, undo_payout


@pytest.mark.django_db
class TestLines:
    def test_a_payment_is_a_line_with_its_method_and_reference(self) -> None:
        entrant = charged(an_event())
        desk = make_staff_actor(a_user("desk", entrant.event.tournament))
        line = take_payment(entrant, 30000, "check", by=desk, key="k", reference="No. 1041")
        assert (line.kind, line.cents, line.method, line.reference, line.by) == (
            "payment",
            30000,
            "check",
            "No. 1041",
            desk.user,
        )
        account = load_entry_account(entrant)
        assert (account.owed_cents, account.net_paid_cents, account.due_cents) == (30000, 30000, 0)

    def test_a_repeated_payment_adds_one_line(self) -> None:
        entrant = charged(an_event())
        first = take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key="k")
        second = take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key="k")
        assert first.pk == second.pk
        assert entrant.ledger.filter(kind="payment").count() == 1
        assert take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key="another").pk != first.pk

    @pytest.mark.parametrize("cents", [0, -1])
    def test_a_payment_is_above_zero(self, cents: int) -> None:
        entrant = an_entrant(an_event())
        with refused("bad-value", "cents"):
            take_payment(entrant, cents, "cash", by=SYSTEM_ACTOR, key="k")

    def test_a_payment_needs_a_method(self) -> None:
        entrant = an_entrant(an_event())
        with refused("missing-method"):
            take_payment(entrant, 100, "", by=SYSTEM_ACTOR, key="k")
        assert not entrant.ledger.exists()

    def test_a_refund_is_no_more_than_was_paid(self) -> None:
        entrant = paid(an_event())
        director = a_director(entrant.event.tournament)
        for cents in (0, 30001):
            with refused("too-much"):
                refund_entry(entrant, cents, "cash", by=director, key="", reason="left")
        refund_entry(entrant, 20000, "cash", by=director, key="", reason="left")
        with pytest.raises(Conflict):
            refund_entry(entrant, 10001, "cash", by=director, key="", reason="left")
        assert load_entry_account(entrant).net_paid_cents == 10000

    def test_a_refund_needs_a_reason(self) -> None:
        entrant = paid(an_event())
        with refused("missing-reason"):
            refund_entry(entrant, 100, "cash", by=SYSTEM_ACTOR, key="", reason=" ")

    def test_a_mistaken_payment_is_corrected_once(self) -> None:
        entrant = paid(an_event())
        payment = entrant.ledger.get(kind="payment")
        line = correct_payment(payment, by=SYSTEM_ACTOR, reason="typed twice", key="k")
        assert (line.kind, line.cents, line.method, line.corrects) == ("correction", 30000, "cash", payment)
        assert load_entry_account(entrant).due_cents == 30000
        assert correct_payment(payment, by=SYSTEM_ACTOR, reason="typed twice", key="k") == line
        for wrong in (payment, line, entrant.ledger.get(kind="charge")):
            with refused("corrected"):
                correct_payment(wrong, by=SYSTEM_ACTOR, reason="again", key="")

    def test_without_a_key_a_payment_is_corrected_once_too(self) -> None:
        payment = paid(an_event()).ledger.get(kind="payment")
        correct_payment(payment, by=SYSTEM_ACTOR, reason="typed twice")
        with refused("corrected"):
            correct_payment(payment, by=SYSTEM_ACTOR, reason="typed twice")

    def test_one_key_beside_two_payments_corrects_each(self) -> None:
        entrant = paid(an_event())
        take_payment(entrant, 500, "card", by=SYSTEM_ACTOR, key="")
        for payment in entrant.ledger.filter(kind="payment"):
            line = correct_payment(payment, by=SYSTEM_ACTOR, reason="typed by mistake", key="one form")
            assert line.corrects == payment
        assert load_entry_account(entrant).net_paid_cents == 0

    def test_a_discount_is_no_more_than_the_fee(self) -> None:
        entrant = charged(an_event())
        for cents in (0, 30001):
            with refused("bad-value"):
                discount_or_waive_fee(entrant, cents, by=SYSTEM_ACTOR, reason="club", key="")
        discount_or_waive_fee(entrant, 2500, by=SYSTEM_ACTOR, reason="club", key="")
        assert load_entry_account(entrant).owed_cents == 27500

    def test_a_complimentary_entry_owes_nothing_and_shows_what_was_given(self) -> None:
        entrant = charged(an_event())
        line = discount_or_waive_fee(entrant, None, by=SYSTEM_ACTOR, reason="past champion", key="")
        assert (line.kind, line.cents, line.reason) == ("complimentary", 30000, "past champion")
        assert load_entry_account(entrant).is_settled
        with refused("nothing-owed"):
            discount_or_waive_fee(entrant, None, by=SYSTEM_ACTOR, reason="past champion", key="")

    def test_after_a_canceled_fee_the_payment_is_due_back(self) -> None:
        entrant = paid(an_event())
        cancel_fee(entrant, by=SYSTEM_ACTOR, reason="withdrawn", key="")
        assert load_entry_account(entrant).refund_due_cents == 30000
        with refused("nothing-owed"):
            cancel_fee(entrant, by=SYSTEM_ACTOR, reason="withdrawn", key="")

    def test_a_returning_entry_is_charged_the_fee_less_its_discount(self) -> None:
        entrant = charged(an_event())
        discount_or_waive_fee(entrant, 5000, by=SYSTEM_ACTOR, reason="club", key="")
        cancel_fee(entrant, by=SYSTEM_ACTOR, reason="withdrawn", key="")
        with writing(entrant.event, verb="test.back", by=SYSTEM_ACTOR) as write:
            restore_fee(write, entrant)
        assert load_entry_account(entrant).owed_cents == 25000

    def test_a_returning_complimentary_entry_is_charged_nothing(self) -> None:
        entrant = charged(an_event())
        discount_or_waive_fee(entrant, None, by=SYSTEM_ACTOR, reason="past champion", key="")
        with writing(entrant.event, verb="test.back", by=SYSTEM_ACTOR) as write:
            assert restore_fee(write, entrant) is None
        assert entrant.ledger.count() == 2

    def test_a_repeated_request_returns_the_first_line(self) -> None:
        one, other = paid(an_event()), charged(an_event())

        def acts() -> list[LedgerLine]:
            return [
                refund_entry(one, 5000, "cash", by=SYSTEM_ACTOR, key="k", reason="left"),
                cancel_fee(one, by=SYSTEM_ACTOR, key="k", reason="left"),
                discount_or_waive_fee(other, 5000, by=SYSTEM_ACTOR, key="k", reason="club"),
            ]

        first = acts()
        assert [(line.kind, line.cents) for line in first] == [
            ("refund", 5000), ("cancellation", 30000), ("discount", 5000),
        ]  # fmt: skip
        assert acts() == first
        assert LedgerLine.objects.count() == 6

    def test_the_log_has_the_reason_the_amount_and_the_digest_of_each_line(self) -> None:
        entrant = paid(an_event())
        twice = take_payment(entrant, 100, "card", by=SYSTEM_ACTOR, key="")
        acts: dict[str, LedgerLine] = {
            "ledger.refund": refund_entry(entrant, 5000, "cash", by=SYSTEM_ACTOR, key="", reason="came too late"),
            "ledger.let-off": discount_or_waive_fee(entrant, 100, by=SYSTEM_ACTOR, key="", reason="club"),
            "ledger.cancelled": cancel_fee(entrant, by=SYSTEM_ACTOR, key="", reason="cannot come"),
            "ledger.correction": correct_payment(twice, by=SYSTEM_ACTOR, reason="typed twice"),
        }
        for verb, line in acts.items():
            row = AuditEntry.objects.get(verb=verb)
            assert row.reason == line.reason != ""
            assert (row.data["line"], row.data["kind"], row.data["cents"]) == (line.pk, line.kind, line.cents)
            assert row.data["ledger"] == [{"pk": line.pk, "digest": compute_fact_digest(line)}]
            assert row.about == str(entrant)

    def test_a_finished_event_refuses_payments(self) -> None:
        entrant = charged(an_event())
        Event.objects.filter(pk=entrant.event_id).update(state=Event.State.FINISHED)
        with refused("finished"):
            take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key="k")

    def test_only_staff_with_permission_record_money(self) -> None:
        entrant = paid(an_event())
        payment = entrant.ledger.get(kind="payment")
        desk, hotel = (make_staff_actor(a_user(role, entrant.event.tournament)) for role in ("desk", "hotel"))
        stranger = make_staff_actor(a_user("director", a_tournament()))
        acts: dict[str, Callable[[Actor], Any]] = {
            "payment": lambda by: take_payment(entrant, 100, "cash", by=by, key=""),
            "correct": lambda by: correct_payment(payment, by=by, reason="oops"),
            "refund": lambda by: refund_entry(entrant, 100, "cash", by=by, key="", reason="left"),
            "let_off": lambda by: discount_or_waive_fee(entrant, 100, by=by, reason="club", key=""),
            "cancel": lambda by: cancel_fee(entrant, by=by, reason="left", key=""),
        }
        before = entrant.ledger.count()
        for act in acts.values():
            for by in (hotel, stranger, make_player_actor(entrant)):
                with pytest.raises(NotAllowed):
                    act(by)
        for name in ("refund", "let_off", "cancel"):
            with pytest.raises(NotAllowed):
                acts[name](desk)
        assert entrant.ledger.count() == before
        acts["payment"](desk)
        acts["correct"](desk)
        assert entrant.ledger.count() == before + 2


@pytest.mark.django_db
class TestEarlyBird:
    """The early-bird fee ends at midnight in the venue's time zone."""

    @pytest.mark.parametrize(
        ("zone", "received", "cents"),
        [
            ("America/Los_Angeles", "2026-10-02T06:59:59+00:00", 27500),
            ("America/Los_Angeles", "2026-10-02T07:00:00+00:00", 30000),
            ("Europe/Prague", "2026-10-01T21:59:59+00:00", 27500),
            ("Europe/Prague", "2026-10-01T22:00:00+00:00", 30000),
            ("Pacific/Auckland", "2026-10-01T10:59:59+00:00", 27500),
            ("Pacific/Auckland", "2026-10-01T11:00:00+00:00", 30000),
        ],
    )
    def test_the_fee_depends_on_the_date_at_the_venue(self, zone: str, received: str, cents: int) -> None:
        event = an_event(
            a_tournament(time_zone=zone), early_fee_cents=27500, early_until=dt.date(2026, 10, 1), fee_cents=30000
        )
        entrant = charged(event, entered_at=dt.datetime.fromisoformat(received))
        assert load_entry_account(entrant).owed_cents == cents


@pytest.mark.django_db
class TestSums:
    def test_the_books_add_up(self) -> None:
        event = an_event()
        paid(event)
        paid(event, 35000, "card")
        guest = charged(event)
        discount_or_waive_fee(guest, None, by=SYSTEM_ACTOR, reason="director's guest", key="")
        books = load_event_accounts(event)
        assert (books.total.owed_cents, books.total.net_paid_cents, books.total.collected_cents) == (
            60000,
            65000,
            60000,
        )
        assert books.total.refund_due_cents == 5000
        assert sum_money_on_hand_by_method(event) == {"card": 35000, "cash": 30000}
        assert books.get_account(guest.pk).is_settled
        purse = load_prize_breakdown(event, books)
        assert purse.pool.pool_cents + purse.pool.expenses_cents == 60000
        assert sum(purse.places_cents) == purse.pool.pool_cents == 73800

    def test_an_event_without_anybody_has_an_empty_purse(self) -> None:
        purse = load_prize_breakdown(an_event())
        assert (purse.pool.pool_cents, sum(purse.places_cents)) == (0, 0)

    @pytest.mark.parametrize("rows", [1, 3])
    def test_books_and_purse_take_two_queries_for_any_field(self, rows: int, django_assert_num_queries: Any) -> None:
        event = an_event()
        for _turn in range(rows):
            paid(event)
        with django_assert_num_queries(2):
            load_prize_breakdown(event)


@prebuilt
def _finished(entries: int = 4) -> Event:
    event = an_event()
    for _turn in range(entries):
        paid(event)
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    Finish.objects.create(event=event, places=[[1], [2], [3, 4]], by_name="test")
    event.refresh_from_db()
    return event


@pytest.mark.django_db
class TestPrizes:
    def test_awards_add_up_to_the_pool(self) -> None:
        event = _finished()
        prizes = load_prizes(event)
        assert [(row.place, row.number, row.cents) for row in prizes.awards] == [
            ("1", 1, 49200),
            ("2", 2, 29500),
            ("3–4", 3, 9850),
            ("3–4", 4, 9850),
        ]
        assert prizes.awarded_cents == prizes.pool.pool_cents == 98400
        assert [row.entrant_id for row in prizes.awards] == [
            entrant.pk for entrant in event.entrants.order_by("number")
        ]

    def test_each_place_has_its_amount_and_percent(self) -> None:
        prizes = load_prizes(_finished())
        assert [(row.place, row.percent, row.cents) for row in prizes.places] == [
            (1, "50", 49200), (2, "30", 29500), (3, "20", 19700),
        ]  # fmt: skip

    def test_unpaid_prizes_are_still_to_pay(self) -> None:
        event = _finished()
        pay_prize(event.entrants.get(number=2), "cash", by=SYSTEM_ACTOR)
        assert (load_prizes(event).to_pay_cents, load_prizes(event).paid_out_cents) == (68900, 29500)

    def test_no_prize_is_paid_during_play(self) -> None:
        event = _finished()
        Event.objects.filter(pk=event.pk).update(state=Event.State.IN_PLAY)
        event.refresh_from_db()
        assert load_payout(event) is None
        with refused("not-finished"):
            pay_prize(event.entrants.get(number=1), "cash", by=SYSTEM_ACTOR)

    def test_a_prize_is_paid_once(self) -> None:
        event = _finished()
        winner = event.entrants.get(number=1)
        paid = pay_prize(winner, "check", by=SYSTEM_ACTOR, key="k")
        assert (paid.cents, paid.method) == (49200, "check")
        assert pay_prize(winner, "check", by=SYSTEM_ACTOR, key="k") == paid
        with refused("paid-already"):
            pay_prize(winner, "check", by=SYSTEM_ACTOR, key="other")
        assert load_prizes(event).paid_out_cents == 49200

    def test_an_entry_without_a_prize_is_not_paid(self) -> None:
        event = _finished()
        nobody = an_entrant(event)
        with refused("no-prize"):
            pay_prize(nobody, "cash", by=SYSTEM_ACTOR)

    @pytest.mark.parametrize("role", ["desk", "hotel", "coordinator"])
    def test_only_a_director_pays_out(self, role: str) -> None:
        event = _finished()
        with pytest.raises(NotAllowed):
            pay_prize(event.entrants.get(number=1), "cash", by=make_staff_actor(a_user(role, event.tournament)))

    def test_an_event_finished_again_counts_by_its_last_finish(self) -> None:
        event = _finished()
        Finish.objects.create(event=event, places=[[2], [1], [3, 4]], by_name="test")
        assert [row.number for row in load_prizes(event).awards] == [2, 1, 3, 4]


def _at_once(act: Callable[[int], Any], times: int = 4) -> list[Any]:
    """Run `act` in several threads at once, and return the value or the refusal that each thread got."""
    gate, answers = threading.Barrier(times), [None] * times

    def go(turn: int) -> None:
        gate.wait()
        try:
            answers[turn] = act(turn)
        except DomainError as refusal:
            answers[turn] = refusal
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(turn,)) for turn in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return answers


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestTwoDesksAtOnce:
    def test_the_same_payment_is_one_line(self) -> None:
        entrant = charged(an_event())
        lines = _at_once(lambda _turn: take_payment(entrant, 30000, "cash", by=SYSTEM_ACTOR, key="k"))
        assert len({line.pk for line in lines}) == 1
        assert entrant.ledger.filter(kind="payment").count() == 1
        assert check_log_chain(entrant.event.tournament).is_intact

    def test_the_same_players_are_checked_in_once(self) -> None:
        event = an_event()
        for _turn in range(3):
            an_entrant(event)
        answers = _at_once(lambda turn: check_in_entrants(event, [1, 2, 3], by=SYSTEM_ACTOR, key=f"k{turn}"))
        assert sorted(len(new) for new in answers) == [0, 0, 0, 3]
        assert AuditEntry.objects.filter(event=event).count() == 1
        assert EntrantFact.objects.filter(kind="arrived").count() == 3

    def test_different_payments_share_one_log_chain(self) -> None:
        entrant = charged(an_event())
        _at_once(lambda turn: take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key=f"k{turn}"))
        assert LedgerLine.objects.filter(kind="payment").count() == 4
        check = check_log_chain(entrant.event.tournament)
        assert (check.is_intact, check.rows) == (True, 5)
        assert Event.objects.get().version == 5

    def test_one_refund_of_all_wins(self) -> None:
        entrant = paid(an_event())
        answers = _at_once(
            lambda turn: refund_entry(entrant, 30000, "cash", by=SYSTEM_ACTOR, key=f"k{turn}", reason="left")
        )
        assert [getattr(answer, "code", "done") for answer in answers].count("too-much") == 3
        assert load_entry_account(entrant).net_paid_cents == 0

    def test_one_prize_is_paid_once(self) -> None:
        event = _finished()
        winner = event.entrants.select_related("event__tournament").get(number=1)
        answers = _at_once(lambda turn: pay_prize(winner, "cash", by=SYSTEM_ACTOR, key=f"desk {turn}"))
        assert sum(isinstance(answer, PaidOut) for answer in answers) == 1
        assert sum(getattr(answer, "code", "") == "paid-already" for answer in answers) == 3
        assert PaidOut.objects.count() == 1
        assert AuditEntry.objects.filter(verb="prize.paid").count() == 1

    def test_one_payout_is_undone_once(self) -> None:
        event = _finished()
        winner = event.entrants.select_related("event__tournament").get(number=1)
        paid = pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        answers = _at_once(lambda turn: undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key=f"desk {turn}"))
        assert sum(isinstance(answer, PaidOut) for answer in answers) == 1
        assert sum(getattr(answer, "code", "") == "undone-already" for answer in answers) == 3
        assert PaidOut.objects.count() == 2
        assert load_prizes(event).paid_out_cents == 0

    def test_one_desk_undoes_while_another_pays_again(self) -> None:
        event = _finished()
        winner = event.entrants.select_related("event__tournament").get(number=1)
        paid = pay_prize(winner, "cash", by=SYSTEM_ACTOR)

        def act(turn: int) -> PaidOut:
            if turn % 2:
                return undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key=f"undo {turn}")
            return pay_prize(winner, "check", by=SYSTEM_ACTOR, key=f"pay {turn}")

        _at_once(act)
        standing = load_prizes(event).paid_out_cents
        rows = PaidOut.objects.filter(reverses__isnull=True).count()
        assert (standing, rows) in ((0, 1), (49200, 2))
        assert PaidOut.objects.filter(reverses__isnull=False).count() == 1
        assert check_log_chain(event.tournament).is_intact

    def test_an_overpayment_is_returned_once(self) -> None:
        event = _finished()
        winner = event.entrants.select_related("event__tournament").get(number=1)
        pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        Finish.objects.create(event=event, places=[[2], [1], [3, 4]], by_name="test")
        answers = _at_once(
            lambda turn: record_returned_excess(winner, by=SYSTEM_ACTOR, reason="swapped", key=f"desk {turn}")
        )
        assert answers.count(49200 - 29500) == 1
        assert sum(getattr(answer, "code", "") == "nothing-to-return" for answer in answers) == 3
        assert load_prizes(event).paid_out_cents == 29500


@pytest.mark.parametrize(
    ("typed", "cents"),
    [
        ("275", 27500),
        ("275.50", 27550),
        ("275.5", 27550),
        ("$275.00", 27500),
        ("$ 1,250.00", 125000),
        ("1,250", 125000),
        ("275,50", 27550),
        (" 275 ", 27500),
        ("0.01", 1),
        ("0.29", 29),
        ("0", 0),
    ],
)
def test_money_as_people_type_it(typed: str, cents: int) -> None:
    assert CentsField().clean(typed) == cents


@pytest.mark.parametrize(
    "typed", ["-5", "275.505", "abc", "", "1e9999", "NaN", "Infinity", "1.250,00", "99999999999999", "1e3", "1_000"]
)
def test_an_invalid_amount_is_refused(typed: str) -> None:
    with pytest.raises(ValidationError):
        CentsField().clean(typed)


@pytest.mark.parametrize("cents", [0, 1, 29, 100, 27550, 123456789])
def test_a_shown_amount_can_be_read_again(cents: int) -> None:
    field = CentsField()
    assert field.clean(field.prepare_value(cents)) == cents
