"""Verify events whose rows come from factories, which write nothing to the log."""

from __future__ import annotations

from scoring.verification.selectors.checks import VerificationCheck, load_rows_to_check
from scoring.verification.selectors.event import verify_event as verify_every_row
from tests.kit import fresh
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.core.topics import record_changed_rows
from tournament.models import Event


def verify_event(event: Event) -> list[VerificationCheck]:
    """Run all checks of an event, except the check of every row against the log.

    `test_every_row` and the tests with random events cover that check.
    """
    return [check for check in verify_every_row(event) if check.kind != "rows"]


def put_on_record(event: Event) -> None:
    """Add a digest of every current row to the log, as a write would do."""
    with writing(event, verb="record.digests-added", by=SYSTEM_ACTOR):
        for model, rows in load_rows_to_check(event).items():
            record_changed_rows(model, rows)


def failed_checks(event: Event) -> list[str]:
    return [f"{check.subject}: {check.finding}" for check in verify_event(fresh(event)) if not check.passed]
