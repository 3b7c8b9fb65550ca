"""Attach signed cards to a printed PDF and seal the file. `signed_files` reads such files."""

import io
import json
from collections.abc import Sequence
from typing import Any

from pypdf import PdfWriter

from scoring.rules.evidence.sealing import canonical, digest_of
from scoring.seals.pdf.signed_files import (
    FORMAT,
    NO_DIGEST,
    NO_LENGTH,
    NO_SIGNATURE,
    SEAL_NAME,
    drawing_of,
    name_of,
    part_of,
    signed_words,
)
from scoring.seals.services.sealing import seal_bytes


def sign_file(content: bytes, cards: Sequence[dict[str, Any]], printed: Sequence[dict[str, Any]] = ()) -> bytes:
    """Return the PDF with these cards or rulings attached, and with its seal. Without any it stays as it is.

    `printed` has the state of each card when it was printed, including cards that nobody signed.
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
    content = content.replace(part_of("length", NO_LENGTH), part_of("length", f"{len(content):010}"), 1)
    digest = digest_of(content)
    signature, _public = seal_bytes(signed_words(digest))
    content = content.replace(part_of("digest", NO_DIGEST), part_of("digest", digest), 1)
    return content.replace(part_of("signature", NO_SIGNATURE), part_of("signature", signature), 1)
