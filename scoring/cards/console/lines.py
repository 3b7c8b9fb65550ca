"""One card at the desk: add, correct and strike out hands, enter the cut or draw, and record a paper signature."""

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.card_state.selectors.cards import CardState, load_card
from scoring.card_state.selectors.closings import counts_totals
from scoring.card_state.tables.closed import closed_words
from scoring.card_state.tables.sheet import sheet_of, signatures_of
from scoring.card_state.tables.substitutes import plays_on_words
from scoring.card_state.tables.words import line_in_words
from scoring.cards.forms.closing import LeftForm, ReopenForm
from scoring.cards.forms.keepers import SettleForm
from scoring.cards.forms.lines import DeskHandForm
from scoring.cards.forms.table_draw import TableDrawForm
from scoring.cards.pages.seats import players_of, said_keeper
from scoring.cards.pages.tried import Tried
from scoring.cards.selectors.keepers import load_keeping
from scoring.cards.selectors.open_games import seen_of
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_cut
from scoring.cards.services.keepers import settle_as_written, take_other_figures
from scoring.cards.services.table_draws import record_draw
from scoring.cards.tables import badge_of, describe_change, keeping_shown
from scoring.correction_period.tables import clock_shown, entries_shown
from scoring.models import SheetLine, StaffEntry
from scoring.posting.selectors.statements import load_statement
from scoring.posting.tables.statements import said_of
from scoring.rules.variants.variant import says_totals
from scoring.rulings.tables.since import ruling_of_line
from scoring.signing.forms import PaperSignatureForm
from scoring.signing.services import SeenCard, sign_on_paper
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import NotFound
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


@console_event("look")
def lines(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    return show_card(request, card_of(event, token))


def show_card(request: ActorRequest, state: CardState, **forms: Form) -> HttpResponse:
    """Render the card with its forms. Forms that are passed in were refused and have their errors."""
    context = {**_context(request, state), **forms}
    return render(request, "scoring/cards/console/lines.html", context, status=422 if forms else 200)


@require_POST
@console_event("desk")
def cut(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    record_cut(state.card, said_keeper(state.card, request.POST), by=request.actor, key=request.POST.get("key", ""))
    return to_card(event, token)


@require_POST
@console_event("desk")
def table_draw(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    form = TableDrawForm(request.POST, state=state)
    if form.is_valid():
        cleaned = form.cleaned_data
        with Tried(form):
            record_draw(state.card, form.said, by=request.actor, reason=cleaned.get("reason", ""), key=cleaned["key"])
            messages.success(request, describe_change(state.card) if state.entered else _("The draw is recorded."))
            return to_card(event, token)
    return show_card(request, state, draw_form=form)


@require_POST
@console_event("desk")
def sign(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    form = PaperSignatureForm(request.POST, missing=list(state.signatures.missing_letters))
    if form.is_valid():
        cleaned = form.cleaned_data
        shown = SeenCard(cleaned["digest"], key=cleaned["key"])
        with Tried(form):
            sign_on_paper(state.card, cleaned["entrant"], cleaned["witness"], shown, by=request.actor)
            messages.success(request, _("The signature is recorded."))
            return to_card(event, token)
    return show_card(request, state, sign_form=form)


@console_event("desk")
def hand(request: ActorRequest, event: Event, token: str, number: int) -> HttpResponse:
    """Correct or strike out hand `number`, or add it if it is the next hand."""
    state = card_of(event, token)
    if number > len(state.lines) + 1 or number < 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    old = state.lines[number - 1].line if number <= len(state.lines) else None
    if says_totals(old):
        return redirect("scoring:desk_totals", tournament=event.tournament.slug, event=event.slug, token=token)
    initial = DeskHandForm.initial_for(state, old) if old else DeskHandForm.initial_for_next(state)
    form = DeskHandForm(request.POST or None, state=state, initial=initial)
    tried, sent = Tried(form, state, warns=True), request.method == "POST" and "more" not in request.POST
    if sent and form.is_valid():
        with tried:
            _write(request, state, number, form)
            messages.success(request, describe_change(state.card))
            return to_card(event, token)
    context = {"state": state, "card": state.card, "form": form, "number": number, "corrects": bool(old)}
    context |= {"warnings": tried.warnings, "decide": tried.decide, "was": line_in_words(state, old) if old else ""}
    context["ruling"] = ruling_of_line(state, number)
    return render(request, "scoring/cards/console/hand.html", context, status=422 if sent else 200)


@require_POST
@console_event("desk")
def settle(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    """Settle a hand on which two scorekeepers differ: it stays as it is written."""
    state = card_of(event, token)
    form = SettleForm(request.POST)
    if form.is_valid():
        settle_as_written(state.card, form.seen, by=request.actor, reason=form.cleaned_data["reason"])
        messages.success(request, _("Settled. The hand stays as written."))
    return to_card(event, token)


@require_POST
@console_event("desk")
def take(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    check = typed_number(request.POST.get("check", ""))
    take_other_figures(state.card, check or 0, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Settled. The hand is corrected."))
    return to_card(event, token)


def _write(request: ActorRequest, state: CardState, number: int, form: DeskHandForm) -> None:
    cleaned = form.cleaned_data
    override, key = cleaned["override"], cleaned["key"]
    entry = LineEntry(form.line(), via=SheetLine.Via.DESK, key=key, hand=number, override=override)
    if number > len(state.lines):
        add_line(state.card, entry, by=request.actor)
        return
    kept = None if "strike" in request.POST else entry
    correct_line(state.card, number, kept, by=request.actor, reason=cleaned["reason"], key=key)


def card_of(event: Event, token: str) -> CardState:
    """Return the card with this token.

    Raises:
        NotFound: there is no such card in this event.
    """
    state = load_card(token)
    if state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    return state


def _context(request: ActorRequest, state: CardState) -> dict[str, Any]:
    initial = {"digest": state.digest, "witness": request.actor.name}
    missing = [] if state.score.is_closed else list(state.signatures.missing_letters)
    is_open = not state.is_posted and not state.score.tally.complete
    of_two = len(state.seats) == 2 and not counts_totals(state.card)
    said = said_of(load_statement(state))
    return {
        "closed": closed_words(state),
        "keeping": keeping_shown(load_keeping(state)),
        "clock": clock_shown(state, timezone.now()),
        "said": said,
        "badge": badge_of(state, said),
        "waits": entries_shown(StaffEntry.objects.filter(card=state.card, decided__isnull=True), request.user),
        "is_open": is_open and state.card.match.event.state == Event.State.IN_PLAY,
        "left_form": LeftForm(state=state, seen=seen_of(state)) if is_open and of_two and not state.closing else None,
        "reopen_form": ReopenForm() if state.score.verdict is not None else None,
        "draw_form": TableDrawForm(state=state) if state.draw.is_beside_keeper else None,
        "state": state,
        "card": state.card,
        "sheet": sheet_of(state),
        "came": plays_on_words(state),
        "signatures": signatures_of(state, devices=True),
        "keepers": [(who.pk, who.name, who.pk == state.keeper_id) for who in players_of(state.card)],
        "hands": [(number, line_in_words(state, state.lines[number - 1].line)) for number in state.hand_numbers],
        "judges": state.sheet.variant.knock_rule(None) is not None,
        "next_hand": len(state.lines) + 1,
        "sign_form": PaperSignatureForm(missing=missing, initial=initial) if missing else None,
    }


def to_card(event: Event, token: str) -> HttpResponse:
    return redirect("scoring:desk_card_lines", tournament=event.tournament.slug, event=event.slug, token=token)
