"""The director's page *Second laptop*: add one, see whether it has everything, and work alone again."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from tournament.core.pages.access import ActorRequest, staff_tournament_view
from tournament.core.pages.responses import find_site_url, make_qr_data_uri
from tournament.models import Tournament
from tournament.second_laptop.selectors import LaptopRole, count_seconds_behind, read_following_status, read_link
from tournament.second_laptop.services import offer_pairing, read_offer, remove_link, stop_recording_changes

MAX_LISTED_ENTRIES = 50


@staff_tournament_view("direct")
def second_laptop_page(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    address = reverse("tournament:desk_second_laptop", args=[tournament.slug])
    if request.method == "POST":
        if request.POST.get("act") == "add":
            offer_pairing()
        elif request.POST.get("act") == "alone":
            remove_link()
            stop_recording_changes()
        return redirect(address)
    link, offer = read_link(), read_offer()
    host = urlsplit(find_site_url(request)).hostname or ""
    link_address = f"{host}:{settings.LINK_PORT}"
    context = {
        "link": link,
        "is_first": link is not None and link.role is LaptopRole.FIRST,
        "offer": offer,
        "link_address": link_address,
        "qr": make_qr_data_uri(f"{link_address} {offer.words}") if offer is not None else "",
        "status": read_following_status(),
        "behind": count_seconds_behind(),
        "can_follow": settings.DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3",
    }
    return render(request, "tournament/second_laptop/second_laptop.html", context)
