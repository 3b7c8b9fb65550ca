"""The desk's page for paper cards, designed for fast typing.

Staff type the table number, then the totals or the hands, and press Enter.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, TypeVar

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.card_state.forms import (
    PER_SIDE_FIELD_KINDS,
    FieldChoices,
    LineFormSection,
    LineQuestion,
    iter_line_form_sections,
    make_number_field,
)
from scoring.card_state.selectors.cards import load_card_state_by_token, load_match_cards
from scoring.card_state.selectors.players import load_match_at_table
from scoring.card_state.selectors.state import CardState
from scoring.cards.forms import LineForm, make_table_draw_fields, read_chosen_side_letters
from scoring.cards.services.paper_cards import BadPaperRows, PaperCard, PaperRow, enter_paper_card
from scoring.models import StaffEntry
from scoring.posting.selectors.card_list import load_desk_cards, load_latest_posted_cards
from scoring.posting.selectors.results import find_card_in_play
from scoring.posting.services.correction_period import StaffEntryMismatch
from scoring.posting.services.opening import get_or_open_card
from scoring.posting.tables import describe_staff_entry_mismatch
from scoring.rules.sheet.sheets import accepts_totals
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.permissions import Actor
from tournament.errors import DomainError, NotFound, ReasonRequired
from tournament.models import Event
from tournament.spreadsheets.names import parse_number

MarkT = TypeVar("MarkT")


@staff_event_view("desk")
def enter_paper_card_at_desk(request: ActorRequest, event: Event) -> HttpResponse:
    context: dict[str, Any] = {"last": load_latest_posted_cards(event), "table": request.GET.get("table", "")}
    try:
        state = _find_card_by_token_or_table(event, request.GET, request.actor)
    except DomainError as error:
        return render(request, "scoring/cards/desk_entry/console.html", {**context, "refused": error.message})
    if state is None:
        cards = load_desk_cards(event, "open", timezone.now())
        context |= {"nothing_open": not cards, "nobody_plays": not any(card.state.table for card in cards)}
        return render(request, "scoring/cards/desk_entry/console.html", context)
    if not (
        can_enter_card_by_rows(state) or can_enter_card_by_totals(state)
    ):  # a line of several hands is entered on the card's own page
        page, token = "scoring:desk_card_lines", state.card.token
        return redirect(page, tournament=event.tournament.slug, event=event.slug, token=token)
    by_rows = can_enter_card_by_rows(state) and (
        request.GET.get("by") == "hands" or not can_enter_card_by_totals(state)
    )
    data = request.POST or None
    form = _DeskForm(data, state=state, by_rows=by_rows, initial={"witness": request.actor.name})
    rows = _RowFormSet(data, form_kwargs={"state": state}, prefix="row") if by_rows else None
    if rows is not None:
        rows.extra = len(state.line_names) or rows.extra  # a game of thirteen hands has no fourteenth line
    context |= {"state": state, "card": state.card, "form": form, "rows": rows, "marks": {}, "by_rows": by_rows}
    context |= {"fits_rows": can_enter_card_by_rows(state), "fits_totals": can_enter_card_by_totals(state)}
    if request.method == "POST" and form.is_valid() and (rows is None or rows.is_valid()):
        posted = _try_to_enter_card(request, state, context)
        if posted is not None:
            return redirect(request.path + ("?by=hands" if request.GET.get("by") == "hands" else ""))
    if rows is not None:
        next(iter(rows[0].fields.values())).widget.attrs["autofocus"] = True
        context["lines"] = [(i + 1, row, context["marks"].get(i, "")) for i, row in enumerate(rows)]
        headings, group = _make_row_headings(state), _find_board_group(state)
        context |= {"headings": headings, "row_width": sum(heading["span"] for heading in headings)}
        context |= {"boards": len(rows[0].boards), "board_name": group.label if group else ""}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/cards/desk_entry/console.html", context, status=status)


def _find_card_by_token_or_table(event: Event, typed: QueryDict, actor: Actor) -> CardState | None:
    """Return the card with the given token, or the card in play at the given table.

    Return None if the form is empty.
    """
    token = typed.get("card")
    if token:
        state = load_card_state_by_token(token)
        if state.card.match.event_id != event.pk:
            raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
        return state
    asked = typed.get("table", "")
    if not asked.strip():
        return None
    table = parse_number(asked)
    if table is None:
        raise DomainError("no-table", _("Enter a table number."))
    meeting = load_match_at_table(event, table)
    cards = load_match_cards(meeting.match.pk, meeting.cards_key)
    return find_card_in_play(cards) or load_card_state_by_token(
        get_or_open_card(meeting, len(cards) + 1, by=actor).token
    )


def _try_to_enter_card(request: ActorRequest, state: CardState, context: dict[str, Any]) -> CardState | None:
    """Enter the paper card and return its new state.

    If the card is rejected, add the reasons to the context and return None.
    """
    form, rows = context["form"], context["rows"]
    typed = tuple(row.make_paper_row() for row in rows if row.has_changed()) if rows is not None else ()
    try:
        after = enter_paper_card(state.card, form.make_paper_card(typed), by=request.actor)
    except BadPaperRows as error:
        context["marks"] = _key_marks_by_form_row(rows, error.data["rows"])
        form.add_error(None, _("Some hands cannot be right. They are marked below."))
    except ReasonRequired as error:
        context["warnings"] = error.data["warnings"]
        context["marks"] = _key_marks_by_form_row(rows, error.data.get("slips", {}))
        for number, letters in _key_marks_by_form_row(rows, error.data.get("wrong", {})).items():
            # Mark only the wrong running totals, not their whole lines.
            for letter in letters:
                rows[number].fields[f"run_{letter}"].widget.attrs["aria-invalid"] = "true"
            rows[number].has_wrong_totals = True
    except StaffEntryMismatch as error:
        form.add_error(None, describe_staff_entry_mismatch(state, error))
    except DomainError as error:
        form.add_error(None, error.message)
    else:
        messages.success(request, _describe_entered_card(after))
        return after
    return None


def _describe_entered_card(state: CardState) -> str:
    if StaffEntry.objects.filter(card=state.card, kind=StaffEntry.Kind.CARD, decided__isnull=True).exists():
        return _("Entered. It counts when a second person confirms it under “Entries to confirm”.")
    if state.is_posted:
        return _("Posted: %s.") % state.score.line_with_names
    missing = ", ".join(state.signatures.missing_names)
    return _("Entered: %(score)s. Not signed yet: %(missing)s.") % {
        "score": state.score.line_with_names,
        "missing": missing,
    }


def _key_marks_by_form_row(rows: Any, marks: Mapping[int, MarkT]) -> dict[int, MarkT]:
    """Return the marks that say what is wrong or doubtful in a form's rows, keyed by the row's position in the form.

    The form can have empty rows. The keys of `marks` are positions among the filled rows only. Both kinds of positions
    are counted from 0.
    """
    if rows is None:
        return {}
    filled = [i for i, row in enumerate(rows) if row.has_changed()]
    return {filled[number]: mark for number, mark in marks.items() if number < len(filled)}


# --- The form of a paper card ----------------------------------------------------------------------------------------


_EMPTY_ROWS: Final = 14
_MAX_ROWS: Final = 60


class _DeskForm(IdempotentForm):
    """A form with the signatures on a paper card and, unless hands are typed, its final totals."""

    signed = forms.MultipleChoiceField(
        label=gettext_lazy("Signed"), required=False, widget=forms.CheckboxSelectMultiple
    )
    witness = forms.CharField(label=gettext_lazy("Seen by"), required=False, max_length=200)
    keeper = forms.ChoiceField(label=gettext_lazy("Kept score"), required=False)
    override = forms.CharField(label=gettext_lazy("Reason to enter it anyway"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, by_rows: bool, **options: Any) -> None:
        super().__init__(data, **options)
        self.state, self.by_rows = state, by_rows
        sides = list(state.names_by_letter.items())
        players = [(str(who.pk), who.name) for who in state.card.entrants]
        self.fields["signed"] = forms.MultipleChoiceField(
            label=gettext_lazy("Signed"), required=False, choices=sides, widget=forms.CheckboxSelectMultiple
        )
        label = (
            gettext_lazy("Kept score (low cut)") if state.draw.table_draw.keeps_score else gettext_lazy("Kept score")
        )
        self.fields["keeper"] = forms.ChoiceField(
            label=label, required=False, choices=[("", gettext_lazy("not recorded")), *players],
            initial=str(state.keeper_id or ""),
        )  # fmt: skip
        self.asked = make_table_draw_fields(state, phone=False) if state.draw.has_separate_draw else {}
        self.fields.update(self.asked)
        for side, name in sides:
            self.fields[f"total_{side}"] = make_number_field(None, name)

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
                    self.add_error(
                        f"total_{side}", gettext_lazy("Enter the final total of this side. Enter 0 if it has none.")
                    )
        return cleaned

    def make_paper_card(self, rows: tuple[PaperRow, ...]) -> PaperCard:
        cleaned = self.cleaned_data
        players = {str(who.pk): who for who in self.state.card.entrants}
        return PaperCard(
            totals=None if self.by_rows else {side: cleaned[f"total_{side}"] for side in self.state.letters},
            rows=rows,
            keeper=players.get(cleaned["keeper"]),
            drawn=read_chosen_side_letters(cleaned, self.asked),
            signed=tuple(cleaned["signed"]),
            **{name: cleaned[name] for name in ("witness", "override", "key")},
        )


class PaperRowForm(LineForm):
    """A form for one line of the paper card, with its fields in typing order.

    A line can have several boards (hands played side by side). Each board then takes one table row. The `run_…` fields
    at the end are the running totals that the players wrote next to the line.
    """

    has_wrong_totals = False
    """Whether the running totals are the only error in the line."""

    def __init__(self, data: Any = None, *, state: CardState, **options: Any) -> None:
        super().__init__(data, state=state, **options)
        self.shared, self.boards = _list_row_columns(state)
        columns = [*self.shared, *chain.from_iterable(self.boards)]
        self.asked = {question.name for question in columns}
        self.fields = {name: self.fields[name] for question in columns for name in self.places[question.name]}
        for side, name in self.sides:
            self.fields[f"run_{side}"] = make_number_field(None, name, lowest=None)
        for field in self.fields.values():
            kind = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = "form-check-input" if isinstance(field, forms.BooleanField) else kind

    def _make_choice(self, question: LineQuestion, choices: FieldChoices, *, empty: bool) -> forms.Field:
        return super()._make_choice(question, choices, empty=True)

    def make_line(self) -> dict[str, Any]:
        """Return the line as it will be recorded.

        A board can have several fields that name a side. The form asks for the side only once per board, and stores
        the answer in all of these fields.
        """
        for part in self.parts:
            sides = [question for question in part.questions if question.declared.kind is FieldKind.SIDE]
            named = next((self.cleaned_data.get(q.name) for q in sides if q.name in self.asked), "")
            for question in sides:
                if question.name not in self.asked and not question.declared.is_collapsed and question.depends_on:
                    self.cleaned_data[question.name] = named
        return super().make_line()

    def make_paper_row(self) -> PaperRow:
        written = {side: self.cleaned_data.get(f"run_{side}") for side in self.letters}
        return PaperRow(self.make_line(), {side: total for side, total in written.items() if total is not None})

    @property
    def shared_cells(self) -> list[forms.BoundField]:
        return self._list_bound_fields(self.shared)

    @property
    def board_cells(self) -> list[list[forms.BoundField]]:
        return [self._list_bound_fields(board) for board in self.boards]

    @property
    def total_cells(self) -> list[forms.BoundField]:
        return [self[f"run_{side}"] for side in self.letters]

    def _list_bound_fields(self, questions: Iterable[LineQuestion]) -> list[forms.BoundField]:
        return [self[name] for question in questions for name in self.places[question.name]]


_RowFormSet = forms.formset_factory(PaperRowForm, extra=_EMPTY_ROWS, max_num=_MAX_ROWS, absolute_max=_MAX_ROWS)


def _list_row_columns(state: CardState) -> tuple[list[LineQuestion], list[list[LineQuestion]]]:
    """Return the columns that all boards of a line share, and the columns of each board.

    Fields that are rarely needed have no column. A line without boards is treated as a single board.
    """
    declared = state.sheet.variant.line_fields()
    parts = list(
        iter_line_form_sections(declared, {each.name: each.fewest for each in declared if each.kind is FieldKind.GROUP})
    )
    boards = [_list_section_columns(part) for part in parts if part.group is not None]
    shared = [question for part in parts if part.group is None for question in _list_section_columns(part)]
    return (shared, boards) if boards else ([], [shared])


def _list_section_columns(part: LineFormSection) -> list[LineQuestion]:
    order = (
        FieldKind.SIDE,
        FieldKind.CHOICE,
        *PER_SIDE_FIELD_KINDS,
        FieldKind.NUMBER,
        FieldKind.SWITCH,
        FieldKind.CARD,
    )
    asked = [each for each in part.questions if not each.declared.is_collapsed]
    first_side = next((each for each in asked if each.declared.kind is FieldKind.SIDE), None)
    columns = [each for each in asked if each.declared.kind is not FieldKind.SIDE or each is first_side]
    return sorted(columns, key=lambda each: order.index(each.declared.kind))


def _find_board_group(state: CardState) -> LineField | None:
    """Return the field for the boards if a line consists of several hands, or None."""
    return next((each for each in state.sheet.variant.line_fields() if each.kind is FieldKind.GROUP), None)


def can_enter_card_by_rows(state: CardState) -> bool:
    """Return whether lines can be typed as table rows.

    This requires that a line has at most one group of fields, and that the group always has the same number of turns.
    """
    groups = [each for each in state.sheet.variant.line_fields() if each.kind is FieldKind.GROUP]
    return all(each.fewest == each.most for each in groups) and len(groups) < 2


def can_enter_card_by_totals(state: CardState) -> bool:
    """Return whether the final totals are enough to tell how the game ended."""
    return state.target is not None and accepts_totals(state.sheet.variant)


def _make_row_headings(state: CardState) -> list[dict[str, Any]]:
    """Return the headings for a row's cells. A heading spans one column, or one for each side."""
    shared, boards = _list_row_columns(state)
    group = _find_board_group(state)
    columns = [
        *((question.declared.label, question.declared.kind in PER_SIDE_FIELD_KINDS) for question in shared),
        *([(group.label, False)] if group else []),
        *((question.declared.label, question.declared.kind in PER_SIDE_FIELD_KINDS) for question in boards[0]),
        (_("Totals on the paper"), True),
    ]
    return [
        {"text": text, "sides": state.names if each else (), "span": len(state.names) if each else 1}
        for text, each in columns
    ]
