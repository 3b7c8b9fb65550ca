"""A form for the facts of an irregularity, made from the declaration of its kind. Unknown facts stay empty."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import read_typed_card
from scoring.rules.irregularities.matter import FactAsked, FactKind

Sides = Sequence[tuple[str, str]]
"""The letter and the name of each side."""

UNKNOWN: Final = ("", _("not known"))
A_SIDE: Final = (FactKind.CARD_A_SIDE, FactKind.CARDS_A_SIDE, FactKind.NUMBER_A_SIDE)
NUMBERS: Final = (FactKind.NUMBER, FactKind.NUMBER_A_SIDE)
TYPED: Final = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}


class FactsForm(forms.Form):
    """The facts of `asked` as form fields. Sides are named by their letters."""

    def __init__(
        self, data: Any = None, *, asked: Sequence[FactAsked], sides: Sides, known: Mapping[str, Any], **options: Any
    ):
        self.asked, self.sides = asked, sides
        super().__init__(data, initial={**initial_of(asked, known), **options.pop("initial", {})}, **options)
        for fact in asked:
            self.fields.update(self._make(fact))

    def _make(self, fact: FactAsked) -> dict[str, forms.Field]:
        if fact.kind in A_SIDE:
            return {f"{fact.name}_{letter}": _field(fact, f"{fact.question} {name}") for letter, name in self.sides}
        if fact.kind is FactKind.SIDE:
            return {fact.name: _radios(fact.question, self.sides)}
        return {fact.name: _field(fact, fact.question)}

    def facts(self) -> dict[str, Any]:
        """Return the answered facts in the form that `adjudicate` takes. Call it after `is_valid`."""
        found = {fact.name: self._value(fact) for fact in self.asked}
        return {name: value for name, value in found.items() if value not in (None, "", {}, [])}

    def _value(self, fact: FactAsked) -> Any:
        answers = self.cleaned_data
        if fact.kind in A_SIDE:
            each = {letter: _read(fact, answers.get(f"{fact.name}_{letter}")) for letter, _name in self.sides}
            return {letter: value for letter, value in each.items() if value not in (None, "", [])}
        return _read(fact, answers.get(fact.name))


def initial_of(asked: Sequence[FactAsked], known: Mapping[str, Any]) -> dict[str, Any]:
    initial: dict[str, Any] = {}
    for fact in asked:
        value = known.get(fact.name)
        if value is None:
            continue
        if fact.kind in A_SIDE:
            for letter, held in value.items():
                initial[f"{fact.name}_{letter}"] = " ".join(held) if isinstance(held, list) else held
        else:
            initial[fact.name] = str(value).lower() if fact.kind is FactKind.YES_NO else value
    return initial


def _field(fact: FactAsked, label: str) -> forms.Field:
    if fact.kind in NUMBERS:
        return forms.IntegerField(
            label=label, min_value=0, max_value=fact.most, required=False,
            widget=forms.NumberInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        )  # fmt: skip
    if fact.kind is FactKind.YES_NO:
        return _radios(label, [("true", _("yes")), ("false", _("no"))])
    if fact.kind is FactKind.CODE:
        return _radios(label, fact.codes)
    if fact.kind is FactKind.LINE:
        return forms.JSONField(label=label, required=False, widget=forms.HiddenInput)
    several = fact.kind is FactKind.CARDS_A_SIDE
    hint = _("Such as 8H 10S") if several else _("Such as 8H, 10S or KD")
    widget = forms.TextInput(attrs=TYPED)
    return forms.CharField(label=label, required=False, max_length=60, widget=widget, help_text=hint)


def _radios(label: str, choices: Sequence[tuple[str, Any]]) -> forms.Field:
    return forms.ChoiceField(label=label, choices=[*choices, UNKNOWN], required=False, widget=forms.RadioSelect)


def _read(fact: FactAsked, value: Any) -> Any:
    if value in (None, ""):
        return None
    if fact.kind is FactKind.YES_NO:
        return value == "true"
    if fact.kind is FactKind.CARDS_A_SIDE:
        return [read_typed_card(text) for text in value.split()]
    if fact.kind in (FactKind.CARD, FactKind.CARD_A_SIDE, FactKind.CLAIMED_CARD):
        return read_typed_card(value)
    return value
