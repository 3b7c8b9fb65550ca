"""Fields and forms that every room shares: amounts in cents, and forms that may be sent twice."""

import uuid
from decimal import Decimal
from typing import Any

from django import forms


class CentsField(forms.DecimalField):
    """An amount of money as people type it, kept as whole cents."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=Decimal(0), max_digits=12, decimal_places=2, **options)

    def clean(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.replace("$", "").replace(" ", "")
            if "," in value and "." not in value and len(value.rsplit(",", 1)[1]) <= 2:
                value = value.replace(",", ".")
            value = value.replace(",", "")
        amount = super().clean(value)
        return None if amount is None else int(amount * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{value // 100}.{value % 100:02d}" if isinstance(value, int) else value


class KeyedForm(forms.Form):
    """A form that may be sent twice: its key makes the second time add nothing."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["key"].initial = uuid.uuid4().hex
