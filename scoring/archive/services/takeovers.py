"""Take over from a file on a USB stick. An empty laptop continues from the state in the file, with a higher epoch."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from scoring.archive.selectors.installations import InstallationReader, open_archive_file
from scoring.archive.selectors.takeovers import TakeoverFile, describe_file
from scoring.archive.services.installations import (
    import_installation,
    is_installation_empty,
    require_empty_installation,
)
from tournament.backups.selectors import (
    INSTALLATION_MEMBER_NAME,
    RestoreRequest,
    get_database_member,
    open_backup,
    read_backup_manifest,
)
from tournament.backups.services import keeps_secrets_in_file, request_file_takeover, use_and_store_secrets
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.installation import load_installation
from tournament.core.services.durable_files import replace_durably
from tournament.errors import Conflict
from tournament.models import Installation

TAKEOVER_REASON: Final = "Taken over from a file"


def request_takeover(file: TakeoverFile, passphrase: str = "") -> RestoreRequest:
    """Ask the supervisor to take over from this file. The file is copied first, so the USB stick can be pulled out.

    Raises:
        Conflict: `not-empty`, `no-installation`, `restore-requested`. BackupUnreadable: the backup is damaged.
        ArchiveRefused: the file is damaged, or the passphrase is wrong. OSError: the USB stick was pulled out, or the
        disk is full.
    """
    require_empty_installation()
    reason, by_name = TAKEOVER_REASON, _("Somebody at this laptop")
    if file.is_backup and get_database_member(read_backup_manifest(file.path)) != INSTALLATION_MEMBER_NAME:
        _copy(file.path, Path(settings.BACKUP_DIR))
        return request_file_takeover(backup=file.path.name, made_at=file.made_at, by_name=by_name, reason=reason)
    if not file.is_backup:
        with open_archive_file(file.path, passphrase) as archive:
            _require_installation(archive, file.path.name)
    return request_file_takeover(
        backup=file.path.name,
        made_at=file.made_at,
        by_name=by_name,
        reason=reason,
        file=_copy(file.path, Path(settings.VAR_DIR) / "take-over"),
        passphrase=passphrase,
    )


def carry_out_takeover(request: RestoreRequest) -> None:
    """Import the requested installation file. Do nothing if it was already imported before a power failure.

    Raises:
        ArchiveRefused: the file is damaged.
        Conflict: `not-empty`.
    """
    file = Path(request.file)
    if file.exists() or not _has_taken_over(file):
        import_takeover_file(file, request.passphrase, completes=True)
    file.unlink(missing_ok=True)


def _has_taken_over(file: Path) -> bool:
    here = load_installation()
    return here is not None and here.came_from == file.name and not is_installation_empty()


def import_takeover_file(file: Path, passphrase: str = "", *, completes: bool = False) -> None:
    """Import an installation file, which may be inside a backup. This installation must be empty.

    If the file has secrets, this installation takes them over. The program must not be running. If a power failure
    occurs before the secrets are stored, call this again to store them. Pass `completes=True` if the import may already
    be complete, so that it is not repeated.

    Raises:
        ArchiveRefused: the file is damaged, or has another passphrase.
        BackupUnreadable: the backup is damaged.
        Conflict: `not-empty`, `no-installation`.
    """
    with _open_installation(file, passphrase) as reader:
        secrets = reader.manifest.content.get("secrets")
        if not keeps_secrets_in_file():
            secrets = None
        with use_and_store_secrets(secrets) if secrets is not None else nullcontext():
            if not (completes or secrets) or not _has_taken_over(file):
                origin = Installation.Origin.TAKEN_OVER if secrets else Installation.Origin.RESTORED
                import_installation(reader, by=SYSTEM_ACTOR, reason=TAKEOVER_REASON, name=file.name, origin=origin)


@contextmanager
def _open_installation(file: Path, passphrase: str) -> Iterator[InstallationReader]:
    if not describe_file(file).is_backup:
        with open_archive_file(file, passphrase) as archive:
            yield _require_installation(archive, file.name)
        return
    with (
        open_backup(file) as (manifest, unpacked),
        open_archive_file(unpacked / get_database_member(manifest)) as archive,
    ):
        yield _require_installation(archive, file.name)


def _require_installation(archive: object, name: str) -> InstallationReader:
    if not isinstance(archive, InstallationReader):
        message = _("%(name)s has one tournament, not everything. Open it under All events, Open a tournament file.")
        raise Conflict("no-installation", message % {"name": name})
    return archive


def _copy(file: Path, folder: Path) -> Path:
    """Copy the file into a folder that only this program can read. If copying fails, nothing is left there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    part, target = folder / f".part-{file.name}", folder / file.name
    try:
        shutil.copyfile(file, part)
        part.chmod(0o600)
        replace_durably(part, target)
    finally:
        part.unlink(missing_ok=True)
    return target
