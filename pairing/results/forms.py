"""Forms for results pages: a range of tables, later matches, and entrants who leave, return, or join late."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.knockout.corrections import LaterMatchChoice
from tournament.core.forms import EntrantField, IdempotentForm
from tournament.models import Entrant, EntrantFact, Event

EntrantFactKind = EntrantFact.Kind


class TableRangeForm(forms.Form):
    first = forms.IntegerField(label=_("From table"), min_value=1, max_value=9999)
    last = forms.IntegerField(label=_("To table"), min_value=1, max_value=9999)


# --- Later matches that a correction affects -------------------------------------------------------------------------

LATER_MATCH_FIELD_PREFIX: Final = "choice-"


@dataclass(frozen=True, slots=True)
class AffectedLaterMatch:
    """A later match that is affected by a correction, with a description and the possible choices."""

    ident: str
    label: str
    choices: Mapping[LaterMatchChoice, Any]
    default: LaterMatchChoice


class LaterMatchesForm(forms.Form):
    """A form with a choice for each later match that is affected by a correction."""

    def __init__(self, data: Mapping[str, Any], *, touched: Sequence[AffectedLaterMatch]) -> None:
        """Read the choices from submitted `data`. Matches without a valid choice get their default."""
        super().__init__()
        submitted = read_later_match_choices(data)
        self.choices: dict[str, LaterMatchChoice] = {}
        for match in touched:
            choice = submitted.get(match.ident, match.default)
            self.choices[match.ident] = choice if choice in match.choices else match.default
            self.fields[f"{LATER_MATCH_FIELD_PREFIX}{match.ident}"] = forms.ChoiceField(
                label=match.label,
                choices=[(choice.value, label) for choice, label in match.choices.items()],
                widget=forms.RadioSelect,
                initial=self.choices[match.ident].value,
            )


def read_later_match_choices(data: Mapping[str, Any]) -> dict[str, LaterMatchChoice]:
    """Return the submitted choices, keyed by match name."""
    known = {
        name: data[name]
        for name in data
        if name.startswith(LATER_MATCH_FIELD_PREFIX) and data[name] in set(LaterMatchChoice)
    }
    return {name.removeprefix(LATER_MATCH_FIELD_PREFIX): LaterMatchChoice(choice) for name, choice in known.items()}


# --- Entrants who leave, come back, or join late ---------------------------------------------------------------------


class EntrantForm(IdempotentForm):
    entrant = EntrantField(label=_("Who"))
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)

    def __init__(self, *args: Any, among: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"].queryset = among.select_related("event__tournament")  # type: ignore[attr-defined]


class RemoveEntrantForm(EntrantForm):
    KINDS = (
        (EntrantFactKind.WITHDRAWN.value, _("Withdraw")),
        (EntrantFactKind.NO_SHOW.value, _("No-show")),
        (EntrantFactKind.DISQUALIFIED.value, _("Disqualify (directors only)")),
    )

    kind = forms.ChoiceField(label=_("What"), choices=KINDS)
    field_order = ("entrant", "kind", "reason")

    def __init__(self, data: Any = None, *, event: Event, initial: dict[str, Any] | None = None) -> None:
        among = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        super().__init__(data, among=among, initial=initial)


class BringBackEntrantForm(EntrantForm):
    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data, among=event.entrants.filter(state=Entrant.State.REMOVED).order_by("sort_key", "number"))


class LateEntryForm(EntrantForm):
    """A form for a late entry to a bracket: the entrant and a reason. The draw determines which bye it gets."""

    reason = forms.CharField(label=_("Reason for the late entry"), max_length=500)

    def __init__(self, data: Any = None, *, event: Event, numbers: Collection[int], **options: Any) -> None:
        among = event.entrants.filter(number__in=numbers).order_by("number")
        super().__init__(data, prefix="late", among=among, **options)


MISSED_GAMES_CHOICES: Final = (
    (MissedGamesPolicy.LOSS.value, _("Losses (no-show)")),
    (MissedGamesPolicy.BYE.value, _("Wins by a bye")),
    (MissedGamesPolicy.NONE.value, _("Nothing: fewer games, no win and no loss")),
)
