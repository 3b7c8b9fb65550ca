"""What was handed over of the prizes, and what is open: computed from the rows that stand and what everybody won."""

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
    """What is still open of a prize, in cents: `cents` were won, `paid_cents` handed over."""

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
    """An entry that has another amount than it won."""

    number: int
    name: str
    cents: int
    paid_cents: int
    back_cents: int = 0
    """What they give back in hand: less than they were paid too much, where some of that was withheld."""


def standing_payouts(event: Event, pool: SidePool | None = None) -> QuerySet[PaidOut]:
    """The rows that count: prizes of the event, or awards of a side pool, handed over and not undone."""
    return event.paid_out.filter(reverses__isnull=True, reversed_by__isnull=True, of_pool__pool=pool)


def load_paid(event: Event) -> dict[int, int]:
    """Entry number → cents of its prize that it has; entries that have nothing are left out. Side pools are apart."""
    rows = sums_by(event.postings.filter(account=AccountKind.PRIZES), "entrant__number")
    return {number: cents for (number,), cents in rows if cents}


def count_paid(event: Event) -> int:
    """How many prizes and awards of side pools were handed over, in whole or in part."""
    rows = event.postings.filter(account__in=(AccountKind.PRIZES, AccountKind.SIDE_PRIZES))
    return sum(cents != 0 for _key, cents in sums_by(rows, "account", "category", "entrant"))


def paid_to(entrant: Entrant, pool: SidePool | None = None) -> int:
    """What an entry has of its prize, or of its award of a side pool."""
    rows = Posting.objects.filter(entrant=entrant, account=AccountKind.PRIZES)
    if pool is not None:
        rows = Posting.objects.filter(entrant=entrant, account=AccountKind.SIDE_PRIZES, category=pool.name)
    return sum(cents for _account, cents in sums_by(rows, "account"))


def withheld_from_entry(entrant: Entrant, pool: SidePool | None = None) -> int:
    """What was withheld of the payouts that count of its prize, or of its award of a side pool."""
    rows = Withholding.objects.filter(paid_out__in=standing_payouts(entrant.event, pool).filter(entrant=entrant))
    return sum(rows.values_list("cents", flat=True))


def cash_back(entrant: Entrant, won_cents: int, pool: SidePool | None = None) -> int:
    """What an entry that was paid more than it won gives back in hand: what was withheld of it is here already."""
    rows = standing_payouts(entrant.event, pool).filter(entrant=entrant).select_related("withholding")
    return bring_down(as_paid_prizes(rows.order_by("-pk")), won_cents).back_cents


def won_of(payout: Payout | None) -> dict[int, int]:
    return {award.entry: award.cents for award in payout.awards} if payout is not None else {}


def wrong_payouts(event: Event, won: Mapping[int, int]) -> tuple[WrongPayout, ...]:
    """Return who was paid another amount than they won, by entry number. Nobody who was paid nothing is among them.

    An entry without a prize that still has money is one, and a winner who was paid a part.
    """
    paid = load_paid(event)
    wrong = sorted(number for number, cents in paid.items() if won.get(number, 0) != cents)
    who = {one.number: one for one in event.entrants.filter(number__in=wrong)} if wrong else {}
    found = []
    for number in wrong:
        back = cash_back(who[number], won.get(number, 0)) if paid[number] > won.get(number, 0) else 0
        found.append(WrongPayout(number, who[number].name, won.get(number, 0), paid[number], back))
    return tuple(found)
