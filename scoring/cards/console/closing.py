"""Time is called: the games that are still open, what the rule makes of each, and one act that closes them."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.plans.selectors import traits_of
from scoring.card_state.selectors.cards import CardState, load_card
from scoring.cards.console.lines import card_of, show_card
from scoring.cards.forms.closing import LeftForm, ReopenForm, TimeForm
from scoring.cards.selectors.open_games import load_open_games, seen_of
from scoring.cards.services.closing import TimeCalled, call_time, close_left, take_back_closing
from scoring.rulesheets.selectors.sheets import current_sheet, unfinished_in_words, unsaved_sheet
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import DomainError, NeedsReason
from tournament.models import Event

MOST_AT_ONCE = 150
"""So many games stand on the page; the others follow when these are closed."""


@console_event("desk")
def time(request: ActorRequest, event: Event) -> HttpResponse:
    games = load_open_games(event, request.GET.get("card", ""))
    groups = list(dict.fromkeys(game.group for game in games))
    wanted = request.GET.get("group", "")
    listed = [game for game in games if wanted in ("", game.group)]
    form = TimeForm(request.POST or None, games=listed[:MOST_AT_ONCE], directs="direct" in request.acts)
    if request.method == "POST" and form.is_valid():
        done = _call(request, event, form)
        if done is not None:
            _say(request, done)
            return redirect(request.get_full_path())
    sheet = current_sheet(event) or unsaved_sheet(event)
    context = {
        "form": form,
        "rows": form.rows,
        "rule": unfinished_in_words(sheet),
        "groups": [(name, name == wanted) for name in groups] if len(groups) > 1 or wanted else [],
        "wanted": wanted,
        "one": request.GET.get("card", ""),
        "more": max(0, len(listed) - MOST_AT_ONCE),
        "turns": traits_of(event).one_card,
        "typed": any(game.takes_totals for game in listed),
    }
    return render(request, "scoring/cards/console/time.html", context, status=422 if form.errors else 200)


def _call(request: ActorRequest, event: Event, form: TimeForm) -> TimeCalled | None:
    cleaned = form.cleaned_data
    try:
        return call_time(event, form.called(), by=request.actor, reason=cleaned.get("reason", ""), key=cleaned["key"])
    except DomainError as error:
        form.add_error("reason" if error.code == "reason-needed" and "reason" in form.fields else None, error.message)
    return None


def _say(request: ActorRequest, done: TimeCalled) -> None:
    said = [
        (messages.success, _("Closed: %s."), done.closed),
        (messages.info, _("The last hand is played out: %s."), done.waiting),
        (messages.warning, _("The director decides: %s."), done.undecided),
        (messages.warning, _("Changed meanwhile, look again: %s."), done.skipped),
    ]
    for add, sentence, names in said:
        if names:
            add(request, sentence % "; ".join(names))


@require_POST
@console_event("desk")
def left(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    form = LeftForm(request.POST, state=state, seen=seen_of(state))
    if form.is_valid():
        said = form.cleaned_data

        def close() -> CardState:
            return close_left(
                state.card,
                said["side"],
                gives_up=said["gives_up"] == "yes",
                by=request.actor,
                reason=said["reason"],
                key=said["key"],
                seen=said["seen"],
            )

        if _done(form, close):
            messages.success(request, _("The game is closed."))
            return _back(event, token)
    return show_card(request, load_card(token), left_form=form)


@require_POST
@console_event("desk")
def reopen(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    form = ReopenForm(request.POST)
    if form.is_valid():
        said = form.cleaned_data
        override = "all the same" if said["override"] else ""

        def take_back() -> CardState:
            return take_back_closing(
                state.card, by=request.actor, reason=said["reason"], override=override, key=said["key"]
            )

        if _done(form, take_back):
            messages.success(request, _("The closing is taken back: the game is open again."))
            return _back(event, token)
    return show_card(request, load_card(token), reopen_form=form)


def _done(form: LeftForm | ReopenForm, act: Callable[[], CardState]) -> bool:
    """Whether it went through; else the form says why not."""
    try:
        act()
    except NeedsReason as warned:
        form.add_error(None, warned.message)
        if isinstance(form, ReopenForm):
            form.ask_again()
    except DomainError as error:
        form.add_error("reason" if error.code == "reason-needed" else None, error.message)
    else:
        return True
    return False


def _back(event: Event, token: str) -> HttpResponse:
    return redirect("scoring:desk_card_lines", tournament=event.tournament.slug, event=event.slug, token=token)
