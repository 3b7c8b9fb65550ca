"""The words for movements of money on pages, on paper and in files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.models import CardEvent, CashMoved, EventMoney, LedgerLine, Movement, PaidOut
from tournament.money.selectors.finances import Ledger, business_day, lines_of_journal, movements_by_day
from tournament.money.selectors.incoming import PAID, REFUNDED, UNREAD
from tournament.money.selectors.ledger import is_named, refund_source_of, side_pool_of
from tournament.purse.journal import AccountNames, JournalEntry, JournalLine
from tournament.purse.postings import AccountKind, MovementKind
from tournament.templatetags.gin import money

ACCOUNTS: Final[Mapping[str, Any]] = {
    AccountKind.ENTRANT: gettext_lazy("Account of the entry"),
    AccountKind.FEES: gettext_lazy("Fees"),
    AccountKind.DISCOUNTS: gettext_lazy("Discounts"),
    AccountKind.MONEY: gettext_lazy("Money on hand"),
    AccountKind.ADDED: gettext_lazy("Added money"),
    AccountKind.EXPENSE: gettext_lazy("Expenses"),
    AccountKind.PRIZES: gettext_lazy("Prizes paid out"),
    AccountKind.BANK: gettext_lazy("At the bank"),
    AccountKind.DIFFERENCE: gettext_lazy("Over and short"),
    AccountKind.SIDE_FEES: gettext_lazy("Side pools"),
    AccountKind.SIDE_PRIZES: gettext_lazy("Side pools paid out"),
    AccountKind.EXTRAS: gettext_lazy("Extras"),
    AccountKind.WITHHELD: gettext_lazy("Withheld taxes, not sent on yet"),
}
KINDS: Final[Mapping[str, Any]] = {
    MovementKind.CHARGE: gettext_lazy("Fees charged"),
    MovementKind.CANCELLATION: gettext_lazy("Fees canceled"),
    MovementKind.DISCOUNT: gettext_lazy("Discounts"),
    MovementKind.COMPLIMENTARY: gettext_lazy("Complimentary entries"),
    MovementKind.PAYMENT: gettext_lazy("Payments"),
    MovementKind.REFUND: gettext_lazy("Refunds"),
    MovementKind.ADDED: gettext_lazy("Added money"),
    MovementKind.EXPENSE: gettext_lazy("Expense"),
    MovementKind.PAYOUT: gettext_lazy("Payouts"),
    MovementKind.TRANSFER: gettext_lazy("Transfers"),
    MovementKind.BROUGHT: gettext_lazy("Change brought"),
    MovementKind.BANKED: gettext_lazy("Taken to the bank"),
    MovementKind.OVER: gettext_lazy("Over"),
    MovementKind.SHORT: gettext_lazy("Short"),
    MovementKind.SIDE_POOL: gettext_lazy("Side pool"),
    MovementKind.SIDE_PAYOUT: gettext_lazy("Payouts of side pools"),
    MovementKind.EXTRA: gettext_lazy("Extra"),
    MovementKind.REMITTANCE: gettext_lazy("Tax remittances"),
}
"""The label for all movements of a kind together."""


_IN_BOX: Final[Mapping[str, Any]] = {
    LedgerLine.Method.CASH: gettext_lazy("%(amount)s cash"),
    LedgerLine.Method.CHECK: gettext_lazy("%(amount)s in checks"),
    LedgerLine.Method.CARD: gettext_lazy("%(amount)s by card"),
    LedgerLine.Method.TRANSFER: gettext_lazy("%(amount)s by transfer"),
    LedgerLine.Method.OTHER: gettext_lazy("%(amount)s by other ways"),
}
_TOUCHED: Final = (LedgerLine.Method.CASH, LedgerLine.Method.CHECK)
"""The methods whose money lies in a box. Slips and statements show the other methods."""


def should_be_in_box(expected: Mapping[str, int], currency: str) -> list[str]:
    """Return the sentences that a count begins with: the expected amounts by method."""
    said = [_("Should be in the box: %(amounts)s.") % {"amounts": _amounts(expected, _TOUCHED, currency)}]
    others = [method for method in _IN_BOX if method not in _TOUCHED]
    if any(expected.get(method) for method in others):
        said.append(_("Since the last close: %(amounts)s.") % {"amounts": _amounts(expected, others, currency)})
    return said


def should_be_in_drawer(sums: Mapping[str, int], currency: str) -> str:
    return _("Should be in the drawer: %(amounts)s.") % {"amounts": _amounts(sums, _IN_BOX, currency)}


def _amounts(sums: Mapping[str, int], methods: Iterable[str], currency: str) -> str:
    """List the amounts that are not zero. Cash is always listed if it is among the methods."""
    cash = LedgerLine.Method.CASH
    named = [method for method in methods if sums.get(method) or method == cash]
    return ", ".join(str(_IN_BOX[method]) % {"amount": money(sums.get(method, 0), currency)} for method in named)


def method_label(method: str) -> str:
    return str(LedgerLine.Method(method).label)


def what_of(movement: Movement) -> str:
    """Return the name of a movement, such as “Payment”, “Payout undone” or “Reversal: Expense: Postage”."""
    fact = movement.fact
    if isinstance(fact, LedgerLine):
        label = fact.get_kind_display()
        of = fact.corrects
        said = f"{label}: {of.get_kind_display()}" if of is not None and fact.kind == "reversal" else label
        return f"{said}: {fact.reference}" if is_named(fact) else said
    if isinstance(fact, CashMoved):
        return fact.get_kind_display()
    if not isinstance(fact, EventMoney):
        said, side = _("Payout undone") if fact.reverses_id is not None else _("Payout"), side_pool_of(fact)
        return f"{said}: {side.name}" if side is not None else said
    label = f"{fact.get_kind_display()}: {fact.category}" if fact.category else fact.get_kind_display()
    return _("Reversal: %(what)s") % {"what": label} if fact.reverses_id is not None else label


def who_of(movement: Movement) -> str:
    fact = movement.fact
    if isinstance(fact, CashMoved):
        return str(fact.to_drawer or fact.drawer or "")
    return fact.party if isinstance(fact, EventMoney) else str(fact.entrant)


def told_label(row: CardEvent) -> str:
    """Return what a card message is about. An unknown kind is returned as it came."""
    return {PAID: _("Payment"), REFUNDED: _("Refund"), UNREAD: _("Message")}.get(row.kind, row.kind)


def cash_from(row: CashMoved) -> str:
    """Return the place that cash was moved from, or where a difference was counted."""
    if row.kind == CashMoved.Kind.BROUGHT:
        return _("Outside")
    return row.drawer.name if row.drawer is not None else _("The safe")


def cash_to(row: CashMoved) -> str:
    """Return the place that cash was moved to, or an empty string for a difference."""
    if row.kind == CashMoved.Kind.BANKED:
        return _("The bank")
    if row.to_drawer is not None:
        return row.to_drawer.name
    return _("The safe") if row.kind in (CashMoved.Kind.TRANSFER, CashMoved.Kind.BROUGHT) else ""


def reference_of(movement: Movement) -> str:
    """Return the reference of a movement. The name of a side pool or an extra is none, because `what_of` has it."""
    fact = movement.fact
    return "" if isinstance(fact, LedgerLine) and is_named(fact) else getattr(fact, "reference", "")


def method_of(movement: Movement) -> str:
    fact = movement.fact
    if isinstance(fact, LedgerLine):
        return how_of(fact)
    return fact.get_method_display() if fact.method else ""


def how_of(line: LedgerLine) -> str:
    """Return how a line was paid, such as “Cash”, or “Cash, paid by check” for a refund by another method."""
    if not line.method:
        return ""
    source = refund_source_of(line)
    if source is None:
        return line.get_method_display()
    said = {"method": line.get_method_display(), "source": source.get_method_display().lower()}
    return _("%(method)s, paid by %(source)s") % said


def method_labels(sums: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(method_label(method), cents) for method, cents in sums.items()]


def journal_entries(ledger: Ledger) -> Iterator[JournalEntry]:
    names = AccountNames()
    for row in movements_by_day(ledger):
        yield _entry(row, ledger, lines_of_journal(row, names))


def _entry(row: Movement, ledger: Ledger, lines: tuple[JournalLine, ...]) -> JournalEntry:
    fact = row.fact
    source = refund_source_of(fact) if isinstance(fact, LedgerLine) else None
    tags = {
        "event": row.event.slug if row.event is not None else "",
        "entry": str(fact.entrant.number) if isinstance(fact, LedgerLine | PaidOut) else "",
        "kind": row.kind,
        "category": getattr(fact, "category", ""),
        "reference": reference_of(row),
        "paid-by": source.method if source is not None else "",
        "reason": fact.reason,
        "by": fact.by_name,
    }
    day = business_day(row, ledger.tournament)
    said = {name: text for name, text in tags.items() if text}
    return JournalEntry(day, row.receipt, who_of(row), what_of(row), lines, said)
