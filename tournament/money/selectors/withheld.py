"""Money withheld from prizes for taxes, of one payout and of a whole event."""

from collections.abc import Iterable

from tournament.models import Event, PaidOut, Withholding
from tournament.money.selectors.movements import sums_by, withholding_of
from tournament.purse.ledger.postings import AccountKind
from tournament.purse.withholding import PaidPrize


def withheld_here(event: Event) -> int:
    """Return the cents that were withheld and not yet sent to the tax office."""
    rows = event.postings.filter(account=AccountKind.WITHHELD)
    return -sum(cents for _account, cents in sums_by(rows, "account"))


def withheld_of(paid: PaidOut) -> int:
    found = withholding_of(paid)
    return found.cents if found is not None else 0


def withheld_from(paid: Iterable[PaidOut]) -> int:
    return sum(withheld_of(one) for one in paid)


def as_paid_prizes(newest_first: Iterable[PaidOut]) -> list[PaidPrize]:
    return [PaidPrize(one.cents, withheld_of(one)) for one in newest_first]


def what_for(paid: Iterable[PaidOut]) -> str:
    """Return the reasons for withholding, each once: “Backup withholding, 24%”."""
    found: list[Withholding | None] = [withholding_of(one) for one in paid]
    return "; ".join(dict.fromkeys(one.reason for one in found if one is not None))
