"""The books: an event's ledger and expenses, the whole tournament's finances, and files for accountants."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.forms import CentsField, IdempotentForm, IdempotentReasonForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.core.permissions import Actor
from tournament.core.selectors.program import format_program_version
from tournament.core.tables.lists import (
    EXPORT_CONTENT_TYPES,
    ListRequestConfig,
    export_if_requested,
    export_rows,
    to_decimal_amount,
)
from tournament.models import Drawer, Event, LedgerLine, Movement, PaidOut, SidePool
from tournament.money.pdf.close import MoneyTable
from tournament.money.selectors.drawers_and_close import (
    load_all_daily_closes,
    load_cash_moves,
    load_closed_drawers,
    read_counted_money,
)
from tournament.money.selectors.finances import (
    OPEN_ITEM_FIGURES,
    CentsByFigure,
    CentsByMethod,
    Ledger,
    TournamentFinances,
    load_account_balances,
    load_event_money,
    load_expenses,
    load_tournament_finances,
)
from tournament.money.selectors.ledger import (
    find_side_pool,
    find_withholding,
    get_withheld_cents,
    join_withholding_reasons,
    load_held_cents_by_account,
    load_movements,
    sum_money_on_hand_by_method,
)
from tournament.money.selectors.prizes import load_prizes, load_tax_rows
from tournament.money.selectors.side_pools import load_event_extra_sales, load_side_pools
from tournament.money.selectors.transfers_and_cards import (
    load_card_events,
    load_card_events_without_entry,
    load_manually_matched_card_events,
)
from tournament.money.services.ledger import EventMoneyDetails, record_event_money, set_expense_categories
from tournament.money.services.payouts import is_reversible, reverse_movement
from tournament.money.words import (
    card_event_label,
    cash_destination_label,
    cash_source_label,
    iter_journal_entries,
    label_sums_by_method,
    movement_counterparty,
    movement_label,
    movement_method_label,
    movement_reference,
    payment_method_label,
)
from tournament.purse.journal import JOURNAL_SYNTAXES, CurrencyFormat, write_journal
from tournament.purse.kinds import (
    ACCOUNT_DETAILS,
    DESK_FORM_BY_KIND,
    HELD_MONEY_BY_ACCOUNT,
    MONEY_KIND_DETAILS,
    AmountLimit,
)
from tournament.templatetags.gin import day_in_year, local_day_time, money, signer

ROWS_PER_PAGE: Final = 50


# --- Ledger ----------------------------------------------------------------------------------------------------------


class _LedgerTable(tables.Table):
    receipt = tables.Column(
        verbose_name=gettext_lazy("Receipt"), order_by="number", attrs={"td": {"class": "row-number"}}
    )
    day = tables.Column(verbose_name=gettext_lazy("When"), order_by="pk", attrs={"td": {"class": "is-narrow"}})
    what = tables.Column(
        verbose_name=gettext_lazy("What"), empty_values=(), orderable=False, attrs={"td": {"class": "is-person"}}
    )
    who = tables.Column(verbose_name=gettext_lazy("Who"), empty_values=(), orderable=False, visible=False)
    cents = tables.Column(
        verbose_name=gettext_lazy("Amount"),
        empty_values=(),
        orderable=False,
        attrs={kind: {"class": "is-money is-narrow"} for kind in ("th", "td", "tf")},
    )
    how = tables.Column(verbose_name=gettext_lazy("How"), empty_values=(), orderable=False)
    why = tables.Column(verbose_name=gettext_lazy("Reason, recorded by"), empty_values=(), orderable=False)

    row_header = "what"

    class Meta:
        attrs: ClassVar = {"class": "payment-table"}
        empty_text = gettext_lazy("No money has been recorded yet.")

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
        undone = _("(reversed)") if hasattr(record, "reversed_by") else ""
        shape = '<span><strong>{}</strong> {} <span class="second">{}</span></span>'
        return format_html(shape, movement_label(record), undone, movement_counterparty(record))

    def value_what(self, record: Movement) -> str:
        return movement_label(record)

    def render_who(self, record: Movement) -> str:
        return movement_counterparty(record)

    def render_cents(self, record: Movement) -> str:
        return money(self._get_signed_cents(record), self.tournament.currency)

    def value_cents(self, record: Movement) -> Decimal:
        return to_decimal_amount(self._get_signed_cents(record), self.tournament.currency)

    def _get_signed_cents(self, record: Movement) -> int:
        cents: int = record.fact.cents
        return -cents if record.is_reversal else cents

    def render_how(self, record: Movement) -> SafeString:
        return format_html('<span class="breaks is-short">{}</span>', self.value_how(record))

    def value_how(self, record: Movement) -> str:
        return " ".join(
            part
            for part in (movement_method_label(record), movement_reference(record), self._format_withheld(record))
            if part
        )

    def _format_withheld(self, record: Movement) -> str:
        cents = get_withheld_cents(record.fact) if isinstance(record.fact, PaidOut) else 0
        return _("(%s withheld)") % money(cents, self.tournament.currency) if cents else ""

    def render_why(self, record: Movement) -> SafeString:
        return format_html('<span>{} <span class="second">{}</span></span>', record.fact.reason, record.fact.by_name)


@staff_event_view("desk")
def ledger_page(request: ActorRequest, event: Event) -> HttpResponse:
    table = _LedgerTable(list(load_movements(event).reverse()), event=event)
    ListRequestConfig(request, ROWS_PER_PAGE).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-ledger")
    if download is not None:
        return download
    in_hand = sum_money_on_hand_by_method(event)
    context = {
        "table": table,
        "methods": label_sums_by_method(in_hand),
        "in_hand": sum(in_hand.values()),
        "held": [
            (ACCOUNT_DETAILS[account].label, cents)
            for account, cents in load_held_cents_by_account(event).items()
            if cents
        ],
        "is_short": any(cents < 0 for cents in in_hand.values()),
    }
    return render(request, "tournament/money/ledger.html", context)


@staff_event_view("desk")
def movement_page(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    row = get_object_or_404(load_movements(event), number=number)
    may_reverse = is_reversible(row) and (
        "direct" in request.acts or MONEY_KIND_DETAILS[row.kind].reversed_by == "desk"
    )
    form = IdempotentReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            reverse_movement(row, by=request.actor, **form.cleaned_data)
            messages.success(request, _("%(receipt)s is reversed.") % {"receipt": row.receipt})
            return redirect(request.path)
    postings, fact = list(row.postings.all()), row.fact
    context = {
        "movement": row,
        "fact": fact,
        "what": movement_label(row),
        "who": movement_counterparty(row),
        "how": " ".join(part for part in (movement_method_label(row), movement_reference(row)) if part),
        "change": row.given_cents - fact.cents if row.given_cents else 0,
        "postings": [(ACCOUNT_DETAILS[posting.account].label, posting.cents) for posting in postings],
        "sum": sum(posting.cents for posting in postings),
        "withheld": find_withholding(fact) if isinstance(fact, PaidOut) else None,
        "handed_over_cents": fact.cents - get_withheld_cents(fact) if isinstance(fact, PaidOut) else 0,
        "may_reverse": may_reverse,
        "form": form,
    }
    return render(request, "tournament/money/movement.html", context)


# --- Expenses and added money ----------------------------------------------------------------------------------------


class _OtherMoneyForm(IdempotentForm):
    """A form for money that belongs to no entry, such as an expense.

    `tournament.purse.kinds` declares each kind's fields.
    """

    field_order = ("cents", "category", "party", "method", "reference", "reason")
    cents = CentsField(label=gettext_lazy("Amount"))
    method = forms.ChoiceField(label=gettext_lazy("How"), choices=LedgerLine.Method.choices)

    def __init__(self, *args: Any, kind: str, categories: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        words = DESK_FORM_BY_KIND[kind]
        self.fields["party"] = forms.CharField(
            label=str(words.party), required=bool(words.no_party), max_length=200, help_text=str(words.party_help)
        )
        self.fields["reference"] = forms.CharField(label=str(words.reference), required=False, max_length=100)
        if words.has_category:
            names = [(name, name) for name in categories]
            self.fields["category"] = forms.ChoiceField(label=gettext_lazy("Category"), choices=names)
        if words.reason:
            self.fields["reason"] = forms.CharField(
                label=str(words.reason), max_length=1_000, help_text=str(words.reason_help)
            )
        self.order_fields(self.field_order)


class _CategoriesForm(forms.Form):
    names = forms.CharField(
        label=gettext_lazy("Categories"),
        help_text=gettext_lazy("One per line. Expenses that are recorded keep their category."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )


@staff_event_view("desk")
def expenses(request: ActorRequest, event: Event) -> HttpResponse:
    act = request.POST.get("act", "")
    forms = {
        name: _make_form(name, event, request if name == act else None) for name in (*DESK_FORM_BY_KIND, "categories")
    }
    form = forms.get(act)
    if form is not None and form.is_valid():
        with domain_errors_as_form_errors(form):
            _record_form(act, event, form, request.actor)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    context = {
        "expenses": load_expenses(event),
        "rows": list(load_event_money(event)),
        "forms": forms,
        "act": act,
        "directs": "direct" in request.acts,
    }
    return render(request, "tournament/money/expenses.html", context)


def _make_form(name: str, event: Event, request: ActorRequest | None) -> Form:
    sent = request.POST if request is not None else None
    categories = event.tournament.expense_categories
    if name == "categories":
        return _CategoriesForm(sent, prefix=name, initial={"names": "\n".join(categories)})
    is_sent_on = AmountLimit.HELD in MONEY_KIND_DETAILS[name].limits
    initial = {"cents": load_held_cents_by_account(event)[MONEY_KIND_DETAILS[name].to]} if is_sent_on else {}
    return _OtherMoneyForm(sent, prefix=name, kind=name, categories=categories, initial=initial)


def _record_form(act: str, event: Event, form: Form, by: Actor) -> None:
    facts = dict(form.cleaned_data)
    if act == "categories":
        set_expense_categories(event.tournament, facts["names"].splitlines(), by=by)
        return
    key, reason = facts.pop("key"), facts.pop("reason", "")
    record_event_money(event, act, EventMoneyDetails(**facts), by=by, reason=reason, key=key)


# --- Whole tournament ------------------------------------------------------------------------------------------------


@staff_event_view("desk")
def tournament_money(request: ActorRequest, event: Event) -> HttpResponse:
    """Show all events' figures, the amounts still to be paid or refunded, and the money on hand."""
    tournament, kind = event.tournament, request.GET.get("_export", "")
    finances = load_tournament_finances(tournament)
    if kind in EXPORT_CONTENT_TYPES:
        listed = request.GET.get("list", "")
        rows = _TOURNAMENT_FILES.get(listed, _iter_figure_rows)(finances, Ledger(tournament).unit)
        return export_rows(
            kind, list(rows), f"{tournament.slug}-money-{listed if listed in _TOURNAMENT_FILES else 'events'}"
        )
    context = {"sections": list(_iter_finance_tables(finances, tournament.currency)), "total": finances.total}
    return render(request, "tournament/money/whole.html", context)


