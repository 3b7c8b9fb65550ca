"""Forms for disputes: the facts of an irregularity as its kind declares them, calls, evidence, and appeals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import read_typed_card
from scoring.card_state.selectors.cards import CardState
from scoring.disputes.forms.hands import split_cards
from scoring.disputes.services.evidence import SubmittedEvidence
from scoring.disputes.services.photos import MOST_BYTES
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.matter import FactAsked, FactKind
from scoring.rules.rulings.recommend import asked_facts
from tournament.core.forms import KeyedForm

Sides = Sequence[tuple[str, str]]
"""The letter and the name of each side."""

UNKNOWN: Final = ("", _("not known"))
KINDS_BY_SIDE: Final = (FactKind.CARD_A_SIDE, FactKind.CARDS_A_SIDE, FactKind.NUMBER_A_SIDE)
NUMBER_KINDS: Final = (FactKind.NUMBER, FactKind.NUMBER_A_SIDE)
TYPED: Final = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}
FACTS_FOR_DIRECTOR: Final[Mapping[str, tuple[str, ...]]] = {
    "up-card": ("recorded",),
    "count-after-agreement": ("recorded",),
    "drew-two": ("nine_spread_or_gin",),
    "conduct": ("warnings",),
}
"""Facts that the card shows or that only the director judges, so a caller is not asked for them."""
ABOUT_A_RECORDED_HAND: Final = frozenset({"count-after-agreement"})
"""Kinds of irregularity that cannot concern the hand in play."""
LONGEST_WORDS: Final = 1000


class FactsForm(forms.Form):
    """The facts of `asked` as form fields. Sides are named by their letters."""

    def __init__(
        self, data: Any = None, *, asked: Sequence[FactAsked], sides: Sides, known: Mapping[str, Any], **options: Any
    ):
        self.asked, self.sides = asked, sides
        super().__init__(data, initial={**_initial_values(asked, known), **options.pop("initial", {})}, **options)
        for fact in asked:
            self.fields.update(self._make_fields(fact))

    def _make_fields(self, fact: FactAsked) -> dict[str, forms.Field]:
        if fact.kind in KINDS_BY_SIDE:
            return {
                f"{fact.name}_{letter}": _fact_field(fact, f"{fact.question} {name}") for letter, name in self.sides
            }
        if fact.kind is FactKind.SIDE:
            return {fact.name: _radios(fact.question, self.sides)}
        return {fact.name: _fact_field(fact, fact.question)}

    def facts(self) -> dict[str, Any]:
        """Return the answered facts in the form that `adjudicate` takes. Call it after `is_valid`."""
        answers = {fact.name: self._value(fact) for fact in self.asked}
        return {name: value for name, value in answers.items() if value not in (None, "", {}, [])}

    def _value(self, fact: FactAsked) -> Any:
        answers = self.cleaned_data
        if fact.kind in KINDS_BY_SIDE:
            each = {letter: _read_answer(fact, answers.get(f"{fact.name}_{letter}")) for letter, _name in self.sides}
            return {letter: value for letter, value in each.items() if value not in (None, "", [])}
        return _read_answer(fact, answers.get(fact.name))


def _initial_values(asked: Sequence[FactAsked], known: Mapping[str, Any]) -> dict[str, Any]:
    initial: dict[str, Any] = {}
    for fact in asked:
        value = known.get(fact.name)
        if value is None:
            continue
        if fact.kind in KINDS_BY_SIDE:
            for letter, held in value.items():
                initial[f"{fact.name}_{letter}"] = " ".join(held) if isinstance(held, list) else held
        else:
            initial[fact.name] = str(value).lower() if fact.kind is FactKind.YES_NO else value
    return initial


def _fact_field(fact: FactAsked, label: str) -> forms.Field:
    if fact.kind in NUMBER_KINDS:
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


def _read_answer(fact: FactAsked, value: Any) -> Any:
    if value in (None, ""):
        return None
    if fact.kind is FactKind.YES_NO:
        return value == "true"
    if fact.kind is FactKind.CARDS_A_SIDE:
        return [read_typed_card(text) for text in value.split()]
    if fact.kind in (FactKind.CARD, FactKind.CARD_A_SIDE, FactKind.CLAIMED_CARD):
        return read_typed_card(value)
    return value


# --- Calls, evidence and appeals -------------------------------------------------------------------------------------


class _PhotoField(forms.FileField):
    """A photo from a phone's camera or a file. Its content is checked when it is stored."""

    def __init__(self, **options: Any) -> None:
        camera = forms.FileInput(attrs={"accept": "image/jpeg,image/png,image/webp", "capture": "environment"})
        super().__init__(label=_("A photo of the paper"), required=False, widget=camera, **options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        if file and file.size > MOST_BYTES:
            raise forms.ValidationError(gettext("This photo is too large. Send one of at most 12 MB."))
        return file


class EvidenceForm(KeyedForm):
    """A photo, the hands and a statement about a dispute.

    `sides` has the letter and name of each side. `asks_hands` is true if hands are sets and runs of cards.
    """

    def __init__(self, *args: Any, sides: Sides, asks_hands: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.sides = sides
        self.fields["words"] = _words_field(gettext("What did you see?"))
        self.fields["photo"] = _PhotoField()
        if asks_hands:
            self.fields.update({f"held_{letter}": _hand_field(name) for letter, name in sides})

    @property
    def tap_keys(self) -> list[dict[str, Any]]:
        return _tap_keys((self[name], 0) for name in self.fields if name.startswith("held_"))

    @property
    def evidence(self) -> SubmittedEvidence:
        answers = self.cleaned_data
        hands = _read_hands(answers, self.sides)
        return SubmittedEvidence(photo=answers["photo"] or None, hands=hands, words=answers["words"])


class DisputeForm(KeyedForm, FactsForm):
    """The facts of a kind of irregularity with the evidence. `own` is the caller's letter, empty for staff."""

    kind = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)

    def __init__(
        self, data: Any = None, files: Any = None, *, state: CardState, kind: Irregularity | None, own: str = ""
    ) -> None:
        sides, initial = list(state.by_letter.items()), {"kind": kind.name if kind else ""}
        super().__init__(data, files=files, asked=_facts_for_caller(kind), sides=sides, known={}, initial=initial)
        self.state, self.irregularity, self.own = state, kind, own
        if kind is None or kind.is_about_hand:
            self._add_hand()
        label = gettext("In your words") if kind else gettext("What happened?")
        self.fields["about"] = _words_field(label, required=kind is None)
        for letter, name in sides:
            if letter != own:
                self.fields[f"says_{letter}"] = _words_field(gettext("What does %s say?") % name)
        self.fields["photo"] = _PhotoField()
        if asks_hands(state):
            self.fields.update({f"held_{letter}": _hand_field(name) for letter, name in sides})

    def _add_hand(self) -> None:
        """Ask for the hand and the board.

        A card that has only totals has no hands, so nothing is asked there.
        """
        hands = [(hand, self.state.name_line(hand)) for hand in reversed(self.state.hand_numbers)]
        is_about_recorded = self.irregularity is not None and self.irregularity.name in ABOUT_A_RECORDED_HAND
        if self.state.score.takes_hands and not (is_about_recorded and hands):
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
        return [self[name] for name in self.fields if any(_is_field_of(name, fact) for fact in self.asked)]

    @property
    def says_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("says_")]

    @property
    def hand_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("held_")]

    @property
    def tap_keys(self) -> list[dict[str, Any]]:
        """The fields of facts that can be filled by tapping cards, and how many cards each takes."""
        most = {FactKind.CARD: 1, FactKind.CARD_A_SIDE: 1, FactKind.CARDS_A_SIDE: 0}
        asked = [(fact, name) for name in self.fields for fact in self.asked if _is_field_of(name, fact)]
        return _tap_keys((self[name], most[fact.kind]) for fact, name in asked if fact.kind in most)

    @property
    def held_keys(self) -> list[dict[str, Any]]:
        """The fields for the hands that were held, which can be filled by tapping cards."""
        return _tap_keys((field, 0) for field in self.hand_fields)

    @property
    def claims(self) -> dict[str, str]:
        claims = {letter: self.cleaned_data.get(f"says_{letter}", "").strip() for letter, _name in self.sides}
        return {letter: words for letter, words in claims.items() if words}

    @property
    def evidence(self) -> SubmittedEvidence:
        answers = self.cleaned_data
        return SubmittedEvidence(photo=answers["photo"] or None, hands=_read_hands(answers, self.sides))


