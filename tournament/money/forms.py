"""The forms of the money pages."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import MinValueValidator
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import (
    CentsField,
    EntrantField,
    KeyedForm,
    PercentField,
    ScaleField,
    StrokesField,
    clean_percent,
)
from tournament.errors import DomainError
from tournament.models import Entrant, LedgerLine, SidePool, User
from tournament.models.side_pools import LONGEST_NAME
from tournament.money.selectors.side_pools import PoolEntrant
from tournament.purse.business_day import denominations_of
from tournament.purse.kinds import DESK_FORMS
from tournament.purse.prizes import withhold_percent
from tournament.templatetags.gin import money

METHODS = LedgerLine.Method.choices


# --- Payments --------------------------------------------------------------------------------------------------------


class PaymentForm(KeyedForm):
    cents = CentsField(label=_("Amount"))
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reference = forms.CharField(label=_("Check number or remark"), required=False, max_length=100)
    given = CentsField(
        label=_("Amount given"), required=False, help_text=_("Only if you give change: what you were handed.")
    )


class SaleForm(PaymentForm):
    """Asks for a payment at the desk. The amount owed is proposed, and the amount given is typed first."""

    field_order = ("given", "cents", "donation", "method", "reference")
    donation = CentsField(
        label=_("Donation to charity"), required=False, help_text=_("On top of the amount, and never part of a prize.")
    )
    back = forms.CharField(required=False, max_length=2_000, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["given"].help_text = _("Leave empty for the exact amount.")
        self.fields["given"].widget.attrs |= {"autofocus": True, "data-given": "", "inputmode": "decimal"}
        self.fields["cents"].widget.attrs |= {"data-to-pay": "", "inputmode": "decimal"}
        self.fields["donation"].widget.attrs |= {"data-donation": "", "inputmode": "decimal"}
        if self.data.get("donation"):
            # An entry that owes nothing can still donate.
            self.fields["cents"].required = False

    def clean_cents(self) -> int:
        cents: int | None = self.cleaned_data["cents"]
        return cents or 0


class RefundForm(KeyedForm):
    cents = CentsField(label=_("Amount to refund"))
    paid_by = forms.ChoiceField(label=_("How it was paid"), choices=METHODS)
    method = forms.ChoiceField(
        label=_("How you hand it back"),
        choices=(("", _("The way it was paid")), *METHODS),
        required=False,
        help_text=_("You may give cash for a check or a card payment. The check then stays in the box."),
    )
    reason = forms.CharField(label=_("Reason"))


class FeeWaiverForm(KeyedForm):
    cents = CentsField(
        label=_("Discount"), required=False, help_text=_("Leave empty for a complimentary entry: nothing is owed.")
    )
    reason = forms.CharField(label=_("Reason"))


class ReasonForm(KeyedForm):
    reason = forms.CharField(label=_("Reason"))


class AllRefundsForm(ReasonForm):
    """Asks for the reason of a refund of all entries. `cents` is the sum that was owed when the page was opened."""

    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)


# --- Expenses and added money ----------------------------------------------------------------------------------------


class OtherMoneyForm(KeyedForm):
    """Asks for money of no entry, such as an expense. The fields depend on the kind (`tournament.purse.kinds`)."""

    field_order = ("cents", "category", "party", "method", "reference", "reason")
    cents = CentsField(label=_("Amount"))
    method = forms.ChoiceField(label=_("How"), choices=METHODS)

    def __init__(self, *args: Any, kind: str, categories: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        words = DESK_FORMS[kind]
        self.fields["party"] = forms.CharField(
            label=str(words.party), required=bool(words.no_party), max_length=200, help_text=str(words.party_help)
        )
        self.fields["reference"] = forms.CharField(label=str(words.reference), required=False, max_length=100)
        if words.has_category:
            names = [(name, name) for name in categories]
            self.fields["category"] = forms.ChoiceField(label=_("Category"), choices=names)
        if words.reason:
            self.fields["reason"] = forms.CharField(
                label=str(words.reason), max_length=1_000, help_text=str(words.reason_help)
            )
        self.order_fields(self.field_order)


class CategoriesForm(forms.Form):
    names = forms.CharField(
        label=_("Categories"),
        help_text=_("One per line. Expenses that are recorded keep their category."),
        widget=forms.Textarea(attrs={"rows": 8}),
    )


# --- Prizes ----------------------------------------------------------------------------------------------------------


class PreviewForm(forms.Form):
    entries = forms.IntegerField(label=_("Number of entries"), min_value=0, max_value=100_000)


class _WithheldField(CentsField):
    """An amount in cents, or a percent of the prize such as “24%”, which is returned as its digits."""

    def clean(self, value: Any) -> Any:
        text = value.strip() if isinstance(value, str) else ""
        return clean_percent(text) if text.endswith("%") else super().clean(value)


class PrizePaidForm(KeyedForm):
    """Confirms a payout. `cents` is the amount that was shown.

    `equally` confirms equal shares although the partners agreed on a split that no longer fits.
    """

    equally = forms.BooleanField(required=False)

    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    withheld = _WithheldField(required=False)
    withheld_for = forms.CharField(required=False, max_length=120)

    def clean(self) -> dict[str, Any]:
        """Turn a typed percent into cents of the prize."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        withheld, cents = cleaned.get("withheld"), cleaned.get("cents")
        if isinstance(withheld, str) and cents is not None:
            try:
                cleaned["withheld"] = withhold_percent(cents, withheld)
            except DomainError as refusal:
                self.add_error("withheld", refusal.message)
        if cleaned.get("withheld_for") and not cleaned.get("withheld") and not self.errors:
            self.add_error("withheld", _("Enter the amount withheld, or clear what it is for."))
        return cleaned


