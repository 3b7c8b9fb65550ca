"""Form rows for the places where matches are longer or shorter than usual."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext

from scoring.models import RuleSheet
from scoring.rules.book.options import MOST_GAMES_TO_WIN, Length, Numbers
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors.lengths import NamedPlace, lengths_of, named_places
from scoring.rulesheets.selectors.sheets import has_games


@dataclass(frozen=True, slots=True)
class LengthRow:
    """A row for one place with its two fields. A field is None if the rule set has no such option."""

    name: str
    target: forms.BoundField | None
    games: forms.BoundField | None


class LengthsForm(forms.Form):
    """A form with the target and the games of a match for each stage and each of the last rounds. Empty means usual."""

    def __init__(self, data: Any = None, *, variant: str, sheet: RuleSheet) -> None:
        super().__init__(data, prefix="length")
        self.places = named_places(sheet.event)
        own = lengths_of(sheet) if sheet.variant == variant else ()
        said = {(length.stage, length.from_end): length for length in own}
        numbers = next((option.numbers for option in VARIANTS[variant].options if option.name == "target"), None)
        for at, place in enumerate(self.places):
            length = said.get(place.key, Length())
            if numbers is not None:
                self.fields[f"{at}_target"] = _target(place, length, numbers)
            if has_games(sheet.event, variant):
                self.fields[f"{at}_games"] = _games(place, length)

    @property
    def rows(self) -> list[LengthRow]:
        """Return the rows of the form, or an empty list if the rules leave nothing to choose."""
        places = enumerate(self.places if self.fields else ())
        return [LengthRow(place.name, self._bound(f"{at}_target"), self._bound(f"{at}_games")) for at, place in places]

    @property
    def has_targets(self) -> bool:
        return "0_target" in self.fields

    @property
    def has_games(self) -> bool:
        return "0_games" in self.fields

    @property
    def is_used(self) -> bool:
        """Return whether something is set, so that the page opens the rows."""
        return bool(self.errors) or any(self[name].value() not in (None, "") for name in self.fields)

    def chosen(self) -> tuple[dict[str, Any], ...]:
        """Return the lengths in the form that the rule sheet stores."""
        found = []
        for at, place in enumerate(self.places):
            target, games = self.cleaned_data.get(f"{at}_target"), self.cleaned_data.get(f"{at}_games")
            options = {} if target is None else {"target": target}
            found.append(Length(place.stage, place.from_end, options, games))
        return tuple(length.as_json() for length in found if length.options or length.games_to_win)

    def _bound(self, name: str) -> forms.BoundField | None:
        return self[name] if name in self.fields else None


def _target(place: NamedPlace, length: Length, numbers: Numbers) -> forms.IntegerField:
    return forms.IntegerField(
        label=gettext("%(place)s: points per game") % {"place": place.name}, required=False,
        initial=length.options.get("target"),
        min_value=numbers.lowest, max_value=min(numbers.highest, 1_000_000), widget=_short_number(),
    )  # fmt: skip


def _games(place: NamedPlace, length: Length) -> forms.IntegerField:
    return forms.IntegerField(
        label=gettext("%(place)s: games to win a match") % {"place": place.name}, required=False,
        initial=length.games_to_win, min_value=1, max_value=MOST_GAMES_TO_WIN, widget=_short_number(),
    )  # fmt: skip


def _short_number() -> forms.NumberInput:
    return forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"})
