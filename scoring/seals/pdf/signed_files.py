"""Read sealed PDFs. Signed cards and the seal of the whole file are attached as JSON.

The seal describes each page's content, and each card's status when it was printed. The seal also contains the file's
SHA-256 digest, computed with zeros in place of the digest and its signature. The installation's key signs this digest.
Bytes appended later, such as a document signature, are not covered.
"""

import io
import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from scoring.rules.evidence.sealing import is_card_envelope, is_ruling_envelope, is_signed_by, sha256_hex

SIGNED_FILE_FORMAT: Final = "gin-signed-file/1"
SEAL_ATTACHMENT_NAME: Final = "signed-file.json"
LENGTH_PLACEHOLDER: Final = "0" * 10
DIGEST_PLACEHOLDER: Final = "0" * 64
SIGNATURE_PLACEHOLDER: Final = "0" * 128
CERTIFICATE_STATEMENT_FORMAT: Final = "gin-document-certificate/1"

SEAL_PATTERN: Final = re.compile(
    rb'"digest":"(?P<digest>[0-9a-f]{64})","format":"gin-signed-file/1","key":"(?P<key>[0-9a-f]{64})",'
    rb'"length":"(?P<length>[0-9]{10})"'
)
SIGNATURE_PATTERN: Final = re.compile(rb'"signature":"([0-9a-f]{128})"')
"""A pattern that finds the signature in a seal's bytes."""
PDF_READER_ERRORS: Final = (
    *(PyPdfError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RuntimeError),
    *(OSError, zlib.error, struct.error),
)
"""The exceptions that a damaged or malicious file can cause in the PDF reader."""


class UnreadablePdf(Exception):
    """Raised if a file is not a PDF or is too damaged to read."""


@dataclass(frozen=True, slots=True)
class SignedFile:
    """A PDF with its attached cards and rulings, keyed by attachment name.

    `seal` is None if the file has no readable seal.
    """

    content: bytes
    reader: PdfReader
    cards: dict[str, dict[str, Any]]
    seal: dict[str, Any] | None
    rulings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return len(self.reader.pages)


def encode_signable_file(digest: str) -> bytes:
    return f"{SIGNED_FILE_FORMAT} {digest}".encode()


def compute_file_digest(content: bytes, seal: dict[str, Any]) -> str:
    """Return the digest of the bytes that the seal covers, with zeros in place of the digest and the signature."""
    covered = content[: int(seal["length"])]
    covered = covered.replace(
        encode_json_field("signature", str(seal["signature"])), encode_json_field("signature", SIGNATURE_PLACEHOLDER), 1
    )
    return sha256_hex(
        covered.replace(
            encode_json_field("digest", str(seal["digest"])), encode_json_field("digest", DIGEST_PLACEHOLDER), 1
        )
    )


def is_sealed_by(content: bytes, publics: frozenset[str]) -> bool:
    """Return whether the file was sealed with one of these keys."""
    seal_match = SEAL_PATTERN.search(content)
    end = SIGNATURE_PATTERN.search(content, seal_match.end()) if seal_match else None
    if seal_match is None or end is None or seal_match["key"].decode() not in publics:
        return False
    seal = {name: value.decode() for name, value in (*seal_match.groupdict().items(), ("signature", end[1]))}
    return has_valid_signature(seal) and compute_file_digest(content, seal) == seal["digest"]


def has_valid_signature(seal: dict[str, Any]) -> bool:
    """Return whether the seal's signature matches its digest and its key."""
    return is_signed_by(str(seal["key"]), encode_signable_file(str(seal["digest"])), str(seal["signature"]))


def encode_json_field(name: str, value: str) -> bytes:
    return f'"{name}":"{value}"'.encode()


def make_attachment_name(card: dict[str, Any]) -> str:
    if is_ruling_envelope(card):
        return f"ruling-{card['number']}-{card['digest'][:12]}.json"
    content = card["content"]
    return f"card-{content['match']}-{content['game']}-{card['digest'][:12]}.json"


def compute_page_digest(page: PageObject) -> str:
    """Return a digest of everything drawn on a page."""
    contents = page.get_contents()
    return sha256_hex(contents.get_data() if contents is not None else b"")


def read_signed_file(content: bytes) -> SignedFile:
    """Read a file's attachments, but not its pages.

    Raises:
        UnreadablePdf: The file is not a PDF, or it is damaged.
    """
    try:
        reader = PdfReader(io.BytesIO(content))
        attached = {name: data[0] for name, data in reader.attachments.items() if data}
    except PDF_READER_ERRORS as error:
        raise UnreadablePdf(str(error)) from error
    cards, rulings, seal = {}, {}, None
    for name, data in attached.items():
        value = _read_json(data)
        if is_card_envelope(value):
            cards[name] = value
        elif is_ruling_envelope(value):
            rulings[name] = value
        elif isinstance(value, dict) and value.get("format") == SIGNED_FILE_FORMAT:
            seal = value
    return SignedFile(content, reader, cards, seal, rulings)


def _read_json(data: bytes) -> Any:
    try:
        value = json.loads(data)
        json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate would break the page that shows it
    except (ValueError, RecursionError):
        return None
    return value


# --- Document signatures ---------------------------------------------------------------------------------------------


def can_sign_documents() -> bool:
    """Return whether the packages of the extra “pades” are installed."""
    return find_spec("pyhanko") is not None


def is_certificate_confirmed(text: str, fingerprint: str, publics: frozenset[str]) -> bool:
    """Return whether one of these keys has confirmed the certificate with this fingerprint (SHA-256, hexadecimal).

    `text` contains the confirming key and its signature.
    """
    name, _, rest = text.partition(" ")
    public, _, signature = rest.partition(" ")
    return (
        name == CERTIFICATE_STATEMENT_FORMAT
        and public in publics
        and is_signed_by(public, encode_certificate_confirmation(fingerprint), signature)
    )


def encode_certificate_confirmation(fingerprint: str) -> bytes:
    return f"{CERTIFICATE_STATEMENT_FORMAT} {fingerprint}".encode()
