from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.core.tables.exports import TYPES, amount, as_file, exported
from tournament.core.tables.paging import Paging
from tournament.models import Entrant, Event, LedgerLine
from tournament.money.console.sale import STAYS, warn_overpaid, with_change
from tournament.money.forms import AllRefundsForm, LetOffForm, PaymentForm, ReasonForm, RefundForm
from tournament.money.pages import IS_OUT, IS_OWED, OWES, PAID, load_desk_list
from tournament.money.selectors.extras import extras_of
from tournament.money.selectors.ledger import account_of, lines_of, load_books, load_pool
from tournament.money.selectors.movements import hand_by_method, kept_by_method
from tournament.money.selectors.side_pools import offered_pools
from tournament.money.selectors.transfers import reference_of_entry
from tournament.money.services import ledger
from tournament.money.services.all_refunds import refund_all
from tournament.money.tables import PaymentTable
from tournament.money.words import how_of, method_labels
from tournament.spreadsheets.numbers import typed_number
from tournament.templatetags.gin import local_day_time

ROWS_A_PAGE: Final = 50
FILTERS: Final = {"owes": OWES, "paid": PAID, "owed": IS_OWED}


@console_event("desk")
def payments(request: ActorRequest, event: Event) -> HttpResponse:
    """List what every entry was charged, paid and owes, with the money in hand, and refund all entries at once."""
    books = load_books(event)
    owed = books.total.refund_due_cents
    form = AllRefundsForm(request.POST or None, prefix="all", initial={"cents": owed})
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            facts = dict(form.cleaned_data)
            entries = refund_all(event, facts.pop("cents"), by=request.actor, **facts)
            said = ngettext("%(n)s entry is refunded.", "%(n)s entries are refunded.", entries)
            messages.success(request, said % {"n": entries})
            return redirect(request.path)
    found = load_desk_list(request, event, books, FILTERS, all_money=True)
    table = PaymentTable(found.rows, event=event, export="_export" in request.GET)
    Paging(request, ROWS_A_PAGE).configure(table)
    download = exported(request, table, f"{event.slug}-payments")
    if download is not None:
        return download
    context = {
        "table": table,
        "found": found,
        "books": books,
        "pool": load_pool(event, books),
        "methods": method_labels(hand_by_method(event)),
        "owed": owed,
        "form": form,
    }
    return render(request, "tournament/money/payments.html", context)


ACTS: dict[str, type[KeyedForm]] = {
    "payment": PaymentForm,
    "let_off": LetOffForm,
    "refund": RefundForm,
    "cancel": ReasonForm,
    "correct": ReasonForm,
}


@console_event("desk")
def money(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    account, directs = account_of(entrant), "direct" in request.acts
    act = request.POST.get("act", "")
    forms = {name: form(prefix=name) for name, form in ACTS.items()}
    forms["payment"].fields["cents"].initial = account.due_cents or None
    forms["refund"].fields["cents"].initial = account.refund_due_cents or None
    kept = kept_by_method(entrant)
    forms["refund"].fields["paid_by"].initial = max(kept, key=lambda method: kept[method], default=None)
    if request.method == "POST" and act in ACTS:
        form = forms[act] = ACTS[act](request.POST, prefix=act)
        if form.is_valid():
            with refusals_on(form):
                line = _carry_out(act, entrant, form, request)
                messages.success(request, _said(line, event, form.cleaned_data.get("given")), extra_tags=STAYS)
                if act == "payment":
                    warn_overpaid(request, entrant)
                return redirect(request.path)
    sources = ("refund_source", "corrects__refund_source")
    lines = list(lines_of(entrant).select_related("corrected_by", "movement", *sources))
    if (kind := request.GET.get("_export", "")) in TYPES:
        return as_file(kind, list(_line_rows(lines, event)), f"{event.slug}-entry-{number}")
    context = {
        "entrant": entrant,
        "reference": reference_of_entry(entrant.joined_to or entrant),
        "account": account,
        "forms": forms,
        "lines": lines,
        "pool": load_pool(event),
        "side_pools": [one.pool for one in offered_pools(entrant) if one.entry],
        "extras": extras_of(entrant, account),
        "act": act,
        "keeps_fee": entrant.state in IS_OUT and account.owed_cents > 0 and account.kept_cents > 0 and directs,
    }
    return render(request, "tournament/money/money.html", context)


def _line_rows(lines: Iterable[LedgerLine], event: Event) -> Iterator[list[Any]]:
    yield [_("Receipt"), _("When"), _("What"), _("Amount"), _("How"), _("Reference"), _("Reason"), _("Recorded by")]
    for line in lines:
        movement = getattr(line, "movement", None)
        about = [movement.receipt if movement is not None else "", local_day_time(line.at, event.tournament)]
        cents = amount(line.cents, event.tournament.currency)
        how = [how_of(line), line.reference]
        yield [*about, line.get_kind_display(), cents, *how, line.reason, line.by_name]


def _said(line: LedgerLine, event: Event, given: int | None) -> str:
    if not given or given == line.cents:
        return _("Recorded.")
    return with_change(given - line.cents, _("Recorded."), event.tournament.currency)


def _carry_out(act: str, entrant: Entrant, form: KeyedForm, request: ActorRequest) -> LedgerLine:
    facts = dict(form.cleaned_data)
    if act == "payment":
        if facts["method"] == LedgerLine.Method.TRANSFER and not facts["reference"]:
            facts["reference"] = reference_of_entry(entrant)
        return ledger.take_payment(entrant, facts.pop("cents"), facts.pop("method"), by=request.actor, **facts)
    if act == "refund":
        method = facts.pop("method") or facts["paid_by"]
        return ledger.refund(entrant, facts.pop("cents"), method, by=request.actor, **facts)
    if act == "let_off":
        return ledger.waive_fee(entrant, facts.pop("cents"), by=request.actor, **facts)
    if act == "cancel":
        return ledger.cancel_fee(entrant, by=request.actor, **facts)
    line = get_object_or_404(lines_of(entrant), pk=typed_number(request.POST.get("line")) or 0)
    return ledger.correct_payment(line, by=request.actor, **facts)
