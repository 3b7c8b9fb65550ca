"""Correct the totals of a card that was entered without hands: swap them, or type them again, with one reason."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import field_at, number_field
from scoring.card_state.selectors.cards import CardState
from scoring.cards.services.hands import BadLine
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
