"""Digital seals, and files that anyone can verify: signed cards, rulings, and the tournament's log.

A seal proves that all sides signed a card. It consists of a statement and a signature. The statement contains the
card's version and digest, its signatures, and the time of posting. It also contains the digest of the tournament's
previous statement, which links the statements into a chain. The statement is canonical JSON (RFC 8785), and is signed
with Ed25519.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import islice
from typing import Any, Final

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tournament.errors import DomainError
from tournament.lazy_text import join_texts, lazy_text

CARD_SEAL_FORMAT: Final = "gin-card-seal/1"
"""The format name in each statement. A seal is always checked under the format in which it was made."""

NO_PREVIOUS_DIGEST: Final = "0" * 64
"""The value of `previous` in a tournament's first statement, which has no predecessor."""

KEY_DERIVATION_INFO: Final = b"gin-card-seal/1 ed25519"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSignature:
    """A signature on a card, with its side, signer, method, time (ISO 8601) and device.

    `number` is the signer's entry number, or None if no entrant is known to have signed. `strokes` is the digest of the
    drawn signature, or empty if nothing was drawn.
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
class SealStatement:
    """The statement that is sealed when a card is posted.

    `number` is the statement's number in the tournament, and `previous` is the previous statement's digest.

    `log_row` and `log_digest` identify the last row of the tournament's log before the card was posted. Because of
    these fields, rewriting the log would also require forging the seals.
    """

    card: str
    event: str
    match: str
    game: int
    version: int
    digest: str
    signatures: tuple[CardSignature, ...]
    posted_at: str
    number: int
    previous: str = NO_PREVIOUS_DIGEST
    log_row: int = 0
    log_digest: str = NO_PREVIOUS_DIGEST

    def as_json(self) -> dict[str, Any]:
        content = asdict(self)
        content["signatures"] = [asdict(signature) for signature in self.signatures]
        return {"format": CARD_SEAL_FORMAT, **content}


@dataclass(frozen=True, slots=True)
class VerificationFault:
    """A difference from the sealed original: its location (`content`, `signature A`, `page 1` …) and a description."""

    place: str
    message: str


def encode_canonical_json(value: Mapping[str, Any]) -> bytes:
    return rfc8785.dumps(dict(value))


def sha256_hex(content: bytes | str) -> str:
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def compute_strokes_digest(strokes: Sequence[Any]) -> str:
    """Return the digest of a drawn signature, or an empty string if nothing was drawn."""
    return sha256_hex(rfc8785.dumps(list(strokes))) if strokes else ""


def compute_signature_digest(signature: CardSignature, digest: str) -> str:
    """Return the digest of a signature for the log.

    It covers all fields of the signature and the digest of the signed content.
    """
    return sha256_hex(encode_canonical_json({**asdict(signature), "digest": digest}))


def derive_seal_key(secret: str) -> Ed25519PrivateKey:
    seed = HKDF(algorithm=SHA256(), length=32, salt=None, info=KEY_DERIVATION_INFO).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def encode_public_key(key: Ed25519PrivateKey) -> str:
    return key.public_key().public_bytes_raw().hex()


def is_signed_by(public: str, content: bytes, signature: str) -> bool:
    """Return whether exactly these bytes were signed with this key. Key and signature are hexadecimal."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


