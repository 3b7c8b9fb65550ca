"""The close of a day on one page: narrow tables side by side, wide ones below, and two lines to sign at the foot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import IO, Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.names import days_of, seal_words
from tournament.core.pdf.paper import BOLD, INK, PAPERS, RULE, SANS, SERIF, Paper, Words, new_canvas
from tournament.core.selectors.log import load_code_of_close
from tournament.models import DayClose, DayReopened, Drawer, Tournament
from tournament.models.base import Fact
from tournament.money.selectors.cash import DayOnPage, EventLine, expected_of, read_figures
from tournament.money.selectors.finances import EventFigures, Sums, WholeMoney
from tournament.money.words import ACCOUNTS, KINDS, method_label, should_be_in_box
from tournament.purse.business_day import AccountLine, DayLine
from tournament.purse.journal import Unit
from tournament.purse.postings import AccountKind, MovementKind
from tournament.templatetags.gin import day_in_year, local_day_time, money, signer

# --- Close sheet -----------------------------------------------------------------------------------------------------
# The close of a day as words and amounts. The page and the paper show the same cells.

Row = tuple[str, ...]
RARE: Final = frozenset({"added", "subsidy", "side", "extras"})
"""Columns of the events that are left out if they are zero in every event."""
OF_POOL: Final = ("collected", "added", "subsidy", "pool", "expenses")
MOST_AMOUNTS: Final = 5
"""The number of amount columns that fit beside a name on paper. More columns are split into two tables."""


@dataclass(frozen=True, slots=True)
class Section:
    """A small table with words in the first column and amounts in the others. `wide` tables need the whole page."""

    title: str
    headings: Row
    rows: tuple[Row, ...]
    total: Row = ()
    wide: bool = False

    @property
    def labeled(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return each cell with its heading, which a phone shows instead of columns."""
        return tuple(tuple(zip(self.headings, row, strict=True)) for row in self.rows)

    @property
    def labeled_total(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.headings, self.total, strict=True)) if self.total else ()


@dataclass(frozen=True, slots=True)
class CloseSheet:
    """The contents of a close. `signatures` has a label and a text for each of the two signers.

    The text is empty until they sign. `in_box` has the expected amounts until the day is closed. `check` explains how
    to check the figures. `seal` is the sentence with the seal code, once the day is closed.
    """

    title: str
    state: str
    sections: tuple[Section, ...]
    signatures: tuple[tuple[str, str], ...]
    reason: str
    in_box: tuple[str, ...]
    check: str
    seal: str = ""


def close_sheet(tournament: Tournament, shown: DayOnPage) -> CloseSheet:
    title = _("Close: %(day)s") % {"day": day_in_year(shown.day)}
    sections = tuple(section for section in _sections(shown, tournament.currency) if section.rows)
    signed = (
        (_("Counted by"), _signature(shown.count, tournament)),
        (_("Signed by"), _signature(shown.close, tournament)),
    )
    state = _("Closed and signed by two.") if shown.close is not None else _("Not closed yet.")
    if (reopened := getattr(shown.close, "reopened", None)) is not None:
        state = f"{state} {_reopened(reopened, tournament)}"
    if shown.earlier is not None:
        state = f"{state} {_closed_before(shown.earlier, tournament)}"
    if (began := shown.figures.began) is not None:
        state = f"{state} {_('It covers all days since %(day)s.') % {'day': day_in_year(began)}}"
    return CloseSheet(
        title=title,
        state=state,
        sections=sections,
        signatures=signed,
        reason=shown.count.reason if shown.count is not None else "",
        in_box=() if shown.close is not None else _in_box(shown, tournament),
        check=_check(shown),
        seal=seal_words(load_code_of_close(tournament, shown.close.pk)) if shown.close is not None else "",
    )


def _in_box(shown: DayOnPage, tournament: Tournament) -> tuple[str, ...]:
    return tuple(should_be_in_box(expected_of(shown.figures.report), tournament.currency))


def _reopened(row: DayReopened, tournament: Tournament) -> str:
    said = _("%(name)s opened the day again on %(at)s: %(reason)s.")
    at = local_day_time(row.at, tournament)
    return said % {"name": signer(row, tournament), "at": at, "reason": row.reason.strip().rstrip(".")}


def _closed_before(close: DayClose, tournament: Tournament) -> str:
    said = _("It was closed before, on %(at)s, by %(one)s and %(other)s.")
    one, other = (signer(signature, tournament) for signature in (close.count, close))
    signed = {"at": local_day_time(close.at, tournament), "one": one, "other": other}
    return f"{said % signed} {_reopened(close.reopened, tournament)}"


