from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tournament.backups.selectors import list_newer_migrations
from tournament.backups.services import adopt_restored_database


class Command(BaseCommand):
    help = (
        "Bring a restored database up to date, and give it a new identity, so that nothing mistakes it for the "
        "database that it replaces. `restore` does this by itself. Prints the identity and its epoch."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--came-from", default="", metavar="NAME", help="the name of the backup, for the log")
        parser.add_argument("--above", type=int, default=0, metavar="EPOCH", help="the epoch of the replaced database")
        parser.add_argument(
            "--changes-above",
            type=int,
            default=0,
            metavar="NUMBER",
            help="the last change that a second laptop may have",
        )
        parser.add_argument("--by", default="", metavar="NAME", help="the person who restored it, for the log")
        parser.add_argument("--reason", default="", help="the reason, for the log")

    def handle(self, *args: Any, **options: Any) -> None:
        if list_newer_migrations():
            raise CommandError("The backup is from a newer version of the program. Install that version to restore it.")
        call_command("migrate", interactive=False, verbosity=0)
        begun = adopt_restored_database(
            options["came_from"],
            above=options["above"],
            changes_above=options["changes_above"],
            by_name=options["by"],
            reason=options["reason"],
        )
        self.stdout.write(str(begun))
