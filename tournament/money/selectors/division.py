"""The division of an event's pool among its places."""

from tournament.models import Entrant, Event
from tournament.purse import Division, FlatAmounts, make_scale, make_table


def count_entries(event: Event) -> int:
    """Count the entries that play, or played until they were withdrawn. A table of scales depends on this number."""
    return event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).count()


def division_of(event: Event, entries: int) -> Division:
    """Return the scale or the flat amounts for a field of this many entries."""
    if event.prizes_by == Event.PrizesBy.FLAT:
        return FlatAmounts(tuple(event.flat_cents))
    if event.prizes_by == Event.PrizesBy.TABLE:
        return make_table(event.prize_table, event.unit_cents).scale_for(entries)
    return make_scale(event.prize_scale, event.unit_cents)


def division_now(event: Event) -> Division:
    """Return the division for the current entries. The entries are counted only if the division depends on them."""
    by_entries = event.prizes_by == Event.PrizesBy.TABLE
    return division_of(event, count_entries(event) if by_entries else 0)


def promised_cents(event: Event) -> int:
    """Return the cents that the pool has at least: the guarantee or the sum of the flat amounts, whichever is more.

    Flat amounts were announced, so they are paid as written.
    """
    flat = sum(event.flat_cents) if event.prizes_by == Event.PrizesBy.FLAT else 0
    return max(event.guarantee_cents or 0, flat)
