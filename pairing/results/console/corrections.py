"""Staff pages that show the effects of a change before it is recorded.

There are pages to remove a player or bring one back, to undo a result, a draw, or a stage, to add a late entry to a
pool, and to record a penalty or a bye.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from django import forms
from django.core.validators import MaxValueValidator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.blind_draw.services import take_back_draw
from pairing.desk.services.pairings import give_bye, penalize_entrant
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.results import ResultCause
from pairing.models import Match, MatchResult
from pairing.ports import score_cards
from pairing.results.forms import (
    LATER_MATCH_FIELD_PREFIX,
    MISSED_GAMES_CHOICES,
    BringBackEntrantForm,
    LateEntryForm,
    LaterMatchesForm,
    RemoveEntrantForm,
    read_later_match_choices,
)
from pairing.results.pages import PreviewedAction, preview_or_apply_action
from pairing.results.selectors.late_entries import LateEntryTerms, load_late_entry_terms
from pairing.results.selectors.results import load_walkovers_won
from pairing.results.services.corrections import bring_back_entrant, load_effects_of_undo, undo_result
from pairing.results.services.late_entries import join_stage
from pairing.results.services.results import remove_entrant
from pairing.results.tables import list_later_game_choices, make_later_game_choice_context
from pairing.stages.forms import ReasonForm
from pairing.stages.pictures.boxes import format_full_match_name
from pairing.stages.selectors.boards import load_match, load_match_results
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.services.stages import take_back_stage
from pairing.stages.services.tables import take_back_seating
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import make_event_url
from tournament.errors import NotFound
from tournament.models import EntrantFact, Event
from tournament.ports import higher_app_url_names

REMOVAL_TEXTS: Final = {
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


class _WalkoversForm(forms.Form):
    """A form for removing a player. The form asks whether the player's own walkover wins still count.

    The player got these wins because an opponent had left earlier.
    """

    def __init__(self, data: Mapping[str, Any], *, name: str, won: Sequence[tuple[Match, str]]) -> None:
        """Add a field for each match in `won`, with the submitted choice from `data`.

        Each item of `won` is a match and the name of the opponent.
        """
        super().__init__()
        self.forfeited = [
            match
            for match, _opponent in won
            if data.get(f"{LATER_MATCH_FIELD_PREFIX}{match.ident}") == ResultCause.FORFEIT
        ]
        for match, opponent in won:
            words = {"name": name, "opponent": opponent, "match": format_full_match_name(match)}
            self.fields[f"{LATER_MATCH_FIELD_PREFIX}{match.ident}"] = forms.ChoiceField(
                label=_("%(match)s: %(opponent)s left the event before it was played") % words,
                choices=[
                    (ResultCause.WALK_OVER.value, _("%(name)s keeps the win by walkover") % words),
                    (ResultCause.FORFEIT.value, _("Both forfeited: nobody wins it")),
                ],
                widget=forms.RadioSelect,
                initial=(ResultCause.FORFEIT if match in self.forfeited else ResultCause.WALK_OVER).value,
            )


@staff_event_view("desk")
def remove_player(request: ActorRequest, event: Event) -> HttpResponse:
    """Withdraw or disqualify a player, or record a no-show, after a preview of the walkovers."""
    form = RemoveEntrantForm(request.POST or None, event=event, initial={"entrant": request.GET.get("entrant")})
    if not form.is_valid():
        return _render_form_page(request, _("Withdraw a player"), form)
    entrant, kind = form.cleaned_data["entrant"], form.cleaned_data["kind"]
    question, label = REMOVAL_TEXTS[kind]
    names = {"name": entrant.name, "event": event.name}
    opponents = dict(event.entrants.values_list("number", "name"))
    won = [(match, opponents[number]) for match, number in load_walkovers_won(entrant)]
    walkovers = _WalkoversForm(request.POST, name=entrant.name, won=won)
    plan = PreviewedAction(
        event=event,
        title=question % names,
        act=partial(remove_entrant, entrant, kind, forfeited=walkovers.forfeited),
        label=label % names,
        explanation=_("Results stand. Every open match becomes a walkover for the opponent."),
        form=form,
        success_message=_("%(name)s is out of the event.") % names,
        next_url=make_event_url(event, "pairing:desk_results"),
        danger=True,
        choices=walkovers if won else None,
        extra_context={
            "later_title": _("Matches won without play"),
            "later_says": _("The opponent left first. Choose whether the win stays on record."),
        },
    )
    return preview_or_apply_action(request, plan)


@staff_event_view("direct")
def bring_back_player(request: ActorRequest, event: Event) -> HttpResponse:
    """Bring back a removed player, after showing which walkovers would become matches again."""
    form = BringBackEntrantForm(request.POST or None, event=event)
    if not form.is_valid():
        return _render_form_page(request, _("Bring a player back"), form)
    entrant = form.cleaned_data["entrant"]
    names = {"name": entrant.name, "event": event.name}
    plan = PreviewedAction(
        event=event,
        title=_("Bring %(name)s back into %(event)s?") % names,
        act=partial(bring_back_entrant, entrant),
        label=_("Bring %(name)s back") % names,
        explanation=_("Open walkovers become matches again. A walkover stands where the opponent has played on."),
        form=form,
        success_message=_("%(name)s is back in the event.") % names,
        next_url=make_event_url(event, "pairing:desk_results"),
    )
    return preview_or_apply_action(request, plan)


class _UndoForm(IdempotentForm):
    reason = forms.CharField(label=gettext_lazy("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seen: int = 0, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seen"].initial = seen


@staff_event_view("desk")
def undo_match_result(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    """Undo a match's latest result after a preview."""
    if load_stage_traits(event).one_card:
        return redirect(higher_app_url_names().desk, event.tournament.slug, event.slug)
    match = load_match(event, ident)
    recorded = load_match_results(match) if match is not None else []
    if not recorded:
        raise NotFound("no-match", _("This match has no result. Choose one on the results page."))
    form = _UndoForm(request.POST or None, seen=recorded[0].pk)
    title = _("Undo the last result of %(match)s?") % {"match": format_full_match_name(recorded[0].match)}
    if form.is_valid():
        return preview_or_apply_action(request, _make_undo_action(request, recorded[0], form, title))
    ruling, warning = score_cards().load_ruling_statements([recorded[0].pk]).get(recorded[0].pk), ""
    if ruling is not None:
        warning = _("%(ruling)s, set this result. Undoing it goes against the ruling, and everybody can see that.") % {
            "ruling": ruling.title
        }
    return _render_form_page(request, title, form, warning)


