"""Form fields for entering a line of a score card, built from the fields that the game's variant declares.

Each turn (repetition) of a group of fields gets its own set of form fields:

boards (a group) ──► boards_0_outcome, boards_0_by, boards_0_counts_A, …, boards_1_outcome, …

A `LineQuestion` is a declared field at one position in the form.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms

from scoring.rules.hand.cards import DECK
from scoring.rules.variants.variant import FieldKind, LineField

_SUIT_LETTERS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
PER_SIDE_FIELD_KINDS: Final = (FieldKind.NUMBER_A_SIDE, FieldKind.CARDS_A_SIDE)

FieldChoices = list[tuple[str, str]]

_RESERVED_FIELD_NAMES: Final = ("key", "hand", "override", "reason", "more", "strike", "corrects")
"""Names of the line forms' own fields. A variant's field with such a name gets a different name in the form."""


def _make_form_field_name(name: str, prefix: str = "") -> str:
    """Return the form field's name for a declared field. It never clashes with the form's own fields.

    >>> _make_form_field_name("by"), _make_form_field_name("hand"), _make_form_field_name("by", "boards_0_")
    ('by', 'line_hand', 'boards_0_by')
    """
    return f"line_{name}" if not prefix and name in _RESERVED_FIELD_NAMES else prefix + name


@dataclass(frozen=True, slots=True)
class LineQuestion:
    """A field declared by the variant, at one position in the form.

    `prefix` is the name and turn of the field's group, such as “boards_0_”, or "" without a group.
    """

    declared: LineField
    prefix: str = ""

    @property
    def name(self) -> str:
        return _make_form_field_name(self.declared.name, self.prefix)

    @property
    def depends_on(self) -> str:
        """The form field whose value decides whether this question is shown, or "" if it always is."""
        return _make_form_field_name(self.declared.depends_on, self.prefix) if self.declared.outcomes else ""

    def name_for_side(self, side: str) -> str:
        return f"{self.name}_{side}"

    def is_relevant(self, answers: Mapping[str, Any]) -> bool:
        return not self.depends_on or format_sheet_field_value(answers.get(self.depends_on)) in self.declared.outcomes


@dataclass(frozen=True, slots=True)
class LineFormSection:
    """A section of the form, with questions about the line (`group` is None) or about one repetition of a group."""

    questions: tuple[LineQuestion, ...]
    group: LineField | None = None
    turn: int = 0

    @property
    def prefix(self) -> str:
        return f"{self.group.name}_{self.turn}_" if self.group else ""


def iter_line_form_sections(declared: Sequence[LineField], turns: Mapping[str, int]) -> Iterator[LineFormSection]:
    """Yield the form's sections in the order in which the variant declares its fields.

    `turns` maps the name of each group to the number of times that the form repeats the group's fields.
    """
    plain: list[LineQuestion] = []
    for field in declared:
        if field.kind is not FieldKind.GROUP:
            plain.append(LineQuestion(field))
            continue
        if plain:
            yield LineFormSection(tuple(plain))
            plain = []
        for turn in range(turns[field.name]):
            prefix = f"{field.name}_{turn}_"
            yield LineFormSection(tuple(LineQuestion(own, prefix) for own in field.fields), field, turn)
    if plain:
        yield LineFormSection(tuple(plain))


def read_line_answer(question: LineQuestion, answers: Mapping[str, Any], letters: Sequence[str]) -> Any:
    """Convert a form answer to the value stored in a line. Return None if the question was not answered."""
    declared = question.declared
    if declared.kind is FieldKind.NUMBER_A_SIDE:
        return _read_number_by_side(question, answers, letters) or None
    if declared.kind is FieldKind.CARDS_A_SIDE:
        typed = {side: answers.get(question.name_for_side(side), "").split() for side in letters}
        return {side: [normalize_typed_card(text) for text in texts] for side, texts in typed.items() if texts} or None
    value = answers.get(question.name)
    if declared.kind is FieldKind.SWITCH:
        return True if value else None
    if declared.kind is FieldKind.CARD and value:
        return normalize_typed_card(value)
    return None if value == "" else value


def _read_number_by_side(question: LineQuestion, answers: Mapping[str, Any], letters: Sequence[str]) -> dict[str, int]:
    """Return the number entered for each side, keyed by the side's letter.

    If the number is optional, sides with a zero are left out.
    """
    declared = question.declared
    typed = {side: answers.get(question.name_for_side(side)) for side in letters}
    numbers = {side: value for side, value in typed.items() if value is not None and (value or declared.required)}
    finisher = (
        answers.get(_make_form_field_name(declared.zero_count_player_field, question.prefix))
        if declared.zero_count_player_field
        else None
    )
    ended = answers.get(_make_form_field_name(declared.depends_on, question.prefix))
    if finisher and format_sheet_field_value(ended) in declared.zero_count_outcomes:
        numbers.setdefault(finisher, 0)
    return numbers


def make_initial_values(declared: Sequence[LineField], line: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    initial: dict[str, Any] = {}
    for field in declared:
        name, value = _make_form_field_name(field.name, prefix), line.get(field.name)
        if value is None:
            continue
        if field.kind is FieldKind.GROUP:
            for turn, own in enumerate(value):
                initial |= make_initial_values(field.fields, own, f"{name}_{turn}_")
        elif field.kind in PER_SIDE_FIELD_KINDS:
            for side, held in value.items():
                initial[f"{name}_{side}"] = " ".join(held) if isinstance(held, list) else held
        else:
            initial[name] = value
    return initial


def find_field_for_path(path: str, fields: Mapping[str, Any]) -> str | None:
    """Return the form field that a problem's path refers to, such as `boards_0_counts_A` for `boards[0].counts.A`.

    >>> find_field_for_path("extra.B[0]", {"extra_B": None}), find_field_for_path("up", {"up_rank": None})
    ('extra_B', 'up_rank')
    """
    name = re.sub(r"[.\[\]]+", "_", path).strip("_")
    while name:
        for found in (_make_form_field_name(name), f"{name}_rank"):
            if found in fields:
                return found
        name = name.rpartition("_")[0]
    return None


def normalize_typed_card(text: str) -> str:
    """Return the two-character code of a typed playing card, or the text itself if it is not a playing card.

    >>> normalize_typed_card("10h"), normalize_typed_card("h8"), normalize_typed_card("Q♠"), normalize_typed_card("x")
    ('TH', '8H', 'QS', 'x')
    """
    typed = re.sub(r"[\s\ufe0e\ufe0f]", "", text).upper().replace("10", "T")
    for sign, letter in _SUIT_LETTERS.items():
        typed = typed.replace(sign, letter)
    for written in (typed, typed[::-1]):
        if written in DECK:
            return written
    return text.strip()


def format_sheet_field_value(value: Any) -> str:
    """Format an answer as a string, so that it can be compared with `LineField.outcomes`.

    >>> [format_sheet_field_value(value) for value in ("gin", 4, True, None)]
    ['gin', '4', 'true', '']
    """
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def make_number_field(declared: LineField | None, label: str, *, lowest: int | None = 0) -> forms.Field:
    """Return a number field. Phones show a numeric keypad for it, unless negative numbers are allowed.

    The minimum is that of the `declared` field or, if there is none, `lowest`. If the minimum is None, negative numbers
    are allowed.
    """
    lowest = declared.lowest if declared else lowest
    attributes = {"inputmode": "numeric" if lowest is not None else "text", "autocomplete": "off"}
    if lowest is not None:
        attributes["min"] = str(lowest)
    hint = declared.hint if declared else ""
    return forms.IntegerField(
        label=label, min_value=lowest, required=False, widget=forms.NumberInput(attrs=attributes), help_text=hint
    )
