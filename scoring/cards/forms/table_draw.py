"""The draw at a table as a form: a list of the sides for each place. The last of several places is left out."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.card_state.selectors.cards import CardState
from tournament.core.forms import KeyedForm


def draw_fields(state: CardState, *, phone: bool) -> dict[str, forms.ChoiceField]:
    """Return the fields `place_0`, `place_1` and so on. `phone` makes them keys in place of lists.

    The last of several places follows from the others, so it has no field.
    """
    draw = state.draw.table_draw
    sides = sorted(state.by_letter.items())
    asked = draw.places[:-1] if draw.orders_sides else draw.places
    known = state.draw.order_on_card
    unsaid = [] if phone else [("", _("not recorded"))]
    return {
        f"place_{turn}": forms.ChoiceField(
            label=draw.question or f"{place.card}: {place.does}",
            choices=[*unsaid, *sides],
            required=False,
            initial=known[turn] if turn < len(known) else "",
            widget=forms.RadioSelect() if phone else forms.Select(attrs={"class": "form-select"}),
        )
        for turn, place in enumerate(asked)
    }


def drawn_said(cleaned: dict[str, Any], places: Iterable[str]) -> tuple[str, ...]:
    """Return the chosen letters, or an empty tuple if nothing was chosen."""
    said = tuple(str(cleaned.get(name) or "") for name in places)
    return said if any(said) else ()


class TableDrawForm(KeyedForm):
    """The draw at a table, for a player before the first hand and for the desk at any time.

    It asks for a `reason` at the desk once a hand is on the card.
    """

    key = forms.CharField(widget=forms.HiddenInput, max_length=100, required=False)
    reason = forms.CharField(label=_("Reason for the correction"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, phone: bool = False) -> None:
        super().__init__(data)
        self.state = state
        self.asked = draw_fields(state, phone=phone)
        self.fields.update(self.asked)
        if phone or not state.entered:
            del self.fields["reason"]

    @property
    def places(self) -> list[forms.BoundField]:
        return [self[name] for name in self.asked]

    @property
    def said(self) -> tuple[str, ...]:
        return drawn_said(self.cleaned_data, self.asked)
