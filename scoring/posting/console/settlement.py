"""The director's page of the settlement between players, with its files and its paper."""

import io

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.posting.pdf.settlement import FILES, load_settlement, write_settlement
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pdf.lists import paper_name
from tournament.core.pdf.paper import PAPERS
from tournament.core.selectors.events import last_paper
from tournament.core.tables.lists import TYPES, as_file
from tournament.errors import NotFound
from tournament.models import Event


@console_event("direct")
def settlement(request: ActorRequest, event: Event) -> HttpResponse:
    _require_switched_on(event)
    found, kind, listed = load_settlement(event), request.GET.get("_export", ""), request.GET.get("list", "")
    if kind in TYPES and listed in FILES:
        rows = list(FILES[listed](found, event.tournament.currency))
        return as_file(kind, rows, f"{event.slug}-settlement-{listed}")
    return render(request, "scoring/posting/settlement/console.html", {"settlement": found})


@console_event("direct")
def printed(request: ActorRequest, event: Event) -> HttpResponse:
    _require_switched_on(event)
    paper = request.GET.get("paper") or last_paper(event.tournament)
    target = io.BytesIO()
    write_settlement(target, event, load_settlement(event), paper=paper if paper in PAPERS else "letter")
    name = paper_name(event.tournament, event.slug, "settlement", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)


def _require_switched_on(event: Event) -> None:
    if event.settlement == Event.Settlement.OFF:
        message = _("Player settlement is off for this event. Switch it on under Settings, if it is lawful.")
        raise NotFound("no-settlement", message)
