"""The forms that ask for prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from scoring.prints.pdf.prints import TooSmall
from scoring.rulesheets.selectors.lengths import NamedPlace
from tournament.core.pdf.paper import PAPERS

PAPER_SIZES = [(name, paper.name) for name, paper in PAPERS.items()]


class EverythingForm(forms.Form):
    """The form for one file with everything that is needed to go on by hand. It only asks for the paper."""

    paper = forms.ChoiceField(label=_("Paper size"), choices=PAPER_SIZES)


class PrintForm(forms.Form):
    """The form for one kind of print. `static/css/forms.css` shows only the fields that the kind needs."""

    kind = forms.ChoiceField(label=_("What to print"))
    paper = forms.ChoiceField(label=_("Paper size"), choices=PAPER_SIZES)
    count = forms.IntegerField(label=_("How many"), min_value=1, max_value=2000, initial=20, required=False)
    round = forms.IntegerField(
        label=_("Only this round"),
        min_value=1,
        max_value=999,
        required=False,
        help_text=_("Leave empty for every round."),
    )
    table = forms.IntegerField(
        label=_("Only this table"),
        min_value=1,
        max_value=9999,
        required=False,
        help_text=_("Leave empty for every table."),
    )
    back = forms.BooleanField(
        label=_("Short rules on the back"),
        required=False,
        help_text=_("Print on both sides. Where two cards share a page, flip on the short edge."),
    )
    players = forms.ChoiceField(label=_("Players on each card"), required=False)
    place = forms.ChoiceField(label=_("For which matches"), required=False)
    small = forms.BooleanField(label=_("Print one page anyway"), required=False)
    card = forms.CharField(required=False, widget=forms.HiddenInput, max_length=64)

    def __init__(
        self,
        data: Any = None,
        *,
        kinds: Sequence[tuple[str, str]],
        places: Sequence[NamedPlace] = (),
        sides: tuple[int, int] = (2, 2),
        too_small: Mapping[str, TooSmall] | None = None,
        paper: str = "",
    ) -> None:
        """Prepare the choices of the form.

        `places` are the stages and rounds for which blank cards can be printed. `sides` are the lowest and highest
        number of players on a card. `too_small` has the prints that need a confirmation. `paper` is the paper of the
        last print.
        """
        super().__init__(data, initial={"paper": paper})
        self.too_small = too_small or {}
        if not self.too_small:
            del self.fields["small"]
        few, many = sides
        choices: dict[str, list[tuple[Any, Any]]] = {
            "players": [("", _("As many as at a table")), *((n, str(n)) for n in range(few, many + 1))],
            "place": [("", _("Any match, to the usual points")), *((each.code, each.name) for each in places)],
            "kind": list(kinds),
        }
        for name, offered in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = offered
        if few == many:
            del self.fields["players"]
        if not places:
            del self.fields["place"]

    def clean(self) -> dict[str, Any]:
        """Refuse a print that would be too small to read, and choose the print to take instead."""
        asked: dict[str, Any] = super().clean() or {}
        papers, instead = self.too_small.get(asked.get("kind", ""), ((), ""))
        if asked.get("paper") in papers and not asked.get("small"):
            self.data = {**self.data.dict(), "kind": instead} if isinstance(self.data, QueryDict) else self.data
            self.add_error("kind", _("The names would be too small to read. Tiled pages are chosen instead."))
        return asked