_POOL_LABELS: Final = {
    "collected": gettext_lazy("Fees collected"),
    "added": gettext_lazy("Added money"),
    "subsidy": gettext_lazy("For promised prizes"),
    "pool": gettext_lazy("Prize pool"),
    "expenses": gettext_lazy("Expenses"),
}
_USE_LABELS: Final = {
    "side": gettext_lazy("Side pools"),
    "extras": gettext_lazy("Extras"),
    "spent": gettext_lazy("Spent"),
    "left": gettext_lazy("Left"),
    "paid_out": gettext_lazy("Paid out"),
    **{account: held.column for account, held in HELD_MONEY_BY_ACCOUNT.items()},
}
_RARE_FINANCE_COLUMNS: Final = ("subsidy", "side", "extras", *HELD_MONEY_BY_ACCOUNT)
"""Columns that are hidden if they are zero in all events."""
_OPEN_LABELS: Final = {
    "owed_by": gettext_lazy("Players owe"),
    "owed_to": gettext_lazy("To refund"),
    "to_pay": gettext_lazy("Prizes to pay"),
    "to_get_back": gettext_lazy("Prizes to collect"),
}


def _iter_finance_tables(whole: TournamentFinances, currency: str) -> Iterator[MoneyTable]:
    """Yield the tables of events, open items, and money on hand (by day and by drawer). Empty tables are left out.

    Open items are amounts that still have to be paid or refunded.
    """
    named = [(event.name, figures) for event, figures in whole.events]
    if named:
        yield _make_finance_table(_("Events"), named, _select_used_columns(_POOL_LABELS, whole), currency)
        yield _make_finance_table(_("Spent and paid out"), named, _select_used_columns(_USE_LABELS, whole), currency)
    if still_open := [(name, figures) for name, figures in named if any(figures[key] for key in OPEN_ITEM_FIGURES)]:
        yield _make_finance_table(_("Open items"), still_open, _OPEN_LABELS, currency)
    if whole.methods:
        unknown = _("Before business days were recorded")
        days = [(day_in_year(day) if day is not None else unknown, sums) for day, sums in whole.sums_by_day]
        yield _make_on_hand_table(_("Money in and out by day"), _("Business day"), days, whole, currency)
        places = [(_format_cash_location(drawer), sums) for drawer, sums in whole.sums_by_location]
        yield _make_on_hand_table(_("Money on hand by drawer"), _("Where"), places, whole, currency)