def _check(shown: DayOnPage) -> str:
    """Explain how to check the figures. Events are explained only if the report has all their columns."""
    accounts = _(
        "To check these figures: in the accounts, Before plus Day is After, and each column adds up to zero. "
        "Before is what the last close says under After. Once the day is closed, cash under After is the cash counted."
    )
    events = _(
        "In each event, Fees plus added money and subsidy (what the organizer adds to reach promised prizes) "
        "is Prize pool plus Expenses."
    )
    has_all = bool(shown.figures.events) and all(one.added is not None for one in shown.figures.events)
    return f"{accounts} {events}" if has_all else accounts


def _signature(fact: Fact | None, tournament: Tournament) -> str:
    return f"{signer(fact, tournament)}, {local_day_time(fact.at, tournament)}" if fact is not None else ""


def _sections(shown: DayOnPage, currency: str) -> Iterator[Section]:
    report, amount = shown.figures.report, _("Amount")
    fees = _amounts(((_kind(line), line.cents) for line in report.fees), currency)
    asked = (_("Charges of the day"), money(report.asked_cents, currency))
    yield Section(_("Charges"), (_("What"), amount), fees, asked)
    moved = _amounts(((_kind(line), line.cents) for line in report.moved), currency)
    in_hand = (_("Change in money on hand"), money(report.moved_cents, currency))
    yield Section(_("Money in and out"), (_("What"), amount), moved, in_hand)
    yield from _counts(shown, currency)
    yield from _changed(shown, currency)
    accounts = tuple(_account(line, currency) for line in report.accounts)
    sums = (report.before_cents, report.day_cents, report.after_cents)
    total = (_("All accounts"), *(money(cents, currency) for cents in sums))
    yield Section(
        _("All accounts, adding up to zero"),
        (_("Account"), _("Before"), _("Day") if shown.figures.began is None else _("Days"), _("After")),
        accounts,
        total,
        wide=True,
    )
    yield from _events(shown, currency)


def _changed(shown: DayOnPage, currency: str) -> Iterator[Section]:
    if shown.earlier is None:
        return
    before = {(one.account, one.method): one for one in read_figures(shown.earlier.figures).report.accounts}
    after = {(one.account, one.method): one for one in shown.figures.report.accounts}
    rows = []
    for key in (*after, *(key for key in before if key not in after)):
        then, now = (lines[key].after_cents if key in lines else 0 for lines in (before, after))
        if then != now:
            name = _account(after.get(key) or before[key], currency)[0]
            rows.append((name, *(money(cents, currency) for cents in (then, now, now - then))))
    nothing = (_("Nothing has changed"), "", "", "")
    headings = (_("Account"), _("First close"), _("Now"), _("Change"))
    yield Section(_("Changed since the first close"), headings, tuple(rows) or (nothing,), wide=True)


def _counts(shown: DayOnPage, currency: str) -> Iterator[Section]:
    pieces = tuple((money(each, currency), str(n), money(cents, currency)) for each, n, cents in shown.pieces)
    cash = money(sum(cents for _each, _n, cents in shown.pieces), currency)
    yield Section(
        _("Cash counted"), (_("Bill or coin"), _("How many"), _("Amount")), pieces, (_("Cash counted"), "", cash)
    )
    rows = tuple(
        (
            method_label(one.method),
            *(money(cents, currency) for cents in (one.expected_cents, one.counted_cents, one.difference_cents)),
        )
        for one in shown.counted
    )
    yield Section(_("Count and ledger"), (_("How"), _("Ledger"), _("Counted"), _("Difference")), rows)


def _events(shown: DayOnPage, currency: str) -> Iterator[Section]:
    events = shown.figures.events
    columns = _event_columns(events)
    if len(columns) <= MOST_AMOUNTS:
        yield _figures(_("Events"), events, columns, currency)
    else:
        pools = {name: label for name, label in columns.items() if name in OF_POOL}
        others = {name: label for name, label in columns.items() if name not in OF_POOL}
        yield _figures(_("Events"), events, pools, currency)
        yield _figures(_("What is left for expenses"), events, others, currency)
    open_items = tuple(
        (one.name, *(money(cents, currency) for cents in (one.owed_by, one.owed_to, one.to_pay, one.to_get_back)))
        for one in events
        if one.owed_by or one.owed_to or one.to_pay or one.to_get_back
    )
    headings = (_("Event"), _("Players owe"), _("To refund"), _("Prizes to pay"), _("Prizes to collect"))
    yield Section(_("Open items"), headings, open_items, wide=True)


