from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.rules.evidence.clocks import MOST_MINUTES, ClockTerms, Second
from tournament.core.forms import KeyedForm

PERIODS: Final = ("corrections", "rulings", "appeals")


class TermsForm(KeyedForm):
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
        for name in PERIODS:
            self.fields[name].widget.attrs |= {"max": MOST_MINUTES, "class": "field-number"}

    @property
    def terms(self) -> ClockTerms:
        said = self.cleaned_data
        return ClockTerms(**{name: said[name] for name in PERIODS}, second=Second(said["second"]))
