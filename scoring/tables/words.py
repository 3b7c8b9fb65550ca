"""A recorded line in words, by what its variant declares: “knock by Ann, 5–20, up card 8♥”."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from scoring.forms.questions import A_SIDE, as_text
from scoring.rules.variant import FieldKind, LineField
from scoring.selectors.cards import CardState
from scoring.selectors.lost_games import GAME_OF
from scoring.selectors.rulings import words_of
from tournament.templatetags.gin import card_text

_JOINED: Final = {"by": _lazy("by %s"), "to": _lazy("to %s")}
"""A side that belongs to the word before it."""


def line_in_words(state: CardState, line: Mapping[str, Any] | None) -> str:
    if line is None:
        return _("struck out")
    return in_words(state.named_sheet.variant.line_fields(), state.with_names(dict(line)), state.names)


def in_words(fields: Sequence[LineField], line: Mapping[str, Any], names: Sequence[str]) -> str:
    """`line` has the names of the sides. What is said first is how it ended; an up card comes last."""
    ordered = sorted(fields, key=lambda field: field.kind is FieldKind.CARD)
    counted = [field for field in fields if field.kind is FieldKind.NUMBER_A_SIDE and field.required]
    said: list[str] = []
    for field in ordered:
        value = line.get(field.name)
        if value is None or value is False:
            continue
        if field.kind is FieldKind.GROUP:
            each = (f"{field.label} {n}: {in_words(field.fields, own, names)}" for n, own in enumerate(value, start=1))
            said.append("; ".join(each))
        elif field.name in _JOINED and said:
            said[-1] += " " + str(_JOINED[field.name]) % value
        elif field in counted and len(counted) > 1:
            said.append(f"{_label(field)} {_each_side(field, value, names)}")  # “words 61–12, deadwood 0–14”
        elif field.kind is FieldKind.NUMBER and field.label.lower() in " ".join(said):
            said.append(str(value))  # “points only to Ann, 20”
        else:
            said.append(_said(field, value, names))
    return ", ".join(said)


def _said(field: LineField, value: Any, names: Sequence[str]) -> str:
    label = _label(field)
    if field.kind is FieldKind.CHOICE:
        return dict(field.choices).get(as_text(value), as_text(value))
    if field.kind in A_SIDE:
        return _each_side(field, value, names)
    if field.kind is FieldKind.SWITCH:
        return label
    if field.kind is FieldKind.CARD:
        return f"{label} {card_text(value)}"
    return f"{label} {value}"


def _each_side(field: LineField, value: Mapping[str, Any], names: Sequence[str]) -> str:
    """“5–20” where both of two have one; else each behind its name."""
    if field.kind is FieldKind.NUMBER_A_SIDE and len(names) == 2 and set(value) == set(names) and field.required:
        return "–".join(str(value[name]) for name in names)
    shown = {name: " ".join(map(card_text, held)) if isinstance(held, list) else held for name, held in value.items()}
    each = ", ".join(f"{name} {held}" for name, held in shown.items())
    return each if field.required else f"{_label(field)}: {each}"


def _label(field: LineField) -> str:
    return field.label[:1].lower() + field.label[1:]


def penalty_in_words(did: Mapping[str, Any]) -> str:
    """What a ruling did to one side; of a match of several games, what the loss of one means for it."""
    words = words_of(did["effect"])
    return _("%s: one game of the match, and the other needs one less to go on") % words if GAME_OF in did else words
