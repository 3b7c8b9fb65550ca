"""Forms of the results pages: decide a match or a table, remove a player or bring one back, and undo a result."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.core.validators import MaxValueValidator
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.results import BOTH_PLAYED, Cause
from pairing.models import LateEntry, Match
from pairing.ports import CardPoints
from pairing.results.selectors.late_entries import LateEntryTerms
from pairing.results.services.results import LARGEST_TOTAL, MOST_POINTS, MatchDecision
from pairing.stages.forms import EntrantForm
from pairing.stages.pictures.boxes import name_match
from tournament.core.forms import KeyedForm
from tournament.errors import DomainError
from tournament.models import Entrant, EntrantFact, Event

Kind = EntrantFact.Kind
ABOUT_POINTS: Final = ("points-needed", "bad-points")
"""Codes of refusals that concern the points, typed or missing."""


class AllTablesForm(forms.Form):
    first = forms.IntegerField(label=_("From table"), min_value=1, max_value=9999)
    last = forms.IntegerField(label=_("To table"), min_value=1, max_value=9999)


@dataclass(frozen=True, slots=True)
class Ending:
    """A way in which the match can end. `value` is the cause and, after a colon, the winner's entry number."""

    value: str
    label: str
    means: str


EndingGroup = tuple[str, Sequence[Ending]]
"""The title of a group of endings, and the endings."""


class DecideForm(KeyedForm):
    """The desk's decision on a match: how it ended and why the desk decides it.

    `groups` are the possible endings with their consequences for both sides.
    """

    ending = forms.ChoiceField(label=_("How did it end?"), widget=forms.RadioSelect)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        *args: Any,
        groups: Sequence[EndingGroup],
        sides: Sequence[Entrant],
        seen: int,
        by_cards: CardPoints | None = None,
        **options: Any,
    ) -> None:
        """Add a field for the points of each side.

        `by_cards` are the points by the score cards, which count if nobody types others.
        """
        super().__init__(*args, **options)
        self.groups, self.by_cards = groups, by_cards
        self.sides = {str(side.number): side for side in sides}
        choices = [(one.value, one.label) for _title, endings in groups for one in endings]
        self.fields["ending"].choices = choices  # type: ignore[attr-defined]
        self.fields["seen"].initial = seen
        for side in sides:
            self.fields[f"points_{side.number}"] = forms.IntegerField(
                label=side.name,
                required=False,
                min_value=-MOST_POINTS,
                max_value=MOST_POINTS,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6, "class": "form-control field-number"}),
            )

    @property
    def points_fields(self) -> list[forms.BoundField]:
        return [self[f"points_{number}"] for number in self.sides]

    @property
    def card_figures(self) -> str:
        """Return the points by the score cards, such as “Ada 0, Alan 95”."""
        points = self.by_cards.points if self.by_cards is not None else {}
        sides = (side for side in self.sides.values() if side.number in points)
        return ", ".join(f"{side.name} {points[side.number]}" for side in sides)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if len(self._points(facts)) == 1:
            self._refuse_points(_("Points are given for one player only. Enter the points of both, or of neither."))
        return facts

    def refuse(self, error: DomainError) -> None:
        """Show why the decision is refused, at the points if it is about them, else above the form."""
        if error.code in ABOUT_POINTS:
            self._refuse_points(error.message)
        else:
            self.add_error(None, error.message)

    def _refuse_points(self, message: Any) -> None:
        for number in self.sides:
            self.add_error(f"points_{number}", message)

    @property
    def points_errors(self) -> list[str]:
        return list(dict.fromkeys(str(error) for field in self.points_fields for error in field.errors))

    def _points(self, facts: Mapping[str, Any]) -> dict[int, int]:
        typed = {int(number): facts.get(f"points_{number}") for number in self.sides}
        return {number: points for number, points in typed.items() if points is not None}

    @property
    def chosen(self) -> Ending | None:
        value = self["ending"].value()
        return next((one for _title, endings in self.groups for one in endings if one.value == value), None)

    def decision(self, match: Match, choices: Mapping[str, LaterChoice], *, override: bool) -> MatchDecision:
        facts = self.cleaned_data
        cause, _colon, number = facts["ending"].partition(":")
        return MatchDecision(
            match=match,
            winner=self.sides.get(number),
            cause=Cause(cause),
            reason=facts["reason"],
            seen=facts["seen"],
            choices=choices,
            override=override,
            points=(self._points(facts) or None) if Cause(cause) in BOTH_PLAYED and number else None,
        )


