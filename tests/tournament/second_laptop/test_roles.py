from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connections
from django.test import Client

from tests.factories import a_director, a_tournament, a_user, an_event
from tests.kit import page_text, refused
from tests.races import at_once
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.disk import fill, small_disk
from tests.tournament.helpers.second_laptop import a_link, a_second_laptop, verbs_of
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.selectors.installation import load_installation
from tournament.core.services.installation import begin_installation_epoch
from tournament.errors import NotAllowed
from tournament.models import AuditEntry, Event, Installation, RowChange
from tournament.second_laptop.selectors import (
    LINK_PROBLEM_SENTENCES,
    PROBLEMS_SOLVED_BY_JOINING,
    LaptopRole,
    LinkProblem,
    count_seconds_behind,
    describe_clock_difference,
    describe_link_problem,
    describe_second_laptop_problem,
    get_first_copy_file,
    get_link_folder,
    get_problem_file,
    get_replaced_link_file,
    is_copy_received,
    is_read_only,
    is_takeover_requested,
    load_last_change,
    read_joining_state,
    read_link,
    read_link_problem,
    read_second_laptop_url,
)
from tournament.second_laptop.services import roles
from tournament.second_laptop.services.changes import (
    record_acknowledgement,
    start_recording_changes,
    stop_recording_changes,
)
from tournament.second_laptop.services.roles import (
    MAX_WRONG_WORDS,
    OFFER_LIFETIME,
    NotSecondLaptop,
    add_second_laptop,
    change_first_laptop_address,
    clear_link_problem,
    compute_words_key,
    count_wrong_words,
    offer_pairing,
    read_pairing_offer,
    record_joining_failure,
    remember_clock_difference,
    remove_second_laptop,
    request_joining,
    request_take_over,
    save_link,
    save_link_problem,
    save_received_link,
    save_second_laptop_url,
    shut_out,
    take_over,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]


# --- Adding and removing a second laptop -----------------------------------------------------------------------------


def test_the_words_are_read_as_they_were_offered() -> None:
    offer = offer_pairing(by=SYSTEM_ACTOR)
    assert read_pairing_offer() == offer


def test_new_words_replace_earlier_ones() -> None:
    assert offer_pairing(by=SYSTEM_ACTOR).words != offer_pairing(by=SYSTEM_ACTOR).words


def test_the_words_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    offer_pairing(by=SYSTEM_ACTOR)
    later = time.time() + OFFER_LIFETIME.total_seconds()
    monkeypatch.setattr("tournament.second_laptop.services.roles.time.time", lambda: later)
    assert read_pairing_offer() is None


def test_after_five_wrong_attempts_the_words_are_no_longer_valid() -> None:
    offer = offer_pairing(by=SYSTEM_ACTOR)  # all attempts may have begun before the first one was counted
    for _turn in range(MAX_WRONG_WORDS):
        assert read_pairing_offer() is not None
        count_wrong_words(offer)
    assert read_pairing_offer() is None


def test_wrong_attempts_at_the_same_moment_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    offer = offer_pairing(by=SYSTEM_ACTOR)

    def read_slowly() -> roles.PairingOffer | None:
        current = read_pairing_offer()
        time.sleep(0.05)
        return current

    monkeypatch.setattr(roles, "read_pairing_offer", read_slowly)
    at_once(*[lambda: count_wrong_words(offer)] * 3)
    counted = read_pairing_offer()
    assert counted is not None and counted.failures == 3


def test_a_wrong_attempt_with_earlier_words_does_not_count() -> None:
    earlier = offer_pairing(by=SYSTEM_ACTOR)
    offer = offer_pairing(by=SYSTEM_ACTOR)
    count_wrong_words(earlier)
    assert read_pairing_offer() == offer


def test_capital_letters_and_spaces_do_not_matter() -> None:
    assert compute_words_key("one two") == compute_words_key("  ONE \n Two ")


