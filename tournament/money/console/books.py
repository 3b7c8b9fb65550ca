"""The books of an event: its ledger, its expenses, the finances of the whole tournament, and files for accountants."""

from collections.abc import Callable, Iterator
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on
from tournament.core.permissions import Actor
from tournament.core.tables.lists import TYPES, Paging, decimal_amount, export_if_requested, export_rows
from tournament.models import Event, PaidOut, SidePool
from tournament.money.forms import CategoriesForm, OtherMoneyForm, ReasonForm
from tournament.money.pdf.close import event_rows, finance_sections, moved_rows
from tournament.money.selectors.cash import closed_drawers, closes_of, counted_of, load_cash_moves
from tournament.money.selectors.finances import (
    Ledger,
    load_balances,
    load_expenses,
    load_other_money,
    load_tournament_finances,
)
from tournament.money.selectors.incoming import card_events_of, card_events_without_entry, settled_card_events
from tournament.money.selectors.ledger import (
    held_cents,
    money_on_hand_by_method,
    movements_of,
    side_pool_of,
    withheld_of,
    withholding_of,
    withholding_reasons,
)
from tournament.money.selectors.prizes import load_prizes, load_tax_rows
from tournament.money.selectors.side_pools import load_extras, load_side_pools
from tournament.money.services.ledger import Sum, record_money, set_categories
from tournament.money.services.payouts import is_reversible, reverse_movement
from tournament.money.tables import LedgerTable
from tournament.money.words import (
    card_event_label,
    cash_destination_label,
    cash_source_label,
    journal_entries,
    method_label,
    method_labels,
    movement_label,
    movement_method_label,
    movement_party,
    movement_reference,
)
from tournament.purse.journal import SYNTAXES, write_journal
from tournament.purse.kinds import ACCOUNTS, DESK_FORMS, KINDS, Limit
from tournament.templatetags.gin import local_day_time, signer

ROWS_A_PAGE: Final = 50


# --- Ledger ----------------------------------------------------------------------------------------------------------


@console_event("desk")
def ledger(request: ActorRequest, event: Event) -> HttpResponse:
    """List every movement of an event's money, newest first, and the money in hand."""
    table = LedgerTable(list(movements_of(event).reverse()), event=event)
    Paging(request, ROWS_A_PAGE).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-ledger")
    if download is not None:
        return download
    in_hand = money_on_hand_by_method(event)
    context = {
        "table": table,
        "methods": method_labels(in_hand),
        "in_hand": sum(in_hand.values()),
        "held": [(ACCOUNTS[account].label, cents) for account, cents in held_cents(event).items() if cents],
        "is_short": any(cents < 0 for cents in in_hand.values()),
    }
    return render(request, "tournament/money/ledger.html", context)