PREFIX: Final = "choice-"
IN_BRACKET: Final = {
    LaterChoice.KEEP: _("Keep it as played"),
    LaterChoice.REPLAY: _("Play it again, with the players who belong there now"),
    LaterChoice.VOID: _("Void: the result no longer counts"),
}
NOT_OVER: Final = {
    LaterChoice.KEEP: _("Let these two play on"),
    LaterChoice.REPLAY: _("Stop it: the two players who belong there now play instead"),
}
IN_POOL: Final = {
    LaterChoice.KEEP: _("Keep it as played"),
    LaterChoice.REPLAY: _("Play it again: the result is undone, and the same two meet"),
    LaterChoice.VOID: _("Void: no points for anybody, and both are paired again"),
}
STILL_PLAYED: Final = {
    LaterChoice.KEEP: _("Let them play on"),
    LaterChoice.VOID: _("Stop it: no points for anybody, and both are paired again"),
}
A_BYE: Final = {LaterChoice.KEEP: _("Keep the bye"), LaterChoice.VOID: _("Undo the bye: the player gets another game")}


@dataclass(frozen=True, slots=True)
class LaterMatch:
    """A later match that a correction affects, in words, with the possible choices for it and the usual one."""

    ident: str
    label: str
    choices: Mapping[LaterChoice, Any]
    default: LaterChoice


class ChoicesForm(forms.Form):
    """A choice for each later match that a correction affects."""

    def __init__(self, data: Mapping[str, Any], *, touched: Sequence[LaterMatch]) -> None:
        """Add a field for each match in `touched`.

        `data` is the submitted data. A match without a valid choice gets its usual one.
        """
        super().__init__()
        sent = read_choices(data)
        self.choices: dict[str, LaterChoice] = {}
        for one in touched:
            found = sent.get(one.ident, one.default)
            self.choices[one.ident] = found if found in one.choices else one.default
            self.fields[f"{PREFIX}{one.ident}"] = forms.ChoiceField(
                label=one.label,
                choices=[(choice.value, words) for choice, words in one.choices.items()],
                widget=forms.RadioSelect,
                initial=self.choices[one.ident].value,
            )


def read_choices(data: Mapping[str, Any]) -> dict[str, LaterChoice]:
    """Return the submitted choices by the names of the later matches."""
    known = {name: data[name] for name in data if name.startswith(PREFIX) and data[name] in set(LaterChoice)}
    return {name.removeprefix(PREFIX): LaterChoice(choice) for name, choice in known.items()}


class RemoveForm(EntrantForm):
    KINDS = (
        (Kind.WITHDRAWN.value, _("Withdraw")),
        (Kind.NO_SHOW.value, _("No-show")),
        (Kind.DISQUALIFIED.value, _("Disqualify (directors only)")),
    )

    kind = forms.ChoiceField(label=_("What"), choices=KINDS)
    field_order = ("entrant", "kind", "reason")

    def __init__(self, data: Any = None, *, event: Event, initial: dict[str, Any] | None = None) -> None:
        among = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        super().__init__(data, among=among, initial=initial)


class WalkoversForm(forms.Form):
    """A choice for each walkover that a leaving player has from an opponent who left earlier."""

    def __init__(self, said: Mapping[str, Any], *, name: str, won: Sequence[tuple[Match, str]]) -> None:
        """Add a field for each match in `won`, which has the name of the opponent. `said` is the submitted data."""
        super().__init__()
        self.forfeited = [match for match, _opponent in won if said.get(f"{PREFIX}{match.ident}") == Cause.FORFEIT]
        for match, opponent in won:
            words = {"name": name, "opponent": opponent, "match": name_match(match)}
            self.fields[f"{PREFIX}{match.ident}"] = forms.ChoiceField(
                label=gettext("%(match)s: %(opponent)s left the event before it was played") % words,
                choices=[
                    (Cause.WALK_OVER.value, gettext("%(name)s keeps the win by walkover") % words),
                    (Cause.FORFEIT.value, gettext("Both forfeited: nobody wins it")),
                ],
                widget=forms.RadioSelect,
                initial=(Cause.FORFEIT if match in self.forfeited else Cause.WALK_OVER).value,
            )


