from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from tournament.backups.selectors import BackupUnreadable
from tournament.backups.services import BackupFailed
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.disk import is_disk_full
from tournament.errors import DomainError
from tournament.second_laptop.selectors import LinkProblem, describe_link_problem, is_copy_received
from tournament.second_laptop.services.connection import (
    LINK_ERRORS,
    find_link_problem,
    keep_connected,
    receive_first_copy,
)
from tournament.second_laptop.services.roles import (
    NotSecondLaptop,
    install_first_copy,
    offer_pairing,
    record_joining_failure,
    remove_second_laptop,
    require_joining_allowed,
    take_over,
)


class Command(BaseCommand):
    help = (
        "Connect two laptops, so that the second one has everything and can take over. The page “Second laptop” does "
        "the same. The running program starts `connect` and `install` by itself."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("add", help="print six words for a second laptop, which are valid for 15 minutes")
        join = acts.add_parser("join", help="follow the first laptop, while the program is stopped here")
        join.add_argument("address", help="the first laptop's address and port, such as 192.168.1.20:8002")
        join.add_argument("words", nargs="+", help="the six words")
        join.add_argument("--yes", action="store_true", help="replace this laptop's own tournaments")
        acts.add_parser("take-over", help="let this second laptop become the one that records")
        acts.add_parser("alone", help="forget the other laptop")
        acts.add_parser("connect", help="keep the connection to the other laptop until Ctrl-C")
        acts.add_parser("install", help="install the received copy, while all other processes are stopped")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "sqlite":
            raise CommandError("A second laptop needs SQLite. PostgreSQL can have a standby server of its own.")
        if settings.READ_ONLY_DATABASE:
            raise CommandError("READ_ONLY_DATABASE is set, so nothing can be stored. Set it to 0 for this command.")
        try:
            match options["act"]:
                case "add":
                    self.stdout.write(offer_pairing(by=SYSTEM_ACTOR).words)
                case "join":
                    self._join(options["address"], " ".join(options["words"]), replaces=options["yes"])
                case "take-over":
                    take_over()
                case "alone":
                    remove_second_laptop(by=SYSTEM_ACTOR)
                case "connect":
                    with suppress(KeyboardInterrupt):
                        keep_connected(settings.LINK_PORT)
                case "install":
                    self._install()
        except NotSecondLaptop:
            raise CommandError("This laptop follows no other one, so there is nothing to take over.") from None
        except DomainError as refusal:
            raise CommandError(refusal.message) from None

    def _join(self, address: str, words: str, *, replaces: bool) -> None:
        require_joining_allowed(directs_installation=replaces)
        try:
            receive_first_copy(address, words)
        except LINK_ERRORS as error:
            raise CommandError(describe_link_problem(find_link_problem(error))) from None
        try:
            install_first_copy(is_stopped=False)
        except (BackupFailed, BackupUnreadable, OSError) as error:
            raise CommandError(str(error)) from None

    def _install(self) -> None:
        """Replace this laptop's data with the copy that it received from the first laptop.

        Do nothing if there is no such copy. If the replacement fails, this laptop's pages show the problem.
        """
        if not is_copy_received():
            return
        try:
            install_first_copy(is_stopped=True)
        except (BackupFailed, BackupUnreadable, OSError) as error:
            record_joining_failure(LinkProblem.DISK_FULL if is_disk_full(error) else LinkProblem.NOT_INSTALLED)
            raise CommandError(str(error)) from None
