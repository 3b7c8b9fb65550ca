"""Servers of one database have the same secrets: sessions, seals and links of one are genuine to the others."""

import hashlib
import logging
import sys
from collections.abc import Sequence
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection

from tournament.models import SecretDigest

OTHER_SECRETS: Final = (
    "This is not started: its secrets ({names}) are not those that the database is served with. "
    "Copy secrets.env from the first server (VAR_DIR, usually var/) to this one, or set {names} as they are there. "
    "If they are lost for good: manage.py use_these_secrets."
)

logger = logging.getLogger(__name__)


def refuse_other_secrets() -> None:
    """End this process with a sentence when its secrets are others; the first ones that come are kept as digests."""
    try:
        other = [name for name in ("SECRET_KEY", "SEAL_SECRET") if not _is_known(name)]
    except DatabaseError:
        logger.warning("The secrets could not be compared: the database does not answer, or is not migrated.")
        return
    finally:
        connection.close()
    if other:
        sys.exit(OTHER_SECRETS.format(names=", ".join(other)))


def use_these_secrets() -> None:
    """From now on those of this process are the right ones."""
    SecretDigest.objects.all().delete()
    refuse_other_secrets()


def _is_known(name: str) -> bool:
    """Whether the one in use, or one that this process had before it, is what the database knows."""
    digest = _digest(getattr(settings, name))
    kept, _made = SecretDigest.objects.get_or_create(name=name, defaults={"digest": digest})
    if kept.digest == digest:
        return True
    earlier: Sequence[str] = getattr(settings, f"{name}_FALLBACKS")
    if kept.digest not in map(_digest, earlier):
        return False
    return bool(SecretDigest.objects.filter(name=name, digest=kept.digest).update(digest=digest))


def _digest(secret: object) -> str:
    return hashlib.sha256(str(secret).encode()).hexdigest()
