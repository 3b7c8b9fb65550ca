from zoneinfo import ZoneInfo

from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from tournament.core.pages.access import ActorRequest, console_tournament
from tournament.core.selectors.log import check_chain
from tournament.core.tables.exports import exported
from tournament.core.tables.paging import Paging
from tournament.models import Tournament
from tournament.setup.tables import LogTable


@console_tournament("desk")
def log(request: ActorRequest, tournament: Tournament) -> HttpResponse:
    rows = tournament.log.all()
    wanted = request.GET.get("q", "").strip()
    if wanted:
        found = Q(about__icontains=wanted) | Q(verb__icontains=wanted) | Q(by_name__icontains=wanted)
        rows = rows.filter(found | Q(reason__icontains=wanted))
    with timezone.override(ZoneInfo(tournament.time_zone)):
        table = LogTable(rows)
        Paging(request, 50).configure(table)
        download = exported(request, table, "log")
        if download is not None:
            return download
        context = {"table": table, "q": wanted, "chain": check_chain(tournament)}
        return render(request, "tournament/setup/log.html", context)