def _make_undo_action(request: ActorRequest, last: MatchResult, form: _UndoForm, title: str) -> PreviewedAction:
    """Return the action that undoes a result.

    The preview page asks about each later pool game that was paired based on this result.
    """
    match = last.match
    later = load_effects_of_undo(match.event, last, read_later_match_choices(request.POST))
    choices = LaterMatchesForm(request.POST, touched=list_later_game_choices(match.event, later))
    act = partial(undo_result, match, seen=form.cleaned_data["seen"], choices=choices.choices)
    listed = tuple(request.POST.get("listed", "").split())
    return PreviewedAction(
        event=match.event,
        title=title,
        act=lambda *, key, **given: act(key=key, listed=listed if key else None, **given),
        label=_("Undo the result of %(match)s") % {"match": format_full_match_name(match)},
        explanation=_("The result before it counts again, for later matches too. If there is none, the match is open."),
        form=form,
        success_message=_("%(match)s: the last result is undone.") % {"match": format_full_match_name(match)},
        next_url=make_event_url(match.event, "pairing:desk_results"),
        first=match.ident,
        choices=choices if choices.choices else None,
        extra_context=make_later_game_choice_context(match.event, later) | {"listed": " ".join(later.affected_matches)},
    )


UNDO_ACTIONS: Final[Mapping[str, tuple[Callable[..., object], str, Mapping[str, Any]]]] = {
    "draw": (
        take_back_draw,
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
"""The steps that can be undone before play continues: a draw, a stage, or table assignments.

Each step has the service that undoes it, the page to redirect to, and the texts of the preview page.
"""


@staff_event_view("direct")
def undo_draw_or_stage(request: ActorRequest, event: Event, what: str) -> HttpResponse:
    """Undo a draw, a stage, or the latest table assignments, after a preview."""
    undo, page, texts = UNDO_ACTIONS[what]
    form, title = ReasonForm(request.POST or None), texts["title"] % {"event": event.name}
    if not form.is_valid():
        return _render_form_page(request, title, form)
    plan = PreviewedAction(
        event=event,
        act=lambda *, key, **given: undo(event, **given),
        form=form,
        next_url=make_event_url(event, page),
        danger=True,
        **{**texts, "title": title},
    )
    return preview_or_apply_action(request, plan)


class _LateEntryForm(LateEntryForm):
    """A form for adding an entrant to a pool in progress: the entrant, the reason, and how missed games count."""

    games = forms.IntegerField(label=gettext_lazy("Games that count as missed"), min_value=0)
    counts_as = forms.ChoiceField(label=gettext_lazy("Each missed game counts as"), choices=MISSED_GAMES_CHOICES)
    field_order = ("entrant", "games", "counts_as", "reason")

    def __init__(self, data: Any = None, *, event: Event, late: LateEntryTerms) -> None:
        initial = {"games": late.default_missed_games, "counts_as": late.missed_games_policy.value}
        super().__init__(data, event=event, numbers=late.numbers, initial=initial)
        if not late.max_missed_games:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.max_missed_games))
        about = gettext_lazy("0 to %(most)s. With rounds, usually the rounds already posted.")
        self.fields["games"].help_text = about % {"most": late.max_missed_games}

    @property
    def missed_games_arguments(self) -> dict[str, Any]:
        """Return the arguments for `join_stage` that describe the missed games."""
        if "games" not in self.fields:
            return {}
        return {"missed": self.cleaned_data["games"], "counts_as": MissedGamesPolicy(self.cleaned_data["counts_as"])}


