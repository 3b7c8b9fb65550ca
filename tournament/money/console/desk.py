"""The payment desk's pages: check-in, sales, payments, and an entry's account."""

import io
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from tournament.core.forms import CentsField, IdempotentForm, IdempotentReasonForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import (
    MAX_SEARCH_WORDS,
    has_all_words,
    load_last_paper_size,
    load_real_names,
    make_public_alias_condition,
)
from tournament.core.tables.lists import (
    EXPORT_CONTENT_TYPES,
    ListRequestConfig,
    export_if_requested,
    export_rows,
    to_decimal_amount,
)
from tournament.models import Entrant, Event, LedgerLine, SidePool
from tournament.money.pdf.receipts import write_receipt
from tournament.money.selectors.drawers_and_close import find_open_drawer
from tournament.money.selectors.ledger import (
    EventAccounts,
    load_entry_account,
    load_event_accounts,
    load_ledger_lines,
    load_prize_pool,
    sum_money_on_hand_by_method,
    sum_payments_by_method,
)
from tournament.money.selectors.side_pools import count_extras_of_entry, load_side_pool_entries
from tournament.money.selectors.transfers_and_cards import find_entrants_by_reference, make_entry_reference
from tournament.money.services import fees_and_refunds
from tournament.money.services.checkin import CHECK_IN_STATES, check_in_entrants, set_check_in_status
from tournament.money.services.fees_and_refunds import refund_all_entries
from tournament.money.services.side_pools import DeskSale, complete_sale
from tournament.money.tables import LISTED_ENTRANT_STATES, CheckInTable, EntryMoneyRow, PaymentTable
from tournament.money.words import label_sums_by_method, line_method_label
from tournament.purse.kinds import MoneyKind
from tournament.registration.services.entries import describe_closed_registration
from tournament.spreadsheets.names import parse_number, parse_numbers, to_plain_letters
from tournament.templatetags.gin import local_day_time, money

ROWS_PER_PAGE: Final = 50
_Filter = tuple[Any, Callable[[EntryMoneyRow], bool]]
_OWES_FILTER: _Filter = (gettext_lazy("Owes money"), lambda row: row.due > 0)
_IS_OWED_FILTER: _Filter = (gettext_lazy("Due a refund"), lambda row: row.due < 0)
_PAID_FILTER: _Filter = (gettext_lazy("Paid"), lambda row: row.due == 0 and row.paid > 0)
_MISSING_FILTER: _Filter = (gettext_lazy("Not checked in"), lambda row: row.can_check_in and not row.arrived)
_CHECK_IN_FILTERS: Final = {"missing": _MISSING_FILTER, "owes": _OWES_FILTER, "owed": _IS_OWED_FILTER}
_PAYMENT_FILTERS: Final = {"owes": _OWES_FILTER, "paid": _PAID_FILTER, "owed": _IS_OWED_FILTER}
_LEFT_STATES: Final = (Entrant.State.WITHDRAWN, Entrant.State.REFUSED)
"""The states of entries that left before the draw. A director decides whether their fee is refunded."""
_STICKY_TAG: Final = "stays-in-view"
"""The tag of flash messages that remain visible while the page is scrolled (`static/css/components.css`)."""


# --- Check-in --------------------------------------------------------------------------------------------------------


@staff_event_view("desk")
def check_in_page(request: ActorRequest, event: Event) -> HttpResponse:
    """List the entries with their debts. Check in one of them, or several selected ones together."""
    desk_list = _load_desk_list(request, event, load_event_accounts(event), _CHECK_IN_FILTERS)
    table = CheckInTable(desk_list["rows"], event=event, export="_export" in request.GET)
    ListRequestConfig(request, ROWS_PER_PAGE).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-check-in")
    if download is not None:
        return download
    all_rows, query = desk_list["all_rows"], desk_list["query"]
    is_before_draw = event.state in (Event.State.OPEN, Event.State.CLOSED)
    context = {
        "table": table,
        "found": desk_list,
        "checked_in": sum(row.arrived for row in all_rows),
        "everybody": len(all_rows),
        "shut": describe_closed_registration(event, request.actor),
        "walk_in": urlencode({"walk_in": 1, "name": "" if parse_number(query) is not None else query}),
        "all_here": is_before_draw and bool(all_rows) and not any(map(_MISSING_FILTER[1], all_rows)),
        "key": uuid.uuid4().hex,
    }
    return render(request, "tournament/money/checkin.html", context)


