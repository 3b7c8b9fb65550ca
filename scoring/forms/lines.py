"""A hand as a form: made from what the variant declares, for a phone (big taps) and for the desk (typed)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.rules.cards import DECK, RANKS, SUIT_NAMES, SUIT_SYMBOLS, SUITS
from scoring.rules.hands import Outcome
from scoring.rules.variant import FieldKind, LineField
from scoring.selectors.cards import SIDES, CardState
from scoring.services.cards import BadLine

_SUIT_LETTERS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
_OWN_COUNT_IS_ZERO: Final = (Outcome.GIN, Outcome.BIG_GIN)

Choices = list[tuple[str, str]]

number = forms.NumberInput(attrs={"inputmode": "numeric", "min": 0, "autocomplete": "off"})


def read_typed_card(text: str) -> str:
    """A card as people type it, in the two letters of the record; what is no card stays as it was typed.

    >>> read_typed_card("10h"), read_typed_card("h8"), read_typed_card("Q♠"), read_typed_card("x")
    ('TH', '8H', 'QS', 'x')
    """
    typed = re.sub(r"[\s\ufe0e\ufe0f]", "", text).upper().replace("10", "T")
    for sign, letter in _SUIT_LETTERS.items():
        typed = typed.replace(sign, letter)
    for written in (typed, typed[::-1]):
        if written in DECK:
            return written
    return text.strip()


class LineForm(forms.Form):
    """One hand. `line()` is what `tally` takes; what does not belong to the outcome is left out."""

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, **options)
        self.state = state
        self.declared = state.sheet.variant.line_fields()
        for declared in self.declared:
            for name, made in self._make(declared).items():
                self.fields[name] = made

    def _make(self, declared: LineField) -> dict[str, forms.Field]:
        label, hint = declared.label, declared.hint
        sides = list(zip(SIDES, self.state.names, strict=True))
        if declared.kind is FieldKind.CARD:
            return self._make_card(declared)
        if declared.kind is FieldKind.CHOICE:
            return {declared.name: self._make_choice(label, list(declared.choices), empty=False)}
        if declared.kind is FieldKind.SIDE:
            return {declared.name: self._make_choice(label, sides, empty=True)}
        if declared.kind is FieldKind.NUMBER:
            return {declared.name: forms.IntegerField(label=label, min_value=0, required=False, widget=number)}
        if declared.kind is FieldKind.NUMBER_A_SIDE:
            return {
                f"{declared.name}_{side}": forms.IntegerField(
                    label=name, min_value=0, required=False, widget=number, help_text=hint
                )
                for side, name in sides
            }
        return {
            f"{declared.name}_{side}": forms.CharField(label=name, required=False, max_length=40, help_text=hint)
            for side, name in sides
        }

    def _make_choice(self, label: str, choices: Choices, *, empty: bool) -> forms.Field:
        """A list; `empty` where it may stay unsaid."""
        unsaid = [("", "–")] if empty else []
        return forms.ChoiceField(label=label, choices=[*unsaid, *choices], required=False)

    def _make_card(self, declared: LineField) -> dict[str, forms.Field]:
        return {declared.name: forms.CharField(label=declared.label, required=False, max_length=12)}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("up"):
            cleaned["up"] = read_typed_card(cleaned["up"])
        return cleaned

    def line(self) -> dict[str, Any]:
        """The hand as it is recorded; to be asked for after `is_valid`."""
        outcome = self.cleaned_data.get("outcome", "")
        line: dict[str, Any] = {}
        for declared in self.declared:
            if declared.outcomes and outcome not in declared.outcomes:
                continue
            value = self._value(declared)
            if value not in (None, "", {}):
                line[declared.name] = value
        if outcome in _OWN_COUNT_IS_ZERO and line.get("by"):
            line.setdefault("counts", {}).setdefault(line["by"], 0)
        return line

    def _value(self, declared: LineField) -> Any:
        if declared.kind is FieldKind.NUMBER_A_SIDE:
            found = {side: self.cleaned_data.get(f"{declared.name}_{side}") for side in SIDES}
            kept = {side: value for side, value in found.items() if value is not None}
            return kept if declared.name == "counts" else {side: n for side, n in kept.items() if n}
        if declared.kind is FieldKind.CARDS_A_SIDE:
            typed = {side: self.cleaned_data.get(f"{declared.name}_{side}", "").split() for side in SIDES}
            return {side: [read_typed_card(text) for text in texts] for side, texts in typed.items() if texts}
        return self.cleaned_data.get(declared.name)

    def show(self, error: BadLine) -> None:
        """The refusals beside the fields they are about."""
        for problem in error.data["problems"]:
            field = problem.path.replace("counts.", "counts_").replace("missing.", "missing_")
            field = re.sub(r"^extra\.(\w).*", r"extra_\1", field)
            field = {"up": "up_rank"}.get(field, field) if field not in self.fields else field
            self.add_error(field if field in self.fields else None, problem.message)

    def group(self, name: str) -> list[forms.BoundField]:
        return [self[field] for field in self.fields if field == name or field.startswith(f"{name}_")]

    @classmethod
    def initial_of(cls, line: Mapping[str, Any]) -> dict[str, Any]:
        """A recorded hand as the form's fields."""
        initial: dict[str, Any] = {}
        for name, value in line.items():
            if isinstance(value, Mapping):
                for side, held in value.items():
                    initial[f"{name}_{side}"] = " ".join(held) if isinstance(held, list) else held
            else:
                initial[name] = value
        return initial


