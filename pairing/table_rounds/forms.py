from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws.table_rounds.rounds import MOST_ROUNDS
from tournament.core.forms import KeyedForm


class SeatRoundForm(KeyedForm):
    """The assignment of the next round. It needs a reason only if tables are not finished."""

    reason = forms.CharField(label=_("Reason to go on without them"), max_length=300, required=False)
    field_order = ("reason",)


class ChangeRoundsForm(forms.Form):
    rounds = forms.IntegerField(label=_("Number of rounds"), min_value=1, max_value=MOST_ROUNDS)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
