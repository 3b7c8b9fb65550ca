from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from scoring.today.selectors.today import load_today_content
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
from tests.tournament.helpers.money import a_cashier, charged
from tests.verifying import verify_event
from tournament.models import DayReopened
from tournament.money.pdf.close import make_daily_close_sheet
from tournament.money.selectors.drawers_and_close import find_business_day_at, load_business_day, load_last_closed_day
from tournament.money.services.drawers_and_close import (
    EndOfDayCount,
    choose_business_day,
    close_day,
    record_day_count,
    reopen_day,
)
from tournament.money.services.fees_and_refunds import take_payment
from tournament.tasks.mail import tell_signers

AGAIN = EndOfDayCount({100_00: 8}, {"card": 300_00})


@pytest.fixture(autouse=True)
def friday_evening() -> Any:
    with time_machine.travel(EVENING, tick=False):
        yield


def closes_are_good(event: Any) -> bool:
    return [check.passed for check in verify_event(event) if check.subject == "closes"] == [True]


@pytest.mark.django_db
class TestOpenedAgain:
    def test_both_closes_stay_on_record_and_the_second_shows_the_changes(self) -> None:
        event, ann, director = a_day_of_two_events()
        first = closed_day(event, ann, director)
        as_signed = dict(first.figures)
        with refused("not-allowed"):
            reopen_day(first, by=ann, reason="too early")
        with refused("reason-needed"):
            reopen_day(first, by=director, reason=" ")
        row = reopen_day(first, by=director, reason="too early", key="k")
        assert reopen_day(first, by=director, reason="too early", key="k") == row
        with refused("reopened"):
            reopen_day(first, by=director, reason="once more")
        assert take_payment(charged(event), 300_00, "cash", by=ann, key="").movement.day == FRIDAY
        assert closes_are_good(event)
        with refused("changed-since-count"):
            close_day(first.count, by=a_director(event.tournament))
        close_day(record_day_count(event.tournament, FRIDAY, AGAIN, by=ann, key=""), by=director)
        first.refresh_from_db()
        assert (first.figures, load_last_closed_day(event.tournament)) == (as_signed, FRIDAY)
        sheet = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, FRIDAY))
        assert "It was closed before, on Nov 27, 9:30 PM" in sheet.state and "again on Nov 27" in sheet.state
        changed = next(one.rows for one in sheet.sections if one.title == "Changed since the first close")
        assert ("Money on hand: Cash", "$500.00", "$800.00", "$300.00") in changed
        old = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, FRIDAY, reopened=first.pk))
        assert "opened the day again" in old.state and "Changed since" not in str(old.sections)
        assert closes_are_good(event)
        DayReopened.objects.update(reason="another one")
        assert not closes_are_good(event)

    def test_a_count_of_the_first_close_cannot_be_signed_again(self) -> None:
        event, ann, director = a_day_of_two_events()
        reopen_day(closed_day(event, ann, director), by=director, reason="too early")
        texts = [item.text for item in load_today_content(event, timezone.now()).items]
        assert any("Count and close it again." in text for text in texts)
        assert not any("needs a second signature" in text for text in texts)

    def test_a_count_before_the_reopening_is_stale(self) -> None:
        """Reopening Friday adds its money to Saturday's close, so an earlier count of Saturday is out of date."""
        event, ann, director = a_day_of_two_events()
        first = closed_day(event, ann, director)
        with time_machine.travel(EVENING + dt.timedelta(days=1), tick=False):
            count = record_day_count(event.tournament, SATURDAY, EndOfDayCount({100_00: 5}, {}), by=ann, key="")
            reopen_day(first, by=director, reason="closed too early")
            with refused("changed-since-count"):
                close_day(count, by=director)
            second = close_day(record_day_count(event.tournament, SATURDAY, NIGHT, by=ann, key=""), by=director)
            assert second.figures["began"] == FRIDAY.isoformat()
            state = make_daily_close_sheet(event.tournament, load_business_day(event.tournament, SATURDAY)).state
            assert "It was closed before" in state and closes_are_good(event)

    def test_only_the_last_closed_day_is_reopened(self) -> None:
        event, ann, director = a_day_of_two_events()
        first = closed_day(event, ann, director)
        with time_machine.travel(EVENING + dt.timedelta(days=1), tick=False):
            saturday = EndOfDayCount({100_00: 5}, {})
            close_day(record_day_count(event.tournament, SATURDAY, saturday, by=ann, key=""), by=director)
            with refused("later-closed"):
                reopen_day(first, by=director, reason="too early")

    def test_after_reopening_money_counts_to_today_again(self) -> None:
        event, ann, director = a_day_of_two_events()
        first = closed_day(event, ann, director)
        choose_business_day(event.tournament, SATURDAY, by=director)
        reopen_day(first, by=director, reason="two players came late")
        assert find_business_day_at(event.tournament, EVENING) == FRIDAY
        with time_machine.travel(AFTER_MIDNIGHT, tick=False):
            assert find_business_day_at(event.tournament, AFTER_MIDNIGHT) == SATURDAY
            choose_business_day(event.tournament, FRIDAY, by=director)
            assert find_business_day_at(event.tournament, AFTER_MIDNIGHT) == FRIDAY

    def test_both_signers_are_notified_by_mail_and_on_today(self, settings: Any) -> None:
        settings.MAIL_IS_SET = True
        event, ann, director = a_day_of_two_events()
        other = a_director(event.tournament)
        row = reopen_day(closed_day(event, ann, director), by=other, reason="two players came late")
        tell_signers(row.pk)
        assert [letter.to for letter in mail.outbox] == [[ann.user.email], [director.user.email]]  # type: ignore[union-attr]
        assert all("Reason: two players came late" in letter.body for letter in mail.outbox)
        texts = [item.text for item in load_today_content(event, timezone.now()).items if item.kind == "day-open"]
        assert len(texts) == 1 and "two players came late" in texts[0]
        close_day(record_day_count(event.tournament, FRIDAY, NIGHT, by=ann, key=""), by=director)
        assert "day-open" not in [item.kind for item in load_today_content(event, timezone.now()).items]

    def test_the_page_reopens_the_day_and_prints_both_closes(self) -> None:
        event, ann, director = a_day_of_two_events()
        first, client = closed_day(event, ann, director), Client()
        client.force_login(director.user)  # type: ignore[arg-type]
        url = event_url("tournament:desk_close", event)
        sent = {"act": "reopen", "shown": "2026-11-27", "close": first.pk, "reopen-key": "k"}
        assert "Open the day again" in client.post(url, sent).content.decode(), "without a reason"
        source = client.post(url, sent | {"reopen-reason": "closed by mistake"}, follow=True).content.decode()
        assert "is open again." in source and "Sign the count" in source and "Show the first close" in source
        old = f"{url}?day=2026-11-27&close={first.pk}"
        assert "closed by mistake" in get_page(old, client)
        assert "Sign the count" not in get_page(old, client)
        for query in (f"?day=2026-11-27&close={first.pk}", "?day=2026-11-27"):
            printed = client.get(event_url("tournament:close_paper", event) + query)
            reader = PdfReader(io.BytesIO(b"".join(printed)))
            assert len(reader.pages) == 1
            assert "closed by mistake" in " ".join(reader.pages[0].extract_text().split())


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_directors_open_one_day(self) -> None:
        event, ann, director = a_day_of_two_events()
        first, other = closed_day(event, ann, director), a_director(event.tournament)
        codes = codes_of(*(lambda by=by: reopen_day(first, by=by, reason="too early") for by in (director, other)))
        assert (codes, DayReopened.objects.count()) == (["done", "reopened"], 1)

    def test_a_payment_while_the_day_is_opened(self) -> None:
        """A payment during the reopening counts for one of the two days, and the first close still matches its rows."""
        event, ann, director = a_day_of_two_events()
        first, entrant = closed_day(event, ann, director), charged(an_event(event.tournament))
        codes = codes_of(
            lambda: reopen_day(first, by=director, reason="too early"),
            lambda: take_payment(entrant, 300_00, "cash", by=a_cashier(event), key=""),
        )
        assert codes == ["done", "done"]
        assert entrant.ledger.get(kind="payment").movement.day in (FRIDAY, SATURDAY)
        assert closes_are_good(event)