def test_a_director_of_one_of_two_tournaments_may_not_add_one() -> None:
    tournament = a_tournament()
    a_tournament()
    with pytest.raises(NotAllowed):
        offer_pairing(by=a_director(tournament))
    assert read_pairing_offer() is None


def test_a_director_of_one_of_two_tournaments_may_not_remove_one() -> None:
    tournament = a_tournament()
    a_tournament()
    save_link(a_link(LaptopRole.FIRST))
    with pytest.raises(NotAllowed):
        remove_second_laptop(by=a_director(tournament))
    assert read_link() is not None


@pytest.mark.parametrize("role", [LaptopRole.SECOND, LaptopRole.SHUT_OUT])
def test_a_laptop_that_only_reads_cannot_get_a_second_one(role: LaptopRole) -> None:
    save_link(a_link(role))
    with refused("read-only-laptop"):
        offer_pairing(by=SYSTEM_ACTOR)


def test_adding_one_uses_the_words_up_and_remembers_the_epoch() -> None:
    offer = offer_pairing(by=SYSTEM_ACTOR)
    epoch = begin_installation_epoch(Installation.Origin.RESTORED).epoch
    add_second_laptop(offer, "ab", "cd", "192.168.1.21")
    link = read_link()
    assert link is not None and (link.role, link.epoch, read_pairing_offer()) == (LaptopRole.FIRST, epoch, None)


@pytest.mark.parametrize(
    "act",
    [
        lambda: add_second_laptop(offer_pairing(by=SYSTEM_ACTOR), "ab", "cd", "192.168.1.22"),
        lambda: remove_second_laptop(by=SYSTEM_ACTOR),
        lambda: (a_second_laptop(), take_over()),
    ],
    ids=["another one is added", "it is removed", "this laptop takes over"],
)
def test_the_address_of_an_earlier_second_laptop_is_forgotten(act: Callable[[], object]) -> None:
    add_second_laptop(offer_pairing(by=SYSTEM_ACTOR), "ab", "cd", "192.168.1.21")
    save_second_laptop_url("http://192.168.1.21:8000")
    act()
    stop_recording_changes()
    assert read_second_laptop_url() == ""


@pytest.mark.parametrize("role", [LaptopRole.SECOND, LaptopRole.SHUT_OUT])
def test_a_laptop_that_leaves_the_other_one_begins_an_identity_of_its_own(role: LaptopRole) -> None:
    """The laptop has the other laptop's data and identity, and must not be mistaken for it."""
    tournament = a_tournament()
    before = load_installation()
    save_link(replace(a_link(role), seen_epoch=8))
    request_file = get_link_folder() / "take-over"
    request_file.touch()
    remove_second_laptop(by=SYSTEM_ACTOR)
    begun = load_installation()
    assert before is not None and begun is not None
    assert (begun.identity != before.identity, begun.epoch, begun.origin) == (True, 9, Installation.Origin.RESTORED)
    assert read_link() is None and not request_file.exists()
    assert verbs_of(tournament) == ["second-laptop.removed"]


def test_a_first_laptop_that_works_alone_again_stays_the_same() -> None:
    before = load_installation()
    save_link(a_link(LaptopRole.FIRST))
    remove_second_laptop(by=SYSTEM_ACTOR)
    assert load_installation() == before


def test_each_act_is_in_the_log_with_its_author() -> None:
    tournament, actor = a_tournament(), make_staff_actor(a_user(is_superuser=True))
    add_second_laptop(offer_pairing(by=actor), "ab", "cd", "192.168.1.21")
    remove_second_laptop(by=actor)
    assert verbs_of(tournament, actor.name) == ["second-laptop.offered", "second-laptop.added", "second-laptop.removed"]


