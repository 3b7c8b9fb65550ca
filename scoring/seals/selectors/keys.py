"""The installation's keys, and the certificate that signs a tournament's PDFs.

A key is trusted if its secret is in the settings, or if a later trusted key has confirmed it (`EarlierKey`).
"""

import base64
import json
from datetime import datetime
from functools import lru_cache
from typing import Final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.files.storage import default_storage

from scoring.models import EarlierKey
from scoring.rules.evidence.sealing import derive_seal_key, encode_canonical_json, encode_public_key, is_signed_by
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate, read_certificate
from tournament.core.selectors.log import format_time
from tournament.models import Tournament

EARLIER_KEY_FORMAT: Final = "gin-earlier-key/1"
CIPHER_DERIVATION_INFO: Final = b"certificates of documents"


def get_installation_key() -> Ed25519PrivateKey:
    """Return the installation's private key, which is derived from `SEAL_SECRET`."""
    return _make_key(str(settings.SEAL_SECRET))


def get_installation_public_key() -> str:
    return encode_public_key(get_installation_key())


def list_configured_public_keys() -> frozenset[str]:
    return frozenset(
        {
            get_installation_public_key(),
            *(encode_public_key(_make_key(secret)) for secret in settings.SEAL_SECRET_FALLBACKS),
        }
    )


def load_earlier_keys() -> dict[str, datetime]:
    """Return the earlier keys that a trusted key has confirmed, each with the time when its use ended."""
    trusted, earlier = set(list_configured_public_keys()), {}
    for row in EarlierKey.objects.order_by("-until", "-pk"):
        is_vouched_for = row.vouched_by in trusted and is_signed_by(
            row.vouched_by, encode_signable_key(row), row.signature
        )
        if is_vouched_for and row.public not in trusted:
            trusted.add(row.public)
            earlier[row.public] = row.until
    return earlier


def load_trusted_public_keys() -> frozenset[str]:
    return list_configured_public_keys() | load_earlier_keys().keys()


def is_trusted_key(public: str) -> bool:
    return public in list_configured_public_keys() or public in load_earlier_keys()


def encode_signable_key(key: EarlierKey) -> bytes:
    """Return the bytes that a later key signs to confirm an earlier key, as canonical JSON (RFC 8785)."""
    return encode_canonical_json({"format": EARLIER_KEY_FORMAT, "public": key.public, "until": format_time(key.until)})


@lru_cache(maxsize=8)
def _make_key(secret: str) -> Ed25519PrivateKey:
    return derive_seal_key(secret)


# --- The certificate of a tournament ---------------------------------------------------------------------------------


def make_certificate_path(tournament: Tournament) -> str:
    return f"certificates/{tournament.pk}.sealed"


def load_certificate(tournament: Tournament) -> DocumentCertificate | None:
    """Return the tournament's certificate, or None if it has none.

    Raises:
        UnreadableCertificate: The certificate was stored with another `SECRET_KEY`, or the file is damaged.
    """
    try:
        with default_storage.open(make_certificate_path(tournament)) as file:
            encrypted = file.read()
    except FileNotFoundError:
        return None
    try:
        content = json.loads(make_certificate_cipher().decrypt(encrypted))
        return read_certificate(base64.b64decode(content["p12"]), content["password"])
    except (InvalidToken, ValueError, KeyError, TypeError) as error:
        raise UnreadableCertificate from error


def make_certificate_cipher() -> Fernet:
    """Return the cipher that encrypts stored certificates. Its key is derived from `SECRET_KEY`."""
    secret = str(settings.SECRET_KEY).encode()
    return Fernet(
        base64.urlsafe_b64encode(
            HKDF(algorithm=SHA256(), length=32, salt=None, info=CIPHER_DERIVATION_INFO).derive(secret)
        )
    )
