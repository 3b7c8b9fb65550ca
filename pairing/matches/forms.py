"""The reason that an act at the desk asks for, and of which entrant."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import EntrantField, KeyedForm
from tournament.models import Entrant


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class EntrantForm(KeyedForm):
    """One among some entrants, and why."""

    entrant = EntrantField(label=_("Who"))
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)

    def __init__(self, *args: Any, among: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"].queryset = among.select_related("event__tournament")  # type: ignore[attr-defined]
