"""Download the log of a tournament as a file. A copy stored elsewhere reveals later changes made here."""

from django.http import HttpResponse

from scoring.seals.selectors.log_files import write_log_file
from tournament.core.pages.access import ActorRequest, console_tournament
from tournament.models import Tournament


@console_tournament("desk")
def log_file(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    return HttpResponse(
        write_log_file(tournament),
        content_type="application/jsonl",
        headers={"Content-Disposition": f'attachment; filename="log-{tournament.slug}.jsonl"'},
    )
