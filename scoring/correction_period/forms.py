from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.rules.evidence.clocks import MOST_MINUTES, ClockTerms, Second


class TermsForm(forms.Form):
    """How cards of an event become final."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    corrections = forms.IntegerField(label=_("Scoring errors can be corrected for (minutes)"), min_value=0)
    rulings = forms.IntegerField(label=_("A ruling can be asked for (minutes)"), min_value=0)
    appeals = forms.IntegerField(label=_("A ruling can be appealed (minutes)"), min_value=0)
    second = forms.ChoiceField(
        label=_("What staff types on a card"),
        choices=[
            (Second.NONE.value, _("counts at once")),
            (Second.APPROVAL.value, _("counts when a second person has looked at it")),
            (Second.REKEY.value, _("counts when a second person has typed the same")),
        ],
        widget=forms.RadioSelect,
    )

    def __init__(self, data: Any = None, *, terms: ClockTerms) -> None:
        super().__init__(data, initial=terms.as_json())
        self.fields["key"].initial = uuid.uuid4().hex
        for name in ("corrections", "rulings", "appeals"):
            field = self.fields[name]
            assert isinstance(field, forms.IntegerField)
            field.widget.attrs |= {"max": MOST_MINUTES, "class": "field-number"}

    @property
    def terms(self) -> ClockTerms:
        said = self.cleaned_data
        return ClockTerms(
            corrections=said["corrections"],
            rulings=said["rulings"],
            appeals=said["appeals"],
            second=Second(said["second"]),
        )
