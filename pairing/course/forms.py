"""Forms for opening a stage and for recording drawn lots."""

import re
from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.matches.forms import CutFields
from tournament.core.forms import KeyedForm
from tournament.spreadsheets.names import typed_numbers


class OpenStageForm(CutFields):
    """The cut of a blind draw, and the byes if the director chooses them."""

    cut = forms.CharField(
        label=_("What the room saw"),
        max_length=100,
        required=False,
        help_text=_("For example the dice or a coin, in plain words."),
    )
    named = forms.MultipleChoiceField(
        label=_("Byes named by the director"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: Any = None, *, blind: bool, entries: Sequence[tuple[int, str]] = ()) -> None:
        """Limit the byes to `entries`, or drop the field if the director does not decide."""
        super().__init__(data, prefix="open")
        choices = [(str(number), f"{number} {name}") for number, name in entries]
        self.fields["named"].choices = choices  # type: ignore[attr-defined]
        for name in [*([] if blind else ["cut", "cards", "tapped"]), *([] if entries else ["named"])]:
            del self.fields[name]

    @property
    def named_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.cleaned_data.get("named", ())))


class LotsForm(KeyedForm):
    """Entry numbers of tied entrants, in the order in which their lots were drawn."""

    order = forms.CharField(
        label=_("Entry numbers in the order drawn"),
        max_length=500,
        help_text=_("The first one drawn comes first, such as “9 4 2”."),
    )
    reason = forms.CharField(label=_("Who drew the lots, and how"), max_length=500)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="lots")

    def clean_order(self) -> list[int]:
        typed = re.findall(r"[^\s,;]+", self.cleaned_data["order"])
        found = typed_numbers(typed)
        if len(found) < 2 or len(found) != len(typed):
            raise forms.ValidationError(_("Enter at least two entry numbers, with spaces between them."))
        return found
