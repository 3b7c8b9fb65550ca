"""Every kind of money, declared in one place: accounts, limits, labels, and permissions to record and reverse it.

To add a kind, add it to `MoneyKind` and `MONEY_KIND_DETAILS`. If it needs a new account, also add it to `AccountKind`
and `ACCOUNT_DETAILS`. Postings, daily closes, the ledger, exports and pages are derived from these declarations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tournament.lazy_text import lazy_text


class AccountKind(StrEnum):
    """The account that a posting belongs to.

    `money` is money on hand, and `entrant` is what entrants owe. Most other accounts show the source or the use of
    money. `bank` is money taken to the bank minus the change brought from it. `difference` is missing cash minus excess
    cash. `withheld` and `donations` are negative, because that money is owed to the tax office and to the charity.
    """

    ENTRANT = "entrant"
    FEES = "fees"
    DISCOUNTS = "discounts"
    MONEY = "money"
    ADDED = "added"
    EXPENSE = "expense"
    PRIZES = "prizes"
    BANK = "bank"
    DIFFERENCE = "difference"
    SIDE_FEES = "side-fees"
    SIDE_PRIZES = "side-prizes"
    EXTRAS = "extras"
    WITHHELD = "withheld"
    DONATIONS = "donations"


@dataclass(frozen=True, slots=True)
class _HeldMoney:
    """Labels and errors for money on hand that belongs to somebody else, such as withheld taxes.

    `too_much` is the error for sending on more than is held. `sent_already` is the error for returning money that was
    already sent on. Each error consists of a code, and a function that returns the message for an amount.
    """

    column: str
    open_item: str
    too_much: tuple[str, Callable[[str], str]]
    sent_already: tuple[str, Callable[[str], str]]


@dataclass(frozen=True, slots=True)
class _AccountTerms:
    """An account's label, and its name in accounting programs, where it can have a subaccount for each category."""

    label: str
    journal: str
    by_category: bool = False
    held: _HeldMoney | None = None


ACCOUNT_DETAILS: Final[Mapping[str, _AccountTerms]] = {
    AccountKind.ENTRANT: _AccountTerms(lazy_text("Account of the entry"), "Assets:Receivable"),
    AccountKind.FEES: _AccountTerms(lazy_text("Fees"), "Income:Fees"),
    AccountKind.DISCOUNTS: _AccountTerms(lazy_text("Discounts"), "Expenses:Discounts"),
    AccountKind.MONEY: _AccountTerms(lazy_text("Money on hand"), "Assets"),
    AccountKind.ADDED: _AccountTerms(lazy_text("Added money"), "Income:Added"),
    AccountKind.EXPENSE: _AccountTerms(lazy_text("Expenses"), "Expenses:Costs", by_category=True),
    AccountKind.PRIZES: _AccountTerms(lazy_text("Prizes paid out"), "Expenses:Prizes"),
    AccountKind.BANK: _AccountTerms(lazy_text("At the bank"), "Assets:Bank"),
    AccountKind.DIFFERENCE: _AccountTerms(lazy_text("Over and short"), "Expenses:Over-And-Short"),
    AccountKind.SIDE_FEES: _AccountTerms(lazy_text("Side pools"), "Income:Side-Pools", by_category=True),
    AccountKind.SIDE_PRIZES: _AccountTerms(lazy_text("Side pools paid out"), "Expenses:Side-Pools", by_category=True),
    AccountKind.EXTRAS: _AccountTerms(lazy_text("Extras"), "Income:Extras", by_category=True),
    AccountKind.WITHHELD: _AccountTerms(
        lazy_text("Withheld taxes, not sent on yet"),
        "Liabilities:Withheld",
        held=_HeldMoney(
            column=lazy_text("Withheld taxes on hand"),
            open_item=lazy_text("Withheld for taxes and not sent on yet:"),
            too_much=(
                "more-than-withheld",
                lambda amount: lazy_text(
                    "Only %(amount)s is withheld and not sent on yet. Enter up to that much.", amount=amount
                ),
            ),
            sent_already=(
                "withheld-sent",
                lambda amount: lazy_text(
                    "%(amount)s of it was withheld and is with the tax office. Reverse that tax remittance first.",
                    amount=amount,
                ),
            ),
        ),
    ),
    AccountKind.DONATIONS: _AccountTerms(
        lazy_text("Donations, not passed on yet"),
        "Liabilities:Donations",
        held=_HeldMoney(
            column=lazy_text("Donations on hand"),
            open_item=lazy_text("Donations not passed on to the charity yet:"),
            too_much=(
                "more-than-donated",
                lambda amount: lazy_text(
                    "Only %(amount)s of the donations is not passed on yet. Enter up to that much.", amount=amount
                ),
            ),
            sent_already=(
                "donation-sent",
                lambda amount: lazy_text(
                    "This donation of %(amount)s was passed on. Reverse that payment to the charity first.",
                    amount=amount,
                ),
            ),
        ),
    ),
}
HELD_MONEY_BY_ACCOUNT: Final[Mapping[str, _HeldMoney]] = {
    account: terms.held for account, terms in ACCOUNT_DETAILS.items() if terms.held is not None
}
"""Labels and errors for each account whose money belongs to somebody else."""


