from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.pdf.prints import PRINTS
from tournament.pdf.paper import PAPERS


class PrintForm(forms.Form):
    kind = forms.ChoiceField(label=_("What"), choices=[(name, title) for name, (title, _build) in PRINTS.items()])
    paper = forms.ChoiceField(label=_("Paper"), choices=[(name, paper.name) for name, paper in PAPERS.items()])
    count = forms.IntegerField(
        label=_("How many (blank cards)"), min_value=1, max_value=2000, initial=20, required=False
    )
    back = forms.BooleanField(label=_("Rules in short on the back"), required=False)
    card = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)
