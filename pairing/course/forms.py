"""What the director says when a stage is opened, taken back, joined, or lots are drawn."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


def _key() -> str:
    return uuid.uuid4().hex


class OpenStageForm(forms.Form):
    """The cut of a blind draw, and who has a bye where the director decides."""

    cut = forms.CharField(
        label=_("What the room saw"),
        max_length=100,
        required=False,
        help_text=_("Let somebody cut the cards and type them as they are called out, like “7H QS 2D”."),
    )
    named = forms.MultipleChoiceField(
        label=_("Named for the byes that no record gives"), required=False, widget=forms.CheckboxSelectMultiple
    )
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None, *, blind: bool, entries: Sequence[tuple[int, str]] = ()) -> None:
        """`entries`: who may be named; nobody where the director does not decide."""
        super().__init__(data, prefix="open")
        self.fields["cut"].required = blind
        if not blind:
            del self.fields["cut"]
        if entries:
            self.fields["named"].choices = [  # type: ignore[attr-defined]
                (str(number), f"{number} {name}") for number, name in entries
            ]
        else:
            del self.fields["named"]

    @property
    def named_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.cleaned_data.get("named", ())))


class LotsForm(forms.Form):
    """Lots drawn among entrants who are level: their numbers in the order drawn."""

    order = forms.CharField(
        label=_("Their numbers in the order drawn"),
        max_length=500,
        help_text=_("The first drawn stands first, like “9 4 2”."),
    )
    reason = forms.CharField(label=_("Who drew, and how"), max_length=500)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="lots")

    def clean_order(self) -> list[int]:
        words: Iterable[str] = re.split(r"[\s,;]+", self.cleaned_data["order"].strip())
        found = [int(word) for word in words if word.isdecimal() and len(word) < 10]
        if len(found) < 2 or len(found) != len(re.findall(r"\S+", self.cleaned_data["order"].replace(",", " "))):
            raise forms.ValidationError(_("Write two entry numbers at least, with spaces between them."))
        return found