@console_event("desk")
def movement(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    """Show one movement with its postings, and reverse it."""
    row = get_object_or_404(movements_of(event), number=number)
    may_reverse = is_reversible(row) and ("direct" in request.acts or KINDS[row.kind].reversed_by == "desk")
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            reverse_movement(row, by=request.actor, **form.cleaned_data)
            messages.success(request, _("%(receipt)s is reversed.") % {"receipt": row.receipt})
            return redirect(request.path)
    postings, fact = list(row.postings.all()), row.fact
    context = {
        "movement": row,
        "fact": fact,
        "what": movement_label(row),
        "who": movement_party(row),
        "how": " ".join(part for part in (movement_method_label(row), movement_reference(row)) if part),
        "change": row.given_cents - fact.cents if row.given_cents else 0,
        "postings": [(ACCOUNTS[posting.account].label, posting.cents) for posting in postings],
        "sum": sum(posting.cents for posting in postings),
        "withheld": withholding_of(fact) if isinstance(fact, PaidOut) else None,
        "handed_cents": fact.cents - withheld_of(fact) if isinstance(fact, PaidOut) else 0,
        "may_reverse": may_reverse,
        "form": form,
    }
    return render(request, "tournament/money/movement.html", context)


# --- Expenses and added money ----------------------------------------------------------------------------------------


@console_event("desk")
def expenses(request: ActorRequest, event: Event) -> HttpResponse:
    act = request.POST.get("act", "")
    forms = {name: _make_form(name, event, request if name == act else None) for name in (*DESK_FORMS, "categories")}
    form = forms.get(act)
    if form is not None and form.is_valid():
        with refusals_on(form):
            _record(act, event, form, request.actor)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    context = {
        "expenses": load_expenses(event),
        "rows": list(load_other_money(event)),
        "forms": forms,
        "act": act,
        "directs": "direct" in request.acts,
    }
    return render(request, "tournament/money/expenses.html", context)


def _make_form(name: str, event: Event, request: ActorRequest | None) -> Form:
    sent = request.POST if request is not None else None
    categories = event.tournament.expense_categories
    if name == "categories":
        return CategoriesForm(sent, prefix=name, initial={"names": "\n".join(categories)})
    is_sent_on = Limit.HELD in KINDS[name].limits
    initial = {"cents": held_cents(event)[KINDS[name].to]} if is_sent_on else {}
    return OtherMoneyForm(sent, prefix=name, kind=name, categories=categories, initial=initial)


def _record(act: str, event: Event, form: Form, by: Actor) -> None:
    facts = dict(form.cleaned_data)
    if act == "categories":
        set_categories(event.tournament, facts["names"].splitlines(), by=by)
        return
    key, reason = facts.pop("key"), facts.pop("reason", "")
    record_money(event, act, Sum(**facts), by=by, reason=reason, key=key)


# --- Whole tournament ------------------------------------------------------------------------------------------------

_TOURNAMENT_FILES = {"events": event_rows, "days": moved_rows}


@console_event("desk")
def whole(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the money of all events of the tournament, its open items, and the money in hand."""
    tournament, kind = event.tournament, request.GET.get("_export", "")
    finances = load_tournament_finances(tournament)
    if kind in TYPES:
        listed = request.GET.get("list", "")
        rows = _TOURNAMENT_FILES.get(listed, event_rows)(finances, Ledger(tournament).unit)
        return export_rows(
            kind, list(rows), f"{tournament.slug}-money-{listed if listed in _TOURNAMENT_FILES else 'events'}"
        )
    context = {"sections": list(finance_sections(finances, tournament.currency)), "total": finances.total}
    return render(request, "tournament/money/whole.html", context)


# --- Files for accountants -------------------------------------------------------------------------------------------

_PAGES: Final = {
    "desk_payments": gettext_lazy("Payments"),
    "desk_ledger": gettext_lazy("Ledger"),
    "desk_transfers": gettext_lazy("Bank transfers"),
}
"""Pages that export what they show."""


@console_event("direct")
def accounting(request: ActorRequest, event: Event) -> HttpResponse:
    balances = load_balances(Ledger(event.tournament, event))
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    context = {
        "balances": balances,
        "sum": sum(cents for _name, cents in balances),
        "pages": [(label, reverse(f"tournament:{page}", kwargs=slugs)) for page, label in _PAGES.items()],
        "lists": [(slug, label) for slug, (label, _rows) in _LISTS.items()],
    }
    return render(request, "tournament/money/accounting.html", context)


@console_event("direct")
def journal(request: ActorRequest, event: Event, scope: str, program: str) -> StreamingHttpResponse:
    """Stream the ledger of the event or the whole tournament as a file for hledger or Beancount."""
    if program not in SYNTAXES or scope not in ("event", "tournament"):
        raise Http404
    syntax, tournament = SYNTAXES[program], event.tournament
    ledger = Ledger(tournament, event if scope == "event" else None)
    title = f"{tournament.name}, {event.name}" if scope == "event" else tournament.name
    lines = write_journal(journal_entries(ledger), syntax, title=title, unit=ledger.unit)
    answer = StreamingHttpResponse((f"{line}\n".encode() for line in lines), content_type="text/plain; charset=utf-8")
    about = f"{tournament.slug}-{event.slug}" if scope == "event" else tournament.slug
    answer["Content-Disposition"] = f'attachment; filename="{_file_name(f"{about}-ledger", event)}.{syntax.ending}"'
    return answer


@console_event("direct")
def money_list(request: ActorRequest, event: Event, listed: str, kind: str) -> HttpResponse:
    """Download a list that no page exports."""
    if listed not in _LISTS or kind not in TYPES:
        raise Http404
    _label, rows = _LISTS[listed]
    return export_rows(kind, list(rows(event)), _file_name(f"{event.slug}-{listed}", event))


def _file_name(about: str, event: Event) -> str:
    """Return a file name with the time of the export, because an accountant keeps several."""
    at = timezone.now().astimezone(ZoneInfo(event.tournament.time_zone))
    return f"{about}-{at:%Y-%m-%d-%H%M}"


# --- Rows of the lists -----------------------------------------------------------------------------------------------

_Rows = Iterator[list[Any]]


def _posting_rows(ledger: Ledger) -> _Rows:
    """Yield every posting of the double-entry ledger. The amounts add up to zero.

    Up to a closed day, the postings of a tournament add up to the figures of its close.
    """
    yield [_("Receipt"), _("Business day"), _("What"), _("Who"), _("Account"), _("Amount")]
    for entry in journal_entries(ledger):
        for line in entry.lines:
            about = [entry.receipt, entry.day.isoformat(), entry.description, entry.payee]
            yield [*about, line.account, decimal_amount(line.cents, ledger.tournament.currency)]


def _card_payments(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("When"), _("No."), _("Name"), _("What"), _("Reference"), _("Amount"), _("Currency")),
        *(_("Receipt"), _("State"), _("Note")),
    ]
    unknown = card_events_without_entry(tournament).filter(line=None)
    for row in (*card_events_of(event), *settled_card_events(event), *unknown):
        line = row.line
        entrant = row.payment.entrant if row.payment is not None else line.entrant if line is not None else None
        entry_cells = [entrant.number, entrant.name] if entrant is not None else ["", ""]
        reference = row.payment.ident if row.payment is not None else row.ident
        about = [local_day_time(row.at, tournament), *entry_cells, card_event_label(row), reference]
        currency = row.currency or tournament.currency
        receipt = line.movement.receipt if line is not None else ""
        yield [*about, decimal_amount(row.cents, currency), currency, receipt, row.get_state_display(), row.note]


def _other_money(event: Event) -> _Rows:
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Category"), _("Amount"), _("How"), _("Reference")),
        *(_("Paid to or from"), _("Recorded by"), _("Reversed")),
    ]
    for row in load_other_money(event).order_by("pk"):
        undone = _("yes") if hasattr(row, "reversed_by") else _("no")
        about = [row.movement.receipt, local_day_time(row.at, event.tournament), row.get_kind_display(), row.category]
        how = [row.get_method_display(), row.reference, row.party, row.by_name]
        yield [*about, decimal_amount(row.cents, event.tournament.currency), *how, undone]


def _prizes(event: Event) -> _Rows:
    """Yield each prize with what was paid and what is still open. A negative open amount is to be returned."""
    yield [
        *(_("Place"), _("No."), _("Name"), _("Prize"), _("Paid out"), _("Still to pay"), _("Side pool")),
        *(_("Withheld"), _("Handed over")),
    ]
    for row in load_prizes(event).rows:
        amounts = (row.cents, row.paid_cents, row.cents - row.paid_cents)
        withheld_cells = (
            decimal_amount(cents, event.tournament.currency) for cents in (row.withheld_cents, row.handed_cents)
        )
        about = [
            row.place,
            row.number,
            row.name,
            *(decimal_amount(cents, event.tournament.currency) for cents in amounts),
        ]
        yield [*about, _pool_name(row.pool), *withheld_cells]


def _payouts(event: Event) -> _Rows:
    yield [
        *(_("When"), _("No."), _("Name"), _("Amount"), _("How"), _("Reason"), _("Recorded by"), _("Side pool")),
        *(_("Withheld"), _("Withheld for"), _("Handed over")),
    ]
    for row in event.paid_out.select_related("entrant", "of_pool__pool", "withholding").order_by("pk"):
        sign = -1 if row.reverses_id is not None else 1
        withheld = withheld_of(row)
        about = [local_day_time(row.at, event.tournament), row.entrant.number, row.entrant.name]
        yield [
            *about,
            decimal_amount(sign * row.cents, event.tournament.currency),
            row.get_method_display(),
            row.reason,
            row.by_name,
            _pool_name(side_pool_of(row)),
            decimal_amount(sign * withheld, event.tournament.currency),
            withholding_reasons([row]),
            decimal_amount(sign * (row.cents - withheld), event.tournament.currency),
        ]


def _side_pools(event: Event) -> _Rows:
    yield [_("Side pool"), _("No."), _("Name"), _("Fee"), _("Paid")]
    for state in load_side_pools(event):
        for entrant in state.entrants:
            about = [state.pool.name, entrant.number, entrant.name]
            yield [
                *about,
                decimal_amount(entrant.fee_cents, event.tournament.currency),
                decimal_amount(entrant.paid_cents, event.tournament.currency),
            ]


def _extras(event: Event) -> _Rows:
    yield [_("Extra"), _("No."), _("Name"), _("Price"), _("Paid")]
    for state in load_extras(event):
        for piece in state.sold:
            about = [state.extra.name, piece.number, piece.name]
            yield [
                *about,
                decimal_amount(piece.cents, event.tournament.currency),
                decimal_amount(piece.paid_cents, event.tournament.currency),
            ]


def _pool_name(pool: SidePool | None) -> str:
    return pool.name if pool is not None else ""


def _closed_days(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Business day"), _("How"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Signed by"), _("Opened again by")),
    ]
    for close in closes_of(tournament).order_by("day", "pk"):
        for cash in counted_of(close.count):
            cents = (cash.expected_cents, cash.counted_cents, cash.difference_cents)
            counted = (decimal_amount(sums, tournament.currency) for sums in cents)
            reopened = getattr(close, "reopened", None)
            signed = [close.count.reason, signer(close.count, tournament), signer(close, tournament)]
            signed.append(f"{signer(reopened, tournament)}: {reopened.reason}" if reopened is not None else "")
            yield [close.day.isoformat(), method_label(cash.method), *counted, *signed]


def _cash_moved(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Amount"), _("How"), _("From"), _("To")),
        *(_("Reason"), _("Recorded by")),
    ]
    for row in load_cash_moves(tournament).order_by("pk"):
        about = [row.movement.receipt, local_day_time(row.at, tournament), row.get_kind_display()]
        amounts = [
            decimal_amount(row.cents, tournament.currency),
            row.get_method_display(),
            cash_source_label(row),
            cash_destination_label(row),
        ]
        yield [*about, *amounts, row.reason, row.by_name]


def _closed_drawers(event: Event) -> _Rows:
    tournament = event.tournament
    yield [
        *(_("Drawer"), _("Cashier"), _("Opened"), _("Closed"), _("Ledger"), _("Counted"), _("Difference")),
        *(_("Reason"), _("Counted by"), _("Handed over to")),
    ]
    for drawer in closed_drawers(tournament).select_related("closed__next__cashier").order_by("closed__pk"):
        count = drawer.closed
        opened, closed = (local_day_time(at, tournament) for at in (drawer.at, count.at))
        cents = (count.expected_cents, count.counted_cents, count.difference_cents)
        taken_by = count.next.cashier if count.next is not None else _("The safe")
        about = [drawer.name, str(drawer.cashier), opened, closed]
        counted = (decimal_amount(sums, tournament.currency) for sums in cents)
        yield [*about, *counted, count.reason, signer(count, tournament), str(taken_by)]


def _tax_form(event: Event) -> _Rows:
    tournament = event.tournament
    yield [_("Name"), _("Address"), _("Won"), _("Paid out")]
    for row in load_tax_rows(tournament):
        sums = (decimal_amount(cents, tournament.currency) for cents in (row.won_cents, row.paid_cents))
        yield [row.player.name, row.player.address, *sums]


_LISTS: Final[dict[str, tuple[Any, Callable[[Event], _Rows]]]] = {
    "postings": (gettext_lazy("Ledger by account"), lambda event: _posting_rows(Ledger(event.tournament, event))),
    "card-payments": (gettext_lazy("Card payments"), _card_payments),
    "expenses": (gettext_lazy("Expenses, added money, tax remittances and payments to charity"), _other_money),
    "prizes": (gettext_lazy("Prizes"), _prizes),
    "payouts": (gettext_lazy("Payouts"), _payouts),
    "side-pools": (gettext_lazy("Side pools"), _side_pools),
    "extras": (gettext_lazy("Extras"), _extras),
    "all-postings": (
        gettext_lazy("Ledger by account, all events"),
        lambda event: _posting_rows(Ledger(event.tournament)),
    ),
    "closed-days": (gettext_lazy("Closed days"), _closed_days),
    "cash-moved": (gettext_lazy("Cash moved"), _cash_moved),
    "closed-drawers": (gettext_lazy("Closed drawers"), _closed_drawers),
    "tax-form": (gettext_lazy("Names and addresses for the tax form"), _tax_form),
}
