from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from tournament.above import stages
from tournament.core.pages.access import public_event
from tournament.core.pages.caching import kept_by_version
from tournament.core.pages.following import follows
from tournament.core.selectors.events import load_tournament
from tournament.core.tables.paging import listed
from tournament.models import Event
from tournament.models.topic import ENTRANTS
from tournament.people.selectors import entries_of, load_player
from tournament.registration.selectors.entrants import load_public_entrants
from tournament.registration.selectors.sites import sites_of
from tournament.registration.tables import PublicEntrantTable
from tournament.spreadsheets import site_named

ROWS_A_PAGE = 64
"""The number of cards that is comfortable to scroll through on a phone. Readers can search for a name."""


@public_event
@follows(ENTRANTS)
@kept_by_version
def entrants(request: HttpRequest, event: Event) -> HttpResponse:
    wanted = request.GET.get("q", "").strip()
    sites = sites_of(event)
    site = site_named(sites, request.GET.get("site", ""))
    table = PublicEntrantTable(load_public_entrants(event, search=wanted, site=site), event=event)
    kept = urlencode({"site": site}) + "&" if site else ""
    download = listed(request, table, f"{event.slug}-entrants", rows=ROWS_A_PAGE, kept=kept)
    if download is not None:
        return download
    return render(request, "tournament/registration/public.html", {"table": table, "sites": sites, "site": site})


def player(request: HttpRequest, tournament: str, pk: int) -> HttpResponse:
    """Show a person's entries in this tournament. A merged record redirects to the record that remains."""
    found = load_tournament(tournament)
    person = load_player(found, pk)
    if person.pk != pk:
        return redirect("tournament:player", tournament=found.slug, pk=person.pk, permanent=False)
    entries = [(entry, stages().seat_address(entry)) for entry in entries_of(found, person)]
    context = {"tournament": found, "player": person, "entries": entries}
    return render(request, "tournament/registration/public_player.html", context)
