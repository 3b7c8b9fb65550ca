from __future__ import annotations

import io
import re
from typing import Any

import pypdfium2
import pytest
from django.core import mail
from pypdf import PdfReader

from tests.factories import a_director, a_player, a_user, an_entrant, an_event
from tests.kit import client_as, event_url, refused
from tests.prebuilt import prebuilt
from tournament.core.permissions import make_staff_actor
from tournament.errors import NotAllowed
from tournament.messages.pdf import LinkSlip, write_link_slips
from tournament.messages.services import record_printed_slips, send_private_links
from tournament.models import AuditEntry, Entrant, Event
from tournament.tasks.mail import send_message

pytestmark = pytest.mark.django_db


@prebuilt
def a_field() -> Event:
    event = an_event()
    an_entrant(event, player=a_player("Ludwig van Beethoven", email="ludwig@example.org"), source="import")
    an_entrant(event, player=a_player("Åsa Östlund"), source="import")
    an_entrant(event, player=a_player("Ada Lovelace", email="ada@example.org"))
    an_entrant(event, "Kurt Gödel", state=Entrant.State.WITHDRAWN)
    return event


def page(event: Event, role: str, **sent: str) -> Any:
    client = client_as(role, event)
    url = event_url("tournament:desk_links", event)
    form = {"who": "all", "paper": "letter", "key": "k", **sent}
    return client.post(url, form) if sent else client.get(url)


def words(content: bytes) -> str:
    return " ".join(PdfReader(io.BytesIO(content)).pages[0].extract_text().split())


def test_slips_are_sorted_by_family_name_with_link_and_code() -> None:
    event = a_field()
    printed = page(event, "director", act="print")
    assert (printed["Content-Type"], printed["Cache-Control"]) == ("application/pdf", "private, no-store")
    text = words(printed.content)
    places = [text.index(name) for name in ("Ada Lovelace", "Åsa Östlund", "Ludwig van Beethoven")]
    assert places == sorted(places)
    assert "Kurt" not in text and text.count("Signing code: 123456") == 3
    for entrant in event.entrants.exclude(state="withdrawn"):
        assert f"/my/{entrant.token}/" in text.replace(" ", "")
    row = AuditEntry.objects.get(event=event, verb="links.printed")
    assert (row.data["numbers"], entrant.token in str(row.data)) == ([3, 2, 1], False)


@pytest.mark.parametrize(("who", "names"), [("imported", ["Östlund", "Beethoven"]), ("no-email", ["Östlund"])])
def test_slips_of_some(who: str, names: list[str]) -> None:
    text = words(page(a_field(), "director", act="print", who=who).content)
    assert re.findall("Lovelace|Östlund|Beethoven", text) == names


def test_links_are_sent_once_in_one_message(settings: Any) -> None:
    settings.MAIL_IS_SET = True
    event = a_field()
    by = a_director(event.tournament)
    for _turn in "12":
        message = send_private_links(event, "all", by=by, key="k", site="https://hall.example.org")
    send_message(message.pk, "https://hall.example.org")
    assert event.messages.count() == 1
    assert sorted(letter.to[0] for letter in mail.outbox) == ["ada@example.org", "ludwig@example.org"]
    ada = event.entrants.get(name="Ada Lovelace")
    assert f"https://hall.example.org/my/{ada.token}/" in next(x.body for x in mail.outbox if "ada" in x.to[0])
    assert list(message.copies.filter(channel="phone").values_list("entrant__name", flat=True)) == ["Åsa Östlund"]
    assert ada.token not in message.body


@pytest.mark.parametrize("role", ["desk", "coordinator", "hotel"])
def test_only_directors_open_the_page(role: str) -> None:
    event = a_field()
    assert page(event, role).status_code == 403
    assert page(event, role, act="print").status_code == 403
    by = make_staff_actor(a_user(role, event.tournament))
    with pytest.raises(NotAllowed):
        send_private_links(event, "all", by=by, key="", site="")
    with pytest.raises(NotAllowed):
        record_printed_slips(event, list(event.entrants.all()), by=by)


def test_without_mail_nothing_is_promised() -> None:
    event = a_field()
    shown = page(event, "director").content.decode()
    assert "Email is not set up here." in shown and 'value="send"' not in shown
    with refused("no-mail"):
        send_private_links(event, "all", by=a_director(event.tournament), key="", site="")
    assert page(event, "director", act="send").status_code == 422


@pytest.mark.parametrize("paper", ["letter", "a4"])
def test_every_slip_stays_on_its_own_piece_of_paper(paper: str) -> None:
    target = io.BytesIO()
    link = "https://gin-rummy.example.org:8443/my/" + "W" * 32 + "/"
    slips = [LinkSlip("W" * 60 if turn % 2 else "Ann Lee", turn, link, "123456") for turn in range(1, 24)]
    assert write_link_slips(target, "A long name of an event, Palm Desert Classic " * 2, slips, paper=paper) == 3
    for sheet in pypdfium2.PdfDocument(target.getvalue()):
        text, middle = sheet.get_textpage(), sheet.get_width() / 2
        boxes = [text.get_rect(turn) for turn in range(text.count_rects())]
        assert boxes and all(right <= middle or left >= middle for left, _low, right, _high in boxes)
        assert all(left >= 24 and right <= sheet.get_width() - 24 for left, _low, right, _high in boxes)
