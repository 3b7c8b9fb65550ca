"""Test the page *Welcome*, which creates the first administrator and records the club."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from tests.factories import PASSWORD, a_tournament, a_user
from tests.kit import get_page, page_text, refused
from tests.races import at_once
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.installation import load_club
from tournament.models import Club, User
from tournament.setup.forms import TournamentForm
from tournament.this_computer.services import change_club, make_first_start_secret, set_up_installation

pytestmark = pytest.mark.django_db

ANSWERS = {
    "name": "Tarrant County Gin Club",
    "time_zone": "America/Chicago",
    "your_name": "Ada Lovelace",
    "password": "knock with ten",
    "password_again": "knock with ten",
}


def link() -> str:
    return reverse("tournament:first_start", args=[make_first_start_secret()])


def set_up(secret: str, name: str = "Ada") -> User:
    return set_up_installation(
        secret, club_name="Gin Club", time_zone="America/Denver", name=name, password="knock with ten"
    )


def test_the_answers_create_an_administrator_who_then_creates_a_tournament() -> None:
    client = Client()
    answer = client.post(link(), ANSWERS, follow=True)
    assert answer.redirect_chain == [(reverse("tournament:new_tournament"), 302)]
    assert "Everything is set up. Now create your first tournament." in page_text(answer)
    administrator = User.objects.get()
    assert (administrator.name, administrator.is_superuser, administrator.is_named) == ("Ada Lovelace", True, True)
    assert client.get("/this-computer/").status_code == 200


def test_the_club_is_in_the_header_and_new_tournaments_get_its_time_zone() -> None:
    client = Client()
    client.post(link(), ANSWERS)
    assert "Tarrant County Gin Club" in get_page("/") and "Tarrant County Gin Club" in get_page("/accounts/login/")
    assert TournamentForm()["time_zone"].value() == "America/Chicago"
    assert "data-own-zone" not in client.get(reverse("tournament:new_tournament")).content.decode()


def test_the_administrator_signs_in_by_name() -> None:
    set_up(make_first_start_secret(), name="Ada Lovelace")
    client = Client()
    form = {"login": "ada lovelace", "password": "knock with ten"}
    assert client.post("/accounts/login/", form).status_code == 302
    assert client.get("/this-computer/").status_code == 200


def test_a_user_with_an_email_address_cannot_sign_in_by_name() -> None:
    user = a_user(name="Ada Lovelace")
    client = Client()
    assert client.post("/accounts/login/", {"login": user.name, "password": PASSWORD}).status_code == 200
    assert client.post("/accounts/login/", {"login": user.email, "password": PASSWORD}).status_code == 302


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"password_again": "knock with nine"}, "The two passwords differ. Enter the same one twice."),
        ({"password": "short", "password_again": "short"}, "This password is too short."),
        ({"name": ""}, "This field is required."),
    ],
)
def test_a_wrong_answer_is_explained_and_nothing_is_created(changed: dict[str, str], message: str) -> None:
    answer = Client().post(link(), {**ANSWERS, **changed})
    assert answer.status_code == 422 and message in page_text(answer)
    assert not User.objects.exists() and not Club.objects.exists()


def test_the_link_works_once() -> None:
    address = link()
    Client().post(address, ANSWERS)
    again = Client().post(address, ANSWERS)
    assert again.status_code == 404 and "This program is set up already. Sign in." in page_text(again)
    assert User.objects.count() == 1


def print_first_link() -> str:
    out = StringIO()
    call_command("sign_in_link", first=True, site="http://hall.test", stdout=out)
    return out.getvalue()


def test_before_the_first_start_page_was_used_the_first_sign_in_link_leads_there(settings: Any) -> None:
    settings.HAS_FIRST_START_PAGE = True
    [path] = re.findall(r"Set up the program \(works once\) +http://hall\.test(/first-start/\S+)", print_first_link())
    assert not User.objects.exists()
    Client().post(path, ANSWERS)
    assert "Sign in as Ada Lovelace" in print_first_link() and "/first-start/" not in print_first_link()


def test_without_this_page_the_first_sign_in_link_signs_in(settings: Any) -> None:
    settings.HAS_FIRST_START_PAGE = False
    assert "http://hall.test/sign-in/" in print_first_link()


def test_a_new_start_makes_earlier_links_expire() -> None:
    old = link()
    make_first_start_secret()
    answer = Client().get(old)
    assert answer.status_code == 404 and "This link has expired." in page_text(answer)


def test_a_program_with_a_tournament_is_not_set_up_again() -> None:
    a_tournament()
    assert Client().get(link()).status_code == 404


def test_a_program_with_only_a_demo_can_be_set_up() -> None:
    a_tournament(is_demo=True)
    assert Client().get(link()).status_code == 200


def test_an_administrator_changes_the_club(administrator: Client) -> None:
    administrator.post("/this-computer/", {"act": "club", "name": "Reno Gin", "time_zone": "America/Los_Angeles"})
    club = load_club()
    assert club is not None and (club.name, club.time_zone) == ("Reno Gin", "America/Los_Angeles")


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_people_who_set_it_up_at_once_create_one_administrator() -> None:
    secret = make_first_start_secret()
    outcomes = at_once(*(lambda name=name: set_up(secret, name) for name in ("Ada", "Grace")))
    assert sorted(outcomes) == ["done", "link-used"]
    assert User.objects.get().name == ("Ada" if outcomes[0] == "done" else "Grace")
    with refused("link-used"):
        set_up(secret)
    change_club(name="Gin", time_zone="America/Denver", by=SYSTEM_ACTOR)
    assert Club.objects.count() == 1