class PrizeUndoForm(KeyedForm):
    reason = forms.CharField(max_length=1_000)


class PrizeReissueForm(KeyedForm):
    method = forms.ChoiceField(label=_("How"), choices=METHODS)
    reason = forms.CharField(max_length=1_000)


class PrizeReturnForm(KeyedForm):
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    reason = forms.CharField(max_length=1_000)


class PayoutSignatureForm(KeyedForm):
    player = forms.IntegerField(widget=forms.HiddenInput)
    strokes = StrokesField()


class TaxAmountForm(forms.Form):
    cents = CentsField(
        label=_("List players who won at least"),
        required=False,
        help_text=_("In all events of the tournament together. Leave empty to list nobody."),
    )


class AddressForm(forms.Form):
    player = forms.IntegerField(widget=forms.HiddenInput)
    address = forms.CharField(label=_("Address"), required=False, widget=forms.Textarea(attrs={"rows": 3}))


# --- Side pools and extras -------------------------------------------------------------------------------------------


class SidePoolForm(KeyedForm):
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, help_text=_("Such as Sweepstake, or Best game."))
    fee_cents = CentsField(label=_("Fee for each entry"))
    condition = forms.CharField(
        label=_("Who may be in it"), required=False, max_length=200, help_text=_("Leave empty for everybody.")
    )
    places_by = forms.ChoiceField(label=_("How its places come about"), choices=SidePool.PlacesBy.choices)
    prize_percent = PercentField(label=_("Percent that is paid out"), max_length=20, initial="100")
    prize_scale = ScaleField(
        label=_("Percent for each place, first place first"),
        help_text=_("Percents that add up to 100, for example 60, 40."),
        initial="60, 40",
    )

    @property
    def terms(self) -> dict[str, Any]:
        facts = {name: value for name, value in self.cleaned_data.items() if name not in ("key", "reason")}
        return {**facts, "prize_scale": tuple(facts["prize_scale"])}


class SidePoolChangeForm(SidePoolForm):
    reason = forms.CharField(
        label=_("Reason"), required=False, max_length=1_000, help_text=_("Needed once somebody is in the side pool.")
    )


