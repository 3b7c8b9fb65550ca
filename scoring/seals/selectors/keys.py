"""The keys of this installation, current and earlier ones, and the certificate that signs a tournament's PDFs.

A key is trusted if its secret is known here, or if a trusted key that came after it vouches for it (`EarlierKey`).
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
from scoring.rules.evidence.sealing import canonical_json, derive_key, is_signed_by, public_key_hex
from scoring.seals.selectors.p12_files import DocumentCertificate, UnreadableCertificate, read_certificate
from tournament.core.selectors.log import format_time
from tournament.models import Tournament

KEY_FORMAT: Final = "gin-earlier-key/1"
CIPHER_PURPOSE: Final = b"certificates of documents"


def installation_key() -> Ed25519PrivateKey:
    """Return the key of this installation.

    It is made from a secret that the environment names, or that was created on the first run (0600, under a lock).
    """
    return _key_of(str(settings.SEAL_SECRET))


def own_public_key() -> str:
    return public_key_hex(installation_key())


def publics_of_known_secrets() -> frozenset[str]:
    return frozenset(
        {own_public_key(), *(public_key_hex(_key_of(secret)) for secret in settings.SEAL_SECRET_FALLBACKS)}
    )


def load_earlier_keys() -> dict[str, datetime]:
    """Return the earlier keys that a trusted key vouches for, each with the time until which it was in use."""
    known, earlier = set(publics_of_known_secrets()), {}
    for row in EarlierKey.objects.order_by("-until", "-pk"):
        is_vouched_for = row.vouched_by in known and is_signed_by(row.vouched_by, bytes_to_vouch(row), row.signature)
        if is_vouched_for and row.public not in known:
            known.add(row.public)
            earlier[row.public] = row.until
    return earlier


def trusted_publics() -> frozenset[str]:
    return publics_of_known_secrets() | load_earlier_keys().keys()


def is_trusted(public: str) -> bool:
    """Return whether this key is one of the installation's.

    The database is queried only for a key whose secret is not known here.
    """
    return public in publics_of_known_secrets() or public in load_earlier_keys()


def bytes_to_vouch(key: EarlierKey) -> bytes:
    """Return the bytes that the later key signs to vouch for an earlier one, as canonical JSON (RFC 8785)."""
    return canonical_json({"format": KEY_FORMAT, "public": key.public, "until": format_time(key.until)})


@lru_cache(maxsize=8)
def _key_of(secret: str) -> Ed25519PrivateKey:
    return derive_key(secret)


# --- The certificate of a tournament ---------------------------------------------------------------------------------
# A tournament can sign its PDFs as documents. Its certificate is one encrypted file.


def certificate_name(tournament: Tournament) -> str:
    return f"certificates/{tournament.pk}.sealed"


def load_certificate(tournament: Tournament) -> DocumentCertificate | None:
    """Return the certificate of the tournament, or None if none is set.

    Raises:
        UnreadableCertificate: it was set under another secret, or the file is damaged.
    """
    try:
        with default_storage.open(certificate_name(tournament)) as file:
            encrypted = file.read()
    except FileNotFoundError:
        return None
    try:
        content = json.loads(cipher().decrypt(encrypted))
        return read_certificate(base64.b64decode(content["p12"]), content["password"])
    except (InvalidToken, ValueError, KeyError, TypeError) as error:
        raise UnreadableCertificate from error


def cipher() -> Fernet:
    """Return the cipher that is derived from the installation's own secret."""
    secret = str(settings.SECRET_KEY).encode()
    return Fernet(
        base64.urlsafe_b64encode(HKDF(algorithm=SHA256(), length=32, salt=None, info=CIPHER_PURPOSE).derive(secret))
    )