@require_POST
@staff_event_view("desk")
def update_check_in(request: ActorRequest, event: Event) -> HttpResponse:
    """Check in the tapped entry together with all selected ones, or undo one check-in."""
    undone = parse_number(request.POST.get("undo"))
    if undone is not None:
        entrant = get_object_or_404(event.entrants, number=undone)
        set_check_in_status(entrant, False, by=request.actor)
        return _redirect_to_check_in(request, event, undone)
    sent = [text for text in (*request.POST.getlist("number"), request.POST.get("one", "")) if text]
    if not sent:
        messages.warning(request, _("No player is checked. Check the players first, or tap a row."))
        return _redirect_to_check_in(request, event)
    numbers = sorted(set(parse_numbers(sent)))
    if not numbers or event.entrants.filter(number__in=numbers).count() < len(numbers):
        raise Http404
    new = check_in_entrants(event, numbers, by=request.actor, key=request.POST.get("key", "")[:100])
    if len(new) > 1:
        message = ngettext(
            "%(n)s player is checked in: %(names)s.", "%(n)s players are checked in: %(names)s.", len(new)
        )
        messages.success(request, message % {"n": len(new), "names": ", ".join(entrant.name for entrant in new)})
    return _redirect_to_check_in(request, event, numbers[-1])


def _redirect_to_check_in(request: ActorRequest, event: Event, number: int | None = None) -> HttpResponse:
    back = request.headers.get("Referer", "")
    here = redirect("tournament:desk_checkin", tournament=event.tournament.slug, event=event.slug)
    if url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        here = redirect(back)
    if number is not None:
        here["Location"] += f"#arrived-{number}"
    return here


# --- Sale ------------------------------------------------------------------------------------------------------------
# A sale records the payment of one entry by a few keys. The page proposes the amount owed and shows the change.


class _PaymentForm(IdempotentForm):
    cents = CentsField(label=gettext_lazy("Amount"))
    method = forms.ChoiceField(label=gettext_lazy("How"), choices=LedgerLine.Method.choices)
    reference = forms.CharField(label=gettext_lazy("Check number or remark"), required=False, max_length=100)
    given = CentsField(
        label=gettext_lazy("Amount given"),
        required=False,
        help_text=gettext_lazy("Only if you give change: what you were handed."),
    )


