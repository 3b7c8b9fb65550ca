"""The form for the totals of a table that the desk types."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws.results import Cause
from pairing.results.services.table_results import LARGEST_TOTAL
from tournament.core.forms import KeyedForm


class TotalsForm(KeyedForm):
    PLAYED = "played"
    ENDS = (
        (PLAYED, _("These totals count")),
        (Cause.BOTH_ABSENT.value, _("Closed: no-show")),
        (Cause.FORFEIT.value, _("Closed: players gave up")),
        (Cause.TIME.value, _("Closed: time was called")),
        (Cause.PENALTY.value, _("Closed by a ruling")),
        (Cause.VOID.value, _("Undone: to be played again")),
    )

    end = forms.ChoiceField(label=_("How the table ends"), choices=ENDS, widget=forms.RadioSelect, initial=PLAYED)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seats: list[tuple[int, str]], seen: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.numbers = [number for number, _name in seats]
        totals = {
            f"total_{number}": forms.IntegerField(
                label=f"{number} {name}",
                required=False,
                min_value=-LARGEST_TOTAL,
                max_value=LARGEST_TOTAL,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6}),
            )
            for number, name in seats
        }
        self.fields = {**totals, **self.fields}
        self.fields["seen"].initial = seen

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("end") == self.PLAYED and not self.errors and not self.totals:
            self.add_error("end", _("Enter the totals, or choose why the table has none."))
        return facts

    @property
    def totals(self) -> dict[int, int]:
        """Return the totals by entry number, without players who have none."""
        typed = {number: self.cleaned_data.get(f"total_{number}") for number in self.numbers}
        return {number: total for number, total in typed.items() if total is not None}

    @property
    def cause(self) -> Cause | None:
        """Return why the table has no totals, or None if it has."""
        end = self.cleaned_data["end"]
        return None if end == self.PLAYED else Cause(end)