class BringBackForm(EntrantForm):
    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data, among=event.entrants.filter(state=Entrant.State.REMOVED).order_by("sort_key", "number"))


class UndoForm(KeyedForm):
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seen: int = 0, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["seen"].initial = seen


class TotalsForm(KeyedForm):
    """The totals of a table that the desk types, or the reason why the table has none."""

    PLAYED = "played"
    ENDS = (
        (PLAYED, _("These totals count")),
        (Cause.BOTH_ABSENT.value, _("Closed: no-show")),
        (Cause.FORFEIT.value, _("Closed: players gave up")),
        (Cause.TIME.value, _("Closed: time was called")),
        (Cause.PENALTY.value, _("Closed by a ruling")),
        (Cause.VOID.value, _("Undone: to be played again")),
    )

    end = forms.ChoiceField(label=_("How the table ends"), choices=ENDS, widget=forms.RadioSelect, initial=PLAYED)
    reason = forms.CharField(label=_("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seats: list[tuple[int, str]], seen: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.numbers = [number for number, _name in seats]
        totals = {
            f"total_{number}": forms.IntegerField(
                label=f"{number} {name}",
                required=False,
                min_value=-LARGEST_TOTAL,
                max_value=LARGEST_TOTAL,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6}),
            )
            for number, name in seats
        }
        self.fields = {**totals, **self.fields}
        self.fields["seen"].initial = seen

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("end") == self.PLAYED and not self.errors and not self.totals:
            self.add_error("end", _("Enter the totals, or choose why the table has none."))
        return facts

    @property
    def totals(self) -> dict[int, int]:
        """Return the totals by entry number, without players who have none."""
        typed = {number: self.cleaned_data.get(f"total_{number}") for number in self.numbers}
        return {number: total for number, total in typed.items() if total is not None}

    @property
    def cause(self) -> Cause | None:
        """Return why the table has no totals, or None if it has."""
        end = self.cleaned_data["end"]
        return None if end == self.PLAYED else Cause(end)


# --- Late entries ----------------------------------------------------------------------------------------------------


class LateForm(EntrantForm):
    """The entrant and the reason of a late entry in a bracket. The draw decides which bye it gets."""

    reason = forms.CharField(label=_("Reason for the late entry"), max_length=500)

    def __init__(self, data: Any = None, *, event: Event, numbers: Collection[int], **options: Any) -> None:
        may = event.entrants.filter(number__in=numbers).order_by("number")
        super().__init__(data, prefix="late", among=may, **options)


class GiveByeBackForm(KeyedForm):
    late_entry = forms.ModelChoiceField(label=_("Late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(self, data: Any = None, *, late_entries: QuerySet[LateEntry]) -> None:
        super().__init__(data, prefix="back")
        rows = late_entries.select_related("entrant", "bye", "match", "draw__commitment__event__tournament")
        self.fields["late_entry"].queryset = rows  # type: ignore[attr-defined]


MISSED: Final = (
    (MissedGamesPolicy.LOSS.value, _("Losses (no-show)")),
    (MissedGamesPolicy.BYE.value, _("Wins by a bye")),
    (MissedGamesPolicy.NONE.value, _("Nothing: fewer games, no win and no loss")),
)


class LateEntryForm(LateForm):
    """The entrant who joins a pool in play, the reason, and how the games that are already over count."""

    games = forms.IntegerField(label=_("Games that count as missed"), min_value=0)
    counts_as = forms.ChoiceField(label=_("Each missed game counts as"), choices=MISSED)
    field_order = ("entrant", "games", "counts_as", "reason")

    def __init__(self, data: Any = None, *, event: Event, late: LateEntryTerms) -> None:
        initial = {"games": late.missed, "counts_as": late.counts_as.value}
        super().__init__(data, event=event, numbers=late.numbers, initial=initial)
        if not late.most:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.most))
        about = _("0 to %(most)s. With rounds, usually the rounds already posted.")
        self.fields["games"].help_text = about % {"most": late.most}

    @property
    def missed(self) -> dict[str, Any]:
        """The arguments of `join_stage` for the missed games."""
        if "games" not in self.fields:
            return {}
        return {"missed": self.cleaned_data["games"], "counts_as": MissedGamesPolicy(self.cleaned_data["counts_as"])}
