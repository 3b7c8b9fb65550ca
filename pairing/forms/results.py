from __future__ import annotations

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws import Cause
from tournament.models import Entrant, EntrantFact

Kind = EntrantFact.Kind


class TableForm(forms.Form):
    table = forms.IntegerField(label=_("Table"), min_value=1, max_value=9999)


class AllTablesForm(forms.Form):
    first = forms.IntegerField(label=_("From table"), min_value=1, max_value=9999)
    last = forms.IntegerField(label=_("To table"), min_value=1, max_value=9999)


class DecideForm(forms.Form):
    """The desk's word on a match: who goes on, and why it was not a signed card that said so."""

    CAUSES = (
        (Cause.NO_SHOW.value, _("The other did not come")),
        (Cause.FORFEIT.value, _("The other gives up or withdrew")),
        (Cause.PENALTY.value, _("By a ruling against the other")),
        (Cause.PLAYED.value, _("It was played: this corrects who won")),
        (Cause.BOTH_ABSENT.value, _("Neither came: nobody goes on")),
        (Cause.VOID.value, _("Void: it is played again")),
    )
    NOBODY = frozenset({Cause.BOTH_ABSENT, Cause.VOID})

    winner = forms.ChoiceField(label=_("Who goes on"), required=False, widget=forms.RadioSelect)
    cause = forms.ChoiceField(label=_("Why"), choices=CAUSES, widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    override = forms.BooleanField(
        label=_("Do it all the same: later matches that were decided with another entrant are open again"),
        required=False,
    )
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, sides: list[Entrant], seen: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seen"].initial = seen
        self.sides = {str(side.number): side for side in sides}
        winner = self.fields["winner"]
        assert isinstance(winner, forms.ChoiceField)
        winner.choices = [(str(side.number), f"{side.number} {side.name}") for side in sides]
        self.fields["key"].initial = uuid.uuid4().hex

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if "cause" not in facts:
            return facts
        facts["cause"] = Cause(facts["cause"])
        if facts["cause"] in self.NOBODY:
            facts["winner"] = None
        elif not facts.get("winner"):
            self.add_error("winner", _("Say who goes on."))
        else:
            facts["winner"] = self.sides[facts["winner"]]
        return facts


class RemoveForm(forms.Form):
    KINDS = (
        (Kind.WITHDRAWN.value, _("Withdraws")),
        (Kind.NO_SHOW.value, _("Did not come")),
        (Kind.DISQUALIFIED.value, _("Disqualified (director only)")),
    )

    entrant = forms.ModelChoiceField(label=_("Who"), queryset=Entrant.objects.none())
    kind = forms.ChoiceField(label=_("What"), choices=KINDS)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, event: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        entrant = self.fields["entrant"]
        assert isinstance(entrant, forms.ModelChoiceField)
        still = event.entrants.filter(state=Entrant.State.IN).order_by("name")
        entrant.queryset = still.select_related("event__tournament")
        self.fields["key"].initial = uuid.uuid4().hex
