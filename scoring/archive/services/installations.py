"""Import an installation file.

If this installation is empty, it can take the place of the installation that made the file. Otherwise, the tournaments
in the file can only be opened as copies.
"""

from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils.translation import gettext as _

from scoring.archive.selectors.files import ArchiveRefused, Manifest
from scoring.archive.selectors.installations import InstallationCheck, InstallationReader, check_installation
from scoring.archive.services.imports import (
    ImportMode,
    ImportResult,
    import_checked_archive,
    may_import_trusted_keys,
    refuse_contradictions,
    remove_tournament_and_players,
    wait_for_other_imports,
)
from scoring.seals.selectors.keys import list_configured_public_keys
from scoring.seals.services.sealing import confirm_trusted_keys
from tournament.core.permissions import Actor, require_installation_permission
from tournament.core.selectors.installation import load_installation
from tournament.core.services.installation import adopt_identities, begin_installation_epoch, log_for_all_tournaments
from tournament.errors import Conflict
from tournament.models import Installation, Tournament, User


def record_installation_export(*, by: Actor) -> None:
    """Add a row to each tournament's log: `by` downloads a file of the whole installation."""
    require_installation_permission(by)
    log_for_all_tournaments(verb="installation.exported", by=by)


def import_installation(
    reader: InstallationReader,
    *,
    mode: ImportMode = ImportMode.ORIGINAL,
    by: Actor,
    reason: str = "",
    name: str = "",
    origin: Installation.Origin = Installation.Origin.RESTORED,
) -> list[ImportResult]:
    """Check a file completely, and import all of its tournaments in one transaction.

    With `ORIGINAL`, this installation replaces the one that made the file. It must not have any tournaments except
    demos, which are removed. It gets the accounts in the file and a new identity. Its epoch, a number that grows with
    each new identity, is higher than the epoch of the installation that made the file.

    With `COPY`, each tournament is opened as a copy, and nothing else changes. `name` is the file name for messages.

    `origin` records why this installation has a new identity. It is `TAKEN_OVER` if this laptop takes over from another
    one. The higher epoch then proves to the other laptop that it was replaced.

    Raises:
        ArchiveRefused: the file is damaged, was changed, or was made by a newer version.
        Conflict: `not-empty`, `without-persons`, `no-replacement`.
    """
    name = name or reader.path.name
    _require_mode(reader.manifest, mode)
    check = check_installation(reader)
    if check.faults:
        message = _("%(name)s was changed. Nothing was imported. %(fault)s")
        raise ArchiveRefused("altered-archive", message % {"name": name, "fault": check.faults[0]})
    with refuse_contradictions(name) as files, transaction.atomic():
        wait_for_other_imports()
        if mode is ImportMode.COPY:
            return _import_tournaments(reader, check, mode, files, by=by, reason=reason)
        require_empty_installation()
        for demo in Tournament.objects.filter(is_demo=True):
            remove_tournament_and_players(demo)
        _create_accounts(reader.manifest)
        if may_import_trusted_keys(reader.manifest, by):
            configured = list_configured_public_keys()
            confirm_trusted_keys(key for key in reader.manifest.content["trusted_keys"] if key not in configured)
        imported = _import_tournaments(reader, check, mode, files, by=by, reason=reason)
        here = load_installation()
        adopt_identities((each["identity"], each["epoch"]) for each in reader.manifest.content["identities"])
        epoch = max(reader.manifest.content["epoch"], here.epoch if here is not None else 0)
        begin_installation_epoch(origin, name, above=epoch, shares_log=False)
    return imported


def is_installation_empty() -> bool:
    """Return whether this installation has no tournaments except demos, so that an import cannot destroy anything."""
    return not Tournament.objects.filter(is_demo=False).exists()


def require_empty_installation() -> None:
    """Raise `Conflict` unless this installation is empty."""
    if not is_installation_empty():
        message = _(
            "There are tournaments on this computer already. Use an empty one, open the tournaments as copies, or "
            "restore a backup under Backups."
        )
        raise Conflict("not-empty", message)


def _require_mode(manifest: Manifest, mode: ImportMode) -> None:
    if mode is ImportMode.REPLACE:
        message = _("A file of everything does not replace tournaments. Restore a backup under Backups instead.")
        raise Conflict("no-replacement", message)
    if mode is ImportMode.ORIGINAL and not manifest.has_persons:
        message = _("This file has no names, so it cannot go on here. Import it as a copy.")
        raise Conflict("without-persons", message)
    if mode is ImportMode.ORIGINAL:
        require_empty_installation()


def _import_tournaments(
    reader: InstallationReader, check: InstallationCheck, mode: ImportMode, files: list[str], **recorded: Any
) -> list[ImportResult]:
    results = []
    for each in reader.tournaments:
        with reader.open_tournament(each["member"]) as archive:
            results.append(import_checked_archive(archive, check.checks[each["member"]], mode, files, **recorded))
    return results


def _create_accounts(manifest: Manifest) -> None:
    """Create the file's accounts that do not exist here. Existing accounts stay as they are.

    If the file contains no passwords, people sign in with a link.
    """
    for account in manifest.content["accounts"]:
        if User.objects.filter(email__iexact=account["email"]).exists():
            continue
        flags = {flag: account[flag] for flag in ("is_named", "is_active", "is_staff", "is_superuser")}
        user = User.objects.create_user(account["email"], name=account["name"], **flags)
        if account.get("password"):
            User.objects.filter(pk=user.pk).update(password=account["password"])
        for factor in account.get("second_factors", ()):
            Authenticator.objects.create(user=user, type=factor["type"], data=factor["data"])
