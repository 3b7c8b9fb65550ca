"""The style guide at /styleguide/, for staff, with the variants `?frame=phone` and `?frame=wall`."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tournament.above import OwnNext
from tournament.core.pages.access import signed_in
from tournament.core.tables.paging import Paging
from tournament.styleguide import pages as samples
from tournament.styleguide.forms import SampleForm
from tournament.styleguide.tables import SampleTable


@signed_in
def styleguide(request: HttpRequest) -> HttpResponse:
    if request.GET.get("frame") == "wall":
        return render(request, "tournament/styleguide/wall.html", _frame() | {"matches": samples.matches() * 6})
    base = "base.html" if request.GET.get("frame") == "phone" else "base_console.html"
    return render(request, "tournament/styleguide/console.html", {"base": base} | _frame() | _parts(request))


def _frame() -> dict[str, Any]:
    return {
        "tournament": samples.TOURNAMENT,
        "event": {"name": "Singles"},
        "console_nav": samples.console_nav(),
        "site_nav": samples.site_nav(),
    }


def _parts(request: HttpRequest) -> dict[str, Any]:
    table = SampleTable(samples.entrants())
    Paging(request, 8).configure(table)
    now = datetime.now(UTC)
    return {
        "matches": samples.matches(),
        "rounds": samples.rounds(),
        "path": {"label": "My path", "matches": samples.matches()[:2]},
        "sheet": samples.sheet(),
        "names": ["Ada Lovelace", "Alan Turing"],
        "meld": ["7H", "7D", "7C"],
        "running": samples.RUNNING,
        "steps": samples.STEPS,
        "next_step": samples.NEXT_STEP,
        "signatures": samples.signatures(),
        "states": samples.STATE_CODES,
        "proof": samples.PROOF,
        "changes": samples.CHANGES,
        "jobs": samples.jobs(),
        "next": OwnNext("You play", 12, "Alan Turing", about=now + timedelta(hours=1)),
        "until": now + timedelta(minutes=4, seconds=5),
        "since": now - timedelta(minutes=12),
        "form": SampleForm({"name": "", "email": "ada@", "how": "cash"}) if "errors" in request.GET else SampleForm(),
        "table": table,
        "page": Paginator(range(90), 10).page(2),
        "waiting": samples.WAITING,
        "reading": samples.READING,
    }