@pytest.mark.parametrize(
    ("fields", "states", "is_logged"),
    [
        ({}, [], True),
        ({}, [Event.State.IN_PLAY, Event.State.FINISHED], True),
        ({}, [Event.State.FINISHED, Event.State.CALLED_OFF], False),
        ({"is_demo": True}, [Event.State.IN_PLAY], False),
    ],
)
def test_the_logs_of_tournaments_that_go_on_have_it(
    fields: dict[str, Any], states: list[Event.State], is_logged: bool
) -> None:
    tournament = a_tournament(**fields)
    for state in states:
        an_event(tournament, state=state)
    offer_pairing(by=SYSTEM_ACTOR)
    assert ("second-laptop.offered" in verbs_of(tournament)) == is_logged


# --- Following another laptop ----------------------------------------------------------------------------------------


def join(*, directs_installation: bool = False) -> None:
    request_joining("192.168.1.20:8002", "six words", directs_installation=directs_installation)


def test_an_empty_laptop_may_follow_another_one() -> None:
    a_tournament(is_demo=True)
    join()
    assert read_joining_state() == {"address": "192.168.1.20:8002", "words": "six words"}


def test_a_laptop_with_tournaments_may_not() -> None:
    a_tournament()
    with refused("laptop-has-data"):
        join()
    assert read_joining_state() == {}


def test_a_laptop_with_tournaments_may_if_somebody_who_directs_it_asks() -> None:
    a_tournament()
    join(directs_installation=True)
    assert read_joining_state()


def test_a_laptop_that_was_shut_out_may() -> None:
    a_tournament()
    save_link(a_link(LaptopRole.SHUT_OUT))
    join()
    assert read_joining_state()


def test_a_first_laptop_may_not_even_for_an_administrator() -> None:
    save_link(a_link(LaptopRole.FIRST))
    with refused("laptop-has-role"):
        join(directs_installation=True)


@pytest.mark.parametrize("problem", [None, *LinkProblem])
def test_a_second_laptop_may_if_it_has_to_be_added_again(problem: LinkProblem | None) -> None:
    save_link(a_link(LaptopRole.SECOND))
    if problem is not None:
        save_link_problem(problem)
    if problem in PROBLEMS_SOLVED_BY_JOINING:
        join()
        assert read_joining_state()
    else:
        with refused("laptop-has-role"):
            join()


def test_a_failed_request_keeps_the_address_but_not_the_words() -> None:
    join()
    record_joining_failure(LinkProblem.WRONG_WORDS)
    assert read_joining_state() == {"address": "192.168.1.20:8002", "failure": "wrong-words"}
    assert read_link_problem() is LinkProblem.WRONG_WORDS


def test_a_new_request_forgets_the_problem_of_the_last_one() -> None:
    record_joining_failure(LinkProblem.WRONG_WORDS)
    join()
    assert read_link_problem() is None


def test_a_follower_looks_for_the_first_laptop_at_its_new_address() -> None:
    link = a_second_laptop()
    change_first_laptop_address("192.168.1.77:8002")
    assert read_link() == replace(link, address="192.168.1.77:8002")


def test_only_a_follower_has_the_address_of_a_first_laptop() -> None:
    with refused("laptop-has-role"):
        change_first_laptop_address("192.168.1.77:8002")


# --- Taking over, and being shut out ---------------------------------------------------------------------------------


def test_after_a_takeover_the_laptop_may_write_and_get_a_second_one() -> None:
    a_second_laptop()
    take_over()
    assert not is_read_only() and read_link() is None
    offer_pairing(by=SYSTEM_ACTOR)
    assert read_pairing_offer() is not None


def test_a_takeover_remembers_the_replaced_laptop() -> None:
    link = a_second_laptop()
    RowChange.objects.create(pk=7)
    take_over()
    replaced = read_link(get_replaced_link_file())
    assert replaced is not None and replaced == replace(link, epoch=6, change=7, at=replaced.at)


def test_a_takeover_begins_a_higher_epoch_and_is_in_the_log() -> None:
    tournament = a_tournament()
    a_second_laptop()
    take_over()
    begun = Installation.objects.order_by("epoch").last()
    assert begun is not None and (begun.epoch, begun.origin) == (6, Installation.Origin.TAKEN_OVER)
    assert verbs_of(tournament) == ["second-laptop.took-over"]


