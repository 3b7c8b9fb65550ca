"""The desk's list of entries for check-in and payments, with search, filters and links to each filter."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tournament.core.selectors.entry_names import MOST_WORDS, goes_by_other_name, has_words, load_real_names
from tournament.models import Entrant, Event, LedgerLine
from tournament.money.selectors.ledger import Books
from tournament.money.selectors.transfers import entrants_by_reference
from tournament.money.tables import LISTED, DeskRow
from tournament.purse import Account
from tournament.spreadsheets.keys import plain_letters
from tournament.spreadsheets.numbers import typed_number

Filter = tuple[Any, Callable[[DeskRow], bool]]
OWES: Filter = (_("Owes money"), lambda row: row.due > 0)
IS_OWED: Filter = (_("Due a refund"), lambda row: row.due < 0)
MISSING: Filter = (_("Not checked in"), lambda row: row.may_arrive and not row.arrived)
IS_OUT: Final = (Entrant.State.WITHDRAWN, Entrant.State.REFUSED)
"""The states of entries that left before the draw. A director decides whether their fee is given back."""
PAID: Filter = (_("Paid"), lambda row: row.due == 0 and row.paid > 0)


@dataclass(frozen=True, slots=True)
class FilterLink:
    label: Any
    count: int
    url: str
    current: bool


@dataclass(frozen=True, slots=True)
class DeskList:
    """The desk's list of entries: `everybody` without search and filter, and the listed `rows`.

    If no row is left, `elsewhere` counts the rows that only the filter hides. `unlisted` has matching entries that the
    list leaves out, such as those waiting for approval.
    """

    everybody: list[DeskRow]
    rows: list[DeskRow]
    query: str
    only: str
    filters: list[FilterLink]
    elsewhere: int
    unlisted: list[Entrant]


def load_desk_list(
    request: HttpRequest,
    event: Event,
    books: Books,
    filters: Mapping[str, Filter],
    *,
    all_money: bool = False,
) -> DeskList:
    """Load the desk's list. Search and filter are in the address, and a filter's link ends the search.

    With `all_money`, also list every entry with an amount in the books, so that the rows add up to the books.
    """
    query, only = request.GET.get("q", "").strip(), request.GET.get("only", "")
    only = only if only in filters else ""
    everybody = _rows(event, books, all_money)
    links = [FilterLink(_("All"), len(everybody), "?", not only)]
    for name, (label, is_one) in filters.items():
        links.append(FilterLink(label, sum(map(is_one, everybody)), "?" + urlencode({"only": name}), only == name))
    referenced = {one.number for one in entrants_by_reference(event.tournament, query) if one.event_id == event.pk}
    found = [row for row in everybody if row.number in referenced or _is_found(row, query)]
    rows = [row for row in found if not only or filters[only][1](row)]
    listed = {row.number for row in everybody}
    others = event.entrants.exclude(number__in=listed).order_by("number") if query and not found else ()
    unlisted = [entrant for entrant in others if _is_found(entrant, query)]
    return DeskList(everybody, rows, query, only, links, 0 if rows else len(found), unlisted)


def _is_found(row: DeskRow | Entrant, query: str) -> bool:
    """Return whether the row has this number, or all words of the query in its name or club, ignoring accents."""
    number = typed_number(query)
    if number is not None:
        return row.number == number
    known_as = row.about if isinstance(row, DeskRow) else row.club
    return has_words(f"{row.name} {known_as}", plain_letters(query[:200]).split()[:MOST_WORDS])


def _rows(event: Event, books: Books, all_money: bool) -> list[DeskRow]:
    methods: dict[int, dict[str, None]] = defaultdict(dict)
    whose = Coalesce("entrant__joined_to_id", "entrant_id")
    paid = event.ledger.filter(kind=LedgerLine.Kind.PAYMENT, corrected_by=None).values_list(whose, "method")
    for entrant_id, method in paid:
        methods[entrant_id][str(LedgerLine.Method(method).label)] = None
    entrants = event.entrants.order_by("sort_key", "number")
    listed = entrants if all_money else entrants.filter(state__in=LISTED)
    found = list(
        listed.annotate(is_alias=goes_by_other_name()).values_list(
            "pk", "number", "name", "club", "sort_key", "arrived", "state", "is_alias"
        )
    )
    real = load_real_names([pk for pk, *_row, is_alias in found if is_alias])
    return [
        DeskRow(number, name, club, key, arrived, state, books.account(pk), ", ".join(methods[pk]), real.get(pk, ""))
        for pk, number, name, club, key, arrived, state, _is_alias in found
        if state in LISTED or _counts(books.account(pk))
    ]


def _counts(account: Account) -> bool:
    return bool(account.asked_cents or account.kept_cents or account.balance_cents)
