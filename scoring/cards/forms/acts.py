"""Forms for a whole card: its totals, calling time, closing and reopening, signing, and paper cards."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import (
    A_SIDE,
    Choices,
    Part,
    Question,
    find_field_for_path,
    make_number_field,
    split_into_parts,
)
from scoring.card_state.selectors.state import CardState, needs_no_winner
from scoring.cards.forms.lines import LineForm, chosen_letters, draw_fields
from scoring.cards.services.closing import BETWEEN_HANDS, BY_RULE, LATER, STANDS, OpenGame, TimeCall
from scoring.cards.services.hands import BadLine
from scoring.cards.services.paper_cards import PaperCard, PaperRow
from scoring.models import SIDES, CardClosed, RuleSheet
from scoring.rules.sheet.closing import Ending
from scoring.rules.sheet.sheets import takes_totals
from scoring.rules.variants.variant import FieldKind, LineField
from tournament.core.forms import KeyedForm, StrokesField
from tournament.models import Entrant

_SWAP = "swap"
"""The name of the button that swaps the two totals of the card, whatever is typed."""


STRIKE = "strike"
"""The name of the button that empties the card, because its totals belong to another card."""


_MOST_TOTAL = 99_999


Choice = tuple[str, str]


class TotalsForm(KeyedForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)
    reason = forms.CharField(
        label=_("What was wrong?"), max_length=500, help_text=_("It is shown on the score card with your name.")
    )
    override = forms.CharField(
        label=_("Why it is right anyway"), required=False, max_length=500,
        help_text=_("Only if the page warns about the totals or about a later match."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, state: CardState) -> None:
        super().__init__(data)
        self.state = state
        self.swaps, self.strikes = _SWAP in self.data, STRIKE in self.data
        self.fields["seen"].initial = state.digest
        for side, name in state.by_letter.items():
            field = make_number_field(None, name)
            field.required = not (self.swaps or self.strikes)
            field.initial = state.score.entered_totals[side]
            self.fields[f"totals_{side}"] = field

    @property
    def each(self) -> list[forms.BoundField]:
        return [self[f"totals_{side}"] for side in self.state.letters]

    def totals(self) -> dict[str, int]:
        """Return the totals by letter. Call it after `is_valid`."""
        if self.swaps:
            current = self.state.score.entered_totals
            return dict(zip(current, reversed(current.values()), strict=True))
        return {side: self.cleaned_data[f"totals_{side}"] for side in self.state.letters}

    def show(self, error: BadLine) -> None:
        for problem in error.data["problems"]:
            self.add_error(find_field_for_path(problem.path, self.fields), problem.message)


class TimeForm(KeyedForm):
    """One form for all listed games. Staff who do not direct can only close by the rule."""

    reason = forms.CharField(
        label=_("Reason for the director's decision"), required=False, max_length=500,
        help_text=_("Required if you do not follow the rule of the event. It is shown on the score card."),
    )  # fmt: skip

    def __init__(self, data: Any = None, *, games: Sequence[OpenGame], directs: bool) -> None:
        super().__init__(data)
        self.games = games
        if not directs:
            del self.fields["reason"]
        for game in games:
            self._add_game(game, directs)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The games with their fields. `totals` has (side, field) pairs, and is empty if the score is on the card."""
        return [
            {
                "game": game,
                "seen": self[f"seen-{game.state.card.pk}"],
                "choice": self[f"choice-{game.state.card.pk}"],
                "totals": [(name, self[field]) for name, field in self._total_fields(game)],
            }
            for game in self.games
        ]

    def called(self) -> list[TimeCall]:
        """Return the games that were on the form when it was sent."""
        cleaned, each = self.cleaned_data, ((game, game.state.card, game.state.card.pk) for game in self.games)
        return [
            TimeCall(card, cleaned[f"seen-{pk}"], self._typed_totals(game), cleaned[f"choice-{pk}"])
            for game, card, pk in each
            if f"seen-{pk}" in self.data
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for game in self.games:
            typed = [cleaned.get(field) for _name, field in self._total_fields(game)]
            if any(value is not None for value in typed) and None in typed:
                self.add_error(None, gettext("%(names)s: enter both totals, or none.") % {"names": game.state.title})
        return cleaned

    def _typed_totals(self, game: OpenGame) -> dict[str, int] | None:
        typed = [self.cleaned_data.get(field) for _name, field in self._total_fields(game)]
        known = [total for total in typed if total is not None]
        return dict(zip(game.state.letters, known, strict=True)) if known else None

    def _total_fields(self, game: OpenGame) -> list[tuple[str, str]]:
        """Return the name of each side and of its field, or nothing if the game takes no totals."""
        if not game.takes_totals:
            return []
        return [(name, f"total-{game.state.card.pk}-{side}") for side, name in game.state.by_letter.items()]

    def _add_game(self, game: OpenGame, directs: bool) -> None:
        pk, title = game.state.card.pk, game.state.title
        self.fields[f"seen-{pk}"] = forms.CharField(widget=forms.HiddenInput, required=False, initial=game.seen)
        choices = [*_choices_by_rule(game), *(_choices_of_director(game) if directs else [])]
        one_card = not game.state.is_game and game.state.card.match.seating_id is None
        self.fields[f"choice-{pk}"] = forms.ChoiceField(
            label=gettext("How it ends: %s") % title, choices=choices, required=False,
            initial=STANDS if one_card and directs else BY_RULE, widget=forms.Select(attrs={"class": "form-select"}),
        )  # fmt: skip
        for name, field in self._total_fields(game):
            self.fields[field] = forms.IntegerField(
                label=gettext("Total of %s, from paper") % name, required=False, min_value=0, max_value=_MOST_TOTAL,
                widget=forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"}),
            )  # fmt: skip


def _choices_by_rule(game: OpenGame) -> list[Choice]:
    waits = game.proposed.ending is Ending.WAITING
    if game.state.score.verdict is None:
        first = gettext("After the hand in play") if waits else gettext("By the rule")
    else:
        first = gettext("Wait for the last hand") if waits else gettext("Leave it to the director")
    going_on = game.state.score.verdict is None
    later = gettext("Not now; the game goes on") if going_on else gettext("Leave it as it is")
    return [
        (BY_RULE, first),
        *([(BETWEEN_HANDS, gettext("Now; no hand is being played"))] if waits else []),
        (LATER, later),
    ]


def _choices_of_director(game: OpenGame) -> list[Choice]:
    state = game.state
    if needs_no_winner(state.card):
        ruled = game.rule in (RuleSheet.Unfinished.LEADER, RuleSheet.Unfinished.LAST_HAND)
        return [] if ruled else [(STANDS, gettext("Decision: the totals stand"))]
    wins = [(seat.side, gettext("Decision: %s wins") % state.name_of(seat)) for seat in state.seats]
    return [
        *([] if game.rule == RuleSheet.Unfinished.LEADER else [(STANDS, gettext("Decision: the leader wins"))]),
        *wins,
        (CardClosed.Rule.LAST_HAND.value, gettext("Decision: one more hand")),
        *(
            []
            if game.rule == CardClosed.Rule.REPLAY
            else [(CardClosed.Rule.REPLAY.value, gettext("Decision: play again"))]
        ),
    ]


class LeftForm(KeyedForm):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=200)
    side = forms.ChoiceField(label=_("Player who left"), widget=forms.RadioSelect)
    gives_up = forms.ChoiceField(label=_("How the game ends"), widget=forms.RadioSelect, initial="yes")
    reason = forms.CharField(label=_("What happened"), max_length=500)

    def __init__(self, data: Any = None, *, state: CardState, seen: str) -> None:
        super().__init__(data, prefix="left")
        side, ends = self.fields["side"], self.fields["gives_up"]
        assert isinstance(side, forms.ChoiceField) and isinstance(ends, forms.ChoiceField)
        side.choices = [(seat.side, state.name_of(seat)) for seat in state.seats]
        rule = gettext("by the rule of this event: %s") % state.card.sheet.get_unfinished_display()
        ends.choices = [("yes", gettext("by forfeit: the player who left loses")), ("no", rule)]
        self.fields["seen"].initial = seen