class TakeBackForm(KeyedForm):
    reason = forms.CharField(label=_("Why? (optional)"), required=False, max_length=500)


class OwnAppealForm(KeyedForm):
    reason = forms.CharField(
        label=_("Why is the ruling wrong?"), max_length=LONGEST_WORDS, widget=forms.Textarea(attrs={"rows": 3})
    )


def asks_hands(state: CardState) -> bool:
    """Return whether the game's hands are sets and runs of cards that can be judged."""
    return state.sheet.variant.knock_rule(None) is not None


def _facts_for_caller(kind: Irregularity | None) -> tuple[FactAsked, ...]:
    if kind is None:
        return ()
    left_out = FACTS_FOR_DIRECTOR.get(kind.name, ())
    return tuple(fact for fact in asked_facts(kind) if fact.name not in left_out and fact.kind is not FactKind.LINE)


def _words_field(label: str, *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label, required=required, max_length=LONGEST_WORDS, widget=forms.Textarea(attrs={"rows": 2})
    )


def _hand_field(name: str) -> forms.CharField:
    label = gettext("Cards of %s") % name
    return forms.CharField(label=label, required=False, max_length=200, widget=forms.TextInput(attrs=TYPED))


def _read_hands(answers: Mapping[str, Any], sides: Sides) -> dict[str, list[str]]:
    """Return the typed cards by letter, as they are recorded. Text that is no card stays and is refused later."""
    typed = {letter: split_cards(answers.get(f"held_{letter}") or "") for letter, _name in sides}
    return {letter: [read_typed_card(text) for text in cards] for letter, cards in typed.items() if cards}


def _tap_keys(fields: Iterable[tuple[forms.BoundField, int]]) -> list[dict[str, Any]]:
    return [{"name": field.name, "label": field.label, "most": most} for field, most in fields]


def _is_field_of(name: str, fact: FactAsked) -> bool:
    return name == fact.name or (name.startswith(f"{fact.name}_") and len(name) == len(fact.name) + 2)
