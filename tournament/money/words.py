"""Labels for money movements on pages, in PDFs and in exported files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import CardEvent, CashMoved, EventMoney, LedgerLine, Movement, PaidOut
from tournament.money.selectors.finances import Ledger, iter_movements_by_day
from tournament.money.selectors.ledger import find_refund_source, find_side_pool, is_charge_for_side_pool_or_extra
from tournament.money.selectors.transfers_and_cards import (
    PAYMENT_REFUNDED_KIND,
    PAYMENT_SUCCEEDED_KIND,
    UNREADABLE_MESSAGE_KIND,
)
from tournament.purse.journal import AccountNames, JournalEntry
from tournament.purse.kinds import MoneyKind
from tournament.templatetags.gin import money

_AMOUNT_TEXTS: Final[Mapping[str, Any]] = {
    LedgerLine.Method.CASH: gettext_lazy("%(amount)s cash"),
    LedgerLine.Method.CHECK: gettext_lazy("%(amount)s in checks"),
    LedgerLine.Method.CARD: gettext_lazy("%(amount)s by card"),
    LedgerLine.Method.TRANSFER: gettext_lazy("%(amount)s by transfer"),
    LedgerLine.Method.OTHER: gettext_lazy("%(amount)s by other ways"),
}
_METHODS_IN_BOX: Final = (LedgerLine.Method.CASH, LedgerLine.Method.CHECK)
"""Methods whose money is in the cash box. Other methods are checked against card slips and bank statements."""


# --- Movements -------------------------------------------------------------------------------------------------------


def movement_label(movement: Movement) -> str:
    """Return a movement's label, such as “Payment”, “Payout undone” or “Reversal: Expense: Postage”."""
    fact = movement.fact
    if isinstance(fact, LedgerLine):
        label = fact.get_kind_display()
        of = fact.corrects
        text = f"{label}: {of.get_kind_display()}" if of is not None and fact.kind == MoneyKind.REVERSAL else label
        return f"{text}: {fact.reference}" if is_charge_for_side_pool_or_extra(fact) else text
    if isinstance(fact, CashMoved):
        return fact.get_kind_display()
    if not isinstance(fact, EventMoney):
        text, side = _("Payout undone") if fact.reverses_id is not None else _("Payout"), find_side_pool(fact)
        return f"{text}: {side.name}" if side is not None else text
    label = f"{fact.get_kind_display()}: {fact.category}" if fact.category else fact.get_kind_display()
    return _("Reversal: %(what)s") % {"what": label} if fact.reverses_id is not None else label


def movement_counterparty(movement: Movement) -> str:
    fact = movement.fact
    if isinstance(fact, CashMoved):
        return str(fact.to_drawer or fact.drawer or "")
    return fact.party if isinstance(fact, EventMoney) else str(fact.entrant)


def movement_reference(movement: Movement) -> str:
    """Return a movement's reference, such as a check number, or "" if it has none.

    For a side pool or an extra, also return "", because its name is already part of the movement's label.
    """
    fact = movement.fact
    return (
        ""
        if isinstance(fact, LedgerLine) and is_charge_for_side_pool_or_extra(fact)
        else getattr(fact, "reference", "")
    )


def movement_method_label(movement: Movement) -> str:
    fact = movement.fact
    if isinstance(fact, LedgerLine):
        return line_method_label(fact)
    return fact.get_method_display() if fact.method else ""


def line_method_label(line: LedgerLine) -> str:
    """Return a line's payment method, such as “Cash”, or "" if the line has none.

    If a refund's method differs from that of the payment, return both, such as “Cash, paid by check”.
    """
    if not line.method:
        return ""
    source = find_refund_source(line)
    if source is None:
        return line.get_method_display()
    methods = {"method": line.get_method_display(), "source": source.get_method_display().lower()}
    return _("%(method)s, paid by %(source)s") % methods