class ReopenForm(KeyedForm):
    """The form that undoes a closing. It asks for `override` after the warning that the winner plays on already."""

    reason = forms.CharField(label=_("Why the game is opened again"), max_length=500)
    override = forms.BooleanField(label=_("Do it anyway"), required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="reopen")

    def ask_again(self) -> None:
        self.fields["override"].widget = forms.CheckboxInput()


# --- Signing ---------------------------------------------------------------------------------------------------------
# Forms for signing a card: by a player, by a player at the table's card, and on paper at the desk.


class SignForm(KeyedForm):
    """A player's signature: strokes from the pad, or the signing code. `digest` is the card as it was shown."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    strokes = StrokesField()
    code = forms.CharField(required=False, max_length=20)
    side = forms.ChoiceField(required=False, choices=[("", ""), *((side, side) for side in SIDES)])


class IdentifyPlayerForm(forms.Form):
    """Identify the player at the table's card by the signing code."""

    who = forms.ChoiceField(label=_("You are"), widget=forms.RadioSelect)
    code = forms.CharField(label=_("Your signing code"), max_length=20, help_text=_("It is on your private page."))

    def __init__(self, *args: Any, players: Iterable[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(str(who.pk), f"{who.name} ({who.number})") for who in players]
        self.fields["who"] = forms.ChoiceField(label=_("You are"), choices=choices, widget=forms.RadioSelect)


class PaperSignatureForm(KeyedForm):
    """A signature on paper that the desk records: who signed, and who saw it."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    entrant = forms.ChoiceField(label=_("Signed on paper by"))
    witness = forms.CharField(label=_("Seen by"), max_length=200)

    def __init__(self, *args: Any, missing: list[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = forms.ChoiceField(label=_("Signed on paper by"), choices=missing)


# --- Paper cards -----------------------------------------------------------------------------------------------------
# Forms for typing a paper card at the desk: the totals or each hand, and the signatures.

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
            self.fields[f"run_{side}"] = make_number_field(None, name, lowest=None)
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
    parts = list(
        split_into_parts(declared, {each.name: each.fewest for each in declared if each.kind is FieldKind.GROUP})
    )
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
