"""Store an uploaded tournament file, check it, import it once after the user has decided how, and delete it.

Each upload has a folder in `VAR_DIR/uploads`. The folder contains the file, named by its digest, and `state.json`. Only
the user who uploaded the file may see it. The worker checks and imports files, because both can take long.
"""

import datetime as dt
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from filelock import FileLock

from scoring.archive.selectors.checks import ArchiveCheck, check_archive, read_log, read_rows
from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import SUMMARY, ArchiveReader, ArchiveRefused, SealedArchive
from scoring.archive.selectors.installations import (
    InstallationCheck,
    InstallationReader,
    check_installation,
    open_archive_file,
)
from scoring.archive.services.imports import (
    ImportMode,
    contains_only_event,
    find_same_event,
    find_same_tournament,
    import_tournament,
    require_log_row_count,
)
from scoring.archive.services.installations import import_installation, require_empty_installation
from scoring.seals.selectors.keys import get_installation_public_key, is_trusted_key
from tournament.backups.services import BackupFailed, BrokenLog, make_backup
from tournament.core.permissions import Actor, make_staff_actor, require_installation_permission, require_permission
from tournament.core.selectors.left_out import LEFT_OUT_VERB
from tournament.core.services.durable_files import replace_file
from tournament.core.services.record import require_reason
from tournament.errors import Conflict, DomainError, NotFound
from tournament.models import AuditEntry, Event, Tournament, TournamentImport, User

UPLOAD_LIFETIME: Final = dt.timedelta(days=1)
MAX_LISTED_ENTRIES: Final = 20
"""The maximum number of log rows that a page lists."""
MAX_BACKUP_WAIT_S: Final = 60.0
"""Seconds that a replacement waits while another process is making a backup."""
BACKUP_RETRY_S: Final = 0.5
_TOKEN: Final = re.compile(r"[0-9a-f]{32}")
_STATE, _LOCK = "state.json", "lock"


class UploadState(StrEnum):
    """The progress of an upload.

    `CHECKED` means that the file is intact and waits for the user's decision. `REFUSED` means that it cannot be
    imported.
    """

    CHECKING = "checking"
    REFUSED = "refused"
    CHECKED = "checked"
    IMPORTING = "importing"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file.

    `about` is the description of the file's contents from `_describe`. `message` says why the file or its last import
    was refused. `mode`, `reason` and `asked_at` belong to the requested import. `seen_rows` is the number of log rows
    of the tournament that the user agreed to replace. `imported` is the slug of the imported tournament. `kept` is the
    file to which the replaced tournament was exported.
    """

    token: str
    user: int
    name: str
    digest: str
    size: int
    language: str
    state: UploadState = UploadState.CHECKING
    message: str = ""
    about: dict[str, Any] = field(default_factory=dict)
    mode: str = ""
    reason: str = ""
    seen_rows: int | None = None
    asked_at: str = ""
    imported: str = ""
    kept: str = ""

    @property
    def folder(self) -> Path:
        return _uploads_folder() / self.token

    @property
    def path(self) -> Path:
        return self.folder / f"{self.digest}.zip"

    @property
    def is_everything(self) -> bool:
        """Whether this is an installation file. This is only known after the check."""
        return bool(self.about.get("is_everything"))


def _uploads_folder() -> Path:
    return Path(settings.VAR_DIR) / "uploads"


# --- Receive ---------------------------------------------------------------------------------------------------------


def store_upload(token: str, name: str, chunks: Iterable[bytes], user: User) -> Upload:
    """Store a file, and return its upload.

    `token` is the form's key. If the same form is submitted twice, its file is stored only once.

    Raises:
        NotFound: `no-upload`: the token is malformed, or belongs to somebody else.
    """
    delete_expired_uploads()
    folder = _folder_of(token)
    _uploads_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if (folder / _STATE).exists():
        return load_upload(token, user)
    with _locked(folder):
        if (folder / _STATE).exists():
            return load_upload(token, user)
        part, digest, size = folder / ".part", hashlib.sha256(), 0
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                file.write(chunk)
        upload = Upload(token, user.pk, name, digest.hexdigest(), size, get_language() or settings.LANGUAGE_CODE)
        replace_file(part, upload.path)
        return _save(upload)


def load_upload(token: str, user: User) -> Upload:
    """Return the user's upload.

    Raises:
        NotFound: `no-upload`.
    """
    upload = _read(_folder_of(token))
    if upload is None or upload.user != user.pk:
        raise NotFound("no-upload", _("This file is no longer here. Files are deleted after a day. Upload it again."))
    return upload


def delete_expired_uploads() -> None:
    """Delete all uploads that have not been used for a day, together with their files."""
    oldest = (timezone.now() - UPLOAD_LIFETIME).timestamp()
    folders = _uploads_folder().iterdir() if _uploads_folder().exists() else ()
    for folder in folders:
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def _folder_of(token: str) -> Path:
    if not _TOKEN.fullmatch(token):
        raise NotFound("no-upload", _("This file is no longer here. Files are deleted after a day. Upload it again."))
    return _uploads_folder() / token


def _read(folder: Path) -> Upload | None:
    try:
        content = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return Upload(**{**content, "state": UploadState(content["state"])})


def _save(upload: Upload) -> Upload:
    part = upload.folder / ".state"
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(upload), file)
    replace_file(part, upload.folder / _STATE)
    return upload


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the upload within this block. Other processes wait."""
    with FileLock(folder / _LOCK, mode=0o600):
        yield


