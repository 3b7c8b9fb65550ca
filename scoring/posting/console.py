"""The desk's pages for starting play, the list of score cards, the correction period, and the settlement."""

import io
import uuid
from typing import Any, Final

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from pairing.results.forms import TableRangeForm
from pairing.stages.pictures.boxes import format_full_match_name, format_match_name
from pairing.stages.selectors.boards import load_round_count
from pairing.stages.selectors.course import load_ready_matches, load_tables_used_elsewhere, suggest_tables
from pairing.stages.selectors.plans import load_event_plan
from scoring.cards.services.paper_cards import confirm_staff_entry, reject_staff_entry
from scoring.disputes.services.disputes import answer_director_call
from scoring.models import DirectorCall, StaffEntry
from scoring.posting.pdf import SETTLEMENT_SPREADSHEETS, load_settlement, write_settlement_pdf
from scoring.posting.selectors.card_list import DeskCard, load_desk_cards, load_open_director_calls
from scoring.posting.selectors.card_status import load_card_statuses, load_correction_terms, load_pending_staff_entries
from scoring.posting.services.correction_period import set_correction_terms
from scoring.posting.services.opening import are_tables_assigned_by_draw, begin_round, start_play_and_assign_tables
from scoring.posting.tables import make_staff_entry_contexts
from scoring.rules.sheet.card_status import MAX_CORRECTION_PERIOD_MINUTES, CorrectionTerms, StaffEntryCheck
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import load_current_rule_sheet, make_default_rule_sheet
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors, make_event_url
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import load_last_paper_size
from tournament.core.tables.lists import (
    EXPORT_CONTENT_TYPES,
    NAME_CELL_ATTRS,
    PERSON_CELL_ATTRS,
    ListRequestConfig,
    export_if_requested,
    export_rows,
)
from tournament.errors import NotFound
from tournament.models import Event
from tournament.spreadsheets.names import parse_number
from tournament.templatetags.gin import render_badge, state_badge


