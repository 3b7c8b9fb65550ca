"""One entry paid at the desk by a few keys: what is owed is proposed, what is given typed, the change shown."""

from typing import Any, Final

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
from tournament.money.services.ledger import take_payment
from tournament.money.services.side_pools import Sale, sell_with_side_pools
from tournament.templatetags.gin import money

STAYS: Final = "stays-in-view"
"""A message with this tag stays where it is while the page is scrolled (`static/css/components.css`)."""
POOL_KEYS: Final = ("F2", "F3", "F4", "F6", "F7", "F8", "F9")
"""What takes a side pool or an extra into the sale, or out of it: keys that type nothing. F5 loads a page again."""


@console_event("desk")
def sale(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    account = account_of(entrant)
    began = {"cents": account.due_cents or None, "back": request.headers.get("Referer", "")}
    is_open = event.state != Event.State.FINISHED
    offered = [one for one in offered_pools(entrant) if not one.entry] if is_open else []
    dinners = list(event.extras.all())
    chosen = [one.pool.pk for one in offered if str(one.pool.pk) in request.POST.getlist("pools")]
    extras = [one.pk for one in dinners if str(one.pk) in request.POST.getlist("extras")]
    form = SaleForm(request.POST or None, initial=began)
    if request.method == "POST" and form.is_valid():
        facts = dict(form.cleaned_data)
        back = _back(request, event, facts.pop("back"), number)
        with refusals_on(form):
            given, cents = facts["given"], facts["cents"]
            _take(request, entrant, facts, chosen, extras)
            messages.success(request, _said(event, entrant.name, cents, given), extra_tags=STAYS)
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
        "drawer": open_drawer_of(request.user, event.tournament),  # type: ignore[arg-type]
    }
    return render(request, "tournament/money/sale.html", context)


def _take(request: ActorRequest, entrant: Entrant, facts: dict[str, Any], pools: list[int], extras: list[int]) -> None:
    key = facts.pop("key")
    if pools or extras:
        sell_with_side_pools(
            entrant, Sale(pools=tuple(pools), extras=tuple(extras), **facts), by=request.actor, key=key
        )
    else:
        take_payment(entrant, facts.pop("cents"), facts.pop("method"), by=request.actor, key=key, **facts)


def _said(event: Event, name: str, cents: int, given: int | None) -> str:
    currency = event.tournament.currency
    said = _("%(name)s paid %(amount)s.") % {"name": name, "amount": money(cents, currency)}
    if given is None or given == cents:
        return said
    return with_change(given - cents, said, currency)


def with_change(cents: int, said: str, currency: str) -> SafeString:
    """Return a message that begins with the change to give back; it stays in view and is the largest type there."""
    change = _("Give back %(change)s") % {"change": money(cents, currency)}
    return format_html("<strong>{}</strong> {}", change, said)


def warn_overpaid(request: ActorRequest, entrant: Entrant) -> None:
    """Two windows, or two desks, took the same money: both have it, so both payments are on record."""
    if too_much := account_of(entrant).refund_due_cents:
        said = _("%(name)s has now paid %(amount)s too much. Correct a payment that never was, or refund it.")
        messages.warning(
            request, said % {"name": entrant.name, "amount": money(too_much, entrant.event.tournament.currency)}
        )


def _back(request: ActorRequest, event: Event, asked: str, number: int) -> str:
    """To the list from which it was opened, at the row."""
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    lists = [reverse(f"tournament:{name}", kwargs=slugs) for name in ("desk_checkin", "desk_payments")]
    is_here = url_has_allowed_host_and_scheme(asked, allowed_hosts={request.get_host()})
    if is_here and any(page in asked.split("#")[0] for page in lists):
        return f"{asked.split('#')[0]}#arrived-{number}"
    return lists[1]