# --- Check -----------------------------------------------------------------------------------------------------------


def check_upload(token: str) -> Upload | None:
    """Check a file completely, and record what it contains or why it cannot be imported.

    Return None if the upload no longer exists. A file that was already checked is not checked again.
    """
    folder = _folder_of(token)
    if not folder.exists():
        return None
    with _locked(folder):
        upload = _read(folder)
        if upload is None or upload.state is not UploadState.CHECKING:
            return upload
        with override(upload.language):
            try:
                with open_archive_file(upload.path) as archive:
                    if isinstance(archive, InstallationReader):
                        everything = check_installation(archive)
                        faults = everything.faults
                        about = {} if faults else _describe_installation(archive, everything)
                    else:
                        check = check_archive(archive)
                        faults = check.faults
                        about = {} if faults else _describe(archive, check)
                if not faults:
                    return _save(replace(upload, state=UploadState.CHECKED, about=about))
                message = _("This file was changed, so it cannot be opened here. Get it again from where it was made.")
                return _refuse(upload, f"{message} {faults[0]}")
            except DomainError as refusal:
                return _refuse(upload, refusal.message)
            except Exception:
                _refuse(upload, _("This file could not be read. Download it again from where it was made."))
                raise


def _refuse(upload: Upload, message: str) -> Upload:
    """Record why the file cannot be imported, and delete the file.

    In the message, the name of the stored file is replaced with the name of the uploaded file.
    """
    upload.path.unlink(missing_ok=True)
    message = message.replace(upload.path.name, f"“{upload.name}”")
    return _save(replace(upload, state=UploadState.REFUSED, message=message))


def _describe(archive: ArchiveReader, check: ArchiveCheck) -> dict[str, Any]:
    """Describe the file's contents, and how its log differs from the log of the same tournament on this computer.

    In the result, `shared` is the last log row that both have, and `newer` describes the file's later log rows.
    """
    manifest = archive.manifest.content
    (summary,) = archive.read_lines(SUMMARY)
    here = find_same_tournament(archive)
    event, event_here = archive.manifest.event, find_same_event(archive, here) if here is not None else None
    shared, newer_count, newer = _compare_logs(archive, here)
    try:
        return {
            "name": str(manifest["tournament"]["name"]),
            "slug": str(manifest["tournament"]["slug"]),
            "is_copy": bool(manifest["tournament"]["is_copy"]),
            "venue": str(summary["venue"]),
            "starts_on": dt.date.fromisoformat(summary["starts_on"]).isoformat(),
            "ends_on": dt.date.fromisoformat(summary["ends_on"]).isoformat(),
            "time_zone": _find_time_zone(archive),
            "events": [
                {"name": str(each["name"]), "state": str(each["state"]), "entrants": len(each["entrants"])}
                for each in summary["events"]
            ],
            **_describe_maker(archive),
            "log_rows": check.log_rows,
            "event": str(event["name"]) if event is not None else "",
            "left_out": archive.manifest.left_out.log_rows,
            "here": here.pk if here is not None else None,
            "event_here": event_here.pk if event_here is not None else None,
            "shared": shared,
            "newer_count": newer_count,
            "newer": newer,
        }
    except (KeyError, TypeError, ValueError) as error:
        message = _("%(name)s is damaged or was changed. Copy it again, or choose another file. Nothing was imported.")
        raise ArchiveRefused("damaged-archive", message % {"name": archive.path.name}) from error


