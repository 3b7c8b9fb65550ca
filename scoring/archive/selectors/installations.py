"""Installation files, which contain a file for each tournament, and all accounts (`docs/format.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from allauth.mfa.models import Authenticator
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.archive.selectors.checks import ArchiveCheck, check_archive
from scoring.archive.selectors.encryption import decrypt_if_needed, export_encrypted
from scoring.archive.selectors.export import (
    export_tournament,
    list_latest_migrations,
    use_database_snapshot,
    write_complete_archive,
)
from scoring.archive.selectors.files import (
    UNREADABLE_ARCHIVE_ERRORS,
    ArchiveReader,
    ArchiveRefused,
    Manifest,
    SealedArchive,
    read_format,
    read_members,
    read_typed_value,
    require_valid_time_and_seal,
)
from scoring.seals.selectors.keys import load_trusted_public_keys
from tournament.backups.selectors import read_own_secrets, validate_secrets
from tournament.core.selectors.installation import load_installation, load_installation_history
from tournament.core.selectors.log import format_time
from tournament.errors import Conflict
from tournament.models import Tournament, User

INSTALLATION_FORMAT: Final = "gin-rummy-installation"
INSTALLATION_VERSION: Final = (1, 1)
INSTALLATION_EXTENSION: Final = ".installation.zip"
_MAX_EPOCH: Final = 1 << 30
_FOLDER: Final = "tournaments/"
_FLAGS: Final = ("is_named", "is_active", "is_staff", "is_superuser")

# --- Export ----------------------------------------------------------------------------------------------------------


def export_installation(
    target: Path, *, without_persons: bool = False, passphrase: str = "", with_passwords: bool = False
) -> dict[str, Any]:
    """Write a file of the whole installation, and return its manifest.

    Demos are left out. If there is a passphrase, the file is encrypted. Only an encrypted file can contain the
    passwords and second factors of accounts, and the secrets of this installation (`with_passwords`).

    Raises:
        Conflict: `no-tournaments`.
        DomainError: `weak-passphrase`.
        ArchiveRefused: `names-in-draw`, only if `without_persons` is true.
    """
    if passphrase:
        export = partial(export_installation, without_persons=without_persons, with_passwords=not without_persons)
        return export_encrypted(export, target, passphrase)
    folder = TemporaryDirectory(prefix=".export-", dir=target.parent)
    with folder, use_database_snapshot(), write_complete_archive(target) as writer:
        tournaments = []
        for number, tournament in enumerate(Tournament.objects.filter(is_demo=False).order_by("pk"), start=1):
            part, member = Path(folder.name) / f"{number}.zip", f"{_FOLDER}{number}.zip"
            own = export_tournament(tournament, part, without_persons=without_persons)
            writer.store_file(member, part)
            part.unlink()
            tournaments.append({"member": member, **own["tournament"], "log_rows": own["log"]["rows"]})
        if not tournaments:
            raise Conflict("no-tournaments", _("There is no tournament here yet, so there is nothing to export."))
        installation = load_installation()
        content = {
            "format": INSTALLATION_FORMAT,
            "version": ".".join(map(str, INSTALLATION_VERSION)),
            "made_at": format_time(timezone.now()),
            "epoch": installation.epoch if installation is not None else 0,
            "identities": [
                {"identity": each.identity, "epoch": each.epoch}
                for each in ([] if without_persons else load_installation_history())
            ],
            "persons": not without_persons,
            "passwords": with_passwords,
            "schema": list_latest_migrations(),
            "tournaments": tournaments,
            "accounts": [] if without_persons else _describe_accounts(with_passwords=with_passwords),
            "trusted_keys": [] if without_persons else sorted(load_trusted_public_keys()),
            **({"secrets": read_own_secrets()} if with_passwords else {}),
        }
        return writer.write_manifest(content)


def _describe_accounts(*, with_passwords: bool) -> list[dict[str, Any]]:
    accounts = []
    for user in User.objects.order_by("pk"):
        account = {"email": user.email, "name": user.name, **{name: getattr(user, name) for name in _FLAGS}}
        if with_passwords:
            factors = Authenticator.objects.filter(user=user).order_by("pk").values("type", "data")
            account |= {"password": user.password, "second_factors": list(factors)}
        accounts.append(account)
    return accounts


# --- Read and check --------------------------------------------------------------------------------------------------


class InstallationReader(SealedArchive):
    """An open installation file."""

    format = INSTALLATION_FORMAT
    major_version = INSTALLATION_VERSION[0]

    def read_manifest(self, content: Mapping[str, Any]) -> Manifest:
        members = read_members(content)
        require_valid_time_and_seal(content)
        for each in content["tournaments"]:
            for name, type_ in (("member", str), ("slug", str), ("name", str), ("is_copy", bool), ("log_rows", int)):
                read_typed_value(each, name, type_)
        listed = [each["member"] for each in content["tournaments"]]
        if (
            listed != [f"{_FOLDER}{number}.zip" for number in range(1, len(listed) + 1)]
            or set(listed) != members.keys()
        ):
            raise ValueError("tournaments")
        _require_epoch(content)
        for each in content["identities"]:
            _require_epoch(each)
            if len(bytes.fromhex(read_typed_value(each, "identity", str))) != 16:
                raise ValueError("identity")
        for each in content["accounts"]:
            _require_account(each)
        for key in content["trusted_keys"]:
            bytes.fromhex(key)
        if "secrets" in content:
            validate_secrets(content["secrets"])
        return Manifest(content, members)

    @property
    def tournaments(self) -> list[Mapping[str, Any]]:
        """The tournaments as listed in the manifest, each with `member`, `slug`, `name`, `is_copy` and `log_rows`."""
        return list(self.manifest.content["tournaments"])

    @contextmanager
    def open_tournament(self, member: str) -> Iterator[ArchiveReader]:
        """Open the tournament file of one tournament. It is extracted to a temporary file on the disk.

        Raises:
            ArchiveRefused: the member does not match its digest in the manifest, or `ArchiveReader` refuses it.
        """
        with TemporaryDirectory(prefix="tournament-") as folder:
            path = Path(folder) / member.removeprefix(_FOLDER)
            with open(path, "wb") as file:
                for chunk in self.read_chunks(member):
                    file.write(chunk)
            with ArchiveReader(path) as archive:
                yield archive


def _require_epoch(part: Mapping[str, Any]) -> None:
    if not 0 <= read_typed_value(part, "epoch", int) <= _MAX_EPOCH:
        raise ValueError("epoch")


def _require_account(account: Mapping[str, Any]) -> None:
    validate_email(read_typed_value(account, "email", str))
    read_typed_value(account, "name", str)
    for name in _FLAGS:
        read_typed_value(account, name, bool)
    read_typed_value({"password": "", **account}, "password", str)
    for factor in account.get("second_factors", ()):
        if read_typed_value(factor, "type", str) not in Authenticator.Type.values:
            raise ValueError("type")
        read_typed_value(factor, "data", dict)


@dataclass
class InstallationCheck:
    """The result of checking an installation file. `checks` has each tournament's result, by member name."""

    faults: list[str] = field(default_factory=list)
    checks: dict[str, ArchiveCheck] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(check.rows for check in self.checks.values())

    @property
    def log_rows(self) -> int:
        return sum(check.log_rows for check in self.checks.values())


