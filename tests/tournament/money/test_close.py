from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils.html import escape
from pypdf import PdfReader

from tests.factories import a_director, an_event
from tests.kit import event_url, get_page, refused
from tests.races import codes_of
from tests.tournament.helpers.closes import (
    AFTER_MIDNIGHT,
    EVENING,
    FRIDAY,
    NIGHT,
    SATURDAY,
    a_day_of_two_events,
    closed_day,
)
from tests.tournament.helpers.money import a_cashier, charged, opened
from tests.verifying import verify_event
from tournament.models import DayClose, DayCount, Event, Movement, Posting
from tournament.money.pdf.close import DailyCloseSheet, make_daily_close_sheet
from tournament.money.selectors.drawers_and_close import (
    find_business_day_at,
    load_business_day,
    load_day_report,
    sum_cents_in_safe,
)
from tournament.money.services.drawers_and_close import EndOfDayCount, choose_business_day, close_day, record_day_count
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import EventMoneyDetails, record_event_money
from tournament.purse.business_day import MovementTotal


def columns_of(sheet: DailyCloseSheet, title: str) -> tuple[str, ...]:
    return next(one.headings for one in sheet.sections if one.title == title)


@pytest.mark.django_db
class TestClose:
    @pytest.fixture(autouse=True)
    def friday_evening(self) -> Any:
        with time_machine.travel(EVENING, tick=False):
            yield

    def test_the_report_covers_the_day_and_adds_up_to_zero(self) -> None:
        event, _ann, _director = a_day_of_two_events()
        report = load_day_report(event.tournament, FRIDAY)
        assert report.fees == (MovementTotal("charge", "", 600_00),)
        assert report.moved == (
            MovementTotal("payment", "card", 300_00),
            MovementTotal("payment", "cash", 300_00),
            MovementTotal("added", "cash", 240_00),
            MovementTotal("expense", "Trays", -40_00),
        )
        assert report.moved_cents == 800_00 == sum(sum_cents_in_safe(event.tournament).values())
        assert (report.before_cents, report.day_cents, report.after_cents) == (0, 0, 0)

    def test_each_event_s_pool_can_be_checked_on_the_page(self) -> None:
        """A close that was signed in an older version of the program is shown with its old columns."""
        event, ann, director = a_day_of_two_events()
        Event.objects.filter(pk=event.pk).update(guarantee_cents=500_00)
        close = closed_day(event, ann, director)
        shown = load_business_day(event.tournament, FRIDAY)
        sheet = make_daily_close_sheet(event.tournament, shown)
        assert columns_of(sheet, "Events") == ("Event", "Fees", "Added", "Subsidy", "Prize pool", "Expenses")
        assert columns_of(sheet, "What is left for expenses") == ("Event", "Left")
        assert [(one.added, one.subsidy) for one in shown.figures.events] == [(0, 254_00), (240_00, 0)]
        for one in shown.figures.events:
            assert one.collected + (one.added or 0) + (one.subsidy or 0) == one.pool + one.expenses
        assert "Fees plus added money and subsidy" in sheet.check
        for line in close.figures["events"]:
            del line["added"], line["subsidy"]
        DayClose.objects.filter(pk=close.pk).update(figures=close.figures)
        sheet = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, FRIDAY))
        assert columns_of(sheet, "Events") == ("Event", "Fees collected", "Prize pool", "Expenses", "Left for expenses")
        assert "subsidy" not in sheet.check

    def test_after_two_signatures_money_counts_to_the_next_day(self) -> None:
        event, ann, director = a_day_of_two_events()
        close = closed_day(event, ann, director)
        assert (close.count.by, close.by, close.day) == (ann.user, director.user, FRIDAY)
        entrant = charged(event)
        assert entrant.ledger.get().movement.day == SATURDAY
        assert take_payment(entrant, 300_00, "cash", by=ann, key="").movement.day == SATURDAY
        with refused("day-closed"):
            record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key="")
        with refused("not-begun"):
            record_day_count(event.tournament, SATURDAY, NIGHT, by=ann, key="")
        with refused("not-allowed"):
            choose_business_day(event.tournament, SATURDAY, by=ann)
        choose_business_day(event.tournament, SATURDAY, by=director)
        assert take_payment(charged(event), 300_00, "cash", by=ann, key="").movement.day == SATURDAY
        assert load_business_day(event.tournament, FRIDAY).figures.report == load_day_report(event.tournament, FRIDAY)

    def test_missing_cash_is_recorded_with_a_reason(self) -> None:
        event, ann, director = a_day_of_two_events()
        short = EndOfDayCount({100_00: 4, 50_00: 1, 25: 100}, {"card": 310_00})
        with refused("reason-needed"):
            record_day_count(event.tournament, FRIDAY, short, by=ann, key="")
        count = record_day_count(event.tournament, FRIDAY, short, by=ann, key="k", reason="a tip, and wrong change")
        assert (
            record_day_count(event.tournament, FRIDAY, short, by=ann, key="k", reason="a tip, and wrong change")
            == count
        )
        close_day(count, by=director, key="k")
        assert close_day(count, by=director, key="k").day == FRIDAY
        rows = event.tournament.cash_moved.order_by("method").values_list("kind", "method", "cents", "reason")
        assert list(rows) == [
            ("over", "card", 10_00, "a tip, and wrong change"),
            ("short", "cash", 25_00, "a tip, and wrong change"),
        ]
        assert sum_cents_in_safe(event.tournament) == {"cash": 475_00, "card": 310_00}
        report = load_business_day(event.tournament, FRIDAY).figures.report
        assert (report.get_cents_on_hand("cash", includes_earlier=True), report.after_cents) == (475_00, 0)

    def test_neither_the_same_person_nor_a_stale_count_can_be_signed(self) -> None:
        event, ann, director = a_day_of_two_events()
        count = record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key="")
        with refused("same-person"):
            close_day(count, by=ann)
        record_event_money(event, "added", EventMoneyDetails(1_00, "cash", "The club"), by=ann, key="")
        assert load_business_day(event.tournament, FRIDAY).is_stale
        with refused("changed-since-count"):
            close_day(count, by=director)
        drawer = opened(event, ann)
        with refused("drawer-open"):
            record_day_count(event.tournament, FRIDAY, NIGHT, by=director, key="")
        assert drawer.movements.count() == 0
        with refused("not-begun"):
            record_day_count(event.tournament, SATURDAY, NIGHT, by=ann, key="")
        assert not DayClose.objects.exists()

    def test_an_unclosed_day_belongs_to_the_next_close(self) -> None:
        with time_machine.travel(EVENING - dt.timedelta(days=1), tick=False):
            event = an_event()
            ann, director = a_cashier(event), a_director(event.tournament)
            take_payment(charged(event), 300_00, "check", by=ann, key="1")
        take_payment(charged(event), 300_00, "check", by=ann, key="2")
        assert load_business_day(event.tournament, FRIDAY).figures.began == FRIDAY - dt.timedelta(days=1)
        with refused("reason-needed"):
            record_day_count(event.tournament, FRIDAY, EndOfDayCount({}, {"check": 300_00}), by=ann, key="")
        close = close_day(
            record_day_count(event.tournament, FRIDAY, EndOfDayCount({}, {"check": 600_00}), by=ann, key=""),
            by=director,
        )
        shown = load_business_day(event.tournament, FRIDAY)
        assert (close.figures["began"], shown.figures.report.moved_cents) == ("2026-11-26", 600_00)
        sheet = make_daily_close_sheet(event.tournament, shown)
        assert "all days since Nov 26, 2026" in sheet.state
        assert [one.headings[2] for one in sheet.sections if one.title.startswith("All accounts")] == ["Days"]
        assert [check.passed for check in verify_event(event) if check.subject == "closes"] == [True]
        assert load_business_day(event.tournament, SATURDAY).figures.began is None
        client = Client()
        assert director.user is not None
        client.force_login(director.user)
        earlier = get_page(f"{event_url('tournament:desk_close', event)}?day=2026-11-26", client)
        assert "This day was closed together with Nov 27, 2026." in earlier
        assert "Sign the count" not in earlier

    def test_after_midnight_the_director_chooses_the_business_day(self) -> None:
        event, ann, director = a_day_of_two_events()
        with time_machine.travel(AFTER_MIDNIGHT, tick=False):
            assert find_business_day_at(event.tournament, AFTER_MIDNIGHT) == SATURDAY
            choose_business_day(event.tournament, FRIDAY, by=director)
            late = charged(event)
            assert late.ledger.get().movement.day == FRIDAY
            assert find_business_day_at(event.tournament, AFTER_MIDNIGHT + dt.timedelta(days=1)) > SATURDAY
            closed_day(event, ann, director)
            assert take_payment(late, 300_00, "cash", by=ann, key="").movement.day == SATURDAY
            with refused("day-closed"):
                choose_business_day(event.tournament, FRIDAY, by=director)
            with refused("bad-value"):
                choose_business_day(event.tournament, SATURDAY + dt.timedelta(days=2), by=director)

    def test_verification_finds_a_row_inserted_into_a_closed_day(self) -> None:
        event, ann, director = a_day_of_two_events()
        close = closed_day(event, ann, director)
        checks = {check.subject: check.passed for check in verify_event(event)}
        assert checks["closes"] is True
        row = Posting.objects.filter(tournament=event.tournament, account="expense").get()
        Posting.objects.filter(pk=row.pk).update(category="Phone calls")
        assert {check.subject: check.passed for check in verify_event(event)}["closes"] is False
        Posting.objects.filter(pk=row.pk).update(category="Trays")
        DayClose.objects.filter(pk=close.pk).update(by_name="Somebody")
        assert {check.subject: check.passed for check in verify_event(event)}["closes"] is False


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_sign_one_count(self) -> None:
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
            count = record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key="")
            ben = a_cashier(event)
            acts = (lambda by=by: close_day(count, by=by) for by in (director, ben))
            assert codes_of(*acts) == ["day-closed", "done"]

    def test_a_payment_and_a_close(self) -> None:
        """A payment during a close is included in the signed figures, or it counts for a day that is still open."""
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
            count, entrant = record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key=""), charged(event)
            acts = (
                lambda: close_day(count, by=director),
                lambda: take_payment(entrant, 300_00, "cash", by=ann, key=""),
            )
            assert codes_of(*acts) in (["changed-since-count", "done"], ["done", "done"])
            for close in DayClose.objects.all():
                assert load_business_day(event.tournament, close.day).figures.report == load_day_report(
                    event.tournament, close.day
                )
            assert DayCount.objects.count() == 1