class PhoneLineForm(LineForm):
    """On a phone: rank and suit are two rows of keys, everything is a tap."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100, required=False)
    hand = forms.IntegerField(widget=forms.HiddenInput, required=False)
    override = forms.CharField(label=_("Why is it right?"), required=False, max_length=500)
    reason = forms.CharField(label=_("What was wrong?"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        self.fields["key"].initial = uuid.uuid4().hex
        self.fields["hand"].initial = len(state.lines) + 1

    def _make_choice(self, label: str, choices: Choices, *, empty: bool) -> forms.Field:
        return forms.ChoiceField(label=label, choices=choices, widget=forms.RadioSelect, required=False)

    def _make_card(self, declared: LineField) -> dict[str, forms.Field]:
        ranks = [(rank, "10" if rank == "T" else rank) for rank in RANKS]
        suits = [(suit, f"{SUIT_SYMBOLS[suit]}\ufe0e {SUIT_NAMES[suit]}") for suit in reversed(SUITS)]
        return {
            "up_rank": forms.ChoiceField(label=_("Rank"), choices=ranks, widget=forms.RadioSelect, required=False),
            "up_suit": forms.ChoiceField(label=_("Suit"), choices=suits, widget=forms.RadioSelect, required=False),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        rank, suit = cleaned.get("up_rank", ""), cleaned.get("up_suit", "")
        if bool(rank) != bool(suit):
            missing = "up_suit" if rank else "up_rank"
            self.add_error(missing, _("An up card has a rank and a suit. Choose the other one, too."))
        cleaned["up"] = rank + suit if rank and suit else ""
        return cleaned

    @classmethod
    def initial_of(cls, line: Mapping[str, Any]) -> dict[str, Any]:
        initial = super().initial_of(line)
        up = initial.pop("up", "")
        return {**initial, **({"up_rank": up[0], "up_suit": up[1]} if up else {})}


class DeskHandForm(LineForm):
    """One hand at the desk, all fields typed: added, or put in place of another with the reason."""

    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    reason = forms.CharField(label=_("Reason for the correction"), required=False, max_length=500)
    override = forms.CharField(label=_("Why the improbable is right"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        self.fields["key"].initial = uuid.uuid4().hex
        names = list(self.fields)
        self.order_fields(sorted(names, key=lambda name: name in ("reason", "override", "key")))
        for name in ("missing", "extra"):
            for side, who in zip(SIDES, self.state.names, strict=True):
                label = next(each.label for each in self.declared if each.name == name)
                self.fields[f"{name}_{side}"].label = f"{who}: {label}"
