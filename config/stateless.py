"""Commands that depend only on their input, without settings, secrets, database or environment.

`manage.py` runs them from here, so that a wrong setting such as DATABASE_URL cannot break them.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Final

from django.conf import settings

STATELESS_COMMANDS: Final = {
    "tally": "scoring",
    "deadwood": "scoring",
    "adjudicate": "scoring",
    "pair": "pairing",
    "standings": "pairing",
    "payout": "tournament",
    "ledger": "tournament",
    "verify_draw": "pairing",
    "verify_partners": "pairing",
}
"""Command names, each with its app."""
FILE_READING_COMMANDS: Final = {"read_list": "tournament"}
"""Commands that read a file in a separate process with resource limits."""


def run_stateless_command(name: str, argv: Sequence[str]) -> None:
    """Run a command. `argv` begins with the name of the program and the name of the command, as they were typed."""
    settings.configure(INTAKE_PRELOAD=["psutil", "tournament.spreadsheets.bank_statements"])
    app = (STATELESS_COMMANDS | FILE_READING_COMMANDS)[name]
    module = import_module(f"{app}.management.commands.{name}")
    module.Command().run_from_argv(list(argv))