@pytest.mark.django_db
class TestPages:
    def test_the_page_counts_signs_and_prints_one_page_with_the_same_figures(self) -> None:
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
            url = event_url("tournament:desk_close", event)
            ann_s, director_s = Client(), Client()
            for client, by in ((ann_s, ann), (director_s, director)):
                assert by.user is not None
                client.force_login(by.user)
            sent = {"act": "count", "shown": "2026-11-27", "count-key": "k", "count-piece_10000": "4"}
            answer = ann_s.post(url, sent)
            assert "Should be in the box: $500.00 cash." in answer.content.decode()
            assert "Since the last close: $300.00 by card." in answer.content.decode()
            open_day = b"".join(ann_s.get(f"{event_url('tournament:close_paper', event)}?day=2026-11-27"))
            assert "Should be in the box: $500.00 cash." in PdfReader(io.BytesIO(open_day)).pages[0].extract_text()
            assert "The count and the ledger differ: Cash −$100.00, Card −$300.00." in answer.content.decode()
            sent |= {"count-card": "300", "count-reason": "$100 is missing"}
            assert ann_s.post(url, sent).status_code == 302
            count = DayCount.objects.get()
            assert "another member of staff has to sign" in sign(ann_s, url, count)
            assert "The day is closed." in sign(director_s, url, count)
            for name in ("desk_checkin", "desk_payments", "desk_close", "new_entrant"):
                source = ann_s.get(event_url(f"tournament:{name}", event)).content.decode()
                assert "Today is closed. Fees and money are now recorded under Nov 28, 2026." in source, name
            shown = director_s.get(f"{url}?day=2026-11-27").content.decode()
            for paper in ("letter", "a4"):
                printed = director_s.get(f"{event_url('tournament:close_paper', event)}?day=2026-11-27&paper={paper}")
                reader = PdfReader(io.BytesIO(b"".join(printed)))
                assert len(reader.pages) == 1
                text = reader.pages[0].extract_text()
                sheet = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, FRIDAY))
                cells = {cell for section in sheet.sections for row in (*section.rows, section.total) for cell in row}
                assert {cell for cell in cells if cell not in text or escape(cell) not in shown} == set()
                source = " ".join(text.split())
                assert all(words in source and words in shown for words in (sheet.state, sheet.check))
                assert "Short: Cash" in cells

    def test_after_midnight_the_day_before_is_counted_without_the_new_day(self) -> None:
        with time_machine.travel(EVENING, tick=False):
            event, ann, director = a_day_of_two_events()
        with time_machine.travel(AFTER_MIDNIGHT, tick=False):
            take_payment(charged(event), 300_00, "cash", by=ann, key="late")
            client, url = Client(), event_url("tournament:desk_close", event)
            assert director.user is not None
            client.force_login(director.user)
            today = client.get(url)
            assert (today.context["shown"].day, today.context["to_close"]) == (SATURDAY, [FRIDAY])
            friday = client.get(f"{url}?day=2026-11-27")
            assert "Leave $300.00 of cash out of the count" in friday.content.decode()
            client.post(url, {"act": "day", "key": "k", "day": "2026-11-27"})
            assert client.get(url).context["shown"].day == FRIDAY
            assert client.get(f"{url}?day=2026-99-99").context["shown"].day == FRIDAY
            close = closed_day(event, ann, director)
            assert load_business_day(event.tournament, close.day).figures.report == load_day_report(
                event.tournament, FRIDAY
            )
            event.tournament.delete()
            assert not Movement.objects.exists()

    def test_drawers_are_opened_dropped_and_counted_on_their_page(self) -> None:
        event = an_event()
        ann = a_cashier(event)
        client, url = Client(), event_url("tournament:desk_drawers", event)
        assert ann.user is not None
        client.force_login(ann.user)
        client.post(url, {"act": "open", "open-key": "1", "open-cents": "100", "open-source": "brought"})
        drawer = event.tournament.drawers.get()
        own = {"drawer": drawer.pk}
        answer = client.post(url, {"act": "drop", **own, f"drop{drawer.pk}-key": "2", f"drop{drawer.pk}-cents": "101"})
        assert "There is not that much cash in this drawer." in answer.content.decode()
        client.post(url, {"act": "drop", **own, f"drop{drawer.pk}-key": "3", f"drop{drawer.pk}-cents": "40"})
        client.post(url, {"act": "count", **own, f"count{drawer.pk}-key": "4", f"count{drawer.pk}-piece_2000": "3"})
        assert drawer.closed.counted_cents == 60_00
        assert sum_cents_in_safe(event.tournament) == {"cash": 100_00}
        gone = client.post(url, {"act": "drop", **own, f"drop{drawer.pk}-key": "5"}, follow=True)
        assert "This drawer was closed before." in gone.content.decode()

    def test_negative_cash_in_a_drawer_or_the_safe_is_marked(self) -> None:
        event = an_event()
        director = a_director(event.tournament)
        client, url = Client(), event_url("tournament:desk_drawers", event)
        assert director.user is not None
        client.force_login(director.user)
        record_event_money(event, "expense", EventMoneyDetails(5_00, "check", category="Trays"), by=director, key="1")
        assert "More cash went out" not in get_page(url, client)
        record_event_money(event, "expense", EventMoneyDetails(5_00, "cash", category="Trays"), by=director, key="2")
        assert "More cash went out of the safe than was in it." in get_page(url, client)
        opened(event, director, 4_00)
        record_event_money(event, "expense", EventMoneyDetails(5_00, "cash", category="Trays"), by=director, key="3")
        assert "More cash went out of this drawer than was in it." in get_page(url, client)

    def test_the_sale_and_the_receipt_show_the_change(self) -> None:
        event = an_event()
        ann, entrant = a_cashier(event), charged(event)
        client, url = Client(), event_url("tournament:desk_sale", event, number=entrant.number)
        assert ann.user is not None
        client.force_login(ann.user)
        back = "http://testserver" + event_url("tournament:desk_checkin", event) + "?only=owes"
        form = client.get(url, headers={"referer": back}).context["form"]
        sent = {name: form[name].value() or "" for name in form.fields} | {"given": "320", "method": "cash"}
        answer = client.post(url, sent, follow=True)
        assert answer.redirect_chain == [(f"{back}#arrived-{entrant.number}", 302)]
        source = f"<strong>Give back $20.00</strong> {entrant.name} paid $300.00."
        assert source in answer.content.decode() and "stays-in-view" in answer.content.decode()
        receipt = client.get(event_url("tournament:receipt", event, number=entrant.number))
        assert "change $20.00" in PdfReader(io.BytesIO(receipt.content)).pages[0].extract_text().replace("\n", " ")
        elsewhere = client.post(url, sent | {"key": "2", "back": "https://example.org/check-in/"})
        assert elsewhere["Location"] == event_url("tournament:desk_payments", event)
        told = get_page(event_url("tournament:desk_payments", event), client)
        assert f"{entrant.name} has now paid $300.00 too much." in told


def sign(client: Client, url: str, count: DayCount) -> str:
    sent = {"act": "sign", "shown": "2026-11-27", "count": count.pk}
    return client.post(url, sent, follow=True).content.decode()
