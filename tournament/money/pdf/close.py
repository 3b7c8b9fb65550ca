"""The daily close as small tables, both for the page and for the printed version."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final

from django.utils.translation import gettext as _
from reportlab.platypus import Spacer
from reportlab.platypus.flowables import Flowable

from tournament.core.pdf.flow import (
    SIDE_MARGIN,
    ListColumn,
    PageLayout,
    TextFlowable,
    compute_flowables_height,
    make_headings,
    make_list_table,
    make_signature_lines,
    place_side_by_side,
)
from tournament.core.pdf.lists import format_seal_sentence, format_tournament_days
from tournament.core.pdf.paper import BOLD_FONT, PAPER_SIZES, SERIF_FONT
from tournament.core.selectors.log import load_daily_close_seal_code
from tournament.models import DayClose, DayReopened, Tournament
from tournament.models.base import Fact
from tournament.money.selectors.drawers_and_close import (
    BusinessDay,
    EventMoneyFigures,
    compute_expected_cents_by_method,
    read_daily_close_figures,
)
from tournament.money.words import describe_expected_cash, payment_method_label
from tournament.purse.business_day import AccountBalance, MovementTotal
from tournament.purse.kinds import ACCOUNT_DETAILS, MONEY_KIND_DETAILS, AccountKind
from tournament.templatetags.gin import day_in_year, local_day_time, money, signer

_Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoneyTable:
    """A small table with text in the first column and amounts in the others.

    If `wide` is set, the table needs the full width of the page.
    """

    title: str
    headings: _Row
    rows: tuple[_Row, ...]
    total: _Row = ()
    wide: bool = False

    @property
    def labeled_rows(self) -> tuple[tuple[tuple[str, str], ...], ...]:
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
class DailyCloseSheet:
    """The content of a daily close, on the page and in print.

    `signatures` has a label and a text for each of the two signers. A text is empty until the person has signed.

    `in_box` contains sentences that say how much money the cash box should contain. It is empty once the day is closed.
    `check` is a paragraph that explains how to check the figures. `seal` is the sentence with the seal code, or ""
    until the day is closed.
    """

    title: str
    state: str
    sections: tuple[MoneyTable, ...]
    signatures: tuple[tuple[str, str], ...]
    reason: str
    in_box: tuple[str, ...]
    check: str
    seal: str = ""


def make_daily_close_sheet(tournament: Tournament, business_day: BusinessDay) -> DailyCloseSheet:
    title = _("Close: %(day)s") % {"day": day_in_year(business_day.day)}
    sections = tuple(section for section in _iter_close_tables(business_day, tournament.currency) if section.rows)
    signed = (
        (_("Counted by"), _format_signature(business_day.count, tournament)),
        (_("Signed by"), _format_signature(business_day.close, tournament)),
    )
    state = _("Closed and signed by two.") if business_day.close is not None else _("Not closed yet.")
    if (reopened := getattr(business_day.close, "reopened", None)) is not None:
        state = f"{state} {_format_reopening(reopened, tournament)}"
    if business_day.reopened_close is not None:
        state = f"{state} {_format_earlier_close(business_day.reopened_close, tournament)}"
    if (first_day := business_day.figures.began) is not None:
        state = f"{state} {_('It covers all days since %(day)s.') % {'day': day_in_year(first_day)}}"
    expected = compute_expected_cents_by_method(business_day.figures.report)
    return DailyCloseSheet(
        title=title,
        state=state,
        sections=sections,
        signatures=signed,
        reason=business_day.count.reason if business_day.count is not None else "",
        in_box=() if business_day.close is not None else tuple(describe_expected_cash(expected, tournament.currency)),
        check=_make_check_text(business_day),
        seal=format_seal_sentence(load_daily_close_seal_code(tournament, business_day.close.pk))
        if business_day.close is not None
        else "",
    )


def _format_reopening(row: DayReopened, tournament: Tournament) -> str:
    message = _("%(name)s opened the day again on %(at)s: %(reason)s.")
    at = local_day_time(row.at, tournament)
    return message % {"name": signer(row, tournament), "at": at, "reason": row.reason.strip().rstrip(".")}


def _format_earlier_close(close: DayClose, tournament: Tournament) -> str:
    message = _("It was closed before, on %(at)s, by %(one)s and %(other)s.")
    one, other = (signer(signature, tournament) for signature in (close.count, close))
    signed = {"at": local_day_time(close.at, tournament), "one": one, "other": other}
    return f"{message % signed} {_format_reopening(close.reopened, tournament)}"


def _make_check_text(business_day: BusinessDay) -> str:
    """Return text that explains how to check the figures."""
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


def _format_signature(fact: Fact | None, tournament: Tournament) -> str:
    return f"{signer(fact, tournament)}, {local_day_time(fact.at, tournament)}" if fact is not None else ""


def _iter_close_tables(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    report, amount = business_day.figures.report, _("Amount")
    fees = _make_amount_rows(((_format_kind_label(line), line.cents) for line in report.fees), currency)
    charged = (_("Charges of the day"), money(report.fees_cents, currency))
    yield MoneyTable(_("Charges"), (_("What"), amount), fees, charged)
    moved = _make_amount_rows(((_format_kind_label(line), line.cents) for line in report.moved), currency)
    in_hand = (_("Change in money on hand"), money(report.moved_cents, currency))
    yield MoneyTable(_("Money in and out"), (_("What"), amount), moved, in_hand)
    yield from _iter_count_tables(business_day, currency)
    yield from _iter_change_tables(business_day, currency)
    accounts = tuple(_make_account_row(line, currency) for line in report.accounts)
    sums = (report.before_cents, report.day_cents, report.after_cents)
    total = (_("All accounts"), *(money(cents, currency) for cents in sums))
    yield MoneyTable(
        _("All accounts, adding up to zero"),
        (_("Account"), _("Before"), _("Day") if business_day.figures.began is None else _("Days"), _("After")),
        accounts,
        total,
        wide=True,
    )
    yield from _iter_event_tables(business_day, currency)


def _iter_count_tables(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    pieces = tuple((money(each, currency), str(n), money(cents, currency)) for each, n, cents in business_day.pieces)
    cash = money(sum(cents for _each, _n, cents in business_day.pieces), currency)
    yield MoneyTable(
        _("Cash counted"), (_("Bill or coin"), _("How many"), _("Amount")), pieces, (_("Cash counted"), "", cash)
    )
    rows = tuple(
        (
            payment_method_label(counted.method),
            *(
                money(cents, currency)
                for cents in (counted.expected_cents, counted.counted_cents, counted.difference_cents)
            ),
        )
        for counted in business_day.counted
    )
    yield MoneyTable(_("Count and ledger"), (_("How"), _("Ledger"), _("Counted"), _("Difference")), rows)


def _iter_change_tables(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    if business_day.reopened_close is None:
        return
    before = {
        (line.account, line.method): line
        for line in read_daily_close_figures(business_day.reopened_close.figures).report.accounts
    }
    after = {(line.account, line.method): line for line in business_day.figures.report.accounts}
    rows = []
    for key in (*after, *(key for key in before if key not in after)):
        old, new = (lines[key].after_cents if key in lines else 0 for lines in (before, after))
        if old != new:
            name = _make_account_row(after.get(key) or before[key], currency)[0]
            rows.append((name, *(money(cents, currency) for cents in (old, new, new - old))))
    nothing = (_("Nothing has changed"), "", "", "")
    headings = (_("Account"), _("First close"), _("Now"), _("Change"))
    yield MoneyTable(_("Changed since the first close"), headings, tuple(rows) or (nothing,), wide=True)


def _iter_event_tables(business_day: BusinessDay, currency: str) -> Iterator[MoneyTable]:
    events = business_day.figures.events
    columns = _list_event_columns(events)
    if len(columns) <= _MOST_AMOUNTS:
        yield _make_event_table(_("Events"), events, columns, currency)
    else:
        pools = {name: label for name, label in columns.items() if name in _POOL_COLUMNS}
        others = {name: label for name, label in columns.items() if name not in _POOL_COLUMNS}
        yield _make_event_table(_("Events"), events, pools, currency)
        yield _make_event_table(_("What is left for expenses"), events, others, currency)
    open_items = tuple(
        (line.name, *(money(cents, currency) for cents in (line.owed_by, line.owed_to, line.to_pay, line.to_get_back)))
        for line in events
        if line.owed_by or line.owed_to or line.to_pay or line.to_get_back
    )
    headings = (_("Event"), _("Players owe"), _("To refund"), _("Prizes to pay"), _("Prizes to collect"))
    yield MoneyTable(_("Open items"), headings, open_items, wide=True)


def _make_event_table(
    title: str, events: Iterable[EventMoneyFigures], columns: Mapping[str, str], currency: str
) -> MoneyTable:
    rows = tuple((line.name, *(money(getattr(line, name) or 0, currency) for name in columns)) for line in events)
    return MoneyTable(title, (_("Event"), *columns.values()), rows, wide=True)


def _list_event_columns(events: Sequence[EventMoneyFigures]) -> dict[str, str]:
    """Return the column headings for the table of events, keyed by the names of the figures (`EventMoneyFigures`).

    The columns are in the order of the calculation: the money that came in, the prize pool, the expenses, and the rest.
    Rare figures are left out if they are zero in every event. If all rare figures are left out, the printed table has
    room for longer headings.
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


