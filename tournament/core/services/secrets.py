"""Check that all servers on one database share the same secrets, so that sessions, seals and links work everywhere.

The check uses plain SQL and can run before Django's models are loaded. `python -m tournament.core.services.secrets`
exits with an error message if the secrets do not match.
"""

import hashlib
import logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from secrets import token_hex
from typing import Final

import django
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from tournament.core.selectors.program import format_command

WRONG_SECRETS_MESSAGE: Final = (
    "This process cannot start: its secrets ({names}) differ from those of the database. "
    "Copy secrets.env from the first server (VAR_DIR, usually var/) to this one, or set {names} to the same values. "
    "If the old secrets are lost, accept the new ones:  {command}"
)
SECRET_NAMES: Final = ("SECRET_KEY", "SEAL_SECRET")
RETRY_INTERVAL_S: Final = 3.0
"""Seconds between two attempts while the database is unavailable."""

logger = logging.getLogger(__name__)


def exit_on_wrong_secrets() -> None:
    """Exit with a message if this process's secrets differ from the database's.

    If the database has no secrets yet, store those of this process. If it has no identity yet, give it one.
    """
    try:
        refusal = explain_wrong_secrets()
    except DatabaseError:
        logger.warning("The secrets are compared later: the database does not answer, or is not migrated.")
        threading.Thread(target=_check_secrets_when_available, daemon=True).start()
        return
    if refusal:
        sys.exit(refusal)


def store_current_secrets() -> None:
    """Replace the secrets stored in the database with those of this process."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM tournament_secretdigest")
    exit_on_wrong_secrets()


def explain_wrong_secrets() -> str:
    """Return an error message if this process's secrets differ from the database's, otherwise ""."""
    try:
        stored = _load_digests() or _store_missing_digests()
        others = [name for name in SECRET_NAMES if not _is_known(name, stored[name])]
        if not others:
            _store_first_identity()
    finally:
        connection.close()
    command = format_command("use_these_secrets")
    return WRONG_SECRETS_MESSAGE.format(names=", ".join(others), command=command) if others else ""


def _check_secrets_when_available() -> None:
    """Check the secrets in a thread as soon as the database is available. If they are wrong, end the process."""
    while True:
        time.sleep(RETRY_INTERVAL_S)
        try:
            refusal = explain_wrong_secrets()
        except DatabaseError:
            continue
        if refusal:
            sys.stderr.write(f"{refusal}\n")
            os._exit(1)
        return


def _load_digests() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, digest FROM tournament_secretdigest")
        return dict(cursor.fetchall())


def _store_missing_digests() -> dict[str, str]:
    """Store the digests of this process's secrets if the database has none. Return the digests in the database.

    One statement stores both digests, so that two servers starting at the same time cannot each store one of them.
    """
    values = [value for name in SECRET_NAMES for value in (name, _digest_secret(getattr(settings, name)))]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tournament_secretdigest (name, digest) VALUES (%s, %s), (%s, %s) ON CONFLICT DO NOTHING",
            values,
        )
    return _load_digests()


def _store_first_identity() -> None:
    """Give the database its first identity, unless it has one. `begin_installation_epoch` adds later identities.

    If two servers start at the same time, only one of them stores an identity.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM tournament_installation")
        if cursor.fetchone() is None:
            now = connection.ops.adapt_datetimefield_value(timezone.now())
            cursor.execute(
                "INSERT INTO tournament_installation (identity, epoch, at, origin, came_from, log_row)"
                " VALUES (%s, 1, %s, 'started', '', 0) ON CONFLICT DO NOTHING",
                [token_hex(16), now],
            )


def _is_known(name: str, stored: str) -> bool:
    """Return whether the stored digest matches the current secret or an earlier one.

    The digest of an earlier secret is replaced with that of the current secret.
    """
    digest = _digest_secret(getattr(settings, name))
    if stored == digest:
        return True
    earlier: Sequence[str] = getattr(settings, f"{name}_FALLBACKS")
    if stored not in map(_digest_secret, earlier):
        return False
    with connection.cursor() as cursor:
        statement = "UPDATE tournament_secretdigest SET digest = %s WHERE name = %s AND digest = %s"
        cursor.execute(statement, [digest, name, stored])
        return bool(cursor.rowcount)


def _digest_secret(secret: object) -> str:
    return hashlib.sha256(str(secret).encode()).hexdigest()


def _check_before_start() -> None:
    """Exit with an error message if the secrets of this process differ from the database's.

    If the database is not available, skip the check, because the server repeats it.
    """
    settings.INSTALLED_APPS = []  # loading the models takes a second, and the check needs only two digests
    django.setup()
    # A pool would wait for an unavailable database. This process checks once, and the server checks again.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        refusal = explain_wrong_secrets()
    except DatabaseError:
        refusal = ""
    if refusal:
        sys.exit(refusal)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    _check_before_start()
