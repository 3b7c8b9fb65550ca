"""Make and check the installation file that a backup contains if PostgreSQL's backup programs are missing."""

from pathlib import Path

from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.selectors.installations import InstallationReader, export_installation

__all__ = ["export_for_backup", "find_installation_file_fault"]


def export_for_backup(target: Path) -> None:
    """Write an installation file that includes the accounts' password hashes.

    The file is not encrypted, because it stays in the backup folder. `pg_dump` writes the hashes there, too.

    Raises:
        Conflict: `no-tournaments`.
    """
    export_installation(target, with_passwords=True)


def find_installation_file_fault(file: Path) -> str:
    """Return what is wrong with an installation file, or "" if each tournament in it can be opened.

    The rows are not compared with the log. The import does that, to find changes made directly in the database.
    """
    try:
        with InstallationReader(file) as reader:
            for each in reader.tournaments:
                with reader.open_tournament(each["member"]):
                    pass
    except ArchiveRefused as refusal:
        return refusal.message
    return ""
