"""The reason that an act at the desk asks for."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)
