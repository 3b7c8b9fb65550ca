"""A printed PDF that proves itself: the signed cards are attached as JSON, and the whole file is sealed.

The seal of the file is an attachment, too. It says what stands on each page and how each card stood when it was printed
(its stamp, and the cards that nobody signed). It has the SHA-256 of all bytes of the file (its own digest and signature
taken as zeros), signed by the installation's key: every later change shows. Later additions at the
end, as a document signature makes them, are no part of those bytes.
"""

import io
import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from scoring.rules.evidence.envelopes import is_envelope
from scoring.rules.evidence.ruling_envelopes import is_ruling_envelope
from scoring.rules.evidence.sealing import digest_of, is_signed_by

FORMAT: Final = "gin-signed-file/1"
SEAL_NAME: Final = "signed-file.json"
NO_LENGTH: Final = "0" * 10
NO_DIGEST: Final = "0" * 64
NO_SIGNATURE: Final = "0" * 128


SEAL: Final = re.compile(
    rb'"digest":"(?P<digest>[0-9a-f]{64})","format":"gin-signed-file/1","key":"(?P<key>[0-9a-f]{64})",'
    rb'"length":"(?P<length>[0-9]{10})"'
)
SIGNATURE: Final = re.compile(rb'"signature":"([0-9a-f]{128})"')
"""A seal as it stands in the bytes of a file: canonical, its names in their order, the signature last."""


class Unreadable(Exception):
    """It is no PDF, or is damaged so that no reader opens it."""


@dataclass(frozen=True, slots=True)
class SignedFile:
    """What is in a file: each attached card and ruling by its name, and the file's own seal, if it can be read."""

    content: bytes
    reader: PdfReader
    cards: dict[str, dict[str, Any]]
    seal: dict[str, Any] | None
    rulings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return len(self.reader.pages)


def signed_words(digest: str) -> bytes:
    return f"{FORMAT} {digest}".encode()


def digest_of_file(content: bytes, seal: dict[str, Any]) -> str:
    """Of the bytes that its seal covers, as they were before it was filled in."""
    covered = content[: int(seal["length"])]
    covered = covered.replace(part_of("signature", str(seal["signature"])), part_of("signature", NO_SIGNATURE), 1)
    return digest_of(covered.replace(part_of("digest", str(seal["digest"])), part_of("digest", NO_DIGEST), 1))


def is_sealed_by(content: bytes, publics: frozenset[str]) -> bool:
    """Whether these bytes begin with a file that one of these keys sealed: nothing is unpacked to tell."""
    found = SEAL.search(content)
    end = SIGNATURE.search(content, found.end()) if found else None
    if found is None or end is None or found["key"].decode() not in publics:
        return False
    seal = {name: value.decode() for name, value in (*found.groupdict().items(), ("signature", end[1]))}
    return has_own_signature(seal) and digest_of_file(content, seal) == seal["digest"]


def has_own_signature(seal: dict[str, Any]) -> bool:
    """Whether the key that the seal names made its signature on its digest."""
    return is_signed_by(str(seal["key"]), signed_words(str(seal["digest"])), str(seal["signature"]))


def part_of(name: str, value: str) -> bytes:
    return f'"{name}":"{value}"'.encode()


def name_of(card: dict[str, Any]) -> str:
    if is_ruling_envelope(card):
        return f"ruling-{card['number']}-{card['digest'][:12]}.json"
    content = card["content"]
    return f"card-{content['match']}-{content['game']}-{card['digest'][:12]}.json"


def drawing_of(page: PageObject) -> str:
    """A digest of everything that is drawn on a page: texts, lines, signatures, the code."""
    contents = page.get_contents()
    return digest_of(contents.get_data() if contents is not None else b"")


UNREADABLE: Final = (
    *(PyPdfError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, RuntimeError),
    *(OSError, zlib.error, struct.error),
)
"""What a file that somebody damaged on purpose makes of its reader."""


def read_file(content: bytes) -> SignedFile:
    """Its pages are not looked at. Raises Unreadable."""
    try:
        reader = PdfReader(io.BytesIO(content))
        attached = {name: data[0] for name, data in reader.attachments.items() if data}
    except UNREADABLE as error:
        raise Unreadable(str(error)) from error
    cards, rulings, seal = {}, {}, None
    for name, data in attached.items():
        value = _read_json(data)
        if is_envelope(value):
            cards[name] = value
        elif is_ruling_envelope(value):
            rulings[name] = value
        elif isinstance(value, dict) and value.get("format") == FORMAT:
            seal = value
    return SignedFile(content, reader, cards, seal, rulings)


def _read_json(data: bytes) -> Any:
    try:
        value = json.loads(data)
        json.dumps(value, ensure_ascii=False).encode()  # half a letter would stop the page that shows it
    except (ValueError, RecursionError):
        return None
    return value
