"""A copy of a tournament sends no messages, takes no card payments, and is marked wherever its name appears."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from pypdf import PdfReader

from config.environment import BASE_DIR
from scoring.today.services.ready_events import load_earlier_events
from tests.factories import a_director, a_player, a_tournament, a_user, an_entrant, an_event
from tests.kit import client_as, event_url, get_page, page_text, public_url, refused
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.pdf.paper import PAPER_SIZES, make_canvas
from tournament.core.permissions import make_player_actor
from tournament.core.selectors.copies import mark_files_of_copy
from tournament.messages.pdf import LinkSlip, write_link_slips
from tournament.messages.selectors import load_messages_needing_calls, load_undelivered_messages
from tournament.messages.services import (
    MessageDraft,
    record_unsent_link,
    resend_emails,
    send_message,
    send_private_links,
)
from tournament.models import Entrant, Event, Message, Tournament
from tournament.money.providers import list_offered_providers
from tournament.money.selectors.transfers_and_cards import load_card_events_without_entry
from tournament.money.services.transfers_and_cards import CardProviderMessage, record_card_event, start_card_payment
from tournament.registration.services.entries import send_private_link
from tournament.setup.services.tournaments import remove_tournament
from tournament.tasks import mail as tasks

pytestmark = pytest.mark.django_db
SITE = "https://hall.example.org"


@pytest.fixture(autouse=True)
def mail_and_cards(settings: Any) -> None:
    settings.MAIL_IS_SET, settings.CARD_PROVIDER, settings.CARD_WEBHOOK_SECRET = True, "console", "whsec"


def an_entry(*, is_copy: bool) -> Entrant:
    tournament = a_tournament(is_copy=is_copy, providers=["desk", "card"])
    ada = a_player("Ada Lovelace", email="ada@example.org", email_key="ada@example.org")
    return an_entrant(an_event(tournament), player=ada)


def a_message(event: Event) -> Message:
    letter = MessageDraft("Tables", "Look at the wall.", "in")
    return send_message(event, letter, by=a_director(event.tournament), key="", site=SITE)


SENDERS: dict[str, Callable[[Entrant], object]] = {
    "a confirmation": lambda ada: tasks.send_confirmation(ada.pk, SITE),
    "a lost link": lambda ada: tasks.send_links(ada.event_id, "ada@example.org", SITE),
    "a message": lambda ada: tasks.send_message(a_message(ada.event).pk, SITE),
}


# --- Nothing is sent -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_copy", [False, True])
@pytest.mark.parametrize("sender", SENDERS)
def test_only_an_original_sends(sender: str, is_copy: bool) -> None:
    SENDERS[sender](an_entry(is_copy=is_copy))
    assert [letter.to for letter in mail.outbox] == ([] if is_copy else [["ada@example.org"]])


@pytest.mark.parametrize("is_copy", [False, True])
def test_a_copy_asks_the_worker_for_no_emails(
    is_copy: bool, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("tournament.core.dispatch.send_task", lambda name, **about: asked.append(name) or True)
    entrant = an_entry(is_copy=is_copy)
    with django_capture_on_commit_callbacks(execute=True):
        send_private_link(entrant, SITE)
        a_message(entrant.event)
    assert asked == ([] if is_copy else ["tournament.send_confirmation", "tournament.send_message"])


def test_emails_are_sent_in_one_place_only() -> None:
    """All emails must be sent by `tournament/tasks/mail.py`, which sends none for copies of tournaments."""
    found = {}
    for app in ("tournament", "pairing", "scoring"):
        for path in sorted((BASE_DIR / app).rglob("*.py")):
            text = path.read_text()
            for word in ("EmailMessage(", " send_mail(", "MAIL_IS_SET"):
                if word in text:
                    found[str(path.relative_to(BASE_DIR)), word] = text.count(word)
    assert found == {
        ("tournament/tasks/mail.py", "EmailMessage("): 1,
        ("tournament/core/selectors/copies.py", "MAIL_IS_SET"): 1,
    }


def test_a_message_of_a_copy_is_recorded_and_says_that_it_was_not_sent() -> None:
    event = an_entry(is_copy=True).event
    message, director = a_message(event), client_as("director", event)
    text = page_text(director.get(event_url("tournament:desk_message", event, pk=message.pk)))
    assert "Not sent, because this is a copy." in text
    assert "To call" not in text and "Try the emails again" not in text
    assert "nothing is sent and nobody is called" in page_text(
        director.get(event_url("tournament:desk_messages", event))
    )


@pytest.mark.parametrize(("is_copy", "verb"), [(False, "Send"), (True, "Record")])
def test_the_key_under_a_message_says_what_happens(is_copy: bool, verb: str) -> None:
    event = an_entry(is_copy=is_copy).event
    director, address = client_as("director", event), event_url("tournament:desk_messages", event)
    assert f"{verb} message" in page_text(director.get(address))
    form = {"subject": "Tables", "body": "Look at the wall.", "audience": "in", "key": "k"}
    text = page_text(director.post(address, form))
    assert f"{verb} “Tables”?" in text and ("so nothing is sent" in text) is is_copy
    assert f"{'Recorded. Nothing was' if is_copy else 'Sent. The message'}" in page_text(
        director.post(address, {**form, "sure": "1"}, follow=True)
    )


@pytest.mark.parametrize("is_copy", [False, True])
def test_from_a_copy_nobody_is_called(settings: Any, is_copy: bool) -> None:
    settings.MAIL_IS_SET = False
    entrant = an_entry(is_copy=is_copy)
    message = a_message(entrant.event)
    record_unsent_link(entrant, error="refused")
    calls = load_messages_needing_calls(entrant.event, message.at)
    assert bool(calls) is bool(load_undelivered_messages(entrant.event)) is not is_copy


def test_what_waits_in_a_copy_cannot_be_sent_by_hand() -> None:
    event = an_entry(is_copy=True).event
    by = a_director(event.tournament)
    with refused("copy"):
        resend_emails(a_message(event), by=by)
    with refused("copy"):
        send_private_links(event, "all", by=by, key="", site=SITE)


@pytest.mark.parametrize("is_copy", [False, True])
def test_a_copy_takes_no_card_payments(is_copy: bool) -> None:
    entrant = an_entry(is_copy=is_copy)
    assert [each.name for each in list_offered_providers(entrant.event.tournament)] == ["desk", "card"][: 2 - is_copy]
    if is_copy:
        with refused("not-offered"):
            start_card_payment(entrant, by=make_player_actor(entrant), key="")


def test_messages_of_the_card_provider_are_not_matched_to_a_copy() -> None:
    record_card_event(CardProviderMessage("evt_1", "payment.succeeded", "pay_of_nobody", 300_00, "USD", "", {}))
    found = [load_card_events_without_entry(an_entry(is_copy=each).event.tournament).count() for each in (False, True)]
    assert found == [1, 0]


# --- The mark --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_copy", [False, True])
def test_every_kind_of_page_has_the_mark(is_copy: bool) -> None:
    ada = an_entry(is_copy=is_copy)
    event, mark = ada.event, '<span class="demo-mark is-copy">COPY</span>'
    desk = client_as("director", event)
    for client, address in (
        (Client(), f"/t/{event.tournament.slug}/"),
        (Client(), public_url(event)),
        (Client(), public_url(event, "wall/")),
        (Client(), f"/my/{ada.token}/"),
        (desk, f"/desk/{event.tournament.slug}/"),
        (desk, event_url("scoring:desk_today", event)),
        (desk, "/desk/"),
        (desk, "/"),
    ):
        assert (mark in get_page(address, client)) is is_copy, address


def written(tournament: Tournament, rows: int = 60) -> list[tuple[str, str]]:
    """Print a list with this many rows, and a blank slip. Return the PDF title and the text of each page."""
    target = io.BytesIO()
    with mark_files_of_copy(tournament):
        lines = [(str(number),) for number in range(rows)]
        write_printed_list(target, PrintedList("Fees", "Singles", (ListColumn("Number", 1),), lines))
        canvas = make_canvas(slip := io.BytesIO(), PAPER_SIZES["a4"], "Slip")
        canvas.showPage()
        canvas.save()
    readers = [PdfReader(target), PdfReader(slip)]
    return [(str(reader.metadata.title), page.extract_text()) for reader in readers for page in reader.pages]  # type: ignore[union-attr]


@pytest.mark.parametrize("is_copy", [False, True])
def test_every_page_of_paper_has_the_mark(is_copy: bool) -> None:
    pages = written(a_tournament(is_copy=is_copy))
    assert len(pages) == 3
    for title, text in pages:
        assert title.startswith("COPY: ") is ("COPY – not the original tournament" in text) is is_copy


def test_the_mark_has_its_place_on_a_page_that_was_drawn_with_another_scale() -> None:
    places: list[tuple[str, float, float]] = []

    def note(text: str, cm: Any, tm: Any, _font: Any, _size: float) -> None:
        places.append((text.strip(), round(tm[5] * cm[3] + cm[5]), round(tm[3] * cm[3], 2)))

    with mark_files_of_copy(a_tournament(is_copy=True)):
        canvas = make_canvas(poster := io.BytesIO(), PAPER_SIZES["letter"], "Poster")
        canvas.translate(50, 100)
        canvas.scale(2, 2)
        canvas.showPage()
        canvas.save()
    PdfReader(poster).pages[0].extract_text(visitor_text=note)
    assert ("COPY – not the original tournament", 768, 1) in places


@pytest.mark.parametrize("is_copy", [False, True])
def test_each_slip_that_is_cut_off_has_the_mark(is_copy: bool) -> None:
    slips = [LinkSlip(f"Player {number}", number, f"{SITE}/my/{number}/", "123456") for number in range(12)]
    with mark_files_of_copy(a_tournament(is_copy=is_copy)):
        write_link_slips(target := io.BytesIO(), "Desert Classic", slips)
    text = "".join(page.extract_text() for page in PdfReader(target).pages)
    assert (text.count("COPY · Desert Classic"), text.count("COPY")) == ((12, 12) if is_copy else (0, 0))


def test_the_mark_is_not_printed_on_the_next_paper() -> None:
    written(a_tournament(is_copy=True))
    assert not any("COPY" in text for _title, text in written(a_tournament()))


@pytest.mark.parametrize("is_copy", [False, True])
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_lists_as_files_have_the_mark_in_their_name(kind: str, is_copy: bool) -> None:
    event = an_entry(is_copy=is_copy).event
    answer = client_as("director", event).get(event_url("tournament:desk_entrants", event), {"_export": kind})
    assert ('filename="copy-' in answer["Content-Disposition"]) is is_copy
    if kind == "xlsx":
        book = zipfile.ZipFile(io.BytesIO(answer.content)).read("xl/workbook.xml").decode()
        assert re.findall(r'<sheet [^>]*name="(\w+)"', book) == ["COPY" if is_copy else "Sheet"]


# --- Lists, and removing it ------------------------------------------------------------------------------------------


def test_the_public_does_not_see_copies_in_the_list_but_their_staff_do() -> None:
    copy = a_tournament(name="Desert Copy", is_copy=True)
    for client, sees in (
        (Client(), False),
        (client_as("director", a_tournament(name="Elsewhere")), False),
        (client_as("desk", copy), True),
    ):
        text = page_text(client.get("/"))
        assert ("Desert Copy" in text) is sees
    admin = Client()
    admin.force_login(a_user(is_superuser=True))
    assert "Desert Copy" in page_text(admin.get("/"))


def test_settings_are_taken_from_originals_only() -> None:
    copy, original = an_event(a_tournament(is_copy=True)), an_event()
    user = a_user("director", copy.tournament)
    user.roles.create(tournament=original.tournament, role="director")
    assert load_earlier_events(user) == [original]


def test_a_director_removes_a_copy() -> None:
    ada = an_entry(is_copy=True)
    address = f"/desk/{ada.event.tournament.slug}/remove-copy/"
    assert client_as("desk", ada.event).post(address).status_code == 403
    director = client_as("director", ada.event)
    assert "Remove this copy" in page_text(director.get(f"/desk/{ada.event.tournament.slug}/"))
    assert "The original stays as it is." in page_text(director.get(address))
    assert "The copy is removed." in page_text(director.post(address, follow=True))
    assert not Tournament.objects.exists() and not Entrant.objects.exists()


def test_an_original_cannot_be_removed_as_a_copy() -> None:
    event = an_entry(is_copy=False).event
    assert client_as("director", event).post(f"/desk/{event.tournament.slug}/remove-copy/").status_code == 404
    with refused("not-removable"):
        remove_tournament(event.tournament, by=a_director(event.tournament))
