import io

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.core.pdf.names import paper_name
from tournament.core.pdf.paper import PAPERS
from tournament.core.selectors.papers import last_paper
from tournament.models import Event, Player
from tournament.money.forms import AddressForm, TaxAmountForm
from tournament.money.pdf.tax_form import write_tax_form
from tournament.money.selectors.tax_form import load_tax_rows
from tournament.money.services.tax_form import set_address, set_tax_amount


@console_event("direct")
def tax_form(request: ActorRequest, event: Event) -> HttpResponse:
    """List the players whose winnings reach the tax-form amount, and edit the amount and their addresses."""
    tournament = event.tournament
    sent = request.POST if request.method == "POST" else None
    act = request.POST.get("act", "")
    form = TaxAmountForm(sent if act == "amount" else None, initial={"cents": tournament.tax_form_cents})
    address = AddressForm(sent if act == "address" else None)
    if act == "amount" and form.is_valid():
        with refusals_on(form):
            set_tax_amount(tournament, form.cleaned_data["cents"], by=request.actor)
            messages.success(request, _("Saved."))
            return redirect(request.path)
    if act == "address" and address.is_valid():
        _save_address(request, event, address)
        return redirect(request.path)
    context = {"form": form, "rows": load_tax_rows(tournament), "wrong": address}
    return render(request, "tournament/money/tax_form.html", context)


def _save_address(request: ActorRequest, event: Event, form: AddressForm) -> None:
    """Save the address of a player of this tournament. The service refuses an address that is too long."""
    of_ours = Player.objects.filter(members__entrant__event__tournament=event.tournament).distinct()
    player = get_object_or_404(of_ours, pk=form.cleaned_data["player"])
    set_address(event.tournament, player, form.cleaned_data["address"], by=request.actor)
    messages.success(request, _("The address of %(name)s is saved.") % {"name": player.name})


@console_event("direct")
def print_tax_form(request: ActorRequest, event: Event) -> HttpResponse:
    paper = request.GET.get("paper") or last_paper(event.tournament)
    target = io.BytesIO()
    rows = load_tax_rows(event.tournament)
    write_tax_form(target, event.tournament, rows, paper=paper if paper in PAPERS else "letter")
    name = paper_name(event.tournament, event.slug, "tax-form", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)
