"""The payment of one entry at the desk by a few keys. The page proposes the amount owed and shows the change."""

from typing import Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.refusals import refusals_on
from tournament.models import Entrant, Event
from tournament.money.forms import SaleForm
from tournament.money.selectors.drawers import open_drawer_of
from tournament.money.selectors.extras import extras_of
from tournament.money.selectors.ledger import account_of
from tournament.money.selectors.side_pools import offered_pools
from tournament.money.services.checkin import MAY_ARRIVE
from tournament.money.services.side_pools import Sale, sell
from tournament.templatetags.gin import money

STAYS: Final = "stays-in-view"
"""The message tag for messages that stay in place while the page is scrolled (`static/css/components.css`)."""
POOL_KEYS: Final = ("F2", "F3", "F4", "F6", "F7", "F8", "F9")
"""The keys that add a side pool or an extra to the sale.

They type nothing, and F5 is left out as it reloads the page.
"""


@console_event("desk")
def sale(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    account = account_of(entrant)
    check_in, _payments = _lists(event)
    opened_from = check_in if "walk_in" in request.GET else request.headers.get("Referer", "")
    began = {"cents": account.due_cents or None, "back": opened_from}
    is_open = event.state != Event.State.FINISHED
    offered = [one for one in offered_pools(entrant) if not one.entry] if is_open else []
    dinners = list(event.extras.all())
    chosen = [one.pool.pk for one in offered if str(one.pool.pk) in request.POST.getlist("pools")]
    extras = [one.pk for one in dinners if str(one.pk) in request.POST.getlist("extras")]
    form = SaleForm(request.POST or None, initial=began)
    if request.method == "POST" and form.is_valid():
        facts = dict(form.cleaned_data)
        back, key = _back(request, event, facts.pop("back"), number), facts.pop("key")
        made = Sale(**facts, pools=tuple(chosen), extras=tuple(extras), check_in="check_in" in request.POST)
        with refusals_on(form):
            sell(entrant, made, by=request.actor, key=key)
            messages.success(request, _said(entrant, made), extra_tags=STAYS)
            warn_overpaid(request, entrant)
            return redirect(back)
    keys, had = (*POOL_KEYS[len(offered) :], *[""] * len(dinners)), dict(extras_of(entrant, account))
    context = {
        "entrant": entrant,
        "account": account,
        "form": form,
        "offered": list(zip(POOL_KEYS, offered, strict=False)),
        "chosen": chosen,
        "extras": [(one, key, had.get(one.name, 0)) for one, key in zip(dinners, keys, strict=False)],
        "chosen_extras": extras,
        "may_check_in": entrant.state in MAY_ARRIVE and not entrant.arrived and is_open,
        "at_check_in": check_in in (form["back"].value() or ""),
        "drawer": open_drawer_of(request.user, event.tournament),  # type: ignore[arg-type]
    }
    return render(request, "tournament/money/sale.html", context)


def _said(entrant: Entrant, made: Sale) -> str:
    currency = entrant.event.tournament.currency
    words = {"name": entrant.name, "amount": money(made.cents, currency)}
    paid = _("%(name)s paid %(amount)s and is checked in.") if made.check_in else _("%(name)s paid %(amount)s.")
    if made.given is None or made.given == made.cents:
        return paid % words
    return with_change(made.given - made.cents, paid % words, currency)


def with_change(cents: int, said: str, currency: str) -> SafeString:
    """Return a message that begins with the change to give back, in the largest type of the page."""
    change = _("Give back %(change)s") % {"change": money(cents, currency)}
    return format_html("<strong>{}</strong> {}", change, said)


def warn_overpaid(request: ActorRequest, entrant: Entrant) -> None:
    """Warn if the entry has overpaid, as when two desks record the same payment."""
    if too_much := account_of(entrant).refund_due_cents:
        said = _("%(name)s has now paid %(amount)s too much. Correct a payment that never was, or refund it.")
        messages.warning(
            request, said % {"name": entrant.name, "amount": money(too_much, entrant.event.tournament.currency)}
        )


def _lists(event: Event) -> tuple[str, str]:
    """Return the addresses of check-in and payments. A sale is opened from one of them, and returns there."""
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse("tournament:desk_checkin", kwargs=slugs), reverse("tournament:desk_payments", kwargs=slugs)


def _back(request: ActorRequest, event: Event, asked: str, number: int) -> str:
    lists = _lists(event)
    is_here = url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()})
    if is_here and any(page in asked.split("#")[0] for page in lists):
        return f"{asked.split('#')[0]}#arrived-{number}"
    return lists[1]
