"""The desk's pages of cards: hands, draw, totals, paper signatures, closed games, and entering paper cards."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.stages.selectors.plans import traits_of
from scoring.card_state.selectors.cards import load_card, load_match_cards
from scoring.card_state.selectors.players import load_meeting_at_table
from scoring.card_state.selectors.state import CardState, needs_no_winner
from scoring.card_state.tables import (
    describe_closing,
    describe_line,
    describe_substitutions,
    list_signatures,
    make_sheet_context,
)
from scoring.cards.forms.acts import (
    DeskForm,
    LeftForm,
    PaperSignatureForm,
    ReopenForm,
    RowFormSet,
    TimeForm,
    TotalsForm,
    board_group,
    fits_rows,
    fits_totals,
    row_headings,
)
from scoring.cards.forms.lines import DeskHandForm, SettleForm, TableDrawForm
from scoring.cards.pages import RefusalsOnForm, find_chosen_keeper, players_of_card
from scoring.cards.selectors.checks import load_card_checks
from scoring.cards.services.checks import accept_other_figures, settle_hand_as_written
from scoring.cards.services.closing import (
    TimeCallResult,
    call_time,
    close_abandoned_game,
    correct_totals,
    load_open_games,
    make_snapshot,
    reopen_game,
)
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_cut, record_draw
from scoring.cards.services.paper_cards import BadRows, enter_paper_card
from scoring.cards.services.signing import SeenCard, sign_on_paper
from scoring.cards.tables import describe_change, find_card_badge, make_checks_context
from scoring.disputes.tables.rulings import ruling_of_line
from scoring.models import SheetLine, StaffEntry
from scoring.posting.selectors.card_list import load_desk_cards, load_last_posted
from scoring.posting.selectors.card_status import load_card_status
from scoring.posting.selectors.results import find_card_in_play, load_void_cards
from scoring.posting.services.correction_period import EntryMismatch
from scoring.posting.services.opening import open_card
from scoring.posting.tables import describe_status, differs_in_words, load_clock_view, load_entry_views
from scoring.rules.variants.variant import says_totals
from scoring.rulesheets.selectors.sheets import current_sheet, unfinished_in_words, unsaved_sheet
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NeedsReason, NotFound
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


@console_event("look")
def lines(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    return _show_card(request, _find_card(event, token))


def _show_card(request: ActorRequest, state: CardState, **forms: Form) -> HttpResponse:
    """Render the card with its forms. Forms that are passed in were refused and have their errors."""
    context = {**_card_context(request, state), **forms}
    return render(request, "scoring/cards/console/lines.html", context, status=422 if forms else 200)


@require_POST
@console_event("desk")
def cut(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    record_cut(
        state.card, find_chosen_keeper(state.card, request.POST), by=request.actor, key=request.POST.get("key", "")
    )
    return _redirect_to_card(event, token)


@require_POST
@console_event("desk")
def table_draw(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = TableDrawForm(request.POST, state=state)
    if form.is_valid():
        cleaned = form.cleaned_data
        with RefusalsOnForm(form):
            record_draw(state.card, form.order, by=request.actor, reason=cleaned.get("reason", ""), key=cleaned["key"])
            messages.success(request, describe_change(state.card) if state.entered else _("The draw is recorded."))
            return _redirect_to_card(event, token)
    return _show_card(request, state, draw_form=form)


@require_POST
@console_event("desk")
def sign(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = PaperSignatureForm(request.POST, missing=list(state.signatures.missing_letters))
    if form.is_valid():
        cleaned = form.cleaned_data
        shown = SeenCard(cleaned["digest"], key=cleaned["key"])
        with RefusalsOnForm(form):
            sign_on_paper(state.card, cleaned["entrant"], cleaned["witness"], shown, by=request.actor)
            messages.success(request, _("The signature is recorded."))
            return _redirect_to_card(event, token)
    return _show_card(request, state, sign_form=form)


@console_event("desk")
def hand(request: ActorRequest, event: Event, token: str, number: int) -> HttpResponse:
    """Correct or strike out hand `number`, or add it if it is the next hand."""
    state = _find_card(event, token)
    if number > len(state.lines) + 1 or number < 1:
        raise NotFound("no-such-hand", _("There is no such hand on this score card. Look at the score card again."))
    old = state.lines[number - 1].line if number <= len(state.lines) else None
    if says_totals(old):
        return redirect("scoring:desk_totals", tournament=event.tournament.slug, event=event.slug, token=token)
    initial = DeskHandForm.initial_for(state, old) if old else DeskHandForm.initial_for_next(state)
    form = DeskHandForm(request.POST or None, state=state, initial=initial)
    tried, sent = RefusalsOnForm(form, state, warns=True), request.method == "POST" and "more" not in request.POST
    if sent and form.is_valid():
        with tried:
            _write_hand(request, state, number, form)
            messages.success(request, describe_change(state.card))
            return _redirect_to_card(event, token)
    context = {"state": state, "card": state.card, "form": form, "number": number, "corrects": bool(old)}
    context |= {"warnings": tried.warnings, "decide": tried.decide, "was": describe_line(state, old) if old else ""}
    context["ruling"] = ruling_of_line(state, number)
    return render(request, "scoring/cards/console/hand.html", context, status=422 if sent else 200)


@require_POST
@console_event("desk")
def settle(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    """Settle a hand on which two scorekeepers differ: it stays as it is written."""
    state = _find_card(event, token)
    form = SettleForm(request.POST)
    if form.is_valid():
        settle_hand_as_written(state.card, form.seen, by=request.actor, reason=form.cleaned_data["reason"])
        messages.success(request, _("Settled. The hand stays as written."))
    return _redirect_to_card(event, token)


@require_POST
@console_event("desk")
def take(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    check = typed_number(request.POST.get("check", ""))
    accept_other_figures(state.card, check or 0, by=request.actor, key=request.POST.get("key", ""))
    messages.success(request, _("Settled. The hand is corrected."))
    return _redirect_to_card(event, token)


def _write_hand(request: ActorRequest, state: CardState, number: int, form: DeskHandForm) -> None:
    cleaned = form.cleaned_data
    override, key = cleaned["override"], cleaned["key"]
    entry = LineEntry(form.line(), via=SheetLine.Via.DESK, key=key, hand=number, override=override)
    if number > len(state.lines):
        add_line(state.card, entry, by=request.actor)
        return
    replacement = None if "strike" in request.POST else entry
    correct_line(state.card, number, replacement, by=request.actor, reason=cleaned["reason"], key=key)


def _find_card(event: Event, token: str) -> CardState:
    """Return the card with this token.

    Raises:
        NotFound: there is no such card in this event.
    """
    state = load_card(token)
    if state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    return state


def _card_context(request: ActorRequest, state: CardState) -> dict[str, Any]:
    initial = {"digest": state.digest, "witness": request.actor.name}
    missing = [] if state.score.is_closed else list(state.signatures.missing_letters)
    is_open = not state.is_posted and not state.score.tally.complete
    of_two = len(state.seats) == 2 and not needs_no_winner(state.card)
    summary = describe_status(load_card_status(state))
    return {
        "closed": describe_closing(state),
        "keeping": make_checks_context(load_card_checks(state)),
        "clock": load_clock_view(state, timezone.now()),
        "summary": summary,
        "badge": find_card_badge(state, summary),
        "waits": load_entry_views(StaffEntry.objects.filter(card=state.card, decided__isnull=True), request.user),
        "is_open": is_open and state.card.match.event.state == Event.State.IN_PLAY,
        "left_form": LeftForm(state=state, seen=make_snapshot(state))
        if is_open and of_two and not state.closing
        else None,
        "reopen_form": ReopenForm() if state.score.verdict is not None else None,
        "draw_form": TableDrawForm(state=state) if state.draw.has_separate_draw else None,
        "state": state,
        "card": state.card,
        "sheet": make_sheet_context(state),
        "came": describe_substitutions(state),
        "signatures": list_signatures(state, devices=True),
        "keepers": [(who.pk, who.name, who.pk == state.keeper_id) for who in players_of_card(state.card)],
        "hands": [(number, describe_line(state, state.lines[number - 1].line)) for number in state.hand_numbers],
        "judges": state.sheet.variant.knock_rule(None) is not None,
        "next_hand": len(state.lines) + 1,
        "sign_form": PaperSignatureForm(missing=missing, initial=initial) if missing else None,
    }


def _redirect_to_card(event: Event, token: str) -> HttpResponse:
    return redirect("scoring:desk_card_lines", tournament=event.tournament.slug, event=event.slug, token=token)


# --- Cards that were entered by their totals -------------------------------------------------------------------------


@console_event("desk")
def totals(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    if not state.is_by_totals:
        return _redirect_to_card(event, token)
    form = TotalsForm(request.POST or None, state=state)
    tried = RefusalsOnForm(form, state, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            _write_totals(request, state, form)
            messages.success(request, describe_change(state.card))
            return _redirect_to_card(event, token)
    card_status = load_card_status(state)
    swapped = dict(zip(state.names, reversed(state.score.entered_totals.values()), strict=True))
    context: dict[str, Any] = {"state": state, "card": state.card, "form": form, "swapped": swapped}
    context |= {"warnings": tried.warnings, "decide": tried.decide, "clock": load_clock_view(state, timezone.now())}
    context |= {"summary": describe_status(card_status), "by_desk": card_status.is_by_desk}
    context |= {"strikes": says_totals(state.lines[0].line), "void": bool(load_void_cards([state.card]))}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/console/totals.html", context, status=status)


def _write_totals(request: ActorRequest, state: CardState, form: TotalsForm) -> None:
    by, cleaned = request.actor, form.cleaned_data
    if form.strikes:
        correct_line(state.card, 1, None, by=by, reason=cleaned["reason"], key=cleaned["key"])
        return
    kept = {name: cleaned[name] for name in ("seen", "reason", "override", "key")}
    correct_totals(state.card, form.totals(), by=by, **kept)


# --- Calling time and closing games ----------------------------------------------------------------------------------

MOST_GAMES_LISTED = 150
"""The most games on the page. The others follow once these are closed."""


@console_event("desk")
def time(request: ActorRequest, event: Event) -> HttpResponse:
    games = load_open_games(event, request.GET.get("card", ""))
    groups = list(dict.fromkeys(game.group for game in games))
    wanted = request.GET.get("group", "")
    listed = [game for game in games if wanted in ("", game.group)]
    form = TimeForm(request.POST or None, games=listed[:MOST_GAMES_LISTED], directs="direct" in request.acts)
    if request.method == "POST" and form.is_valid():
        reason, key = form.cleaned_data.get("reason", ""), form.cleaned_data["key"]
        with RefusalsOnForm(form):
            _flash_results(request, call_time(event, form.called(), by=request.actor, reason=reason, key=key))
            return redirect(request.get_full_path())
    sheet = current_sheet(event) or unsaved_sheet(event)
    context = {
        "form": form,
        "rows": form.rows,
        "rule": unfinished_in_words(sheet),
        "groups": [(name, name == wanted) for name in groups] if len(groups) > 1 or wanted else [],
        "wanted": wanted,
        "one": request.GET.get("card", ""),
        "more": max(0, len(listed) - MOST_GAMES_LISTED),
        "turns": traits_of(event).one_card,
        "typed": any(game.takes_totals for game in listed),
    }
    return render(request, "scoring/cards/console/time.html", context, status=422 if form.errors else 200)


def _flash_results(request: ActorRequest, done: TimeCallResult) -> None:
    results = [
        (messages.success, _("Closed: %s."), done.closed),
        (messages.info, _("The last hand is being played: %s."), done.waiting),
        (messages.warning, _("Waiting for the director: %s."), done.undecided),
        (messages.warning, _("Changed in the meantime, please look again: %s."), done.skipped),
    ]
    for add, sentence, names in results:
        if names:
            add(request, sentence % "; ".join(names))


@require_POST
@console_event("desk")
def left(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = LeftForm(request.POST, state=state, seen=make_snapshot(state))
    if form.is_valid():
        cleaned = form.cleaned_data
        gives_up, kept = cleaned["gives_up"] == "yes", {name: cleaned[name] for name in ("reason", "key", "seen")}
        with RefusalsOnForm(form):
            close_abandoned_game(state.card, cleaned["side"], gives_up=gives_up, by=request.actor, **kept)
            messages.success(request, _("The game is closed."))
            return _redirect_to_card(event, token)
    return _show_card(request, load_card(token), left_form=form)


@require_POST
@console_event("desk")
def reopen(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = _find_card(event, token)
    form = ReopenForm(request.POST)
    if form.is_valid():
        cleaned, tried = form.cleaned_data, RefusalsOnForm(form, warns=True)
        override = "all the same" if cleaned["override"] else ""
        with tried:
            reopen_game(state.card, by=request.actor, reason=cleaned["reason"], override=override, key=cleaned["key"])
            messages.success(request, _("The closing is undone. The game is open again."))
            return _redirect_to_card(event, token)
        for warning in tried.warnings:
            form.add_error(None, warning)
            form.ask_again()
    return _show_card(request, load_card(token), reopen_form=form)


# --- Paper cards -----------------------------------------------------------------------------------------------------
# The desk's page for a paper card, for typing alone: the table's number, the totals or the hands, Enter.

Mark = TypeVar("Mark")


@console_event("desk")
def desk_card(request: ActorRequest, event: Event) -> HttpResponse:
    context: dict[str, Any] = {"last": load_last_posted(event), "table": request.GET.get("table", "")}
    try:
        state = _find_sought_card(event, request.GET, request.actor)
    except DomainError as error:
        return render(request, "scoring/cards/desk_entry/console.html", {**context, "refused": error.message})
    if state is None:
        cards = load_desk_cards(event, "open", timezone.now())
        context |= {"nothing_open": not cards, "nobody_plays": not any(card.state.table for card in cards)}
        return render(request, "scoring/cards/desk_entry/console.html", context)
    if not (fits_rows(state) or fits_totals(state)):  # a line of several hands is entered on the card's own page
        page, token = "scoring:desk_card_lines", state.card.token
        return redirect(page, tournament=event.tournament.slug, event=event.slug, token=token)
    by_rows = fits_rows(state) and (request.GET.get("by") == "hands" or not fits_totals(state))
    data = request.POST or None
    form = DeskForm(data, state=state, by_rows=by_rows, initial={"witness": request.actor.name})
    rows = RowFormSet(data, form_kwargs={"state": state}, prefix="row") if by_rows else None
    if rows is not None:
        rows.extra = len(state.line_names) or rows.extra  # a game of thirteen hands has no fourteenth line
    context |= {"state": state, "card": state.card, "form": form, "rows": rows, "marks": {}, "by_rows": by_rows}
    context |= {"fits_rows": fits_rows(state), "fits_totals": fits_totals(state)}
    if request.method == "POST" and form.is_valid() and (rows is None or rows.is_valid()):
        posted = _enter_paper(request, state, context)
        if posted is not None:
            return redirect(request.path + ("?by=hands" if request.GET.get("by") == "hands" else ""))
    if rows is not None:
        next(iter(rows[0].fields.values())).widget.attrs["autofocus"] = True
        context["lines"] = [(i + 1, row, context["marks"].get(i, "")) for i, row in enumerate(rows)]
        headings, group = row_headings(state), board_group(state)
        context |= {"headings": headings, "row_width": sum(heading["span"] for heading in headings)}
        context |= {"boards": len(rows[0].boards), "board_name": group.label if group else ""}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/desk_entry/console.html", context, status=status)


def _find_sought_card(event: Event, typed: QueryDict, actor: Actor) -> CardState | None:
    """Return the card by its token, or the one in play at a table. Return None if nothing is typed yet."""
    token = typed.get("card")
    if token:
        state = load_card(token)
        if state.card.match.event_id != event.pk:
            raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
        return state
    asked = typed.get("table", "")
    if not asked.strip():
        return None
    table = typed_number(asked)
    if table is None:
        raise DomainError("no-table", _("Enter a table number."))
    meeting = load_meeting_at_table(event, table)
    cards = load_match_cards(meeting.match.pk, meeting.key)
    return find_card_in_play(cards) or load_card(open_card(meeting, len(cards) + 1, by=actor).token)


def _enter_paper(request: ActorRequest, state: CardState, context: dict[str, Any]) -> CardState | None:
    """Return the card after entering it, or None if it was refused. Then the context has the reasons."""
    form, rows = context["form"], context["rows"]
    typed = tuple(row.row() for row in rows if row.has_changed()) if rows is not None else ()
    try:
        after = enter_paper_card(state.card, form.paper(typed), by=request.actor)
    except BadRows as error:
        context["marks"] = _by_form_row(rows, error.data["rows"])
        form.add_error(None, _("Some hands cannot be right. They are marked below."))
    except NeedsReason as error:
        context["warnings"] = error.data["warnings"]
        context["marks"] = _by_form_row(rows, error.data.get("slips", {}))
        for number, letters in _by_form_row(rows, error.data.get("wrong", {})).items():
            # Only the running totals that are wrong are marked, not the rest of their lines.
            for letter in letters:
                rows[number].fields[f"run_{letter}"].widget.attrs["aria-invalid"] = "true"
            rows[number].has_wrong_totals = True
    except EntryMismatch as error:
        form.add_error(None, differs_in_words(state, error))
    except DomainError as error:
        form.add_error(None, error.message)
    else:
        messages.success(request, _entered_message(after))
        return after
    return None


def _entered_message(state: CardState) -> str:
    if StaffEntry.objects.filter(card=state.card, kind=StaffEntry.Kind.CARD, decided__isnull=True).exists():
        return _("Entered. It counts when a second person confirms it under “Entries to confirm”.")
    if state.is_posted:
        return _("Posted: %s.") % state.score.line
    missing = ", ".join(state.signatures.missing_names)
    return _("Entered: %(score)s. Not signed yet: %(missing)s.") % {"score": state.score.line, "missing": missing}


def _by_form_row(rows: Any, marks: Mapping[int, Mark]) -> dict[int, Mark]:
    """Return the marks by row of the form. Empty rows between the hands are not counted in `marks`."""
    if rows is None:
        return {}
    filled = [i for i, row in enumerate(rows) if row.has_changed()]
    return {filled[number]: mark for number, mark in marks.items() if number < len(filled)}