@staff_event_view("desk")
def add_late_entry_to_pool(request: ActorRequest, event: Event) -> HttpResponse:
    """Add a late entry to a pool after a preview of the entrant's standing."""
    late = load_late_entry_terms(event)
    if late is None:
        says = _("Nobody can join now. The pairings are fixed, or nothing is drawn yet.")
        return _render_form_page(request, _("A late entry"), forms.Form(), says)
    form = _LateEntryForm(request.POST or None, event=event, late=late)
    if not form.is_valid():
        nobody = _("There is no entrant who could join “%(stage)s”. Add the player to the list of entrants first.")
        says = "" if late.numbers else nobody % {"stage": late.stage}
        return _render_form_page(request, _("Late entry: “%(stage)s”") % {"stage": late.stage}, form, says)
    entrant = form.cleaned_data["entrant"]
    plan = PreviewedAction(
        event=event,
        title=_("Add %(name)s to “%(stage)s”?") % {"name": entrant.name, "stage": late.stage},
        act=partial(join_stage, entrant, **form.missed_games_arguments),
        label=_("Add %(name)s") % {"name": entrant.name},
        explanation=_("They play every game that is still to come, and are checked in."),
        form=form,
        success_message=_("%(name)s plays from now on.") % {"name": entrant.name},
        next_url=make_event_url(event, "pairing:desk_stages"),
    )
    return preview_or_apply_action(request, plan)


class _EntrantActionForm(IdempotentForm):
    number = forms.IntegerField(
        label=gettext_lazy("Number"),
        min_value=1,
        max_value=999_999_999,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "size": 4, "autocomplete": "off", "class": "form-control"}
        ),
    )
    reason = forms.CharField(label=gettext_lazy("Reason, shown to the entrant"), max_length=300)


@staff_event_view("direct")
def penalize_player(request: ActorRequest, event: Event) -> HttpResponse:
    """Record the loss of a game as a penalty outside any match, after a preview of the entrant's new standing."""
    return _preview_or_apply_to_entrant(
        request,
        event,
        penalize_entrant,
        _EntrantActionForm(request.POST or None, prefix="penalty"),
        heading=_("Penalty for an unmatched game"),
        title=_("Penalize %(name)s with the loss of a game?"),
        label=_("Penalize %(name)s"),
        explanation=_("The entrant loses one game, and nobody gets the win. Do it for each of the two."),
        success_message=_("%(name)s got the penalty of one lost game."),
        danger=True,
    )


@staff_event_view("desk")
def give_player_bye(request: ActorRequest, event: Event) -> HttpResponse:
    """Give a bye to a player without an opponent, after a preview of the new standing."""
    return _preview_or_apply_to_entrant(
        request,
        event,
        give_bye,
        _EntrantActionForm(request.POST or None),
        heading=_("Give a bye"),
        title=_("Give %(name)s a bye?"),
        label=_("Give %(name)s a bye"),
        explanation=_("A bye counts as a win, and the win can put a player into the next stage."),
        success_message=_("%(name)s has a bye."),
    )


def _preview_or_apply_to_entrant(
    request: ActorRequest,
    event: Event,
    act: Callable[..., object],
    form: _EntrantActionForm,
    *,
    heading: str,
    title: str,
    label: str,
    explanation: str,
    success_message: str,
    danger: bool = False,
) -> HttpResponse:
    """Ask for an entrant's number, then preview or run the action for this entrant."""
    entrant = None
    if form.is_valid():
        rows = event.entrants.filter(number=form.cleaned_data["number"]).select_related("event__tournament")
        entrant = rows.first()
        if entrant is None:
            form.add_error("number", _("There is no entrant with this number. Look at the list of entrants."))
    if entrant is None:
        return _render_form_page(request, heading, form, explanation)
    name = {"name": entrant.name}
    plan = PreviewedAction(
        event=event,
        title=title % name,
        act=partial(act, entrant),
        label=label % name,
        explanation=explanation,
        form=form,
        success_message=success_message % name,
        next_url=make_event_url(event, "pairing:desk_pairing"),
        danger=danger,
    )
    return preview_or_apply_action(request, plan)


def _render_form_page(request: ActorRequest, title: str, form: forms.Form, says: str = "") -> HttpResponse:
    status = 422 if form.errors else 200
    context = {"title": title, "form": form, "says": says}
    return render(request, "pairing/results/corrections/effects_form.html", context, status=status)
