"""The keys of this installation: the one that seals now, and those of secrets it had before."""

from functools import lru_cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from scoring.rules.evidence.sealing import key_from, public_of


def installation_key() -> Ed25519PrivateKey:
    """From the secret that was made on the first run (0600, under a lock), or that the environment names."""
    return _key_of(str(settings.SEAL_SECRET))


def own_public() -> str:
    return public_of(installation_key())


def trusted_publics() -> frozenset[str]:
    return frozenset({own_public(), *(public_of(_key_of(secret)) for secret in settings.SEAL_SECRET_FALLBACKS)})


@lru_cache(maxsize=8)
def _key_of(secret: str) -> Ed25519PrivateKey:
    return key_from(secret)