def _select_used_columns(columns: Mapping[str, Any], whole: TournamentFinances) -> dict[str, Any]:
    return {name: label for name, label in columns.items() if name not in _RARE_FINANCE_COLUMNS or whole.total[name]}


def _make_finance_table(
    title: str, rows: Iterable[tuple[str, CentsByFigure]], columns: dict[str, Any], currency: str
) -> MoneyTable:
    named = list(rows)
    cells = tuple((name, *(money(figures[column], currency) for column in columns)) for name, figures in named)
    sums = (sum(figures[column] for _name, figures in named) for column in columns)
    total = (_("All events"), *(money(cents, currency) for cents in sums))
    return MoneyTable(title, (_("Event"), *map(str, columns.values())), cells, total, wide=True)


def _make_on_hand_table(
    title: str, first: str, rows: Sequence[tuple[str, CentsByMethod]], whole: TournamentFinances, currency: str
) -> MoneyTable:
    """Return a table of the money on hand, with a column for each payment method and a column for the total.

    The last line is the sum of all lines.
    """
    methods = whole.methods

    def cells(name: str, sums: CentsByMethod) -> tuple[str, ...]:
        amounts = [*(sums.get(method, 0) for method in methods), sum(sums.values())]
        return (name, *(money(cents, currency) for cents in amounts))

    headings = (first, *map(payment_method_label, methods), _("Together"))
    lines = tuple(cells(name, sums) for name, sums in rows)
    return MoneyTable(title, headings, lines, cells(_("Money on hand"), whole.cents_on_hand), wide=True)


