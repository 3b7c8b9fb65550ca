from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws.table_rounds.rounds import MOST_ROUNDS


class SeatRoundForm(forms.Form):
    """A reason is asked for only where tables are not finished."""

    reason = forms.CharField(label=_("Why it is not waited for them"), max_length=300, required=False)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].initial = uuid.uuid4().hex


class ChangeRoundsForm(forms.Form):
    rounds = forms.IntegerField(label=_("Rounds in all"), min_value=1, max_value=MOST_ROUNDS)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
