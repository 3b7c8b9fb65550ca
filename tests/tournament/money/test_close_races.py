"""Money that is recorded during a close is included in the signed figures, or counts for a day that is still open."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import time_machine

from tests.factories import a_director, an_event
from tests.races import codes_of
from tests.tournament.helpers.closes import EVENING, FRIDAY
from tests.tournament.helpers.money import a_cashier, a_finished_event, charged, paid_with, remit
from tests.verifying import verify_event
from tournament.core.permissions import Actor
from tournament.models import DayClose, DayCount, Entrant, Event, Movement
from tournament.money.selectors.drawers_and_close import (
    compute_expected_cents_by_method,
    load_business_day,
    load_day_report,
    load_report_since_last_close,
)
from tournament.money.services.drawers_and_close import EndOfDayCount, choose_business_day, close_day, record_day_count
from tournament.money.services.fees_and_refunds import take_payment

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]

THURSDAY = FRIDAY - dt.timedelta(days=1)


class TwoDays:
    """A tournament with a prize paid on Thursday, of which $24.00 were withheld.

    Thursday and Friday are not closed yet.
    """

    def __init__(self) -> None:
        with time_machine.travel(EVENING - dt.timedelta(days=1), tick=False):
            self.event = a_finished_event()
            self.tournament = self.event.tournament
            self.ann, self.ben, self.director = (
                a_cashier(self.event),
                a_cashier(self.event),
                a_director(self.tournament),
            )
            paid_with(self.event)
        self.entrant: Entrant = charged(an_event(self.tournament))
        assert set(Movement.objects.values_list("day", flat=True)) == {THURSDAY, FRIDAY}

    def counted(self, day: dt.date, by: Actor) -> DayCount:
        expected = compute_expected_cents_by_method(load_report_since_last_close(self.tournament, day))
        count = EndOfDayCount({1: expected.pop("cash")}, expected)
        return record_day_count(self.tournament, day, count, by=by, key="")

    def pay(self) -> Any:
        return take_payment(self.entrant, 300_00, "cash", by=self.ann, key="")

    def pay_on_thursday(self) -> Any:
        """Choose Thursday as the business day, as a director can after midnight, and record a payment."""
        choose_business_day(self.tournament, THURSDAY, by=self.director)
        return self.pay()

    def send_on(self) -> Any:
        return remit(self.event, by=self.director)

    def assert_shut(self, closes: int) -> None:
        """Assert that this many days are closed, and that their rows still match the signed figures."""
        found = list(DayClose.objects.order_by("day"))
        assert len(found) == closes
        for close in found:
            figures = load_business_day(self.tournament, close.day).figures
            assert figures.report == load_day_report(self.tournament, close.day, figures.began)
        for event in Event.objects.filter(tournament=self.tournament).order_by("pk"):
            checks = [check for check in verify_event(event) if check.kind == "ledger" or check.subject == "closes"]
            assert [check.subject for check in checks if not check.passed] == []


@pytest.fixture
def two_days() -> Iterator[TwoDays]:
    with time_machine.travel(EVENING, tick=False):
        yield TwoDays()


@pytest.mark.parametrize(
    ("act", "refusal"),
    [
        (TwoDays.pay, "changed-since-count"),
        (TwoDays.send_on, "changed-since-count"),
        (TwoDays.pay_on_thursday, "not-begun"),
    ],
    ids=["payment", "remittance", "payment on Thursday"],
)
def test_two_sign_while_money_is_recorded(two_days: TwoDays, act: Callable[[TwoDays], Any], refusal: str) -> None:
    count = two_days.counted(FRIDAY, two_days.ann)
    closes = [lambda by=by: close_day(count, by=by) for by in (two_days.director, two_days.ben)]
    codes = codes_of(*closes, lambda: act(two_days))
    closed = DayClose.objects.count()
    # Before the close the row makes both signatures fail; after it the row counts to the next day. What the director
    # says of Thursday is refused once it is closed.
    shut = ["day-closed", "day-closed" if act is TwoDays.pay_on_thursday else "done", "done"]
    assert codes == (shut if closed else sorted(["done", refusal, refusal]))
    two_days.assert_shut(closed)
    if closed:
        assert DayClose.objects.get().figures["began"] == THURSDAY.isoformat()
        assert not Movement.objects.filter(kind__in=("payment", "remittance"), day=FRIDAY).exists()


def test_the_day_before_is_closed_at_the_same_moment_as_both_together(two_days: TwoDays) -> None:
    """Thursday gets a close of its own or is included in Friday's close, but never both."""
    alone, both = two_days.counted(THURSDAY, two_days.ann), two_days.counted(FRIDAY, two_days.ben)
    codes = codes_of(
        lambda: close_day(alone, by=two_days.director), lambda: close_day(both, by=two_days.director), two_days.pay
    )
    days = list(DayClose.objects.order_by("day").values_list("day", flat=True))
    assert codes.count("done") == len(days) + Movement.objects.filter(kind="payment").exclude(day=THURSDAY).count()
    assert set(codes) <= {"done", "day-closed", "changed-since-count"}
    two_days.assert_shut(len(days))
    began = [close.figures.get("began") for close in DayClose.objects.order_by("day")]
    assert (THURSDAY in days) or began in ([THURSDAY.isoformat()], [])