def _format_cash_location(drawer: Drawer | None) -> str:
    return f"{drawer.name}: {drawer.cashier}" if drawer is not None else _("The safe")


def _iter_figure_rows(whole: TournamentFinances, unit: CurrencyFormat) -> Iterator[list[Any]]:
    """Yield a spreadsheet row with all figures of each event, and a row with the totals."""
    named = {**_POOL_LABELS, **_USE_LABELS, **_OPEN_LABELS}
    yield [_("Event"), *map(str, named.values())]
    rows = [(event.name, figures) for event, figures in whole.events]
    for name, figures in [*rows, (_("All events"), whole.total)]:
        yield [name, *(_to_decimal(figures[column], unit) for column in named)]


def _iter_cash_flow_rows(whole: TournamentFinances, unit: CurrencyFormat) -> Iterator[list[Any]]:
    """Yield a row of net cash flow (incoming minus outgoing) for each day, drawer and payment method.

    The amounts add up to the money on hand.
    """
    yield [_("Business day"), _("Where"), _("How"), _("Amount")]
    for flow in whole.cash_flows:
        day = flow.day.isoformat() if flow.day is not None else ""
        yield [
            day,
            _format_cash_location(flow.drawer),
            payment_method_label(flow.method),
            _to_decimal(flow.cents, unit),
        ]


