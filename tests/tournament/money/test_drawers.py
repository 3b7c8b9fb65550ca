from __future__ import annotations

import pytest

from tests.factories import a_director, a_user, an_event
from tests.kit import refused
from tests.races import codes_of
from tests.tournament.helpers.money import a_cashier, charged, opened
from tests.verifying import verify_event
from tournament.core.permissions import make_staff_actor
from tournament.errors import Conflict, NotAllowed
from tournament.models import Drawer, DrawerClosed, Posting
from tournament.money.selectors.drawers_and_close import sum_cents_in_drawer, sum_cents_in_safe
from tournament.money.selectors.ledger import find_cash_transfer_faults, find_posting_faults
from tournament.money.services.drawers_and_close import (
    close_drawer,
    move_cash_to_or_from_outside,
    move_cash_to_or_from_safe,
    open_drawer,
)
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import EventMoneyDetails, record_event_money

FLOAT = {20_00: 3, 10_00: 4}


@pytest.mark.django_db
class TestDrawer:
    def test_a_cashier_s_money_is_in_their_drawer(self) -> None:
        event = an_event()
        ann, director = a_cashier(event), a_director(event.tournament)
        drawer = opened(event, ann)
        one, other = charged(event), charged(event)
        take_payment(one, 300_00, "cash", by=ann, key="1", given=320_00)
        take_payment(other, 300_00, "check", by=ann, key="2")
        record_event_money(event, "expense", EventMoneyDetails(40_00, "cash", category="Trays"), by=director, key="3")
        assert (sum_cents_in_drawer(drawer), sum_cents_in_safe(event.tournament)) == (
            {"cash": 400_00, "check": 300_00},
            {"cash": -40_00},
        )
        assert one.ledger.get(kind="payment").movement.drawer == drawer
        assert find_posting_faults(event) == find_cash_transfer_faults(event.tournament) == []
        assert all(check.passed for check in verify_event(event) if check.kind == "ledger")

    def test_moving_cash_does_not_change_the_total(self) -> None:
        event = an_event()
        ann = a_cashier(event)
        drawer = opened(event, ann)
        row = move_cash_to_or_from_safe(drawer, 60_00, to_safe=True, by=ann, key="k")
        assert move_cash_to_or_from_safe(drawer, 60_00, to_safe=True, by=ann, key="k") == row
        move_cash_to_or_from_safe(drawer, 10_00, to_safe=False, by=ann, key="")
        assert (sum_cents_in_drawer(drawer), sum_cents_in_safe(event.tournament)) == ({"cash": 50_00}, {"cash": 50_00})
        for to_safe in (True, False):
            with refused("too-much"):
                move_cash_to_or_from_safe(drawer, 50_01, to_safe=to_safe, by=ann, key="")
        move_cash_to_or_from_outside(event.tournament, 50_00, to_bank=True, by=a_director(event.tournament), key="")
        assert sum_cents_in_safe(event.tournament) == {}
        with refused("not-allowed"):
            move_cash_to_or_from_outside(event.tournament, 1, to_bank=True, by=ann, key="")

    def test_an_empty_safe_and_a_second_drawer_are_refused(self) -> None:
        event = an_event()
        ann = a_cashier(event)
        with refused("too-much"):
            open_drawer(event.tournament, 1, by=ann, key="", brought=False)
        opened(event, ann)
        with refused("drawer-open"):
            opened(event, ann)
        with pytest.raises(NotAllowed):
            opened(event, make_staff_actor(a_user("hotel", event.tournament)))

    def test_a_difference_is_recorded_and_the_cash_goes_to_the_safe(self) -> None:
        event = an_event()
        ann = a_cashier(event)
        drawer = opened(event, ann)
        take_payment(charged(event), 300_00, "check", by=ann, key="")
        count = {20_00: 4, 5_00: 3}
        with refused("reason-needed"):
            close_drawer(drawer, count, by=ann, key="")
        with refused("bad-value"):
            close_drawer(drawer, {3_00: 1}, by=ann, key="")
        closed = close_drawer(drawer, count, by=ann, key="k", reason="wrong change")
        assert close_drawer(drawer, count, by=ann, key="k", reason="wrong change") == closed
        assert (closed.counted_cents, closed.expected_cents, closed.difference_cents) == (95_00, 100_00, -5_00)
        assert (sum_cents_in_drawer(drawer), sum_cents_in_safe(event.tournament)) == (
            {},
            {"cash": 95_00, "check": 300_00},
        )
        lost = event.tournament.cash_moved.get(kind="short")
        assert (lost.cents, lost.drawer, lost.reason, lost.by) == (5_00, drawer, "wrong change", ann.user)
        assert sum(posting.cents for posting in Posting.objects.filter(tournament=event.tournament)) == 0
        with refused("drawer-closed"):
            close_drawer(drawer, count, by=ann, key="")
        with refused("drawer-closed"):
            move_cash_to_or_from_safe(drawer, 1, to_safe=True, by=ann, key="")

    def test_a_counted_drawer_is_handed_over(self) -> None:
        event = an_event()
        ann, ben = a_cashier(event), a_cashier(event)
        drawer = opened(event, ann)
        assert ben.user is not None
        closed = close_drawer(drawer, FLOAT, next_cashier=ben.user, by=ann, key="")
        assert closed.next is not None
        assert (closed.next.cashier, closed.next.name, sum_cents_in_drawer(closed.next)) == (
            ben.user,
            drawer.name,
            {"cash": 100_00},
        )
        take_payment(charged(event), 300_00, "cash", by=ben, key="")
        assert (sum_cents_in_drawer(drawer), sum_cents_in_drawer(closed.next)) == ({}, {"cash": 400_00})
        again = opened(event, ann)
        with refused("drawer-open"):
            close_drawer(again, FLOAT, next_cashier=ben.user, by=ann, key="")


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_close_one_drawer(self) -> None:
        event = an_event()
        ann, ben = a_cashier(event), a_cashier(event)
        drawer = opened(event, ann)
        acts = (lambda by=by: close_drawer(drawer, FLOAT, by=by, key="") for by in (ann, ben))
        assert codes_of(*acts) == ["done", "drawer-closed"]
        assert sum_cents_in_safe(event.tournament) == {"cash": 100_00}

    def test_two_hand_over_to_one_cashier(self) -> None:
        event = an_event()
        ann, ben, eve = a_cashier(event), a_cashier(event), a_cashier(event)
        drawers = [opened(event, ann), opened(event, ben)]
        acts = (
            lambda one=one, by=by: close_drawer(one, FLOAT, next_cashier=eve.user, by=by, key="")
            for one, by in zip(drawers, (ann, ben), strict=True)
        )
        assert codes_of(*acts) == ["done", "drawer-open"]
        assert Drawer.objects.filter(cashier=eve.user).count() == DrawerClosed.objects.count() == 1

    def test_a_payment_while_its_drawer_is_counted_is_in_it_or_in_the_safe(self) -> None:
        event = an_event()
        ann = a_cashier(event)
        drawer, entrant = opened(event, ann), charged(event)
        acts = (
            lambda: close_drawer(drawer, FLOAT, by=ann, key="", reason="counted at once"),
            lambda: take_payment(entrant, 300_00, "cash", by=ann, key=""),
        )
        assert codes_of(*acts) == ["done", "done"]
        closed = DrawerClosed.objects.get()
        assert sum_cents_in_drawer(drawer) == {}
        assert sum_cents_in_safe(event.tournament)["cash"] in (400_00, 100_00)
        assert closed.difference_cents == sum_cents_in_safe(event.tournament)["cash"] - 400_00
        with pytest.raises(Conflict):
            close_drawer(drawer, FLOAT, by=ann, key="")
