"""The ledger for accounting programs: movements by business day, and the balance of each account."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from babel.numbers import get_currency_precision
from django.db.models import F, QuerySet

from tournament.models import Event, Movement, Posting, Tournament
from tournament.money.selectors.movements import with_facts
from tournament.purse.ledger.journal import AccountNames, JournalLine, Unit

ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Ledger:
    """The movements of an event, or of all events of a tournament."""

    tournament: Tournament
    event: Event | None = None

    def movements(self) -> QuerySet[Movement]:
        rows = Movement.objects.filter(tournament=self.tournament)
        return rows if self.event is None else rows.filter(event=self.event)

    def postings(self) -> QuerySet[Posting]:
        rows = Posting.objects.filter(tournament=self.tournament)
        return rows if self.event is None else rows.filter(event=self.event)

    @property
    def unit(self) -> Unit:
        currency = self.tournament.currency
        return Unit(currency, get_currency_precision(currency))


def movements_by_day(ledger: Ledger) -> Iterator[Movement]:
    """Return all movements by business day, with their facts and postings, streamed in batches."""
    rows = with_facts(ledger.movements()).select_related("event").prefetch_related("postings")
    return rows.order_by(F("day").asc(nulls_first=True), "pk").iterator(chunk_size=ROWS_AT_ONCE)


def business_day(row: Movement, tournament: Tournament) -> date:
    return row.day or row.fact.at.astimezone(ZoneInfo(tournament.time_zone)).date()


def lines_of_journal(row: Movement, names: AccountNames) -> tuple[JournalLine, ...]:
    postings = sorted(row.postings.all(), key=lambda one: one.pk)
    return tuple(
        JournalLine(names.of(one.account, method=one.method, category=one.category), one.cents) for one in postings
    )


def balances_of(ledger: Ledger) -> list[tuple[str, int]]:
    """Return the balance of each account by its exported name. The balances add up to zero."""
    names, sums = AccountNames(), Counter[str]()
    rows = ledger.postings().order_by("day", "movement", "pk").values_list("account", "method", "category", "cents")
    for account, method, category, cents in rows.iterator(chunk_size=ROWS_AT_ONCE):
        sums[names.of(account, method=method, category=category)] += cents
    return sorted(sums.items())