def _to_decimal(cents: int, unit: CurrencyFormat) -> Decimal:
    return Decimal(cents).scaleb(-unit.digits)


_TOURNAMENT_FILES = {"events": _iter_figure_rows, "days": _iter_cash_flow_rows}


# --- Files for accountants -------------------------------------------------------------------------------------------

_PAGE_LABELS: Final = {
    "desk_payments": gettext_lazy("Payments"),
    "desk_ledger": gettext_lazy("Ledger"),
    "desk_transfers": gettext_lazy("Bank transfers"),
}
"""The labels of pages that offer their own content for download, by URL name."""


@staff_event_view("direct")
def accounting(request: ActorRequest, event: Event) -> HttpResponse:
    balances = load_account_balances(Ledger(event.tournament, event))
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    context = {
        "balances": balances,
        "sum": sum(cents for _name, cents in balances),
        "pages": [(label, reverse(f"tournament:{page}", kwargs=slugs)) for page, label in _PAGE_LABELS.items()],
        "lists": [(slug, label) for slug, (label, _rows) in _ACCOUNTING_LISTS.items()],
    }
    return render(request, "tournament/money/accounting.html", context)


@staff_event_view("direct")
def download_journal(request: ActorRequest, event: Event, scope: str, program: str) -> StreamingHttpResponse:
    """Stream the ledger of the event or the whole tournament as an hledger or Beancount file."""
    if program not in JOURNAL_SYNTAXES or scope not in ("event", "tournament"):
        raise Http404
    syntax, tournament = JOURNAL_SYNTAXES[program], event.tournament
    ledger = Ledger(tournament, event if scope == "event" else None)
    title = f"{tournament.name}, {event.name}" if scope == "event" else tournament.name
    journal = write_journal(iter_journal_entries(ledger), syntax, title=title, unit=ledger.unit)
    lines = chain([f"; {format_program_version()}"], journal)  # both programs ignore lines that begin with a semicolon
    answer = StreamingHttpResponse((f"{line}\n".encode() for line in lines), content_type="text/plain; charset=utf-8")
    about = f"{tournament.slug}-{event.slug}" if scope == "event" else tournament.slug
    answer["Content-Disposition"] = (
        f'attachment; filename="{_make_file_name(f"{about}-ledger", event)}.{syntax.ending}"'
    )
    return answer


@staff_event_view("direct")
def download_accounting_list(request: ActorRequest, event: Event, listed: str, kind: str) -> HttpResponse:
    """Download one of the accounting page's lists, such as the payouts or the closed days."""
    if listed not in _ACCOUNTING_LISTS or kind not in EXPORT_CONTENT_TYPES:
        raise Http404
    _label, rows = _ACCOUNTING_LISTS[listed]
    return export_rows(kind, list(rows(event)), _make_file_name(f"{event.slug}-{listed}", event))


def _make_file_name(about: str, event: Event) -> str:
    """Return a file name that includes the time of the export, because an accountant may keep several versions."""
    at = timezone.now().astimezone(ZoneInfo(event.tournament.time_zone))
    return f"{about}-{at:%Y-%m-%d-%H%M}"


# --- Rows of the lists -----------------------------------------------------------------------------------------------

_Rows = Iterator[list[Any]]


def _to_amounts(event: Event, *cents: int) -> list[Decimal]:
    return [to_decimal_amount(each, event.tournament.currency) for each in cents]