def test_two_taps_at_the_same_moment_are_one_takeover(monkeypatch: pytest.MonkeyPatch) -> None:
    """The button and the command run in different processes, and somebody may use both at once."""
    tournament = a_tournament()
    a_second_laptop()
    started = threading.Event()

    def load_slowly() -> Installation | None:
        here = load_installation()
        if threading.current_thread() is not other:
            started.set()
            other.join(0.2)
        return here

    def tap_again() -> None:
        started.wait()
        try:
            take_over()
        finally:
            connections.close_all()

    monkeypatch.setattr(roles, "load_installation", load_slowly)
    other = threading.Thread(target=tap_again)
    other.start()
    take_over()
    other.join()
    assert verbs_of(tournament) == ["second-laptop.took-over"]


@pytest.mark.parametrize("room_is_made", [False, True])
def test_a_takeover_waits_for_room_on_the_disk(
    client: Client, settings: Any, tmp_path: Path, room_is_made: bool
) -> None:
    with small_disk(tmp_path / "small", "1m") as settings.VAR_DIR:
        a_second_laptop()
        request_take_over()
        ballast = fill(settings.VAR_DIR)
        with pytest.raises(OSError, match="No space left"):
            take_over()
        page = page_text(client.get("/second-laptop/"))
        assert "The disk of this laptop is full." in page and "Then this laptop takes over by itself." in page
        if room_is_made:
            ballast.unlink()
            take_over()
        assert is_takeover_requested() is is_read_only() is not room_is_made
        assert Installation.objects.filter(origin=Installation.Origin.TAKEN_OVER).count() == 1


def test_taking_over_twice_does_nothing() -> None:
    a_second_laptop()
    take_over()
    count = Installation.objects.count()
    take_over()
    assert Installation.objects.count() == count


@pytest.mark.parametrize("act", [take_over, request_take_over])
def test_a_laptop_that_follows_no_other_one_cannot_take_over(act: Any) -> None:
    with pytest.raises(NotSecondLaptop):
        act()


def test_a_request_to_take_over_is_carried_out_once() -> None:
    a_second_laptop()
    request_take_over()
    assert is_takeover_requested()
    take_over()
    assert not is_takeover_requested()


def test_a_takeover_discards_a_received_copy() -> None:
    """The supervisor would otherwise install the copy, and overwrite what is recorded after the takeover."""
    link = a_second_laptop()
    get_first_copy_file().touch()
    save_received_link(link)
    take_over()
    assert not is_copy_received() and not get_first_copy_file().exists()


def test_a_laptop_that_was_shut_out_only_reads() -> None:
    link = a_link(LaptopRole.FIRST)
    offer_pairing(by=SYSTEM_ACTOR)
    shut_out(link, epoch=6, change=7, at=8.0)
    assert read_link() == replace(link, role=LaptopRole.SHUT_OUT, epoch=6, change=7, at=8.0)
    assert is_read_only() and read_pairing_offer() is None


# --- Problems --------------------------------------------------------------------------------------------------------


def test_each_problem_has_a_sentence() -> None:
    assert set(LINK_PROBLEM_SENTENCES) == set(LinkProblem)


def test_only_the_newest_problem_is_stored() -> None:
    save_link_problem(LinkProblem.NOT_REACHABLE)
    save_link_problem(LinkProblem.UNKNOWN_KEY)
    assert read_link_problem() is LinkProblem.UNKNOWN_KEY


def test_a_problem_is_gone_when_the_connection_works() -> None:
    save_link_problem(LinkProblem.NOT_REACHABLE)
    clear_link_problem()
    assert read_link_problem() is None


def test_the_code_of_another_version_is_no_crash() -> None:
    save_link_problem(LinkProblem.NOT_REACHABLE)
    get_problem_file().write_text("a-code-of-next-year")
    assert read_link_problem() is LinkProblem.UNEXPECTED