@require_POST
@staff_event_view("direct")
def begin_next_round(request: ActorRequest, event: Event) -> HttpResponse:
    seating = begin_round(event, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Round %(round)s is posted, and its score cards are open.") % {"round": seating.round})
    return redirect("pairing:desk_seatings", tournament=event.tournament.slug, event=event.slug)


@staff_event_view("direct")
def start_play_at_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """Show what can no longer be changed freely once play starts.

    On submit, start play and assign tables to the first matches in a single transaction.
    """
    if request.method != "POST" and event.state != Event.State.DRAWN:
        return redirect(make_event_url(event, "scoring:desk_today"))
    ready = len(load_ready_matches(event))
    first, last = suggest_tables(ready, (), load_tables_used_elsewhere(event))
    usual = {"first": first, "last": last}
    form = TableRangeForm(request.POST if "first" in request.POST else usual)
    if request.method == "POST" and form.is_valid():
        tables = form.cleaned_data["first"], form.cleaned_data["last"]
        sent = start_play_and_assign_tables(event, *tables, by=request.actor, key=request.POST.get("key", ""))
        messages.success(request, _describe_started_play(sent))
        return redirect(make_event_url(event, "scoring:desk_today"))
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/posting/start.html", _make_start_context(event, form, ready), status=status)


def _describe_started_play(sent: int) -> str:
    message = _("Play has started, and the score cards are open.")
    if not sent:
        return message
    tables = ngettext("%(count)s match has a table.", "%(count)s matches have tables.", sent) % {"count": sent}
    return f"{message} {tables}"


def _make_start_context(event: Event, form: TableRangeForm, ready: int) -> dict[str, Any]:
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    by_draw = are_tables_assigned_by_draw(event)
    return {
        "form": form,
        "key": uuid.uuid4().hex,
        "rules": VARIANTS[sheet.variant].title,
        "ready": ready,
        "by_draw": by_draw,
        "asks_for_tables": not by_draw and not load_event_plan(event).desk_stages,
    }


# --- Card list -------------------------------------------------------------------------------------------------------

_STATE_NAMES = {
    "ready": gettext_lazy("Not started"),
    "playing": gettext_lazy("Playing"),
    "unsigned": gettext_lazy("Not signed"),
    "posted": gettext_lazy("Posted"),
    "closed": gettext_lazy("Closed early"),
    "time-called": gettext_lazy("Time called, last hand"),
    "undecided": gettext_lazy("Director decides"),
}


_SCORE_CELL_ATTRIBUTES = {"td": {"class": "is-text"}}


class _CardTable(tables.Table):
    """The desk's list of score cards.

    `counts` contains the statuses of posted cards whose results do not count, keyed by the cards' primary keys. The
    list shows such a status instead of the card's own state.
    """

    table = tables.Column(verbose_name=gettext_lazy("Table"), accessor="state__table", empty_values=())
    match = tables.Column(verbose_name=gettext_lazy("Match"), accessor="state__card__match__ident")
    game = tables.Column(verbose_name=gettext_lazy("Game"), accessor="state__card__game")
    players = tables.Column(verbose_name=gettext_lazy("Players"), accessor="state__names", attrs=PERSON_CELL_ATTRS)
    score = tables.Column(
        verbose_name=gettext_lazy("Score"),
        accessor="state__score__totals",
        orderable=False,
        attrs=_SCORE_CELL_ATTRIBUTES,
    )
    condition = tables.Column(verbose_name=gettext_lazy("State"), accessor="state__state", attrs=NAME_CELL_ATTRS)
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
        return format_match_name(match.ident, self.round_count if match.ident.startswith("R") else 0)

    def render_players(self, record: DeskCard) -> SafeString:
        url = self.card_url.replace("TOKEN", record.state.card.token)
        names = format_html_join(mark_safe("<br>"), "<strong>{}</strong>", ((name,) for name in record.state.names))
        return format_html('<a href="{}">{}</a>', url, names)

    def value_players(self, record: DeskCard) -> str:
        return record.state.title

    def render_score(self, record: DeskCard) -> str | SafeString:
        if not record.state.has_only_totals:
            return record.state.score.totals_text
        url = self.totals_url.replace("TOKEN", record.state.card.token)
        words = _("Correct the totals")
        return format_html('<span>{}<br><a href="{}">{}</a></span>', record.state.score.totals_text, url, words)

    def value_score(self, record: DeskCard) -> str:
        return record.state.score.totals_text

    def render_condition(self, record: DeskCard) -> str | SafeString:
        if record.state.card.pk in self.counts:
            return render_badge(self.counts[record.state.card.pk])
        if record.is_settled:
            return render_badge("closed", record.settled_text)
        code, word = record.state.state, str(_STATE_NAMES[record.state.state])
        if record.is_overdue:
            code, word = "overdue", _("%s, overdue") % word
        state = render_badge(code, word)
        if record.state.state != "unsigned":
            return state
        missing = ", ".join(record.state.signatures.missing_names)
        text = _("missing: %s") % missing
        return format_html('<span>{}<br><small class="second">{}</small></span>', state, text)

    def value_condition(self, record: DeskCard) -> str:
        if record.state.card.pk in self.counts:
            return str(state_badge(self.counts[record.state.card.pk]).word)
        if record.is_settled:
            return record.settled_text
        return str(_STATE_NAMES[record.state.state])

    def render_minutes(self, record: DeskCard) -> str:
        return "" if record.state.is_posted or record.is_settled else str(record.minutes)


_FILTER_NAMES = {
    "open": gettext_lazy("Open"),
    "unsigned": gettext_lazy("Not signed"),
    "overdue": gettext_lazy("Overdue"),
    "posted": gettext_lazy("Posted"),
    "all": gettext_lazy("All"),
}


@staff_event_view("look")
def list_cards(request: ActorRequest, event: Event) -> HttpResponse:
    wanted = request.GET.get("only", "open")
    wanted = wanted if wanted in _FILTER_NAMES else "open"
    typed = request.GET.get("q", "").strip()
    listed = [card for card in load_desk_cards(event, wanted, timezone.now()) if _matches_search(card.state, typed)]
    table = _CardTable(listed, event=event)
    ListRequestConfig(request, 50).configure(table)
    shown = listed if "_export" in request.GET else table.paginated_rows.data
    matches = {card.state.card.match_id for card in shown if card.state.is_posted or card.state.was_posted}
    statuses = load_card_statuses(event, matches) if matches else {}
    table.counts = {pk: one.kind.value for pk, one in statuses.items() if not one.is_counting}
    download = export_if_requested(request, table, "cards")
    if download is not None:
        return download
    filters = [(name, words, name == wanted) for name, words in _FILTER_NAMES.items()]
    context = {
        "table": table,
        "q": typed,
        "filters": filters,
        "calls": [(call, format_full_match_name(call.match)) for call in load_open_director_calls(event)],
        "nothing_open": wanted == "open" and not typed and not listed,
    }
    return render(request, "scoring/posting/card_list/console.html", context)


def _matches_search(state: Any, typed: str) -> bool:
    table = parse_number(typed)
    if table is not None:
        return bool(state.table == table)
    return typed.casefold() in state.title.casefold()


@require_POST
@staff_event_view("desk")
def mark_director_call_answered(request: ActorRequest, event: Event, call: int) -> HttpResponse:
    calls = DirectorCall.objects.select_related("match__event__tournament")
    found = get_object_or_404(calls, pk=call, match__event=event)
    answer_director_call(found, by=request.actor)
    messages.success(request, _("The call is marked as answered."))
    return redirect("scoring:desk_cards", tournament=event.tournament.slug, event=event.slug)


# --- Correction period -----------------------------------------------------------------------------------------------

_PERIODS: Final = ("corrections", "rulings", "appeals")


class _TermsForm(IdempotentForm):
    corrections = forms.IntegerField(label=gettext_lazy("Time to correct scoring errors (minutes)"), min_value=0)
    rulings = forms.IntegerField(label=gettext_lazy("Time to ask for a ruling (minutes)"), min_value=0)
    appeals = forms.IntegerField(label=gettext_lazy("Time to appeal a ruling (minutes)"), min_value=0)
    second = forms.ChoiceField(
        label=gettext_lazy("A score entered by staff"),
        choices=[
            (StaffEntryCheck.NONE.value, gettext_lazy("counts at once")),
            (StaffEntryCheck.APPROVAL.value, gettext_lazy("counts after a second person confirms it")),
            (StaffEntryCheck.REKEY.value, gettext_lazy("counts after a second person enters the same figures")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Any = None, *, terms: CorrectionTerms) -> None:
        super().__init__(data, initial=terms.as_json())
        for name in _PERIODS:
            self.fields[name].widget.attrs |= {"max": MAX_CORRECTION_PERIOD_MINUTES, "class": "field-number"}

    @property
    def correction_terms(self) -> CorrectionTerms:
        cleaned = self.cleaned_data
        return CorrectionTerms(**{name: cleaned[name] for name in _PERIODS}, second=StaffEntryCheck(cleaned["second"]))


@staff_event_view("direct")
def edit_correction_terms(request: ActorRequest, event: Event) -> HttpResponse:
    form = _TermsForm(request.POST or None, terms=load_correction_terms(event))
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            set_correction_terms(event, form.correction_terms, by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("Saved. Cards posted before keep their own times."))
            return redirect(request.path)
    return render(
        request, "scoring/posting/correction_period/console.html", {"form": form}, status=422 if form.errors else 200
    )


@staff_event_view("look")
def list_staff_entries(request: ActorRequest, event: Event) -> HttpResponse:
    shown = make_staff_entry_contexts(load_pending_staff_entries(event), request.user)
    return render(
        request,
        "scoring/posting/correction_period/entries.html",
        {"entries": shown, "terms": load_correction_terms(event)},
    )


@require_POST
@staff_event_view("desk")
def decide_staff_entry(request: ActorRequest, event: Event, entry: int) -> HttpResponse:
    found = StaffEntry.objects.filter(pk=entry, card__match__event=event).select_related("card__match__event").first()
    if found is None:
        raise NotFound("no-entry", _("There is no such entry in this event. Look at Entries to confirm."))
    if "agree" in request.POST:
        state = confirm_staff_entry(found, by=request.actor)
        message = _("Confirmed and posted: %s.") if state.is_posted else _("Confirmed: %s.")
        messages.success(request, message % state.score.line_with_names)
    else:
        reject_staff_entry(found, by=request.actor, reason=request.POST.get("reason", ""))
        messages.success(request, _("The entry is refused and does not count."))
    return redirect("scoring:desk_entries", tournament=event.tournament.slug, event=event.slug)


# --- Settlement ------------------------------------------------------------------------------------------------------


@staff_event_view("direct")
def show_settlement_at_desk(request: ActorRequest, event: Event) -> HttpResponse:
    _require_settlement_enabled(event)
    found, kind, listed = load_settlement(event), request.GET.get("_export", ""), request.GET.get("list", "")
    if kind in EXPORT_CONTENT_TYPES and listed in SETTLEMENT_SPREADSHEETS:
        rows = list(SETTLEMENT_SPREADSHEETS[listed](found, event.tournament.currency))
        return export_rows(kind, rows, f"{event.slug}-settlement-{listed}")
    return render(request, "scoring/posting/settlement/console.html", {"settlement": found})


@staff_event_view("direct")
def print_settlement(request: ActorRequest, event: Event) -> HttpResponse:
    _require_settlement_enabled(event)
    paper = request.GET.get("paper") or load_last_paper_size(event.tournament)
    target = io.BytesIO()
    write_settlement_pdf(target, event, load_settlement(event), paper=paper if paper in PAPER_SIZES else "letter")
    name = make_pdf_file_name(event.tournament, event.slug, "settlement", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)


def _require_settlement_enabled(event: Event) -> None:
    if event.settlement == Event.Settlement.OFF:
        message = _("Player settlement is off for this event. Switch it on under Settings, if it is lawful.")
        raise NotFound("no-settlement", message)
