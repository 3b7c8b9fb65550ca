"""The voucher for the certificate of a document signature. This module does not use the database."""

from importlib.util import find_spec
from typing import Final

from scoring.rules.evidence.sealing import is_signed_by

VOUCHER: Final = "gin-document-certificate/1"


def can_sign_documents() -> bool:
    """Return whether requirements-pades.txt is installed."""
    return find_spec("pyhanko") is not None


def read_voucher(text: str, fingerprint: str, publics: frozenset[str]) -> bool:
    """Return whether one of these keys vouches for the certificate with this fingerprint (SHA-256, hexadecimal)."""
    name, _, rest = text.partition(" ")
    public, _, signature = rest.partition(" ")
    return name == VOUCHER and public in publics and is_signed_by(public, voucher_words(fingerprint), signature)


def voucher_words(fingerprint: str) -> bytes:
    return f"{VOUCHER} {fingerprint}".encode()
