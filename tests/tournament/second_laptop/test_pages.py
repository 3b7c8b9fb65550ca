from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import a_tournament, a_user
from tests.kit import client_as, page_text
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.second_laptop import a_link, a_second_laptop, verbs_of
from tournament.models import Tournament
from tournament.second_laptop.selectors import (
    LaptopRole,
    LinkProblem,
    is_takeover_requested,
    load_last_change,
    read_joining_state,
    read_link,
)
from tournament.second_laptop.services.changes import (
    record_acknowledgement,
    start_recording_changes,
    stop_recording_changes,
)
from tournament.second_laptop.services.roles import (
    forget_replaced_laptop,
    read_pairing_offer,
    record_joining_failure,
    request_take_over,
    save_link,
    save_link_problem,
    shut_out,
    take_over,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]
THIS_LAPTOP = "/second-laptop/"
JOIN = {"act": "join", "address": "192.168.1.20:8002", "words": "one two three four five six"}


def address(tournament: Tournament, page: str = "desk_second_laptop") -> str:
    return reverse(f"tournament:{page}", args=[tournament.slug])


def hear_other_laptop() -> None:
    record_acknowledgement(load_last_change(), time.time())


def administrator() -> Client:
    client = Client()
    client.force_login(a_user(is_superuser=True))
    return client


# --- Second laptop ---------------------------------------------------------------------------------------------------


def test_the_page_shows_the_words_and_where_to_enter_them() -> None:
    tournament = a_tournament()
    answer = client_as("director", tournament).post(address(tournament), follow=True)
    offer = read_pairing_offer()
    assert offer is not None and offer.words in page_text(answer)


def test_a_director_of_one_of_two_tournaments_sees_no_words() -> None:
    tournament = a_tournament()
    a_tournament()
    administrator().post(address(tournament))
    text, offer = page_text(client_as("director", tournament).get(address(tournament))), read_pairing_offer()
    assert offer is not None and offer.words not in text
    assert "Only an administrator, or a director of all tournaments here" in text and "Show new words" not in text


@pytest.mark.parametrize("page", ["desk_second_laptop", "remove_second_laptop"])
def test_a_director_of_one_of_two_tournaments_changes_nothing(page: str) -> None:
    tournament = a_tournament()
    a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    answer = client_as("director", tournament).post(address(tournament, page))
    assert answer.status_code == 403 and read_pairing_offer() is None and read_link() is not None


def test_the_first_laptop_says_that_the_second_one_has_everything() -> None:
    tournament = a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    hear_other_laptop()
    text = page_text(client_as("director", tournament).get(address(tournament)))
    assert "The second laptop has everything. Last contact: " in text


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (None, "The second laptop does not answer. Check that it is on, and in the same network."),
        (LinkProblem.DISK_FULL, "The disk of the second laptop is full. Delete files there."),
        (LinkProblem.OTHER_VERSION, "The two laptops have different versions of the program."),
    ],
)
def test_the_first_laptop_gives_the_reason(problem: LinkProblem | None, sentence: str) -> None:
    tournament = a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    if problem is not None:
        save_link_problem(problem)
    text = page_text(client_as("director", tournament).get(address(tournament)))
    assert sentence in text and "Add a second laptop again" in text


def test_working_alone_asks_first() -> None:
    tournament = a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    answer = client_as("director", tournament).get(address(tournament, "remove_second_laptop"))
    assert "Work with one laptop again?" in page_text(answer) and read_link() is not None


def test_working_alone_forgets_the_second_laptop() -> None:
    tournament = a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    answer = client_as("director", tournament).post(address(tournament, "remove_second_laptop"), follow=True)
    assert "This laptop works alone now." in page_text(answer) and read_link() is None
    assert verbs_of(tournament) == ["second-laptop.removed"]


@pytest.mark.parametrize("is_up_to_date", [True, False])
def test_an_open_page_is_loaded_again_when_its_buttons_change(is_up_to_date: bool) -> None:
    tournament = a_tournament()
    client = client_as("director", tournament)
    shown = client.get(address(tournament)).context["shown"]
    if not is_up_to_date:
        save_link(a_link(LaptopRole.FIRST))
    answer = client.get(address(tournament), {"shown": shown}, headers={"HX-Request": "true"})
    assert ("HX-Refresh" in answer.headers) != is_up_to_date


# --- This laptop -----------------------------------------------------------------------------------------------------


def test_another_computer_does_not_see_it() -> None:
    assert Client().get(THIS_LAPTOP, REMOTE_ADDR="192.168.1.30").status_code == 404


def test_an_empty_laptop_asks_to_follow_another_one() -> None:
    Client().post(THIS_LAPTOP, JOIN)
    assert read_joining_state() == {"address": JOIN["address"], "words": JOIN["words"]}


def test_a_laptop_with_tournaments_is_not_replaced_by_accident() -> None:
    a_tournament()
    answer = Client().post(THIS_LAPTOP, JOIN)
    assert answer.status_code == 409 and read_joining_state() == {}
    assert "sign in here first, as an administrator" in page_text(answer)


def test_a_laptop_with_tournaments_shows_no_form_but_what_to_do() -> None:
    a_tournament()
    text = page_text(Client().get(THIS_LAPTOP))
    assert "sign in here first, as an administrator" in text and "The six words" not in text


def test_a_laptop_with_tournaments_follows_if_an_administrator_is_signed_in() -> None:
    a_tournament()
    administrator().post(THIS_LAPTOP, JOIN)
    assert read_joining_state()


