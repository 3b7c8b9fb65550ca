"""A PDF with a document signature is valid in any PDF reader, and remains genuine in the program's own check."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pyhanko.keys import load_certs_from_pemder_data
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from pypdf import PdfWriter

from scoring.seals.pdf import signed_files, signing
from scoring.seals.selectors.keys import load_certificate, make_certificate_path
from scoring.seals.selectors.p12_files import UnreadableCertificate
from scoring.seals.services.sealing import set_certificate
from tests.factories import a_user
from tests.kit import client_as
from tests.scoring.helpers.files import NOW, a_certificate, checked, download
from tests.scoring.helpers.playing import an_event_in_play, post, the_card, the_director
from tournament.core.permissions import make_staff_actor
from tournament.errors import DomainError, NotAllowed
from tournament.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def card(settings: Any, tmp_path: Any) -> Any:
    settings.MEDIA_ROOT = tmp_path
    with time_machine.travel(NOW, tick=False):
        card = the_card(an_event_in_play())
        post(card)
        yield card


def url_of(card: Any) -> str:
    return reverse("scoring:desk_certificate", kwargs={"tournament": card.match.event.tournament.slug})


def test_from_the_page_to_a_document_that_others_can_check(card: Any) -> None:
    p12, pem = a_certificate()
    before = download(card)
    client, url = client_as("director", card.match.event), url_of(card)
    sent = {"file": SimpleUploadedFile("our.p12", p12), "password": "gin"}
    page = client.post(url, sent, follow=True).content.decode()
    assert "PDFs of score cards are now digitally signed by Desert Classic." in page
    content = download(card)
    assert content.startswith(before)
    assert checked(content) == ("genuine", [])
    signed = PdfFileReader(io.BytesIO(content)).embedded_signatures
    roots = list(load_certs_from_pemder_data(pem))
    status = validate_pdf_signature(signed[0], ValidationContext(trust_roots=roots, moment=NOW))
    assert (len(signed), status.bottom_line, status.valid, status.intact) == (1, True, True, True)
    assert signed[0].sig_object["/SubFilter"] == "/ETSI.CAdES.detached"
    client.post(url, {"remove": "1"})
    assert download(card) == before
    assert load_certificate(card.match.event.tournament) is None


def test_a_document_that_was_changed_and_signed_anew_by_another_is_altered(card: Any) -> None:
    tournament = card.match.event.tournament
    writer = PdfWriter(clone_from=io.BytesIO(download(card)))
    writer.add_blank_page(612, 792)
    target = io.BytesIO()
    writer.write(target)
    set_certificate(tournament, a_certificate()[0], "gin", by=the_director(card.match.event))
    certificate = load_certificate(tournament)
    assert certificate is not None
    content = signing.sign_pdf_with_certificate(target.getvalue(), certificate, reason="mine")
    standing, said = checked(content)
    assert standing == "altered"
    assert "pages: The file had 1 pages; now there are 2." in said


def test_it_is_kept_encrypted_for_the_program_alone_and_logged(card: Any) -> None:
    p12, _pem = a_certificate()
    tournament = card.match.event.tournament
    made = set_certificate(tournament, p12, "gin", by=the_director(card.match.event))
    with default_storage.open(make_certificate_path(tournament)) as kept:
        assert p12 not in kept.read()
    assert load_certificate(tournament) == made
    assert AuditEntry.objects.get(verb="certificate.set").data["fingerprint"] == made.fingerprint


def test_under_another_secret_it_is_said_to_be_unreadable(card: Any, settings: Any) -> None:
    tournament = card.match.event.tournament
    set_certificate(tournament, a_certificate()[0], "gin", by=the_director(card.match.event))
    client = client_as("director", card.match.event)
    default_storage.delete(make_certificate_path(tournament))
    default_storage.save(make_certificate_path(tournament), ContentFile(b"something else"))
    with pytest.raises(UnreadableCertificate):
        load_certificate(tournament)
    assert "can no longer be read" in client.get(url_of(card)).content.decode()
    assert checked(download(card)) == ("genuine", [])


@pytest.mark.parametrize(("content", "password"), [(None, "wrong"), (b"no certificate", "gin")])
def test_what_cannot_be_opened_is_refused_and_nothing_is_kept(card: Any, content: Any, password: str) -> None:
    sent = {"file": SimpleUploadedFile("our.p12", content or a_certificate()[0]), "password": password}
    answer = client_as("director", card.match.event).post(url_of(card), sent)
    assert answer.status_code == 422
    assert "does not open with this password" in answer.content.decode()
    assert load_certificate(card.match.event.tournament) is None


def test_an_expired_one_is_not_taken_and_one_that_expires_signs_no_more(card: Any) -> None:
    tournament, director = card.match.event.tournament, the_director(card.match.event)
    plain = download(card)
    set_certificate(tournament, a_certificate(days=1)[0], "gin", by=director)
    assert download(card) != plain
    with time_machine.travel(NOW + timedelta(days=2), tick=False):
        assert (
            "This certificate has expired."
            in client_as("director", card.match.event).get(url_of(card)).content.decode()
        )
        assert download(card) == plain
        with pytest.raises(DomainError, match="not today"):
            set_certificate(tournament, a_certificate(days=1)[0], "gin", by=director)


def test_only_the_director_sets_it(card: Any) -> None:
    tournament = card.match.event.tournament
    with pytest.raises(NotAllowed):
        set_certificate(tournament, a_certificate()[0], "gin", by=make_staff_actor(a_user("desk", tournament)))
    assert client_as("desk", card.match.event).get(url_of(card)).status_code == 403


def test_without_the_package_the_page_says_what_is_missing(card: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed_files, "find_spec", lambda name: None)
    set_certificate(card.match.event.tournament, a_certificate()[0], "gin", by=the_director(card.match.event))
    page = client_as("director", card.match.event).get(url_of(card)).content.decode()
    assert "gin-rummy-tournaments[pades]" in page
    assert checked(download(card)) == ("genuine", [])
    assert b"/ETSI" not in download(card)
