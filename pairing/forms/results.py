from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws import Cause, Choice
from pairing.models import Match
from pairing.services.results import Decision
from pairing.templatetags.ending_words import Ending, EndingGroup
from tournament.models import Entrant, EntrantFact, Event

Kind = EntrantFact.Kind


class TableForm(forms.Form):
    table = forms.IntegerField(label=_("Table"), min_value=1, max_value=9999)


class AllTablesForm(forms.Form):
    first = forms.IntegerField(label=_("From table"), min_value=1, max_value=9999)
    last = forms.IntegerField(label=_("To table"), min_value=1, max_value=9999)


class DecideForm(forms.Form):
    """The desk's word on a match: how it ended, each way with what it means for both, and why it is said here."""

    ending = forms.ChoiceField(label=_("How did it end?"), widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, *args: Any, groups: Sequence[EndingGroup], sides: Sequence[Entrant], seen: int, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.groups = groups
        self.sides = {str(side.number): side for side in sides}
        ending = self.fields["ending"]
        assert isinstance(ending, forms.ChoiceField)
        ending.choices = [(one.value, one.label) for group in groups for one in group.endings]
        self.fields["seen"].initial = seen
        self.fields["key"].initial = uuid.uuid4().hex

    @property
    def chosen(self) -> Ending | None:
        found = (one for group in self.groups for one in group.endings if one.value == self["ending"].value())
        return next(found, None)

    def decision(self, match: Match, choices: Mapping[str, Choice], *, override: bool) -> Decision:
        """What a valid form says."""
        facts = self.cleaned_data
        cause, _colon, number = facts["ending"].partition(":")
        return Decision(
            match=match,
            winner=self.sides.get(number),
            cause=Cause(cause),
            reason=facts["reason"],
            seen=facts["seen"],
            choices=choices,
            override=override,
        )


class ChoicesForm(forms.Form):
    """What becomes of each later match that a correction touches."""

    CHOICES = (
        (Choice.KEEP.value, _("Keep it as it was played")),
        (Choice.REPLAY.value, _("Play it again, with those who stand there now")),
        (Choice.VOID.value, _("Void: the result is taken back for good")),
    )
    PREFIX = "choice-"

    def __init__(self, said: Mapping[str, Any], *, touched: Sequence[tuple[str, str]]) -> None:
        """`said` is what was sent; `touched` each match and its name. What nobody has chosen yet is played again."""
        super().__init__()
        known = {choice.value for choice in Choice}
        self.choices: dict[str, Choice] = {}
        for ident, label in touched:
            name = f"{self.PREFIX}{ident}"
            self.choices[ident] = Choice(said[name]) if said.get(name) in known else Choice.REPLAY
            self.fields[name] = forms.ChoiceField(
                label=label, choices=self.CHOICES, widget=forms.RadioSelect, initial=self.choices[ident].value
            )


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


class BringBackForm(forms.Form):
    """Somebody who is out of the event is in again."""

    entrant = forms.ModelChoiceField(label=_("Who"), queryset=Entrant.objects.none())
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        entrant = self.fields["entrant"]
        assert isinstance(entrant, forms.ModelChoiceField)
        out = event.entrants.filter(state=Entrant.State.REMOVED).order_by("name")
        entrant.queryset = out.select_related("event__tournament")
        self.fields["key"].initial = uuid.uuid4().hex


class UndoForm(forms.Form):
    """The last result of a match is taken back."""

    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seen: int = 0, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seen"].initial = seen
        self.fields["key"].initial = uuid.uuid4().hex
