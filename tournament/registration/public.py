"""Public registration pages: the entry form, the entrant list, player pages, and recovery of private links."""

import secrets
import uuid
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_ratelimit.decorators import ratelimit

from tournament.core.dispatch import send_task
from tournament.core.pages.access import load_remembered_entrants, public_event_view
from tournament.core.pages.following import cached_by_version, follow_topics, follows_topics
from tournament.core.pages.responses import find_site_url, make_private_link, make_qr_data_uri
from tournament.core.permissions import Actor
from tournament.core.selectors.copies import sends_email
from tournament.core.selectors.events import load_entrant, load_tournament
from tournament.core.services.record import get_action_time
from tournament.core.tables.lists import NAME_CELL_ATTRS, ORDER_BY_FAMILY_NAME, configure_or_export_list
from tournament.errors import DomainError, NotAllowed, NotFound
from tournament.models import Entrant, Event, LinkRequest
from tournament.models.registration import get_lost_link_request_topic
from tournament.models.topic import ENTRANTS_TOPIC
from tournament.money.providers import load_payment_options
from tournament.money.selectors.ledger import load_entry_account
from tournament.ports import stage_provider
from tournament.registration.forms import EntryForm
from tournament.registration.selectors.entries import (
    PublicEntrantRow,
    count_free_places,
    list_sites,
    load_public_entrants,
    make_entry_terms,
    make_partner_seeker_context,
    make_waiting_list_context,
)
from tournament.registration.selectors.people import (
    find_link_request_by_browser,
    has_link_request_expired,
    is_approved_link_visible,
    load_player,
    load_public_entries,
)
from tournament.registration.services.entries import add_entry, require_registration_open
from tournament.registration.services.people import digest_secret, request_link
from tournament.spreadsheets import find_site_by_name
from tournament.templatetags.gin import render_badge

PUBLIC_FORM_ACTOR: Final = Actor("the public form")


@never_cache
@public_event_view
@require_http_methods(["GET", "POST"])
def register(request: HttpRequest, event: Event) -> HttpResponse:
    form = EntryForm(request.POST or None, event=event)
    context: dict[str, Any] = {"form": form}
    try:
        require_registration_open(event, PUBLIC_FORM_ACTOR, get_action_time())
    except NotAllowed as refusal:
        return render(
            request,
            "tournament/registration/register.html",
            {"shut": refusal},
            status=200 if request.method == "GET" else 403,
        )
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(_create_entry(request, event, form))
        except DomainError as refusal:
            form.add_error(refusal.data.get("field"), refusal.message)
            context["already"] = refusal.code == "already-entered"
    waiting = event.entrants.filter(state=Entrant.State.WAITING).count()
    context |= {"free": count_free_places(event), "waiting": waiting, "terms": make_entry_terms(event, timezone.now())}
    return render(request, "tournament/registration/register.html", context, status=422 if form.errors else 200)


def _create_entry(request: HttpRequest, event: Event, form: EntryForm) -> str:
    """Create the entry, and return the URL of the page with its private link."""

    def flash(is_mail_sent: bool) -> None:
        if is_mail_sent:
            messages.success(request, _("The link is on its way by email, too."))
        else:
            messages.warning(request, _("The email with your link could not be sent. Save the link on this page."))

    entrant = add_entry(
        event,
        form.make_entry_request(),
        by=PUBLIC_FORM_ACTOR,
        key=form.cleaned_data["key"],
        site=find_site_url(request),
        report=flash,
    )
    place = {"tournament": event.tournament.slug, "event": event.slug, "token": entrant.token}
    return reverse("tournament:registered", kwargs=place)


@never_cache
@public_event_view
def show_new_entry(request: HttpRequest, event: Event, token: str) -> HttpResponse:
    """Show a new entry's private link with its QR code, and the signing code."""
    entrant = load_entrant(token)
    if entrant.event_id != event.pk:
        raise NotFound("no-entrant", _("This entry is in another event. Open the entry page of that event again."))
    link = make_private_link(request, entrant)
    context = {
        "entrant": entrant,
        "link": link,
        "qr": make_qr_data_uri(link),
        "waits": make_waiting_list_context(entrant),
        "seeks": make_partner_seeker_context(entrant),
        "account": load_entry_account(entrant),
        "offers": load_payment_options(entrant),
        "key": uuid.uuid4().hex,
    }
    return render(request, "tournament/registration/registered.html", context)


