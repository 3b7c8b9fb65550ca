"""Forms for disputes: calling the director, facts of an irregularity, evidence, and the ruling."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import normalize_typed_card
from scoring.card_state.selectors.state import CardState, capitalize_first_letter
from scoring.cards.forms import LineForm
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.services.disputes import SubmittedEvidence
from scoring.disputes.services.photos import MAX_PHOTO_BYTES
from scoring.disputes.services.rulings import DirectorDecision
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.case import FactKind, FactQuestion, RulingDecision
from scoring.rules.rulings.recommend import PENALTIES, SheetEffect, list_fact_questions, list_possible_decisions
from tournament.core.forms import IdempotentForm

SideChoices = Sequence[tuple[str, str]]
"""Pairs of a side's letter and its name."""

UNKNOWN_CHOICE: Final = ("", _("not known"))
_KINDS_BY_SIDE: Final = (FactKind.CARD_A_SIDE, FactKind.CARDS_A_SIDE, FactKind.NUMBER_A_SIDE)
_NUMBER_KINDS: Final = (FactKind.NUMBER, FactKind.NUMBER_A_SIDE)
_CARD_INPUT_ATTRIBUTES: Final = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
_FACTS_ONLY_FOR_DIRECTOR: Final[Mapping[str, tuple[str, ...]]] = {
    "up-card": ("recorded",),
    "count-after-agreement": ("recorded",),
    "drew-two": ("nine_spread_or_gin",),
    "conduct": ("warnings",),
}
"""Facts that callers are not asked for, because the card shows them or only the director can judge them."""
_KINDS_ABOUT_RECORDED_HAND: Final = frozenset({"count-after-agreement"})
"""Kinds of irregularity that are only about recorded hands, and never about the hand being played."""
MAX_STATEMENT_LENGTH: Final = 1000


class IrregularityFactsForm(forms.Form):
    """Form fields for the facts that the rules need in order to decide an irregularity.

    A question for both sides has a field for each side. The field's name ends with the side's letter.
    """

    def __init__(
        self,
        data: Any = None,
        *,
        asked: Sequence[FactQuestion],
        sides: SideChoices,
        known: Mapping[str, Any],
        **options: Any,
    ):
        self.asked, self.sides = asked, sides
        super().__init__(data, initial={**_make_initial_values(asked, known), **options.pop("initial", {})}, **options)
        for fact in asked:
            self.fields.update(self._make_fields(fact))

    def _make_fields(self, fact: FactQuestion) -> dict[str, forms.Field]:
        if fact.kind in _KINDS_BY_SIDE:
            return {
                f"{fact.name}_{letter}": _make_fact_field(fact, f"{fact.question} {name}")
                for letter, name in self.sides
            }
        if fact.kind is FactKind.SIDE:
            return {fact.name: _make_radio_field(fact.question, self.sides)}
        return {fact.name: _make_fact_field(fact, fact.question)}

    def read_facts(self) -> dict[str, Any]:
        """Return the answers in the format that `adjudicate` expects. The form must be valid."""
        answers = {fact.name: self._read_fact(fact) for fact in self.asked}
        return {name: value for name, value in answers.items() if value not in (None, "", {}, [])}

    def _read_fact(self, fact: FactQuestion) -> Any:
        answers = self.cleaned_data
        if fact.kind in _KINDS_BY_SIDE:
            each = {letter: _read_answer(fact, answers.get(f"{fact.name}_{letter}")) for letter, _name in self.sides}
            return {letter: value for letter, value in each.items() if value not in (None, "", [])}
        return _read_answer(fact, answers.get(fact.name))


def _make_initial_values(asked: Sequence[FactQuestion], known: Mapping[str, Any]) -> dict[str, Any]:
    initial: dict[str, Any] = {}
    for fact in asked:
        value = known.get(fact.name)
        if value is None:
            continue
        if fact.kind in _KINDS_BY_SIDE:
            for letter, answer in value.items():
                initial[f"{fact.name}_{letter}"] = " ".join(answer) if isinstance(answer, list) else answer
        else:
            initial[fact.name] = str(value).lower() if fact.kind is FactKind.YES_NO else value
    return initial