def _figures(title: str, events: Iterable[EventLine], columns: Mapping[str, str], currency: str) -> Section:
    rows = tuple((one.name, *(money(getattr(one, name) or 0, currency) for name in columns)) for one in events)
    return Section(title, (_("Event"), *columns.values()), rows, wide=True)


def _event_columns(events: Sequence[EventLine]) -> dict[str, str]:
    """Return the headings of the events' figures by name, in the order of the sum that checks them.

    Added money, subsidy, side pools and extras are left out if no event has any. With them, paper only has room for the
    short headings.
    """
    labels = {
        "collected": _("Fees"),
        "added": _("Added"),
        "subsidy": _("Subsidy"),
        "pool": _("Prize pool"),
        "expenses": _("Expenses"),
        "side": _("Side pools"),
        "extras": _("Extras"),
        "left": _("Left"),
    }
    unused = {name for name in RARE if not any(getattr(one, name) for one in events)}
    shown = {name: label for name, label in labels.items() if name not in unused}
    return shown if unused != RARE else shown | {"collected": _("Fees collected"), "left": _("Left for expenses")}


def _amounts(rows: Iterable[tuple[str, int]], currency: str) -> tuple[Row, ...]:
    return tuple((words, money(cents, currency)) for words, cents in rows)


def _kind(line: DayLine) -> str:
    label = str(KINDS[MovementKind(line.kind)])
    if not line.of:
        return label
    by_name = line.kind in (MovementKind.EXPENSE, MovementKind.SIDE_POOL, MovementKind.EXTRA)
    return f"{label}: {line.of if by_name else method_label(line.of)}"


def _account(line: AccountLine, currency: str) -> Row:
    label = _("Accounts of the players") if line.account == AccountKind.ENTRANT else str(ACCOUNTS[line.account])
    name = f"{label}: {method_label(line.method)}" if line.method else label
    return (name, *(money(cents, currency) for cents in (line.before_cents, line.day_cents, line.after_cents)))


MARGIN: Final = 42.0
HEAD: Final = 84.0
FOOT: Final = 134.0
GAP: Final = 24.0
AFTER: Final = 12.0
TALLEST: Final = 15.0
LOWEST: Final = 11.0
"""The smallest row height. Tables that do not fit at this height go on another page."""
ONE_LINE: Final = 110
"""The number of letters of the state that fit on one line."""
FIRST_OF_WIDE: Final = 0.28
"""The share of the width that the first column of a wide table has."""


