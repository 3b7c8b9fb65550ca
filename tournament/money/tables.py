"""The tables of the check-in and payment lists."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Final

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.core.tables.lists import NAME_CELL_ATTRS, ORDER_BY_FAMILY_NAME, to_decimal_amount
from tournament.models import Entrant, Event
from tournament.money.services.checkin import CHECK_IN_STATES
from tournament.purse.fees import EntryAccount, sum_entry_accounts
from tournament.templatetags.gin import money

LISTED_ENTRANT_STATES: Final = (*CHECK_IN_STATES, Entrant.State.REMOVED)
"""The states of entries that are playing, have played, or are looking for a partner."""
_MONEY_ATTRS = {kind: {"class": "is-money is-narrow"} for kind in ("th", "td", "tf")}
_BALANCE_ATTRS = {kind: {"class": "is-money"} for kind in ("th", "td", "tf")}
_MARK_ATTRS = {"th": {"class": "is-narrow"}, "td": {"class": "is-narrow row-mark"}}
_BUTTON_ATTRS = {"th": {"class": "is-narrow"}, "td": {"class": "is-narrow row-act"}}


@dataclass(frozen=True, slots=True)
class EntryMoneyRow:
    number: int
    name: str
    club: str
    sort_key: str
    arrived: bool
    state: str
    account: EntryAccount
    methods: str = ""
    real_name: str = ""
    """The name that staff use, if it differs from the public name."""

    @property
    def details(self) -> str:
        return " · ".join(part for part in (self.real_name, self.club) if part)

    @property
    def can_check_in(self) -> bool:
        return self.state in CHECK_IN_STATES

    @property
    def absence_label(self) -> str:
        return "" if self.can_check_in else str(Entrant.State(self.state).label)

    @property
    def owed(self) -> int:
        return self.account.charged_cents

    @property
    def paid(self) -> int:
        return self.account.net_paid_cents

    @property
    def due(self) -> int:
        """Return the cents that the entry owes. A negative amount has to be refunded."""
        return self.account.balance_cents


class _DeskTable(tables.Table):
    """A table whose rows open the payment form with a click or a key (`static/js/sale.js`)."""

    row_header = "name"

    class Meta:
        order_by = "name"
        empty_text = _("No players on this list.")

    public_name = tables.Column(verbose_name=_("Name in public"), accessor="name", orderable=False, visible=False)

    def __init__(self, rows: list[EntryMoneyRow], *, event: Event, export: bool = False, **options: Any) -> None:
        """Create the table. A table for export has both the name that staff use and the public name."""
        self.currency = event.tournament.currency
        slugs = {"tournament": event.tournament.slug, "event": event.slug, "number": 0}
        self.money_url = reverse("tournament:desk_money", kwargs=slugs)
        self.sale_url = reverse("tournament:desk_sale", kwargs=slugs)
        super().__init__(rows, sequence=("...", "public_name"), **options)
        if export:
            self.columns.show("public_name")

    def make_account_url(self, record: EntryMoneyRow) -> str:
        return self.money_url.replace("/0/", f"/{record.number}/")

    def make_payment_url(self, record: EntryMoneyRow) -> str:
        """Return the URL of the form that records a payment.

        If the entry is owed a refund or is not in the event, return the URL of its account page.
        """
        if record.due < 0 or record.state not in LISTED_ENTRANT_STATES:
            return self.make_account_url(record)
        return self.sale_url.replace("/0/", f"/{record.number}/")

    def make_sale_attribute(self, record: EntryMoneyRow) -> SafeString:
        """Return the HTML attribute `data-sale`, by which the keyboard shortcut finds the link.

        Its value is “owes” if the entry owes money.
        """
        owes = record.due > 0 and record.state in LISTED_ENTRANT_STATES
        return SafeString(' data-sale="owes"' if owes else ' data-sale=""')

    def format_balance(self, record: EntryMoneyRow) -> str:
        if not record.due:
            return gettext("settled ✓")
        text = gettext("owes %s") if record.due > 0 else gettext("is owed %s")
        return text % money(abs(record.due), self.currency)

    def value_name(self, record: EntryMoneyRow) -> str:
        return record.real_name or record.name

    def value_public_name(self, record: EntryMoneyRow) -> str:
        return record.name

    def render_due(self, record: EntryMoneyRow) -> SafeString:
        kind = "is-open" if record.due else "second"
        shape = '<a class="{}" href="{}"{}>{}</a>'
        return format_html(
            shape, kind, self.make_payment_url(record), self.make_sale_attribute(record), self.format_balance(record)
        )

    def value_due(self, record: EntryMoneyRow) -> Decimal:
        return to_decimal_amount(record.due, self.currency)


class CheckInTable(_DeskTable):
    """The check-in list. The button in the last cell covers the whole row (`static/css/desk.css`)."""

    mark = tables.Column(
        verbose_name=_("Mark"), empty_values=(), orderable=False, exclude_from_export=True, attrs=_MARK_ATTRS
    )
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow row-number"}})
    name = tables.Column(verbose_name=_("Name"), attrs=NAME_CELL_ATTRS, order_by=ORDER_BY_FAMILY_NAME)
    due = tables.Column(verbose_name=_("Money"), attrs={"td": {"class": "row-money"}})
    arrived = tables.Column(verbose_name=_("Checked in"), attrs=_BUTTON_ATTRS)

    class Meta(_DeskTable.Meta):
        attrs: ClassVar = {"class": "check-in-table"}

    def render_mark(self, record: EntryMoneyRow) -> SafeString | str:
        if record.arrived or not record.can_check_in:
            return ""
        label = gettext("Mark %(name)s") % {"name": f"{record.number} {record.name}"}
        return format_html(
            '<label class="row-box"><input type="checkbox" class="form-check-input" form="check-in" name="number" '
            'value="{}" aria-label="{}"></label>',
            record.number,
            label,
        )

    def render_name(self, record: EntryMoneyRow) -> SafeString:
        return format_html('<strong>{}</strong> <span class="second">{}</span>', record.name, record.details)

    def render_arrived(self, record: EntryMoneyRow) -> SafeString | str:
        if record.arrived:
            done = format_html('<span class="row-done">✓ {}</span>', gettext("Checked in"))
            label = gettext("Undo check-in of %(name)s") % {"name": record.name}
            shape = '<button class="btn btn-link" form="check-in" name="undo" value="{}" aria-label="{}">{}</button>'
            return self._wrap_in_scroll_target(record, done, format_html(shape, record.number, label, gettext("Undo")))
        if not record.can_check_in:
            return gettext("out of the event")
        label = gettext("Check in %(name)s") % {"name": f"{record.number} {record.name}"}
        shape = (
            '<button class="btn btn-primary row-key" form="check-in" name="one" value="{}" '
            'aria-label="{}" data-row-key>{}</button>'
        )
        return self._wrap_in_scroll_target(record, format_html(shape, record.number, label, gettext("Check in")))

    def _wrap_in_scroll_target(self, record: EntryMoneyRow, *parts: SafeString) -> SafeString:
        """Wrap a cell's contents in an element with an ID. After a check-in, the page scrolls to this element.

        The element never gets the focus, because pressing Enter again would then undo the check-in.
        """
        return format_html('<span id="arrived-{}">{}</span>', record.number, SafeString(" ".join(parts)))

    def value_arrived(self, record: EntryMoneyRow) -> str:
        return gettext("yes") if record.arrived else gettext("no")


def _make_money_footer(name: str) -> "Callable[[PaymentTable], str]":
    return lambda table: money(getattr(table.sums, name), table.currency)


def _format_due_footer(table: "PaymentTable") -> str:
    """Return the total that players owe and the total to be refunded. A single net amount would hide both."""
    sums = table.sums
    each = ((sums.due_cents, gettext("owe %s")), (sums.refund_due_cents, gettext("are owed %s")))
    return ", ".join(words % money(cents, table.currency) for cents, words in each if cents) or gettext("settled")


class PaymentTable(_DeskTable):
    """The charges, payments and balances of all entries, with a row of totals."""

    number = tables.Column(verbose_name=_("No."))
    name = tables.Column(verbose_name=_("Name"), footer=_("All"), attrs=NAME_CELL_ATTRS, order_by=ORDER_BY_FAMILY_NAME)
    owed = tables.Column(verbose_name=_("Charged"), footer=_make_money_footer("charged_cents"), attrs=_MONEY_ATTRS)
    paid = tables.Column(verbose_name=_("Paid"), footer=_make_money_footer("net_paid_cents"), attrs=_MONEY_ATTRS)
    due = tables.Column(verbose_name=_("Balance"), footer=_format_due_footer, attrs=_BALANCE_ATTRS)
    methods = tables.Column(verbose_name=_("How paid"), orderable=False)

    class Meta(_DeskTable.Meta):
        attrs: ClassVar = {"class": "payment-table"}

    def __init__(self, rows: list[EntryMoneyRow], **options: Any) -> None:
        self.sums = sum_entry_accounts(row.account for row in rows)
        super().__init__(rows, **options)

    def render_name(self, record: EntryMoneyRow) -> SafeString:
        shape = '<span id="arrived-{}"><a href="{}"><strong>{}</strong></a> <span class="second">{}</span></span>'
        details = " · ".join(part for part in (record.details, record.absence_label) if part)
        return format_html(shape, record.number, self.make_account_url(record), record.name, details)

    def render_owed(self, value: int) -> str:
        return money(value, self.currency)

    render_paid = render_owed

    def value_owed(self, value: int) -> Decimal:
        return to_decimal_amount(value, self.currency)

    value_paid = value_owed