class PublicEntrantTable(tables.Table):
    """The public entrant list, without email addresses and phone numbers."""

    number = tables.Column(verbose_name=gettext_lazy("No."))
    name = tables.Column(verbose_name=gettext_lazy("Name"), order_by=ORDER_BY_FAMILY_NAME)
    club = tables.Column(verbose_name=gettext_lazy("Club or city"), attrs=NAME_CELL_ATTRS)
    site = tables.Column(verbose_name=gettext_lazy("Site"), attrs=NAME_CELL_ATTRS)
    state = tables.Column(verbose_name=gettext_lazy("State"))

    search_field = "q"
    search_label = gettext_lazy("Search names and clubs")
    row_header = "name"

    class Meta:
        model = Entrant
        fields = ("number", "name", "club", "site", "state")
        # The rows come sorted by family name. Sorting them again would cost as much as writing them.
        empty_text = gettext_lazy("No players on this list.")

    def __init__(self, *args: object, event: Event, **options: object) -> None:
        address = reverse("tournament:player", kwargs={"tournament": event.tournament.slug, "pk": 0})
        self.before, self.after = address.rsplit("0", 1)
        self.state_cells = {state: render_badge(state) for state in Entrant.State.values}
        super().__init__(*args, exclude=() if list_sites(event) else ("site",), **options)

    def render_number(self, value: int) -> str:
        return str(value)

    def value_number(self, value: int) -> int:
        return value

    def render_name(self, record: PublicEntrantRow) -> SafeString | str:
        if record.first_player is None:
            return record.name
        return SafeString(f'<a href="{self.before}{record.first_player:d}{self.after}">{escape(record.name)}</a>')

    def value_name(self, record: PublicEntrantRow) -> str:
        return record.name

    def render_state(self, record: PublicEntrantRow) -> SafeString:
        return self.state_cells[record.state]

    def value_state(self, record: PublicEntrantRow) -> str:
        return str(Entrant.State(record.state).label)


ROWS_PER_PAGE = 64
"""Rows per page, a number that is comfortable to scroll through on a phone."""


@public_event_view
@follows_topics(ENTRANTS_TOPIC)
@cached_by_version
def entrants(request: HttpRequest, event: Event) -> HttpResponse:
    wanted = request.GET.get("q", "").strip()
    sites = list_sites(event)
    site = find_site_by_name(sites, request.GET.get("site", ""))
    table = PublicEntrantTable(load_public_entrants(event, search=wanted, site=site), event=event)
    kept = urlencode({"site": site}) + "&" if site else ""
    download = configure_or_export_list(request, table, f"{event.slug}-entrants", rows=ROWS_PER_PAGE, link_query=kept)
    if download is not None:
        return download
    return render(request, "tournament/registration/public.html", {"table": table, "sites": sites, "site": site})


def player(request: HttpRequest, tournament: str, pk: int) -> HttpResponse:
    """Show a player's entries in this tournament. If the record was merged, redirect to the remaining record."""
    loaded = load_tournament(tournament)
    person = load_player(loaded, pk)
    if person.pk != pk:
        return redirect("tournament:player", tournament=loaded.slug, pk=person.pk, permanent=False)
    entries = [
        (entry, stage_provider().find_seat_assignments_url(entry)) for entry in load_public_entries(loaded, person)
    ]
    context = {"tournament": loaded, "player": person, "entries": entries}
    return render(request, "tournament/registration/public_player.html", context)


# --- Recovery of a private link --------------------------------------------------------------------------------------
# A player gets the link back from the browser's session, by email, or with the desk's approval.

LINK_REQUESTS_SESSION_KEY: Final = "asked_for_link"
"""The session key of a dictionary from event primary keys to the secrets of this browser's link requests."""


@never_cache
@public_event_view
def redirect_to_entrant_page(request: HttpRequest, event: Event) -> HttpResponse:
    """Redirect “My page” to the player's page, or to link recovery if this browser has not opened a private link.

    If the browser has opened several private links, show a list of them.
    """
    entrants = load_remembered_entrants(request, event)
    if len(entrants) == 1:
        return redirect("tournament:my", token=entrants[0].token)
    if entrants:
        return render(request, "tournament/registration/mine.html", {"entrants": entrants})
    return redirect("tournament:link_again", tournament=event.tournament.slug, event=event.slug)


