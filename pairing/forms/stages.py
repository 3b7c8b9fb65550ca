"""What the director says when a stage is opened, taken back, joined, or lots are drawn."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from pairing.draws.desk.desk_terms import MissedGamesPolicy
from pairing.forms.desk import MISSED
from pairing.selectors.late_entries import LateTerms
from pairing.services.late_entries import NOTHING_MISSED, MissedGames
from tournament.models import Entrant, Event


def _key() -> str:
    return uuid.uuid4().hex


class OpenStageForm(forms.Form):
    """The cut of a blind draw, and who has a bye where the director decides."""

    cut = forms.CharField(
        label=_("What the room saw"),
        max_length=100,
        required=False,
        help_text=_("Let somebody cut the cards and type them as they are called out, like “7H QS 2D”."),
    )
    named = forms.MultipleChoiceField(
        label=_("Named for the byes that no record gives"), required=False, widget=forms.CheckboxSelectMultiple
    )
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None, *, blind: bool, entries: Sequence[tuple[int, str]] = ()) -> None:
        """`entries`: who may be named; nobody where the director does not decide."""
        super().__init__(data, prefix="open")
        self.fields["cut"].required = blind
        if not blind:
            del self.fields["cut"]
        if entries:
            self.fields["named"].choices = [  # type: ignore[attr-defined]
                (str(number), f"{number} {name}") for number, name in entries
            ]
        else:
            del self.fields["named"]

    @property
    def named_numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.cleaned_data.get("named", ())))


class LateEntryForm(forms.Form):
    """Who plays from now on, why so late, and what counts of the games that were over before."""

    entrant = forms.ModelChoiceField(label=_("Who"), queryset=Entrant.objects.none())
    games = forms.IntegerField(label=_("So many games count as over before"), min_value=0)
    counts_as = forms.ChoiceField(label=_("Each of them counts as"), choices=MISSED)
    reason = forms.CharField(label=_("Why so late"), max_length=500)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None, *, event: Event, late: LateTerms) -> None:
        initial = {"games": late.missed, "counts_as": late.counts_as.value}
        super().__init__(data, prefix="late", initial=initial)
        may = event.entrants.filter(number__in=late.numbers).order_by("number").select_related("event__tournament")
        self.fields["entrant"].queryset = may  # type: ignore[attr-defined]
        if not late.most:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.most))
        self.fields["games"].help_text = _("0 to %(most)s; in rounds usually those that were posted") % {
            "most": late.most
        }

    @property
    def beforehand(self) -> MissedGames:
        if "games" not in self.fields:
            return NOTHING_MISSED
        return MissedGames(self.cleaned_data["games"], MissedGamesPolicy(self.cleaned_data["counts_as"]))


class LotsForm(forms.Form):
    """Lots drawn among entrants who are level: their numbers in the order drawn."""

    order = forms.CharField(
        label=_("Their numbers in the order drawn"),
        max_length=500,
        help_text=_("The first drawn stands first, like “9 4 2”."),
    )
    reason = forms.CharField(label=_("Who drew, and how"), max_length=500)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100, initial=_key)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix="lots")

    def clean_order(self) -> list[int]:
        words: Iterable[str] = re.split(r"[\s,;]+", self.cleaned_data["order"].strip())
        found = [int(word) for word in words if word.isdecimal() and len(word) < 10]
        if len(found) < 2 or len(found) != len(re.findall(r"\S+", self.cleaned_data["order"].replace(",", " "))):
            raise forms.ValidationError(_("Write two entry numbers at least, with spaces between them."))
        return found