class _SaleForm(_PaymentForm):
    """A form for a sale at the desk. The amount owed is prefilled, and the first field is for the cash received."""

    field_order = ("given", "cents", "donation", "method", "reference")
    donation = CentsField(
        label=gettext_lazy("Donation to charity"),
        required=False,
        help_text=gettext_lazy("On top of the amount, and never part of a prize."),
    )
    back = forms.CharField(required=False, max_length=2_000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["given"].help_text = gettext_lazy("Leave empty for the exact amount.")
        self.fields["given"].widget.attrs |= {"autofocus": True, "data-given": "", "inputmode": "decimal"}
        self.fields["cents"].widget.attrs |= {"data-to-pay": "", "inputmode": "decimal"}
        self.fields["donation"].widget.attrs |= {"data-donation": "", "inputmode": "decimal"}
        if self.data.get("donation"):
            # An entry that owes nothing can still donate.
            self.fields["cents"].required = False

    def clean_cents(self) -> int:
        cents: int | None = self.cleaned_data["cents"]
        return cents or 0


_POOL_KEYS: Final = ("F2", "F3", "F4", "F6", "F7", "F8", "F9")
"""Shortcut keys that add a side pool or an extra to the sale. F5 is left out because it reloads the page."""


@staff_event_view("desk")
def record_sale(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    account = load_entry_account(entrant)
    check_in, _payments = _make_list_urls(event)
    opened_from = check_in if "walk_in" in request.GET else request.headers.get("Referer", "")
    initial = {"cents": account.due_cents or None, "back": opened_from}
    is_open = event.state != Event.State.FINISHED
    offered = _load_joined_and_other_pools(entrant)[1] if is_open else []
    event_extras = list(event.extras.all())
    chosen = [pool.pk for pool in offered if str(pool.pk) in request.POST.getlist("pools")]
    extras = [extra.pk for extra in event_extras if str(extra.pk) in request.POST.getlist("extras")]
    form = _SaleForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        facts = dict(form.cleaned_data)
        back, key = _choose_url_after_sale(request, event, facts.pop("back"), number), facts.pop("key")
        sold = DeskSale(
            given_cents=facts.pop("given"),
            **facts,
            pools=tuple(chosen),
            extras=tuple(extras),
            check_in="check_in" in request.POST,
        )
        with domain_errors_as_form_errors(form):
            complete_sale(entrant, sold, by=request.actor, key=key)
            messages.success(request, _make_sale_message(entrant, sold), extra_tags=_STICKY_TAG)
            _warn_if_overpaid(request, entrant)
            return redirect(back)
    keys, owned = (
        (*_POOL_KEYS[len(offered) :], *[""] * len(event_extras)),
        dict(count_extras_of_entry(entrant, account)),
    )
    context = {
        "entrant": entrant,
        "account": account,
        "form": form,
        "offered": list(zip(_POOL_KEYS, offered, strict=False)),
        "chosen": chosen,
        "extras": [(extra, key, owned.get(extra.name, 0)) for extra, key in zip(event_extras, keys, strict=False)],
        "chosen_extras": extras,
        "may_check_in": entrant.state in CHECK_IN_STATES and not entrant.arrived and is_open,
        "at_check_in": check_in in (form["back"].value() or ""),
        "drawer": find_open_drawer(request.user, event.tournament),  # type: ignore[arg-type]
    }
    return render(request, "tournament/money/sale.html", context)


def _load_joined_and_other_pools(entrant: Entrant) -> tuple[list[SidePool], list[SidePool]]:
    """Return the side pools that this entry has joined, and the event's other side pools."""
    joined = {row.pool_id for row in load_side_pool_entries(entrant.event).filter(entrant=entrant)}
    pools = list(entrant.event.side_pools.all())
    return [pool for pool in pools if pool.pk in joined], [pool for pool in pools if pool.pk not in joined]


def _make_sale_message(entrant: Entrant, sold: DeskSale) -> str:
    currency = entrant.event.tournament.currency
    donation = sold.donation or 0
    words = {"name": entrant.name, "amount": money(sold.cents, currency)}
    paid = _("%(name)s paid %(amount)s and is checked in.") if sold.check_in else _("%(name)s paid %(amount)s.")
    message = paid % words if sold.cents or sold.check_in else ""
    if donation:
        donated = _("%(name)s donated %(amount)s to charity.")
        message = f"{message} {donated % (words | {'amount': money(donation, currency)})}".strip()
    change = sold.given_cents - sold.cents - donation if sold.given_cents is not None else 0
    return _format_change_and_message(change, message, currency) if change else message


def _format_change_and_message(cents: int, message: str, currency: str) -> SafeString:
    """Return the change to give back (“Give back $5.00”) in the page's largest type, followed by the message."""
    change = _("Give back %(change)s") % {"change": money(cents, currency)}
    return format_html("<strong>{}</strong> {}", change, message)


def _warn_if_overpaid(request: ActorRequest, entrant: Entrant) -> None:
    """Warn if the entry has overpaid, for example because two desks recorded the same payment."""
    if too_much := load_entry_account(entrant).refund_due_cents:
        message = _("%(name)s has now paid %(amount)s too much. Correct a payment that never was, or refund it.")
        messages.warning(
            request, message % {"name": entrant.name, "amount": money(too_much, entrant.event.tournament.currency)}
        )


def _make_list_urls(event: Event) -> tuple[str, str]:
    """Return the URLs of the two lists from which a sale can start: the check-in list and the payment list."""
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse("tournament:desk_checkin", kwargs=slugs), reverse("tournament:desk_payments", kwargs=slugs)


def _choose_url_after_sale(request: ActorRequest, event: Event, asked: str, number: int) -> str:
    lists = _make_list_urls(event)
    is_here = url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()})
    if is_here and any(page in asked.split("#")[0] for page in lists):
        return f"{asked.split('#')[0]}#arrived-{number}"
    return lists[1]


