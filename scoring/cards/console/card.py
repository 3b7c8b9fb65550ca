"""The desk's pages for a single card: hands, draw, totals, paper signatures, and closing or reopening its game."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from scoring.card_state.forms import find_field_for_path, make_number_field
from scoring.card_state.selectors.cards import load_card_state_by_token
from scoring.card_state.selectors.state import CardState, can_end_without_winner
from scoring.card_state.tables import (
    describe_closing,
    describe_line,
    describe_substitutions,
    list_signatures,
    make_sheet_context,
)
from scoring.cards.forms import DeskLineForm, DisplayedHandForm, TableDrawForm
from scoring.cards.pages import FormErrorHandler, find_chosen_scorekeeper, load_card_players
from scoring.cards.selectors.checks import load_card_checks
from scoring.cards.services.checks import accept_hand_check_figures, settle_hand_as_written
from scoring.cards.services.closing import close_abandoned_game, correct_totals, make_card_snapshot, reopen_game
from scoring.cards.services.hands import (
    BadLine,
    LineEntry,
    add_line,
    correct_line,
    record_scorekeeper,
    record_table_draw,
)
from scoring.cards.services.signing import SigningContext, sign_on_paper
from scoring.cards.tables import describe_card_change, find_card_badge, make_checks_context
from scoring.disputes.tables import load_ruling_for_hand
from scoring.models import SheetLine, StaffEntry
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.selectors.results import load_void_cards
from scoring.posting.tables import describe_card_status, load_correction_period_context, make_staff_entry_contexts
from scoring.rules.variants.variant import is_totals_record
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.errors import NotFound
from tournament.models import Event
from tournament.spreadsheets.names import parse_number


class _PaperSignatureForm(IdempotentForm):
    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    entrant = forms.ChoiceField(label=gettext_lazy("Signed on paper by"))
    witness = forms.CharField(label=gettext_lazy("Seen by"), max_length=200)

    def __init__(self, *args: Any, missing: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = forms.ChoiceField(label=gettext_lazy("Signed on paper by"), choices=missing)


class _PlayerLeftForm(IdempotentForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=200)
    side = forms.ChoiceField(label=gettext_lazy("Player who left"), widget=forms.RadioSelect)
    gives_up = forms.ChoiceField(label=gettext_lazy("How the game ends"), widget=forms.RadioSelect, initial="yes")
    reason = forms.CharField(label=gettext_lazy("What happened"), max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, seen: str) -> None:
        super().__init__(data, prefix="left")
        side, ends = self.fields["side"], self.fields["gives_up"]
        assert isinstance(side, forms.ChoiceField) and isinstance(ends, forms.ChoiceField)
        side.choices = [(seat.side, state.get_seat_name(seat)) for seat in state.seats]
        rule = _("by the rule of this event: %s") % state.card.sheet.get_unfinished_display()
        ends.choices = [("yes", _("by forfeit: the player who left loses")), ("no", rule)]
        self.fields["seen"].initial = seen


class _ReopenForm(IdempotentForm):
    """The form that reopens a game. It asks for `override` if the winner is already playing the next match."""

    reason = forms.CharField(label=gettext_lazy("Why the game is opened again"), max_length=500)
    override = forms.BooleanField(label=gettext_lazy("Do it anyway"), required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="reopen")

    def ask_for_override(self) -> None:
        self.fields["override"].widget = forms.CheckboxInput()


@staff_event_view("look")
def show_card_at_desk(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    return _show_card(request, _find_card(event, token))


def _show_card(request: ActorRequest, state: CardState, **refused: forms.Form) -> HttpResponse:
    """Render the card with its forms. `refused` contains submitted forms with errors, which replace the empty ones."""
    context = {**_make_card_context(request, state), **refused}
    return render(request, "scoring/cards/console/lines.html", context, status=422 if refused else 200)


@require_POST
@staff_event_view("desk")
def choose_scorekeeper_at_desk(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    record_scorekeeper(
        state.card, find_chosen_scorekeeper(state.card, request.POST), by=request.actor, key=request.POST.get("key", "")
    )
    return _redirect_to_card(event, token)


@require_POST
@staff_event_view("desk")
def enter_draw_at_desk(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = TableDrawForm(request.POST, state=state)
    if form.is_valid():
        cleaned = form.cleaned_data
        with FormErrorHandler(form):
            record_table_draw(
                state.card, form.drawn_order, by=request.actor, reason=cleaned.get("reason", ""), key=cleaned["key"]
            )
            messages.success(request, describe_card_change(state.card) if state.entered else _("The draw is recorded."))
            return _redirect_to_card(event, token)
    return _show_card(request, state, draw_form=form)


@require_POST
@staff_event_view("desk")
def enter_signature(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = _PaperSignatureForm(request.POST, missing=list(state.signatures.missing_signers))
    if form.is_valid():
        cleaned = form.cleaned_data
        shown = SigningContext(cleaned["digest"], key=cleaned["key"])
        with FormErrorHandler(form):
            sign_on_paper(state.card, cleaned["entrant"], cleaned["witness"], shown, by=request.actor)
            messages.success(request, _("The signature is recorded."))
            return _redirect_to_card(event, token)
    return _show_card(request, state, sign_form=form)


@staff_event_view("desk")
def edit_hand(request: ActorRequest, event: Event, token: str, number: int) -> HttpResponse:
    """Correct or strike out a hand, or add it if it is the next one."""
    state = _find_card(event, token)
    if number > len(state.lines) + 1 or number < 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    old = state.lines[number - 1].line if number <= len(state.lines) else None
    if is_totals_record(old):
        return redirect("scoring:desk_totals", tournament=event.tournament.slug, event=event.slug, token=token)
    initial = DeskLineForm.make_initial(state, old) if old else DeskLineForm.make_initial_for_next(state)
    form = DeskLineForm(request.POST or None, state=state, initial=initial)
    tried, sent = FormErrorHandler(form, state, warns=True), request.method == "POST" and "more" not in request.POST
    if sent and form.is_valid():
        with tried:
            _correct_or_add_hand(request, state, number, form)
            messages.success(request, describe_card_change(state.card))
            return _redirect_to_card(event, token)
    context = {"state": state, "card": state.card, "form": form, "number": number, "corrects": bool(old)}
    context |= {"warnings": tried.warnings, "decide": tried.decide, "was": describe_line(state, old) if old else ""}
    context["ruling"] = load_ruling_for_hand(state, number)
    return render(request, "scoring/cards/console/hand.html", context, status=422 if sent else 200)


class _SettleHandForm(DisplayedHandForm):
    reason = forms.CharField(max_length=500, required=False)


@require_POST
@staff_event_view("desk")
def settle_disputed_hand(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    """Settle a disagreement between players about a hand. The hand stays as it is written."""
    state = _find_card(event, token)
    form = _SettleHandForm(request.POST)
    if form.is_valid():
        settle_hand_as_written(state.card, form.displayed_hand, by=request.actor, reason=form.cleaned_data["reason"])
        messages.success(request, _("Settled. The hand stays as written."))
    return _redirect_to_card(event, token)


@require_POST
@staff_event_view("desk")
def accept_figures_at_desk(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    check = parse_number(request.POST.get("check", ""))
    accept_hand_check_figures(state.card, check or 0, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Settled. The hand is corrected."))
    return _redirect_to_card(event, token)


def _correct_or_add_hand(request: ActorRequest, state: CardState, number: int, form: DeskLineForm) -> None:
    cleaned = form.cleaned_data
    override, key = cleaned["override"], cleaned["key"]
    entry = LineEntry(form.make_line(), via=SheetLine.Via.DESK, key=key, hand=number, override=override)
    if number > len(state.lines):
        add_line(state.card, entry, by=request.actor)
        return
    replacement = None if "strike" in request.POST else entry
    correct_line(state.card, number, replacement, by=request.actor, reason=cleaned["reason"], key=key)


def _find_card(event: Event, token: str) -> CardState:
    """Return the card with this token. Raises NotFound if it belongs to another event."""
    state = load_card_state_by_token(token)
    if state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    return state


def _make_card_context(request: ActorRequest, state: CardState) -> dict[str, Any]:
    initial = {"digest": state.digest, "witness": request.actor.name}
    missing = [] if state.score.is_closed else list(state.signatures.missing_signers)
    is_open = not state.is_posted and not state.score.tally.complete
    of_two = len(state.seats) == 2 and not can_end_without_winner(state.card)
    summary = describe_card_status(load_card_status(state))
    return {
        "closed": describe_closing(state),
        "keeping": make_checks_context(load_card_checks(state)),
        "clock": load_correction_period_context(state, timezone.now()),
        "summary": summary,
        "badge": find_card_badge(state, summary),
        "waits": make_staff_entry_contexts(
            StaffEntry.objects.filter(card=state.card, decided__isnull=True), request.user
        ),
        "is_open": is_open and state.card.match.event.state == Event.State.IN_PLAY,
        "left_form": _PlayerLeftForm(state=state, seen=make_card_snapshot(state))
        if is_open and of_two and not state.closing
        else None,
        "reopen_form": _ReopenForm() if state.score.verdict is not None else None,
        "draw_form": TableDrawForm(state=state) if state.draw.has_separate_draw else None,
        "state": state,
        "card": state.card,
        "sheet": make_sheet_context(state),
        "came": describe_substitutions(state),
        "signatures": list_signatures(state, devices=True),
        "keepers": [(who.pk, who.name, who.pk == state.keeper_id) for who in load_card_players(state.card)],
        "hands": [(number, describe_line(state, state.lines[number - 1].line)) for number in state.hand_numbers],
        "judges": state.sheet.variant.make_knock_rule(None) is not None,
        "next_hand": len(state.lines) + 1,
        "sign_form": _PaperSignatureForm(missing=missing, initial=initial) if missing else None,
    }


def _redirect_to_card(event: Event, token: str) -> HttpResponse:
    return redirect("scoring:desk_card_lines", tournament=event.tournament.slug, event=event.slug, token=token)


# --- Cards that were entered by their totals -------------------------------------------------------------------------


_SWAP_BUTTON = "swap"
"""The name of the button that swaps the card's two totals."""