def _make_amount_rows(rows: Iterable[tuple[str, int]], currency: str) -> tuple[_Row, ...]:
    return tuple((words, money(cents, currency)) for words, cents in rows)


def _format_kind_label(line: MovementTotal) -> str:
    terms = MONEY_KIND_DETAILS[line.kind]
    if not line.of:
        return str(terms.many)
    return f"{terms.many}: {payment_method_label(line.of) if terms.split_by == 'method' else line.of}"


def _make_account_row(line: AccountBalance, currency: str) -> _Row:
    label = (
        _("Accounts of the players")
        if line.account == AccountKind.ENTRANT
        else str(ACCOUNT_DETAILS[line.account].label)
    )
    name = f"{label}: {payment_method_label(line.method)}" if line.method else label
    return (name, *(money(cents, currency) for cents in (line.before_cents, line.day_cents, line.after_cents)))


# --- Close on paper --------------------------------------------------------------------------------------------------
# Narrow tables are side by side, wide ones below, and two lines to sign are at the foot.

_GAP: Final = 24.0
_ROW_HEIGHTS: Final = (15.0, 14.0, 13.0, 12.0, 11.0)
"""The row heights to try, largest first. Tables that do not fit at the smallest one continue on another page."""


def write_daily_close(
    target: IO[bytes], tournament: Tournament, sheet: DailyCloseSheet, *, paper: str = "letter"
) -> int:
    """Write the close and return the number of pages: one, except for a day with dozens of categories."""
    subtitle = f"{tournament.name} · {tournament.venue} · {format_tournament_days(tournament)}"
    size = PAPER_SIZES[paper]
    foot = _make_printed_footer(sheet, size.width - 2 * SIDE_MARGIN)
    layout = PageLayout(size, sheet.title, make_headings(sheet.title, subtitle, sheet.state), foot, note=sheet.seal)
    story: list[Flowable] = []
    for row_height in _ROW_HEIGHTS:
        story = _make_printed_tables(sheet, layout, row_height)
        if compute_flowables_height(story, layout.width) <= layout.height:
            break
    return layout.write(target, story)