def iter_journal_entries(ledger: Ledger) -> Iterator[JournalEntry]:
    """Yield a journal entry for each money movement in the ledger, ordered by business day.

    The entries are exported to accounting programs.
    """
    names = AccountNames()
    for row in iter_movements_by_day(ledger):
        postings = sorted(row.postings.all(), key=lambda posting: posting.pk)
        lines = tuple(
            (names.get_name(posting.account, method=posting.method, category=posting.category), posting.cents)
            for posting in postings
        )
        yield _make_journal_entry(row, ledger, lines)


def _make_journal_entry(row: Movement, ledger: Ledger, lines: tuple[tuple[str, int], ...]) -> JournalEntry:
    fact = row.fact
    source = find_refund_source(fact) if isinstance(fact, LedgerLine) else None
    tags = {
        "event": row.event.slug if row.event is not None else "",
        "entry": str(fact.entrant.number) if isinstance(fact, LedgerLine | PaidOut) else "",
        "kind": row.kind,
        "category": getattr(fact, "category", ""),
        "reference": movement_reference(row),
        "paid-by": source.method if source is not None else "",
        "reason": fact.reason,
        "by": fact.by_name,
    }
    filled = {name: text for name, text in tags.items() if text}
    day = row.day or fact.at.astimezone(ZoneInfo(ledger.tournament.time_zone)).date()
    return JournalEntry(day, row.receipt, movement_counterparty(row), movement_label(row), lines, filled)


# --- Methods and places of money -------------------------------------------------------------------------------------


def payment_method_label(method: str) -> str:
    return str(LedgerLine.Method(method).label)


def label_sums_by_method(sums: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(payment_method_label(method), cents) for method, cents in sums.items()]


def describe_expected_cash(expected: Mapping[str, int], currency: str) -> list[str]:
    """Return sentences with the expected amounts by method, to show before the money is counted."""
    sentences = [
        _("Should be in the box: %(amounts)s.") % {"amounts": _list_amounts(expected, _METHODS_IN_BOX, currency)}
    ]
    others = [method for method in _AMOUNT_TEXTS if method not in _METHODS_IN_BOX]
    if any(expected.get(method) for method in others):
        sentences.append(
            _("Since the last close: %(amounts)s.") % {"amounts": _list_amounts(expected, others, currency)}
        )
    return sentences


def describe_expected_drawer_cash(sums: Mapping[str, int], currency: str) -> str:
    return _("Should be in the drawer: %(amounts)s.") % {"amounts": _list_amounts(sums, _AMOUNT_TEXTS, currency)}


def _list_amounts(sums: Mapping[str, int], methods: Iterable[str], currency: str) -> str:
    """List the nonzero amounts. If cash is one of the methods, its amount is listed even if it is zero."""
    cash = LedgerLine.Method.CASH
    named = [method for method in methods if sums.get(method) or method == cash]
    return ", ".join(str(_AMOUNT_TEXTS[method]) % {"amount": money(sums.get(method, 0), currency)} for method in named)


def cash_source_label(row: CashMoved) -> str:
    if row.kind == MoneyKind.BROUGHT:
        return _("Outside")
    return row.drawer.name if row.drawer is not None else _("The safe")


def cash_destination_label(row: CashMoved) -> str:
    """Return the label of the place that cash was moved to, or "" if a count only found too much or too little cash."""
    if row.kind == MoneyKind.BANKED:
        return _("The bank")
    if row.to_drawer is not None:
        return row.to_drawer.name
    return _("The safe") if row.kind in (MoneyKind.TRANSFER, MoneyKind.BROUGHT) else ""


def card_event_label(row: CardEvent) -> str:
    """Return a label for a card message. An unknown kind is returned unchanged."""
    return {
        PAYMENT_SUCCEEDED_KIND: _("Payment"),
        PAYMENT_REFUNDED_KIND: _("Refund"),
        UNREADABLE_MESSAGE_KIND: _("Message"),
    }.get(row.kind, row.kind)
