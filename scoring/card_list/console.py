from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.knockout.pictures.match_boxes import name_match
from scoring.card_list.selectors import DeskCard, load_desk_cards, load_open_calls
from scoring.card_list.tables import CardTable
from scoring.disputes.services.director_calls import answer_call
from scoring.models import DirectorCall
from scoring.posting.selectors.statements import load_statements
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.tables.lists import Paging, exported
from tournament.models import Event
from tournament.spreadsheets.names import typed_number

FILTER_WORDS = {
    "open": gettext_lazy("Open"),
    "unsigned": gettext_lazy("Not signed"),
    "overdue": gettext_lazy("Overdue"),
    "posted": gettext_lazy("Posted"),
    "all": gettext_lazy("All"),
}


@console_event("look")
def cards(request: ActorRequest, event: Event) -> HttpResponse:
    wanted = request.GET.get("only", "open")
    wanted = wanted if wanted in FILTER_WORDS else "open"
    typed = request.GET.get("q", "").strip()
    listed = [card for card in load_desk_cards(event, wanted, timezone.now()) if _is_sought(card.state, typed)]
    table = CardTable(listed, event=event)
    Paging(request, 50).configure(table)
    table.counts = _not_as_signed(event, listed if "_export" in request.GET else table.paginated_rows.data)
    download = exported(request, table, "cards")
    if download is not None:
        return download
    filters = [(name, words, name == wanted) for name, words in FILTER_WORDS.items()]
    context = {
        "table": table,
        "q": typed,
        "filters": filters,
        "calls": [(call, name_match(call.match)) for call in load_open_calls(event)],
        "nothing_open": wanted == "open" and not typed and not listed,
    }
    return render(request, "scoring/card_list/console.html", context)


def _not_as_signed(event: Event, shown: Iterable[DeskCard]) -> dict[int, str]:
    matches = {card.state.card.match_id for card in shown if card.state.is_posted or card.state.clock.was_posted}
    found = load_statements(event, matches) if matches else {}
    return {pk: one.counts.value for pk, one in found.items() if not one.holds}


def _is_sought(state: Any, typed: str) -> bool:
    table = typed_number(typed)
    if table is not None:
        return bool(state.table == table)
    return typed.casefold() in state.title.casefold()


@require_POST
@console_event("desk")
def answer(request: ActorRequest, event: Event, call: int) -> HttpResponse:
    calls = DirectorCall.objects.select_related("match__event__tournament")
    found = get_object_or_404(calls, pk=call, match__event=event)
    answer_call(found, by=request.actor)
    messages.success(request, _("The call is marked as answered."))
    return redirect("scoring:desk_cards", tournament=event.tournament.slug, event=event.slug)
