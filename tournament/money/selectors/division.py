"""How the pool of an event is divided among its places."""

from tournament.models import Entrant, Event
from tournament.purse import Division, FlatAmounts, make_scale, make_table


def count_entries(event: Event) -> int:
    """Entries that play, or played until they were withdrawn: a table of scales goes by them."""
    return event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.REMOVED]).count()


def division_of(event: Event, entries: int) -> Division:
    """Return the scale or the amounts for a field of so many entries."""
    if event.prizes_by == Event.PrizesBy.FLAT:
        return FlatAmounts(tuple(event.flat_cents))
    if event.prizes_by == Event.PrizesBy.TABLE:
        return make_table(event.prize_table, event.unit_cents).scale_for(entries)
    return make_scale(event.prize_scale, event.unit_cents)


def division_now(event: Event) -> Division:
    """By the entries there are; they are counted only where the division goes by them."""
    by_entries = event.prizes_by == Event.PrizesBy.TABLE
    return division_of(event, count_entries(event) if by_entries else 0)


def promised_cents(event: Event) -> int:
    """What the pool has at least: the guarantee, and flat amounts, which were announced and are paid as written."""
    flat = sum(event.flat_cents) if event.prizes_by == Event.PrizesBy.FLAT else 0
    return max(event.guarantee_cents or 0, flat)
