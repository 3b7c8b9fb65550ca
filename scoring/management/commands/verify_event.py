import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.rules.evidence.sealing import check_log_file
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.seals.selectors.log import compare_log_with_database
from scoring.verification.selectors.checks import VerificationCheck, checks_as_json
from scoring.verification.selectors.event import verify_event
from tournament.core.selectors.events import load_event
from tournament.core.selectors.log import list_unchecked_columns
from tournament.errors import NotFound
from tournament.models import Tournament


class Command(BaseCommand):
    help = (
        "Walk the log's chain of an event and recompute every derived figure from the recorded facts. "
        "Exit status 0: everything holds; 1: there are problems; 2: there is no such event or file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tournament", nargs="?", default="")
        parser.add_argument("event", nargs="?", default="")
        parser.add_argument("--unchecked", action="store_true", help="name the tables and columns that are not checked")
        parser.add_argument("--log", type=Path, help="a log that was downloaded, held against the one on record")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["unchecked"]:
            self.stdout.write(json.dumps({"ok": True, "unchecked": list_unchecked_columns()}, ensure_ascii=False))
            return
        try:
            event = load_event(options["tournament"], options["event"])
        except NotFound as error:
            raise CommandError(error.message, returncode=2) from None
        checks = [*verify_event(event), *(_check_log_file(options["log"], event.tournament) if options["log"] else [])]
        if options["json"]:
            self.stdout.write(json.dumps(checks_as_json(checks), ensure_ascii=False))
        else:
            for check in checks:
                self.stdout.write(_describe_check(check))
        if not all(check.passed for check in checks):
            sys.exit(1)


def _describe_check(check: VerificationCheck) -> str:
    """Return the result of a check as text.

    For example, “ok R1M1, game 1 (Ada – Alan): Ada 155 – 100 Alan, from 8 hands and 2 signatures”.
    """
    said = f"{'ok  ' if check.passed else 'BAD '} {check.subject}: {check.finding}"
    return f"{said}, {check.facts_text}" if check.facts_text else said


def _check_log_file(path: Path, tournament: Tournament) -> list[VerificationCheck]:
    try:
        verdict = compare_log_with_database(*check_log_file(path.read_bytes(), load_trusted_public_keys()))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from None
    if verdict.tournament != tournament:
        return [VerificationCheck("log file", False, "it is the log of another tournament", kind="files")]
    found = [
        VerificationCheck(f"log file, {fault.place}", False, fault.message, kind="files") for fault in verdict.faults
    ]
    said, counts = f"{verdict.rows} rows, as they are on record", {"files": 1}
    return found or [
        VerificationCheck("log file", True, said, kind="files", counts=counts, facts={"log_rows": verdict.rows})
    ]
