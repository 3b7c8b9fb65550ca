"""The forms of a score card, built from its variant's fields.

There are forms for a line, for the draw at the table, and for identifying a displayed hand. On phones, most answers
take a single tap on a big key. At the desk, everything is typed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import (
    PER_SIDE_FIELD_KINDS,
    FieldChoices,
    LineFormSection,
    LineQuestion,
    find_field_for_path,
    iter_line_form_sections,
    make_initial_values,
    make_number_field,
    read_line_answer,
)
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.checks import DisplayedHand
from scoring.cards.services.hands import BadLine
from scoring.rules.hand.cards import RANKS, SUIT_NAMES, SUIT_SYMBOLS, SUITS
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.core.forms import IdempotentForm
from tournament.spreadsheets.names import parse_number

RANK_CHOICES: Final = [(rank, "10" if rank == "T" else rank) for rank in RANKS]


SUIT_CHOICES: Final = [
    (suit, format_lazy("{}\ufe0e {}", SUIT_SYMBOLS[suit], SUIT_NAMES[suit])) for suit in reversed(SUITS)
]
"""The suits to choose from. On a phone, a playing card takes two taps: one for its rank and one for its suit."""


_MAX_TURNS: Final = 40
"""The maximum number of turns (repetitions) of a group on one form."""


# --- The form of a line, in general, on a phone and at the desk ------------------------------------------------------


@dataclass(frozen=True)
class _QuestionFields:
    """A question with its form fields: one field, one for each side, or two for a playing card's rank and suit."""

    question: LineQuestion
    fields: tuple[forms.BoundField, ...]

    @property
    def declared(self) -> LineField:
        return self.question.declared

    @property
    def kind(self) -> str:
        """The kind of input for the question.

        It is `keys` (one tap), `card` (rank and suit), `each` (one field per side), `switch`, or `one` (any other
        field).
        """
        if self.declared.kind is FieldKind.CARD and len(self.fields) == 2:
            return "card"
        if self.declared.kind in PER_SIDE_FIELD_KINDS:
            return "each"
        if self.declared.kind is FieldKind.SWITCH:
            return "switch"
        return "keys" if isinstance(self.fields[0].field, forms.ChoiceField) else "one"

    @property
    def shown_for_values(self) -> str:
        """The values of the `depends_on` field that make this question appear, separated by spaces."""
        return " ".join(self.declared.outcomes)

    @property
    def depends_on(self) -> str:
        return self.question.depends_on

    @property
    def legend(self) -> str:
        return self.declared.question or self.declared.label

    @property
    def must_be_answered_first(self) -> bool:
        """Whether a phone needs an answer before it asks the next question."""
        if self.declared.required:
            return True
        return self.kind == "keys" and any(value == "" for value, _word in getattr(self.fields[0].field, "choices", ()))

    @property
    def is_number(self) -> bool:
        return self.declared.kind in (FieldKind.NUMBER, FieldKind.NUMBER_A_SIDE)

    @property
    def accepts_negative(self) -> bool:
        return self.declared.lowest is None

    @property
    def columns(self) -> int:
        count = len(getattr(self.fields[0].field, "choices", ()))
        if self.declared.kind is FieldKind.SIDE:
            return 2  # names need room
        return 3 if self.declared.kind is FieldKind.CHOICE or count == 3 else 2

    @property
    def is_filled(self) -> bool:
        return any(field.value() not in (None, "", False) for field in self.fields)

    @property
    def errors(self) -> list[str]:
        return [str(error) for field in self.fields for error in field.errors]


@dataclass(frozen=True)
class _Section:
    """A section of the form: its heading (may be empty), its questions, and the rarely needed ones in `aside`."""

    part: LineFormSection
    heading: str
    asked: tuple[_QuestionFields, ...]
    aside: tuple[_QuestionFields, ...]

    def steps(self) -> "Iterator[_Step]":
        """Yield the section's screens, in the order of its questions.

        Consecutive questions with the same kind of input share a screen. The first typed question and all questions
        after it are on the last screen. The last screen also has the collapsed `aside` questions.
        """
        runs = [tuple(run) for _kind, run in groupby(_assign_screens(self.asked), key=lambda pair: pair[0])]
        for turn, run in enumerate(runs):
            last = turn == len(runs) - 1
            heading = self.heading if turn == 0 else ""
            name = f"{self.part.prefix}{turn}"
            yield _Step(name, heading, tuple(asked for _kind, asked in run), self.aside if last else ())


