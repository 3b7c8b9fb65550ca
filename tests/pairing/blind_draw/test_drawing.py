"""A blind draw from open registration to the posted draw, with the rows and pages that each step creates."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest
from django.test import Client

from pairing.blind_draw.selectors import load_draws
from pairing.blind_draw.services import close_registration, make_draw, post_draw, renew_commitment, take_back_draw
from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.order import compute_draw_order
from pairing.models import Commitment, Draw, Match
from pairing.stages.services.apart import keep_entrants_apart
from tests.factories import a_director, a_user, an_entrant
from tests.kit import fresh, public_url, refused
from tests.pairing.helpers.events import a_closed_event, a_posted_event, an_event_in_play, an_open_event, the_match, win
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import NotAllowed
from tournament.models import Event

pytestmark = pytest.mark.django_db


def test_closing_publishes_list_and_seal_in_one_act() -> None:
    event = an_open_event(5)
    sealed = close_registration(event, by=a_director(event.tournament))
    assert fresh(event).state == Event.State.CLOSED
    assert sealed.numbers == [1, 2, 3, 4, 5]
    assert sealed.commitment == hashlib.sha256(bytes.fromhex(sealed.secret)).hexdigest()
    page = Client().get(public_url(event, "draw/")).content.decode()
    assert sealed.draw_id in page
    assert sealed.commitment[:4] in page
    assert sealed.secret not in page.replace(" ", "")


def test_only_a_director_closes_and_draws() -> None:
    event = an_open_event()
    desk = make_staff_actor(a_user("desk", event.tournament))
    with pytest.raises(NotAllowed):
        close_registration(event, by=desk)
    closed = a_closed_event()
    with pytest.raises(NotAllowed):
        make_draw(closed, "7H", by=make_staff_actor(a_user("desk", closed.tournament)))


def test_a_changed_list_is_sealed_again_before_the_cut() -> None:
    event = a_closed_event(4)
    an_entrant(event, "Late", number=9, arrived=True)
    with refused("list-changed"):
        make_draw(event, "7H", by=SYSTEM_ACTOR)
    first = Commitment.objects.get(event=event)
    again = renew_commitment(event, by=SYSTEM_ACTOR)
    assert again.numbers == [1, 2, 3, 4, 9]
    assert (again.secret, again.draw_id) != (first.secret, first.draw_id)
    assert 9 in make_draw(event, "7H", by=SYSTEM_ACTOR).order


def test_who_has_not_come_is_decided_on_before_the_draw() -> None:
    event = an_open_event(4)
    event.entrants.filter(number=3).update(arrived=False)
    close_registration(event, by=SYSTEM_ACTOR)
    with refused("undecided") as refusal:
        make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    assert "3 Player 3" in refusal.value.message


def test_the_order_is_what_secret_and_room_make_of_it() -> None:
    event = a_posted_event(7)
    made = Draw.objects.get()
    right = compute_draw_order(
        made.commitment.numbers,
        secret=bytes.fromhex(made.commitment.secret),
        public="7H QS 2D",
        draw_id=made.commitment.draw_id,
    )
    assert tuple(made.order) == right
    rows = {match.ident for match in Match.objects.filter(event=event)}
    assert rows == set(make_bracket(tuple(made.places)).matches_by_id)


@pytest.mark.parametrize("page", ["draw/", "draw/check/", "bracket/", "pairings/", "standings/", "wall/", "draw.json"])
def test_a_preview_is_nowhere_to_be_seen(page: str) -> None:
    event = a_closed_event(6)
    client = Client()
    before = client.get(public_url(event, page))
    made = make_draw(event, "cut by Blanche", by=SYSTEM_ACTOR)
    after = client.get(public_url(event, page))
    assert after.status_code == before.status_code
    shown = after.content.decode().replace(" ", "")
    assert made.commitment.secret not in shown
    assert "cutbyBlanche" not in shown
    assert " ".join(map(str, made.order)) not in after.content.decode()


def test_drawing_twice_with_one_key_draws_once() -> None:
    event = a_closed_event(4)
    assert make_draw(event, "7H", by=SYSTEM_ACTOR, key="k1").pk == make_draw(event, "7H", by=SYSTEM_ACTOR, key="k1").pk
    with refused("drawn-already"):
        make_draw(event, "2C", by=SYSTEM_ACTOR, key="k2")


def test_a_draw_taken_back_stays_on_record_with_its_reason() -> None:
    event = a_posted_event(4)
    old = Draw.objects.get()
    sealed = take_back_draw(event, by=SYSTEM_ACTOR, reason="a name was missing")
    assert fresh(event).state == Event.State.CLOSED
    assert sealed.secret != old.commitment.secret
    page = Client().get(public_url(event, "draw/")).content.decode()
    assert "a name was missing" in page
    assert old.commitment.draw_id in page
    assert Client().get(public_url(event, "bracket/")).content.decode().count("match-box") == 0
    make_draw(fresh(event), "9C", by=SYSTEM_ACTOR)
    post_draw(fresh(event), by=SYSTEM_ACTOR)
    assert [made.public for made in load_draws(event)] == ["9C", "7H QS 2D"]


def test_taking_back_needs_a_reason_and_no_result() -> None:
    event = a_posted_event(4)
    with refused("reason-needed"):
        take_back_draw(event, by=SYSTEM_ACTOR, reason=" ")
    playing = an_event_in_play(4)
    win(playing, "R1M1")
    with refused("play-began"):
        take_back_draw(playing, by=SYSTEM_ACTOR, reason="too late")
    assert the_match(playing, "R1M1")


def test_the_avoid_list_is_honoured_and_said() -> None:
    event = a_closed_event(8)
    entrants = {entrant.number: entrant for entrant in event.entrants.select_related("event__tournament")}
    for other in (2, 3, 4):
        keep_entrants_apart(entrants[1], entrants[other], by=SYSTEM_ACTOR, reason="same club")
    made = make_draw(event, "7H", by=SYSTEM_ACTOR)
    beside = made.places[made.places.index(1) ^ 1]
    assert beside not in (2, 3, 4)
    assert made.avoid["pairs"] == [[1, 2], [1, 3], [1, 4]]
    assert sorted(made.order) == list(range(1, 9))


def test_two_entries_of_one_person_never_meet_in_round_one() -> None:
    event = an_open_event(6)
    person = event.entrants.get(number=1).members.get().player
    an_entrant(event, number=7, player=person, arrived=True)
    close_registration(event, by=SYSTEM_ACTOR)
    made = make_draw(fresh(event), "7H", by=SYSTEM_ACTOR)
    assert made.avoid["same_person"] == [[1, 7]]
    assert made.places[made.places.index(1) ^ 1] != 7


def test_the_published_json_is_what_verify_draw_takes() -> None:
    event = a_posted_event(9)
    published = Client().get(public_url(event, "draw.json")).content
    line = json.dumps(json.loads(published)).encode() + b"\n"
    answer = subprocess.run([sys.executable, "manage.py", "verify_draw"], input=line, capture_output=True, check=False)
    assert json.loads(answer.stdout) == {"ok": True}
