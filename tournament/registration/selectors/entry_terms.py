"""The cost and the time limits of entering. Fees and dates that have passed are left out."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from tournament.models import Event
from tournament.money.selectors.ledger import fee_terms_of
from tournament.purse import FeeTerms, fee_for
from tournament.registration.selectors.partners import half_fee


@dataclass(frozen=True, slots=True)
class FeeNow:
    """The fee that holds today, with an early-bird fee and a coming late fee if there are any. Amounts are in cents."""

    fee_cents: int
    early_cents: int | None = None
    early_until: date | None = None
    late_cents: int | None = None
    late_from: date | None = None


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """The terms of an entry. `half` is the fee of a player who asks for a partner, or None if the event draws none."""

    is_open: bool
    fee: FeeNow
    half: FeeNow | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None

    @property
    def kept_as(self) -> str:
        """Return a cache key that changes when the passing of time changes the terms."""
        fees = (self.fee.early_cents is not None, self.fee.late_cents is not None)
        parts = (self.is_open, *fees, self.opens_at is not None, self.closes_at is not None)
        return "".join(str(int(part)) for part in parts)


def entry_terms(event: Event, now: datetime) -> EntryTerms:
    today = now.astimezone(ZoneInfo(event.tournament.time_zone)).date()
    whole, half = fee_terms_of(event), half_fee(event)
    is_to_come = event.opens_at is not None and now < event.opens_at
    is_past = event.closes_at is not None and now > event.closes_at
    takes = event.state == Event.State.OPEN and not is_past
    return EntryTerms(
        takes and not is_to_come,
        _fee_now(whole, today),
        _fee_now(half, today) if half is not None else None,
        event.opens_at if takes and is_to_come else None,
        event.closes_at if takes else None,
    )


def _fee_now(terms: FeeTerms, today: date) -> FeeNow:
    if terms.late_from is not None and today >= terms.late_from:
        return FeeNow(fee_for(terms, today))
    late = (terms.late_fee_cents, terms.late_from)
    if terms.early_until is None or today > terms.early_until:
        return FeeNow(terms.fee_cents, None, None, *late)
    return FeeNow(terms.fee_cents, terms.early_fee_cents, terms.early_until, *late)
