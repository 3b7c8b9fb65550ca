"""The page on which a player signs for a payout, on the screen of the desk."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.models import Event
from tournament.money.forms import PayoutSignatureForm
from tournament.money.selectors.movements import side_pool_of
from tournament.money.selectors.shares import shares_of
from tournament.money.selectors.withheld import what_for
from tournament.money.services.signing import sign_payout


@console_event("desk")
def sign(request: ActorRequest, event: Event, paid: int) -> HttpResponse:
    """Ask the next player of the entry to sign. Once all have signed, redirect to the prizes page."""
    rows = event.paid_out.select_related("entrant", "event__tournament", "of_pool__pool", "withholding")
    payout = get_object_or_404(rows, pk=paid, reverses=None)
    form = PayoutSignatureForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        with refusals_on(form):
            signed = sign_payout(payout, facts["player"], facts["strokes"], by=request.actor, key=facts["key"])
            messages.success(request, _("%(name)s has signed.") % {"name": signed.player})
            return redirect(request.path)
    signed_by = set(payout.signatures.values_list("player_id", flat=True))
    missing = [share for share in shares_of(payout) if share.player not in signed_by]
    if not missing:
        slugs = {"tournament": event.tournament.slug, "event": event.slug}
        return redirect(reverse("tournament:desk_prizes", kwargs=slugs))
    share = next((one for one in missing if str(one.player) == request.POST.get("player")), missing[0])
    context = {"paid": payout, "share": share, "form": form, "side_pool": side_pool_of(payout)}
    context["withheld_for"] = what_for([payout])
    return render(request, "tournament/money/sign_payout.html", context)
