"""Calling time: the desk sees the open games and how the rule ends each, and closes them in one act."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from pairing.plans.selectors import traits_of
from scoring.card_state.selectors.cards import load_card
from scoring.cards.console.lines import card_of, show_card, to_card
from scoring.cards.forms.closing import LeftForm, ReopenForm, TimeForm
from scoring.cards.pages.tried import Tried
from scoring.cards.selectors.open_games import load_open_games, seen_of
from scoring.cards.services.closing import TimeCalled, call_time, close_left, take_back_closing
from scoring.rulesheets.selectors.sheets import current_sheet, unfinished_in_words, unsaved_sheet
from tournament.core.pages.access import ActorRequest, console_event
from tournament.models import Event

MOST_AT_ONCE = 150
"""The most games on the page. The others follow once these are closed."""


@console_event("desk")
def time(request: ActorRequest, event: Event) -> HttpResponse:
    games = load_open_games(event, request.GET.get("card", ""))
    groups = list(dict.fromkeys(game.group for game in games))
    wanted = request.GET.get("group", "")
    listed = [game for game in games if wanted in ("", game.group)]
    form = TimeForm(request.POST or None, games=listed[:MOST_AT_ONCE], directs="direct" in request.acts)
    if request.method == "POST" and form.is_valid():
        reason, key = form.cleaned_data.get("reason", ""), form.cleaned_data["key"]
        with Tried(form):
            _say(request, call_time(event, form.called(), by=request.actor, reason=reason, key=key))
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


def _say(request: ActorRequest, done: TimeCalled) -> None:
    said = [
        (messages.success, _("Closed: %s."), done.closed),
        (messages.info, _("The last hand is being played: %s."), done.waiting),
        (messages.warning, _("Waiting for the director: %s."), done.undecided),
        (messages.warning, _("Changed in the meantime, please look again: %s."), done.skipped),
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

        gives_up, kept = said["gives_up"] == "yes", {name: said[name] for name in ("reason", "key", "seen")}
        with Tried(form):
            close_left(state.card, said["side"], gives_up=gives_up, by=request.actor, **kept)
            messages.success(request, _("The game is closed."))
            return to_card(event, token)
    return show_card(request, load_card(token), left_form=form)


@require_POST
@console_event("desk")
def reopen(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    state = card_of(event, token)
    form = ReopenForm(request.POST)
    if form.is_valid():
        said, tried = form.cleaned_data, Tried(form, warns=True)
        override = "all the same" if said["override"] else ""
        with tried:
            take_back_closing(state.card, by=request.actor, reason=said["reason"], override=override, key=said["key"])
            messages.success(request, _("The closing is undone. The game is open again."))
            return to_card(event, token)
        for warning in tried.warnings:
            form.add_error(None, warning)
            form.ask_again()
    return show_card(request, load_card(token), reopen_form=form)
