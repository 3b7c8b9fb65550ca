"""Prize money that was handed over, and what is still to be paid or to be returned."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from tournament.models import Entrant, Event, PaidOut, Posting, SidePool, Withholding
from tournament.money.selectors.movements import sums_by
from tournament.money.selectors.withheld import as_paid_prizes
from tournament.purse import Payout
from tournament.purse.ledger.postings import AccountKind
from tournament.purse.withholding import bring_down


class Settling:
    """The open part of a prize, in cents: `cents` were won, `paid_cents` were paid."""

    __slots__ = ()
    cents: int
    paid_cents: int

    @property
    def to_pay_cents(self) -> int:
        return max(0, self.cents - self.paid_cents)

    @property
    def to_get_back_cents(self) -> int:
        return max(0, self.paid_cents - self.cents)


@dataclass(frozen=True, slots=True)
class WrongPayout(Settling):
    """An entry that was paid another amount than it won."""

    number: int
    name: str
    cents: int
    paid_cents: int
    back_cents: int = 0
    """The cents that the player hands back: less than they were overpaid if part of the prize was withheld."""


def standing_payouts(event: Event, pool: SidePool | None = None) -> QuerySet[PaidOut]:
    """Return the payouts that count, for prizes of the event or for awards of a side pool."""
    return event.paid_out.filter(reverses__isnull=True, reversed_by__isnull=True, of_pool__pool=pool)


def load_paid(event: Event) -> dict[int, int]:
    """Map entry numbers to the cents of their prizes that were paid.

    Side pools and entries without any are left out.
    """
    rows = sums_by(event.postings.filter(account=AccountKind.PRIZES), "entrant__number")
    return {number: cents for (number,), cents in rows if cents}


def count_paid(event: Event) -> int:
    """Count the prizes and side-pool awards that were paid in whole or in part."""
    rows = event.postings.filter(account__in=(AccountKind.PRIZES, AccountKind.SIDE_PRIZES))
    return sum(cents != 0 for _key, cents in sums_by(rows, "account", "category", "entrant"))


def paid_to(entrant: Entrant, pool: SidePool | None = None) -> int:
    """Return the paid cents of an entry's prize, or of its award of a side pool."""
    rows = Posting.objects.filter(entrant=entrant, account=AccountKind.PRIZES)
    if pool is not None:
        rows = Posting.objects.filter(entrant=entrant, account=AccountKind.SIDE_PRIZES, category=pool.name)
    return sum(cents for _account, cents in sums_by(rows, "account"))


def withheld_from_entry(entrant: Entrant, pool: SidePool | None = None) -> int:
    """Return the cents withheld from the counted payouts of an entry's prize, or of its award of a side pool."""
    rows = Withholding.objects.filter(paid_out__in=standing_payouts(entrant.event, pool).filter(entrant=entrant))
    return sum(rows.values_list("cents", flat=True))


def cash_back(entrant: Entrant, won_cents: int, pool: SidePool | None = None) -> int:
    """Return the cents that an overpaid entry hands back. Money that was withheld never left the organizer."""
    rows = standing_payouts(entrant.event, pool).filter(entrant=entrant).select_related("withholding")
    return bring_down(as_paid_prizes(rows.order_by("-pk")), won_cents).back_cents


def won_of(payout: Payout | None) -> dict[int, int]:
    return {award.entry: award.cents for award in payout.awards} if payout is not None else {}


def wrong_payouts(event: Event, won: Mapping[int, int]) -> tuple[WrongPayout, ...]:
    """Return the entries that were paid, but not exactly their prize, by entry number.

    These include entries that were paid and have no prize, and winners who were paid in part.
    """
    paid = load_paid(event)
    wrong = sorted(number for number, cents in paid.items() if won.get(number, 0) != cents)
    who = {one.number: one for one in event.entrants.filter(number__in=wrong)} if wrong else {}
    found = []
    for number in wrong:
        back = cash_back(who[number], won.get(number, 0)) if paid[number] > won.get(number, 0) else 0
        found.append(WrongPayout(number, who[number].name, won.get(number, 0), paid[number], back))
    return tuple(found)
