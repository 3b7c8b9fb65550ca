"""The reason that an act at the desk asks for, and of which entrant; the cards that the room cut for a draw."""

from typing import Any, ClassVar, Final

from django import forms
from django.db.models import QuerySet
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import EntrantField, KeyedForm
from tournament.models import Entrant

CARDS: Final = tuple(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")


class CutFields(KeyedForm):
    """What the room saw: cards tapped in a pack (`tapped` has their order), or on purpose anything else as text.

    The words of it, cleaned, are in the field `typed_in`, whichever way they came. A form with a field `nobody_cut` may
    do without.
    """

    typed_in: ClassVar = "cut"
    cards = forms.MultipleChoiceField(choices=[(code, code) for code in CARDS], required=False)
    tapped = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)

    @property
    def typed(self) -> BoundField:
        return self[self.typed_in]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "cards" not in self.fields:
            return cleaned
        cards, other = cleaned.get("cards", []), cleaned.get(self.typed_in) or cleaned.get("nobody_cut")
        if cards and other:
            self.add_error(None, _("Cards are picked, and something else is entered. Clear one of the two."))
        if not cards and not other:
            self.add_error(None, _("No card is picked. Tap the cards that were cut."))
        if cards:
            cleaned[self.typed_in] = " ".join(code.replace("T", "10") for code in self._in_order(cards))
        return cleaned

    def _in_order(self, cards: list[str]) -> list[str]:
        """As they were tapped; without JavaScript nobody knows, and they stand as in the pack."""
        tapped: list[str] = self.cleaned_data.get("tapped", "").split()
        return tapped if sorted(tapped) == sorted(cards) else cards


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class EntrantForm(KeyedForm):
    """One among some entrants, and why."""

    entrant = EntrantField(label=_("Who"))
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)

    def __init__(self, *args: Any, among: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"].queryset = among.select_related("event__tournament")  # type: ignore[attr-defined]