def parse_seal_statement(text: str) -> dict[str, Any] | None:
    """Parse a seal's statement. Return None if the text is not a valid statement."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("format") == CARD_SEAL_FORMAT else None


@dataclass(frozen=True, slots=True)
class StoredSeal:
    statement: str
    digest: str
    signature: str
    public: str


def check_seal(seal: StoredSeal, *, digest: str, version: int) -> list[VerificationFault]:
    """Return the faults of a seal, given a card's digest and version.

    A seal without faults is genuine only if its key is trusted.

    >>> key = derive_seal_key("a secret")
    >>> posted = SealStatement(card="x", event="a/b", match="R1M1", game=1, version=1, digest="d", signatures=(),
    ...                    posted_at="2026-11-21T10:00:00+00:00", number=1)
    >>> text = encode_canonical_json(posted.as_json()).decode()
    >>> seal = StoredSeal(text, sha256_hex(text), key.sign(text.encode()).hex(), encode_public_key(key))
    >>> check_seal(seal, digest="d", version=1)
    []
    >>> [fault.place for fault in check_seal(seal, digest="e", version=1)]
    ['seal']
    """
    statement = parse_seal_statement(seal.statement)
    if statement is None:
        return [VerificationFault("seal", lazy_text("The sealed statement cannot be read."))]
    faults = []
    if sha256_hex(seal.statement) != seal.digest:
        faults.append(VerificationFault("seal", lazy_text("The sealed statement was changed: its digest is another.")))
    if not is_signed_by(seal.public, seal.statement.encode(), seal.signature):
        faults.append(
            VerificationFault("seal", lazy_text("The seal's own signature does not belong to its statement."))
        )
    if statement.get("digest") != digest:
        faults.append(VerificationFault("seal", lazy_text("The seal was made on another content of the card.")))
    if statement.get("version") != version:
        faults.append(
            VerificationFault(
                "seal", lazy_text("The seal was made on version %(what)s of the card.", what=statement.get("version"))
            )
        )
    return faults


def check_signatures(statement: Mapping[str, Any], signatures: Sequence[CardSignature]) -> list[VerificationFault]:
    sealed = {each["side"]: each for each in statement.get("signatures", [])}
    faults = []
    for signature in signatures:
        was = sealed.pop(signature.side, None)
        if was is None:
            late = lazy_text("The signature of %(name)s is not in the seal: it was added later.", name=signature.name)
            faults.append(_make_signature_fault(signature.side, late))
            continue
        now = asdict(signature)
        wrong = [_FIELD_WORDS[part] for part in now if now[part] != was.get(part)]
        if wrong:
            changed = lazy_text(
                "The signature of %(name)s was changed: %(parts)s.", name=was.get("name"), parts=join_texts(", ", wrong)
            )
            faults.append(_make_signature_fault(signature.side, changed))
    return faults + [
        _make_signature_fault(side, lazy_text("The signature of %(name)s is missing.", name=was.get("name")))
        for side, was in sealed.items()
    ]


def _make_signature_fault(side: str, message: str) -> VerificationFault:
    return VerificationFault(f"signature {side}", message)


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


# --- Signed cards ----------------------------------------------------------------------------------------------------
# A signed card is one JSON object with its content, signatures and seal, attached to the printed card. Anyone with the
# public key of the installation can check it without the database.

CARD_ENVELOPE_FORMAT: Final = "gin-signed-card/1"

_SIGNATURE_FIELDS: Final = tuple(part.name for part in fields(CardSignature))


def is_card_envelope(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == CARD_ENVELOPE_FORMAT


def check_card_envelope(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[VerificationFault]:
    """Return the faults of a signed card in a file. `publics` contains the trusted public keys in hexadecimal."""
    try:
        return _compare_with_seal(envelope, publics)
    except (KeyError, TypeError, ValueError, AttributeError):
        return [VerificationFault("attachment", lazy_text("The attached card is not complete, or cannot be read."))]


def _compare_with_seal(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[VerificationFault]:
    faults = []
    digest, seal = str(envelope["digest"]), envelope["seal"]
    if sha256_hex(encode_canonical_json(envelope["content"])) != digest:
        faults.append(
            VerificationFault(
                "content", lazy_text("The attached content of the card does not give the digest that was signed.")
            )
        )
    statement = seal["statement"]
    sealed = StoredSeal(
        encode_canonical_json(statement).decode(), str(seal["digest"]), str(seal["signature"]), str(seal["key"])
    )
    faults += check_seal(sealed, digest=digest, version=envelope["version"])
    if sealed.public not in publics:
        faults.append(
            VerificationFault("key", lazy_text("The seal was made by a key that is not the one of this installation."))
        )
    signatures = []
    for signature in envelope["signatures"]:
        parts = {part: signature[part] for part in _SIGNATURE_FIELDS}
        signatures.append(CardSignature(**{**parts, "strokes": compute_strokes_digest(signature["drawn"])}))
    return [*faults, *check_signatures(statement, signatures)]


# --- Signed rulings --------------------------------------------------------------------------------------------------
# A ruling to take along has the decision and its facts, its digest and the seal, in one JSON object.

RULING_ENVELOPE_FORMAT: Final = "gin-signed-ruling/1"


def is_ruling_envelope(value: object) -> bool:
    return isinstance(value, dict) and value.get("format") == RULING_ENVELOPE_FORMAT


def encode_signable_ruling(digest: str) -> bytes:
    return f"{RULING_ENVELOPE_FORMAT} {digest}".encode()


def check_ruling_envelope(envelope: Mapping[str, Any], publics: frozenset[str]) -> list[VerificationFault]:
    """Return the faults of a ruling in a file. `publics` contains the trusted public keys in hexadecimal."""
    try:
        content, digest, seal = envelope["content"], str(envelope["digest"]), envelope["seal"]
        faults = []
        if sha256_hex(encode_canonical_json(content)) != digest:
            faults.append(
                VerificationFault("content", lazy_text("The attached ruling does not give the digest that was sealed."))
            )
        if content["number"] != envelope["number"]:
            faults.append(
                VerificationFault("content", lazy_text("The attached ruling has another number than its seal."))
            )
        if not is_signed_by(str(seal["key"]), encode_signable_ruling(digest), str(seal["signature"])):
            faults.append(VerificationFault("seal", lazy_text("The seal of the ruling does not belong to it.")))
        elif seal["key"] not in publics:
            faults.append(
                VerificationFault(
                    "key", lazy_text("The ruling was sealed by a key that is not the one of this installation.")
                )
            )
    except (KeyError, TypeError, ValueError, AttributeError):
        return [VerificationFault("attachment", lazy_text("The attached ruling is not complete, or cannot be read."))]
    return faults


# --- Log files -------------------------------------------------------------------------------------------------------
# The log of a tournament has one row per line (JSON Lines), and the installation's seal at its end.

LOG_FILE_FORMAT: Final = "gin-log/1"
MAX_LOG_ROWS: Final = 200_000
MAX_LOG_VALUES: Final = 2_000_000
"""The maximum number of JSON values and names in a log file. A long tournament has about a hundredth of this."""
MAX_REPORTED_ROWS: Final = 50
"""The maximum number of changed rows to report."""


@dataclass(frozen=True, slots=True)
class LogFile:
    """The content of a log file. A line that cannot be read becomes an empty row."""

    tournament: str
    rows: tuple[Mapping[str, Any], ...]
    end: Mapping[str, Any]


def is_log_file(content: bytes) -> bool:
    return content[:200].lstrip().startswith(b"{") and LOG_FILE_FORMAT.encode() in content[:200]


def encode_log_row(content: Mapping[str, Any], digest: str) -> bytes:
    return encode_canonical_json({**content, "digest": digest}) + b"\n"


def encode_log_start(tournament: str, program: str) -> bytes:
    """Return the first line of a log file. `program` is the version of the program, and the seal does not cover it."""
    return encode_canonical_json({"format": LOG_FILE_FORMAT, "program": program, "tournament": tournament}) + b"\n"


def encode_log_end(rows: int, head: str, key: str, signature: str) -> bytes:
    return encode_canonical_json({"rows": rows, "head": head, "key": key, "signature": signature}) + b"\n"


def encode_signable_log(tournament: str, head: str) -> bytes:
    return encode_canonical_json({"format": LOG_FILE_FORMAT, "tournament": tournament, "head": head})


def _read_log_file(content: bytes) -> LogFile:
    lines = [_parse_log_row(line) for line in content.splitlines() if line.strip()]
    first = lines[0] if lines else {}
    end = lines[-1] if lines and "signature" in lines[-1] else {}
    rows = lines[1:-1] if end else lines[1:]
    named = str(first.get("tournament", ""))
    return LogFile(named if named.isprintable() else "", tuple(rows), end)


def check_log_file(content: bytes, publics: frozenset[str]) -> tuple[LogFile, list[VerificationFault]]:
    """Return the content of a log file, and its faults.

    If there are no faults, exactly these rows were sealed with a trusted key.

    In the log of an event file, some rows contain only their position and their digest. This is not a fault here. If
    the database has such a row in full, `compare_log_rows` lists the missing fields as differences.

    Raises:
        DomainError: `not-a-log`, if the file is longer than any real log.
    """
    if content.count(b"\n") > MAX_LOG_ROWS or sum(map(content.count, (b",", b"[", b"{"))) > MAX_LOG_VALUES:
        raise DomainError(
            "not-a-log", lazy_text("This is longer than any log that is written here. Choose the file of the log.")
        )
    file = _read_log_file(content)
    return file, list(
        dict.fromkeys([*islice(_check_log_rows(file.rows), MAX_REPORTED_ROWS), *_check_log_end(file, publics)])
    )


def compare_log_rows(row: Mapping[str, Any], recorded: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields in which two rows differ."""
    return [words for name, words in _LOG_FIELD_WORDS.items() if row.get(name) != recorded.get(name)]


