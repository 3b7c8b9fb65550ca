"""Pages that show the effects of an act before it is confirmed: a result, a withdrawal, a return, an undone draw."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.blind_draw.services import take_back
from pairing.desk.forms import EntrantActForm
from pairing.desk.services.pairings import give_bye, penalize
from pairing.models import MatchResult
from pairing.ports import score_cards
from pairing.results.forms import (
    BringBackForm,
    ChoicesForm,
    LateEntryForm,
    RemoveForm,
    UndoForm,
    WalkoversForm,
    read_choices,
)
from pairing.results.pages import PlannedAct, preview_or_apply
from pairing.results.selectors.late_entries import load_late_entry_terms
from pairing.results.selectors.results import load_walkovers_won
from pairing.results.services.corrections import bring_back_in_play, load_games_after_undo, undo_result
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import remove_entrant
from pairing.results.tables import later_game_choice_text, later_game_choices
from pairing.stages.forms import ReasonForm
from pairing.stages.pictures.boxes import name_match
from pairing.stages.selectors.boards import load_match, load_results
from pairing.stages.selectors.plans import traits_of
from pairing.stages.services.stages import take_back_stage
from pairing.stages.services.tables import take_back_seating
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link
from tournament.errors import NotFound
from tournament.models import Entrant, EntrantFact, Event
from tournament.ports import upper_pages

REMOVALS: Final = {
    EntrantFact.Kind.WITHDRAWN.value: (
        gettext_lazy("Withdraw %(name)s from %(event)s?"),
        gettext_lazy("Withdraw %(name)s"),
    ),
    EntrantFact.Kind.NO_SHOW.value: (
        gettext_lazy("Mark %(name)s as a no-show in %(event)s?"),
        gettext_lazy("Mark %(name)s as a no-show"),
    ),
    EntrantFact.Kind.DISQUALIFIED.value: (
        gettext_lazy("Disqualify %(name)s from %(event)s?"),
        gettext_lazy("Disqualify %(name)s"),
    ),
}
"""The question and the button label for each kind of removal."""


@console_event("desk")
def out(request: ActorRequest, event: Event) -> HttpResponse:
    """Withdraw or disqualify a player, or mark a no-show, after showing who gets a walkover."""
    form = RemoveForm(request.POST or None, event=event, initial={"entrant": request.GET.get("entrant")})
    if not form.is_valid():
        return _form(request, _("Withdraw a player"), form)
    entrant, kind = form.cleaned_data["entrant"], form.cleaned_data["kind"]
    asked, label = REMOVALS[kind]
    names = {"name": entrant.name, "event": event.name}
    opponents = dict(event.entrants.values_list("number", "name"))
    won = [(match, opponents[number]) for match, number in load_walkovers_won(entrant)]
    walkovers = WalkoversForm(request.POST, name=entrant.name, won=won)
    plan = PlannedAct(
        event=event,
        title=asked % names,
        act=partial(remove_entrant, entrant, kind, forfeited=walkovers.forfeited),
        label=label % names,
        explanation=_("Results stand. Every open match becomes a walkover for the opponent."),
        form=form,
        success_message=_("%(name)s is out of the event.") % names,
        next_url=event_link(event, "pairing:desk_results"),
        danger=True,
        choices=walkovers if won else None,
        extra_context={
            "later_title": _("Matches won without play"),
            "later_says": _("The opponent left first. Choose whether the win stays on record."),
        },
    )
    return preview_or_apply(request, plan)


@console_event("direct")
def back_in(request: ActorRequest, event: Event) -> HttpResponse:
    """Bring a removed player back, after showing which walkovers become matches again."""
    form = BringBackForm(request.POST or None, event=event)
    if not form.is_valid():
        return _form(request, _("Bring a player back"), form)
    entrant = form.cleaned_data["entrant"]
    names = {"name": entrant.name, "event": event.name}
    plan = PlannedAct(
        event=event,
        title=_("Bring %(name)s back into %(event)s?") % names,
        act=partial(bring_back_in_play, entrant),
        label=_("Bring %(name)s back") % names,
        explanation=_("Open walkovers become matches again. A walkover stands where the opponent has played on."),
        form=form,
        success_message=_("%(name)s is back in the event.") % names,
        next_url=event_link(event, "pairing:desk_results"),
    )
    return preview_or_apply(request, plan)


@console_event("desk")
def undo(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    """Undo the last result of a match, after showing what counts again."""
    if traits_of(event).one_card:
        return redirect(upper_pages().desk, event.tournament.slug, event.slug)
    match = load_match(event, ident)
    recorded = load_results(match) if match is not None else []
    if not recorded:
        raise NotFound("no-match", _("This match has no result. Choose one on the results page."))
    form = UndoForm(request.POST or None, seen=recorded[0].pk)
    title = _("Undo the last result of %(match)s?") % {"match": name_match(recorded[0].match)}
    if form.is_valid():
        return preview_or_apply(request, _undo_plan(request, recorded[0], form, title))
    ruling, warning = score_cards().load_rulings_of([recorded[0].pk]).get(recorded[0].pk), ""
    if ruling is not None:
        warning = _("%(ruling)s, set this result. Undoing it goes against the ruling, and everybody can see that.") % {
            "ruling": ruling.title
        }
    return _form(request, title, form, warning)


def _undo_plan(request: ActorRequest, last: MatchResult, form: UndoForm, title: str) -> PlannedAct:
    """Return the plan for undoing a result, with a choice for each later pool game that was paired by it."""
    match = last.match
    later = load_games_after_undo(match.event, last, read_choices(request.POST))
    choices = ChoicesForm(request.POST, touched=later_game_choices(match.event, later))
    act = partial(undo_result, match, seen=form.cleaned_data["seen"], choices=choices.choices)
    listed = tuple(request.POST.get("listed", "").split())
    return PlannedAct(
        event=match.event,
        title=title,
        act=lambda *, key, **given: act(key=key, listed=listed if key else None, **given),
        label=_("Undo the result of %(match)s") % {"match": name_match(match)},
        explanation=_("The result before it counts again, for later matches too. If there is none, the match is open."),
        form=form,
        success_message=_("%(match)s: the last result is undone.") % {"match": name_match(match)},
        next_url=event_link(match.event, "pairing:desk_results"),
        first=match.ident,
        choices=choices if choices.choices else None,
        extra_context=later_game_choice_text(match.event, later) | {"listed": " ".join(later.touched)},
    )


UNDOABLE_STEPS: Final[Mapping[str, tuple[Callable[..., object], str, Mapping[str, Any]]]] = {
    "draw": (
        take_back,
        "pairing:desk_draw",
        {
            "title": gettext_lazy("Undo the draw of %(event)s?"),
            "label": gettext_lazy("Undo the draw"),
            "explanation": gettext_lazy("The draw stays on record with your reason, and the list is sealed again."),
            "success_message": gettext_lazy("The draw is undone. It stays on record, and the list is sealed again."),
        },
    ),
    "stage": (
        take_back_stage,
        "pairing:desk_stages",
        {
            "title": gettext_lazy("Undo the opening of the last stage of %(event)s?"),
            "label": gettext_lazy("Undo the stage"),
            "explanation": gettext_lazy(
                "It stays on record with your reason. The stage before it counts again, and can be corrected."
            ),
            "success_message": gettext_lazy("The stage is undone. It stays on record."),
        },
    ),
    "seating": (
        take_back_seating,
        "pairing:desk_seatings",
        {
            "title": gettext_lazy("Undo the table assignments of the last round of %(event)s?"),
            "label": gettext_lazy("Undo the table assignments"),
            "explanation": gettext_lazy("They stay on record with your reason, and everybody can read it."),
            "success_message": gettext_lazy("The table assignments are undone. They stay on record."),
        },
    ),
}
"""The acts that can be undone until play has gone on: the service, the page to redirect to, and the texts."""


@console_event("direct")
def back(request: ActorRequest, event: Event, what: str) -> HttpResponse:
    """Undo a draw, a stage, or the last table assignments, after showing what else is undone with it."""
    undo_step, page, texts = UNDOABLE_STEPS[what]
    form, title = ReasonForm(request.POST or None), texts["title"] % {"event": event.name}
    if not form.is_valid():
        return _form(request, title, form)
    plan = PlannedAct(
        event=event,
        act=lambda *, key, **given: undo_step(event, **given),
        form=form,
        next_url=event_link(event, page),
        danger=True,
        **{**texts, "title": title},
    )
    return preview_or_apply(request, plan)


@console_event("desk")
def join(request: ActorRequest, event: Event) -> HttpResponse:
    """Add a late entry to a pool, after showing where the entrant would stand."""
    late = load_late_entry_terms(event)
    if late is None:
        says = _("Nobody can join now. The pairings are fixed, or nothing is drawn yet.")
        return _form(request, _("A late entry"), forms.Form(), says)
    form = LateEntryForm(request.POST or None, event=event, late=late)
    if not form.is_valid():
        nobody = _("There is no entrant who could join “%(stage)s”. Add the player to the list of entrants first.")
        says = "" if late.numbers else nobody % {"stage": late.stage}
        return _form(request, _("Late entry: “%(stage)s”") % {"stage": late.stage}, form, says)
    entrant = form.cleaned_data["entrant"]
    plan = PlannedAct(
        event=event,
        title=_("Add %(name)s to “%(stage)s”?") % {"name": entrant.name, "stage": late.stage},
        act=partial(join_stage, entrant, **form.missed),
        label=_("Add %(name)s") % {"name": entrant.name},
        explanation=_("They play every game that is still to come, and are checked in."),
        form=form,
        success_message=_("%(name)s plays from now on.") % {"name": entrant.name},
        next_url=event_link(event, "pairing:desk_stages"),
    )
    return preview_or_apply(request, plan)


@console_event("direct")
def penalty(request: ActorRequest, event: Event) -> HttpResponse:
    """Penalize an entrant with the loss of a game outside any match, after showing the new standing."""
    form = EntrantActForm(request.POST or None, prefix="penalty")
    says = _("The entrant loses one game, and nobody gets the win. Do it for each of the two.")
    entrant = _find_entrant(event, form) if form.is_valid() else None
    if entrant is None:
        return _form(request, _("Penalty for an unmatched game"), form, says)
    plan = PlannedAct(
        event=event,
        title=_("Penalize %(name)s with the loss of a game?") % {"name": entrant.name},
        act=partial(penalize, entrant),
        label=_("Penalize %(name)s") % {"name": entrant.name},
        explanation=says,
        form=form,
        success_message=_("%(name)s got the penalty of one lost game.") % {"name": entrant.name},
        next_url=event_link(event, "pairing:desk_pairing"),
        danger=True,
    )
    return preview_or_apply(request, plan)


@console_event("desk")
def bye(request: ActorRequest, event: Event) -> HttpResponse:
    """Give a bye to a player without an opponent, after showing the win and the new standing."""
    form = EntrantActForm(request.POST or None)
    says = _("A bye counts as a win, and the win can put a player into the next stage.")
    entrant = _find_entrant(event, form) if form.is_valid() else None
    if entrant is None:
        return _form(request, _("Give a bye"), form, says)
    plan = PlannedAct(
        event=event,
        title=_("Give %(name)s a bye?") % {"name": entrant.name},
        act=partial(give_bye, entrant),
        label=_("Give %(name)s a bye") % {"name": entrant.name},
        explanation=says,
        form=form,
        success_message=_("%(name)s has a bye.") % {"name": entrant.name},
        next_url=event_link(event, "pairing:desk_pairing"),
    )
    return preview_or_apply(request, plan)


def _find_entrant(event: Event, form: EntrantActForm) -> Entrant | None:
    found = event.entrants.filter(number=form.cleaned_data["number"]).select_related("event__tournament").first()
    if found is None:
        form.add_error("number", _("There is no entrant with this number. Look at the list of entrants."))
    return found


def _form(request: ActorRequest, title: str, form: forms.Form, says: str = "") -> HttpResponse:
    status = 422 if form.errors else 200
    context = {"title": title, "form": form, "says": says}
    return render(request, "pairing/results/corrections/effects_form.html", context, status=status)
