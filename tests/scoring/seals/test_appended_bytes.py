"""A PDF with added bytes is reported as changed, unless this installation added its own document signature."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pypdf import PdfWriter
from pypdf.generic import NameObject, TextStringObject

from scoring.seals.pdf import signing
from scoring.seals.selectors.keys import get_installation_public_key, load_trusted_public_keys
from scoring.seals.selectors.p12_files import read_certificate
from scoring.seals.services.sealing import set_certificate
from scoring.verification.pdf import sealed_files
from scoring.verification.pdf.sealed_files import read_sealed_file
from tests.scoring.helpers.files import NOW, a_certificate, checked, download
from tests.scoring.helpers.playing import an_event_in_play, post, the_card, the_director

pytestmark = pytest.mark.django_db


@pytest.fixture
def card(settings: Any, tmp_path: Any) -> Any:
    settings.MEDIA_ROOT = tmp_path
    with time_machine.travel(NOW, tick=False):
        card = the_card(an_event_in_play())
        post(card)
        yield card


def updated(content: bytes) -> bytes:
    """Return the PDF with a changed title, appended as an incremental update, as any PDF program does it."""
    writer = PdfWriter(io.BytesIO(content), incremental=True)
    writer.metadata = {NameObject("/Title"): TextStringObject("Champion")}
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


CHANGES: Any = {
    "a line at the end": lambda content: content + b"\n",
    "words at the end": lambda content: content + b"% won by Alan\n",
    "a second end of file": lambda content: content + b"\n%%EOF\n",
    "an incremental update": updated,
    "bytes before the header": lambda content: b"% won by Alan\n" + content,
    "the last byte cut off": lambda content: content[:-1],
    "a signature that is none": lambda content: content + b"\n/ByteRange [0 1 2 3] /Type /Sig\n%%EOF\n",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_with_other_bytes_is_altered(card: Any, change: str, tmp_path: Path) -> None:
    content = CHANGES[change](download(card))
    standing, said = checked(content)
    assert standing == "altered" and said
    sent = {"file": SimpleUploadedFile("card.pdf", content, content_type="application/pdf")}
    page = Client().post(reverse("scoring:verify_any"), sent).content.decode()
    assert "Altered" in page and "as it was made here" not in page
    path = tmp_path / "card.pdf"
    path.write_bytes(content)
    for keys in ([], ["--key", get_installation_public_key()]):
        with pytest.raises(SystemExit) as left:
            call_command("verify_card", str(path), *keys, stdout=io.StringIO())
        assert left.value.code == 2


def test_how_many_bytes_were_added_is_said(card: Any) -> None:
    _, said = checked(download(card) + b"x" * 12)
    assert said == ["end of the file: 12 bytes were added after the end of the sealed file."]


def test_our_own_document_signature_is_taken_and_nothing_behind_it(card: Any) -> None:
    set_certificate(card.match.event.tournament, a_certificate()[0], "gin", by=the_director(card.match.event))
    content = download(card)
    assert checked(content) == ("genuine", [])
    for more in (b"\n", b"\n%%EOF\n"):
        standing, said = checked(content + more)
        assert standing == "altered" and any(each.startswith("end of the file") for each in said)
    standing, said = checked(updated(content))
    assert standing == "altered" and any(each.startswith("end of the file") for each in said)


def test_a_document_signature_of_somebody_else_is_none_of_ours(card: Any) -> None:
    stranger = read_certificate(a_certificate()[0], "gin")
    plain = download(card)
    for vouched in ("", "gin-document-certificate 00 00"):
        content = signing.sign_pdf_with_certificate(plain, stranger, reason="mine", vouched=vouched)
        standing, said = checked(content)
        assert standing == "altered"
        assert said == ["end of the file: A document signature was added that this installation did not make."]


def test_where_it_cannot_be_checked_it_is_not_taken(card: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    set_certificate(card.match.event.tournament, a_certificate()[0], "gin", by=the_director(card.match.event))
    content = download(card)
    monkeypatch.setattr(sealed_files, "can_sign_documents", lambda: False)
    (fault,) = read_sealed_file(content, load_trusted_public_keys()).faults
    assert "“pades”" in fault.message