class _LinkByMailForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("Email you entered with"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class _LinkRequestForm(forms.Form):
    """A form in which a player who lost their private link tells the desk who they are."""

    name = forms.CharField(
        label=gettext_lazy("Your name"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )
    phone_end = forms.RegexField(
        r"^\d{4}$",
        label=gettext_lazy("Last four digits of your phone number"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "maxlength": "4"}),
        error_messages={"invalid": gettext_lazy("Enter the last four digits only, such as 4477.")},
    )
    birth_year = forms.IntegerField(
        label=gettext_lazy("Year you were born"),
        required=False,
        min_value=1900,
        max_value=2100,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "maxlength": "4"}),
        error_messages={"invalid": gettext_lazy("Enter the year as four digits, such as 1951.")},
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not self.errors and not cleaned.get("phone_end") and not cleaned.get("birth_year"):
            self.add_error("phone_end", _("Enter the digits of your phone number, or the year you were born."))
        return cleaned


@never_cache
@ratelimit(key="ip", rate="60/h", method="POST", block=False)
@public_event_view
def recover_link(request: HttpRequest, event: Event) -> HttpResponse:
    """Accept requests for lost links. The response never reveals whether an email address or name is known."""
    secret = request.session.get(LINK_REQUESTS_SESSION_KEY, {}).get(str(event.pk))
    own = find_link_request_by_browser(event, digest_secret(secret)) if secret else None
    state = _make_link_request_context(request, event, own)
    by_desk, is_mail_set = request.POST.get("way") == "desk", sends_email(event.tournament)
    mail_form = _LinkByMailForm(None if by_desk else request.POST or None)
    desk_form = _LinkRequestForm(request.POST if by_desk else None)
    form, sent, status = (desk_form if by_desk else mail_form), False, 200
    if request.method == "POST" and getattr(request, "limited", False):
        form.add_error(None, _("Too many links have been requested from here. Wait an hour, or ask the director."))
        status = 429
    elif by_desk and state["stands"] != "waits" and desk_form.is_valid():
        try:
            fresh = secrets.token_urlsafe(24)
            request_link(event, **desk_form.cleaned_data, secret=fresh)
            request.session[LINK_REQUESTS_SESSION_KEY] = {
                **request.session.get(LINK_REQUESTS_SESSION_KEY, {}),
                str(event.pk): fresh,
            }
        except DomainError as refusal:
            desk_form.add_error(None, refusal.message)
            status = 409
        else:
            return redirect("tournament:link_again", tournament=event.tournament.slug, event=event.slug)
    elif request.method == "POST" and not by_desk and is_mail_set and mail_form.is_valid():
        sent = send_task(
            "tournament.send_links",
            event_id=event.pk,
            email=mail_form.cleaned_data["email"],
            site=find_site_url(request),
            language=get_language(),
        )
        if not sent:
            mail_form.add_error(
                None, _("The email could not be sent. Try again in a few minutes, or ask the director for your link.")
            )
            status = 409
    context: dict[str, Any] = {"form": mail_form, "desk_form": desk_form, "sent": sent, "mail": is_mail_set}
    return render(request, "tournament/registration/link_again.html", context | state, status=status)


def _make_link_request_context(request: HttpRequest, event: Event, own: LinkRequest | None) -> dict[str, Any]:
    """Return template context with the state of this browser's latest link request."""
    if own is None:
        follow_topics(request, event)
        return {"stands": "", "asked": None}
    follow_topics(request, event, get_lost_link_request_topic(own.pk))
    answer, now = getattr(own, "answer", None), timezone.now()
    if answer is None:
        return {"stands": "over" if has_link_request_expired(own, now) else "waits", "asked": own}
    if answer.entrant is None:
        return {"stands": "refused", "asked": own}
    if not is_approved_link_visible(answer, now):
        return {"stands": "over", "asked": own, "answer": None}
    return {"stands": "approved", "asked": own, "answer": answer}
