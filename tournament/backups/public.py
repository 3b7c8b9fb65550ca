"""The page that shows a director the outcome of the restore that they requested."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tournament.backups.selectors import read_restore_outcome, read_restore_request
from tournament.errors import NotFound


@require_GET
def restore_outcome(request: HttpRequest, pk: str) -> HttpResponse:
    """Show that the restore is in progress, and then show its outcome.

    The URL contains a random key in place of a sign-in, because the restored database may not have the director's
    session. The page does not use the database, so it also works while the program starts with the restored database.
    """
    asked, outcome = read_restore_request(), read_restore_outcome()
    if asked is not None and asked.pk == pk:
        context: dict[str, object] = {"is_takeover": asked.is_takeover}
    elif outcome is not None and outcome.request.pk == pk:
        made_at = datetime.fromisoformat(outcome.request.made_at)
        context = {
            "outcome": outcome,
            "is_takeover": outcome.request.is_takeover,
            "made_at": made_at,
            "time_zone": outcome.request.time_zone,
        }
    else:
        raise NotFound("no-restore", _("There is no restore at this address. Open the page Backups."))
    response = render(request, "tournament/backups/restore_outcome.html", context)
    response["Cache-Control"] = "private, no-store"
    return response
