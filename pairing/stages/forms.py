"""Forms for stages: the cut for a draw, and a reason."""

from typing import Any, ClassVar, Final

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from tournament.core.forms import IdempotentForm

PLAYING_CARD_CODES: Final = tuple(rank + suit for suit in "CDHS" for rank in "A23456789TJQK")


class BaseCutForm(IdempotentForm):
    """The form fields for a cut: playing cards tapped on the screen, or any other text.

    `tapped` has the cards in the order in which they were tapped. After cleaning, the field named by `cut_field_name`
    has the cut as text, whether it was tapped or typed. A form can add a field `nobody_cut`, whose value replaces the
    cut.
    """

    cut_field_name: ClassVar = "cut"
    cards = forms.MultipleChoiceField(choices=[(code, code) for code in PLAYING_CARD_CODES], required=False)
    tapped = forms.CharField(required=False, max_length=300, widget=forms.HiddenInput)

    @property
    def cut_field(self) -> BoundField:
        return self[self.cut_field_name]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "cards" not in self.fields:
            return cleaned
        cards, other = cleaned.get("cards", []), cleaned.get(self.cut_field_name) or cleaned.get("nobody_cut")
        if cards and other:
            self.add_error(None, _("Cards are picked, and something else is entered. Clear one of the two."))
        if not cards and not other:
            self.add_error(None, _("No card is picked. Tap the cards that were cut."))
        if cards:
            # The cards are in the order they were tapped, or in the order of the pack without JavaScript.
            tapped: list[str] = cleaned.get("tapped", "").split()
            in_order = tapped if sorted(tapped) == sorted(cards) else cards
            cleaned[self.cut_field_name] = " ".join(code.replace("T", "10") for code in in_order)
        return cleaned


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)


# --- The format of an event and its plan -----------------------------------------------------------------------------


# --- The plan of an event in stages, one row a stage -----------------------------------------------------------------
# The form works without JavaScript.