class MoneyKind(StrEnum):
    """A kind of money movement or ledger line, such as a payment or a correction."""

    CHARGE = "charge"
    SIDE_POOL = "side-pool"
    EXTRA = "extra"
    DISCOUNT = "discount"
    COMPLIMENTARY = "complimentary"
    CANCELLATION = "cancellation"
    PAYMENT = "payment"
    REFUND = "refund"
    DONATION = "donation"
    CORRECTION = "correction"
    REVERSAL = "reversal"
    ADDED = "added"
    EXPENSE = "expense"
    REMITTANCE = "remittance"
    CHARITY = "charity"
    PAYOUT = "payout"
    SIDE_PAYOUT = "side-payout"
    TRANSFER = "transfer"
    BROUGHT = "brought"
    BANKED = "banked"
    OVER = "over"
    SHORT = "short"


class LedgerTable(StrEnum):
    """The database table that records a kind of money: ledger lines, payouts, other money, or cash transfers."""

    LINE = "line"
    PAID_OUT = "paid_out"
    MONEY = "money"
    CASH = "cash"


class AmountLimit(StrEnum):
    """A limit on the amount of a movement, which a `Daybook` checks.

    - `charged`: discounts and cancellations must not exceed the entry's charges.
    - `paid`: a refund must not exceed what the entry has paid by that method.
    - `held`: money held for somebody else can be sent on only up to the amount held.
    """

    CHARGED = "charged"
    PAID = "paid"
    HELD = "held"
    ON_HAND = "on-hand"
    POOL = "pool"


@dataclass(frozen=True, slots=True)
class _DeskForm:
    """A form for recording money that belongs to no entry.

    `verb` names the record in the log. `no_party` and `no_reason` are error messages for empty fields. Without a
    message, the field may be empty.
    """

    verb: str
    party: str
    reference: str = lazy_text("Check number or remark")
    party_help: str = ""
    no_party: str = ""
    reason: str = ""
    reason_help: str = ""
    no_reason: str = ""
    has_category: bool = False
    changes_pool: bool = False


@dataclass(frozen=True, slots=True)
class _KindTerms:
    """The declaration of one kind of money, such as payments or refunds.

    The cents of a record are added to the account `to` and subtracted from the account `off`. `one` is the label for a
    single record, and `many` is the label for all records of a day.

    `split_by` is "method" or "category" if a daily close shows a total for each payment method or category. If it is
    "", the close shows a single total of this kind. If it is None, the close does not show this kind.

    `recorded_by` and `reversed_by` are permissions. If `reversed_by` is empty, a different action undoes the record.
    """

    record: LedgerTable
    to: AccountKind
    off: AccountKind
    many: str
    one: str = ""
    split_by: str | None = "method"
    limits: tuple[AmountLimit, ...] = ()
    needs_reason: bool = False
    has_category: bool = False
    may_withhold: bool = False
    recorded_by: str = "desk"
    reversed_by: str = ""
    form: _DeskForm | None = None

    @property
    def moves_money(self) -> bool:
        return AccountKind.MONEY in (self.to, self.off)

    @property
    def increases_owed(self) -> bool:
        return self.to is AccountKind.ENTRANT


