"""The desk's keyboard: totals only, or hand by hand, with the signatures."""

from __future__ import annotations

import uuid
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.forms.lines import Choices, LineForm, number
from scoring.rules.hands import Outcome
from scoring.selectors.cards import SIDES, CardState
from scoring.services.paper import PaperCard, PaperRow

ROWS: Final = 14
MOST_ROWS: Final = 60


class DeskForm(forms.Form):
    """What stands at the foot of a paper card: final totals (where it is not entered hand by hand), signatures."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    signed = forms.MultipleChoiceField(label=_("Signed"), required=False, widget=forms.CheckboxSelectMultiple)
    witness = forms.CharField(label=_("Seen by"), required=False, max_length=200)
    keeper = forms.ChoiceField(label=_("Kept score"), required=False)
    override = forms.CharField(label=_("Reason to enter it all the same"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, by_rows: bool, **options: Any) -> None:
        super().__init__(data, **options)
        self.state, self.by_rows = state, by_rows
        card = state.card
        sides = [(str(who.pk), name) for who, name in zip((card.one, card.other), state.names, strict=True)]
        self.fields["signed"] = forms.MultipleChoiceField(
            label=_("Signed"), required=False, choices=sides, widget=forms.CheckboxSelectMultiple
        )
        self.fields["keeper"] = forms.ChoiceField(
            label=_("Kept score (low cut)"), required=False, choices=[("", _("not said")), *sides],
            initial=str(state.keeper_id or ""),
        )  # fmt: skip
        self.fields["key"].initial = uuid.uuid4().hex
        for side, name in zip(SIDES, state.names, strict=True):
            self.fields[f"total_{side}"] = forms.IntegerField(label=name, min_value=0, required=False, widget=number)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.by_rows:
            for side in SIDES:
                if cleaned.get(f"total_{side}") is None and f"total_{side}" not in self.errors:
                    self.add_error(f"total_{side}", _("Type the final total of this side; 0 where it has none."))
        return cleaned

    def paper(self, rows: tuple[PaperRow, ...]) -> PaperCard:
        cleaned = self.cleaned_data
        players = {str(who.pk): who for who in (self.state.card.one, self.state.card.other)}
        totals = None if self.by_rows else {side: cleaned[f"total_{side}"] for side in SIDES}
        return PaperCard(
            totals=totals,
            rows=rows,
            keeper=players.get(cleaned["keeper"]),
            signed=tuple(players[pk] for pk in cleaned["signed"]),
            witness=cleaned["witness"],
            override=cleaned["override"],
            key=cleaned["key"],
        )


class DeskRowForm(LineForm):
    """One line of the paper, in the order it is typed; `run_…` are the totals the players wrote beside it."""

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        for name in [name for name in self.fields if name.startswith(("missing", "extra", "dealer", "to"))]:
            del self.fields[name]
        for side, name in zip(SIDES, state.names, strict=True):
            self.fields[f"run_{side}"] = forms.IntegerField(label=name, min_value=0, required=False, widget=number)
        for field in self.fields.values():
            kind = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = kind

    def _make_choice(self, label: str, choices: Choices, *, empty: bool) -> forms.Field:
        return super()._make_choice(label, choices, empty=True)

    def line(self) -> dict[str, Any]:
        line = super().line()
        if line.get("outcome") == Outcome.POINTS and self.cleaned_data.get("by"):
            line["to"] = self.cleaned_data["by"]
        return line

    def row(self) -> PaperRow:
        written = {side: self.cleaned_data.get(f"run_{side}") for side in SIDES}
        return PaperRow(self.line(), {side: total for side, total in written.items() if total is not None})

    @property
    def cells(self) -> list[forms.BoundField]:
        order = ("by", "outcome", "counts_A", "counts_B", "points", "up", "run_A", "run_B")
        return [self[name] for name in order]


RowFormSet = forms.formset_factory(DeskRowForm, extra=ROWS, max_num=MOST_ROWS, absolute_max=MOST_ROWS)