def _make_fact_field(fact: FactQuestion, label: str) -> forms.Field:
    if fact.kind in _NUMBER_KINDS:
        return forms.IntegerField(
            label=label, min_value=0, max_value=fact.maximum, required=False,
            widget=forms.NumberInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        )  # fmt: skip
    if fact.kind is FactKind.YES_NO:
        return _make_radio_field(label, [("true", _("yes")), ("false", _("no"))])
    if fact.kind is FactKind.CODE:
        return _make_radio_field(label, fact.codes)
    if fact.kind is FactKind.LINE:
        return forms.JSONField(label=label, required=False, widget=forms.HiddenInput)
    several = fact.kind is FactKind.CARDS_A_SIDE
    hint = _("Such as 8H 10S") if several else _("Such as 8H, 10S or KD")
    widget = forms.TextInput(attrs=_CARD_INPUT_ATTRIBUTES)
    return forms.CharField(label=label, required=False, max_length=60, widget=widget, help_text=hint)


def _make_radio_field(label: str, choices: Sequence[tuple[str, Any]]) -> forms.Field:
    return forms.ChoiceField(label=label, choices=[*choices, UNKNOWN_CHOICE], required=False, widget=forms.RadioSelect)


def _read_answer(fact: FactQuestion, value: Any) -> Any:
    if value in (None, ""):
        return None
    if fact.kind is FactKind.YES_NO:
        return value == "true"
    if fact.kind is FactKind.CARDS_A_SIDE:
        return [normalize_typed_card(text) for text in value.split()]
    if fact.kind in (FactKind.CARD, FactKind.CARD_A_SIDE, FactKind.CLAIMED_CARD):
        return normalize_typed_card(value)
    return value


# --- Calls and evidence ----------------------------------------------------------------------------------------------


class _PhotoField(forms.FileField):
    """A form field for a photo. The image is decoded only when it is saved."""

    def __init__(self, **options: Any) -> None:
        camera = forms.FileInput(attrs={"accept": "image/jpeg,image/png,image/webp", "capture": "environment"})
        super().__init__(label=_("A photo of the paper"), required=False, widget=camera, **options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file and file.size > MAX_PHOTO_BYTES:
            raise forms.ValidationError(gettext("This photo is too large. Send one of at most 12 MB."))
        return file


class EvidenceForm(IdempotentForm):
    """A form to add a photo, the players' hands, or a statement to a dispute."""

    def __init__(self, *args: Any, sides: SideChoices, with_hands: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.sides = sides
        self.fields["words"] = _make_text_field(gettext("What did you see?"))
        self.fields["photo"] = _PhotoField()
        if with_hands:
            self.fields.update({f"held_{letter}": _make_hand_field(name) for letter, name in sides})

    @property
    def card_picker_fields(self) -> list[dict[str, Any]]:
        return _make_picker_fields((self[name], 0) for name in self.fields if name.startswith("held_"))

    @property
    def evidence(self) -> SubmittedEvidence:
        answers = self.cleaned_data
        hands = _read_hands(answers, self.sides)
        return SubmittedEvidence(photo=answers["photo"] or None, hands=hands, words=answers["words"])


class DisputeForm(IdempotentForm, IrregularityFactsForm):
    """A form to call the director about one kind of irregularity, with its facts and evidence.

    `own` is the letter of the caller's side. It is empty for staff.
    """

    kind = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)

    def __init__(
        self, data: Any = None, files: Any = None, *, state: CardState, kind: Irregularity | None, own: str = ""
    ) -> None:
        sides, initial = list(state.names_by_letter.items()), {"kind": kind.name if kind else ""}
        super().__init__(
            data, files=files, asked=_list_questions_for_caller(kind), sides=sides, known={}, initial=initial
        )
        self.state, self.irregularity, self.own = state, kind, own
        if kind is None or kind.is_about_hand:
            self._add_hand_fields()
        label = gettext("In your words") if kind else gettext("What happened?")
        self.fields["about"] = _make_text_field(label, required=kind is None)
        for letter, name in sides:
            if letter != own:
                self.fields[f"says_{letter}"] = _make_text_field(gettext("What does %s say?") % name)
        self.fields["photo"] = _PhotoField()
        if can_judge_hands(state):
            self.fields.update({f"held_{letter}": _make_hand_field(name) for letter, name in sides})

    def _add_hand_fields(self) -> None:
        """Add fields for the hand number and the board, unless the card has only totals."""
        hands = [(hand, self.state.name_line(hand)) for hand in reversed(self.state.hand_numbers)]
        is_about_recorded = self.irregularity is not None and self.irregularity.name in _KINDS_ABOUT_RECORDED_HAND
        if self.state.score.accepts_hands and not (is_about_recorded and hands):
            in_play = len(self.state.lines) + 1
            hands.insert(0, (in_play, gettext("%s, in play now") % self.state.name_line(in_play)))
        if hands:
            self.fields["hand"] = forms.TypedChoiceField(
                label=gettext("Which hand?"), choices=hands, coerce=int, initial=hands[0][0]
            )
        boards = self.state.card.sheet.options.get("boards")
        if isinstance(boards, int) and boards > 1:
            each = [
                ("", gettext("all of them")),
                *((n, gettext("board %(n)s") % {"n": n}) for n in range(1, boards + 1)),
            ]
            self.fields["board"] = forms.TypedChoiceField(
                label=gettext("Which board?"), choices=each, coerce=int, empty_value=None, required=False
            )

    @property
    def place_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("hand", "board") if name in self.fields]

    @property
    def fact_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if any(_is_field_of_fact(name, fact) for fact in self.asked)]

    @property
    def statement_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("says_")]

    @property
    def hand_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("held_")]

    @property
    def card_picker_fields(self) -> list[dict[str, Any]]:
        """The form fields that are filled in with playing cards, for the on-screen card keyboard.

        Each dict contains the `name` and the `label` of one field. `most` is the maximum number of cards in the field,
        or 0 if the field takes a whole hand.
        """
        most = {FactKind.CARD: 1, FactKind.CARD_A_SIDE: 1, FactKind.CARDS_A_SIDE: 0}
        asked = [(fact, name) for name in self.fields for fact in self.asked if _is_field_of_fact(name, fact)]
        return _make_picker_fields((self[name], most[fact.kind]) for fact, name in asked if fact.kind in most)

    @property
    def hand_picker_fields(self) -> list[dict[str, Any]]:
        return _make_picker_fields((field, 0) for field in self.hand_fields)

    @property
    def claims(self) -> dict[str, str]:
        claims = {letter: self.cleaned_data.get(f"says_{letter}", "").strip() for letter, _name in self.sides}
        return {letter: claim for letter, claim in claims.items() if claim}

    @property
    def evidence(self) -> SubmittedEvidence:
        answers = self.cleaned_data
        return SubmittedEvidence(photo=answers["photo"] or None, hands=_read_hands(answers, self.sides))


