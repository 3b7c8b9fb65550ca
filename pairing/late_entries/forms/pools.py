"""The form for joining a pool in play, with the games that count as missed."""

from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from pairing.desk.forms import MISSED
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.late_entries.forms.byes import LateForm
from pairing.late_entries.selectors.pools import LateTerms
from pairing.late_entries.services.pools import NOTHING_MISSED, MissedGames
from tournament.models import Event


class LateEntryForm(LateForm):
    """The entrant, the reason, and how the games that are already over count."""

    games = forms.IntegerField(label=_("Games that count as missed"), min_value=0)
    counts_as = forms.ChoiceField(label=_("Each missed game counts as"), choices=MISSED)
    field_order = ("entrant", "games", "counts_as", "reason")

    def __init__(self, data: Any = None, *, event: Event, late: LateTerms) -> None:
        initial = {"games": late.missed, "counts_as": late.counts_as.value}
        super().__init__(data, event=event, numbers=late.numbers, initial=initial)
        if not late.most:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.most))
        about = _("0 to %(most)s. With rounds, usually the rounds already posted.")
        self.fields["games"].help_text = about % {"most": late.most}

    @property
    def beforehand(self) -> MissedGames:
        if "games" not in self.fields:
            return NOTHING_MISSED
        return MissedGames(self.cleaned_data["games"], MissedGamesPolicy(self.cleaned_data["counts_as"]))
