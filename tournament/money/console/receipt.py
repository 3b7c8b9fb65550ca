import io

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pdf.names import paper_name
from tournament.core.pdf.paper import PAPERS
from tournament.core.selectors.papers import last_paper
from tournament.models import Event
from tournament.money.pdf.receipt import write_receipt
from tournament.money.selectors.ledger import account_of, lines_of


@console_event("desk")
def receipt(request: ActorRequest, event: Event, number: int) -> HttpResponse:
    entrant = get_object_or_404(event.entrants.select_related("event__tournament"), number=number)
    paper = request.GET.get("paper") or last_paper(event.tournament)
    target = io.BytesIO()
    lines = list(lines_of(entrant).select_related("movement", "corrects"))
    write_receipt(target, entrant, account_of(entrant), lines, paper=paper if paper in PAPERS else "letter")
    name = paper_name(event.tournament, event.slug, f"receipt-entry-{entrant.number}", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)
