from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.test import Client
from pypdf import PdfReader

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.paper_cards import confirm_staff_entry
from scoring.models import StaffEntry
from tests.factories import PASSWORD, a_director, a_tournament, a_user, an_event
from tests.kit import desk_url, get_page, page_text
from tests.scoring.helpers.playing import an_event_in_play, gin, post, the_card
from tests.scoring.helpers.rows import a_tournament_of, problems
from tests.tournament.helpers.closes import EVENING, FRIDAY, NIGHT, a_day_of_two_events
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, SignInLinkAttribution, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import DayClose, DayCount, Event, SignInLink, Tournament, User
from tournament.money.services.drawers_and_close import EndOfDayCount, close_day, record_day_count, reopen_day
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.setup.services.sign_in import create_sign_in_link_for_staff, make_sign_in_link, use_sign_in_link

pytestmark = pytest.mark.django_db
MADE = dt.datetime(2026, 11, 28, 5, 14, tzinfo=dt.UTC)
"""Friday, 9:14 PM at the venue."""
BY_LINK = "signed in by a link that Ann Cole made at 9:14 PM"


@pytest.fixture(autouse=True)
def friday_evening() -> Iterator[time_machine.Coordinates]:
    with time_machine.travel(MADE, tick=False) as clock:
        yield clock


def the_director(tournament: Tournament) -> User:
    return a_user("director", tournament, name="Ann Cole")


def a_colleague(tournament: Tournament, role: str = "desk") -> User:
    return a_user(role, tournament, name="Cora Lund", password=None)


def signed_in_by(maker: User, user: User, tournament: Tournament) -> Client:
    """Return a browser in which `user` signed in with a link that `maker` made on the Staff page."""
    desk, browser = Client(), Client()
    desk.force_login(maker)
    page = desk.post(f"/desk/{tournament.slug}/staff/{user.pk}/link/").content.decode()
    link = re.search(r"http://testserver(/sign-in/[\w-]+/)", page)
    assert link is not None, page
    assert browser.post(link[1]).status_code == 302
    return browser


def signed_close(client: Client, count: DayCount, event: Event) -> DayClose:
    sent = {"act": "sign", "shown": FRIDAY.isoformat(), "count": count.pk, "key": "1"}
    assert client.post(desk_url(event, "close/"), sent).status_code == 302
    return DayClose.objects.get()


class TestWhoMakesLinks:
    @pytest.fixture
    def tournament(self) -> Tournament:
        return a_tournament()

    @pytest.mark.parametrize("factor", ["password", "passkey"])
    def test_a_director_makes_no_link_for_an_account_with(self, tournament: Tournament, factor: str) -> None:
        director, colleague = the_director(tournament), a_colleague(tournament)
        if factor == "password":
            colleague.set_password(PASSWORD)
            colleague.save()
        else:
            Authenticator.objects.create(user=colleague, type=Authenticator.Type.WEBAUTHN, data={})
        client = Client()
        client.force_login(director)
        answer = client.post(f"/desk/{tournament.slug}/staff/{colleague.pk}/link/")
        assert (answer.status_code, SignInLink.objects.count()) == (403, 0)
        assert "ask the person who starts the program" in page_text(answer)

    def test_the_staff_page_says_what_to_do_instead_of_a_link(self, tournament: Tournament) -> None:
        client = Client()
        client.force_login(the_director(tournament))
        page = get_page(f"/desk/{tournament.slug}/staff/", client)
        assert "Signs in with a password. If they cannot, ask the person who starts the program" in page
        assert "Make a sign-in link" not in page

    def test_the_machine_makes_one_and_names_nobody(self, tournament: Tournament, capsys: Any) -> None:
        director = the_director(tournament)
        call_command("sign_in_link", director.email)
        browser = Client()
        assert browser.post("/sign-in/" + capsys.readouterr().out.split("/sign-in/")[1].strip()).status_code == 302
        assert "made_link" not in browser.session

    def test_a_link_that_was_made_before_the_password_was_set_opens_nothing(self, tournament: Tournament) -> None:
        director, colleague = the_director(tournament), a_colleague(tournament)
        token = create_sign_in_link_for_staff(tournament, colleague, by=make_staff_actor(director), goes_to="/")
        colleague.set_password(PASSWORD)
        colleague.save()
        with pytest.raises(NotAllowed, match="has set a password since"):
            use_sign_in_link(token)
        assert SignInLink.objects.get().used_at is None

    def test_whoever_is_signed_in_by_such_a_link_makes_none(self, tournament: Tournament) -> None:
        """A chain of sign-in links would hide the person who made the first one."""
        colleague = a_colleague(tournament, "director")
        browser = signed_in_by(the_director(tournament), colleague, tournament)
        third = a_user("desk", tournament, password=None)
        for user in (third, colleague):
            answer = browser.post(f"/desk/{tournament.slug}/staff/{user.pk}/link/")
            assert answer.status_code == 403 and "Set a password first" in page_text(answer)
        page = browser.get(f"/desk/{tournament.slug}/staff/").content.decode()
        assert "/accounts/password/set/" in page and "Make a sign-in link" not in page

    def test_they_add_staff_all_the_same(self, tournament: Tournament) -> None:
        browser = signed_in_by(the_director(tournament), a_colleague(tournament, "director"), tournament)
        facts = {"act": "grant", "name": "Dora", "email": "dora@example.org", "role": "desk"}
        assert browser.post(f"/desk/{tournament.slug}/staff/", facts).status_code == 302
        assert tournament.roles.filter(user__email="dora@example.org").exists()

    def test_signing_in_another_way_in_the_same_browser_ends_it(self, tournament: Tournament) -> None:
        colleague = a_colleague(tournament)
        browser = signed_in_by(the_director(tournament), colleague, tournament)
        assert browser.session["made_link"]["by"] == "Ann Cole"
        browser.post(f"/sign-in/{make_sign_in_link(colleague)}/")
        assert "made_link" not in browser.session

    def test_a_link_for_oneself_names_nobody(self, tournament: Tournament) -> None:
        director = a_user("director", tournament, password=None)
        assert "made_link" not in signed_in_by(director, director, tournament).session


