"""The close of a day as small tables, for the page on the screen and for one page of paper."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from reportlab.lib.colors import Color
from reportlab.pdfgen.canvas import Canvas

from tournament.core.pdf.lists import format_days, seal_sentence
from tournament.core.pdf.paper import BOLD, INK, PAPERS, RULE, SANS, SERIF, Paper, TextLayer, new_canvas
from tournament.core.selectors.log import load_code_of_close
from tournament.models import DayClose, DayReopened, Tournament
from tournament.models.base import Fact
from tournament.money.selectors.drawers_and_close import BusinessDay, EventFigures, expected_by_method, read_figures
from tournament.money.words import expected_in_box, method_label
from tournament.purse.business_day import AccountLine, DayLine
from tournament.purse.kinds import ACCOUNTS, KINDS, AccountKind
from tournament.templatetags.gin import day_in_year, local_day_time, money, signer

_Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoneyTable:
    """A small table with text in the first column and amounts in the others. `wide` tables need the whole page."""

    title: str
    headings: _Row
    rows: tuple[_Row, ...]
    total: _Row = ()
    wide: bool = False

    @property
    def labeled(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return each cell with its heading, for the narrow layout on a phone."""
        return tuple(tuple(zip(self.headings, row, strict=True)) for row in self.rows)

    @property
    def labeled_total(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.headings, self.total, strict=True)) if self.total else ()


# --- Close of a day --------------------------------------------------------------------------------------------------

_RARE_EVENT_COLUMNS: Final = frozenset({"added", "subsidy", "side", "extras"})
"""Columns that are left out if they are zero in every event."""
_POOL_COLUMNS: Final = ("collected", "added", "subsidy", "pool", "expenses")
_MOST_AMOUNTS: Final = 5
"""The number of amount columns that fit beside a name on paper. Larger tables are split in two."""


@dataclass(frozen=True, slots=True)
class CloseSheet:
    """The contents of a close. `signatures` has a label and a text for each of the two signers.

    The text is empty until they sign. `in_box` has the expected amounts until the day is closed. `check` explains how
    to check the figures. `seal` has the seal code, once the day is closed.
    """

    title: str
    state: str
    sections: tuple[MoneyTable, ...]
    signatures: tuple[tuple[str, str], ...]
    reason: str
    in_box: tuple[str, ...]
    check: str
    seal: str = ""


def make_close_sheet(tournament: Tournament, business_day: BusinessDay) -> CloseSheet:
    title = _("Close: %(day)s") % {"day": day_in_year(business_day.day)}
    sections = tuple(section for section in _close_sections(business_day, tournament.currency) if section.rows)
    signed = (
        (_("Counted by"), _signature_text(business_day.count, tournament)),
        (_("Signed by"), _signature_text(business_day.close, tournament)),
    )
    state = _("Closed and signed by two.") if business_day.close is not None else _("Not closed yet.")
    if (reopened := getattr(business_day.close, "reopened", None)) is not None:
        state = f"{state} {_reopened_text(reopened, tournament)}"
    if business_day.reopened_close is not None:
        state = f"{state} {_closed_before_text(business_day.reopened_close, tournament)}"
    if (first_day := business_day.figures.began) is not None:
        state = f"{state} {_('It covers all days since %(day)s.') % {'day': day_in_year(first_day)}}"
    expected = expected_by_method(business_day.figures.report)
    return CloseSheet(
        title=title,
        state=state,
        sections=sections,
        signatures=signed,
        reason=business_day.count.reason if business_day.count is not None else "",
        in_box=() if business_day.close is not None else tuple(expected_in_box(expected, tournament.currency)),
        check=_check_text(business_day),
        seal=seal_sentence(load_code_of_close(tournament, business_day.close.pk))
        if business_day.close is not None
        else "",
    )


def _reopened_text(row: DayReopened, tournament: Tournament) -> str:
    message = _("%(name)s opened the day again on %(at)s: %(reason)s.")
    at = local_day_time(row.at, tournament)
    return message % {"name": signer(row, tournament), "at": at, "reason": row.reason.strip().rstrip(".")}


