"""A signed card to take along: its content, signatures and seal in one JSON object that proves itself.

The object is attached to the printed card. Anyone with the public key of the installation can check it without the
database.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from scoring.rules.evidence.sealing import (
    Fault,
    Sealed,
    SignedSide,
    canonical,
    check_seal,
    check_signatures,
    digest_of,
    digest_of_strokes,
)
from tournament.said import worded

FORMAT: Final = "gin-signed-card/1"

_PARTS: Final = tuple(part.name for part in fields(SignedSide))


def is_envelope(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == FORMAT


def check_envelope(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[Fault]:
    """Return the differences between an envelope and its seal. `publics` are the trusted keys in hexadecimal digits."""
    try:
        return _check(envelope, publics)
    except (KeyError, TypeError, ValueError, AttributeError):
        return [Fault("attachment", worded("The attached card is not complete, or cannot be read."))]


def _check(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[Fault]:
    faults = []
    digest, seal = str(envelope["digest"]), envelope["seal"]
    if digest_of(canonical(envelope["content"])) != digest:
        faults.append(
            Fault("content", worded("The attached content of the card does not give the digest that was signed."))
        )
    statement = seal["statement"]
    sealed = Sealed(canonical(statement).decode(), str(seal["digest"]), str(seal["signature"]), str(seal["key"]))
    faults += check_seal(sealed, digest=digest, version=envelope["version"])
    if sealed.public not in publics:
        faults.append(Fault("key", worded("The seal was made by a key that is not the one of this installation.")))
    shown = []
    for signature in envelope["signatures"]:
        said = {part: signature[part] for part in _PARTS}
        shown.append(SignedSide(**{**said, "strokes": digest_of_strokes(signature["drawn"])}))
    return [*faults, *check_signatures(statement, shown)]