def can_judge_hands(state: CardState) -> bool:
    """Return whether the program can score two hands laid on the table. The card's game must have sets and runs."""
    return state.sheet.variant.make_knock_rule(None) is not None


def _list_questions_for_caller(kind: Irregularity | None) -> tuple[FactQuestion, ...]:
    if kind is None:
        return ()
    left_out = _FACTS_ONLY_FOR_DIRECTOR.get(kind.name, ())
    return tuple(
        fact for fact in list_fact_questions(kind) if fact.name not in left_out and fact.kind is not FactKind.LINE
    )


def _make_text_field(label: str, *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label, required=required, max_length=MAX_STATEMENT_LENGTH, widget=forms.Textarea(attrs={"rows": 2})
    )


def _make_hand_field(name: str) -> forms.CharField:
    label = gettext("Cards of %s") % name
    return forms.CharField(
        label=label, required=False, max_length=200, widget=forms.TextInput(attrs=_CARD_INPUT_ATTRIBUTES)
    )


def _read_hands(answers: Mapping[str, Any], sides: SideChoices) -> dict[str, list[str]]:
    """Return the typed cards of each side, keyed by the side's letter.

    Invalid cards are rejected later, when they are saved.
    """
    typed = {letter: split_cards(answers.get(f"held_{letter}") or "") for letter, _name in sides}
    return {letter: [normalize_typed_card(text) for text in cards] for letter, cards in typed.items() if cards}


def split_cards(text: str) -> list[str]:
    """Split typed cards. Spaces and commas between the cards are optional.

    >>> split_cards("7h, Q♠ 10D"), split_cards("7hqs10d"), split_cards("7 h")
    (['7h', 'Q♠', '10D'], ['7h', 'qs', '10d'], ['7h'])
    """
    plain = re.sub(r"[\ufe0e\ufe0f]", "", text)
    cards = re.findall(r"(?:10|[2-9atjqk])\s*[cdhs♣♦♥♠]|[^\s,;/]+", plain, flags=re.IGNORECASE)
    return [re.sub(r"\s", "", card) for card in cards]


