from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import CentsField, KeyedForm
from tournament.models import LedgerLine

METHODS = LedgerLine.Method.choices


class PaymentForm(KeyedForm):
    cents = CentsField(label=_("Amount"))
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reference = forms.CharField(label=_("Check number or remark"), required=False, max_length=100)
    given = CentsField(
        label=_("Amount given"), required=False, help_text=_("Only if you give change: what you were handed.")
    )


class RefundForm(KeyedForm):
    cents = CentsField(label=_("Amount to refund"))
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reason = forms.CharField(label=_("Reason"))


class LetOffForm(KeyedForm):
    cents = CentsField(
        label=_("Discount"), required=False, help_text=_("Leave empty for a complimentary entry: nothing is owed.")
    )
    reason = forms.CharField(label=_("Reason"))


class ReasonForm(KeyedForm):
    reason = forms.CharField(label=_("Reason"))


class AddedMoneyForm(KeyedForm):
    cents = CentsField(label=_("Amount"))
    party = forms.CharField(label=_("Sponsor"), max_length=200)
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reference = forms.CharField(label=_("Check number or remark"), required=False, max_length=100)


class ExpenseForm(KeyedForm):
    cents = CentsField(label=_("Amount"))
    category = forms.ChoiceField()
    party = forms.CharField(label=_("Paid to"), required=False, max_length=200)
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reference = forms.CharField(label=_("Bill number or remark"), required=False, max_length=100)

    def __init__(self, *args: Any, categories: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        names = [(name, name) for name in categories]
        self.fields["category"] = forms.ChoiceField(label=_("Category"), choices=names)


class CategoriesForm(forms.Form):
    names = forms.CharField(
        label=_("Categories"),
        help_text=_("One a line. Expenses that are recorded keep their category."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class PrizePaidForm(KeyedForm):
    """`cents` is the amount that was shown when it was asked for by name and amount."""

    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)


class PrizeUndoForm(KeyedForm):
    reason = forms.CharField(max_length=1_000)


class PrizeReissueForm(KeyedForm):
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reason = forms.CharField(max_length=1_000)


class PreviewForm(forms.Form):
    entries = forms.IntegerField(label=_("Number of entries"), min_value=0, max_value=100_000)


class TaxAmountForm(forms.Form):
    cents = CentsField(
        label=_("List players whose prizes come to"),
        required=False,
        help_text=_("This amount or more, in all events of the tournament together. Leave empty to list nobody."),
    )


class AddressForm(forms.Form):
    player = forms.IntegerField(widget=forms.HiddenInput)
    address = forms.CharField(label=_("Address"), required=False, widget=forms.Textarea(attrs={"rows": 3}))


class PrizeReturnForm(KeyedForm):
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    reason = forms.CharField(max_length=1_000)
