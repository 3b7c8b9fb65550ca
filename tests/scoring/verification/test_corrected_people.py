"""If a name is corrected after signing, pages show the new name, and the signed content stays genuine."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import a_director, a_user
from tests.kit import client_as, event_url, fresh, refused
from tests.races import codes_of
from tests.scoring.helpers.playing import an_event_in_play, fresh_card, post, the_card
from tests.verifying import verify_event
from tournament.core.permissions import Actor, make_staff_actor
from tournament.core.selectors.events import load_public_name_at
from tournament.core.selectors.log import check_log_chain
from tournament.models import Entrant, Event, Player, PlayerCorrection
from tournament.registration.services.people import correct_player

pytestmark = pytest.mark.django_db


def player_of(event: Event, number: int = 1) -> Player:
    return event.entrants.get(number=number).members.get().player


def renamed(event: Event, name: str = "Adele", **facts: object) -> PlayerCorrection:
    by = a_director(event.tournament)
    return correct_player(event, player_of(event), {"name": name, **facts}, by=by, reason="misheard on the phone")


def test_a_signed_card_keeps_its_names_and_the_event_is_genuine() -> None:
    event = an_event_in_play()
    card = the_card(event)
    post(card)
    genuine = [f"{check.subject}: {check.finding}" for check in verify_event(fresh(event)) if not check.passed]
    renamed(event)
    assert event.entrants.get(number=1).name == "Adele"
    assert "Ada" in {seat.name for seat in fresh_card(card).seats.all()}
    faults = [f"{check.subject}: {check.finding}" for check in verify_event(fresh(event)) if not check.passed]
    assert faults == genuine, faults


def test_a_correction_that_was_changed_in_the_database_is_found() -> None:
    event = an_event_in_play()
    row = renamed(event)
    PlayerCorrection.objects.filter(pk=row.pk).update(shown_before="Eve")
    assert any("correction" in check.finding for check in verify_event(fresh(event)) if not check.passed)


def test_a_paper_signed_before_is_printed_with_the_name_it_was_signed_with() -> None:
    event = an_event_in_play()
    row = renamed(event)
    assert load_public_name_at(player_of(event), row.at.replace(year=row.at.year - 1)) == "Ada"
    assert load_public_name_at(player_of(event), row.at) == "Adele"


def test_a_correction_says_who_when_and_why_and_names_every_entry_of_the_person() -> None:
    event = an_event_in_play()
    other = Event.objects.create(tournament=event.tournament, slug="other", name="Other", state=Event.State.OPEN)
    second = Entrant.objects.create(event=other, number=4, name="Ada", token="second", sign_code="1", state="in")
    player = player_of(event)
    second.members.create(player=player, seat=1, by_name="test")
    version = other.version
    row = renamed(event, email="adele@example.org")
    assert row.changes["name"] == ["Ada", "Adele"]
    assert row.changes["email"] == [player.email, "adele@example.org"]
    assert (row.reason, bool(row.by_name)) == ("misheard on the phone", True)
    second.refresh_from_db()
    other.refresh_from_db()
    assert (second.name, other.version > version) == ("Adele", True)


@pytest.mark.parametrize(
    ("facts", "code"),
    [({"name": "Adele"}, "reason-needed"), ({"hides_name": True}, "reason-needed"), ({}, "nothing-changed")],
)
def test_a_correction_is_refused(facts: dict[str, object], code: str) -> None:
    event = an_event_in_play()
    with refused(code):
        correct_player(event, player_of(event), facts, by=a_director(event.tournament))


def test_an_address_needs_no_reason() -> None:
    event = an_event_in_play()
    desk = make_staff_actor(a_user("desk", event.tournament))
    correct_player(event, player_of(event), {"phone": "555 0100"}, by=desk)
    assert player_of(event).phone == "555 0100"


@pytest.mark.parametrize("page", ["tournament:event", "tournament:entrants", "pairing:bracket"])
def test_somebody_who_hides_the_name_is_on_public_pages_by_initials(page: str) -> None:
    event = an_event_in_play(("Ada Lovelace", "Alan Turing"))
    renamed(event, name="Ada Lovelace", hides_name=True)
    url = event_url(page, event)
    shown = Client().get(url).content.decode()
    assert "Lovelace" not in shown and "Turing" in shown


def test_the_desk_finds_and_reads_the_real_name() -> None:
    event = an_event_in_play(("Ada Lovelace", "Alan Turing"))
    renamed(event, name="Ada Lovelace", hides_name=True)
    client = client_as("desk", event)
    shown = client.get(event_url("tournament:desk_checkin", event) + "?q=lovelace").content.decode()
    assert "<strong>A. L.</strong>" in shown and "Ada Lovelace" in shown


def test_the_desk_corrects_a_player_on_the_page_of_the_entry() -> None:
    event = an_event_in_play()
    client = client_as("desk", event)
    url = event_url("tournament:desk_person", event, number=1)
    form = client.get(url).context["form"]
    sent = {name: form[name].value() or "" for name in form.fields} | {"name": "Adele", "shows_name": "on"}
    assert "Write the reason." in client.post(url, sent).content.decode()
    page = client.post(url, sent | {"reason": "misheard"}, follow=True).content.decode()
    assert "Name: Ada → Adele" in page and "misheard" in page


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_desks_correct_one_person_at_the_same_moment() -> None:
    event = an_event_in_play()
    player, by = player_of(event), a_director(event.tournament)

    def correct(name: str, by: Actor) -> PlayerCorrection:
        return correct_player(event, player, {"name": name}, by=by, reason="misheard")

    assert codes_of(lambda: correct("Adele", by), lambda: correct("Adela", by)) == ["done", "done"]
    first, second = PlayerCorrection.objects.order_by("pk")
    assert second.shown_before == first.changes["name"][1]
    assert event.entrants.get(number=1).name == second.changes["name"][1]
    assert check_log_chain(event.tournament).is_intact
