from collections import defaultdict

from django.contrib import messages
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import Entrant, Event, LedgerLine
from tournament.money.forms import LetOffForm, PaymentForm, ReasonForm, RefundForm
from tournament.money.selectors.ledger import Books, account_of, lines_of, load_books, load_pool
from tournament.money.services import ledger
from tournament.money.services.checkin import mark_arrived
from tournament.money.tables import CheckInRow, CheckInTable
from tournament.spreadsheets.numbers import typed_number


@console_event("desk")
def checkin(request: ActorRequest, event: Event) -> HttpResponse:
    books = load_books(event)
    rows = _rows(event, books, request.GET.get("q", "").strip(), request.GET.get("only", ""))
    table = CheckInTable(rows, event=event, request=request)
    Paging(request, 100).configure(table)
    download = exported(request, table, "check-in")
    if download is not None:
        return download
    context = {
        "table": table,
        "q": request.GET.get("q", ""),
        "only": request.GET.get("only", ""),
        "books": books,
        "pool": load_pool(event, books),
        "methods": [(LedgerLine.Method(m).label, t) for m, t in books.by_method.items()],
    }
    return render(request, "tournament/money/checkin.html", context)


def _rows(event: Event, books: Books, wanted: str, only: str) -> list[CheckInRow]:
    methods: dict[int, dict[str, None]] = defaultdict(dict)
    whose = Coalesce("entrant__joined_to_id", "entrant_id")
    paid = event.ledger.filter(kind=LedgerLine.Kind.PAYMENT, corrected_by=None).values_list(whose, "method")
    for entrant_id, method in paid:
        methods[entrant_id][str(LedgerLine.Method(method).label)] = None
    entrants = event.entrants.filter(state__in=[Entrant.State.IN, Entrant.State.SEEKING, Entrant.State.REMOVED])
    number = typed_number(wanted)
    if number is not None:
        entrants = entrants.filter(number=number)
    elif wanted:
        entrants = entrants.filter(name__icontains=wanted)
    if only == "missing":
        entrants = entrants.filter(arrived=False)
    rows = [
        CheckInRow(number, name, club, arrived, books.account(pk), ", ".join(methods[pk]))
        for pk, number, name, club, arrived in entrants.values_list("pk", "number", "name", "club", "arrived")
    ]
    return [row for row in rows if row.due > 0] if only == "unpaid" else rows


@require_POST
@console_event("desk")
def arrived(request: ActorRequest, event: Event) -> HttpResponse:
    entrant = get_object_or_404(event.entrants, number=typed_number(request.POST.get("number")) or 0)
    mark_arrived(entrant, request.POST.get("arrived") == "1", by=request.actor)
    back = request.headers.get("Referer", "")
    here = redirect("tournament:desk_checkin", tournament=event.tournament.slug, event=event.slug)
    if url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
        here = redirect(back)
    here["Location"] += f"#arrived-{entrant.number}"
    return here


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
    account = account_of(entrant)
    act = request.POST.get("act", "")
    forms = {name: form(prefix=name) for name, form in ACTS.items()}
    forms["payment"].fields["cents"].initial = account.due_cents or None
    if request.method == "POST" and act in ACTS:
        form = forms[act] = ACTS[act](request.POST, prefix=act)
        if form.is_valid():
            with refusals_on(form):
                _carry_out(act, entrant, form, request)
                messages.success(request, _("Recorded."))
                return redirect(request.path)
    lines = list(lines_of(entrant).select_related("corrected_by"))
    context = {"entrant": entrant, "account": account, "forms": forms, "lines": lines, "pool": load_pool(event)}
    return render(request, "tournament/money/money.html", context)


def _carry_out(act: str, entrant: Entrant, form: KeyedForm, request: ActorRequest) -> LedgerLine:
    facts = dict(form.cleaned_data)
    if act == "payment":
        return ledger.take_payment(entrant, facts.pop("cents"), facts.pop("method"), by=request.actor, **facts)
    if act == "refund":
        return ledger.refund(entrant, facts.pop("cents"), facts.pop("method"), by=request.actor, **facts)
    if act == "let_off":
        return ledger.waive_fee(entrant, facts.pop("cents"), by=request.actor, **facts)
    if act == "cancel":
        return ledger.cancel_fee(entrant, by=request.actor, **facts)
    line = get_object_or_404(lines_of(entrant), pk=typed_number(request.POST.get("line")) or 0)
    return ledger.correct_payment(line, by=request.actor, **facts)