class SidePoolJoinForm(KeyedForm):
    def __init__(self, *args: Any, entrants: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = EntrantField(entrants, label=_("Entry"))


class SidePoolResultForm(KeyedForm):
    """Asks for the place of each entry. Entries that tie have the same number."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=1_000,
        help_text=_("Needed if a result is replaced, or a director names the winners."),
    )

    def __init__(self, *args: Any, entrants: Sequence[PoolEntrant], places: dict[int, int], **options: Any) -> None:
        super().__init__(*args, **options)
        self.numbers = {f"place_{entrant.number}": entrant.number for entrant in entrants}
        for entrant in entrants:
            field = forms.IntegerField(
                label=f"{entrant.number} {entrant.name}", min_value=1, max_value=9_999, required=False,
                initial=places.get(entrant.number),
            )  # fmt: skip
            field.widget.attrs |= {"inputmode": "numeric", "class": "form-control"}
            self.fields[f"place_{entrant.number}"] = field

    @property
    def places(self) -> list[list[int]]:
        """Return the entry numbers by place, best first. Only the order of the typed places counts."""
        by_place: dict[int, list[int]] = {}
        for name, number in self.numbers.items():
            if (place := self.cleaned_data.get(name)) is not None:
                by_place.setdefault(place, []).append(number)
        return [by_place[place] for place in sorted(by_place)]

    @property
    def place_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.numbers]


class ExtraForm(KeyedForm):
    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("Such as Dinner."))
    price_cents = CentsField(label=_("Price of one"))

    @property
    def terms(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("name", "price_cents")}


class ExtraSaleForm(SidePoolJoinForm):
    """Asks for an entry and the number of extras it buys."""

    count = forms.IntegerField(label=_("How many"), initial=1, min_value=1)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.order_fields(["entrant", "count"])


# --- Drawers and business days ---------------------------------------------------------------------------------------


class PiecesForm(KeyedForm):
    """Asks for the number of bills and coins of each denomination. An empty field is zero."""

    reason = forms.CharField(
        label=_("Reason"), required=False, max_length=1_000, help_text=_("Only if the count and the ledger differ.")
    )

    def __init__(self, *args: Any, currency: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.names = {f"piece_{cents}": cents for cents in denominations_of(currency)}
        for name, cents in self.names.items():
            attrs = {"data-piece": cents, "inputmode": "numeric", "class": "form-control"}
            field = forms.IntegerField(min_value=0, max_value=99_999, required=False, label=money(cents, currency))
            field.widget.attrs |= attrs
            self.fields[name] = field
        self.order_fields([*self.names, *(name for name in self.fields if name not in self.names)])

    @property
    def pieces(self) -> dict[int, int]:
        return {cents: self.cleaned_data[name] or 0 for name, cents in self.names.items()}

    @property
    def piece_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.names]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.names]


class DrawerCountForm(PiecesForm):
    next_cashier = forms.ModelChoiceField(
        User.objects.none(), label=_("Hand over to"), required=False, empty_label=_("Nobody: the cash goes to the safe")
    )

    def __init__(self, *args: Any, cashiers: QuerySet[User], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["next_cashier"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = cashiers


class NightCountForm(PiecesForm):
    """Asks for the cash, and for the money that came in by the other methods."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for method, label in METHODS:
            if method != LedgerLine.Method.CASH:
                self.fields[method] = _SignedCentsField(label=label, required=False)
        self.order_fields([*self.names, *(method for method, _label in METHODS), "reason"])

    @property
    def others(self) -> dict[str, int]:
        return {method: self.cleaned_data.get(method) or 0 for method, _label in METHODS}


class _SignedCentsField(CentsField):
    """An amount that may be negative, if more went out by a method than came in."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.min_value = None
        self.validators = [validator for validator in self.validators if not isinstance(validator, MinValueValidator)]


class OpenDrawerForm(KeyedForm):
    cents = CentsField(label=_("Starting cash"))
    source = forms.ChoiceField(
        label=_("Where it comes from"),
        choices=(("brought", _("Brought from outside: the bank, the organizer")), ("safe", _("The safe"))),
    )
    name = forms.CharField(label=_("Name of the drawer"), required=False, max_length=60)


class CashForm(KeyedForm):
    cents = CentsField(label=_("Amount"))


class OpenDayForm(KeyedForm):
    day = forms.DateField(widget=forms.HiddenInput)


# --- Bank transfers --------------------------------------------------------------------------------------------------


class ReferenceForm(forms.Form):
    reference = forms.CharField(label=_("Reference"), max_length=500, help_text=_("From the transfer, such as RF…"))


class MatchForm(KeyedForm):
    def __init__(self, *args: Any, entrants: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = EntrantField(entrants, label=_("Entry"))
