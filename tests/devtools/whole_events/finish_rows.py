"""How an event ended, by its rows: the finish on record, whether it came early, and what was handed over."""

from __future__ import annotations

from collections import defaultdict

from tournament.models import EndedEarly, Event, EventMoney, Finish, LedgerLine, PaidOut, Withholding


def read_paid_out(event: Event) -> dict[int, int]:
    """What was handed over and not taken back since, by entry number."""
    paid: dict[int, int] = defaultdict(int)
    rows = PaidOut.objects.filter(event=event, reverses__isnull=True, reversed_by__isnull=True, of_pool=None)
    for number, cents in rows.values_list("entrant__number", "cents"):
        paid[number] += cents
    return dict(paid)


def read_withheld(event: Event) -> int:
    """What was withheld of payouts that were not undone, of side pools as well."""
    rows = Withholding.objects.filter(paid_out__event=event)
    standing = rows.filter(paid_out__reverses__isnull=True, paid_out__reversed_by__isnull=True)
    return sum(standing.values_list("cents", flat=True))


def read_donations(event: Event) -> int:
    """Return the donations that were not reversed, in cents."""
    rows = LedgerLine.objects.filter(event=event, kind="donation", corrected_by__isnull=True)
    return sum(rows.values_list("cents", flat=True))


def read_spent(event: Event) -> dict[str, int]:
    """What was spent and not reversed, by category."""
    spent: dict[str, int] = defaultdict(int)
    rows = EventMoney.objects.filter(event=event, kind="expense", reverses__isnull=True, reversed_by__isnull=True)
    for category, cents in rows.values_list("category", "cents"):
        spent[category] += cents
    return dict(spent)


def read_finish(event: Event) -> tuple[tuple[int, ...], ...] | None:
    if event.state != "finished":
        return None
    last = Finish.objects.filter(event=event).order_by("pk").last()
    return tuple(tuple(level) for level in last.places) if last else None


def read_ended_early(event: Event) -> bool:
    """Whether the finish that holds is the standings as they were."""
    last = Finish.objects.filter(event=event).order_by("pk").last()
    return event.state == "finished" and EndedEarly.objects.filter(finish=last).exists()
