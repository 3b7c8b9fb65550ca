"""What entering costs and until when, as it is now: a fee or a date that has passed is left out."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from tournament.models import Event
from tournament.purse import FeeTerms
from tournament.registration.selectors.partners import half_fee


@dataclass(frozen=True, slots=True)
class FeeNow:
    """The early fee, where it still holds, until that day; the fee after it."""

    fee_cents: int
    early_cents: int | None = None
    early_until: date | None = None


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """`is_open`: anybody can enter now. `half` is what one pays who looks for a partner; None: nobody does."""

    is_open: bool
    fee: FeeNow
    half: FeeNow | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None

    @property
    def kept_as(self) -> str:
        """What of it the time alone changes."""
        parts = (self.is_open, self.fee.early_cents is not None, self.opens_at is not None, self.closes_at is not None)
        return "".join(str(int(part)) for part in parts)


def entry_terms(event: Event, now: datetime) -> EntryTerms:
    today = now.astimezone(ZoneInfo(event.tournament.time_zone)).date()
    whole, half = FeeTerms(event.fee_cents, event.early_fee_cents, event.early_until), half_fee(event)
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
    if terms.early_until is None or today > terms.early_until:
        return FeeNow(terms.fee_cents)
    return FeeNow(terms.fee_cents, terms.early_fee_cents, terms.early_until)
