"""Entries that ask for a partner, their pools, and the codes that sign for a pair."""

from dataclasses import dataclass

from django.db.models import QuerySet

from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import fee_terms_of
from tournament.people.selectors import kept_player
from tournament.purse import FeeTerms
from tournament.registration.selectors.entrants import load_standing, members_of


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


def half_fee(event: Event) -> FeeTerms | None:
    """Return the fee of a player who asks for a partner, or None if the event draws no partners."""
    if not draws_partners(event):
        return None
    return fee_terms_of(event).for_half_a_pair()


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
