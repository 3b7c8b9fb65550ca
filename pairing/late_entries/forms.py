"""Forms that add a late entry to a bracket or a pool, or undo it."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy

from pairing.desk.forms import MISSED
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.late_entries.selectors import LateByes, LateTerms
from pairing.late_entries.services import NOTHING_MISSED, MissedGames
from pairing.matches.forms import EntrantForm
from pairing.models import LateEntry
from tournament.core.forms import KeyedForm
from tournament.models import Event


class LateForm(EntrantForm):
    """The entrant and the reason of a late entry in a bracket. The draw decides which bye it gets."""

    reason = forms.CharField(label=gettext_lazy("Reason for the late entry"), max_length=500)

    def __init__(self, data: Any = None, *, event: Event, numbers: Collection[int], **options: Any) -> None:
        may = event.entrants.filter(number__in=numbers).order_by("number")
        super().__init__(data, prefix="late", among=may, **options)


class GiveByeBackForm(KeyedForm):
    late_entry = forms.ModelChoiceField(label=gettext_lazy("Late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, data: Any = None, *, late: LateByes) -> None:
        super().__init__(data, prefix="back")
        rows = LateEntry.objects.filter(pk__in=[one.pk for one in late.came])
        self.fields["late_entry"].queryset = rows.select_related(  # type: ignore[attr-defined]
            "entrant", "bye", "match", "draw__commitment__event__tournament"
        )


class LateEntryForm(LateForm):
    """The entrant who joins a pool in play, the reason, and how the games that are already over count."""

    games = forms.IntegerField(label=gettext_lazy("Games that count as missed"), min_value=0)
    counts_as = forms.ChoiceField(label=gettext_lazy("Each missed game counts as"), choices=MISSED)
    field_order = ("entrant", "games", "counts_as", "reason")

    def __init__(self, data: Any = None, *, event: Event, late: LateTerms) -> None:
        initial = {"games": late.missed, "counts_as": late.counts_as.value}
        super().__init__(data, event=event, numbers=late.numbers, initial=initial)
        if not late.most:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.most))
        about = gettext_lazy("0 to %(most)s. With rounds, usually the rounds already posted.")
        self.fields["games"].help_text = about % {"most": late.most}

    @property
    def beforehand(self) -> MissedGames:
        if "games" not in self.fields:
            return NOTHING_MISSED
        return MissedGames(self.cleaned_data["games"], MissedGamesPolicy(self.cleaned_data["counts_as"]))