def check_installation(reader: InstallationReader) -> InstallationCheck:
    """Check everything in the file.

    Raises:
        ArchiveRefused: `damaged-archive`, or a tournament in it cannot be read.
    """
    result = InstallationCheck()
    if not reader.is_seal_genuine():
        result.faults.append(_("The file was changed after it was made: its seal does not belong to its contents."))
    for each in reader.tournaments:
        with reader.open_tournament(each["member"]) as archive:
            check = result.checks[each["member"]] = check_archive(archive)
            own = archive.manifest
            same = {**own.content["tournament"], "log_rows": own.content["log"]["rows"]}
            if same != {name: value for name, value in each.items() if name != "member"}:
                check.add_fault(_("It is another one than the file names."))
            if own.has_persons != reader.manifest.has_persons or own.event is not None:
                check.add_fault(_("It is of another size or kind than the file says."))
            result.faults += [f"{each['name']}: {fault}" for fault in check.faults]
    return result


@contextmanager
def open_archive_file(path: Path, passphrase: str = "") -> Iterator[ArchiveReader | InstallationReader]:
    """Open an event file, a tournament file, or an installation file.

    Raises:
        ArchiveRefused: raised by `decrypt_if_needed` or by the reader.
    """
    with decrypt_if_needed(path, passphrase) as plain:
        reader = InstallationReader if read_format(plain) == INSTALLATION_FORMAT else ArchiveReader
        with reader(plain) as archive:
            yield archive


def read_installation(path: Path) -> Manifest | None:
    """Return the manifest if this is an installation file, or None if it is not. Nothing else is checked."""
    if read_format(path) != INSTALLATION_FORMAT:
        return None
    try:
        with InstallationReader(path) as reader:
            return reader.manifest
    except (ArchiveRefused, *UNREADABLE_ARCHIVE_ERRORS):
        return None