def write_close(target: IO[bytes], tournament: Tournament, sheet: CloseSheet, *, paper: str = "letter") -> int:
    """Write the close and return the number of pages: one, except for a day with dozens of categories."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, sheet.title)
    narrow = [section for section in sheet.sections if not section.wide]
    wide = [section for section in sheet.sections if section.wide]
    pages = _Pages(canvas, size, tournament, sheet)
    pages.height = _row_height(narrow, wide, size.height - _head(sheet))
    middle = (size.width + GAP) / 2
    top = pages.y
    ends = [top]
    for left, right, those in ((MARGIN, middle - GAP, narrow[:2]), (middle, size.width - MARGIN, narrow[2:])):
        pages.y = top
        for section in those:
            pages.draw(section, left, right)
        ends.append(pages.y)
    pages.y = min(ends) if pages.number == 1 else ends[-1]
    for section in wide:
        pages.draw(section, MARGIN, size.width - MARGIN)
    pages.finish()
    return pages.number


def _head(sheet: CloseSheet) -> float:
    """Return the height of the head. A day that was reopened has more lines above its tables."""
    return HEAD + (36 if len(sheet.state) > ONE_LINE else 0)


def _row_height(narrow: Sequence[Section], wide: Sequence[Section], height: float) -> float:
    beside = max(_rows(narrow[:2]), _rows(narrow[2:]))
    gaps = AFTER * (2 + len(wide))
    return max(LOWEST, min(TALLEST, (height - FOOT - gaps) / max(1, beside + _rows(wide))))


def _rows(sections: Sequence[Section]) -> int:
    return sum(len(section.rows) + 2 + bool(section.total) for section in sections)


class _Pages:
    """The position of the next table. A table that does not fit begins another page."""

    def __init__(self, canvas: Canvas, size: Paper, tournament: Tournament, sheet: CloseSheet) -> None:
        self.canvas, self.size, self.sheet, self.number = canvas, size, sheet, 1
        self.subtitle = f"{tournament.name} · {tournament.venue} · {days_of(tournament)}"
        self.height = TALLEST
        self._begin()

    def _begin(self) -> None:
        self.words = Words(self.canvas)
        width = self.size.width - 2 * MARGIN
        top = self.size.height
        self.words.write_fitted(self.sheet.title, (MARGIN, top - 46), width, font=SERIF, size=16, most_lines=1)
        self.words.write_fitted(self.subtitle, (MARGIN, top - 61), width, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.state, (MARGIN, top - 74), width, size=9, most_lines=4)
        self.y = top - _head(self.sheet)

    def _end(self) -> None:
        self._draw_signatures()
        self.words.draw()
        self.canvas.showPage()

    def finish(self) -> None:
        self._end()
        self.canvas.save()

    def draw(self, section: Section, left: float, right: float) -> None:
        if self.y - _rows([section]) * self.height < FOOT:
            self._end()
            self.number += 1
            self._begin()
        self.y -= self.height
        self.words.write_fitted(section.title, (left, self.y), right - left, font=SERIF, size=10, most_lines=1)
        self._row(section, section.headings, left, right, font=BOLD)
        self._line(left, right, INK, 0.8)
        for row in section.rows:
            self._row(section, row, left, right, font=SANS)
            self._line(left, right, RULE, 0.4)
        if section.total:
            self._row(section, section.total, left, right, font=BOLD)
        self.y -= AFTER

    def _row(self, section: Section, row: Row, left: float, right: float, *, font: str) -> None:
        self.y -= self.height
        share = FIRST_OF_WIDE if section.wide else (0.26 if len(row) == 4 else 0.4 if len(row) == 3 else 0.66)
        first = (right - left) * share
        each = (right - left - first) / max(1, len(row) - 1)
        self.words.write_fitted(row[0], (left, self.y), first - 4, font=font, size=9, most_lines=1)
        for place, text in enumerate(row[1:], start=1):
            at = (left + first + each * place, self.y)
            self.words.write_fitted(text, at, each - 8, font=font, size=9, most_lines=1, align="right")

    def _line(self, left: float, right: float, color: Color, width: float) -> None:
        self.canvas.setStrokeColor(color)
        self.canvas.setLineWidth(width)
        self.canvas.line(left, self.y - self.height * 0.28, right, self.y - self.height * 0.28)

    def _draw_signatures(self) -> None:
        width = (self.size.width - 2 * MARGIN - GAP) / 2
        if self.sheet.in_box:
            said = " ".join(self.sheet.in_box)
            self.words.write_fitted(said, (MARGIN, 118), 2 * width + GAP, font=BOLD, size=11, most_lines=1)
        if self.sheet.seal:
            self.words.write_fitted(self.sheet.seal, (MARGIN, 118), 2 * width + GAP, font=BOLD, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.check, (MARGIN, 100), 2 * width + GAP, size=8, most_lines=3)
        if self.sheet.reason:
            said = _("Reason for the difference: %(reason)s") % {"reason": self.sheet.reason}
            self.words.write_fitted(said, (MARGIN, 72), 2 * width + GAP, size=9, most_lines=2)
        for place, (label, who) in enumerate(self.sheet.signatures):
            left = MARGIN + place * (width + GAP)
            self.canvas.setStrokeColor(INK)
            self.canvas.setLineWidth(0.6)
            self.canvas.line(left, 48, left + width, 48)
            self.words.write_fitted(f"{label} {who}".strip(), (left, 37), width, size=8.5, most_lines=3)


# --- Whole sheet -----------------------------------------------------------------------------------------------------
# The money of a whole tournament as words and amounts, for its page and its files.

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
WHOLE_SHEET_RARE: Final = ("subsidy", "side", "extras", "withheld")
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
    return {
        name: label for name, label in columns.items() if name not in WHOLE_SHEET_RARE or getattr(whole.total, name)
    }


def _of_events(title: str, rows: Iterable[tuple[str, EventFigures]], shown: dict[str, Any], currency: str) -> Section:
    found = list(rows)
    cells = tuple((name, *_whole_sheet_amounts(figures, shown, currency)) for name, figures in found)
    sums = (sum(getattr(figures, one) for _name, figures in found) for one in shown)
    total = (_("All events"), *(money(cents, currency) for cents in sums))
    return Section(title, (_("Event"), *map(str, shown.values())), cells, total, wide=True)


def _whole_sheet_amounts(figures: EventFigures, shown: Iterable[str], currency: str) -> list[str]:
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
