"""Seals of the installation: each states that all sides signed a card, and anyone can check it.

A statement names the card with its version and digest, and who signed it, how and when. It also has the time of posting
and the digest of the tournament's previous statement, so that the statements form a chain. It is canonical JSON (RFC
8785), and its SHA-256 is signed with Ed25519.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tournament.lazy_text import join_texts, lazy_text

FORMAT: Final = "gin-card-seal/1"
"""The format named in every statement. A seal made under a format is always checked under that format."""

FIRST: Final = "0" * 64
"""The digest that takes the place of a previous statement in the first one of a tournament."""

KEY_OF: Final = b"gin-card-seal/1 ed25519"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedSide:
    """A signature on a card: its side, signer, method, time (ISO 8601) and device.

    `number` is the signer's entry number, or None if nobody signed in person. `strokes` is the digest of the drawn
    signature, or empty if nothing was drawn.
    """

    side: str
    name: str
    number: int | None
    method: str
    at: str
    device: str = ""
    witness: str = ""
    strokes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement that is sealed.

    `number` counts in the tournament, and `previous` is the digest of the previous statement.

    `log_row` and `log_digest` are the end of the tournament's log before the write that posted the card. They bind the
    log to the seals: someone who rewrites the whole log does not have the key of the seals.
    """

    card: str
    event: str
    match: str
    game: int
    version: int
    digest: str
    signatures: tuple[SignedSide, ...]
    posted_at: str
    number: int
    previous: str = FIRST
    log_row: int = 0
    log_digest: str = FIRST

    def as_json(self) -> dict[str, Any]:
        content = asdict(self)
        content["signatures"] = [asdict(signature) for signature in self.signatures]
        return {"format": FORMAT, **content}


@dataclass(frozen=True, slots=True)
class Fault:
    """A difference from what was sealed: its place (`content`, `seal`, `signature A`, `page 1` …), and a sentence."""

    place: str
    said: str


def canonical(value: Mapping[str, Any]) -> bytes:
    """Return the value in the canonical form of RFC 8785."""
    return rfc8785.dumps(dict(value))


def digest_of(content: bytes | str) -> str:
    """Return the SHA-256 as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def digest_of_strokes(strokes: Sequence[Any]) -> str:
    """Return the digest of a drawn signature, point by point, or an empty text if nothing was drawn."""
    return digest_of(rfc8785.dumps(list(strokes))) if strokes else ""


def fingerprint(signature: SignedSide, digest: str) -> str:
    """Return the digest that the log stores for a signature, over all its fields and the digest of the content."""
    return digest_of(canonical({**asdict(signature), "digest": digest}))


def key_from(secret: str) -> Ed25519PrivateKey:
    """Derive the installation's key from a secret. The same secret always gives the same key."""
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_OF).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def public_of(key: Ed25519PrivateKey) -> str:
    """Return the raw public key as 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def is_signed_by(public: str, content: bytes, signature: str) -> bool:
    """Return whether this key made this signature over exactly these bytes. Key and signature are in hexadecimal."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_statement(text: str) -> dict[str, Any] | None:
    """Return a sealed statement as it was written, or None if the text is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


@dataclass(frozen=True, slots=True)
class Sealed:
    """A stored seal: the text of its statement, the digest, and the signature by a key."""

    statement: str
    digest: str
    signature: str
    public: str


def check_seal(seal: Sealed, *, digest: str, version: int) -> list[Fault]:
    """Return the faults of a seal for the given version and digest. No fault means it is genuine, if its key is.

    >>> key = key_from("a secret")
    >>> posted = Statement(card="x", event="a/b", match="R1M1", game=1, version=1, digest="d", signatures=(),
    ...                    posted_at="2026-11-21T10:00:00+00:00", number=1)
    >>> text = canonical(posted.as_json()).decode()
    >>> seal = Sealed(text, digest_of(text), key.sign(text.encode()).hex(), public_of(key))
    >>> check_seal(seal, digest="d", version=1)
    []
    >>> [fault.place for fault in check_seal(seal, digest="e", version=1)]
    ['seal']
    """
    statement = read_statement(seal.statement)
    if statement is None:
        return [Fault("seal", lazy_text("The sealed statement cannot be read."))]
    faults = []
    if digest_of(seal.statement) != seal.digest:
        faults.append(Fault("seal", lazy_text("The sealed statement was changed: its digest is another.")))
    if not is_signed_by(seal.public, seal.statement.encode(), seal.signature):
        faults.append(Fault("seal", lazy_text("The seal's own signature does not belong to its statement.")))
    if statement.get("digest") != digest:
        faults.append(Fault("seal", lazy_text("The seal was made on another content of the card.")))
    if statement.get("version") != version:
        faults.append(
            Fault(
                "seal", lazy_text("The seal was made on version %(what)s of the card.", what=statement.get("version"))
            )
        )
    return faults


def check_signatures(statement: Mapping[str, Any], shown: Sequence[SignedSide]) -> list[Fault]:
    """Compare the signatures on record with those in the statement."""
    sealed = {one["side"]: one for one in statement.get("signatures", [])}
    faults = []
    for signature in shown:
        was = sealed.pop(signature.side, None)
        if was is None:
            late = lazy_text("The signature of %(name)s is not in the seal: it was added later.", name=signature.name)
            faults.append(_signature_fault(signature.side, late))
            continue
        now = asdict(signature)
        wrong = [_FIELD_WORDS[part] for part in now if now[part] != was.get(part)]
        if wrong:
            changed = lazy_text(
                "The signature of %(name)s was changed: %(parts)s.", name=was.get("name"), parts=join_texts(", ", wrong)
            )
            faults.append(_signature_fault(signature.side, changed))
    return faults + [
        _signature_fault(side, lazy_text("The signature of %(name)s is missing.", name=was.get("name")))
        for side, was in sealed.items()
    ]


def _signature_fault(side: str, message: str) -> Fault:
    return Fault(f"signature {side}", message)


_FIELD_WORDS: Final = {
    "side": lazy_text("the side"),
    "name": lazy_text("the name"),
    "number": lazy_text("who signed"),
    "method": lazy_text("how it was signed"),
    "at": lazy_text("the time"),
    "device": lazy_text("the device"),
    "witness": lazy_text("the witness"),
    "strokes": lazy_text("what was drawn"),
}
