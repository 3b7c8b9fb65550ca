"""Public pages that lead players back to their own page: by browser session, by email, or by the desk's approval."""

import secrets
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_ratelimit.decorators import ratelimit

from tournament.core.dispatch import hand_over
from tournament.core.pages.access import public_event
from tournament.core.pages.following import follow
from tournament.core.pages.links import site_of
from tournament.core.pages.remembered import load_remembered
from tournament.errors import DomainError
from tournament.models import Event, LinkRequest
from tournament.models.entrant import link_topic
from tournament.registration.forms import LinkAgainForm, LinkRequestForm
from tournament.registration.selectors.links import find_own_request, has_expired, is_shown
from tournament.registration.services.links import ask_for_link, digest_secret

ASKED: Final = "asked_for_link"
"""Session key of a dict from the event's primary key to the secret of this browser's request."""


@never_cache
@public_event
def mine(request: HttpRequest, event: Event) -> HttpResponse:
    """Redirect “My page” to the page whose link this browser opened, or to the page that recovers a link."""
    found = load_remembered(request, event)
    if len(found) == 1:
        return redirect("tournament:my", token=found[0].token)
    if found:
        return render(request, "tournament/registration/mine.html", {"entrants": found})
    return redirect("tournament:link_again", tournament=event.tournament.slug, event=event.slug)


@never_cache
@ratelimit(key="ip", rate="60/h", method="POST", block=False)
@public_event
def link_again(request: HttpRequest, event: Event) -> HttpResponse:
    """Take requests for a lost link. The answers never reveal whether an address or a name is known."""
    own = _own_request(request, event)
    stands = _stands(request, event, own)
    by_desk = request.POST.get("way") == "desk"
    mail_form = LinkAgainForm(None if by_desk else request.POST or None)
    desk_form = LinkRequestForm(request.POST if by_desk else None)
    form, sent, status = (desk_form if by_desk else mail_form), False, 200
    if request.method == "POST" and getattr(request, "limited", False):
        form.add_error(None, _("Too many links have been requested from here. Wait an hour, or ask the director."))
        status = 429
    elif by_desk and stands["stands"] != "waits" and desk_form.is_valid():
        try:
            _ask(request, event, desk_form)
        except DomainError as refusal:
            desk_form.add_error(None, refusal.message)
            status = 409
        else:
            return redirect("tournament:link_again", tournament=event.tournament.slug, event=event.slug)
    elif request.method == "POST" and not by_desk and settings.MAIL_IS_SET and mail_form.is_valid():
        sent = hand_over(
            "tournament.send_links",
            event_id=event.pk,
            email=mail_form.cleaned_data["email"],
            site=site_of(request),
            language=get_language(),
        )
        if not sent:
            mail_form.add_error(
                None,
                _("The email could not be sent. Try again in a few minutes, or ask the director for your link."),
            )
            status = 409
    context: dict[str, Any] = {"form": mail_form, "desk_form": desk_form, "sent": sent, "mail": settings.MAIL_IS_SET}
    return render(request, "tournament/registration/link_again.html", context | stands, status=status)


def _own_request(request: HttpRequest, event: Event) -> LinkRequest | None:
    """Return the last request of this browser, or None. A refused request counts until the browser asks again."""
    secret = request.session.get(ASKED, {}).get(str(event.pk))
    return find_own_request(event, digest_secret(secret)) if secret else None


def _stands(request: HttpRequest, event: Event, own: LinkRequest | None) -> dict[str, Any]:
    if own is None:
        follow(request, event)
        return {"stands": "", "asked": None}
    follow(request, event, link_topic(own.pk))
    answer, now = getattr(own, "answer", None), timezone.now()
    if answer is None:
        return {"stands": "over" if has_expired(own, now) else "waits", "asked": own}
    if answer.entrant is None:
        return {"stands": "refused", "asked": own}
    shown = is_shown(answer, now)
    return {"stands": "approved" if shown else "over", "asked": own, "answer": answer if shown else None}


def _ask(request: HttpRequest, event: Event, form: LinkRequestForm) -> None:
    secret = secrets.token_urlsafe(24)
    ask_for_link(event, form.asked(), secret=secret)
    request.session[ASKED] = {**request.session.get(ASKED, {}), str(event.pk): secret}
