"""A player's pages for a score card: drawing, entering and confirming hands, and signing.

The pages open by private link, or with a signing code at the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.desk.selectors.forecast import estimate_next_match_start
from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.cards import load_card_state
from scoring.card_state.selectors.state import CardState, capitalize_first_letter, get_state_before_hand
from scoring.card_state.tables import (
    describe_closing,
    describe_line,
    describe_substitutions,
    is_game_replayed,
    list_running_totals,
    list_signatures,
    make_sheet_context,
)
from scoring.cards.forms import RANK_CHOICES, SUIT_CHOICES, DisplayedHandForm, PhoneLineForm, TableDrawForm
from scoring.cards.pages import (
    FormErrorHandler,
    PlayerSeat,
    find_card_for_request,
    find_chosen_scorekeeper,
    find_remembered_player,
    forget_player,
    load_card_players,
    load_player_seat,
    player_view,
    read_only_player_view,
    remember_player,
    set_request_event,
)
from scoring.cards.public import make_card_context
from scoring.cards.selectors.checks import (
    CheckedHand,
    load_card_checks,
    load_totals_announcement,
    must_announce_totals,
    prefill_next_line,
)
from scoring.cards.selectors.match_cards import MatchCards, load_cached_entrant_matches
from scoring.cards.services.checks import (
    DisplayedHand,
    TurnedUpCard,
    accept_hand_check_figures,
    confirm_hand,
    dispute_hand,
    record_new_deck,
    record_up_card,
)
from scoring.cards.services.hands import (
    BadLine,
    LineEntry,
    add_line_and_return_name,
    correct_line,
    preview_line,
    record_scorekeeper,
    record_table_draw,
)
from scoring.cards.services.signing import SigningContext, require_signing_code, sign_by_code, sign_with_strokes
from scoring.cards.tables import describe_card_change, describe_card_for_player, make_checks_context
from scoring.disputes.selectors.disputes import DisputeState, load_card_disputes
from scoring.disputes.selectors.rulings import load_committee
from scoring.disputes.services.disputes import call_director
from scoring.disputes.tables import describe_dispute, load_ruling_for_hand
from scoring.models import SIDE_LETTERS
from scoring.posting.selectors.card_status import load_card_status, load_correction_period
from scoring.posting.tables import describe_card_status, make_correction_period_context
from scoring.rules.sheet.card_status import CorrectionPeriod
from scoring.rules.sheet.sheets import JudgedLine
from scoring.rules.variants.variant import is_totals_record
from tournament.core.forms import IdempotentForm, SignatureStrokesField
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant
from tournament.spreadsheets.names import parse_number


@player_view
def show_player_card(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    return render_card(request, seat)


def render_card(request: HttpRequest, seat: PlayerSeat, panel_url: str = "") -> HttpResponse:
    """Render the card. Its live part is fetched from `panel_url`, or by default from the card's own URL."""
    context = {**_make_card_context(seat), "panel_url": panel_url or seat.make_url("card")}
    part = "card_panel" if request.headers.get("HX-Request") else "card"
    if request.headers.get("HX-Target") == "main":  # a page that was waiting for this card
        part = "card_main"
    return render(request, f"scoring/cards/player/{part}.html", context)


def _make_card_context(seat: PlayerSeat) -> dict[str, Any]:
    state, now = seat.state, timezone.now()
    shared = seat.get_or_cache("panel", lambda: _load_panel_context(state, seat.match_cards.copy_with_card(state)))
    next_card = next((other for other in shared["games"] if other.card.game > state.card.game), None)
    most_games = 2 * state.games_to_win - 1 + sum(map(is_game_replayed, shared["games"]))
    about = partial(
        seat.get_or_cache, "about", lambda: estimate_next_match_start(seat.entrant.event, seat.entrant.number)
    )
    return {
        **shared,
        "seat": seat,
        "urls": seat.urls,
        "state": state,
        "card": state.card,
        "next_url": _make_next_url(seat, next_card),
        "number": len(state.lines) + 1,
        "disputes": _make_dispute_contexts(seat, shared["disputes"], shared["clock"], now),
        "announces": seat.is_scorekeeper and shared["announces"],
        "keeping": make_checks_context(shared["keeping"], seat.entrant),
        "draw_form": SimpleLazyObject(partial(TableDrawForm, state=state, phone=True)),
        "clock": make_correction_period_context(shared["clock"], state, now) if shared["clock"] else None,
        "text": _make_panel_text(seat, next_card, most_games),
        "about": None if state.table or state.lines else about(),
    }


