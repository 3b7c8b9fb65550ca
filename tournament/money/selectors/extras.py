"""The extras of an event: what is offered, who bought how many, and what they paid."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import groupby

from django.db.models import QuerySet

from tournament.models import Entrant, Event, EventExtra, LedgerLine
from tournament.money.selectors.ledger import Books, load_books, standing_extras
from tournament.purse import Account
from tournament.purse.side_pools import share_payment


@dataclass(frozen=True, slots=True)
class ExtraSold:
    """One extra that an entry bought: `line` is the primary key of its charge."""

    line: int
    number: int
    name: str
    cents: int
    paid_cents: int

    @property
    def owes_cents(self) -> int:
        return self.cents - self.paid_cents


@dataclass(frozen=True, slots=True)
class ExtraHolder:
    """An entry that has an extra, and how many. `line` is its last charge, which is the first to be given back."""

    number: int
    name: str
    count: int
    line: int
    owes_cents: int


@dataclass(frozen=True, slots=True)
class ExtraState:
    """An extra with one row for each piece that was sold and not given back, by entry number."""

    extra: EventExtra
    sold: tuple[ExtraSold, ...]
    was_sold: bool

    @property
    def paid_cents(self) -> int:
        return sum(one.paid_cents for one in self.sold)

    @property
    def holders(self) -> tuple[ExtraHolder, ...]:
        found = []
        for (number, name), rows in groupby(self.sold, key=lambda one: (one.number, one.name)):
            own = list(rows)
            found.append(ExtraHolder(number, name, len(own), own[-1].line, sum(one.owes_cents for one in own)))
        return tuple(found)


def lines_of_extras(event: Event) -> QuerySet[LedgerLine]:
    """Return all charges for extras in their order, including extras that were given back."""
    return event.ledger.filter(kind=LedgerLine.Kind.EXTRA).order_by("pk")


def extras_of(entrant: Entrant, account: Account) -> tuple[tuple[str, int], ...]:
    """Return the names and the numbers of an entry's extras, in the order of purchase.

    No query is made if the account has no extras.
    """
    if not account.extra_owed_cents:
        return ()
    return tuple(Counter(standing_extras(entrant).values_list("reference", flat=True)).items())


def load_extras(event: Event, books: Books | None = None) -> tuple[ExtraState, ...]:
    """Return all extras of an event, in the order in which they were added."""
    extras = list(event.extras.all())
    if not extras:
        return ()
    sold = _sold(event, books or load_books(event))
    named = set(lines_of_extras(event).values_list("reference", flat=True))
    return tuple(ExtraState(extra, sold.get(extra.name, ()), extra.name in named) for extra in extras)


def _sold(event: Event, books: Books) -> dict[str, tuple[ExtraSold, ...]]:
    """Return the sold extras by the extra's name. Payments go to the extra that the entry bought first."""
    by_entrant: dict[int, list[LedgerLine]] = defaultdict(list)
    for line in lines_of_extras(event).filter(corrected_by=None).select_related("entrant__joined_to"):
        by_entrant[line.entrant.joined_to_id or line.entrant_id].append(line)
    found: dict[str, list[ExtraSold]] = defaultdict(list)
    for entrant_id, lines in by_entrant.items():
        paid = share_payment(books.account(entrant_id).extra_collected_cents, [line.cents for line in lines])
        for line, cents in zip(lines, paid, strict=True):
            whose = line.entrant.joined_to or line.entrant
            found[line.reference].append(ExtraSold(line.pk, whose.number, whose.name, line.cents, cents))
    return {name: tuple(sorted(own, key=lambda one: (one.number, one.line))) for name, own in found.items()}