class TestSignatures:
    @pytest.fixture
    def event(self, friday_evening: time_machine.Coordinates) -> Event:
        return a_day_of_two_events()[0]

    @pytest.fixture
    def director(self, event: Event) -> User:
        return the_director(event.tournament)

    @pytest.fixture
    def count(self, event: Event, director: User) -> DayCount:
        return record_day_count(event.tournament, FRIDAY, NIGHT, by=make_staff_actor(director), key="")

    @pytest.fixture
    def colleague(self, event: Event) -> User:
        return a_colleague(event.tournament)

    @pytest.fixture
    def browser(
        self, event: Event, director: User, colleague: User, friday_evening: time_machine.Coordinates
    ) -> Client:
        found = signed_in_by(director, colleague, event.tournament)
        friday_evening.move_to(EVENING)
        return found

    @pytest.fixture
    def close(self, event: Event, count: DayCount, browser: Client) -> DayClose:
        return signed_close(browser, count, event)

    def test_the_close_keeps_who_made_the_link_and_when(self, close: DayClose) -> None:
        assert (close.by_name, close.link_by, close.link_at) == ("Cora Lund", "Ann Cole", MADE)

    def test_the_page_says_so_before_the_signature(self, event: Event, count: DayCount, browser: Client) -> None:
        page = page_text(browser.get(desk_url(event, "close/")))
        assert "You are signed in by a link that Ann Cole made on Nov 27, 9:14 PM." in page

    def test_the_page_names_it_beside_the_signature(self, event: Event, close: DayClose, browser: Client) -> None:
        page = page_text(browser.get(f"{desk_url(event, 'close/')}?day={FRIDAY}"))
        assert f"Cora Lund ({BY_LINK}), Nov 27, 9:30 PM" in page

    def test_the_paper_names_it_beside_the_signature(self, event: Event, close: DayClose, browser: Client) -> None:
        paper = browser.get(f"{desk_url(event, 'close/')}paper/?day={FRIDAY}")
        printed = " ".join(PdfReader(io.BytesIO(paper.content)).pages[0].extract_text().split())
        assert f"Signed by Cora Lund ({BY_LINK})" in printed

    def test_with_a_password_of_their_own_they_sign_as_everybody(
        self, event: Event, count: DayCount, browser: Client
    ) -> None:
        sent = {"password1": "brass-felt-ivory-1", "password2": "brass-felt-ivory-1"}
        assert browser.post("/accounts/password/set/", sent).status_code == 302
        assert signed_close(browser, count, event).link_by == ""

    @pytest.mark.parametrize(
        ("path", "sent", "verb"),
        [
            ("password/set/", dict.fromkeys(("password1", "password2"), "brass-felt-ivory-1"), "staff.password-set"),
            ("email/", {"action_add": "", "email": "another@example.org"}, "staff.email-set"),
        ],
    )
    def test_the_log_says_when_such_a_session_sets_another_way_in(
        self, event: Event, browser: Client, path: str, sent: dict[str, str], verb: str
    ) -> None:
        browser.post(f"/accounts/{path}", sent)
        row = event.tournament.log.get(verb=verb)
        assert (row.by_name, row.at, row.data["signed_in_by_link"]["by"]) == ("Cora Lund", EVENING, "Ann Cole")

    def test_a_password_that_is_set_later_changes_no_earlier_signature(
        self, close: DayClose, colleague: User, event: Event, director: User
    ) -> None:
        colleague.set_password(PASSWORD)
        colleague.save()
        client = Client()
        client.force_login(director)
        assert BY_LINK in page_text(client.get(f"{desk_url(event, 'close/')}?day={FRIDAY}"))

    def test_a_password_that_is_set_elsewhere_ends_the_session_of_the_link(
        self, event: Event, count: DayCount, colleague: User, browser: Client
    ) -> None:
        colleague.set_password(PASSWORD)
        colleague.save()
        assert browser.get(desk_url(event, "close/")).headers["Location"].startswith("/accounts/login/")

    def test_the_reopening_of_a_day_keeps_it(self, event: Event, close: DayClose) -> None:
        by = make_staff_actor(a_user("director", event.tournament), SignInLinkAttribution("Ann Cole", MADE))
        assert reopen_day(close, by=by, reason="a fee was missing").link_by == "Ann Cole"

    def test_every_act_of_such_a_session_names_it_in_the_log(self, event: Event, close: DayClose) -> None:
        data = event.tournament.log.get(verb="day.closed").data
        assert data["signed_in_by_link"] == {"by": "Ann Cole", "at": MADE.isoformat()}

    def test_a_close_of_before_keeps_its_digest(self, event: Event, count: DayCount) -> None:
        close_day(count, by=a_director(event.tournament))
        assert all(check.passed for check in verify_event(event) if check.subject == "closes")