@dataclass(frozen=True)
class _Step:
    name: str
    heading: str
    asked: tuple[_QuestionFields, ...]
    aside: tuple[_QuestionFields, ...]

    @property
    def folds(self) -> str:
        return ", ".join(str(each.legend) for each in self.aside)

    @property
    def opens(self) -> bool:
        return any(each.is_filled for each in self.aside)


def _assign_screens(asked: Iterable[_QuestionFields]) -> Iterator[tuple[int, _QuestionFields]]:
    """Yield each question with the number of the screen on which a phone shows it.

    A question that is answered by tapping has its own screen. The first question that is answered by typing, and all
    questions after it, share one screen.
    """
    turn, before = 0, ""
    for each in asked:
        kind = each.kind if each.kind in ("card", "keys") else "typed"
        if before and kind != before and before != "typed":
            turn += 1
        before = before if before == "typed" else kind
        yield turn, each


class LineForm(forms.Form):
    """The form for entering one line of a score card."""

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, **options)
        self.state = state
        self.letters = state.letters
        self.sides = list(state.names_by_letter.items())
        self.declared = state.sheet.variant.line_fields()
        self.turns = {each.name: self._count_turns(each) for each in self.declared if each.kind is FieldKind.GROUP}
        self.parts = tuple(iter_line_form_sections(self.declared, self.turns))
        self.places: dict[str, tuple[str, ...]] = {}
        for question in self.questions:
            made = self._make_fields(question)
            self.fields.update(made)
            self.places[question.name] = tuple(made)

    @property
    def questions(self) -> Iterator[LineQuestion]:
        return (question for part in self.parts for question in part.questions)

    def _count_turns(self, group: LineField) -> int:
        """Return how many times the form repeats the fields of this group."""
        filled = [
            turn
            for source in (self.data, self.initial)
            for name in source
            if name.startswith(self.add_prefix(f"{group.name}_"))
            and (turn := parse_number(name.removeprefix(self.add_prefix(f"{group.name}_")).partition("_")[0]))
            is not None
        ]
        wanted = max([group.fewest, *(turn + 1 for turn in filled)])
        if self.data.get("more") == group.name:
            wanted += 1
        return min(wanted, group.most, _MAX_TURNS)

    def _make_fields(self, question: LineQuestion) -> dict[str, forms.Field]:
        declared = question.declared
        label, hint = declared.label, declared.hint
        if declared.kind is FieldKind.CARD:
            return self._make_card(question)
        if declared.kind is FieldKind.SWITCH:
            return {question.name: forms.BooleanField(label=label, required=False, help_text=hint)}
        if declared.kind is FieldKind.CHOICE or (declared.kind is FieldKind.NUMBER and declared.choices):
            return {question.name: self._make_choice(question, list(declared.choices), empty=False)}
        if declared.kind is FieldKind.SIDE:
            return {question.name: self._make_choice(question, self.sides, empty=True)}
        if declared.kind is FieldKind.NUMBER:
            return {question.name: make_number_field(declared, label)}
        each = [(side, self._make_label(name, declared)) for side, name in self.sides]
        if declared.kind is FieldKind.NUMBER_A_SIDE:
            return {question.name_for_side(side): make_number_field(declared, words) for side, words in each}
        typed: dict[str, Any] = {"required": False, "max_length": 40, "help_text": hint}
        return {question.name_for_side(side): forms.CharField(label=words, **typed) for side, words in each}

    def _make_label(self, name: str, declared: LineField) -> str:
        return f"{name}: {declared.label}" if declared.is_collapsed else name

    def _make_choice(self, question: LineQuestion, choices: FieldChoices, *, empty: bool) -> forms.Field:
        """Return a choice field. `empty` adds a blank choice."""
        return _make_choice_field(question.declared, [("", "–"), *choices] if empty else choices)

    def _make_card(self, question: LineQuestion) -> dict[str, forms.Field]:
        return {question.name: forms.CharField(label=question.declared.label, required=False, max_length=12)}

    def make_line(self) -> dict[str, Any]:
        """Return the line as it will be recorded. Call this after `is_valid`.

        Questions that the other answers make irrelevant are left out.
        """
        line: dict[str, Any] = {}
        for part in self.parts:
            answered = self._read_answers(part)
            if part.group is None:
                line |= answered
            elif answered or part.turn < part.group.fewest:
                line.setdefault(part.group.name, []).append(answered)
        return line

    def _read_answers(self, part: LineFormSection) -> dict[str, Any]:
        answers = self.cleaned_data
        found = {
            question.declared.name: read_line_answer(question, answers, self.letters)
            for question in part.questions
            if question.is_relevant(answers)
        }
        return {name: value for name, value in found.items() if value is not None}

    def show_error(self, error: BadLine) -> None:
        for problem in error.data["problems"]:
            self.add_error(find_field_for_path(problem.path, self.fields), problem.message)

    @property
    def sections(self) -> list[_Section]:
        return [self._make_section(part) for part in self.parts]

    @property
    def steps(self) -> list[_Step]:
        return [step for section in self.sections for step in section.steps()]

    def _make_section(self, part: LineFormSection) -> _Section:
        asked = [_QuestionFields(one, tuple(self[name] for name in self.places[one.name])) for one in part.questions]
        heading = f"{part.group.label} {part.turn + 1}" if part.group else ""
        aside = tuple(each for each in asked if each.declared.is_collapsed)
        return _Section(part, heading, tuple(each for each in asked if not each.declared.is_collapsed), aside)

    @property
    def growable_groups(self) -> list[tuple[str, str]]:
        """The groups whose fields can be repeated once more, each as a name and a label."""
        groups = [each for each in self.declared if each.kind is FieldKind.GROUP]
        return [(each.name, each.label) for each in groups if self.turns[each.name] < min(each.most, _MAX_TURNS)]

    @classmethod
    def make_initial(cls, state: CardState, line: Mapping[str, Any] | None) -> dict[str, Any]:
        return make_initial_values(state.sheet.variant.line_fields(), line or {})

    @classmethod
    def make_initial_for_next(cls, state: CardState) -> dict[str, Any]:
        """Return initial values for those fields of the next line whose values are already known."""
        return cls.make_initial(state, state.sheet.variant.prefill_next_line(state.sheet.lines))


