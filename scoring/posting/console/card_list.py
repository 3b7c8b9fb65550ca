"""The desk's list of score cards, and the calls for the director."""

from typing import Any

import django_tables2 as tables
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.stages.pictures.boxes import match_name, name_match
from pairing.stages.selectors.bracket_boards import load_round_count
from scoring.disputes.services.disputes import answer_call
from scoring.models import DirectorCall
from scoring.posting.selectors.card_list import DeskCard, load_desk_cards, load_open_calls
from scoring.posting.selectors.card_status import load_statements
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.tables.lists import NAME, PERSON, Paging, exported
from tournament.models import Event
from tournament.spreadsheets.names import typed_number
from tournament.templatetags.gin import badge, state_badge

STATE_WORDS = {
    "ready": gettext_lazy("Not started"),
    "playing": gettext_lazy("Playing"),
    "unsigned": gettext_lazy("Not signed"),
    "posted": gettext_lazy("Posted"),
    "closed": gettext_lazy("Closed early"),
    "time-called": gettext_lazy("Time called, last hand"),
    "undecided": gettext_lazy("Director decides"),
}


SCORE_CELL = {"td": {"class": "is-text"}}


class CardTable(tables.Table):
    """The list of score cards. `counts` has the status of signed cards that do not count as signed, by primary key."""

    table = tables.Column(verbose_name=gettext_lazy("Table"), accessor="state__table", empty_values=())
    match = tables.Column(verbose_name=gettext_lazy("Match"), accessor="state__card__match__ident")
    game = tables.Column(verbose_name=gettext_lazy("Game"), accessor="state__card__game")
    players = tables.Column(verbose_name=gettext_lazy("Players"), accessor="state__names", attrs=PERSON)
    score = tables.Column(
        verbose_name=gettext_lazy("Score"), accessor="state__score__totals", orderable=False, attrs=SCORE_CELL
    )
    condition = tables.Column(verbose_name=gettext_lazy("State"), accessor="state__state", attrs=NAME)
    minutes = tables.Column(verbose_name=gettext_lazy("Minutes"))

    row_header = "players"

    class Meta:
        order_by = ("-minutes",)
        caption = gettext_lazy("Score cards")

    def __init__(self, rows: list[DeskCard], *, event: Event) -> None:
        slugs = {"tournament": event.tournament.slug, "event": event.slug}
        self.counts: dict[int, str] = {}
        self.round_count = load_round_count(event)
        self.card_url = reverse("scoring:desk_card_lines", kwargs={**slugs, "token": "TOKEN"})
        self.totals_url = reverse("scoring:desk_totals", kwargs={**slugs, "token": "TOKEN"})
        super().__init__(rows)

    def order_table(self, rows: list[DeskCard], is_descending: bool) -> tuple[list[DeskCard], bool]:
        return sorted(rows, key=lambda row: row.state.table or 0, reverse=is_descending), True

    def render_table(self, record: DeskCard) -> str:
        return str(record.state.table or "–")

    def render_match(self, record: DeskCard) -> str:
        match = record.state.card.match
        return match_name(match.ident, self.round_count if match.ident.startswith("R") else 0)

    def render_players(self, record: DeskCard) -> SafeString:
        url = self.card_url.replace("TOKEN", record.state.card.token)
        names = format_html_join(mark_safe("<br>"), "<strong>{}</strong>", ((name,) for name in record.state.names))
        return format_html('<a href="{}">{}</a>', url, names)

    def value_players(self, record: DeskCard) -> str:
        return record.state.title

    def render_score(self, record: DeskCard) -> str | SafeString:
        if not record.state.is_by_totals:
            return record.state.score.figures
        url = self.totals_url.replace("TOKEN", record.state.card.token)
        words = _("Correct the totals")
        return format_html('<span>{}<br><a href="{}">{}</a></span>', record.state.score.figures, url, words)

    def value_score(self, record: DeskCard) -> str:
        return record.state.score.figures

    def render_condition(self, record: DeskCard) -> str | SafeString:
        if record.state.card.pk in self.counts:
            return badge(self.counts[record.state.card.pk])
        if record.is_settled:
            return badge("closed", record.settled_word)
        code, word = record.state.state, str(STATE_WORDS[record.state.state])
        if record.is_overdue:
            code, word = "overdue", _("%s, overdue") % word
        state = badge(code, word)
        if record.state.state != "unsigned":
            return state
        missing = ", ".join(record.state.signatures.missing_names)
        text = _("missing: %s") % missing
        return format_html('<span>{}<br><small class="second">{}</small></span>', state, text)

    def value_condition(self, record: DeskCard) -> str:
        if record.state.card.pk in self.counts:
            return str(state_badge(self.counts[record.state.card.pk]).word)
        if record.is_settled:
            return record.settled_word
        return str(STATE_WORDS[record.state.state])

    def render_minutes(self, record: DeskCard) -> str:
        return "" if record.state.is_posted or record.is_settled else str(record.minutes)


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
    listed = [card for card in load_desk_cards(event, wanted, timezone.now()) if _matches_search(card.state, typed)]
    table = CardTable(listed, event=event)
    Paging(request, 50).configure(table)
    shown = listed if "_export" in request.GET else table.paginated_rows.data
    matches = {card.state.card.match_id for card in shown if card.state.is_posted or card.state.clock.was_posted}
    statements = load_statements(event, matches) if matches else {}
    table.counts = {pk: one.counts.value for pk, one in statements.items() if not one.holds}
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
    return render(request, "scoring/posting/card_list/console.html", context)


def _matches_search(state: Any, typed: str) -> bool:
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
