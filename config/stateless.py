"""The commands that answer from what they are given: no settings, secrets, database or environment are read.

`manage.py` runs them from here, so that a wrong DATABASE_URL, or any other setting, does not stop them.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Final

from django.conf import settings

COMMANDS: Final = {
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
"""Each with the app that it is in."""
FILE_COMMANDS: Final = {"read_list": "tournament"}
"""Commands that answer from one file; reading it is bounded, in a process of its own."""


def run(argv: Sequence[str]) -> None:
    """Run the command of that name, as `manage.py` would."""
    settings.configure(READ_AHEAD=["tournament.spreadsheets.bank_lists"])
    name = argv[1]
    app = (COMMANDS | FILE_COMMANDS)[name]
    module = import_module(f"{app}.management.commands.{name}")
    module.Command().run_from_argv(list(argv))
