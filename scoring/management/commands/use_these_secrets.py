import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.seals.services.sealing import UnknownKey, confirm_trusted_keys, load_unknown_keys
from tournament.core.services.secrets import store_current_secrets

WARNING_MESSAGE = """\
The database is served with the secrets of this machine from now on. Do this only if the secrets of before are lost:
copying secrets.env from the first server, or from a backup, loses nothing.

What changes:
- All members of staff sign in again.
- Phones that kept hands without a network have to open their score card once before they can send them.
- A certificate that signs PDFs as documents has to be set again.
- Seals made until now {seals}
"""
EARLIER_KEYS_TRUSTED_MESSAGE = (
    "read “genuine, by an earlier key”. These keys are kept as earlier keys of this installation:"
)
EARLIER_KEYS_NOT_TRUSTED_MESSAGE = (
    "read “made by another key”, because --without-earlier-keys was given. These keys made them:"
)
NO_OTHER_KEYS_MESSAGE = "do not change: nothing was sealed with another key."
CONFIRM_PROMPT = (
    "If you do not know one of these keys, stop: somebody may have written to the database. Go on? Type yes: "
)


class Command(BaseCommand):
    help = (
        "Serve this database with the secrets of this machine from now on, when those of before are lost for good. "
        "It first says what earlier seals will read from then on, and asks."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument(
            "--without-earlier-keys",
            action="store_true",
            help="do not trust the seals that were made with the secrets of before",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        keys = load_unknown_keys()
        is_kept = not options["without_earlier_keys"]
        self.stdout.write(
            WARNING_MESSAGE.format(
                seals=(EARLIER_KEYS_TRUSTED_MESSAGE if is_kept else EARLIER_KEYS_NOT_TRUSTED_MESSAGE)
                if keys
                else NO_OTHER_KEYS_MESSAGE
            )
        )
        for key in keys:
            self.stdout.write(f"    {_describe_key(key)}")
        if not options["yes"]:
            if not sys.stdin.isatty():
                raise CommandError("Nothing was changed. Nobody can answer here: say --yes when you have read this.")
            if input(CONFIRM_PROMPT).strip().lower() != "yes":
                raise CommandError("Nothing was changed.")
        if is_kept:
            confirm_trusted_keys(key.public for key in keys)
        store_current_secrets()
        self.stdout.write("The database is served with the secrets of this machine from now on.")


def _describe_key(key: UnknownKey) -> str:
    """Return a key's description, such as “3f2a9c01…: sealed 214 score cards, the last on 2026-11-20 21:14 UTC”."""
    parts = []
    if key.last is not None:
        cards = "1 score card" if key.cards == 1 else f"{key.cards} score cards"
        parts.append(f"{cards}, the last on {key.last:%Y-%m-%d %H:%M} UTC")
    if key.logs:
        parts.append("the log once" if key.logs == 1 else f"the log {key.logs} times")
    return f"{key.public}: sealed {', and '.join(parts) or 'nothing yet'}"
