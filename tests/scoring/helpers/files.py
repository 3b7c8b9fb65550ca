"""Helpers that change sealed PDF files on purpose, and check them."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID
from django.test import Client
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject

from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.state import make_card_state
from scoring.disputes.selectors.register import load_ruling_slip
from scoring.models import Ruling
from scoring.posting.selectors.card_status import load_card_statuses
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.ruling_slips import write_sealed_ruling_slips
from scoring.prints.pdf.signed_cards import CardToPrint, write_signed_cards
from scoring.seals.pdf.signed_files import SEAL_ATTACHMENT_NAME
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.seals.selectors.versions import load_versions_by_digest
from scoring.verification.pdf.file_checks import check_pdf
from scoring.verification.selectors.proofs import find_card_proof
from tests.kit import event_url
from tournament.models import Event

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def a_certificate(days: int = 90, now: datetime = NOW) -> tuple[bytes, bytes]:
    """Return a new certificate with its key as a PKCS#12 file with the password “gin”, and as PEM without the key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Desert Classic")])
    usage = x509.KeyUsage(True, True, False, False, False, True, False, False, False)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .sign(key, SHA256())
    )
    p12 = serialize_key_and_certificates(b"gin", key, made, None, BestAvailableEncryption(b"gin"))
    return p12, made.public_bytes(Encoding.PEM)


def download(card: Any, **query: Any) -> bytes:
    event = card.match.event
    url = event_url("scoring:card_pdf", event, token=card.token)
    answer = Client(headers={"host": "hall.test"}).get(url, query)
    assert answer.status_code == 200
    return bytes(answer.content)


def checked(content: bytes) -> tuple[str, list[str]]:
    """Check a PDF file against the database, and return its authenticity and a list of its faults."""
    verdict = check_pdf(content, load_trusted_public_keys(), find_card_proof)
    faults = [*verdict.faults, *(fault for card in verdict.cards for fault in card.faults)]
    return verdict.authenticity, [f"{fault.place}: {fault.message}" for fault in faults]


def with_attachment(content: bytes, name: str, change: Any) -> bytes:
    """Return the same PDF with one attachment rewritten, or removed if `change` returns None."""
    reader = PdfReader(io.BytesIO(content))
    kept = {each: data[0] for each, data in reader.attachments.items()}
    writer = PdfWriter()
    for page in reader.pages:
        writer.add_page(page)
    for each, data in kept.items():
        value = change(json.loads(data)) if each == name else json.loads(data)
        if value is not None:
            compact = {"separators": (",", ":"), "sort_keys": True} if each == SEAL_ATTACHMENT_NAME else {}
            writer.add_attachment(each, json.dumps(value, ensure_ascii=False, **compact).encode())
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def with_copies(content: bytes, copies: int) -> bytes:
    """Return the same PDF with this number of additional copies of its first attachment."""
    writer = PdfWriter(clone_from=io.BytesIO(content))
    data = next(
        data[0] for name, data in PdfReader(io.BytesIO(content)).attachments.items() if name != SEAL_ATTACHMENT_NAME
    )
    for number in range(copies):
        writer.add_attachment(f"copy-{number}.json", data)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def without_attachments(content: bytes) -> bytes:
    """Return the PDF's pages without attachments, as they were before the file was sealed."""
    writer = PdfWriter()
    for page in PdfReader(io.BytesIO(content)).pages:
        writer.add_page(page)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def with_drawing(content: bytes, change: Any) -> bytes:
    """Return the PDF after `change` was applied to the content stream of its first page."""
    writer = PdfWriter(clone_from=io.BytesIO(content))
    drawn = StreamObject()
    drawn.set_data(change(writer.pages[0].get_contents().get_data()))
    writer.pages[0][NameObject("/Contents")] = writer._add_object(drawn)
    target = io.BytesIO()
    writer.write(target)
    return target.getvalue()


def print_cards(event: Event, **order: Any) -> bytes:
    """Return a PDF with every card of the event that has an entry, including cards that nobody signed.

    Earlier versions of the program printed such files.
    """
    cards = select_cards_with_facts().filter(match__event=event).order_by("match__round", "match__position", "game")
    states = [state for state in map(make_card_state, cards) if state.lines or state.score.is_closed]
    versions = load_versions_by_digest([state.card.pk for state in states])
    statuses = load_card_statuses(event, {state.card.match_id for state in states})
    printed = [
        CardToPrint(state, versions.get((state.card.pk, state.digest)), status=statuses.get(state.card.pk))
        for state in states
    ]
    return write_signed_cards(PrintRequest(event, **order), printed, lambda done, total: None)


def slip(made: Ruling) -> bytes:
    one = load_ruling_slip(made.dispute.event, made.dispute_id)
    assert one is not None
    return write_sealed_ruling_slips(
        PrintRequest(made.dispute.event, site="http://hall.test"), [one], lambda done: None
    )
