from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.posting.services.rounds import begin_round
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event


@require_POST
@console_event("direct")
def begin(request: ActorRequest, event: Event) -> HttpResponse:
    seating = begin_round(event, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Round %(round)s is posted, and its score cards are open.") % {"round": seating.round})
    return redirect("pairing:desk_seatings", tournament=event.tournament.slug, event=event.slug)
