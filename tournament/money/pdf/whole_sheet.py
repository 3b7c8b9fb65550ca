"""The money of a whole tournament as words and amounts, for its page and its files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import Drawer
from tournament.money.pdf.close_sheet import Section
from tournament.money.selectors.whole import EventFigures, Sums, WholeMoney
from tournament.money.words import method_label
from tournament.purse.ledger.journal import Unit
from tournament.templatetags.gin import day_in_year, money

POOLS: Final = {
    "collected": gettext_lazy("Fees collected"),
    "added": gettext_lazy("Added money"),
    "subsidy": gettext_lazy("For promised prizes"),
    "pool": gettext_lazy("Prize pool"),
    "expenses": gettext_lazy("Expenses"),
}
USED: Final = {
    "side": gettext_lazy("Side pools"),
    "extras": gettext_lazy("Extras"),
    "spent": gettext_lazy("Spent"),
    "left": gettext_lazy("Left"),
    "paid_out": gettext_lazy("Paid out"),
    "withheld": gettext_lazy("Withheld taxes on hand"),
}
RARE: Final = ("subsidy", "side", "extras", "withheld")
"""Columns that are left out if they are zero in all events."""
OPEN: Final = {
    "owed_by": gettext_lazy("Players owe"),
    "owed_to": gettext_lazy("To refund"),
    "to_pay": gettext_lazy("Prizes to pay"),
    "to_get_back": gettext_lazy("Prizes to collect"),
}
"""Figures by their names in `EventFigures`."""


def whole_sections(whole: WholeMoney, currency: str) -> Iterator[Section]:
    """Yield tables of events, open items, and money in hand by day and by drawer, without empty ones."""
    named = [(event.name, figures) for event, figures in whole.events]
    if named:
        yield _of_events(_("Events"), named, _shown(POOLS, whole), currency)
        yield _of_events(_("Spent and paid out"), named, _shown(USED, whole), currency)
    if whole.total.is_open:
        still_open = [(name, figures) for name, figures in named if figures.is_open]
        yield _of_events(_("Open items"), still_open, OPEN, currency)
    if whole.methods:
        days = [(_day(day), sums) for day, sums in whole.by_day]
        yield _in_hand(_("Money in and out by day"), _("Business day"), days, whole, currency)
        places = [(_place(drawer), sums) for drawer, sums in whole.by_place]
        yield _in_hand(_("Money on hand by drawer"), _("Where"), places, whole, currency)


def _shown(columns: Mapping[str, Any], whole: WholeMoney) -> dict[str, Any]:
    return {name: label for name, label in columns.items() if name not in RARE or getattr(whole.total, name)}


def _of_events(title: str, rows: Iterable[tuple[str, EventFigures]], shown: dict[str, Any], currency: str) -> Section:
    found = list(rows)
    cells = tuple((name, *_amounts(figures, shown, currency)) for name, figures in found)
    sums = (sum(getattr(figures, one) for _name, figures in found) for one in shown)
    total = (_("All events"), *(money(cents, currency) for cents in sums))
    return Section(title, (_("Event"), *map(str, shown.values())), cells, total, wide=True)


def _amounts(figures: EventFigures, shown: Iterable[str], currency: str) -> list[str]:
    return [money(getattr(figures, name), currency) for name in shown]


def _in_hand(title: str, first: str, rows: Sequence[tuple[str, Sums]], whole: WholeMoney, currency: str) -> Section:
    """Return a table with a column for each method and one for their sum. Its last line is the money in hand."""
    methods = whole.methods

    def cells(name: str, sums: Sums) -> tuple[str, ...]:
        amounts = [*(sums.get(method, 0) for method in methods), sum(sums.values())]
        return (name, *(money(cents, currency) for cents in amounts))

    headings = (first, *map(method_label, methods), _("Together"))
    lines = tuple(cells(name, sums) for name, sums in rows)
    return Section(title, headings, lines, cells(_("Money on hand"), whole.in_hand), wide=True)


def _day(day: Any) -> str:
    return day_in_year(day) if day is not None else _("Before business days were recorded")


def _place(drawer: Drawer | None) -> str:
    return f"{drawer.name}: {drawer.cashier}" if drawer is not None else _("The safe")


def event_rows(whole: WholeMoney, unit: Unit) -> Iterator[list[Any]]:
    """Yield all figures of every event, and their sums, as numbers for a spreadsheet."""
    named = {**POOLS, **USED, **OPEN}
    yield [_("Event"), *map(str, named.values())]
    for name, figures in [*((event.name, found) for event, found in whole.events), (_("All events"), whole.total)]:
        yield [name, *(_number(getattr(figures, one), unit) for one in named)]


def moved_rows(whole: WholeMoney, unit: Unit) -> Iterator[list[Any]]:
    """Yield the money that came in less the money that went out. The sum is the money in hand."""
    yield [_("Business day"), _("Where"), _("How"), _("Amount")]
    for one in whole.moved:
        day = one.day.isoformat() if one.day is not None else ""
        yield [day, _place(one.drawer), method_label(one.method), _number(one.cents, unit)]


def _number(cents: int, unit: Unit) -> Decimal:
    return Decimal(cents).scaleb(-unit.digits)
