"""The page *This laptop*, and the information that pages of the other laptop may read.

The page is only available on the laptop's own screen. It shows whether this laptop is up to date, and lets a person
take over.
"""

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRefresh

from tournament.core.pages.access import is_request_from_this_computer
from tournament.core.permissions import may_direct_installation
from tournament.core.selectors.epochs import load_own_epoch
from tournament.core.selectors.installation import load_installation
from tournament.core.words import describe_log_verb
from tournament.errors import NotFound
from tournament.models import AuditEntry, Event, Installation, Tournament
from tournament.second_laptop.live import describe_laptop
from tournament.second_laptop.pages import serve_emergency_sheet
from tournament.second_laptop.selectors import (
    READ_ONLY_ROLES,
    LaptopLink,
    LaptopRole,
    LinkProblem,
    describe_link_problem,
    get_replaced_link_file,
    has_own_tournaments,
    is_takeover_requested,
    load_entries_since_change,
    may_follow_another_laptop,
    parse_link_problem,
    read_joining_state,
    read_link,
    read_link_problem,
    read_second_laptop_status,
)
from tournament.second_laptop.services.roles import (
    NotSecondLaptop,
    change_first_laptop_address,
    request_joining,
    request_take_over,
)


class _AddressForm(forms.Form):
    address = forms.CharField(
        label=gettext_lazy("Address of the first laptop"),
        help_text=gettext_lazy("As its page “Second laptop” shows it, such as 192.168.1.20:8002"),
        max_length=200,
    )

    def clean_address(self) -> str:
        address = str(self.cleaned_data["address"]).strip()
        host, _colon, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise forms.ValidationError(_("Enter the address with its port, such as 192.168.1.20:8002."))
        return address


class _JoinForm(_AddressForm):
    words = forms.CharField(label=gettext_lazy("The six words"), max_length=200)

    def clean_words(self) -> str:
        words = str(self.cleaned_data["words"]).split()
        if len(words) != 6:
            raise forms.ValidationError(_("Enter all six words, with spaces between them."))
        return " ".join(words)


@require_http_methods(["GET", "POST"])
def show_this_laptop(request: HttpRequest) -> HttpResponse:
    """Show this laptop's role, and let a person at this laptop take over or follow another one.

    The open page polls this view, and is refreshed if the role has changed.

    Raises:
        NotFound: the request came from another computer.
        Conflict: following another laptop would replace tournaments that only this laptop has.
    """
    _require_own_screen(request)
    link, joining, directs_installation = read_link(), read_joining_state(), _directs_installation(request)
    act, initial = request.POST.get("act"), {"address": joining.get("address") or (link.address if link else "")}
    form = _JoinForm(request.POST if act == "join" else None, initial=initial)
    address_form = _AddressForm(request.POST if act == "address" else None, initial=initial, prefix="new")
    if form.is_bound and form.is_valid():
        request_joining(**form.cleaned_data, directs_installation=directs_installation)
        return redirect("tournament:this_laptop")
    if address_form.is_bound and address_form.is_valid():
        change_first_laptop_address(address_form.cleaned_data["address"])
        return redirect("tournament:this_laptop")
    if act == "take-over":
        try:
            request_take_over()
        except NotSecondLaptop:
            messages.error(request, _("This laptop follows no other one, so there is nothing to take over."))
        return redirect("tournament:this_laptop")
    can_join = may_follow_another_laptop(directs_installation=directs_installation)
    shown = f"{link.role if link else ''}-{can_join}-{is_takeover_requested()}"
    if getattr(request, "htmx", False) and request.GET.get("shown", shown) != shown:
        return HttpResponseClientRefresh()
    installation = load_installation()
    context = {
        "shown": shown,
        "role": link.role.value if link is not None else "",
        "is_taking_over": is_takeover_requested(),
        "is_disk_full": read_link_problem() is LinkProblem.DISK_FULL,
        "has_taken_over": installation is not None and installation.origin == Installation.Origin.TAKEN_OVER,
        "is_replaced_laptop_unaware": read_link(get_replaced_link_file()) is not None,
        "form": form,
        "address_form": address_form,
        "may_join": can_join,
        "is_joining": bool(joining.get("words")),
        "problem": describe_link_problem(read_link_problem()),
        "join_problem": describe_link_problem(parse_link_problem(joining.get("failure", ""))),
        "status": read_second_laptop_status(),
        "time_zone": Tournament.objects.order_by("is_demo", "-pk").values_list("time_zone", flat=True).first() or "",
        "has_data": has_own_tournaments(),
        "lost": _load_lost_entries(link),
        "is_loss_unknown": link is not None and not link.key,
        "move": _describe_move() if link is None or link.role not in READ_ONLY_ROLES else {},
    }
    template = "tournament/second_laptop/this_laptop.html"
    response = render(request, template, context, status=422 if form.errors or address_form.errors else 200)
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def print_sheet_of_this_laptop(request: HttpRequest) -> HttpResponse:
    """Return the sheet *When the laptop dies* for the newest tournament.

    Raises:
        NotFound: the request came from another computer.
    """
    _require_own_screen(request)
    return serve_emergency_sheet(request, Tournament.objects.order_by("is_demo", "-pk").first())


def _require_own_screen(request: HttpRequest) -> None:
    if not is_request_from_this_computer(request):
        message = _("Only the second laptop itself shows this page. Open it on that laptop’s own screen.")
        raise NotFound("not-here", message)


def _directs_installation(request: HttpRequest) -> bool:
    return request.user.is_authenticated and may_direct_installation(request.user)


def _load_lost_entries(link: LaptopLink | None) -> list[tuple[AuditEntry, str]]:
    """Return the log rows that the laptop that took over never received, each with a description of its action.

    The result is empty unless this laptop was shut out.
    """
    if link is None or link.role is not LaptopRole.SHUT_OUT:
        return []
    entries = load_entries_since_change(link.change)
    return [(entry, describe_log_verb(entry.verb)) for entry in entries]


TAKEOVER_NOTICE_DURATION: Final = timedelta(days=7)
"""How long after a takeover the page *This laptop* explains how this laptop can get the first laptop's address."""


def _describe_move() -> dict[str, Any]:
    """Return what the page needs to explain how this laptop can get the address of the laptop that it replaced.

    This is needed because posters still show the old address. The result contains the addresses of both laptops, and
    the events that are not over. It is empty if this laptop did not take over within the last
    `TAKEOVER_NOTICE_DURATION`.
    """
    installation = load_installation()
    if installation is None or installation.origin != Installation.Origin.TAKEN_OVER:
        return {}
    if installation.at < timezone.now() - TAKEOVER_NOTICE_DURATION:
        return {}
    events = Event.objects.exclude(state__in=[Event.State.DRAFT, Event.State.FINISHED, Event.State.CALLED_OFF])
    return {
        "first_address": installation.came_from.rpartition(":")[0],
        "own_address": settings.SITE_URL,
        "events": events.filter(tournament__is_demo=False).select_related("tournament").order_by("pk"),
    }


# --- For pages of the other laptop ------------------------------------------------------------------------------------


@require_safe
def laptop_state(request: HttpRequest) -> JsonResponse:
    """Return this laptop's role, installation and epoch.

    This is the only response that pages from another address may read (CORS). It is the same for everybody, and needs
    no cookies.
    """
    headers = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-cache"}
    return JsonResponse(describe_laptop(load_own_epoch()), headers=headers)