def test_a_maker_that_is_changed_in_the_database_is_found() -> None:
    event = a_tournament_of("desert", "Ada Lovelace", "Alan Turing")
    by = make_staff_actor(a_user(is_superuser=True), SignInLinkAttribution("Ann Cole", MADE))
    count = record_day_count(event.tournament, FRIDAY, EndOfDayCount({}, {}), by=by, key="", reason="nothing was paid")
    assert problems(event) == []
    DayCount.objects.update(link_by="")
    assert [found.partition(" after")[0] for found in problems(event)] == [
        f"day count {count.pk} was changed in the database"
    ]


def test_an_approval_says_whose_link_signed_them_in() -> None:
    tournament = a_tournament()
    event = an_event(tournament, approvals=["hotel"])
    entrant = add_entry(event, EntryRequest((Person("Ada"),)), by=SYSTEM_ACTOR)
    browser = signed_in_by(the_director(tournament), a_colleague(tournament, "hotel"), tournament)
    path = f"/desk/{tournament.slug}/{event.slug}/entrants/{entrant.number}/"
    browser.post(f"{path}act/", {"act": "approve", "role": "hotel"})
    assert BY_LINK in page_text(browser.get(path))


def test_a_correction_by_two_officials_names_the_link_on_the_card(friday_evening: time_machine.Coordinates) -> None:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    tournament = card.match.event.tournament
    post(card)
    friday_evening.move_to(MADE + dt.timedelta(minutes=31))
    first = a_user("desk", tournament)
    correct_line(card, 2, LineEntry(gin("B", 90, up="9C")), by=make_staff_actor(first), reason="the paper says Alan")
    second = make_staff_actor(a_colleague(tournament, "director"), SignInLinkAttribution("Ann Cole", MADE))
    confirm_staff_entry(StaffEntry.objects.get(), by=second)
    assert load_card_state_by_pk(card.pk).lines[1].reason == (
        f"the paper says Alan · typed by {first}, agreed to by Cora Lund ({BY_LINK})"
    )
