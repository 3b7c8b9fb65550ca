"""Forms for a message, and for private links by email or on paper."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import KeyedForm
from tournament.core.pdf.paper import PAPERS
from tournament.messages.selectors import RECIPIENT_GROUPS
from tournament.messages.services import AUDIENCES, Letter


class MessageForm(KeyedForm):
    audience = forms.ChoiceField(label=_("To"), choices=list(AUDIENCES.items()))
    numbers = forms.CharField(
        label=_("Numbers"), required=False, help_text=_("For “Only these numbers”, such as 3, 12, 40"), max_length=2000
    )
    subject = forms.CharField(label=_("Subject"), max_length=200)
    body = forms.CharField(label=_("Text"), widget=forms.Textarea(attrs={"rows": 6}), max_length=10_000)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("audience") == "chosen" and not re.search(r"\d", cleaned.get("numbers", "")):
            self.add_error("numbers", _("Enter the numbers of the entrants."))
        return cleaned

    def letter(self) -> Letter:
        said = self.cleaned_data
        numbers = tuple(int(number) for number in re.findall(r"\d{1,6}", said["numbers"]))
        return Letter(said["subject"], said["body"], said["audience"], numbers)


class LinksForm(KeyedForm):
    who = forms.ChoiceField(label=_("For"), choices=list(RECIPIENT_GROUPS.items()))
    paper = forms.ChoiceField(label=_("Paper"), choices=[(name, paper.name) for name, paper in PAPERS.items()])
