"""The tables of check-in, of payments and of the ledger."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.core.tables.lists import BY_FAMILY_NAME, NAME, decimal_amount
from tournament.models import Entrant, Event, Movement, PaidOut
from tournament.money.selectors.ledger import withheld_of
from tournament.money.services.checkin import MAY_ARRIVE
from tournament.money.words import movement_label, movement_method_label, movement_party, movement_reference
from tournament.purse import Account, sum_accounts
from tournament.templatetags.gin import local_day_time, money

LISTED_STATES: Final = (*MAY_ARRIVE, Entrant.State.REMOVED)
"""The states of entries that play, played, or look for a partner."""
_MONEY_ATTRS = {kind: {"class": "is-money is-narrow"} for kind in ("th", "td", "tf")}
_BALANCE_ATTRS = {kind: {"class": "is-money"} for kind in ("th", "td", "tf")}
_MARK_ATTRS = {"th": {"class": "is-narrow"}, "td": {"class": "is-narrow row-mark"}}
_BUTTON_ATTRS = {"th": {"class": "is-narrow"}, "td": {"class": "is-narrow row-act"}}


# --- Check-in and payments -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeskRow:
    """An entry in the lists of check-in and payments."""

    number: int
    name: str
    club: str
    sort_key: str
    arrived: bool
    state: str
    account: Account
    methods: str = ""
    real_name: str = ""
    """The name that staff use, if the public sees another one."""

    @property
    def details(self) -> str:
        return " · ".join(part for part in (self.real_name, self.club) if part)

    @property
    def may_arrive(self) -> bool:
        return self.state in MAY_ARRIVE

    @property
    def reason_out(self) -> str:
        return "" if self.may_arrive else str(Entrant.State(self.state).label)

    @property
    def owed(self) -> int:
        return self.account.asked_cents

    @property
    def paid(self) -> int:
        return self.account.kept_cents

    @property
    def due(self) -> int:
        """Return the cents that the entry owes. A negative number is owed to the player."""
        return self.account.balance_cents


class _DeskTable(tables.Table):
    """A table whose rows open their payment form, by mouse and by key (`static/js/sale.js`)."""

    row_header = "name"

    class Meta:
        order_by = "name"
        empty_text = _("No players on this list.")

    public_name = tables.Column(verbose_name=_("Name in public"), accessor="name", orderable=False, visible=False)

    def __init__(self, rows: list[DeskRow], *, event: Event, export: bool = False, **options: Any) -> None:
        """Create the table. An export has the name that staff use, and the public name beside it."""
        self.currency = event.tournament.currency
        slugs = {"tournament": event.tournament.slug, "event": event.slug, "number": 0}
        self.money_url = reverse("tournament:desk_money", kwargs=slugs)
        self.sale_url = reverse("tournament:desk_sale", kwargs=slugs)
        super().__init__(rows, sequence=("...", "public_name"), **options)
        if export:
            self.columns.show("public_name")

    def to_money(self, record: DeskRow) -> str:
        return self.money_url.replace("/0/", f"/{record.number}/")

    def to_payment(self, record: DeskRow) -> str:
        """Return the address of the payment form, or of the money page for a refund or an entry that is out."""
        if record.due < 0 or record.state not in LISTED_STATES:
            return self.to_money(record)
        return self.sale_url.replace("/0/", f"/{record.number}/")

    def sale_mark(self, record: DeskRow) -> SafeString:
        """Return attributes for the payment link, by which the payment key finds the entries that owe."""
        owes = record.due > 0 and record.state in LISTED_STATES
        return SafeString(' data-sale="owes"' if owes else ' data-sale=""')

    def balance(self, record: DeskRow) -> str:
        if not record.due:
            return gettext("settled ✓")
        text = gettext("owes %s") if record.due > 0 else gettext("is owed %s")
        return text % money(abs(record.due), self.currency)

    def value_name(self, record: DeskRow) -> str:
        return record.real_name or record.name

    def value_public_name(self, record: DeskRow) -> str:
        return record.name

    def render_due(self, record: DeskRow) -> SafeString:
        kind = "is-open" if record.due else "second"
        shape = '<a class="{}" href="{}"{}>{}</a>'
        return format_html(shape, kind, self.to_payment(record), self.sale_mark(record), self.balance(record))

    def value_due(self, record: DeskRow) -> Decimal:
        return decimal_amount(record.due, self.currency)


class CheckInTable(_DeskTable):
    """The check-in list. The button of a row's last cell covers the whole row (`static/css/desk.css`)."""

    mark = tables.Column(
        verbose_name=_("Mark"), empty_values=(), orderable=False, exclude_from_export=True, attrs=_MARK_ATTRS
    )
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow row-number"}})
    name = tables.Column(verbose_name=_("Name"), attrs=NAME, order_by=BY_FAMILY_NAME)
    due = tables.Column(verbose_name=_("Money"), attrs={"td": {"class": "row-money"}})
    arrived = tables.Column(verbose_name=_("Checked in"), attrs=_BUTTON_ATTRS)

    class Meta(_DeskTable.Meta):
        attrs: ClassVar = {"class": "check-in-table"}

    def render_mark(self, record: DeskRow) -> SafeString | str:
        if record.arrived or not record.may_arrive:
            return ""
        label = gettext("Mark %(name)s") % {"name": f"{record.number} {record.name}"}
        return format_html(
            '<label class="row-box"><input type="checkbox" class="form-check-input" form="check-in" name="number" '
            'value="{}" aria-label="{}"></label>',
            record.number,
            label,
        )

    def render_name(self, record: DeskRow) -> SafeString:
        return format_html('<strong>{}</strong> <span class="second">{}</span>', record.name, record.details)

    def render_arrived(self, record: DeskRow) -> SafeString | str:
        if record.arrived:
            done = format_html('<span class="row-done">✓ {}</span>', gettext("Checked in"))
            label = gettext("Undo check-in of %(name)s") % {"name": record.name}
            shape = '<button class="btn btn-link" form="check-in" name="undo" value="{}" aria-label="{}">{}</button>'
            return self._place(record, done, format_html(shape, record.number, label, gettext("Undo")))
        if not record.may_arrive:
            return gettext("out of the event")
        label = gettext("Check in %(name)s") % {"name": f"{record.number} {record.name}"}
        shape = (
            '<button class="btn btn-primary row-key" form="check-in" name="one" value="{}" '
            'aria-label="{}" data-row-key>{}</button>'
        )
        return self._place(record, format_html(shape, record.number, label, gettext("Check in")))

    def _place(self, record: DeskRow, *parts: SafeString) -> SafeString:
        """Wrap the parts in the anchor that the page returns to.

        The anchor takes no focus, because a second Enter must not press *Undo*.
        """
        return format_html('<span id="arrived-{}">{}</span>', record.number, SafeString(" ".join(parts)))

    def value_arrived(self, record: DeskRow) -> str:
        return gettext("yes") if record.arrived else gettext("no")