def _closed_before_text(close: DayClose, tournament: Tournament) -> str:
    message = _("It was closed before, on %(at)s, by %(one)s and %(other)s.")
    one, other = (signer(signature, tournament) for signature in (close.count, close))
    signed = {"at": local_day_time(close.at, tournament), "one": one, "other": other}
    return f"{message % signed} {_reopened_text(close.reopened, tournament)}"


def _check_text(business_day: BusinessDay) -> str:
    """Explain how to check the figures. Events are explained only if the report has all their columns."""
    accounts = _(
        "To check these figures: in the accounts, Before plus Day is After, and each column adds up to zero. "
        "Before is what the last close says under After. Once the day is closed, cash under After is the cash counted."
    )
    events = _(
        "In each event, Fees plus added money and subsidy (what the organizer adds to reach promised prizes) "
        "is Prize pool plus Expenses."
    )
    has_all = bool(business_day.figures.events) and all(line.added is not None for line in business_day.figures.events)
    return f"{accounts} {events}" if has_all else accounts


def _signature_text(fact: Fact | None, tournament: Tournament) -> str:
    return f"{signer(fact, tournament)}, {local_day_time(fact.at, tournament)}" if fact is not None else ""


def _close_sections(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    report, amount = business_day.figures.report, _("Amount")
    fees = _amount_rows(((_kind_label(line), line.cents) for line in report.fees), currency)
    charged = (_("Charges of the day"), money(report.fees_cents, currency))
    yield MoneyTable(_("Charges"), (_("What"), amount), fees, charged)
    moved = _amount_rows(((_kind_label(line), line.cents) for line in report.moved), currency)
    in_hand = (_("Change in money on hand"), money(report.moved_cents, currency))
    yield MoneyTable(_("Money in and out"), (_("What"), amount), moved, in_hand)
    yield from _count_sections(business_day, currency)
    yield from _changed_section(business_day, currency)
    accounts = tuple(_account_row(line, currency) for line in report.accounts)
    sums = (report.before_cents, report.day_cents, report.after_cents)
    total = (_("All accounts"), *(money(cents, currency) for cents in sums))
    yield MoneyTable(
        _("All accounts, adding up to zero"),
        (_("Account"), _("Before"), _("Day") if business_day.figures.began is None else _("Days"), _("After")),
        accounts,
        total,
        wide=True,
    )
    yield from _event_sections(business_day, currency)


def _count_sections(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    pieces = tuple((money(each, currency), str(n), money(cents, currency)) for each, n, cents in business_day.pieces)
    cash = money(sum(cents for _each, _n, cents in business_day.pieces), currency)
    yield MoneyTable(
        _("Cash counted"), (_("Bill or coin"), _("How many"), _("Amount")), pieces, (_("Cash counted"), "", cash)
    )
    rows = tuple(
        (
            method_label(counted.method),
            *(
                money(cents, currency)
                for cents in (counted.expected_cents, counted.counted_cents, counted.difference_cents)
            ),
        )
        for counted in business_day.counted
    )
    yield MoneyTable(_("Count and ledger"), (_("How"), _("Ledger"), _("Counted"), _("Difference")), rows)


def _changed_section(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    if business_day.reopened_close is None:
        return
    before = {
        (line.account, line.method): line for line in read_figures(business_day.reopened_close.figures).report.accounts
    }
    after = {(line.account, line.method): line for line in business_day.figures.report.accounts}
    rows = []
    for key in (*after, *(key for key in before if key not in after)):
        old, new = (lines[key].after_cents if key in lines else 0 for lines in (before, after))
        if old != new:
            name = _account_row(after.get(key) or before[key], currency)[0]
            rows.append((name, *(money(cents, currency) for cents in (old, new, new - old))))
    nothing = (_("Nothing has changed"), "", "", "")
    headings = (_("Account"), _("First close"), _("Now"), _("Change"))
    yield MoneyTable(_("Changed since the first close"), headings, tuple(rows) or (nothing,), wide=True)


def _event_sections(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    events = business_day.figures.events
    columns = _event_columns(events)
    if len(columns) <= _MOST_AMOUNTS:
        yield _event_table(_("Events"), events, columns, currency)
    else:
        pools = {name: label for name, label in columns.items() if name in _POOL_COLUMNS}
        others = {name: label for name, label in columns.items() if name not in _POOL_COLUMNS}
        yield _event_table(_("Events"), events, pools, currency)
        yield _event_table(_("What is left for expenses"), events, others, currency)
    open_items = tuple(
        (line.name, *(money(cents, currency) for cents in (line.owed_by, line.owed_to, line.to_pay, line.to_get_back)))
        for line in events
        if line.owed_by or line.owed_to or line.to_pay or line.to_get_back
    )
    headings = (_("Event"), _("Players owe"), _("To refund"), _("Prizes to pay"), _("Prizes to collect"))
    yield MoneyTable(_("Open items"), headings, open_items, wide=True)


def _event_table(title: str, events: Iterable[EventFigures], columns: Mapping[str, str], currency: str) -> MoneyTable:
    rows = tuple((line.name, *(money(getattr(line, name) or 0, currency) for name in columns)) for line in events)
    return MoneyTable(title, (_("Event"), *columns.values()), rows, wide=True)


def _event_columns(events: Sequence[EventFigures]) -> dict[str, str]:
    """Return the headings of the events' figures by name, in the order of the sum that checks them.

    If an event has rare figures, paper only has room for the short headings.
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
    unused = {name for name in _RARE_EVENT_COLUMNS if not any(getattr(line, name) for line in events)}
    used = {name: label for name, label in labels.items() if name not in unused}
    return (
        used
        if unused != _RARE_EVENT_COLUMNS
        else used | {"collected": _("Fees collected"), "left": _("Left for expenses")}
    )


def _amount_rows(rows: Iterable[tuple[str, int]], currency: str) -> tuple[_Row, ...]:
    return tuple((words, money(cents, currency)) for words, cents in rows)


def _kind_label(line: DayLine) -> str:
    terms = KINDS[line.kind]
    if not line.of:
        return str(terms.many)
    return f"{terms.many}: {method_label(line.of) if terms.split_by == 'method' else line.of}"


def _account_row(line: AccountLine, currency: str) -> _Row:
    label = _("Accounts of the players") if line.account == AccountKind.ENTRANT else str(ACCOUNTS[line.account].label)
    name = f"{label}: {method_label(line.method)}" if line.method else label
    return (name, *(money(cents, currency) for cents in (line.before_cents, line.day_cents, line.after_cents)))


# --- Close on paper --------------------------------------------------------------------------------------------------
# Narrow tables are side by side, wide ones below, and two lines to sign are at the foot.

_MARGIN: Final = 42.0
_HEAD: Final = 84.0
_FOOT: Final = 134.0
_GAP: Final = 24.0
_GAP_BELOW: Final = 12.0
_TALLEST: Final = 15.0
_LOWEST: Final = 11.0
"""The smallest row height. Tables that do not fit at this height continue on another page."""
_ONE_LINE: Final = 110
"""The number of letters of the state that fit on one line."""
_FIRST_COLUMN_OF_WIDE: Final = 0.28
"""The width of the first column, as a share of a wide table."""


def write_close(target: IO[bytes], tournament: Tournament, sheet: CloseSheet, *, paper: str = "letter") -> int:
    """Write the close and return the number of pages: one, except for a day with dozens of categories."""
    size = PAPERS[paper]
    canvas = new_canvas(target, size, sheet.title)
    narrow = [section for section in sheet.sections if not section.wide]
    wide = [section for section in sheet.sections if section.wide]
    pages = _Pages(canvas, size, tournament, sheet)
    pages.height = _row_height(narrow, wide, size.height - _head_height(sheet))
    middle = (size.width + _GAP) / 2
    top = pages.y
    ends = [top]
    for left, right, those in ((_MARGIN, middle - _GAP, narrow[:2]), (middle, size.width - _MARGIN, narrow[2:])):
        pages.y = top
        for section in those:
            pages.draw(section, left, right)
        ends.append(pages.y)
    pages.y = min(ends) if pages.number == 1 else ends[-1]
    for section in wide:
        pages.draw(section, _MARGIN, size.width - _MARGIN)
    pages.finish()
    return pages.number


def _head_height(sheet: CloseSheet) -> float:
    """Return the height of the head. A reopened day has more lines above its tables."""
    return _HEAD + (36 if len(sheet.state) > _ONE_LINE else 0)


def _row_height(narrow: Sequence[MoneyTable], wide: Sequence[MoneyTable], height: float) -> float:
    beside = max(_count_rows(narrow[:2]), _count_rows(narrow[2:]))
    gaps = _GAP_BELOW * (2 + len(wide))
    return max(_LOWEST, min(_TALLEST, (height - _FOOT - gaps) / max(1, beside + _count_rows(wide))))


def _count_rows(sections: Sequence[MoneyTable]) -> int:
    return sum(len(section.rows) + 2 + bool(section.total) for section in sections)


class _Pages:
    """The pages of a close. A table that does not fit begins another page."""

    def __init__(self, canvas: Canvas, size: Paper, tournament: Tournament, sheet: CloseSheet) -> None:
        self.canvas, self.size, self.sheet, self.number = canvas, size, sheet, 1
        self.subtitle = f"{tournament.name} · {tournament.venue} · {format_days(tournament)}"
        self.height = _TALLEST
        self._begin()

    def _begin(self) -> None:
        self.words = TextLayer(self.canvas)
        width = self.size.width - 2 * _MARGIN
        top = self.size.height
        self.words.write_fitted(self.sheet.title, (_MARGIN, top - 46), width, font=SERIF, size=16, most_lines=1)
        self.words.write_fitted(self.subtitle, (_MARGIN, top - 61), width, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.state, (_MARGIN, top - 74), width, size=9, most_lines=4)
        self.y = top - _head_height(self.sheet)

    def _end(self) -> None:
        self._draw_signatures()
        self.words.draw()
        self.canvas.showPage()

    def finish(self) -> None:
        self._end()
        self.canvas.save()

    def draw(self, section: MoneyTable, left: float, right: float) -> None:
        if self.y - _count_rows([section]) * self.height < _FOOT:
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
        self.y -= _GAP_BELOW

    def _row(self, section: MoneyTable, row: _Row, left: float, right: float, *, font: str) -> None:
        self.y -= self.height
        share = _FIRST_COLUMN_OF_WIDE if section.wide else (0.26 if len(row) == 4 else 0.4 if len(row) == 3 else 0.66)
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
        width = (self.size.width - 2 * _MARGIN - _GAP) / 2
        if self.sheet.in_box:
            text = " ".join(self.sheet.in_box)
            self.words.write_fitted(text, (_MARGIN, 118), 2 * width + _GAP, font=BOLD, size=11, most_lines=1)
        if self.sheet.seal:
            self.words.write_fitted(self.sheet.seal, (_MARGIN, 118), 2 * width + _GAP, font=BOLD, size=9, most_lines=1)
        self.words.write_fitted(self.sheet.check, (_MARGIN, 100), 2 * width + _GAP, size=8, most_lines=3)
        if self.sheet.reason:
            text = _("Reason for the difference: %(reason)s") % {"reason": self.sheet.reason}
            self.words.write_fitted(text, (_MARGIN, 72), 2 * width + _GAP, size=9, most_lines=2)
        for place, (label, signed_text) in enumerate(self.sheet.signatures):
            left = _MARGIN + place * (width + _GAP)
            self.canvas.setStrokeColor(INK)
            self.canvas.setLineWidth(0.6)
            self.canvas.line(left, 48, left + width, 48)
            self.words.write_fitted(f"{label} {signed_text}".strip(), (left, 37), width, size=8.5, most_lines=3)
