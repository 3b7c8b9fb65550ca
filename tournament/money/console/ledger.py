from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import Event, LedgerLine, PaidOut
from tournament.money.forms import ReasonForm
from tournament.money.selectors.movements import hand_by_method, movements_of, withholding_of
from tournament.money.selectors.withheld import withheld_here, withheld_of
from tournament.money.services.reversals import is_reversible, reverse_movement
from tournament.money.tables import LedgerTable
from tournament.money.words import ACCOUNTS, method_labels, method_of, reference_of, what_of, who_of

ROWS_A_PAGE: Final = 50


@console_event("desk")
def ledger(request: ActorRequest, event: Event) -> HttpResponse:
    """List every movement of an event's money, newest first, and the money in hand."""
    table = LedgerTable(list(movements_of(event).reverse()), event=event)
    Paging(request, ROWS_A_PAGE).configure(table)
    download = exported(request, table, f"{event.slug}-ledger")
    if download is not None:
        return download
    in_hand = hand_by_method(event)
    context = {
        "table": table,
        "methods": method_labels(in_hand),
        "in_hand": sum(in_hand.values()),
        "withheld_cents": withheld_here(event),
        "is_short": any(cents < 0 for cents in in_hand.values()),
    }
    return render(request, "tournament/money/ledger.html", context)


@console_event("desk")
def movement(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    """Show one movement with its postings, and reverse it."""
    row = get_object_or_404(movements_of(event), number=number)
    may_reverse = is_reversible(row) and ("direct" in request.acts or row.kind == LedgerLine.Kind.PAYMENT)
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
        "what": what_of(row),
        "who": who_of(row),
        "how": " ".join(part for part in (method_of(row), reference_of(row)) if part),
        "change": row.given_cents - fact.cents if row.given_cents else 0,
        "postings": [(ACCOUNTS[posting.account], posting.cents) for posting in postings],
        "sum": sum(posting.cents for posting in postings),
        "withheld": withholding_of(fact) if isinstance(fact, PaidOut) else None,
        "handed_cents": fact.cents - withheld_of(fact) if isinstance(fact, PaidOut) else 0,
        "may_reverse": may_reverse,
        "form": form,
    }
    return render(request, "tournament/money/movement.html", context)
