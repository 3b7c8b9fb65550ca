"""Forms of the draw page: the cut of the cards, and the way the places of a bracket are filled."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.stages.forms import CutFields
from tournament.spreadsheets.names import typed_number


class CutForm(CutFields):
    typed_in = "public"
    public = forms.CharField(
        label=_("What the room saw"),
        required=False,
        max_length=300,
        help_text=_("For example the dice or a coin, in plain words."),
    )
    nobody_cut = forms.BooleanField(label=_("Nobody cut: draw from the sealed secret alone"), required=False)


class DrawTermsForm(forms.Form):
    """A form for the way the places of a bracket are filled.

    Each line has an entry number, a name, or several numbers in a row.
    """

    kind = forms.ChoiceField(
        label=_("How the places are filled"),
        widget=forms.RadioSelect,
        choices=(
            (DrawKind.BLIND.value, _("Blind: the lot decides everything")),
            (DrawKind.BYES.value, _("Byes for the players named here, in this order; the rest blind")),
            (DrawKind.SEEDED.value, _("Seeded in the order given here; the other players are drawn after them")),
        ),
    )
    entries = forms.CharField(
        label=_("In this order"),
        required=False,
        max_length=500_000,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off"}),
        help_text=_(
            "Entry numbers like 7 3 12, or one number or name on each line. Move the lines to change the order."
        ),
    )

    def __init__(self, data: Any = None, *, entrants: list[tuple[int, str]], terms: DrawTerms | None = None) -> None:
        self.names = dict(entrants)
        said = terms or DrawTerms()
        lines = [f"{number} {self.names.get(number, '')}".strip() for number in said.entries]
        initial = {"kind": said.kind.value, "entries": "\n".join(lines)}
        super().__init__(data, initial=initial)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == DrawKind.BLIND:
            return facts
        found: list[int] = []
        for line in facts.get("entries", "").splitlines():
            if line.strip():
                found += self._read(line)
        twice = (
            sorted({number for number in found if found.count(number) > 1})[:5] if len(set(found)) < len(found) else []
        )
        if twice:
            self.add_error("entries", _("Twice in the list: %(who)s.") % {"who": ", ".join(map(str, twice))})
        if not found and not self.errors:
            self.add_error("entries", _("Name at least one player. Put the first one first."))
        facts["numbers"] = tuple(found)
        return facts

    def _read(self, line: str) -> list[int]:
        """Return the entry numbers of a line: several numbers, a number with words after it, or a name."""
        words = [word for word in re.split(r"[\s,;.:]+", line) if word]
        numbers = [typed_number(word) for word in words]
        row = [number for number in numbers if number is not None]
        if len(row) == len(words):
            return row
        if numbers and numbers[0] is not None:
            return [numbers[0]]
        named = [number for number, name in self.names.items() if name.casefold() == line.strip().casefold()]
        if len(named) != 1:
            self.add_error(
                "entries",
                _("“%(line)s” is not the name of exactly one player. Write the entry number.")
                % {"line": line.strip()[:60]},
            )
        return named[:1]

    def terms(self) -> DrawTerms:
        kind = DrawKind(self.cleaned_data["kind"])
        return DrawTerms(kind, self.cleaned_data["numbers"] if kind is not DrawKind.BLIND else ())