def _make_picker_fields(fields: Iterable[tuple[forms.BoundField, int]]) -> list[dict[str, Any]]:
    return [{"name": field.name, "label": field.label, "most": most} for field, most in fields]


def _is_field_of_fact(name: str, fact: FactQuestion) -> bool:
    return name == fact.name or (name.startswith(f"{fact.name}_") and len(name) == len(fact.name) + 2)


# --- The ruling ------------------------------------------------------------------------------------------------------

_SHEET_EFFECT_CHOICES = (
    ("", _("as the rules say")),
    (SheetEffect.NOTHING.value, _("stays as it is")),
    (SheetEffect.THROW_IN.value, _("is thrown in")),
    (SheetEffect.STRIKE.value, _("is struck out; the hand is not over")),
    (SheetEffect.LINE.value, _("is changed to the entry below")),
)


class RulingForm(IdempotentForm):
    """A form for the director's ruling. If the field `own` is left empty, the ruling follows the rules."""

    kind = forms.CharField(widget=forms.HiddenInput, max_length=40)
    which_hand = forms.TypedChoiceField(label=_("Which hand?"), required=False, coerce=int, empty_value=None)
    which_board = forms.TypedChoiceField(label=_("Which board?"), required=False, coerce=int, empty_value=None)
    chosen = forms.CharField(required=False, max_length=40)
    reason = forms.CharField(label=_("Reason, or a note"), required=False, max_length=1000)
    own = forms.ChoiceField(label=_("The ruling"), required=False)
    sheet = forms.ChoiceField(label=_("The hand on the card"), required=False, choices=_SHEET_EFFECT_CHOICES)
    members = forms.MultipleChoiceField(label=_("Who decided"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(
        self,
        data: Any = None,
        *,
        state: DisputeState,
        kind: Irregularity | None,
        card: CardState | None,
        members: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.state = state
        fitting = list_possible_decisions(kind) if kind is not None else ()
        set_field_choices(self, "own", [("", _("As the rules say")), *((str(code), code.words) for code in fitting)])
        hands = card.hand_numbers if card is not None else ()
        named_hands = [(n, capitalize_first_letter(state.rule_sheet.name_line(n))) for n in hands]
        is_in_play = card is not None and card.score.accepts_hands
        no_hand = _("the hand in play") if is_in_play else _("none of them")
        set_field_choices(self, "which_hand", [*named_hands, ("", no_hand)])
        boards = state.rule_sheet.options.get("boards")
        boards = boards if isinstance(boards, int) else 1
        numbered = [(n, gettext("Board %(n)s") % {"n": n}) for n in range(1, boards + 1)]
        set_field_choices(self, "which_board", [("", _("all boards")), *numbered])
        set_field_choices(self, "members", [(name, name) for name in members])
        is_about_hand = kind is None or kind.is_about_hand
        if boards < 2 or not is_about_hand:
            del self.fields["which_board"]
        if not (is_about_hand and (hands or is_in_play)):
            del self.fields["which_hand"], self.fields["sheet"]
        if not members:
            del self.fields["members"]
        effects = [("", _("no penalty")), *((str(code), code.words) for code in PENALTIES)]
        for side in state.sides:
            if side.entrant is not None:
                penalty = forms.ChoiceField(
                    label=gettext("Penalty for %s") % side.name, required=False, choices=effects
                )
                self.fields[f"penalty_{side.letter}"] = penalty

    @property
    def penalties(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("penalty_")]

    def make_director_decision(self, line: LineForm | None) -> DirectorDecision | None:
        """Return the director's own decision, or None to follow the rules. The form must be valid."""
        answers = self.cleaned_data
        if not answers["own"]:
            return None
        sheet = SheetEffect(answers["sheet"]) if answers.get("sheet") else None
        new_line = line.make_line() if sheet is SheetEffect.LINE and line is not None else None
        chosen = {side.letter: answers.get(f"penalty_{side.letter}") for side in self.state.sides}
        penalties = {letter: RulingDecision(effect) for letter, effect in chosen.items() if effect}
        return DirectorDecision(ruling=RulingDecision(answers["own"]), sheet=sheet, line=new_line, penalties=penalties)


def set_field_choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
    field = form.fields[name]
    assert isinstance(field, (forms.ChoiceField, forms.MultipleChoiceField))
    field.choices = choices
