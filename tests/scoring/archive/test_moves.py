"""After an import, a tournament can continue on another computer, as a copy, or in place of the original."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import transaction
from django.test import Client

from pairing.results.services.finish import call_off_event, finish_event, reinstate_event
from scoring.archive.selectors.export import export_tournament
from scoring.archive.services.imports import PRIMARY_KEY_STEP, ImportMode
from scoring.cards.services.offline import OfflineHand, compute_offline_hand_hmac
from scoring.cards.services.paper_cards import confirm_staff_entry
from scoring.models import Card, Cut, Evidence, Ruling, StaffEntry
from scoring.seals.pdf.signed_files import read_signed_file
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.verification.pdf.file_checks import check_pdf
from scoring.verification.selectors.proofs import find_card_proof, find_ruling_proof
from tests.kit import client_as, entrant_of, event_url, fresh, get_page, page_text
from tests.scoring.helpers.archive import (
    DIRECTOR,
    FEE,
    a_tournament_in_play,
    another_installation,
    checks_of,
    export,
    facts_in,
    import_event,
    play_to_the_end,
    staff,
)
from tests.scoring.helpers.files import checked, download, slip
from tests.scoring.helpers.playing import post, the_card
from tests.scoring.helpers.rows import a_tournament_of, problems
from tournament.core.cached import load_changed_topic_versions
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Drawer, Event, Merge, Movement, Player
from tournament.models.topic import EVERYBODY_TOPIC
from tournament.money.selectors.ledger import load_event_accounts
from tournament.money.selectors.transfers_and_cards import find_entrants_by_reference, make_entry_reference
from tournament.money.services.drawers_and_close import close_drawer
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person, correct_player, undo_merge
from tournament.setup.selectors import load_completed_setup_steps

pytestmark = pytest.mark.django_db

OWN_PAGES: Final = ("tournament:event", "tournament:entrants", "pairing:bracket")
TYPED: Final = OfflineHand("typed", 1, 1_790_000_000, "up_suit=H&outcome=gin&by=A&counts_A=0&up_rank=5&counts_B=3", "")


@dataclass(frozen=True)
class Before:
    """The state before the import: the tournament's file and pages, and the links and prints that people have."""

    event: Event
    folder: Path
    file: Path
    checks: list[tuple[str, bool, str]]
    pages: list[str]
    links: dict[int, str]
    card_pdf: bytes
    slip_pdf: bytes
    proof: str
    steps: frozenset[str] | None
    receipts: list[str]
    payment_references: dict[int, str]


def pages_of(event: Event) -> list[str]:
    return [page_text(get_page(event_url(name, event))) for name in OWN_PAGES]


def receipts_of(event: Event) -> list[str]:
    return [row.receipt for row in Movement.objects.filter(tournament=event.tournament_id).order_by("number", "event")]


@pytest.fixture(scope="module")
def before(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Before]:
    folder = tmp_path_factory.mktemp("moves")
    event = a_tournament_in_play()
    card = the_card(event, "R1M4")
    return Before(
        event,
        folder,
        export(event, folder),
        checks_of(event),
        pages_of(event),
        dict(event.entrants.values_list("number", "token")),
        download(the_card(event, "R1M1")),
        slip(Ruling.objects.get()),
        compute_offline_hand_hmac(card, card.entrants[0], TYPED),
        load_completed_setup_steps(event),
        receipts_of(event),
        {entrant.number: make_entry_reference(entrant) for entrant in event.entrants.all()},
    )


# --- The ways of moving ----------------------------------------------------------------------------------------------

Way = Callable[[Before, ExitStack], Event]


def on_another_computer(before: Before, stack: ExitStack) -> Event:
    stack.enter_context(another_installation())
    return import_event(before.file)


def among_other_rows(before: Before, stack: ExitStack) -> Event:
    stack.enter_context(another_installation(with_keys_of=before.event))
    return import_event(before.file)


def among_other_rows_twice(before: Before, stack: ExitStack) -> Event:
    again = export(among_other_rows(before, stack), before.folder, "again.zip")
    moved = Event.objects.get(tournament__slug="desert-classic")
    stack.enter_context(another_installation("third", with_keys_of=moved))
    return import_event(again)


def beside_the_original(before: Before, stack: ExitStack) -> Event:
    return import_event(before.file, ImportMode.COPY)


def copy_of_a_copy(before: Before, stack: ExitStack) -> Event:
    copy = export(beside_the_original(before, stack), before.folder, "copy.zip")
    return import_event(copy, ImportMode.COPY)


def copy_on_another_computer(before: Before, stack: ExitStack) -> Event:
    copy = export(beside_the_original(before, stack), before.folder, "copy.zip")
    stack.enter_context(another_installation())
    return import_event(copy)


