import uuid
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_ratelimit.decorators import ratelimit

from tournament.core.dispatch import hand_over
from tournament.core.pages.access import public_event
from tournament.core.pages.links import private_link, qr_of, site_of
from tournament.core.permissions import Actor
from tournament.core.selectors.events import load_entrant
from tournament.errors import DomainError, NotAllowed, NotFound
from tournament.models import Entrant, Event
from tournament.money.providers import offers_for
from tournament.money.selectors.ledger import account_of
from tournament.registration.forms import EntryForm, LinkAgainForm
from tournament.registration.selectors.entrants import free_places, why_waiting
from tournament.registration.selectors.partners import half_fee, why_seeking
from tournament.registration.services.entrants import enter, refuse_shut

BY_FORM: Final = Actor("the public form")


@never_cache
@public_event
@require_http_methods(["GET", "POST"])
def register(request: HttpRequest, event: Event) -> HttpResponse:
    """The page of an entry; no account is needed."""
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
    context |= {"free": free_places(event), "waiting": waiting, "half": half_fee(event)}
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
    """What to keep: the private link, also to photograph, and the code for signing."""
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


@never_cache
@ratelimit(key="ip", rate="60/h", method="POST", block=False)
@public_event
def link_again(request: HttpRequest, event: Event) -> HttpResponse:
    """The same answer whether the address is known or not."""
    form = LinkAgainForm(request.POST or None)
    sent, status = False, 200
    limited = request.method == "POST" and getattr(request, "limited", False)
    if limited:
        form.add_error(None, _("Too many links have been requested from here. Wait an hour, or ask the director."))
        status = 429
    elif request.method == "POST" and settings.MAIL_IS_SET and form.is_valid():
        address = form.cleaned_data["email"]
        sent = hand_over(
            "tournament.send_links",
            event_id=event.pk,
            email=address,
            site=site_of(request),
            language=get_language(),
        )
        if not sent:
            form.add_error(
                None,
                _("The email could not be sent. Try again in a few minutes, or ask the director for your link."),
            )
            status = 409
    context = {"form": form, "sent": sent, "mail": settings.MAIL_IS_SET}
    return render(request, "tournament/registration/link_again.html", context, status=status)
