"""The program works after a takeover by a laptop whose clock is three hours wrong. Correcting a clock does no harm."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from tests.kit import client_as, desk_url
from tests.scoring.helpers.rows import a_tournament_of, problems
from tests.tournament.helpers.second_laptop import a_second_laptop
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person
from tournament.second_laptop.services.roles import offer_pairing, read_pairing_offer, take_over

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("folder")]
BOTH_WAYS = pytest.mark.parametrize("hours", [-3, 3])


@contextmanager
def clock_off_by(hours: float) -> Iterator[None]:
    with time_machine.travel(timezone.now() + timedelta(hours=hours)):
        yield


def enter(event: Event, name: str) -> None:
    add_entry(event, EntryRequest((Person(name, email=f"{name[:3]}@example.org"),)), by=SYSTEM_ACTOR)


@BOTH_WAYS
def test_everything_can_still_be_verified(hours: int) -> None:
    event = a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    a_second_laptop()
    with clock_off_by(hours):
        take_over()
        enter(event, "Grace Hopper")
        assert problems(event) == []
    enter(event, "Emmy Noether")  # the clock was corrected
    assert problems(event) == []


@BOTH_WAYS
def test_staff_stay_signed_in(hours: int) -> None:
    event = a_tournament_of("tampa", "Ada Lovelace", "Alan Turing")
    desk = client_as("desk", event)
    with clock_off_by(hours):
        assert desk.get(desk_url(event, "today/")).status_code == 200


@pytest.mark.parametrize(("minutes", "is_valid"), [(-0.1, True), (10, True), (180, False), (-180, False)])
def test_the_six_words_survive_a_small_correction_of_the_clock(minutes: float, is_valid: bool) -> None:
    offer = offer_pairing(by=SYSTEM_ACTOR)
    with clock_off_by(minutes / 60):
        assert (read_pairing_offer() == offer) is is_valid