def in_place_after_more_acts(before: Before, stack: ExitStack) -> Event:
    post(the_card(before.event, "R1M4"))
    assert checks_of(fresh(before.event)) != before.checks
    return import_event(before.file, ImportMode.REPLACE)


ORIGINALS: Final = (on_another_computer, among_other_rows, among_other_rows_twice, in_place_after_more_acts)
COPIES: Final = (beside_the_original, copy_of_a_copy, copy_on_another_computer)


@pytest.fixture(scope="module")
def moved_once(request: pytest.FixtureRequest, before: Before, django_db_blocker: Any) -> Iterator[Event]:
    """Move the tournament once for all tests of the same way. Each test rolls back its own changes."""
    with django_db_blocker.unblock(), transaction.atomic(), ExitStack() as stack:
        yield request.param(before, stack)
        transaction.set_rollback(True)


@pytest.fixture
def moved(moved_once: Event) -> Event:
    return fresh(moved_once)


def moved_by(*ways: Way) -> Any:
    return pytest.mark.parametrize("moved_once", ways, ids=lambda way: way.__name__, indirect=True)


# --- What stays the same ---------------------------------------------------------------------------------------------


@moved_by(*ORIGINALS, *COPIES)
def test_every_check_says_the_same(before: Before, moved: Event) -> None:
    assert checks_of(moved) == before.checks
    assert all(good for _what, good, _found in before.checks)


@moved_by(*ORIGINALS)
def test_pages_and_papers_are_as_before(before: Before, moved: Event) -> None:
    assert pages_of(moved) == before.pages
    assert checked(before.card_pdf) == ("genuine", [])
    assert check_pdf(before.slip_pdf, load_trusted_public_keys(), find_card_proof).faults == ()
    [envelope] = read_signed_file(before.slip_pdf).rulings.values()
    assert find_ruling_proof(envelope["digest"]).authenticity == "genuine"
    assert checked(download(the_card(moved, "R1M1"))) == ("genuine", [])
    [evidence] = Evidence.objects.exclude(photo="")
    assert evidence.photo.read()


@moved_by(on_another_computer, in_place_after_more_acts)
def test_another_export_has_the_same_facts_byte_for_byte(before: Before, moved: Event) -> None:
    again = export(moved, before.folder, "again.zip")
    assert facts_in(again, "TournamentImport") == facts_in(before.file)


@moved_by(*COPIES)
def test_a_copy_has_other_links_and_an_address_of_its_own(before: Before, moved: Event) -> None:
    assert moved.tournament.is_copy and moved.tournament.slug != before.event.tournament.slug
    tokens = set(moved.entrants.values_list("token", flat=True))
    assert tokens.isdisjoint(before.links.values()) and len(tokens) == len(before.links)
    card = the_card(moved, "R1M4")
    assert compute_offline_hand_hmac(card, card.entrants[0], TYPED) != before.proof


@moved_by(*ORIGINALS)
def test_pages_that_are_open_are_fetched_again(before: Before, moved: Event) -> None:
    shown = before.event.version
    assert fresh(moved).version > shown
    assert load_changed_topic_versions({moved.pk: shown})[moved.pk][EVERYBODY_TOPIC] > shown


# --- Everything goes on ----------------------------------------------------------------------------------------------


@moved_by(*ORIGINALS)
def test_everything_goes_on_until_the_end(before: Before, moved: Event) -> None:
    director = staff(DIRECTOR, "Dora Director")
    assert all(Client().get(f"/my/{token}/").status_code == 200 for token in before.links.values())
    send_offline_hand(before, the_card(moved, "R1M4"))
    entry = StaffEntry.objects.get(card__match__event=moved)
    keeper = confirm_staff_entry(entry, by=director).card.entrants[0]
    assert Cut.objects.get(card=entry.card_id).keeper == keeper
    play_to_the_end(moved)
    finish_event(fresh(moved), by=director)
    assert fresh(moved).state == Event.State.FINISHED
    assert [check for check in checks_of(fresh(moved)) if not check[1]] == []
    assert export(moved, before.folder, "finished.zip").exists()


@moved_by(*ORIGINALS, *COPIES)
def test_receipts_have_the_numbers_that_were_printed(before: Before, moved: Event) -> None:
    assert receipts_of(moved) == before.receipts
    ledger = page_text(get_page(event_url("tournament:desk_ledger", moved), client_as("desk", moved)))
    assert [number for number in before.receipts if not number.startswith("T") and number not in ledger] == []


