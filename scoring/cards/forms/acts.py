"""Forms of the desk for a whole card: correct its totals, call time, close a game that a player left, and reopen it."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import field_for_path, number_field
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.written_card import counts_totals
from scoring.cards.selectors.open_games import OpenGame
from scoring.cards.services.closing import BETWEEN_HANDS, BY_RULE, LATER, STANDS, TimeCall
from scoring.cards.services.hands import BadLine
from scoring.models import CardClosed, RuleSheet
from scoring.rules.sheet.closing import Ending
from tournament.core.forms import KeyedForm

SWAP = "swap"
"""The name of the button that swaps the two totals of the card, whatever is typed."""


STRIKE = "strike"
"""The name of the button that empties the card, because its totals belong to another card."""


MOST_TOTAL = 99_999


Choice = tuple[str, str]


class TotalsForm(KeyedForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)
    reason = forms.CharField(
        label=_("What was wrong?"), max_length=500, help_text=_("It is shown on the score card with your name.")
    )
    override = forms.CharField(
        label=_("Why it is right anyway"), required=False, max_length=500,
        help_text=_("Only if the page warns about the totals or about a later match."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, state: CardState) -> None:
        super().__init__(data)
        self.state = state
        self.swaps, self.strikes = SWAP in self.data, STRIKE in self.data
        self.fields["seen"].initial = state.digest
        for side, name in state.by_letter.items():
            field = number_field(None, name)
            field.required = not (self.swaps or self.strikes)
            field.initial = state.score.entered_totals[side]
            self.fields[f"totals_{side}"] = field

    @property
    def each(self) -> list[forms.BoundField]:
        return [self[f"totals_{side}"] for side in self.state.letters]

    def totals(self) -> dict[str, int]:
        """Return the totals by letter. Call it after `is_valid`."""
        if self.swaps:
            current = self.state.score.entered_totals
            return dict(zip(current, reversed(current.values()), strict=True))
        return {side: self.cleaned_data[f"totals_{side}"] for side in self.state.letters}

    def show(self, error: BadLine) -> None:
        for problem in error.data["problems"]:
            self.add_error(field_for_path(problem.path, self.fields), problem.message)


class TimeForm(KeyedForm):
    """One form for all listed games. Staff who do not direct can only close by the rule."""

    reason = forms.CharField(
        label=_("Reason for the director's decision"), required=False, max_length=500,
        help_text=_("Required if you do not follow the rule of the event. It is shown on the score card."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, games: Sequence[OpenGame], directs: bool) -> None:
        super().__init__(data)
        self.games = games
        if not directs:
            del self.fields["reason"]
        for game in games:
            self._add_game(game, directs)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The games with their fields. `totals` has (side, field) pairs, and is empty if the score is on the card."""
        return [
            {
                "game": game,
                "seen": self[f"seen-{game.state.card.pk}"],
                "choice": self[f"choice-{game.state.card.pk}"],
                "totals": [(name, self[field]) for name, field in self._total_fields(game)],
            }
            for game in self.games
        ]

    def called(self) -> list[TimeCall]:
        """Return the games that were on the form when it was sent."""
        cleaned, each = self.cleaned_data, ((game, game.state.card, game.state.card.pk) for game in self.games)
        return [
            TimeCall(card, cleaned[f"seen-{pk}"], self._typed_totals(game), cleaned[f"choice-{pk}"])
            for game, card, pk in each
            if f"seen-{pk}" in self.data
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for game in self.games:
            typed = [cleaned.get(field) for _name, field in self._total_fields(game)]
            if any(value is not None for value in typed) and None in typed:
                self.add_error(None, gettext("%(names)s: enter both totals, or none.") % {"names": game.state.title})
        return cleaned

    def _typed_totals(self, game: OpenGame) -> dict[str, int] | None:
        typed = [self.cleaned_data.get(field) for _name, field in self._total_fields(game)]
        known = [total for total in typed if total is not None]
        return dict(zip(game.state.letters, known, strict=True)) if known else None

    def _total_fields(self, game: OpenGame) -> list[tuple[str, str]]:
        """Return the name of each side and of its field, or nothing if the game takes no totals."""
        if not game.takes_totals:
            return []
        return [(name, f"total-{game.state.card.pk}-{side}") for side, name in game.state.by_letter.items()]

    def _add_game(self, game: OpenGame, directs: bool) -> None:
        pk, title = game.state.card.pk, game.state.title
        self.fields[f"seen-{pk}"] = forms.CharField(widget=forms.HiddenInput, required=False, initial=game.seen)
        choices = [*_choices_by_rule(game), *(_choices_of_director(game) if directs else [])]
        one_card = not game.state.is_game and game.state.card.match.seating_id is None
        self.fields[f"choice-{pk}"] = forms.ChoiceField(
            label=gettext("How it ends: %s") % title, choices=choices, required=False,
            initial=STANDS if one_card and directs else BY_RULE, widget=forms.Select(attrs={"class": "form-select"}),
        )  # fmt: skip
        for name, field in self._total_fields(game):
            self.fields[field] = forms.IntegerField(
                label=gettext("Total of %s, from paper") % name, required=False, min_value=0, max_value=MOST_TOTAL,
                widget=forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"}),
            )  # fmt: skip


def _choices_by_rule(game: OpenGame) -> list[Choice]:
    waits = game.proposed.ending is Ending.WAITING
    if game.state.score.verdict is None:
        first = gettext("After the hand in play") if waits else gettext("By the rule")
    else:
        first = gettext("Wait for the last hand") if waits else gettext("Leave it to the director")
    going_on = game.state.score.verdict is None
    later = gettext("Not now; the game goes on") if going_on else gettext("Leave it as it is")
    return [
        (BY_RULE, first),
        *([(BETWEEN_HANDS, gettext("Now; no hand is being played"))] if waits else []),
        (LATER, later),
    ]


def _choices_of_director(game: OpenGame) -> list[Choice]:
    state = game.state
    if counts_totals(state.card):
        ruled = game.rule in (RuleSheet.Unfinished.LEADER, RuleSheet.Unfinished.LAST_HAND)
        return [] if ruled else [(STANDS, gettext("Decision: the totals stand"))]
    wins = [(seat.side, gettext("Decision: %s wins") % state.name_of(seat)) for seat in state.seats]
    return [
        *([] if game.rule == RuleSheet.Unfinished.LEADER else [(STANDS, gettext("Decision: the leader wins"))]),
        *wins,
        (CardClosed.Rule.LAST_HAND.value, gettext("Decision: one more hand")),
        *(
            []
            if game.rule == CardClosed.Rule.REPLAY
            else [(CardClosed.Rule.REPLAY.value, gettext("Decision: play again"))]
        ),
    ]


class LeftForm(KeyedForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=200)
    side = forms.ChoiceField(label=_("Player who left"), widget=forms.RadioSelect)
    gives_up = forms.ChoiceField(label=_("How the game ends"), widget=forms.RadioSelect, initial="yes")
    reason = forms.CharField(label=_("What happened"), max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, seen: str) -> None:
        super().__init__(data, prefix="left")
        side, ends = self.fields["side"], self.fields["gives_up"]
        assert isinstance(side, forms.ChoiceField) and isinstance(ends, forms.ChoiceField)
        side.choices = [(seat.side, state.name_of(seat)) for seat in state.seats]
        rule = gettext("by the rule of this event: %s") % state.card.sheet.get_unfinished_display()
        ends.choices = [("yes", gettext("by forfeit: the player who left loses")), ("no", rule)]
        self.fields["seen"].initial = seen


class ReopenForm(KeyedForm):
    """The form that undoes a closing. It asks for `override` after the warning that the winner plays on already."""

    reason = forms.CharField(label=_("Why the game is opened again"), max_length=500)
    override = forms.BooleanField(label=_("Do it anyway"), required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="reopen")

    def ask_again(self) -> None:
        self.fields["override"].widget = forms.CheckboxInput()
