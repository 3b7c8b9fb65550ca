from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.rules.evidence.clocks import MOST_MINUTES, ClockTerms, Second
from tournament.core.forms import KeyedForm

PERIODS: Final = ("corrections", "rulings", "appeals")


class TermsForm(KeyedForm):
    corrections = forms.IntegerField(label=_("Time to correct scoring errors (minutes)"), min_value=0)
    rulings = forms.IntegerField(label=_("Time to ask for a ruling (minutes)"), min_value=0)
    appeals = forms.IntegerField(label=_("Time to appeal a ruling (minutes)"), min_value=0)
    second = forms.ChoiceField(
        label=_("A score entered by staff"),
        choices=[
            (Second.NONE.value, _("counts at once")),
            (Second.APPROVAL.value, _("counts after a second person confirms it")),
            (Second.REKEY.value, _("counts after a second person enters the same figures")),
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