_STRIKE_BUTTON = "strike"
"""The name of the button that empties the card because its totals belong to another card."""


class _TotalsForm(IdempotentForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)
    reason = forms.CharField(
        label=gettext_lazy("What was wrong?"),
        max_length=500,
        help_text=gettext_lazy("It is shown on the score card with your name."),
    )
    override = forms.CharField(
        label=gettext_lazy("Why it is right anyway"), required=False, max_length=500,
        help_text=gettext_lazy("Only if the page warns about the totals or about a later match."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, state: CardState) -> None:
        super().__init__(data)
        self.state = state
        self.swaps, self.strikes = _SWAP_BUTTON in self.data, _STRIKE_BUTTON in self.data
        self.fields["seen"].initial = state.digest
        for side, name in state.names_by_letter.items():
            field = make_number_field(None, name)
            field.required = not (self.swaps or self.strikes)
            field.initial = state.score.entered_totals[side]
            self.fields[f"totals_{side}"] = field

    @property
    def total_fields(self) -> list[forms.BoundField]:
        return [self[f"totals_{side}"] for side in self.state.letters]

    def read_totals(self) -> dict[str, int]:
        """Return the totals by the sides' letters. Call this after `is_valid`."""
        if self.swaps:
            current = self.state.score.entered_totals
            return dict(zip(current, reversed(current.values()), strict=True))
        return {side: self.cleaned_data[f"totals_{side}"] for side in self.state.letters}

    def show_error(self, error: BadLine) -> None:
        for problem in error.data["problems"]:
            self.add_error(find_field_for_path(problem.path, self.fields), problem.message)


@staff_event_view("desk")
def edit_totals(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    if not state.has_only_totals:
        return _redirect_to_card(event, token)
    form = _TotalsForm(request.POST or None, state=state)
    tried = FormErrorHandler(form, state, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            _write_totals(request, state, form)
            messages.success(request, describe_card_change(state.card))
            return _redirect_to_card(event, token)
    card_status = load_card_status(state)
    swapped = dict(zip(state.names, reversed(state.score.entered_totals.values()), strict=True))
    context: dict[str, Any] = {"state": state, "card": state.card, "form": form, "swapped": swapped}
    context |= {
        "warnings": tried.warnings,
        "decide": tried.decide,
        "clock": load_correction_period_context(state, timezone.now()),
    }
    context |= {"summary": describe_card_status(card_status), "by_desk": card_status.is_decided_by_desk}
    context |= {"strikes": is_totals_record(state.lines[0].line), "void": bool(load_void_cards([state.card]))}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/console/totals.html", context, status=status)


def _write_totals(request: ActorRequest, state: CardState, form: _TotalsForm) -> None:
    by, cleaned = request.actor, form.cleaned_data
    if form.strikes:
        correct_line(state.card, 1, None, by=by, reason=cleaned["reason"], key=cleaned["key"])
        return
    kept = {name: cleaned[name] for name in ("seen", "reason", "override", "key")}
    correct_totals(state.card, form.read_totals(), by=by, **kept)


# --- Close and reopen the game ---------------------------------------------------------------------------------------


@require_POST
@staff_event_view("desk")
def close_game(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = _PlayerLeftForm(request.POST, state=state, seen=make_card_snapshot(state))
    if form.is_valid():
        cleaned = form.cleaned_data
        gives_up, kept = cleaned["gives_up"] == "yes", {name: cleaned[name] for name in ("reason", "key", "seen")}
        with FormErrorHandler(form):
            close_abandoned_game(state.card, cleaned["side"], gives_up=gives_up, by=request.actor, **kept)
            messages.success(request, _("The game is closed."))
            return _redirect_to_card(event, token)
    return _show_card(request, load_card_state_by_token(token), left_form=form)


@require_POST
@staff_event_view("desk")
def reopen_closed_game(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = _ReopenForm(request.POST)
    if form.is_valid():
        cleaned, tried = form.cleaned_data, FormErrorHandler(form, warns=True)
        override = "all the same" if cleaned["override"] else ""
        with tried:
            reopen_game(state.card, by=request.actor, reason=cleaned["reason"], override=override, key=cleaned["key"])
            messages.success(request, _("The closing is undone. The game is open again."))
            return _redirect_to_card(event, token)
        for warning in tried.warnings:
            form.add_error(None, warning)
            form.ask_for_override()
    return _show_card(request, load_card_state_by_token(token), reopen_form=form)
