import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.archive.selectors.takeovers import describe_file
from scoring.archive.services.installations import require_empty_installation
from scoring.archive.services.takeovers import import_takeover_file
from scoring.management.passphrases import add_passphrase_arguments, read_passphrase
from tournament.backups.selectors import (
    INSTALLATION_MEMBER_NAME,
    BackupUnreadable,
    get_database_member,
    read_backup_manifest,
)
from tournament.backups.services import BackupFailed, restore_backup
from tournament.core.selectors.installation import load_installation
from tournament.errors import DomainError


class Command(BaseCommand):
    help = (
        "Go on with a backup, or with the file of a whole installation, on a computer that has no tournaments yet. "
        "Stop the program first. Prints one JSON line."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        add_passphrase_arguments(parser, "if the file is encrypted")

    def handle(self, *args: Any, **options: Any) -> None:
        path, passphrase = options["file"], read_passphrase(options)
        try:
            if (
                describe_file(path).is_backup
                and get_database_member(read_backup_manifest(path)) != INSTALLATION_MEMBER_NAME
            ):
                require_empty_installation()
                restore_backup(path)
            else:
                import_takeover_file(path, passphrase)
        except (BackupFailed, BackupUnreadable) as error:
            raise CommandError(str(error)) from None
        except DomainError as error:
            raise CommandError(error.message) from None
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from None
        here = load_installation()
        answer = {"ok": True, "file": path.name, "epoch": here.epoch if here is not None else 0}
        self.stdout.write(json.dumps(answer, ensure_ascii=False))
