from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.intake import OTHER_PRINTS


class VerifyForm(forms.Form):
    """The form for a digest or seal code from a paper, or for the PDF itself."""

    digest = forms.CharField(
        label=_("The digest or the seal code on the paper"),
        required=False,
        max_length=200,
        help_text=_("At the bottom of the paper. The first 12 characters of a digest are enough."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=_("Or the PDF of the score card or ruling slip, or the sealed log file"),
        required=False,
        help_text=_("As you downloaded or received it. We check the file and do not keep it."),
        widget=forms.FileInput(attrs={"accept": "application/pdf,.pdf,.jsonl"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file = cleaned.get("file")
        if file is not None and file.size > OTHER_PRINTS.most_bytes:
            larger = _("This file is too large. Choose the PDF of the score card or slip.")
            self.add_error("file", larger)
        if not self.errors and not cleaned.get("digest") and file is None:
            self.add_error(None, _("Enter the digest, or choose the PDF."))
        return cleaned