def _describe_installation(reader: InstallationReader, check: InstallationCheck) -> dict[str, Any]:
    """Describe the contents of an installation file."""
    with reader.open_tournament(reader.tournaments[0]["member"]) as first:
        time_zone = _find_time_zone(first)
    return {
        "is_everything": True,
        "tournaments": [{"name": str(each["name"]), "log_rows": each["log_rows"]} for each in reader.tournaments],
        "accounts": len(reader.manifest.content["accounts"]),
        "has_passwords": any("password" in each for each in reader.manifest.content["accounts"]),
        "has_persons": reader.manifest.has_persons,
        "time_zone": time_zone,
        **_describe_maker(reader),
        "log_rows": check.log_rows,
    }


def _describe_maker(archive: SealedArchive) -> dict[str, Any]:
    """Return when the file was made, and whether its seal is from this installation or from a trusted key."""
    key = archive.manifest.seal["key"]
    return {
        "made_at": archive.manifest.made_at.isoformat(),
        "key": key[:16],
        "is_own_key": key == get_installation_public_key(),
        "is_trusted_key": is_trusted_key(key),
    }


def _find_time_zone(archive: ArchiveReader) -> str:
    zones = (each.row.time_zone for each in read_rows(archive) if isinstance(each.row, Tournament))
    return str(ZoneInfo(next(zones)))


def _compare_logs(archive: ArchiveReader, here: Tournament | None) -> tuple[int, int, list[dict[str, Any]]]:
    """Return the last shared log row, the number of later rows in the file, and the newest of these as plain values."""
    if here is None:
        return 0, 0, []
    digests = dict(AuditEntry.objects.filter(tournament=here).values_list("seq", "digest"))
    shared, count, newer, is_same = 0, 0, list[dict[str, Any]](), True
    for entry in read_log(archive):
        is_same = is_same and digests.get(entry.seq) == entry.digest
        if is_same:
            shared = entry.seq
        if is_same or entry.verb == LEFT_OUT_VERB:
            continue
        count += 1
        newer = [*newer[-MAX_LISTED_ENTRIES + 1 :], _entry_as_json(entry)]
    return shared, count, newer[::-1]


def _entry_as_json(entry: AuditEntry) -> dict[str, Any]:
    return {"at": entry.at.isoformat(), "by_name": entry.by_name, "verb": entry.verb, "about": entry.about}


# --- Import ----------------------------------------------------------------------------------------------------------


def load_tournament_here(upload: Upload) -> Tournament | None:
    """Return the tournament on this computer that the uploaded file contains, or None if there is none."""
    pk = upload.about.get("here")
    return Tournament.objects.filter(pk=pk).first() if pk is not None else None


def can_replace_tournament(upload: Upload, here: Tournament) -> bool:
    """Return whether the file can replace the tournament.

    An event file can do so only if there is no other event.
    """
    if not upload.about.get("event"):
        return True
    event = Event.objects.filter(pk=upload.about["event_here"]).first()
    return event is not None and contains_only_event(here, event)


def request_import(
    upload: Upload, mode: ImportMode, *, by: Actor, reason: str = "", seen_rows: int | None = None
) -> Upload:
    """Record the user's decision about a checked file. The worker then calls `carry_out_import`.

    If a decision was already recorded, return the upload unchanged. `seen_rows` is the number of log rows of the
    tournament that the user agreed to replace.

    Raises:
        NotAllowed: only a director may replace a tournament, and only an administrator may import a whole installation.
        DomainError: `reason-needed`. Conflict: `not-here`, `changed-meanwhile`, `not-empty`.
    """
    if upload.state is not UploadState.CHECKED:
        return upload  # without the lock, which the worker holds while it imports
    with _locked(upload.folder):
        upload = _read(upload.folder) or upload
        if upload.state is not UploadState.CHECKED:
            return upload
        if upload.is_everything and mode is not ImportMode.COPY:
            require_installation_permission(by)
            require_empty_installation()
        elif mode is ImportMode.REPLACE:
            here = load_tournament_here(upload)
            if here is None:
                message = _("This tournament is no longer on this computer. Continue it here instead.")
                raise Conflict("not-here", message)
            require_permission(by, "direct", here)
            require_reason(reason, _("Write why you replace the tournament, for the log."))
            require_log_row_count(here, seen_rows)
        return _save(
            replace(
                upload,
                state=UploadState.IMPORTING,
                mode=mode.value,
                reason=reason.strip(),
                seen_rows=seen_rows,
                asked_at=timezone.now().isoformat(),
                message="",
            )
        )


