"""Correct the totals of a card that was entered without hands: swap them, or type them again, with one reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import field_at, number_field
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
            now = self.state.score.entered_totals
            return dict(zip(now, reversed(now.values()), strict=True))
        return {side: self.cleaned_data[f"totals_{side}"] for side in self.state.letters}

    def show(self, error: BadLine) -> None:
        for problem in error.data["problems"]:
            self.add_error(field_at(problem.path, self.fields), problem.message)


# --- Closing ---------------------------------------------------------------------------------------------------------
# Forms for calling time, for a player who left in the middle of a game, and for undoing a closing.

Choice = tuple[str, str]
MOST_TOTAL = 99_999


@dataclass(frozen=True, slots=True)
class _TimeRow:
    """A game with its fields. `totals` has (side, field) pairs, and is empty if the score is on the card."""

    game: OpenGame
    seen: forms.BoundField
    choice: forms.BoundField
    totals: tuple[tuple[str, forms.BoundField], ...]


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
            self._add(game, directs)

    @property
    def rows(self) -> list[_TimeRow]:
        return [self._row(game) for game in self.games]

    def _row(self, game: OpenGame) -> _TimeRow:
        pk, named = game.state.card.pk, zip(game.state.names, self._totals(game), strict=False)
        totals = tuple((name, self[field]) for name, (_name, field) in named)
        return _TimeRow(game, self[f"seen-{pk}"], self[f"choice-{pk}"], totals)

    def called(self) -> list[TimeCall]:
        """Return the games that were on the form when it was sent."""
        said, each = self.cleaned_data, ((game, game.state.card, game.state.card.pk) for game in self.games)
        return [
            TimeCall(card, said[f"seen-{pk}"], self._typed(game), said[f"choice-{pk}"])
            for game, card, pk in each
            if f"seen-{pk}" in self.data
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for game in self.games:
            typed = [cleaned.get(field) for _name, field in self._totals(game)]
            if any(value is not None for value in typed) and None in typed:
                self.add_error(None, gettext("%(names)s: enter both totals, or none.") % {"names": game.state.title})
        return cleaned

    def _typed(self, game: OpenGame) -> dict[str, int] | None:
        typed = [self.cleaned_data.get(field) for _name, field in self._totals(game)]
        known = [total for total in typed if total is not None]
        return dict(zip(game.state.letters, known, strict=True)) if known else None

    def _totals(self, game: OpenGame) -> list[tuple[str, str]]:
        if not game.takes_totals:
            return []
        return [(name, f"total-{game.state.card.pk}-{side}") for side, name in game.state.by_letter.items()]

    def _add(self, game: OpenGame, directs: bool) -> None:
        pk, title = game.state.card.pk, game.state.title
        self.fields[f"seen-{pk}"] = forms.CharField(widget=forms.HiddenInput, required=False, initial=game.seen)
        choices = [*_by_rule(game), *(_by_word(game) if directs else [])]
        one_card = not game.state.is_game and game.state.card.match.seating_id is None
        self.fields[f"choice-{pk}"] = forms.ChoiceField(
            label=gettext("How it ends: %s") % title, choices=choices, required=False,
            initial=STANDS if one_card and directs else BY_RULE, widget=forms.Select(attrs={"class": "form-select"}),
        )  # fmt: skip
        for name, field in self._totals(game):
            self.fields[field] = forms.IntegerField(
                label=gettext("Total of %s, from paper") % name, required=False, min_value=0, max_value=MOST_TOTAL,
                widget=forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"}),
            )  # fmt: skip


def _by_rule(game: OpenGame) -> list[Choice]:
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


def _by_word(game: OpenGame) -> list[Choice]:
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
