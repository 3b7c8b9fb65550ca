"""The director's forms for a ruling, a dispute without a card, the committee, and an appeal."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.models import Match
from pairing.stages.pictures.boxes import name_match
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.written_card import as_start
from scoring.cards.forms.lines import LineForm
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.services.rulings import OwnWord
from scoring.rules.irregularities import Irregularity
from scoring.rules.irregularities.matter import Decision
from scoring.rules.rulings.recommend import PENALTIES, OnSheet, decisions_for, kinds_of
from tournament.core.forms import EntrantField, KeyedForm
from tournament.models import Entrant, Event

SHEET_CHOICES = (
    ("", _("as the rules say")),
    (OnSheet.NOTHING.value, _("stays as it is")),
    (OnSheet.THROW_IN.value, _("is thrown in")),
    (OnSheet.STRIKE.value, _("is struck out; the hand is not over")),
    (OnSheet.LINE.value, _("is changed to the entry below")),
)


class RulingForm(KeyedForm):
    """The ruling to make. If `own` is empty, the rules decide. Only rulings and hands that fit the matter are offered.

    No hand is asked for if the matter is not about a hand or the card has only totals.
    """

    kind = forms.CharField(widget=forms.HiddenInput, max_length=40)
    which_hand = forms.TypedChoiceField(label=_("Which hand?"), required=False, coerce=int, empty_value=None)
    which_board = forms.TypedChoiceField(label=_("Which board?"), required=False, coerce=int, empty_value=None)
    chosen = forms.CharField(required=False, max_length=40)
    reason = forms.CharField(label=_("Reason, or a note"), required=False, max_length=1000)
    own = forms.ChoiceField(label=_("The ruling"), required=False)
    sheet = forms.ChoiceField(label=_("The hand on the card"), required=False, choices=SHEET_CHOICES)
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
        fitting = decisions_for(kind) if kind is not None else ()
        _set_choices(self, "own", [("", _("As the rules say")), *((str(code), code.words) for code in fitting)])
        hands = card.hand_numbers if card is not None else ()
        is_in_play = card is not None and card.score.takes_hands
        no_hand = _("the hand in play") if is_in_play else _("none of them")
        _set_choices(
            self, "which_hand", [*((n, as_start(state.rule_sheet.name_line(n))) for n in hands), ("", no_hand)]
        )
        boards = state.rule_sheet.options.get("boards")
        boards = boards if isinstance(boards, int) else 1
        of_board = [(n, gettext("Board %(n)s") % {"n": n}) for n in range(1, boards + 1)]
        _set_choices(self, "which_board", [("", _("all boards")), *of_board])
        _set_choices(self, "members", [(name, name) for name in members])
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

    def director_decision(self, line: LineForm | None) -> OwnWord | None:
        """Return the director's own decision, or None to follow the rules. Call it after `is_valid`."""
        answers = self.cleaned_data
        if not answers["own"]:
            return None
        sheet = OnSheet(answers["sheet"]) if answers.get("sheet") else None
        written = line.line() if sheet is OnSheet.LINE and line is not None else None
        chosen = {side.letter: answers.get(f"penalty_{side.letter}") for side in self.state.sides}
        penalties = {letter: Decision(effect) for letter, effect in chosen.items() if effect}
        return OwnWord(ruling=Decision(answers["own"]), sheet=sheet, line=written, penalties=penalties)


def _set_choices(form: forms.Form, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
    field = form.fields[name]
    assert isinstance(field, (forms.ChoiceField, forms.MultipleChoiceField))
    field.choices = choices


class _MatchField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return name_match(obj)


class OpenRulingForm(KeyedForm):
    """A dispute without a card: conduct, a false report, a match without pairing, or a game given away."""

    kind = forms.ChoiceField(label=_("What is it about?"))
    one = EntrantField(label=_("Who?"))
    other = EntrantField(
        label=_("Who else?"),
        required=False,
        help_text=_("The opponent, if there is one"),
    )
    match = _MatchField(
        Match.objects.none(), label=_("Which match?"), required=False, empty_label=_("none, or not known")
    )  # fmt: skip
    about = forms.CharField(
        label=_("In your words"), required=False, max_length=1000, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, data: Any = None, *, event: Event, rules: str, matches: Any, **options: Any) -> None:
        super().__init__(data, **options)
        kinds: Mapping[str, Irregularity] = kinds_of(rules)
        ordered = sorted(kinds, key=lambda name: kinds[name].is_about_hand)
        _set_choices(self, "kind", [(name, kinds[name].title) for name in ordered])
        states = (Entrant.State.IN, Entrant.State.REMOVED)
        entrants = event.entrants.filter(state__in=states).order_by("sort_key", "number")
        for name, rows in (("one", entrants), ("other", entrants), ("match", matches)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = rows

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("one") is not None and cleaned.get("one") == cleaned.get("other"):
            self.add_error("other", _("Choose two different entrants."))
        if cleaned.get("kind") in ("unmatched-play", "gave-game-away") and cleaned.get("other") is None:
            self.add_error("other", _("Two entrants were involved. Choose the other one too."))
        return cleaned


class CommitteeForm(KeyedForm):
    names = forms.CharField(
        label=_("Names, one on each line"), max_length=2000, widget=forms.Textarea(attrs={"rows": 5})
    )


class AppealForm(KeyedForm):
    side = forms.ChoiceField(label=_("Who appeals?"), widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Why?"), max_length=1000, widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, *args: Any, state: DisputeState, **options: Any) -> None:
        super().__init__(*args, **options)
        _set_choices(self, "side", [(side.letter, side.name) for side in state.sides if side.entrant is not None])


class DropForm(KeyedForm):
    reason = forms.CharField(label=_("What happened?"), max_length=500)