def _iter_posting_rows(ledger: Ledger) -> _Rows:
    """Yield every posting in the ledger. The amounts add up to zero."""
    yield [_("Receipt"), _("Business day"), _("What"), _("Who"), _("Account"), _("Amount")]
    for entry in iter_journal_entries(ledger):
        for account, cents in entry.lines:
            about = [entry.receipt, entry.day.isoformat(), entry.description, entry.payee]
            yield [*about, account, to_decimal_amount(cents, ledger.tournament.currency)]


def _iter_card_payment_rows(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("When"), _("No."), _("Name"), _("What"), _("Reference"), _("Amount"), _("Currency")),
        *(_("Receipt"), _("State"), _("Note")),
    ]
    unknown = load_card_events_without_entry(tournament).filter(line=None)
    for row in (*load_card_events(event), *load_manually_matched_card_events(event), *unknown):
        line = row.line
        entrant = row.payment.entrant if row.payment is not None else line.entrant if line is not None else None
        entry_cells = [entrant.number, entrant.name] if entrant is not None else ["", ""]
        reference = row.payment.ident if row.payment is not None else row.ident
        about = [local_day_time(row.at, tournament), *entry_cells, card_event_label(row), reference]
        currency = row.currency or tournament.currency
        receipt = line.movement.receipt if line is not None else ""
        yield [*about, to_decimal_amount(row.cents, currency), currency, receipt, row.get_state_display(), row.note]


def _iter_other_money_rows(event: Event) -> _Rows:
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Category"), _("Amount"), _("How"), _("Reference")),
        *(_("Paid to or from"), _("Recorded by"), _("Reversed")),
    ]
    for row in load_event_money(event).order_by("pk"):
        undone = _("yes") if hasattr(row, "reversed_by") else _("no")
        about = [row.movement.receipt, local_day_time(row.at, event.tournament), row.get_kind_display(), row.category]
        how = [row.get_method_display(), row.reference, row.party, row.by_name]
        yield [*about, *_to_amounts(event, row.cents), *how, undone]


def _iter_prize_rows(event: Event) -> _Rows:
    """Yield each prize with its paid and open amounts. A negative open amount has to be paid back by the winner."""
    yield [
        *(_("Place"), _("No."), _("Name"), _("Prize"), _("Paid out"), _("Still to pay"), _("Side pool")),
        *(_("Withheld"), _("Handed over")),
    ]
    for row in load_prizes(event).rows:
        amounts = _to_amounts(event, row.cents, row.paid_cents, row.cents - row.paid_cents)
        withheld = _to_amounts(event, row.withheld_cents, row.handed_over_cents)
        yield [row.place, row.number, row.name, *amounts, _get_pool_name(row.pool), *withheld]


def _iter_payout_rows(event: Event) -> _Rows:
    yield [
        *(_("When"), _("No."), _("Name"), _("Amount"), _("How"), _("Reason"), _("Recorded by"), _("Side pool")),
        *(_("Withheld"), _("Withheld for"), _("Handed over")),
    ]
    for row in event.paid_out.select_related("entrant", "of_pool__pool", "withholding").order_by("pk"):
        sign = -1 if row.reverses_id is not None else 1
        withheld_cents = get_withheld_cents(row)
        cents = (row.cents, withheld_cents, row.cents - withheld_cents)
        paid, withheld, handed = _to_amounts(event, *(sign * each for each in cents))
        about = [local_day_time(row.at, event.tournament), row.entrant.number, row.entrant.name]
        how = [row.get_method_display(), row.reason, row.by_name, _get_pool_name(find_side_pool(row))]
        yield [*about, paid, *how, withheld, join_withholding_reasons([row]), handed]


def _iter_side_pool_rows(event: Event) -> _Rows:
    yield [_("Side pool"), _("No."), _("Name"), _("Fee"), _("Paid")]
    for state in load_side_pools(event):
        for entrant in state.entrants:
            amounts = _to_amounts(event, entrant.fee_cents, entrant.paid_cents)
            yield [state.pool.name, entrant.number, entrant.name, *amounts]


