"""The close of a day as words and amounts. The page and the paper show the same cells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from tournament.core.pdf.names import seal_words
from tournament.core.selectors.log import load_code_of_close
from tournament.models import DayClose, DayReopened, Tournament
from tournament.models.fact import Fact
from tournament.money.selectors.closing import DayOnPage, EventLine, expected_of, read_figures
from tournament.money.words import ACCOUNTS, KINDS, method_label, should_be_in_box
from tournament.purse.ledger.close import AccountLine, DayLine
from tournament.purse.ledger.postings import AccountKind, MovementKind
from tournament.templatetags.gin import day_in_year, local_day_time, money, signer

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