def _load_panel_context(state: CardState, known: MatchCards) -> dict[str, Any]:
    """Return the template context that is the same for all players on the card.

    `known` contains the match's cards. The context's `written` is the rendered HTML of the sheet. Its `announces` is
    True if the scorekeeper has to announce the totals now.
    """
    card, is_there = state.card, partial(known.may_have_facts, state)
    last = state.hands[-1] if state.hands else None
    calls = card.match.director_calls.filter(answered__isnull=True)
    return {
        "games": known.filter_by_sides(card.sides_key),
        "last_in_words": describe_line(state, last.line) if last else "",
        "written": _render_sheet(state),
        "came": describe_substitutions(state, None if is_there("substitutes") else ()),
        "signatures": list_signatures(state, substitutes=is_there("substitutes")),
        "call": calls.first() if is_there("open_calls") else None,
        "disputes": load_card_disputes(card) if is_there("disputes") else [],
        "announces": must_announce_totals(state),
        "announced": load_totals_announcement(state),
        "closed": describe_closing(state),
        "keeping": load_card_checks(state, is_there),
        "clock": load_correction_period(state, may_be_disputed=is_there("disputes")),
        "summary": describe_card_status(load_card_status(state, match_cards=known.cards, decided=is_there("results"))),
    }


def _render_sheet(state: CardState) -> str:
    if not state.lines:
        return ""
    context = {"state": state, "sheet": make_sheet_context(state), "running": list_running_totals(state)}
    return render_to_string("scoring/cards/player/written.html", context)


def _make_panel_text(seat: PlayerSeat, next_card: CardState | None, most_games: int) -> dict[str, str]:
    state = seat.state
    while_open = "" if seat.by_link else "game"
    return describe_card_for_player(
        game=state.card.game,
        most_games=most_games,
        is_game=state.is_single_game,
        target=state.target,
        hands=len(state.lines),
        alone=not seat.others,
        for_team=seat.own_seat is None,
        has_won=seat.has_won,
        winner=state.score.winner_name,
        keeper=state.keeper_name,
        low_cut=state.draw.table_draw.keeps_score,
        next_step=_find_next_step(seat, next_card) if state.is_posted else while_open,
    )


def _make_dispute_contexts(
    seat: PlayerSeat, disputes: Sequence[DisputeState], clock: CorrectionPeriod | None, now: datetime
) -> list[tuple[dict[str, Any], str]]:
    committee = load_committee(seat.card.match.event) if disputes else None
    return [
        (describe_dispute(one, seat.entrant, clock, committee, now), seat.make_url("dispute", dispute=one.dispute.pk))
        for one in disputes
    ]


def _make_next_url(seat: PlayerSeat, next_card: CardState | None) -> str:
    """Return the URL to open after the card is posted.

    The URL is "" if the event has only one card for all rounds. If the player opened the card with a signing code, the
    URL is never that of a private page, because the device may belong to another person.
    """
    if load_stage_traits(seat.entrant.event).one_card:
        return ""
    if seat.by_link:
        return reverse("scoring:my_match", kwargs={"token": seat.entrant.token})
    return reverse("scoring:table_card", kwargs={"card": next_card.card.token}) if next_card else ""


def _find_next_step(seat: PlayerSeat, next_card: CardState | None) -> str:
    """Return what follows a posted card: `game` (in the same match), `match` (ready to play), or "" for neither."""
    if next_card is not None:
        return "game"
    if not seat.by_link:
        return ""
    waiting = {one.match.pk for one in load_cached_entrant_matches(seat.entrant, seat.versions) if not one.is_decided}
    if seat.place.match in waiting:
        return "game"
    return "match" if waiting else ""


# --- The draw and the hands ------------------------------------------------------------------------------------------