def _money_footer(name: str) -> "Callable[[PaymentTable], str]":
    return lambda table: money(getattr(table.sums, name), table.currency)


def _due_footer(table: "PaymentTable") -> str:
    """Return both what players owe and what they are owed, so that one sum does not hide the other."""
    sums = table.sums
    each = ((sums.due_cents, gettext("owe %s")), (sums.refund_due_cents, gettext("are owed %s")))
    return ", ".join(words % money(cents, table.currency) for cents, words in each if cents) or gettext("settled")


class PaymentTable(_DeskTable):
    """The charges, payments and balances of all entries, with a line of sums."""

    number = tables.Column(verbose_name=_("No."))
    name = tables.Column(verbose_name=_("Name"), footer=_("All"), attrs=NAME, order_by=BY_FAMILY_NAME)
    owed = tables.Column(verbose_name=_("Charged"), footer=_money_footer("asked_cents"), attrs=_MONEY_ATTRS)
    paid = tables.Column(verbose_name=_("Paid"), footer=_money_footer("kept_cents"), attrs=_MONEY_ATTRS)
    due = tables.Column(verbose_name=_("Balance"), footer=_due_footer, attrs=_BALANCE_ATTRS)
    methods = tables.Column(verbose_name=_("How paid"), orderable=False)

    class Meta(_DeskTable.Meta):
        attrs: ClassVar = {"class": "payment-table"}

    def __init__(self, rows: list[DeskRow], **options: Any) -> None:
        self.sums = sum_accounts(row.account for row in rows)
        super().__init__(rows, **options)

    def render_name(self, record: DeskRow) -> SafeString:
        shape = '<span id="arrived-{}"><a href="{}"><strong>{}</strong></a> <span class="second">{}</span></span>'
        details = " · ".join(part for part in (record.details, record.reason_out) if part)
        return format_html(shape, record.number, self.to_money(record), record.name, details)

    def render_owed(self, value: int) -> str:
        return money(value, self.currency)

    render_paid = render_owed

    def value_owed(self, value: int) -> Decimal:
        return decimal_amount(value, self.currency)

    value_paid = value_owed


