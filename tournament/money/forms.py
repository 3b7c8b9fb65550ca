from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import CentsField, EntrantField, KeyedForm
from tournament.models import Entrant, LedgerLine

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


class PrizeReturnForm(KeyedForm):
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    reason = forms.CharField(max_length=1_000)


class BankListForm(forms.Form):
    file = forms.FileField(
        label=_("List from the bank"),
        help_text=_("A CSV or XLSX file with a row of headings. Lists may overlap: a known transfer is left out."),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx"}),
    )


class ReferenceForm(forms.Form):
    reference = forms.CharField(label=_("Reference"), max_length=500, help_text=_("As the transfer has it: RF…"))


class MatchForm(KeyedForm):
    def __init__(self, *args: Any, entrants: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = EntrantField(entrants, label=_("Entry"))