def _make_charge_terms(off: AccountKind, *, one: str, many: str, has_category: bool = False) -> _KindTerms:
    return _KindTerms(
        LedgerTable.LINE,
        to=AccountKind.ENTRANT,
        off=off,
        one=one,
        many=many,
        split_by="category" if has_category else "",
        has_category=has_category,
    )


def _make_waiver_terms(to: AccountKind, *, one: str, many: str) -> _KindTerms:
    return _KindTerms(
        LedgerTable.LINE,
        to=to,
        off=AccountKind.ENTRANT,
        one=one,
        many=many,
        split_by="",
        limits=(AmountLimit.CHARGED,),
        needs_reason=True,
        recorded_by="direct",
        reversed_by="direct",
    )


def _make_cash_terms(to: AccountKind, off: AccountKind, label: str) -> _KindTerms:
    return _KindTerms(LedgerTable.CASH, to=to, off=off, one=label, many=label)


MONEY_KIND_DETAILS: Final[Mapping[str, _KindTerms]] = {
    # Charges to an entry, and waivers.
    MoneyKind.CHARGE: _make_charge_terms(AccountKind.FEES, one=lazy_text("Fee"), many=lazy_text("Fees charged")),
    MoneyKind.CANCELLATION: _make_waiver_terms(
        AccountKind.FEES, one=lazy_text("Fee canceled"), many=lazy_text("Fees canceled")
    ),
    MoneyKind.DISCOUNT: _make_waiver_terms(
        AccountKind.DISCOUNTS, one=lazy_text("Discount"), many=lazy_text("Discounts")
    ),
    MoneyKind.COMPLIMENTARY: _make_waiver_terms(
        AccountKind.DISCOUNTS, one=lazy_text("Complimentary"), many=lazy_text("Complimentary entries")
    ),
    MoneyKind.SIDE_POOL: _make_charge_terms(
        AccountKind.SIDE_FEES, one=lazy_text("Side pool"), many=lazy_text("Side pool"), has_category=True
    ),
    MoneyKind.EXTRA: _make_charge_terms(
        AccountKind.EXTRAS, one=lazy_text("Extra"), many=lazy_text("Extra"), has_category=True
    ),
    # Money that an entry pays or gets back.
    MoneyKind.PAYMENT: _KindTerms(
        LedgerTable.LINE,
        to=AccountKind.MONEY,
        off=AccountKind.ENTRANT,
        one=lazy_text("Payment"),
        many=lazy_text("Payments"),
        reversed_by="desk",
    ),
    MoneyKind.REFUND: _KindTerms(
        LedgerTable.LINE,
        to=AccountKind.ENTRANT,
        off=AccountKind.MONEY,
        one=lazy_text("Refund"),
        many=lazy_text("Refunds"),
        limits=(AmountLimit.PAID, AmountLimit.ON_HAND),
        needs_reason=True,
        recorded_by="direct",
        reversed_by="direct",
    ),
    MoneyKind.DONATION: _KindTerms(
        LedgerTable.LINE,
        to=AccountKind.MONEY,
        off=AccountKind.DONATIONS,
        one=lazy_text("Donation to charity"),
        many=lazy_text("Donations"),
        reversed_by="desk",
    ),
    # Money that belongs to no entry.
    MoneyKind.ADDED: _KindTerms(
        LedgerTable.MONEY,
        to=AccountKind.MONEY,
        off=AccountKind.ADDED,
        one=lazy_text("Added money"),
        many=lazy_text("Added money"),
        reversed_by="direct",
        form=_DeskForm(
            "money.added",
            party=lazy_text("Sponsor"),
            no_party=lazy_text("The sponsor is missing. Enter who gave the money."),
            changes_pool=True,
        ),
    ),
    MoneyKind.EXPENSE: _KindTerms(
        LedgerTable.MONEY,
        to=AccountKind.EXPENSE,
        off=AccountKind.MONEY,
        one=lazy_text("Expense"),
        many=lazy_text("Expense"),
        split_by="category",
        limits=(AmountLimit.ON_HAND,),
        has_category=True,
        recorded_by="direct",
        reversed_by="direct",
        form=_DeskForm(
            "money.spent", party=lazy_text("Paid to"), reference=lazy_text("Bill number or remark"), has_category=True
        ),
    ),
    # Prizes, and taxes withheld from them.
    MoneyKind.PAYOUT: _KindTerms(
        LedgerTable.PAID_OUT,
        to=AccountKind.PRIZES,
        off=AccountKind.MONEY,
        many=lazy_text("Payouts"),
        limits=(AmountLimit.ON_HAND, AmountLimit.POOL),
        may_withhold=True,
        reversed_by="direct",
    ),
    MoneyKind.SIDE_PAYOUT: _KindTerms(
        LedgerTable.PAID_OUT,
        to=AccountKind.SIDE_PRIZES,
        off=AccountKind.MONEY,
        many=lazy_text("Payouts of side pools"),
        has_category=True,
        may_withhold=True,
        reversed_by="direct",
    ),
    MoneyKind.REMITTANCE: _KindTerms(
        LedgerTable.MONEY,
        to=AccountKind.WITHHELD,
        off=AccountKind.MONEY,
        one=lazy_text("Tax remittance"),
        many=lazy_text("Tax remittances"),
        limits=(AmountLimit.HELD, AmountLimit.ON_HAND),
        needs_reason=True,
        recorded_by="direct",
        reversed_by="direct",
        form=_DeskForm(
            "money.remitted",
            party=lazy_text("Sent to"),
            party_help=lazy_text("Such as IRS."),
            no_party=lazy_text("Enter who the money is sent to."),
            reason=lazy_text("What it is sent for"),
            reason_help=lazy_text("Such as Form 945, fourth quarter."),
            no_reason=lazy_text("Enter what it is sent for, such as the form and the quarter."),
        ),
    ),
    MoneyKind.CHARITY: _KindTerms(
        LedgerTable.MONEY,
        to=AccountKind.DONATIONS,
        off=AccountKind.MONEY,
        one=lazy_text("Payment to charity"),
        many=lazy_text("Payments to charity"),
        limits=(AmountLimit.HELD, AmountLimit.ON_HAND),
        recorded_by="direct",
        reversed_by="direct",
        form=_DeskForm(
            "money.charity",
            party=lazy_text("Charity"),
            no_party=lazy_text("The charity is missing. Enter who gets the money."),
        ),
    ),
    # Cash in the drawers and in the safe. A transfer moves it between two of them, and the close does not list it.
    MoneyKind.TRANSFER: _KindTerms(
        LedgerTable.CASH,
        to=AccountKind.MONEY,
        off=AccountKind.MONEY,
        one=lazy_text("Transfer"),
        many=lazy_text("Transfers"),
        split_by=None,
    ),
    MoneyKind.BROUGHT: _make_cash_terms(AccountKind.MONEY, AccountKind.BANK, lazy_text("Change brought")),
    MoneyKind.BANKED: _make_cash_terms(AccountKind.BANK, AccountKind.MONEY, lazy_text("Taken to the bank")),
    MoneyKind.OVER: _make_cash_terms(AccountKind.MONEY, AccountKind.DIFFERENCE, lazy_text("Over")),
    MoneyKind.SHORT: _make_cash_terms(AccountKind.DIFFERENCE, AccountKind.MONEY, lazy_text("Short")),
}
"""The details of all kinds of money, in the order in which a daily close lists them."""

CANCELING_LINE_LABELS: Final[Mapping[str, str]] = {
    MoneyKind.CORRECTION: lazy_text("Correction of a payment"),
    MoneyKind.REVERSAL: lazy_text("Reversal"),
}
"""Labels of ledger lines that cancel another line.

The money movement of such a line has the kind of the canceled line, with negative amounts.
"""
DESK_FORM_BY_KIND: Final[Mapping[str, _DeskForm]] = {
    kind: terms.form for kind, terms in MONEY_KIND_DETAILS.items() if terms.form
}


def list_money_kinds_in_table(record: LedgerTable) -> tuple[MoneyKind, ...]:
    """Return the kinds of money that are recorded in this database table, in the order of `MoneyKind`.

    >>> [str(kind) for kind in list_money_kinds_in_table(LedgerTable.MONEY)]
    ['added', 'expense', 'remittance', 'charity']
    """
    return tuple(kind for kind in MoneyKind if kind in MONEY_KIND_DETAILS and MONEY_KIND_DETAILS[kind].record is record)