# --- Ledger ----------------------------------------------------------------------------------------------------------


class LedgerTable(tables.Table):
    """Every movement of an event's money. Reversals are negative, and exports have a column for the person."""

    receipt = tables.Column(verbose_name=_("Receipt"), order_by="number", attrs={"td": {"class": "row-number"}})
    day = tables.Column(verbose_name=_("When"), order_by="pk", attrs={"td": {"class": "is-narrow"}})
    what = tables.Column(verbose_name=_("What"), empty_values=(), orderable=False, attrs={"td": {"class": "is-person"}})
    who = tables.Column(verbose_name=_("Who"), empty_values=(), orderable=False, visible=False)
    cents = tables.Column(verbose_name=_("Amount"), empty_values=(), orderable=False, attrs=_MONEY_ATTRS)
    how = tables.Column(verbose_name=_("How"), empty_values=(), orderable=False)
    why = tables.Column(verbose_name=_("Reason, recorded by"), empty_values=(), orderable=False)

    row_header = "what"

    class Meta:
        attrs: ClassVar = {"class": "payment-table"}
        empty_text = _("No money has been recorded yet.")

    def __init__(self, rows: list[Movement], *, event: Event, **options: Any) -> None:
        self.tournament = event.tournament
        self.address = reverse("tournament:desk_ledger", args=[event.tournament.slug, event.slug])
        super().__init__(rows, **options)

    def render_receipt(self, record: Movement) -> SafeString:
        return format_html('<a href="{}{}/">{}</a>', self.address, record.number, record.receipt)

    def render_day(self, record: Movement) -> str:
        return local_day_time(record.fact.at, self.tournament)

    def value_day(self, record: Movement) -> datetime:
        return record.fact.at.astimezone(ZoneInfo(self.tournament.time_zone)).replace(tzinfo=None, microsecond=0)

    def render_what(self, record: Movement) -> SafeString:
        undone = gettext("(reversed)") if hasattr(record, "reversed_by") else ""
        shape = '<span><strong>{}</strong> {} <span class="second">{}</span></span>'
        return format_html(shape, movement_label(record), undone, movement_party(record))

    def value_what(self, record: Movement) -> str:
        return movement_label(record)

    def render_who(self, record: Movement) -> str:
        return movement_party(record)

    def render_cents(self, record: Movement) -> str:
        return money(self._cents(record), self.tournament.currency)

    def value_cents(self, record: Movement) -> Decimal:
        return decimal_amount(self._cents(record), self.tournament.currency)

    def _cents(self, record: Movement) -> int:
        cents: int = record.fact.cents
        return -cents if record.is_reversal else cents

    def render_how(self, record: Movement) -> SafeString:
        """Render the reference so that one long word can break."""
        return format_html('<span class="breaks is-short">{}</span>', self.value_how(record))

    def value_how(self, record: Movement) -> str:
        return " ".join(
            part for part in (movement_method_label(record), movement_reference(record), self._withheld(record)) if part
        )

    def _withheld(self, record: Movement) -> str:
        """Return the withheld part of a payout, by which less money moved."""
        cents = withheld_of(record.fact) if isinstance(record.fact, PaidOut) else 0
        return gettext("(%s withheld)") % money(cents, self.tournament.currency) if cents else ""

    def render_why(self, record: Movement) -> SafeString:
        return format_html('<span>{} <span class="second">{}</span></span>', record.fact.reason, record.fact.by_name)