@pytest.mark.parametrize(
    "form", [{**JOIN, "address": "192.168.1.20"}, {**JOIN, "words": "one two three"}, {**JOIN, "address": "x:y"}]
)
def test_an_incomplete_form_is_shown_again(form: dict[str, str]) -> None:
    assert Client().post(THIS_LAPTOP, form).status_code == 422 and read_joining_state() == {}


def test_a_failed_request_shows_the_reason_and_the_address() -> None:
    Client().post(THIS_LAPTOP, JOIN)
    record_joining_failure(LinkProblem.WRONG_WORDS)
    answer = Client().get(THIS_LAPTOP)
    assert "These are not the words that the first laptop shows now." in page_text(answer)
    assert JOIN["address"] in answer.content.decode()


def test_a_follower_shows_its_last_contact() -> None:
    a_second_laptop()
    hear_other_laptop()
    text = page_text(Client().get(THIS_LAPTOP))
    assert "It follows the first laptop" in text and "Last contact: " in text


@pytest.mark.parametrize(
    ("problem", "sentence", "may_join"),
    [
        (LinkProblem.NOT_REACHABLE, "The first laptop does not answer. Check that it is on", False),
        (LinkProblem.RESTORED, "The first laptop was restored from a backup. Add this laptop again.", True),
    ],
)
def test_a_follower_shows_the_reason(problem: LinkProblem, sentence: str, may_join: bool) -> None:
    a_second_laptop()
    save_link_problem(problem)
    text = page_text(Client().get(THIS_LAPTOP))
    assert sentence in text and ("The six words" in text) == may_join


def test_wrong_words_are_a_reason_on_a_follower_too() -> None:
    """The page shows why a request to follow another laptop failed, although this laptop already follows one.

    The problem of the existing connection is stored again at once, and must not replace that reason.
    """
    a_second_laptop()
    save_link_problem(LinkProblem.RESTORED)
    Client().post(THIS_LAPTOP, JOIN)
    record_joining_failure(LinkProblem.WRONG_WORDS)
    save_link_problem(LinkProblem.RESTORED)
    text = page_text(Client().get(THIS_LAPTOP))
    assert "Add this laptop again." in text and "These are not the words" in text


def test_a_follower_takes_a_new_address_of_the_first_laptop() -> None:
    link = a_second_laptop()
    Client().post(THIS_LAPTOP, {"act": "address", "new-address": "192.168.1.77:8002"})
    assert read_link() == replace(link, address="192.168.1.77:8002")


def test_a_new_address_without_a_port_is_refused() -> None:
    link = a_second_laptop()
    answer = Client().post(THIS_LAPTOP, {"act": "address", "new-address": "192.168.1.77"})
    assert answer.status_code == 422 and read_link() == link


def test_a_tap_asks_to_take_over() -> None:
    a_second_laptop()
    answer = Client().post(THIS_LAPTOP, {"act": "take-over"}, follow=True)
    assert is_takeover_requested() and "This laptop is taking over." in page_text(answer)


def test_a_tap_on_another_laptop_says_that_there_is_nothing_to_take_over() -> None:
    answer = Client().post(THIS_LAPTOP, {"act": "take-over"}, follow=True)
    assert "there is nothing to take over" in page_text(answer)


@pytest.mark.parametrize(
    ("has_heard", "sentence"), [(False, "has not been reached yet"), (True, "The other laptop knows this")]
)
def test_after_a_takeover_it_says_whether_the_other_laptop_knows(has_heard: bool, sentence: str) -> None:
    a_second_laptop()
    request_take_over()
    take_over()
    if has_heard:
        forget_replaced_laptop()
    text = page_text(Client().get(THIS_LAPTOP))
    assert "This laptop has taken over." in text and sentence in text


def test_a_laptop_that_was_shut_out_lists_what_only_it_has() -> None:
    tournament = a_tournament()
    start_recording_changes()
    try:
        write(tournament, "draw.posted", "Before")
        change = load_last_change()
        write(tournament, "draw.posted", "Alone")
    finally:
        stop_recording_changes()
    shut_out(a_link(LaptopRole.FIRST), epoch=6, change=change, at=0.0)
    text = page_text(Client().get(THIS_LAPTOP))
    assert "Draw posted · Alone" in text and "Before" not in text and "The six words" in text


def test_a_laptop_that_had_no_second_one_does_not_know_what_is_missing_elsewhere() -> None:
    shut_out(replace(a_link(LaptopRole.FIRST), key=""), epoch=6, change=0, at=0.0)
    text = page_text(Client().get(THIS_LAPTOP))
    assert "does not know what is missing there" in text and "The other laptop has everything" not in text


# --- A laptop that only reads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "sentence"),
    [
        (LaptopRole.SECOND, "This is the second laptop, which only follows the first one."),
        (LaptopRole.SHUT_OUT, "The second laptop has taken over, so nothing was recorded here."),
    ],
)
def test_a_form_is_refused_with_a_sentence(settings: Any, role: LaptopRole, sentence: str) -> None:
    settings.READ_ONLY_DATABASE = True
    save_link(a_link(role))
    answer = Client().post("/accounts/login/")
    assert answer.status_code == 503 and sentence in page_text(answer)


def test_this_laptop_can_still_take_over(settings: Any) -> None:
    settings.READ_ONLY_DATABASE = True
    a_second_laptop()
    assert Client().post(THIS_LAPTOP, {"act": "take-over"}).status_code == 302
