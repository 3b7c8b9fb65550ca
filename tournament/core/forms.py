"""Shared form fields and forms: money, percentages, entrants, uploaded lists, and forms with an idempotency key."""

import json
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.forms.models import ModelChoiceIterator
from django.forms.utils import flatatt
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant


class CentsField(forms.DecimalField):
    """An amount of money, converted to whole cents."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=Decimal(0), max_digits=12, decimal_places=2, **options)

    def clean(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.replace("$", "").replace(" ", "")
            if "," in value and "." not in value and len(value.rsplit(",", 1)[1]) <= 2:
                value = value.replace(",", ".")
            value = value.replace(",", "")
            if any(sign in value for sign in "eE_"):  # Decimal accepts “1e3” and “1_000”
                raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        amount = super().clean(value)
        return None if amount is None else int(amount * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{value // 100}.{value % 100:02d}" if isinstance(value, int) else value


def clean_percent(text: str) -> str:
    """Return a percentage's number without the sign or spaces: “82%” and “82 %” become “82”."""
    return text.strip().removesuffix("%").strip()


def split_percents(text: str) -> list[str]:
    """Split a list of percentages at commas and semicolons, and drop empty parts."""
    return [part for part in map(clean_percent, text.replace(";", ",").split(",")) if part]


class ListUploadForm(forms.Form):
    """A form for a list that is uploaded as a file, or pasted as text from a spreadsheet or an email."""

    file = forms.FileField(
        required=False,
        help_text=_("A CSV or XLSX file with a row of headings."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx"}),
    )
    pasted = forms.CharField(
        label=_("Or paste the list here"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Copy the rows from a spreadsheet or an email, with the row of headings."),
    )

    def __init__(self, *args: Any, label: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["file"].label = label

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("file") and not (cleaned.get("pasted") or "").strip() and not self.errors:
            raise forms.ValidationError(_("Choose a file, or paste the list."))
        return cleaned

    def get_name_and_content(self) -> tuple[str, bytes]:
        file = self.cleaned_data["file"]
        if file:
            return file.name or "list", file.read()
        return gettext("Pasted list"), self.cleaned_data["pasted"].encode()


class PercentField(forms.CharField):
    """A percentage, returned without its percent sign."""

    def clean(self, value: Any) -> str:
        return clean_percent(super().clean(value))


class PrizeScaleField(forms.CharField):
    """Prize percentages by rank, starting with first place, such as “50, 30, 20”."""

    def clean(self, value: Any) -> list[str]:
        return split_percents(super().clean(value))

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


class SignatureStrokesField(forms.CharField):
    """The strokes of a signature pad as JSON. An empty pad is an empty list."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=200_000, **options)

    def clean(self, value: Any) -> Any:
        typed = super().clean(value)
        try:
            return json.loads(typed) if typed else []
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("The signature did not arrive complete. Sign again.")) from None


class _LongSelect(forms.Select):
    """A select with hundreds of options. It does not render Django's template for each option, which would be slow."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        chosen = set(self.format_value(value))
        options = [(key, _SELECTED_ATTRIBUTE if str(key) in chosen else "", label) for key, label in self.choices]
        html = format_html_join("\n", '<option value="{}"{}>{}</option>', options)
        return format_html(
            "<select{}>\n{}\n</select>", flatatt({**self.build_attrs(self.attrs, attrs), "name": name}), html
        )


_SELECTED_ATTRIBUTE: Final = SafeString(" selected")


class _EntrantOptions(ModelChoiceIterator):
    """Yields an option for each entrant, labeled with number and name, without creating model instances."""

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        if self.field.empty_label is not None:
            yield "", self.field.empty_label
        for pk, number, name in self.queryset.values_list("pk", "number", "name"):
            yield pk, f"{number} {name}"


class EntrantField(forms.ModelChoiceField):
    """A choice among entrants. Pass the query set when creating the field, or set it later."""

    widget = _LongSelect
    iterator = _EntrantOptions

    def __init__(self, queryset: QuerySet[Entrant] | None = None, **options: Any) -> None:
        super().__init__(Entrant.objects.none() if queryset is None else queryset, **options)


class IdempotentForm(forms.Form):
    """A form with a hidden idempotency key, so that submitting it twice has the same effect as submitting it once."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].initial = uuid.uuid4().hex


class IdempotentReasonForm(IdempotentForm):
    reason = forms.CharField(label=_("Reason"))
