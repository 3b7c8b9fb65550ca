"""The passphrase arguments of commands that read or write an encrypted file."""

from getpass import getpass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser


def add_passphrase_arguments(parser: CommandParser, purpose: str) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--passphrase", action="store_true", help=f"ask for a passphrase {purpose}")
    group.add_argument("--passphrase-file", type=Path, help=f"a file whose first line is the passphrase {purpose}")


def read_passphrase(options: dict[str, Any], *, twice: bool = False) -> str:
    """Return the passphrase, or "" if the options do not ask for one. If `twice` is true, it has to be typed twice."""
    if options["passphrase_file"] is not None:
        try:
            lines = options["passphrase_file"].read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['passphrase_file']} cannot be read: {error}", returncode=2) from None
        if not lines or not lines[0]:
            raise CommandError(f"{options['passphrase_file']} has no passphrase in its first line.", returncode=2)
        return str(lines[0])
    if not options["passphrase"]:
        return ""
    passphrase = getpass("Passphrase: ")
    if twice and getpass("Again: ") != passphrase:
        raise CommandError("The two are not the same. Nothing was written.", returncode=2)
    return passphrase