@require_POST
@player_view
def choose_scorekeeper(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    keeper = find_chosen_scorekeeper(seat.card, request.POST)
    record_scorekeeper(seat.card, keeper, by=seat.actor, key=request.POST.get("key", ""))
    return redirect(seat.make_url("card"))


@require_POST
@player_view
def enter_table_draw(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    form = TableDrawForm(request.POST, state=seat.state, phone=True)
    if not form.is_valid():
        messages.error(request, _("Choose one of the players of this card for each place."))
        return redirect(seat.make_url("card"))
    try:
        record_table_draw(seat.card, form.drawn_order, by=seat.actor, key=form.cleaned_data["key"])
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("The draw is recorded."))
    return redirect(seat.make_url("card"))


@player_view
def enter_hand(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    expected = seat.get_or_cache("next line", lambda: prefill_next_line(seat.state))
    initial = PhoneLineForm.make_initial(seat.state, expected)
    seen = get_state_before_hand(seat.state, request.POST.get("hand", ""))
    form = PhoneLineForm(request.POST or None, state=seen, initial=initial)
    tried = FormErrorHandler(form, warns=True)
    if _is_submitted_to_record(request) and form.is_valid():
        with tried:
            recorded = add_line_and_return_name(seat.card, _make_line_entry(form), by=seat.actor)
            messages.success(request, _("%s is recorded.") % capitalize_first_letter(recorded))
            # The outbox on the phone drops the hand with this key.
            return redirect(f"{seat.make_url('card')}#recorded-{quote(form.cleaned_data['key'])}")
    return _render_hand_page(request, seat, form, tried, {"number": len(seat.state.lines) + 1})


@player_view
def correct_last_hand(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    lines = seat.state.lines
    if not lines or is_totals_record(lines[-1].line):
        return redirect(seat.make_url("card"))
    initial = PhoneLineForm.make_initial(seat.state, lines[-1].line)
    form = PhoneLineForm(request.POST or None, state=seat.state, initial=initial)
    if "hand" not in request.POST:
        form.fields["hand"].initial = len(lines)
    tried = FormErrorHandler(form, warns=True)
    if _is_submitted_to_record(request) and form.is_valid():
        with tried:
            _correct_hand(seat, form, strike="strike" in request.POST)
            messages.success(request, describe_card_change(seat.state.card))
            return redirect(seat.make_url("card"))
    more = {"number": len(lines), "corrects": True, "ruling": load_ruling_for_hand(seat.state, len(lines))}
    return _render_hand_page(request, seat, form, tried, more)


@require_POST
@read_only_player_view
def preview_hand(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    """Show the score of the hand while the player is entering it."""
    form = PhoneLineForm(request.POST, state=seat.state)
    context: dict[str, Any] = {"seat": seat, "state": seat.state}
    if form.is_valid():
        try:
            at = len(seat.state.lines) - 1 if request.POST.get("corrects") else None
            context |= _make_preview_context(preview_line(seat.state, form.make_line(), at=at))
        except BadLine as error:
            # A field that is still empty is not a problem yet.
            problems = (problem for problem in error.data["problems"] if problem.code != "missing-field")
            context["refused"] = " ".join(problem.message for problem in problems)
    return render(request, "scoring/cards/player/preview.html", context)


def _make_preview_context(judged: JudgedLine) -> dict[str, Any]:
    return {
        "judged": judged,
        "worth": [(name, points) for name, points in judged.line_tally.points.items() if points],
        "after": "–".join(str(total) for total in judged.tally.totals.values()),
        "doubts": [doubt.message for doubt in judged.warnings],
    }


def _is_submitted_to_record(request: HttpRequest) -> bool:
    """Return whether the form was submitted to record the hand.

    The form can also be submitted just to repeat a group of fields once more.
    """
    return request.method == "POST" and "more" not in request.POST


def _render_hand_page(
    request: HttpRequest, seat: PlayerSeat, form: PhoneLineForm, tried: FormErrorHandler, more: dict[str, Any]
) -> HttpResponse:
    context = {"seat": seat, "urls": seat.urls, "state": seat.state, "form": form, "grows": "more" in request.POST}
    context |= {"last_step": form.steps[-1].name, "warnings": tried.warnings, **more}
    status = 422 if tried.warnings or (form.is_bound and form.errors) else 200
    return render(request, "scoring/cards/player/hand.html", context, status=status)


def _make_line_entry(form: PhoneLineForm) -> LineEntry:
    sent = {name: form.cleaned_data[name] for name in ("key", "hand", "override")}
    return LineEntry(form.make_line(), drawn=form.drawn_sides, **sent)


def _correct_hand(seat: PlayerSeat, form: PhoneLineForm, *, strike: bool) -> None:
    entry = None if strike else _make_line_entry(form)
    cleaned = form.cleaned_data
    number = cleaned["hand"] or len(seat.state.lines)
    correct_line(seat.card, number, entry, by=seat.actor, reason=cleaned["reason"], key=cleaned["key"])


# --- Signatures, and calling the director ----------------------------------------------------------------------------


class _SignForm(IdempotentForm):
    """A player's signature: pen strokes or the signing code. `digest` identifies the card as it was displayed."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    strokes = SignatureStrokesField()
    code = forms.CharField(required=False, max_length=20)
    side = forms.ChoiceField(required=False, choices=[("", ""), *((side, side) for side in SIDE_LETTERS)])


@player_view
def sign_card(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    form = _SignForm(request.POST or None)
    if form.is_valid():
        with FormErrorHandler(form):
            state = _sign_card(request, seat, form)
            messages.success(request, _("Signed. The card is posted.") if state.is_posted else _describe_signing(state))
            return redirect(seat.make_url("card"))
        seat = replace(seat, versions=None, found=None)  # read the card again: it may have changed in the meantime
    fresh = _SignForm(initial={"digest": seat.state.digest})
    context = {**_make_card_context(seat), "form": form, "fresh": fresh}
    return render(request, "scoring/cards/player/sign.html", context, status=422 if form.errors else 200)


def _sign_card(request: HttpRequest, seat: PlayerSeat, form: _SignForm) -> CardState:
    cleaned = form.cleaned_data
    device = request.headers.get("User-Agent", "")
    shown = SigningContext(cleaned["digest"], device=device, key=cleaned["key"], side=cleaned["side"])
    if cleaned["code"]:
        return sign_by_code(seat.card, cleaned["code"], shown, by=seat.actor)
    return sign_with_strokes(seat.card, cleaned["strokes"], shown, by=seat.actor)


def _describe_signing(state: CardState) -> str:
    if len(state.seats) == 2 and not state.signatures.missing_roles:
        return _("Signed. Your opponent signs next.")
    return _("Signed. Still to sign: %s.") % ", ".join(state.signatures.missing_names)


@require_POST
@player_view
def call_director_to_card(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    about, key = request.POST.get("about", ""), request.POST.get("key", "")
    call_director(seat.card.match, by=seat.actor, about=about, key=key)
    messages.success(request, _("The director is called to your table. Leave the cards on the table."))
    return redirect(seat.make_url("card"))


# --- Checks by the player who does not keep score --------------------------------------------------------------------


class _UpCardForm(IdempotentForm):
    """A form for the next hand's up card, chosen with two taps.

    `turned_at` is the time on the phone when the card was turned.
    """

    hand = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    turned_at = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)
    rank = forms.ChoiceField(
        label=gettext_lazy("Up card: rank"), choices=RANK_CHOICES, widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose the rank of the up card.")},
    )  # fmt: skip
    suit = forms.ChoiceField(
        label=gettext_lazy("Up card: suit"), choices=SUIT_CHOICES, widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose the suit of the up card.")},
    )  # fmt: skip

    def __init__(self, *args: Any, hand: int = 1, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["hand"].initial = hand

    def clean_turned_at(self) -> Any:
        try:
            moment = parse_datetime(self.cleaned_data["turned_at"])
        except ValueError:
            return None
        return moment if moment is not None and moment.tzinfo is not None else None

    @property
    def turned_up_card(self) -> TurnedUpCard:
        cleaned = self.cleaned_data
        return TurnedUpCard(
            cleaned["hand"], f"{cleaned['rank']}{cleaned['suit']}", cleaned["turned_at"], cleaned["key"]
        )


@player_view
def enter_up_card(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    form = _UpCardForm(request.POST or None, hand=len(seat.state.lines) + 1)
    if request.method == "POST" and form.is_valid():
        with FormErrorHandler(form):
            made = record_up_card(seat.card, form.turned_up_card, by=seat.actor)
            messages.success(request, _("The up card of hand %(hand)s is recorded.") % {"hand": made.hand})
            return redirect(seat.make_url("card"))
    context = {"seat": seat, "urls": seat.urls, "state": seat.state, "form": form, "number": len(seat.state.lines) + 1}
    return render(request, "scoring/cards/player/up_card.html", context, status=422 if form.errors else 200)


@require_POST
@player_view
def confirm_displayed_hand(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    seen = _read_displayed_hand(request)
    confirm_hand(seat.card, seen, by=seat.actor)
    messages.success(request, _("%s is confirmed.") % capitalize_first_letter(seat.state.name_line(seen.hand)))
    return redirect(seat.make_url("card"))


@player_view
def dispute_displayed_hand(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    """Let a player enter different figures for a hand that somebody else recorded.

    The request's `hand` is the number of that hand.
    """
    if request.method == "GET" and "hand" not in request.GET:
        return redirect(seat.make_url("card"))
    checked = _find_displayed_hand(seat, request)
    initial = PhoneLineForm.make_initial(seat.state, checked.line.line)
    form = PhoneLineForm(request.POST or None, state=seat.state, initial=initial)
    form.fields["hand"].initial = checked.hand
    if request.method == "POST" and "more" not in request.POST and form.is_valid():
        seen = DisplayedHand(checked.hand, _read_displayed_line_pk(request, checked), form.cleaned_data["key"])
        with FormErrorHandler(form):
            after = dispute_hand(seat.card, seen, form.make_line(), by=seat.actor)
            messages.success(request, _describe_hand_check(seat, after.hands[checked.hand - 1]))
            return redirect(seat.make_url("card"))
    context: dict[str, Any] = {"seat": seat, "urls": seat.urls, "state": seat.state, "form": form}
    context |= {
        "number": checked.hand,
        "line": _read_displayed_line_pk(request, checked),
        "last_step": form.steps[-1].name,
    }
    context["written"] = describe_line(seat.state, checked.line.line)
    failed = request.method == "POST" and bool(form.errors)
    return render(request, "scoring/cards/player/other_figures.html", context, status=422 if failed else 200)


@require_POST
@player_view
def accept_other_players_figures(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    check = parse_number(request.POST.get("check", ""))
    accept_hand_check_figures(seat.card, check or 0, by=seat.actor, key=request.POST.get("key", ""))
    messages.success(request, _("The hand is corrected. Both players now have the same figures."))
    return redirect(seat.make_url("card"))


@require_POST
@player_view
def request_new_deck(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    record_new_deck(seat.card, by=seat.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Recorded. Take a new deck, and do not use the old one again."))
    return redirect(seat.make_url("card"))


def _describe_hand_check(seat: PlayerSeat, checked: CheckedHand) -> str:
    line = capitalize_first_letter(seat.state.name_line(checked.hand))
    if checked.is_disputed:
        return _("%s: both figures are on the card. Settle it before you sign.") % line
    return _("%s is confirmed. You both have the same figures.") % line


def _read_displayed_hand(request: HttpRequest) -> DisplayedHand:
    form = DisplayedHandForm(request.POST)
    if not form.is_valid():
        raise Conflict("line-changed", _("Look at the card again: this hand has been changed."))
    return form.displayed_hand


def _find_displayed_hand(seat: PlayerSeat, request: HttpRequest) -> CheckedHand:
    typed = request.POST.get("hand") or request.GET.get("hand") or ""
    for checked in load_card_checks(seat.state).hands:
        if str(checked.hand) == typed:
            return checked
    raise Conflict("line-changed", _("This hand is no longer on the card. Look at the card again."))


def _read_displayed_line_pk(request: HttpRequest, checked: CheckedHand) -> int:
    """Return the primary key of the line that the player saw, so that the service can detect a later change."""
    typed = parse_number(request.POST.get("seen", ""))
    return checked.line.pk if typed is None else typed


# --- The card on the table -------------------------------------------------------------------------------------------
# The QR code of a table's card opens /c/<card>/. Players identify themselves by link or by code.


class _IdentifyPlayerForm(forms.Form):
    """The form in which a player at the table enters their signing code, which identifies them."""

    who = forms.ChoiceField(label=gettext_lazy("You are"), widget=forms.RadioSelect)
    code = forms.CharField(
        label=gettext_lazy("Your signing code"), max_length=20, help_text=gettext_lazy("It is on your private page.")
    )

    def __init__(self, *args: Any, players: Iterable[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(str(who.pk), f"{who.name} ({who.number})") for who in players]
        self.fields["who"] = forms.ChoiceField(label=gettext_lazy("You are"), choices=choices, widget=forms.RadioSelect)


def show_card_on_shared_device(request: HttpRequest, card: str) -> HttpResponse:
    found = find_card_for_request(request, card)
    set_request_event(request, found)
    if request.method == "POST" and "leave" in request.POST:
        forget_player(request, found)
        return redirect("scoring:table_card", card=card)
    sitting = find_remembered_player(request, found)
    if sitting is not None:
        return render_card(request, load_player_seat(request, sitting, card, by_link=False))
    players = load_card_players(found)
    form = _IdentifyPlayerForm(request.POST or None, players=players)
    if request.method == "POST" and form.is_valid():
        who = next(w for w in players if str(w.pk) == form.cleaned_data["who"])
        try:
            require_signing_code(who, form.cleaned_data["code"])
        except DomainError as error:
            form.add_error("code", error.message)
        else:
            remember_player(request, found, who)
            return redirect("scoring:table_card", card=card)
    context = {**make_card_context(request, load_card_state(found)), "form": form}
    return render(request, "scoring/cards/public/table_card.html", context, status=422 if form.errors else 200)
