"""The director's page *Second laptop*: add one, see whether it has everything, and work alone again."""

from typing import cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import find_site_url, make_qr_data_uri, render_confirmation
from tournament.core.permissions import may_direct_installation, require_installation_permission
from tournament.models import Tournament, User
from tournament.second_laptop.selectors import (
    LaptopRole,
    count_seconds_behind,
    describe_link_problem,
    read_following_status,
    read_link,
    read_link_problem,
)
from tournament.second_laptop.services.roles import offer_pairing, read_offer, remove_second_laptop


@staff_tournament_view("direct")
def second_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    """Show the second laptop, or the six words for adding one. A request from the open page refreshes it if needed."""
    if request.method == "POST":
        offer_pairing(by=request.actor)
        return redirect("tournament:desk_second_laptop", tournament=tournament.slug)
    link, status = read_link(), read_following_status()
    may_change = may_direct_installation(cast(User, request.user))
    offer = read_offer() if may_change else None
    is_first = link is not None and link.role is LaptopRole.FIRST
    shown = f"{is_first}-{status.is_connected}-{offer.made_at if offer else 0}"
    if getattr(request, "htmx", False) and request.GET.get("shown") != shown:
        return HttpResponseClientRefresh()
    link_address = f"{urlsplit(find_site_url(request)).hostname or ''}:{settings.LINK_PORT}"
    context = {
        "shown": shown,
        "is_first": is_first,
        "may_change": may_change,
        "offer": offer,
        "link_address": link_address,
        "qr": make_qr_data_uri(f"{link_address} {offer.words}") if offer is not None else "",
        "status": status,
        "problem": describe_link_problem(read_link_problem()),
        "behind": count_seconds_behind() if is_first else 0,
        "can_follow": settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3",
    }
    return render(request, "tournament/second_laptop/second_laptop.html", context)


@staff_tournament_view("direct")
def remove_second_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    back = reverse("tournament:desk_second_laptop", args=[tournament.slug])
    require_installation_permission(request.actor)
    if request.method == "POST":
        remove_second_laptop(by=request.actor)
        messages.success(request, _("This laptop works alone now."))
        return redirect(back)
    return render_confirmation(
        request,
        title=_("Work with one laptop again?"),
        text=_("From then on, everything that is recorded is only on this laptop."),
        happens=(
            _("The second laptop keeps what it has, but gets nothing new."),
            _("To use it again, you add it again. It then gets a new copy of everything."),
        ),
        label=_("Work with one laptop again"),
        danger=True,
        back=back,
    )
