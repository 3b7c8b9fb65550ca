"""A ruling to take along: the decision and its facts, its digest and the seal, in one JSON object.

The object is attached to the printed slip. The digest covers the whole ruling as it is recorded in the log.
"""

from collections.abc import Mapping
from typing import Any, Final

from scoring.rules.evidence.sealing import Fault, canonical, digest_of, is_signed_by
from tournament.said import worded

FORMAT: Final = "gin-signed-ruling/1"


def is_ruling_envelope(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == FORMAT


def ruling_words(digest: str) -> bytes:
    """Return the bytes that the installation's key signs for a ruling."""
    return f"{FORMAT} {digest}".encode()


def check_ruling_envelope(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[Fault]:
    """Return the differences between a ruling and its seal. `publics` are the trusted keys in hexadecimal digits."""
    try:
        content, digest, seal = envelope["content"], str(envelope["digest"]), envelope["seal"]
        faults = []
        if digest_of(canonical(content)) != digest:
            faults.append(Fault("content", worded("The attached ruling does not give the digest that was sealed.")))
        if content["number"] != envelope["number"]:
            faults.append(Fault("content", worded("The attached ruling has another number than its seal.")))
        if not is_signed_by(str(seal["key"]), ruling_words(digest), str(seal["signature"])):
            faults.append(Fault("seal", worded("The seal of the ruling does not belong to it.")))
        elif seal["key"] not in publics:
            faults.append(
                Fault("key", worded("The ruling was sealed by a key that is not the one of this installation."))
            )
    except (KeyError, TypeError, ValueError, AttributeError):
        return [Fault("attachment", worded("The attached ruling is not complete, or cannot be read."))]
    return faults