def _make_printed_tables(sheet: DailyCloseSheet, layout: PageLayout, row_height: float) -> list[Flowable]:
    half, (narrow, wide) = (
        (layout.width - _GAP) / 2,
        ([section for section in sheet.sections if section.wide is is_wide] for is_wide in (False, True)),
    )
    columns = [
        [part for section in column for part in _make_printed_table(section, half, row_height)]
        for column in (narrow[:2], narrow[2:])
    ]
    story: list[Flowable] = [place_side_by_side(columns, [half + _GAP, half])] if narrow else []
    if compute_flowables_height(story, layout.width) > layout.height:
        story, wide = [], [*narrow, *wide]
    return story + [part for section in wide for part in _make_printed_table(section, layout.width, row_height)]


def _make_printed_table(section: MoneyTable, width: float, row_height: float) -> list[Flowable]:
    """Return the flowables of a printed table and its title. The first column is wide enough for names."""
    amounts = len(section.headings) - 1
    first = 0.28 if section.wide else {1: 0.66, 2: 0.4, 3: 0.26}[amounts]
    columns = [
        ListColumn(heading, (1 - first) / amounts if at else first, align="right" if at else "left")
        for at, heading in enumerate(section.headings)
    ]
    title = TextFlowable(section.title, SERIF_FONT, 10)
    title.keepWithNext = True
    sizes = [9.0] * len(columns)
    body = make_list_table(columns, section.rows, width, total=section.total, row_height=row_height, sizes=sizes)
    return [title, body, Spacer(0, 12)]


def _make_printed_footer(sheet: DailyCloseSheet, width: float) -> list[Flowable]:
    signed = [TextFlowable(f"{label} {text}".strip(), size=8.5, most_lines=3) for label, text in sheet.signatures]
    reason = _("Reason for the difference: %(reason)s") % {"reason": sheet.reason} if sheet.reason else ""
    texts = [
        TextFlowable(" ".join(sheet.in_box), BOLD_FONT, 11, most_lines=2, after=4),
        TextFlowable(sheet.check, size=8, most_lines=4, after=4),
        TextFlowable(reason, size=9, most_lines=2),
    ]
    return [*(text for text in texts if text.text), make_signature_lines(signed, [width / 2, width / 2], height=26)]