# --- Payments --------------------------------------------------------------------------------------------------------


class _RefundForm(IdempotentForm):
    cents = CentsField(label=gettext_lazy("Amount to refund"))
    paid_by = forms.ChoiceField(label=gettext_lazy("How it was paid"), choices=LedgerLine.Method.choices)
    method = forms.ChoiceField(
        label=gettext_lazy("How you hand it back"),
        choices=(("", gettext_lazy("The way it was paid")), *LedgerLine.Method.choices),
        required=False,
        help_text=gettext_lazy("You may give cash for a check or a card payment. The check then stays in the box."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"))


class _FeeWaiverForm(IdempotentForm):
    cents = CentsField(
        label=gettext_lazy("Discount"),
        required=False,
        help_text=gettext_lazy("Leave empty for a complimentary entry: nothing is owed."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"))


class _AllRefundsForm(IdempotentReasonForm):
    """A form to refund all entries, with a reason. `cents` is the total owed when the page was opened."""

    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)


@staff_event_view("desk")
def payments(request: ActorRequest, event: Event) -> HttpResponse:
    """List all entries' charges, payments and debts, and refund all entries at once if requested."""
    books = load_event_accounts(event)
    owed = books.total.refund_due_cents
    form = _AllRefundsForm(request.POST or None, prefix="all", initial={"cents": owed})
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            facts = dict(form.cleaned_data)
            entries = refund_all_entries(event, facts.pop("cents"), by=request.actor, **facts)
            message = ngettext("%(n)s entry is refunded.", "%(n)s entries are refunded.", entries)
            messages.success(request, message % {"n": entries})
            return redirect(request.path)
    desk_list = _load_desk_list(request, event, books, _PAYMENT_FILTERS, all_money=True)
    table = PaymentTable(desk_list["rows"], event=event, export="_export" in request.GET)
    ListRequestConfig(request, ROWS_PER_PAGE).configure(table)
    download = export_if_requested(request, table, f"{event.slug}-payments")
    if download is not None:
        return download
    context = {
        "table": table,
        "found": desk_list,
        "books": books,
        "pool": load_prize_pool(event, books),
        "methods": label_sums_by_method(sum_money_on_hand_by_method(event)),
        "owed": owed,
        "form": form,
    }
    return render(request, "tournament/money/payments.html", context)


_MONEY_FORMS: dict[str, type[IdempotentForm]] = {
    "payment": _PaymentForm,
    "let_off": _FeeWaiverForm,
    "refund": _RefundForm,
    "cancel": IdempotentReasonForm,
    "correct": IdempotentReasonForm,
}


@staff_event_view("desk")
def entry_account(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    account, directs = load_entry_account(entrant), "direct" in request.acts
    act = request.POST.get("act", "")
    forms = {name: form(prefix=name) for name, form in _MONEY_FORMS.items()}
    forms["payment"].fields["cents"].initial = account.due_cents or None
    forms["refund"].fields["cents"].initial = account.refund_due_cents or None
    paid_by = sum_payments_by_method(entrant)
    forms["refund"].fields["paid_by"].initial = max(paid_by, key=lambda method: paid_by[method], default=None)
    if request.method == "POST" and act in _MONEY_FORMS:
        form = forms[act] = _MONEY_FORMS[act](request.POST, prefix=act)
        if form.is_valid():
            with domain_errors_as_form_errors(form):
                line = _record_line(act, entrant, form, request)
                messages.success(
                    request, _make_recorded_message(line, event, form.cleaned_data.get("given")), extra_tags=_STICKY_TAG
                )
                if act == "payment":
                    _warn_if_overpaid(request, entrant)
                return redirect(request.path)
    sources = ("refund_source", "corrects__refund_source")
    lines = list(load_ledger_lines(entrant).select_related("corrected_by", "movement", *sources))
    if (kind := request.GET.get("_export", "")) in EXPORT_CONTENT_TYPES:
        return export_rows(kind, list(_iter_line_rows(lines, event)), f"{event.slug}-entry-{number}")
    context = {
        "entrant": entrant,
        "reference": make_entry_reference(entrant.joined_to or entrant),
        "account": account,
        "forms": forms,
        "lines": lines,
        "pool": load_prize_pool(event),
        "side_pools": _load_joined_and_other_pools(entrant)[0],
        "extras": count_extras_of_entry(entrant, account),
        "act": act,
        "keeps_fee": entrant.state in _LEFT_STATES
        and account.owed_cents > 0
        and account.net_paid_cents > 0
        and directs,
    }
    return render(request, "tournament/money/money.html", context)


def _record_line(act: str, entrant: Entrant, form: IdempotentForm, request: ActorRequest) -> LedgerLine:
    facts = dict(form.cleaned_data)
    if act == "payment":
        if facts["method"] == LedgerLine.Method.TRANSFER and not facts["reference"]:
            facts["reference"] = make_entry_reference(entrant)
        return fees_and_refunds.take_payment(
            entrant, facts.pop("cents"), facts.pop("method"), by=request.actor, **facts
        )
    if act == "refund":
        method = facts.pop("method") or facts["paid_by"]
        return fees_and_refunds.refund_entry(entrant, facts.pop("cents"), method, by=request.actor, **facts)
    if act == "let_off":
        return fees_and_refunds.discount_or_waive_fee(entrant, facts.pop("cents"), by=request.actor, **facts)
    if act == "cancel":
        return fees_and_refunds.cancel_fee(entrant, by=request.actor, **facts)
    line = get_object_or_404(load_ledger_lines(entrant), pk=parse_number(request.POST.get("line")) or 0)
    return fees_and_refunds.correct_payment(line, by=request.actor, **facts)


def _make_recorded_message(line: LedgerLine, event: Event, given: int | None) -> str:
    if not given or given == line.cents:
        return _("Recorded.")
    return _format_change_and_message(given - line.cents, _("Recorded."), event.tournament.currency)


def _iter_line_rows(lines: Iterable[LedgerLine], event: Event) -> Iterator[list[Any]]:
    yield [_("Receipt"), _("When"), _("What"), _("Amount"), _("How"), _("Reference"), _("Reason"), _("Recorded by")]
    for line in lines:
        movement = getattr(line, "movement", None)
        about = [movement.receipt if movement is not None else "", local_day_time(line.at, event.tournament)]
        cents = to_decimal_amount(line.cents, event.tournament.currency)
        how = [line_method_label(line), line.reference]
        yield [*about, line.get_kind_display(), cents, *how, line.reason, line.by_name]


@staff_event_view("desk")
def print_receipt(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    paper = request.GET.get("paper") or load_last_paper_size(event.tournament)
    target = io.BytesIO()
    lines = list(load_ledger_lines(entrant).select_related("movement", "corrects"))
    write_receipt(
        target, entrant, load_entry_account(entrant), lines, paper=paper if paper in PAPER_SIZES else "letter"
    )
    name = make_pdf_file_name(event.tournament, event.slug, f"receipt-entry-{entrant.number}", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)


# --- List of entries -------------------------------------------------------------------------------------------------


def _load_desk_list(
    request: HttpRequest, event: Event, books: EventAccounts, filters: Mapping[str, _Filter], *, all_money: bool = False
) -> dict[str, Any]:
    """Return the template context for the desk's list of entries.

    - `all_rows`: all entries in the list.
    - `rows`: the entries that match both the search and the filter.
    - `hidden_by_filter`: the number of entries that match the search but not the filter. It is 0 unless `rows` is
      empty.
    - `unlisted_matches`: entries outside the list that match the search, such as entries awaiting approval. They are
      loaded only if the search finds nothing in the list.
    - `filters`: a link for each filter.

    If `all_money` is true, the list also contains all other entries that were charged or have paid. The amounts of the
    entries then add up to the event's totals.
    """
    query, only = request.GET.get("q", "").strip(), request.GET.get("only", "")
    only = only if only in filters else ""
    all_rows = _load_rows(event, books, all_money)
    links = [{"label": gettext_lazy("All"), "count": len(all_rows), "url": "?", "current": not only}]
    for name, (label, is_one) in filters.items():
        url = "?" + urlencode({"only": name})
        links.append({"label": label, "count": sum(map(is_one, all_rows)), "url": url, "current": only == name})
    referenced = {
        entrant.number
        for entrant in find_entrants_by_reference(event.tournament, query)
        if entrant.event_id == event.pk
    }
    matches = [row for row in all_rows if row.number in referenced or _matches_search(row, query)]
    rows = [row for row in matches if not only or filters[only][1](row)]
    listed = {row.number for row in all_rows}
    others = event.entrants.exclude(number__in=listed).order_by("number") if query and not matches else ()
    unlisted = [entrant for entrant in others if _matches_search(entrant, query)]
    return {
        "all_rows": all_rows,
        "rows": rows,
        "query": query,
        "only": only,
        "filters": links,
        "hidden_by_filter": 0 if rows else len(matches),
        "unlisted_matches": unlisted,
    }


def _matches_search(row: EntryMoneyRow | Entrant, query: str) -> bool:
    """Return whether an entry matches a search, either by its number or by its name and club.

    Every word of the query has to occur in the name or the club. Accents do not matter.
    """
    number = parse_number(query)
    if number is not None:
        return row.number == number
    known_as = row.details if isinstance(row, EntryMoneyRow) else row.club
    return has_all_words(f"{row.name} {known_as}", to_plain_letters(query[:200]).split()[:MAX_SEARCH_WORDS])


def _load_rows(event: Event, books: EventAccounts, all_money: bool) -> list[EntryMoneyRow]:
    methods: dict[int, dict[str, None]] = defaultdict(dict)
    owner = Coalesce("entrant__joined_to_id", "entrant_id")
    paid = event.ledger.filter(kind=MoneyKind.PAYMENT, corrected_by=None).values_list(owner, "method")
    for entrant_id, method in paid:
        methods[entrant_id][str(LedgerLine.Method(method).label)] = None
    entrants = event.entrants.order_by("sort_key", "number")
    listed = entrants if all_money else entrants.filter(state__in=LISTED_ENTRANT_STATES)
    entries = list(
        listed.annotate(is_alias=make_public_alias_condition()).values_list(
            "pk", "number", "name", "club", "sort_key", "arrived", "state", "is_alias"
        )
    )
    real = load_real_names([pk for pk, *_row, is_alias in entries if is_alias])
    rows = []
    for pk, number, name, club, key, arrived, state, _is_alias in entries:
        account = books.get_account(pk)
        if state in LISTED_ENTRANT_STATES or account.charged_cents or account.net_paid_cents or account.balance_cents:
            how = ", ".join(methods[pk])
            rows.append(EntryMoneyRow(number, name, club, key, arrived, state, account, how, real.get(pk, "")))
    return rows
