"""How somebody joins a pool that is being played, and what counts of what they have missed."""

from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from pairing.desk.forms import MISSED
from pairing.draws.desk.desk_terms import MissedGamesPolicy
from pairing.late_entries.selectors.pools import LateTerms
from pairing.late_entries.services.pools import NOTHING_MISSED, MissedGames
from tournament.models import Entrant, Event


def _key() -> str:
    return uuid.uuid4().hex


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
