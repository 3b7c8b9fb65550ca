"""Take over from a file on a USB stick. An empty laptop continues from the state in the file, with a higher epoch."""

import shutil
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.translation import gettext as _

from scoring.archive.selectors.installations import InstallationReader, open_archive_file
from scoring.archive.selectors.takeovers import TakeoverFile, describe_file
from scoring.archive.services.imports import ImportResult
from scoring.archive.services.installations import (
    import_installation,
    is_installation_empty,
    require_empty_installation,
)
from tournament.backups.selectors import ARCHIVE, RestoreRequest, get_database_member, open_backup, read_backup_manifest
from tournament.backups.services import request_file_takeover
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.installation import load_installation
from tournament.core.services.durable_files import replace_durably
from tournament.errors import Conflict

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
    if file.is_backup and get_database_member(read_backup_manifest(file.path)) != ARCHIVE:
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
    """Import the requested file of an installation. Do nothing if it was already imported before a power failure.

    Raises:
        ArchiveRefused: the file is damaged.
        Conflict: `not-empty`.
    """
    file, here = Path(request.file), load_installation()
    if is_installation_empty() or here is None or here.came_from != file.name:
        import_takeover_file(file, request.passphrase)
    file.unlink(missing_ok=True)


def import_takeover_file(file: Path, passphrase: str = "") -> list[ImportResult]:
    """Import the file of an installation into this one, which must be empty. A backup may have this file in it.

    Raises:
        ArchiveRefused: the file is damaged, or has another passphrase.
        BackupUnreadable: the backup is damaged.
        Conflict: `not-empty`, `no-installation`.
    """
    if describe_file(file).is_backup:
        with (
            open_backup(file) as (manifest, unpacked),
            open_archive_file(unpacked / get_database_member(manifest)) as archive,
        ):
            reader = _require_installation(archive, file.name)
            return import_installation(reader, by=SYSTEM_ACTOR, reason=TAKEOVER_REASON, name=file.name)
    with open_archive_file(file, passphrase) as archive:
        reader = _require_installation(archive, file.name)
        return import_installation(reader, by=SYSTEM_ACTOR, reason=TAKEOVER_REASON, name=file.name)


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