class PhoneLineForm(IdempotentForm, LineForm):
    """The line form for phones.

    A playing card is chosen with two rows of keys, one for ranks and one for suits, so that nothing has to be typed.
    """

    key = forms.CharField(widget=forms.HiddenInput, max_length=100, required=False)
    hand = forms.IntegerField(widget=forms.HiddenInput, required=False)
    override = forms.CharField(label=_("Why is it right?"), required=False, max_length=500)
    reason = forms.CharField(label=_("What was wrong?"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        self.fields["hand"].initial = len(state.lines) + 1
        drawn = make_table_draw_fields(state, phone=True) if state.draw.is_draw_missing and not state.entered else {}
        self.draw_names = tuple(drawn)
        self.fields.update(drawn)

    @property
    def draw_places(self) -> list[forms.BoundField]:
        """The form fields for recording the draw at the table.

        Only the form for the first hand has them, and only until the draw is recorded. A phone that was offline during
        the draw can then send the draw together with the first hand.
        """
        return [self[name] for name in self.draw_names]

    @property
    def drawn_sides(self) -> tuple[str, ...]:
        return read_chosen_side_letters(self.cleaned_data, self.draw_names)

    def _make_choice(self, question: LineQuestion, choices: FieldChoices, *, empty: bool) -> forms.Field:
        """Return one button per option. If naming a side is optional, include a “Nobody” button."""
        declared = question.declared
        nobody = [("", gettext("Nobody"))] if empty and not declared.required and not declared.outcomes else []
        return _make_choice_field(declared, [*choices, *nobody], forms.RadioSelect())

    def _make_card(self, question: LineQuestion) -> dict[str, forms.Field]:
        label = question.declared.label
        made: dict[str, tuple[str, Any]] = {
            "rank": (gettext("%s: rank") % label, RANK_CHOICES),
            "suit": (gettext("%s: suit") % label, SUIT_CHOICES),
        }
        options: dict[str, Any] = {"widget": forms.RadioSelect, "required": False}
        return {
            f"{question.name}_{part}": forms.ChoiceField(label=words, choices=choices, **options)
            for part, (words, choices) in made.items()
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for question in self.questions:
            if question.declared.kind is not FieldKind.CARD:
                continue
            rank, suit = (cleaned.get(f"{question.name}_{part}", "") for part in ("rank", "suit"))
            if bool(rank) != bool(suit):
                missing = f"{question.name}_{'suit' if rank else 'rank'}"
                self.add_error(missing, _("A card has a rank and a suit. Choose both."))
            cleaned[question.name] = rank + suit if rank and suit else ""
        return cleaned

    @classmethod
    def make_initial(cls, state: CardState, line: Mapping[str, Any] | None) -> dict[str, Any]:
        initial = super().make_initial(state, line)
        fields = state.sheet.variant.line_fields()
        turns = {each.name: len((line or {}).get(each.name, ())) for each in fields if each.kind is FieldKind.GROUP}
        for part in iter_line_form_sections(fields, turns):
            for question in part.questions:
                card = initial.pop(question.name, "") if question.declared.kind is FieldKind.CARD else ""
                if card:
                    initial |= {f"{question.name}_rank": card[0], f"{question.name}_suit": card[1]}
        return initial


class DeskLineForm(IdempotentForm, LineForm):
    """The form for one line at the desk, where everything is typed.

    It adds a new line, or corrects an existing one for the given `reason`.
    """

    reason = forms.CharField(label=_("Reason for the correction"), required=False, max_length=500)
    override = forms.CharField(label=_("Why the unusual entry is right"), required=False, max_length=500)

    def _make_label(self, name: str, declared: LineField) -> str:
        return f"{name}: {declared.label}"


def _make_choice_field(declared: LineField, choices: FieldChoices, widget: forms.Widget | None = None) -> forms.Field:
    options: dict[str, Any] = {"label": declared.label, "choices": choices, "required": False}
    options |= {"help_text": declared.hint} | ({"widget": widget} if widget else {})
    if declared.kind is FieldKind.NUMBER:
        return forms.TypedChoiceField(coerce=int, empty_value=None, **options)
    return forms.ChoiceField(**options)


# --- The draw at the table -------------------------------------------------------------------------------------------


def make_table_draw_fields(state: CardState, *, phone: bool) -> dict[str, forms.ChoiceField]:
    """Return the form fields to record the draw at the table: `place_0`, `place_1`, and so on.

    The fields are keys on a phone, and otherwise drop-down lists. If there are several positions, the last one has no
    field, because the others determine it.
    """
    draw = state.draw.table_draw
    sides = sorted(state.names_by_letter.items())
    asked = draw.places[:-1] if draw.orders_sides else draw.places
    known = state.draw.recorded_order
    blank = [] if phone else [("", _("not recorded"))]
    return {
        f"place_{turn}": forms.ChoiceField(
            label=draw.question or f"{place.card}: {place.duty}",
            choices=[*blank, *sides],
            required=False,
            initial=known[turn] if turn < len(known) else "",
            widget=forms.RadioSelect() if phone else forms.Select(attrs={"class": "form-select"}),
        )
        for turn, place in enumerate(asked)
    }


def read_chosen_side_letters(cleaned: dict[str, Any], places: Iterable[str]) -> tuple[str, ...]:
    """Return the letters of the chosen sides, or an empty tuple if nothing was chosen."""
    letters = tuple(str(cleaned.get(name) or "") for name in places)
    return letters if any(letters) else ()


class TableDrawForm(IdempotentForm):
    """A form to record the draw at a table.

    Players use it before the first hand, and the desk can use it at any time. Once a hand is on the card, the desk has
    to give a `reason`.
    """

    key = forms.CharField(widget=forms.HiddenInput, max_length=100, required=False)
    reason = forms.CharField(label=_("Reason for the correction"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, phone: bool = False) -> None:
        super().__init__(data)
        self.state = state
        self.asked = make_table_draw_fields(state, phone=phone)
        self.fields.update(self.asked)
        if phone or not state.entered:
            del self.fields["reason"]

    @property
    def position_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.asked]

    @property
    def drawn_order(self) -> tuple[str, ...]:
        """The letters of the chosen sides in the order of the positions."""
        return read_chosen_side_letters(self.cleaned_data, self.asked)


# --- Up cards and checks ---------------------------------------------------------------------------------------------


class DisplayedHandForm(forms.Form):
    """Hidden fields that identify a hand and the recorded line that the page showed for it."""

    key = forms.CharField(max_length=100, required=False)
    hand = forms.IntegerField(min_value=1)
    line = forms.IntegerField(min_value=1)

    @property
    def displayed_hand(self) -> DisplayedHand:
        return DisplayedHand(self.cleaned_data["hand"], self.cleaned_data["line"], self.cleaned_data["key"])