@moved_by(among_other_rows_twice)
def test_new_receipts_go_on_with_the_numbers_that_were_printed(before: Before, moved: Event) -> None:
    take_payment(entrant_of(moved, 1), 5_00, "cash", by=staff(DIRECTOR, "Dora Director"), key="more")
    new = Movement.objects.latest("pk").receipt
    assert new == f"{before.event.pk}-{Movement.objects.filter(event=moved).count():04}"
    assert [check for check in checks_of(moved) if not check[1]] == []


@moved_by(among_other_rows, among_other_rows_twice)
def test_a_transfer_with_a_reference_from_before_belongs_to_the_same_entry(before: Before, moved: Event) -> None:
    found = {
        number: find_entrants_by_reference(moved.tournament, text) for number, text in before.payment_references.items()
    }
    assert found == {entrant.number: [entrant] for entrant in moved.entrants.all()}


def copy_without_persons(before: Before, stack: ExitStack) -> Event:
    file = before.folder / "neutral.zip"
    export_tournament(before.event.tournament, file, without_persons=True)
    return import_event(file, ImportMode.COPY)


@moved_by(*COPIES, copy_without_persons)
def test_a_copy_can_confirm_a_paper_card_that_waited_for_a_second_official(before: Before, moved: Event) -> None:
    entry = StaffEntry.objects.get(card__match__event=moved)
    assert confirm_staff_entry(entry, by=SYSTEM_ACTOR).is_posted
    assert [check for check in checks_of(moved) if not check[1]] == []


def send_offline_hand(before: Before, card: Card) -> None:
    """Submit a hand that the scorekeeper's phone stored offline before the tournament was moved."""
    sent = {"key": TYPED.key, "hand": TYPED.hand, "typed_at": TYPED.typed_at, "fields": TYPED.fields}
    body = {**sent, "entrant": card.entrants[0].number, "proof": before.proof}
    answer = Client().post(f"/api/cards/{card.token}/kept", json.dumps(body), content_type="application/json")
    assert answer.status_code == 201, answer.content


@moved_by(among_other_rows, among_other_rows_twice, beside_the_original)
def test_keys_outside_of_foreign_keys_still_lead_to_the_same_rows(before: Before, moved: Event) -> None:
    tournament, director = moved.tournament, staff(DIRECTOR, "Dora Director")
    assert moved.pk > PRIMARY_KEY_STEP
    drawer = Drawer.objects.get(tournament=tournament)
    closed = close_drawer(drawer, {100_00: 5, 20_00: 4}, by=director, key="")
    assert closed.expected_cents == 100_00 + 8 * FEE
    assert load_completed_setup_steps(moved) == before.steps == frozenset()
    last = Merge.objects.filter(kept__members__entrant__event=moved).order_by("-pk")[0]
    undo_merge(tournament, last, by=director, reason="two people")
    names = ("Ada Lovelacce", "Ada Lovlace")
    one, other = (Player.objects.get(name=name, members__entrant__event=moved) for name in names)
    assert (one.merged_into, other.merged_into) == (None, one)
    assert [check for check in checks_of(fresh(moved)) if not check[1]] == []


@moved_by(among_other_rows)
def test_a_player_who_is_corrected_in_another_tournament_later_is_as_recorded(before: Before, moved: Event) -> None:
    other = a_tournament_of("tampa", "Kurt Cobain", "Emmy Hennings")
    ada = moved.entrants.get(number=1).members.get().player
    add_entry(other, EntryRequest((Person(ada.name, record=ada),)), by=SYSTEM_ACTOR)
    correct_player(other, ada, {"phone": "555-0100"}, by=SYSTEM_ACTOR)
    assert problems(moved) == problems(other) == []


def test_the_event_of_a_player_who_also_plays_elsewhere_is_replaced(before: Before) -> None:
    other = a_tournament_of("tampa", "Kurt Cobain", "Emmy Hennings")
    kurt = before.event.entrants.get(number=4).members.get().player
    add_entry(other, EntryRequest((Person(kurt.name, record=kurt),)), by=SYSTEM_ACTOR)
    correct_player(other, kurt, {"phone": "555-0100"}, by=SYSTEM_ACTOR)
    event = import_event(before.file, ImportMode.REPLACE)
    assert event.pk == before.event.pk
    assert event.entrants.get(number=4).members.get().player == kurt
    assert problems(event) == problems(other) == []


def test_an_event_that_was_called_off_is_brought_back_with_its_own_fees(before: Before, tmp_path: Path) -> None:
    event = fresh(before.event)
    call_off_event(event, by=SYSTEM_ACTOR, reason="no power")
    file = export(event, tmp_path)
    with another_installation(with_keys_of=event):
        moved = import_event(file)
        reinstate_event(moved, by=SYSTEM_ACTOR, reason="it is back")
        assert load_event_accounts(fresh(moved)).total.owed_cents == 8 * FEE
