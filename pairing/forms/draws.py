from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant, Event


class CutForm(forms.Form):
    public = forms.CharField(
        label=_("What the room saw"),
        required=False,
        max_length=300,
        help_text=_("The cut cards as they were called out, like 7H QS 2D"),
    )
    nobody_cut = forms.BooleanField(label=_("Nobody cut: draw from the sealed secret alone"), required=False)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].initial = uuid.uuid4().hex

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("public") and not cleaned.get("nobody_cut"):
            self.add_error("public", _("Type the cut cards, or tick that nobody cut."))
        return cleaned


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class KeepApartForm(forms.Form):
    one = forms.ModelChoiceField(Entrant.objects.none(), label=_("Entrant"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=_("apart from"))
    reason = forms.CharField(label=_("Reason"), max_length=300, initial=_("same club"))

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = event.entrants.filter(state=Entrant.State.IN).order_by("name")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices
