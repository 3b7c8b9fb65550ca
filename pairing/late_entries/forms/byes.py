from __future__ import annotations

from typing import Any
from uuid import uuid4

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.late_entries.selectors.byes import LateByes
from pairing.models import LateEntry
from tournament.models import Entrant, Event


def _key() -> str:
    return uuid4().hex


class TakeByeForm(forms.Form):
    """Who comes late into the bracket, and why; which bye it is follows from the draw."""

    entrant = forms.ModelChoiceField(label=_("Who"), queryset=Entrant.objects.none())
    reason = forms.CharField(label=_("Why so late"), max_length=500)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None, *, event: Event, late: LateByes) -> None:
        super().__init__(data, prefix="late")
        may = event.entrants.filter(number__in=late.numbers).order_by("number").select_related("event__tournament")
        self.fields["entrant"].queryset = may  # type: ignore[attr-defined]


class GiveByeBackForm(forms.Form):
    late_entry = forms.ModelChoiceField(label=_("Which late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=_("Why"), max_length=500)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None, *, late: LateByes) -> None:
        super().__init__(data, prefix="back")
        rows = LateEntry.objects.filter(pk__in=[one.pk for one in late.came])
        self.fields["late_entry"].queryset = rows.select_related(  # type: ignore[attr-defined]
            "entrant", "bye", "match", "draw__commitment__event__tournament"
        )