def carry_out_import(token: str) -> Upload | None:
    """Import an uploaded file in the way that its user has chosen, and delete it. A second call does nothing.

    If the import is refused, the user can decide again. Return None if the upload no longer exists.
    """
    folder = _folder_of(token)
    if not folder.exists():
        return None
    with _locked(folder):
        upload = _read(folder)
        if upload is None or upload.state is not UploadState.IMPORTING:
            return upload
        with override(upload.language):
            try:
                imported, kept = _import(upload)
            except (DomainError, BackupFailed, OSError) as refusal:
                message = str(refusal).replace(upload.path.name, f"“{upload.name}”")
                return _save(replace(upload, state=UploadState.CHECKED, message=message))
            except Exception:
                message = _("The import failed, and nothing was changed. Tell the person who runs the program.")
                _save(replace(upload, state=UploadState.CHECKED, message=message))
                raise
        upload.path.unlink(missing_ok=True)
        return _save(replace(upload, state=UploadState.IMPORTED, imported=imported.slug, kept=kept))


def _import(upload: Upload) -> tuple[Tournament, str]:
    mode, user = ImportMode(upload.mode), User.objects.get(pk=upload.user)
    by = make_staff_actor(user)
    if earlier := _find_finished_import(upload):
        return earlier, upload.kept
    if upload.is_everything:
        with InstallationReader(upload.path) as reader:
            results = import_installation(reader, mode=mode, by=by, reason=upload.reason, name=upload.path.name)
        return results[0].tournament, ""
    kept = ""
    if mode is ImportMode.REPLACE and (here := load_tournament_here(upload)) is not None:
        require_permission(by, "direct", here)
        kept = str(_keep_replaced(here))
    result = import_tournament(upload.path, mode=mode, by=by, reason=upload.reason, replaced_log_rows=upload.seen_rows)
    return result.tournament, kept


def _find_finished_import(upload: Upload) -> Tournament | None:
    """Return the result of a completed import if the worker was stopped before it could record that result."""
    with ExitStack() as stack:
        archive = stack.enter_context(open_archive_file(upload.path))
        if isinstance(archive, InstallationReader):
            archive = stack.enter_context(archive.open_tournament(archive.tournaments[0]["member"]))
        digest = archive.digest
    done = TournamentImport.objects.filter(
        file_digest=digest, by=upload.user, at__gte=dt.datetime.fromisoformat(upload.asked_at)
    )
    found = done.select_related("tournament").first()
    return found.tournament if found is not None else None


def _keep_replaced(tournament: Tournament) -> Path:
    """Back up this installation, export the tournament, and return the exported file.

    Raises:
        BackupFailed: no backup could be made, so nothing may be replaced.
    """
    _back_up()
    folder = Path(settings.VAR_DIR) / "replaced"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{tournament.slug}-{timezone.now():%Y%m%dT%H%M%S}Z.tournament.zip"
    export_tournament(tournament, path)
    path.chmod(0o600)
    return path


def _back_up() -> None:
    """Make a backup. If another process is making one, wait, and then make a new one, which has the latest facts."""
    until = time.monotonic() + MAX_BACKUP_WAIT_S
    with suppress(BrokenLog):  # the backup was made, although somebody has changed a log
        while make_backup() is None:
            if time.monotonic() > until:
                message = _("Another backup is being made, so nothing was replaced. Wait a minute, and confirm again.")
                raise BackupFailed(message)
            time.sleep(BACKUP_RETRY_S)
