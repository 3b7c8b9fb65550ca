"""The choices of an entry: a partner or none, a pool, a side and a site, and the fees and dates that hold today."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from tournament.core.selectors.events import kept_player
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import fee_terms_of
from tournament.purse import FeeTerms, fee_for
from tournament.registration.selectors.entries import load_standing, members_of


def draws_partners(event: Event) -> bool:
    """Return whether a player may enter this event alone and ask for a partner."""
    return event.entry_size == 2 and event.partners != Event.Partners.TOGETHER


def has_two_pools(event: Event) -> bool:
    return draws_partners(event) and event.partners == Event.Partners.TWO_POOLS


def load_seeking(event: Event) -> QuerySet[Entrant]:
    """Return the entrants who wait for a partner, in order of number."""
    return event.entrants.filter(state=Entrant.State.SEEKING).order_by("number")


def load_put_together(event: Event) -> list[tuple[Entrant, list[Entrant]]]:
    """Return the pairs that were made of two seeking entries and were not split, each with its halves."""
    pairs = event.entrants.filter(halves__isnull=False).distinct().prefetch_related("halves").order_by("number")
    return [(pair, sorted(pair.halves.all(), key=lambda half: half.number)) for pair in pairs]


def load_sign_codes(entrant: Entrant) -> list[str]:
    """Return the codes that sign for an entry, including those of a pair's halves whose players still play in it.

    A half has its code from the day it entered, perhaps on paper. A replaced player can no longer sign.
    """
    codes = [entrant.sign_code]
    halves = list(entrant.halves.all())
    if not halves:
        return codes
    playing = {kept_player(member.player).pk for member in members_of(entrant)}
    for half in halves:
        own = {kept_player(member.player).pk for member in members_of(half)}
        codes += [half.sign_code] if own & playing else []
    return codes


@dataclass(frozen=True, slots=True)
class WhySeeking:
    others: int
    two_pools: bool
    pool: str
    other_pool: str
    in_other_pool: int
    left_over: bool


def why_seeking(entrant: Entrant) -> WhySeeking | None:
    if entrant.state != Entrant.State.SEEKING:
        return None
    pools = list(load_seeking(entrant.event).exclude(pk=entrant.pk).values_list("pool", flat=True))
    other = {"A": "B", "B": "A"}.get(entrant.pool, "")
    return WhySeeking(
        others=len(pools),
        two_pools=has_two_pools(entrant.event),
        pool=entrant.pool,
        other_pool=other,
        in_other_pool=pools.count(other) if other else 0,
        left_over=load_standing(entrant).left_over,
    )


# --- Fees and dates --------------------------------------------------------------------------------------------------
# Fees and dates that have passed are left out.


@dataclass(frozen=True, slots=True)
class _CurrentFee:
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
    fee: _CurrentFee
    half: _CurrentFee | None = None
    opens_at: datetime | None = None
    closes_at: datetime | None = None

    @property
    def cache_key(self) -> str:
        """Return a cache key that changes when the passing of time changes the terms."""
        fees = (self.fee.early_cents is not None, self.fee.late_cents is not None)
        parts = (self.is_open, *fees, self.opens_at is not None, self.closes_at is not None)
        return "".join(str(int(part)) for part in parts)


def entry_terms(event: Event, now: datetime) -> EntryTerms:
    today = now.astimezone(ZoneInfo(event.tournament.time_zone)).date()
    fee = fee_terms_of(event)
    is_to_come = event.opens_at is not None and now < event.opens_at
    is_past = event.closes_at is not None and now > event.closes_at
    takes = event.state == Event.State.OPEN and not is_past
    return EntryTerms(
        takes and not is_to_come,
        _current_fee(fee, today),
        _current_fee(fee.for_half_a_pair(), today) if draws_partners(event) else None,
        event.opens_at if takes and is_to_come else None,
        event.closes_at if takes else None,
    )


def _current_fee(terms: FeeTerms, today: date) -> _CurrentFee:
    if terms.late_from is not None and today >= terms.late_from:
        return _CurrentFee(fee_for(terms, today))
    late = (terms.late_fee_cents, terms.late_from)
    if terms.early_until is None or today > terms.early_until:
        return _CurrentFee(terms.fee_cents, None, None, *late)
    return _CurrentFee(terms.fee_cents, terms.early_fee_cents, terms.early_until, *late)


# --- Sides -----------------------------------------------------------------------------------------------------------
# Only an event in which two sides turn against each other has sides.

SideNames = tuple[str, str]


def side_names(event: Event) -> SideNames | None:
    """Return the names of the left and the right side, or None if the event has no sides."""
    names = event.plan["stages"][0].get("sides")
    return (str(names[0]), str(names[1])) if names else None


def side_choices(event: Event) -> list[tuple[str, str]]:
    """Return the value and name of each side for forms, or an empty list if the event has no sides."""
    return list(zip(Entrant.Side.values, side_names(event) or (), strict=False))


def load_sideless(event: Event) -> list[Entrant]:
    """Return the accepted entrants without a side, by number. The list is empty if the event has no sides."""
    if side_names(event) is None:
        return []
    return list(event.entrants.filter(state=Entrant.State.IN, side="").order_by("number"))


def side_name(entrant: Entrant) -> str:
    """Return the name of the entrant's side, or an empty string if there is none."""
    return dict(side_choices(entrant.event)).get(entrant.side, "")


# --- Sites -----------------------------------------------------------------------------------------------------------


def sites_of(event: Event) -> list[str]:
    """Return the event's site names in the order of the settings. An event at one place has none."""
    return [str(name) for name in event.sites]


def load_without_site(event: Event, numbers: Iterable[int]) -> list[Entrant]:
    """Return the entries with these numbers that have none of the event's sites, in order of number."""
    return list(event.entrants.filter(number__in=list(numbers)).exclude(site__in=sites_of(event)).order_by("number"))
