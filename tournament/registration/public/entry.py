import uuid
from functools import partial
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournament.core.pages.access import public_event
from tournament.core.pages.links import private_link, qr_of, site_of
from tournament.core.permissions import Actor
from tournament.core.selectors.events import load_entrant
from tournament.errors import DomainError, NotAllowed, NotFound
from tournament.models import Entrant, Event
from tournament.money.providers import offers_for
from tournament.money.selectors.ledger import account_of
from tournament.registration.forms import EntryForm
from tournament.registration.selectors.entrants import free_places, why_waiting
from tournament.registration.selectors.entry_terms import entry_terms
from tournament.registration.selectors.partners import why_seeking
from tournament.registration.services.entrants import enter, refuse_shut

BY_FORM: Final = Actor("the public form")


@never_cache
@public_event
@require_http_methods(["GET", "POST"])
def register(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the public entry form, and take an entry from it. No account is needed."""
    form = EntryForm(request.POST or None, event=event)
    context: dict[str, Any] = {"form": form}
    try:
        refuse_shut(event, BY_FORM, timezone.now())
    except NotAllowed as refusal:
        return render(
            request,
            "tournament/registration/register.html",
            {"shut": refusal},
            status=200 if request.method == "GET" else 403,
        )
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(_entered(request, event, form))
        except DomainError as refusal:
            form.add_error(refusal.data.get("field"), refusal.message)
            context["already"] = refusal.code == "already-entered"
    waiting = event.entrants.filter(state=Entrant.State.WAITING).count()
    context |= {"free": free_places(event), "waiting": waiting, "terms": entry_terms(event, timezone.now())}
    return render(request, "tournament/registration/register.html", context, status=422 if form.errors else 200)


def _entered(request: HttpRequest, event: Event, form: EntryForm) -> str:
    entrant = enter(
        event,
        form.entry(),
        by=BY_FORM,
        key=form.cleaned_data["key"],
        site=site_of(request),
        told=partial(_tell_of_mail, request),
    )
    place = {"tournament": event.tournament.slug, "event": event.slug, "token": entrant.token}
    return reverse("tournament:registered", kwargs=place)


def _tell_of_mail(request: HttpRequest, handed_over: bool) -> None:
    if handed_over:
        messages.success(request, _("The link is on its way by email, too."))
    else:
        messages.warning(request, _("The email with your link could not be sent. Save the link on this page."))


@never_cache
@public_event
def registered(request: HttpRequest, event: Event, token: str) -> HttpResponse:
    """Show the new private link with its QR code, and the code for signing."""
    entrant = load_entrant(token)
    if entrant.event_id != event.pk:
        raise NotFound("no-entrant", _("This entry is in another event. Open the entry page of that event again."))
    link = private_link(request, entrant)
    context = {
        "entrant": entrant,
        "link": link,
        "qr": qr_of(link),
        "waits": why_waiting(entrant),
        "seeks": why_seeking(entrant),
        "account": account_of(entrant),
        "offers": offers_for(entrant),
        "key": uuid.uuid4().hex,
    }
    return render(request, "tournament/registration/registered.html", context)
