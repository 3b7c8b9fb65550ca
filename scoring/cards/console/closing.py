"""The desk's page for calling time. Each open game ends by the event's rule or the director's decision."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.selectors.state import can_end_without_winner
from scoring.cards.pages import FormErrorHandler
from scoring.cards.services.closing import (
    CLOSE_BY_RULE_CHOICE,
    CLOSE_NOW_CHOICE,
    LEAVE_OPEN_CHOICE,
    TOTALS_STAND_CHOICE,
    OpenGame,
    TimeCall,
    TimeCallResult,
    call_time,
    load_open_games,
)
from scoring.models import CardClosed, RuleSheet
from scoring.rules.sheet.closing import ClosingResult
from scoring.rulesheets.selectors import describe_unfinished_game_rule, load_current_rule_sheet, make_default_rule_sheet
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.models import Event

_MAX_LISTED_GAMES = 150
"""The maximum number of games on the page. Once these are closed, the page lists the next ones."""

_MAX_TOTAL = 99_999
_Choice = tuple[str, str]


@staff_event_view("desk")
def call_time_for_games(request: ActorRequest, event: Event) -> HttpResponse:
    games = load_open_games(event, request.GET.get("card", ""))
    groups = list(dict.fromkeys(game.group_name for game in games))
    wanted = request.GET.get("group", "")
    listed = [game for game in games if wanted in ("", game.group_name)]
    form = _CallTimeForm(request.POST or None, games=listed[:_MAX_LISTED_GAMES], directs="direct" in request.acts)
    if request.method == "POST" and form.is_valid():
        reason, key = form.cleaned_data.get("reason", ""), form.cleaned_data["key"]
        with FormErrorHandler(form):
            _flash_results(request, call_time(event, form.make_time_calls(), by=request.actor, reason=reason, key=key))
            return redirect(request.get_full_path())
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    context = {
        "form": form,
        "rows": form.game_rows,
        "rule": describe_unfinished_game_rule(sheet),
        "groups": [(name, name == wanted) for name in groups] if len(groups) > 1 or wanted else [],
        "wanted": wanted,
        "one": request.GET.get("card", ""),
        "more": max(0, len(listed) - _MAX_LISTED_GAMES),
        "turns": load_stage_traits(event).one_card,
        "typed": any(game.accepts_totals for game in listed),
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


class _CallTimeForm(IdempotentForm):
    """A form with the open games on which the desk can call time.

    Only directors can deviate from the event's rule for ending games.
    """

    reason = forms.CharField(
        label=gettext_lazy("Reason for the director's decision"), required=False, max_length=500,
        help_text=gettext_lazy("Required if you do not follow the rule of the event. It is shown on the score card."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, games: Sequence[OpenGame], directs: bool) -> None:
        super().__init__(data)
        self.games = games
        if not directs:
            del self.fields["reason"]
        for game in games:
            self._add_game_fields(game, directs)

    @property
    def game_rows(self) -> list[dict[str, Any]]:
        """The games with their fields.

        If totals from paper can be entered, `totals` has a (side, field) pair for each side.
        """
        return [
            {
                "game": game,
                "seen": self[f"seen-{game.state.card.pk}"],
                "choice": self[f"choice-{game.state.card.pk}"],
                "totals": [(name, self[field]) for name, field in self._list_total_fields(game)],
            }
            for game in self.games
        ]

    def make_time_calls(self) -> list[TimeCall]:
        """Return the data for calling time on the games in the submitted form.

        For each game, this is the chosen way to end it, and its totals if they were typed. Games that are not in the
        submitted form are left out.
        """
        cleaned, each = self.cleaned_data, ((game, game.state.card, game.state.card.pk) for game in self.games)
        return [
            TimeCall(card, cleaned[f"seen-{pk}"], self._read_typed_totals(game), cleaned[f"choice-{pk}"])
            for game, card, pk in each
            if f"seen-{pk}" in self.data
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for game in self.games:
            typed = [cleaned.get(field) for _name, field in self._list_total_fields(game)]
            if any(value is not None for value in typed) and None in typed:
                self.add_error(None, _("%(names)s: enter both totals, or none.") % {"names": game.state.title})
        return cleaned

    def _read_typed_totals(self, game: OpenGame) -> dict[str, int] | None:
        typed = [self.cleaned_data.get(field) for _name, field in self._list_total_fields(game)]
        known = [total for total in typed if total is not None]
        return dict(zip(game.state.letters, known, strict=True)) if known else None

    def _list_total_fields(self, game: OpenGame) -> list[tuple[str, str]]:
        """Return each side's name with the name of its field, or an empty list if the game does not accept totals."""
        if not game.accepts_totals:
            return []
        return [(name, f"total-{game.state.card.pk}-{side}") for side, name in game.state.names_by_letter.items()]

    def _add_game_fields(self, game: OpenGame, directs: bool) -> None:
        pk, title = game.state.card.pk, game.state.title
        self.fields[f"seen-{pk}"] = forms.CharField(widget=forms.HiddenInput, required=False, initial=game.snapshot)
        choices = [*_list_choices_by_rule(game), *(_list_director_choices(game) if directs else [])]
        one_card = not game.state.is_single_game and game.state.card.match.seating_id is None
        self.fields[f"choice-{pk}"] = forms.ChoiceField(
            label=_("How it ends: %s") % title, choices=choices, required=False,
            initial=TOTALS_STAND_CHOICE if one_card and directs else CLOSE_BY_RULE_CHOICE,
            widget=forms.Select(attrs={"class": "form-select"}),
        )  # fmt: skip
        for name, field in self._list_total_fields(game):
            self.fields[field] = forms.IntegerField(
                label=_("Total of %s, from paper") % name, required=False, min_value=0, max_value=_MAX_TOTAL,
                widget=forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"}),
            )  # fmt: skip


def _list_choices_by_rule(game: OpenGame) -> list[_Choice]:
    waits = game.proposed_verdict.ending is ClosingResult.WAITING
    if game.state.score.verdict is None:
        first = _("After the hand in play") if waits else _("By the rule")
    else:
        first = _("Wait for the last hand") if waits else _("Leave it to the director")
    going_on = game.state.score.verdict is None
    later = _("Not now; the game goes on") if going_on else _("Leave it as it is")
    return [
        (CLOSE_BY_RULE_CHOICE, first),
        *([(CLOSE_NOW_CHOICE, _("Now; no hand is being played"))] if waits else []),
        (LEAVE_OPEN_CHOICE, later),
    ]


def _list_director_choices(game: OpenGame) -> list[_Choice]:
    state = game.state
    if can_end_without_winner(state.card):
        ruled = game.rule in (RuleSheet.Unfinished.LEADER, RuleSheet.Unfinished.LAST_HAND)
        return [] if ruled else [(TOTALS_STAND_CHOICE, _("Decision: the totals stand"))]
    wins = [(seat.side, _("Decision: %s wins") % state.get_seat_name(seat)) for seat in state.seats]
    return [
        *([] if game.rule == RuleSheet.Unfinished.LEADER else [(TOTALS_STAND_CHOICE, _("Decision: the leader wins"))]),
        *wins,
        (CardClosed.Rule.LAST_HAND.value, _("Decision: one more hand")),
        *([] if game.rule == CardClosed.Rule.REPLAY else [(CardClosed.Rule.REPLAY.value, _("Decision: play again"))]),
    ]
