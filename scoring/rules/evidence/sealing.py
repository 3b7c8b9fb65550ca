"""What the installation seals: a statement that a card was signed by all, and how anybody checks it.

A statement names the card, its version and digest, who signed how and when, when it was posted, and the digest of the
statement before it in the tournament: a chain. It is canonical JSON (RFC 8785); its SHA-256 is signed with Ed25519.
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

from tournament.said import joined, worded

FORMAT: Final = "gin-card-seal/1"
"""Named in every statement: a seal made under it is checked under it, no matter what comes later."""

FIRST: Final = "0" * 64
"""Stands for the statement before the first of a tournament."""

KEY_OF: Final = b"gin-card-seal/1 ed25519"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedSide:
    """One signature: for which side, by whom (entry number; None: nobody in person), how, when (ISO 8601), on what.

    `strokes` is the digest of what was drawn, empty where nothing was.
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
    """What is sealed. `number` counts in the tournament; `previous` is the digest of the statement before.

    `log_row` and `log_digest` are the end of the tournament's log before the write that posted the card: anyone who
    writes the log anew from its beginning, with a chain that is whole, does not have the key of the seals.
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
        said = asdict(self)
        said["signatures"] = [asdict(signature) for signature in self.signatures]
        return {"format": FORMAT, **said}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something is not as it was sealed: where (`content`, `seal`, `signature A`, `page 1` …), and a sentence."""

    place: str
    said: str


def canonical(value: Mapping[str, Any]) -> bytes:
    """RFC 8785."""
    return rfc8785.dumps(dict(value))


def digest_of(content: bytes | str) -> str:
    """SHA-256 as 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def digest_of_strokes(strokes: Sequence[Any]) -> str:
    """Of what was drawn, point by point; empty where nothing was."""
    return digest_of(rfc8785.dumps(list(strokes))) if strokes else ""


def fingerprint(signature: SignedSide, digest: str) -> str:
    """What the log keeps of a signature: a digest of all that is known of it, and of the content it covers."""
    return digest_of(canonical({**asdict(signature), "digest": digest}))


def key_from(secret: str) -> Ed25519PrivateKey:
    """The installation's key: the same from the same secret, wherever it is derived."""
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_OF).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def public_of(key: Ed25519PrivateKey) -> str:
    """The public half, raw, as 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def is_signed_by(public: str, content: bytes, signature: str) -> bool:
    """Whether this key (hexadecimal) made this signature (hexadecimal) over exactly these bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_statement(text: str) -> dict[str, Any] | None:
    """A sealed statement as it was written; None where it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


@dataclass(frozen=True, slots=True)
class Sealed:
    """A seal as it is kept: the statement's text, its digest, and the signature by a key."""

    statement: str
    digest: str
    signature: str
    public: str


def check_seal(seal: Sealed, *, digest: str, version: int) -> list[Fault]:
    """What is not right with a seal on that version with that digest; empty: it is genuine, if its key is.

    >>> key = key_from("a secret")
    >>> said = Statement(card="x", event="a/b", match="R1M1", game=1, version=1, digest="d", signatures=(),
    ...                  posted_at="2026-11-21T10:00:00+00:00", number=1)
    >>> text = canonical(said.as_json()).decode()
    >>> seal = Sealed(text, digest_of(text), key.sign(text.encode()).hex(), public_of(key))
    >>> check_seal(seal, digest="d", version=1)
    []
    >>> [fault.place for fault in check_seal(seal, digest="e", version=1)]
    ['seal']
    """
    said = read_statement(seal.statement)
    if said is None:
        return [Fault("seal", worded("The sealed statement cannot be read."))]
    faults = []
    if digest_of(seal.statement) != seal.digest:
        faults.append(Fault("seal", worded("The sealed statement was changed: its digest is another.")))
    if not is_signed_by(seal.public, seal.statement.encode(), seal.signature):
        faults.append(Fault("seal", worded("The seal's own signature does not belong to its statement.")))
    if said.get("digest") != digest:
        faults.append(Fault("seal", worded("The seal was made on another content of the card.")))
    if said.get("version") != version:
        faults.append(
            Fault("seal", worded("The seal was made on version %(what)s of the card.", what=said.get("version")))
        )
    return faults


def check_signatures(statement: Mapping[str, Any], shown: Sequence[SignedSide]) -> list[Fault]:
    """Signatures as they are kept, against those in the statement."""
    sealed = {one["side"]: one for one in statement.get("signatures", [])}
    faults = []
    for signature in shown:
        was = sealed.pop(signature.side, None)
        if was is None:
            late = worded("The signature of %(name)s is not in the seal: it was added later.", name=signature.name)
            faults.append(_of(signature.side, late))
            continue
        now = asdict(signature)
        wrong = [_WORDS[part] for part in now if now[part] != was.get(part)]
        if wrong:
            changed = worded(
                "The signature of %(name)s was changed: %(parts)s.", name=was.get("name"), parts=joined(", ", wrong)
            )
            faults.append(_of(signature.side, changed))
    return faults + [
        _of(side, worded("The signature of %(name)s is missing.", name=was.get("name"))) for side, was in sealed.items()
    ]


def _of(side: str, said: str) -> Fault:
    return Fault(f"signature {side}", said)


_WORDS: Final = {
    "side": worded("the side"),
    "name": worded("the name"),
    "number": worded("who signed"),
    "method": worded("how it was signed"),
    "at": worded("the time"),
    "device": worded("the device"),
    "witness": worded("the witness"),
    "strokes": worded("what was drawn"),
}
