"""Forms to keep pairs, couples and clubs apart, and for how long."""

import re
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.apart.services import NOT_APART, HowLong
from pairing.models import AvoidPair
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import typed_numbers

Kind = AvoidPair.Kind
MOST_ROUNDS: Final = 50
HOW_LONG: Final = (
    (Kind.FIRST_ROUND.value, _("In round one")),
    (Kind.NOT_BEFORE.value, _("Before the round or game named here")),
    (Kind.NEVER.value, _("For the whole event")),
)


class _LongForm(forms.Form):
    kind = forms.ChoiceField(label=_("How long"))
    before_round = forms.IntegerField(
        label=_("Until round or game"), min_value=2, max_value=MOST_ROUNDS, required=False
    )

    def __init__(self, data: Any = None, *, drawn: bool, **options: Any) -> None:
        super().__init__(data, **options)
        field = self.fields["kind"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = HOW_LONG[1:] if drawn else HOW_LONG

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == Kind.NOT_BEFORE and not facts.get("before_round") and not self.errors:
            self.add_error("before_round", _("Enter the round or game until which they are kept apart."))
        return facts

    def long(self, *, is_couple: bool = False) -> HowLong:
        kind = Kind(self.cleaned_data["kind"])
        before = self.cleaned_data["before_round"] if kind is Kind.NOT_BEFORE else None
        return HowLong(kind, before, is_couple)


class KeepApartForm(_LongForm):
    one = forms.ModelChoiceField(Entrant.objects.none(), label=_("Entrant"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=_("kept apart from"))
    reason = forms.CharField(label=_("Reason"), max_length=300, help_text=_("It is published with the draw."))
    field_order = ("one", "other", "kind", "before_round", "reason")

    def __init__(self, data: Any = None, *, event: Event, drawn: bool) -> None:
        super().__init__(data, drawn=drawn, prefix="two")
        choices = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices


class CouplesForm(_LongForm):
    couples = forms.CharField(
        label=_("Couples"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}),
        help_text=_("Two entry numbers on each line, such as 3 17."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=300, initial=_("a couple"))
    field_order = ("couples", "kind", "before_round", "reason")

    def __init__(self, data: Any = None, *, drawn: bool) -> None:
        super().__init__(data, drawn=drawn, prefix="couples")

    def clean_couples(self) -> list[tuple[int, int]]:
        found = []
        for line in self.cleaned_data["couples"].splitlines():
            words = [word for word in re.split(r"[\s,;–-]+", line) if word]
            numbers = typed_numbers(words)
            if words and (len(words) != 2 or len(numbers) != 2):
                raise forms.ValidationError(
                    _("“%(line)s” is not two entry numbers. Write them like 3 17.") % {"line": line.strip()[:60]}
                )
            if words:
                found.append((numbers[0], numbers[1]))
        return found


class ClubsForm(forms.Form):
    """Asks how long the players of one club are kept apart. Clubs are read from the entries."""

    NOT, FIRST, UNTIL, ALWAYS = "not", "first", "until", "always"
    long = forms.ChoiceField(
        label=_("Players of one club"),
        choices=(
            (NOT, _("may meet at any time")),
            (FIRST, _("kept apart in round one")),
            (UNTIL, _("kept apart until a round or game")),
            (ALWAYS, _("kept apart in every round")),
        ),
    )
    until_round = forms.IntegerField(
        label=_("Until round or game"),
        min_value=1,
        max_value=MOST_ROUNDS,
        required=False,
        help_text=_("Only if they are kept apart for some rounds."),
    )

    def __init__(self, data: Any = None, *, until: int | None = NOT_APART) -> None:
        known = {NOT_APART: self.NOT, 1: self.FIRST, None: self.ALWAYS}
        initial = {"long": known.get(until, self.UNTIL), "until_round": until if until and until > 1 else None}
        super().__init__(data, prefix="clubs", initial=initial)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("long") == self.UNTIL and not facts.get("until_round") and not self.errors:
            self.add_error("until_round", _("Enter the round or game until which they are kept apart."))
        return facts

    def until(self) -> int | None:
        long: str = self.cleaned_data["long"]
        found: int | None = {self.NOT: NOT_APART, self.FIRST: 1, self.ALWAYS: None}.get(
            long, self.cleaned_data["until_round"]
        )
        return found
