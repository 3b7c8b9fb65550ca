from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.spreadsheets import FIELDS


class ColumnsForm(forms.Form):
    """A form with one select box for each column of the list, to choose its meaning."""

    def __init__(self, *args: Any, headers: list[str], mapping: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        meant = {place: name for name, place in mapping.items()}
        choices = [("", _("– leave out –")), *((name, str(label)) for name, (label, _known) in FIELDS.items())]
        for place, header in enumerate(headers):
            self.fields[f"column-{place}"] = forms.ChoiceField(
                label=header or _("(no heading)"), choices=choices, required=False, initial=meant.get(place, "")
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = [name for name in cleaned.values() if name]
        if len(chosen) != len(set(chosen)):
            raise forms.ValidationError(_("Two columns have the same meaning. Leave one of them out."))
        return cleaned

    def mapping(self) -> dict[str, int]:
        return {name: int(key.removeprefix("column-")) for key, name in self.cleaned_data.items() if name}


class RowForm(forms.Form):
    def __init__(self, *args: Any, headers: list[str], cells: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        for place, (header, cell) in enumerate(zip(headers, cells, strict=False)):
            self.fields[f"cell-{place}"] = forms.CharField(
                label=header or _("(no heading)"), required=False, initial=cell, max_length=2000, strip=False
            )

    def cells(self) -> list[str]:
        return [self.cleaned_data[name] for name in self.fields]
