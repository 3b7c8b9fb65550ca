"""The command `gin-rummy`: start the site, make or restore backups, move tournaments, and check documents.

    gin-rummy run
    gin-rummy export desert-classic --to desert-classic.zip

In a checkout, `python -m laptop` is the same command. Each subcommand except `run` and `process` is one of Django's
commands, which developers can also start with `manage.py`.
"""

import os
import sys
from contextlib import suppress
from typing import Final

from config.environment import IS_CHECKOUT, VAR_DIR, format_start_command, read_build
from config.unready import exit_on_known_startup_error
from tournament import __version__

MANAGEMENT_COMMANDS: Final = {
    "sign-in-link": ("sign_in_link", "print a link with which the director signs in"),
    "backup": ("backup", "make a backup now, or list the backups"),
    "restore": ("restore", "go back to a backup"),
    "export": ("export_event", "write a tournament or one of its events to a file"),
    "import": ("import_event", "read a tournament or an event from a file"),
    "check-file": ("check_file", "check such a file without a database"),
    "take-over": ("take_over_from_file", "go on from a backup that another computer made"),
    "second-laptop": ("second_laptop", "connect two laptops, or separate them"),
    "begin-epoch": ("begin_epoch", "give a copied database a new identity"),
    "use-these-secrets": ("use_these_secrets", "accept this computer's secrets for the database"),
    "verify": ("verify_event", "recompute an event from its records, and report every difference"),
    "verify-card": ("verify_card", "check the PDF of a score card"),
    "verify-draw": ("verify_draw", "check a draw that was made public"),
    "verify-partners": ("verify_partners", "check a draw of partners that was made public"),
    "tally": ("tally", "count score sheets"),
    "adjudicate": ("adjudicate", "judge a disputed knock"),
    "deadwood": ("deadwood", "count the deadwood of hands"),
    "pair": ("pair", "pair entrants"),
    "standings": ("standings", "compute standings"),
    "payout": ("payout", "divide a prize pool"),
    "ledger": ("ledger", "compute the ledger of payments"),
    "read-list": ("read_list", "read a list of entrants from a file"),
}
"""The subcommands, each with its management command and a description."""
_SUBCOMMANDS: Final = {command: name for name, (command, _description) in MANAGEMENT_COMMANDS.items()}
_COMMANDS: Final = {name: command for command, name in _SUBCOMMANDS.items()}


def format_command(name: str, *arguments: str) -> str:
    """Return a management command as users of this installation type it, to show it in a message.

    The name `run` starts the program. Its argument is a setting, such as `HTTPS=1`.

    >>> format_command("take_over_from_file", "FILE")  # in a checkout
    '.venv/bin/python manage.py take_over_from_file FILE'
    """
    if name == "run":
        return format_start_command(*arguments)
    program = f".venv/bin/python manage.py {name}" if IS_CHECKOUT else f"gin-rummy {_SUBCOMMANDS[name]}"
    return " ".join([program, *arguments])


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("--version", "-V", "version"):
        print(f"gin-rummy {__version__} ({read_build()})")
    elif name == "run":
        from laptop.run import main as run_site

        with suppress(KeyboardInterrupt), exit_on_known_startup_error():
            run_site(sys.argv[2:])
    elif name == "process":
        from laptop.processes import run_process

        run_process(" ".join(sys.argv[2:]))
    elif name in MANAGEMENT_COMMANDS or name in _SUBCOMMANDS:  # `take-over`, or `take_over_from_file` as in `manage.py`
        import manage

        if name in ("sign-in-link", "sign_in_link") and not os.environ.get("SITE_URL"):
            from laptop.reach import read_site_addresses

            os.environ["SITE_URL"] = read_site_addresses().site
        sys.argv[0] = "gin-rummy"
        manage.main(_COMMANDS)
    elif name in ("--help", "-h", "help"):
        print(_describe_commands())
    else:
        sys.exit(f"There is no command “{name}”.\n\n{_describe_commands()}")


def _describe_commands() -> str:
    lines = [f"  {'run':<17}start the site on this computer, until Ctrl-C"]
    lines.append(f"  {'run --previous':<17}go back to the version and the data from before the last update")
    lines += [f"  {'process':<17}start one of the site's processes, for the service manager of a server"]
    lines += [f"  {name:<17}{text}" for name, (_command, text) in MANAGEMENT_COMMANDS.items()]
    return "\n".join(
        [
            "Usage: gin-rummy COMMAND …",
            "",
            *lines,
            "",
            "gin-rummy COMMAND --help describes a command. gin-rummy --version prints the version.",
            f"All data is in {VAR_DIR}",
        ]
    )
