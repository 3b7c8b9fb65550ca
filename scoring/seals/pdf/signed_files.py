"""A printed PDF that proves itself: the signed cards are attached as JSON, and the whole file is sealed.

The seal of the file is an attachment, too. It says what stands on each page and how each card stood when it was printed
(its stamp, and the cards that nobody signed). It has the SHA-256 of all bytes of the file (its own digest and signature
taken as zeros), signed by the installation's key: whatever is changed afterwards, shows. Later additions at the end, as
a document signature makes them, are no part of those bytes.
"""

import io
import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.errors import PyPdfError

from scoring.rules.evidence.envelopes import is_envelope
from scoring.rules.evidence.ruling_envelopes import is_ruling_envelope
from scoring.rules.evidence.sealing import canonical, digest_of
from scoring.seals.services.sealing import seal_bytes

FORMAT: Final = "gin-signed-file/1"
SEAL_NAME: Final = "signed-file.json"
NO_LENGTH: Final = "0" * 10
NO_DIGEST: Final = "0" * 64
NO_SIGNATURE: Final = "0" * 128


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
    def is_ours(self) -> bool:
        return bool(self.cards or self.rulings) or self.seal is not None


def sign_file(content: bytes, cards: Sequence[dict[str, Any]], printed: Sequence[dict[str, Any]] = ()) -> bytes:
    """The PDF with these cards or rulings attached and its seal; without any it stays as it is.

    `printed`: how each card stood when it was printed, those included that nobody signed.
    """
    if not cards and not printed:
        return content
    writer = PdfWriter(clone_from=io.BytesIO(content))
    for card in cards:
        text = json.dumps(card, ensure_ascii=False, indent=1, sort_keys=True)
        writer.add_attachment(name_of(card), text.encode())
    seal = {
        "format": FORMAT,
        "cards": [name_of(card) for card in cards],
        "pages": [{"text": page.extract_text(), "drawing": drawing_of(page)} for page in writer.pages],
        **({"printed": list(printed)} if printed else {}),
        "length": NO_LENGTH,
        "digest": NO_DIGEST,
        "signature": NO_SIGNATURE,
        "key": seal_bytes(b"")[1],
    }
    writer.add_attachment(SEAL_NAME, canonical(seal))
    target = io.BytesIO()
    writer.write(target)
    return _filled(target.getvalue())


def _filled(content: bytes) -> bytes:
    content = content.replace(_part("length", NO_LENGTH), _part("length", f"{len(content):010}"), 1)
    digest = digest_of(content)
    signature, _public = seal_bytes(signed_words(digest))
    content = content.replace(_part("digest", NO_DIGEST), _part("digest", digest), 1)
    return content.replace(_part("signature", NO_SIGNATURE), _part("signature", signature), 1)


def signed_words(digest: str) -> bytes:
    return f"{FORMAT} {digest}".encode()


def digest_of_file(content: bytes, seal: dict[str, Any]) -> str:
    """Of the bytes that its seal covers, as they were before it was filled in."""
    covered = content[: int(seal["length"])]
    covered = covered.replace(_part("signature", str(seal["signature"])), _part("signature", NO_SIGNATURE), 1)
    return digest_of(covered.replace(_part("digest", str(seal["digest"])), _part("digest", NO_DIGEST), 1))


def _part(name: str, value: str) -> bytes:
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
    """Raises Unreadable."""
    try:
        reader = PdfReader(io.BytesIO(content))
        attached = {name: data[0] for name, data in reader.attachments.items() if data}
        _ = [page.extract_text() for page in reader.pages]
        _ = [drawing_of(page) for page in reader.pages]
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
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
