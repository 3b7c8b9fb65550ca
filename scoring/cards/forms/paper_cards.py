"""Forms for typing a paper card at the desk: the totals or each hand, and the signatures."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import A_SIDE, Choices, Part, Question, number_field, parts_of
from scoring.card_state.selectors.cards import CardState
from scoring.cards.forms.lines import LineForm, chosen_letters, draw_fields
from scoring.cards.services.paper_cards import PaperCard, PaperRow
from scoring.rules.sheet.sheets import takes_totals
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.core.forms import KeyedForm

ROWS: Final = 14


MOST_ROWS: Final = 60


class DeskForm(KeyedForm):
    """The foot of a paper card: the final totals, unless it is entered hand by hand, and the signatures."""

    signed = forms.MultipleChoiceField(label=_("Signed"), required=False, widget=forms.CheckboxSelectMultiple)
    witness = forms.CharField(label=_("Seen by"), required=False, max_length=200)
    keeper = forms.ChoiceField(label=_("Kept score"), required=False)
    override = forms.CharField(label=_("Reason to enter it anyway"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, by_rows: bool, **options: Any) -> None:
        super().__init__(data, **options)
        self.state, self.by_rows = state, by_rows
        sides = list(state.by_letter.items())
        players = [(str(who.pk), who.name) for who in state.card.entrants]
        self.fields["signed"] = forms.MultipleChoiceField(
            label=_("Signed"), required=False, choices=sides, widget=forms.CheckboxSelectMultiple
        )
        label = _("Kept score (low cut)") if state.draw.table_draw.keeps_score else _("Kept score")
        self.fields["keeper"] = forms.ChoiceField(
            label=label, required=False, choices=[("", _("not recorded")), *players],
            initial=str(state.keeper_id or ""),
        )  # fmt: skip
        self.asked = draw_fields(state, phone=False) if state.draw.has_separate_draw else {}
        self.fields.update(self.asked)
        for side, name in sides:
            self.fields[f"total_{side}"] = number_field(None, name)

    @property
    def draw_places(self) -> list[forms.BoundField]:
        return [self[name] for name in self.asked]

    @property
    def totals(self) -> list[forms.BoundField]:
        return [self[f"total_{side}"] for side in self.state.letters]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.by_rows:
            for side in self.state.letters:
                if cleaned.get(f"total_{side}") is None and f"total_{side}" not in self.errors:
                    self.add_error(f"total_{side}", _("Enter the final total of this side. Enter 0 if it has none."))
        return cleaned

    def paper(self, rows: tuple[PaperRow, ...]) -> PaperCard:
        cleaned = self.cleaned_data
        players = {str(who.pk): who for who in self.state.card.entrants}
        return PaperCard(
            totals=None if self.by_rows else {side: cleaned[f"total_{side}"] for side in self.state.letters},
            rows=rows,
            keeper=players.get(cleaned["keeper"]),
            drawn=chosen_letters(cleaned, self.asked),
            signed=tuple(cleaned["signed"]),
            **{name: cleaned[name] for name in ("witness", "override", "key")},
        )


class DeskRowForm(LineForm):
    """One line of the paper, in typing order. The `run_…` fields are the totals that the players wrote beside it.

    A single column names a side, whether the line asks who knocked or who has the points. A line of several boards has
    a row for each board. Shared fields come before the first board, and the totals after the last.
    """

    has_wrong_totals = False
    """Whether only the running totals of the line are wrong."""

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        self.shared, self.boards = _row_columns(state)
        columns = [*self.shared, *chain.from_iterable(self.boards)]
        self.asked = {question.name for question in columns}
        self.fields = {name: self.fields[name] for question in columns for name in self.places[question.name]}
        for side, name in self.sides:
            self.fields[f"run_{side}"] = number_field(None, name, lowest=None)
        for field in self.fields.values():
            kind = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = "form-check-input" if isinstance(field, forms.BooleanField) else kind

    def _make_choice(self, question: Question, choices: Choices, *, empty: bool) -> forms.Field:
        return super()._make_choice(question, choices, empty=True)

    def line(self) -> dict[str, Any]:
        """Return the line. The side that is named applies to whichever side question the line or board asks."""
        for part in self.parts:
            sides = [question for question in part.questions if question.declared.kind is FieldKind.SIDE]
            named = next((self.cleaned_data.get(q.name) for q in sides if q.name in self.asked), "")
            for question in sides:
                if question.name not in self.asked and not question.declared.aside and question.depends_on:
                    self.cleaned_data[question.name] = named
        return super().line()

    def row(self) -> PaperRow:
        written = {side: self.cleaned_data.get(f"run_{side}") for side in self.letters}
        return PaperRow(self.line(), {side: total for side, total in written.items() if total is not None})

    @property
    def shared_cells(self) -> list[forms.BoundField]:
        return self._cells(self.shared)

    @property
    def board_cells(self) -> list[list[forms.BoundField]]:
        return [self._cells(board) for board in self.boards]

    @property
    def total_cells(self) -> list[forms.BoundField]:
        return [self[f"run_{side}"] for side in self.letters]

    def _cells(self, questions: Iterable[Question]) -> list[forms.BoundField]:
        return [self[name] for question in questions for name in self.places[question.name]]


RowFormSet = forms.formset_factory(DeskRowForm, extra=ROWS, max_num=MOST_ROWS, absolute_max=MOST_ROWS)


def _row_columns(state: CardState) -> tuple[list[Question], list[list[Question]]]:
    """List the columns of one row of the paper. Rare details have no column.

    The columns are: who ended the hand, how, the count of each side, and the rest. The first list has the columns that
    the boards of a line share, and the second those of each board. A line without boards counts as one board.
    """
    declared = state.sheet.variant.line_fields()
    parts = list(parts_of(declared, {each.name: each.fewest for each in declared if each.kind is FieldKind.GROUP}))
    boards = [_columns_of_part(part) for part in parts if part.group is not None]
    shared = [question for part in parts if part.group is None for question in _columns_of_part(part)]
    return (shared, boards) if boards else ([], [shared])


def _columns_of_part(part: Part) -> list[Question]:
    order = (FieldKind.SIDE, FieldKind.CHOICE, *A_SIDE, FieldKind.NUMBER, FieldKind.SWITCH, FieldKind.CARD)
    asked = [each for each in part.questions if not each.declared.aside]
    first_side = next((each for each in asked if each.declared.kind is FieldKind.SIDE), None)
    columns = [each for each in asked if each.declared.kind is not FieldKind.SIDE or each is first_side]
    return sorted(columns, key=lambda each: order.index(each.declared.kind))


def board_group(state: CardState) -> LineField | None:
    """Return the group of boards if a line has several hands in one, or None."""
    return next((each for each in state.sheet.variant.line_fields() if each.kind is FieldKind.GROUP), None)


def fits_rows(state: CardState) -> bool:
    """Whether the lines can be typed as rows. Lines with a variable number of results cannot."""
    groups = [each for each in state.sheet.variant.line_fields() if each.kind is FieldKind.GROUP]
    return all(each.fewest == each.most for each in groups) and len(groups) < 2


def fits_totals(state: CardState) -> bool:
    """Whether the final totals are enough to tell how the game ended."""
    return state.target is not None and takes_totals(state.sheet.variant)


def row_headings(state: CardState) -> list[dict[str, Any]]:
    """Return the headings of a row's cells, each over one column or over one column for each side.

    All boards have the headings of the first.
    """
    shared, boards = _row_columns(state)
    group = board_group(state)
    columns = [
        *((question.declared.label, question.declared.kind in A_SIDE) for question in shared),
        *([(group.label, False)] if group else []),
        *((question.declared.label, question.declared.kind in A_SIDE) for question in boards[0]),
        (gettext("Totals on the paper"), True),
    ]
    return [
        {"text": text, "sides": state.names if each else (), "span": len(state.names) if each else 1}
        for text, each in columns
    ]