def _iter_extra_rows(event: Event) -> _Rows:
    yield [_("Extra"), _("No."), _("Name"), _("Price"), _("Paid")]
    for state in load_event_extra_sales(event):
        for piece in state.sold:
            yield [state.extra.name, piece.number, piece.name, *_to_amounts(event, piece.cents, piece.paid_cents)]


def _get_pool_name(pool: SidePool | None) -> str:
    return pool.name if pool is not None else ""


def _iter_closed_day_rows(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Business day"), _("How"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Signed by"), _("Opened again by")),
    ]
    for close in load_all_daily_closes(tournament).order_by("day", "pk"):
        for cash in read_counted_money(close.count):
            counted = _to_amounts(event, cash.expected_cents, cash.counted_cents, cash.difference_cents)
            reopened = getattr(close, "reopened", None)
            signed = [close.count.reason, signer(close.count, tournament), signer(close, tournament)]
            signed.append(f"{signer(reopened, tournament)}: {reopened.reason}" if reopened is not None else "")
            yield [close.day.isoformat(), payment_method_label(cash.method), *counted, *signed]


def _iter_cash_transfer_rows(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Amount"), _("How"), _("From"), _("To")),
        *(_("Reason"), _("Recorded by")),
    ]
    for row in load_cash_moves(tournament).order_by("pk"):
        about = [row.movement.receipt, local_day_time(row.at, tournament), row.get_kind_display()]
        places = [cash_source_label(row), cash_destination_label(row)]
        yield [*about, *_to_amounts(event, row.cents), row.get_method_display(), *places, row.reason, row.by_name]


def _iter_closed_drawer_rows(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Drawer"), _("Cashier"), _("Opened"), _("Closed"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Handed over to")),
    ]
    for drawer in load_closed_drawers(tournament).select_related("closed__next__cashier").order_by("closed__pk"):
        count = drawer.closed
        opened, closed = (local_day_time(at, tournament) for at in (drawer.at, count.at))
        taken_by = count.next.cashier if count.next is not None else _("The safe")
        about = [drawer.name, str(drawer.cashier), opened, closed]
        counted = _to_amounts(event, count.expected_cents, count.counted_cents, count.difference_cents)
        yield [*about, *counted, count.reason, signer(count, tournament), str(taken_by)]


def _iter_tax_form_rows(event: Event) -> _Rows:
    tournament = event.tournament
    yield [_("Name"), _("Address"), _("Won"), _("Paid out")]
    for row in load_tax_rows(tournament):
        yield [row.player.name, row.player.address, *_to_amounts(event, row.won_cents, row.paid_cents)]


_ACCOUNTING_LISTS: Final[dict[str, tuple[Any, Callable[[Event], _Rows]]]] = {
    "postings": (gettext_lazy("Ledger by account"), lambda event: _iter_posting_rows(Ledger(event.tournament, event))),
    "card-payments": (gettext_lazy("Card payments"), _iter_card_payment_rows),
    "expenses": (
        gettext_lazy("Expenses, added money, tax remittances and payments to charity"),
        _iter_other_money_rows,
    ),
    "prizes": (gettext_lazy("Prizes"), _iter_prize_rows),
    "payouts": (gettext_lazy("Payouts"), _iter_payout_rows),
    "side-pools": (gettext_lazy("Side pools"), _iter_side_pool_rows),
    "extras": (gettext_lazy("Extras"), _iter_extra_rows),
    "all-postings": (
        gettext_lazy("Ledger by account, all events"),
        lambda event: _iter_posting_rows(Ledger(event.tournament)),
    ),
    "closed-days": (gettext_lazy("Closed days"), _iter_closed_day_rows),
    "cash-moved": (gettext_lazy("Cash moved"), _iter_cash_transfer_rows),
    "closed-drawers": (gettext_lazy("Closed drawers"), _iter_closed_drawer_rows),
    "tax-form": (gettext_lazy("Names and addresses for the tax form"), _iter_tax_form_rows),
}
