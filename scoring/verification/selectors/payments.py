"""Compare the reported bank transfers and card payments of a tournament with the log."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet

from scoring.verification.selectors.checks import Check
from tournament.core.selectors.log import columns_digest, row_digest
from tournament.models import BankTransfer, CardEvent, CardPayment, Event, Tournament, TransferMatch
from tournament.models.base import Fact
from tournament.money.selectors.incoming import TOLD

VERBS: Final = (
    "transfer.taken-in",
    "transfer.matched",
    "transfer.set-aside",
    "card.started",
    "card.told",
    "card.matched",
    "card.set-aside",
)
"""The log verbs of acts that add such a row."""
NAMES: Final = ("transfers", "transfer_matches", "card_payments", "card_events")
Digests = dict[tuple[str, int], str]
"""The digest of each row, by its name in the log and its key."""


def check_payments(event: Event) -> Iterator[Check]:
    """Check the event's whole tournament. Nothing is yielded if the log has no such row.

    The state of a message can change, and that is a line of the ledger. Rows older than the first digest are not
    checked.
    """
    logged, since = _logged(event.tournament)
    if since is None:
        return
    there = _rows(event.tournament, since, [pk for name, pk in logged if name == "card_events"])
    differ = sorted(key for key in logged.keys() | there.keys() if logged.get(key) != there.get(key))
    said = f"{len(there)} rows as they were reported"
    said += f"; not as recorded: {', '.join(f'{name} {pk}' for name, pk in differ[:5])}" if differ else ""
    yield Check("transfers and cards", not differ, said.replace("_", " "), kind="ledger")


def _rows(tournament: Tournament, since: datetime, settled: Sequence[int]) -> Digests:
    facts: dict[str, QuerySet[Fact]] = {
        "transfers": BankTransfer._default_manager.filter(tournament=tournament),
        "transfer_matches": TransferMatch._default_manager.filter(transfer__tournament=tournament),
        "card_payments": CardPayment._default_manager.filter(event__tournament=tournament),
    }
    found = {(name, row.pk): row_digest(row) for name, rows in facts.items() for row in rows.filter(at__gte=since)}
    about_here = Q(payment__event__tournament=tournament, at__gte=since) | Q(pk__in=settled)
    told = CardEvent.objects.filter(about_here)
    return found | {("card_events", row.pk): columns_digest(row, TOLD) for row in told}


def _logged(tournament: Tournament) -> tuple[Digests, datetime | None]:
    """Return the digests in the log, and the time of the first one."""
    found: Digests = {}
    since = None
    for at, data in tournament.log.filter(verb__in=VERBS).order_by("pk").values_list("at", "data"):
        for name in NAMES:
            found |= {(name, entry["pk"]): entry["digest"] for entry in data.get(name, ())}
        since = since or (at if found else None)
    return found, since