def _check_log_rows(rows: Sequence[Mapping[str, Any]]) -> Iterable[VerificationFault]:
    previous, seq = NO_PREVIOUS_DIGEST, 0
    for row in rows:
        seq += 1
        found = row.get("seq")
        if not isinstance(found, int):
            yield VerificationFault(
                lazy_text("log row %(seq)s", seq=seq), lazy_text("Row %(seq)s of the log cannot be read.", seq=seq)
            )
            previous = str(row.get("digest", previous))
            continue
        if found != seq:
            yield VerificationFault(
                lazy_text("log row %(seq)s", seq=seq),
                lazy_text("Row %(found)s of the log stands where row %(seq)s should.", found=found, seq=seq),
            )
        elif row.get("previous") != previous:
            yield VerificationFault(
                lazy_text("log row %(seq)s", seq=seq),
                lazy_text("Row %(seq)s of the log does not follow the one before.", seq=seq),
            )
        if row.keys() != _NAMES_OF_ROW_LEFT_OUT and _compute_log_row_digest(row) != row.get("digest"):
            yield VerificationFault(
                lazy_text("log row %(found)s", found=found),
                lazy_text("Row %(found)s of the log was changed: its digest is another.", found=found),
            )
        previous, seq = str(row.get("digest")), found


def _check_log_end(file: LogFile, publics: frozenset[str]) -> Iterable[VerificationFault]:
    if not file.end:
        yield VerificationFault("end", lazy_text("The seal at the end of the log is missing: something was cut off."))
        return
    last = str(file.rows[-1].get("digest")) if file.rows else NO_PREVIOUS_DIGEST
    head, key = str(file.end.get("head")), str(file.end.get("key"))
    if (file.end.get("rows"), head) != (len(file.rows), last):
        yield VerificationFault("end", lazy_text("The seal at the end of the log was made on other rows."))
    if not is_signed_by(key, encode_signable_log(file.tournament, head), str(file.end.get("signature"))):
        yield VerificationFault("end", lazy_text("The seal at the end of the log does not belong to it."))
    elif key not in publics:
        yield VerificationFault(
            "key", lazy_text("The log was sealed by a key that is not the one of this installation.")
        )


def _compute_log_row_digest(row: Mapping[str, Any]) -> str:
    try:
        return sha256_hex(encode_canonical_json({name: value for name, value in row.items() if name != "digest"}))
    except (ValueError, RecursionError):  # a number or a depth that JSON of RFC 8785 does not know
        return ""


def _parse_log_row(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


_NAMES_OF_ROW_LEFT_OUT: Final = frozenset({"seq", "previous", "digest"})
_LOG_FIELD_WORDS: Final = {
    "at": lazy_text("the time"),
    "by": "who",
    "user": lazy_text("the account"),
    "verb": lazy_text("what was done"),
    "about": lazy_text("what it is about"),
    "reason": lazy_text("the reason"),
    "data": lazy_text("what was recorded"),
    "row_digests": lazy_text("the digests of the rows that it touched"),
    "event": lazy_text("the event"),
    "previous": lazy_text("the row before"),
}