@pytest.mark.parametrize(
    ("role", "sentence"),
    [
        (LaptopRole.SECOND, "The first laptop was restored from a backup. Add this laptop again."),
        (
            LaptopRole.FIRST,
            "This laptop was restored from a backup, so the second one follows it no longer. Add the second laptop "
            "again.",
        ),
    ],
)
def test_each_laptop_words_a_problem_from_its_own_side(role: LaptopRole, sentence: str) -> None:
    save_link(a_link(role))
    assert describe_link_problem(LinkProblem.RESTORED) == sentence


@pytest.mark.parametrize("role", [None, LaptopRole.SECOND, LaptopRole.SHUT_OUT])
def test_only_a_first_laptop_warns_today(role: LaptopRole | None) -> None:
    if role is not None:
        save_link(a_link(role))
    assert describe_second_laptop_problem() == ""


@pytest.mark.parametrize(
    ("problem", "beginning"),
    [(None, "The second laptop does not answer."), (LinkProblem.DISK_FULL, "The disk of the second laptop is full.")],
)
def test_today_gives_the_reason(problem: LinkProblem | None, beginning: str) -> None:
    save_link(a_link(LaptopRole.FIRST))
    if problem is not None:
        save_link_problem(problem)
    assert describe_second_laptop_problem().startswith(beginning)


@pytest.mark.parametrize(("seconds", "is_well"), [(-1, True), (-60, False), (3600, False)])
def test_a_laptop_that_has_just_been_heard_is_connected(seconds: int, is_well: bool) -> None:
    """If somebody sets the clock back by an hour, the last message seems to come from the future and does not count."""
    save_link(a_link(LaptopRole.FIRST))
    record_acknowledgement(RowChange.objects.count(), time.time() + seconds)
    assert (describe_second_laptop_problem() == "") == is_well


@pytest.mark.parametrize(
    ("age_s", "sentence"), [(0.0, ""), (0.4, "The second laptop does not have the newest entries yet.")]
)
def test_today_warns_as_soon_as_a_write_was_acknowledged_without_the_second_laptop(age_s: float, sentence: str) -> None:
    save_link(a_link(LaptopRole.FIRST))
    start_recording_changes()
    record_acknowledgement(load_last_change(), time.time())
    write(a_tournament())
    with time_machine.travel(AuditEntry.objects.latest("pk").at.timestamp() + age_s, tick=False):
        record_acknowledgement(0, time.time())
        assert describe_second_laptop_problem() == sentence
    stop_recording_changes()


def test_what_is_missing_is_noticed_although_the_clock_was_set_back() -> None:
    save_link(a_link(LaptopRole.FIRST))
    start_recording_changes()
    write(a_tournament())
    with time_machine.travel(time.time() - 3 * 3600, tick=False):
        record_acknowledgement(0, time.time())
        assert count_seconds_behind() == 1.0
    stop_recording_changes()


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [
        (20, ""),
        (-20, ""),
        (3 * 3600, "The clocks of the two laptops differ by 180 minutes. Correct the one that is wrong."),
        (-3 * 3600, "The clocks of the two laptops differ by 180 minutes. Correct the one that is wrong."),
    ],
)
def test_today_says_that_a_clock_is_wrong(seconds: int, sentence: str) -> None:
    save_link(a_link(LaptopRole.FIRST))
    record_acknowledgement(load_last_change(), time.time())
    remember_clock_difference(seconds)
    assert describe_second_laptop_problem() == sentence


def test_a_clock_that_was_corrected_is_no_problem() -> None:
    remember_clock_difference(3 * 3600)
    remember_clock_difference(0.2)
    assert describe_clock_difference() == ""


def test_only_this_user_can_read_the_key() -> None:
    save_link(a_link(LaptopRole.FIRST))
    assert os.stat(get_link_folder() / "link.json").st_mode & 0o777 == 0o600
