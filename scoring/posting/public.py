"""The public page that shows the settlement between players."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from scoring.posting.pdf import load_settlement
from tournament.core.pages.access import public_event_view
from tournament.core.pages.following import cached_by_version
from tournament.errors import NotFound
from tournament.models import Event


@public_event_view
@cached_by_version
def show_settlement(request: HttpRequest, event: Event) -> HttpResponse:
    if event.settlement != Event.Settlement.PUBLIC:
        raise NotFound("no-settlement", _("Player settlement is not shown for this event. Ask the director."))
    return render(request, "scoring/posting/settlement/public.html", {"settlement": load_settlement(event)})
