"""Forms for the format of an event. The fields of each format have its name as their prefix."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from pairing.draws.stages.plan import StageKind
from pairing.draws.table_rounds.rounds import MOST_ROUNDS, TableTerms
from pairing.draws.two_sides import LONGEST_NAME
from pairing.plans.selectors import BRACKET, STAGES, TABLES, format_of, load_plan
from tournament.core.forms import KeyedForm
from tournament.models import Event
from tournament.registration.selectors.entry_options import side_names

ROTATION: Final = StageKind.ROTATION.value
COURT_WHIST: Final = StageKind.COURT_WHIST.value
FORMATS: Final = (
    (BRACKET, _("Knockout: one loss and a player is out; the bracket is drawn blind")),
    (
        STAGES,
        _("In stages: qualifying, groups or Swiss rounds, a play-off, a final bracket; also double elimination"),
    ),
    (TABLES, _("Rounds at tables: everybody plays every round, and total points decide")),
    (ROTATION, _("Couples: two sides, one of each at every table; one side moves one seat each round (Metzker)")),
    (COURT_WHIST, _("Court Whist: two against two; the winners move, and everybody gets a new partner")),
)
SIZES: Final = (
    ("2", _("2 at a table (one table of 3 if the number is odd)")),
    ("3", _("up to 3 at a table")),
    ("4", _("up to 4 at a table")),
    ("5", _("up to 5 at a table")),
    ("3-full", _("exactly 3 at a table (captain); players left over sit out")),
    ("4-full", _("exactly 4 at a table; players left over sit out")),
)
FULL: Final = "-full"


class FormatForm(KeyedForm):
    """The choice of the format. It decides which of the other fields on the page count."""

    format = forms.ChoiceField(label=_("How it is played"), choices=FORMATS, widget=forms.RadioSelect)

    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data)
        self.fields["format"].initial = format_of(event)


class TablesForm(forms.Form):
    size = forms.ChoiceField(label=_("Tables"), choices=SIZES)
    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=MOST_ROUNDS)

    def __init__(self, data: Any = None, *, terms: TableTerms) -> None:
        super().__init__(data, prefix=TABLES)
        self.fields["size"].initial = f"{terms.size}{FULL if terms.full else ''}"
        self.fields["rounds"].initial = terms.rounds

    def options(self) -> dict[str, Any]:
        size: str = self.cleaned_data["size"]
        full = size.endswith(FULL)
        return {"size": int(size.removesuffix(FULL)), "full": full, "rounds": self.cleaned_data["rounds"]}


class SidesForm(forms.Form):
    """The names of the two sides in couples or Court Whist."""

    left = forms.CharField(label=_("One side"), max_length=LONGEST_NAME, required=False)
    right = forms.CharField(label=_("The other side"), max_length=LONGEST_NAME, required=False)

    def __init__(self, data: Any = None, *, event: Event, format: str) -> None:
        super().__init__(data, prefix=format)
        kind = StageKind(format)
        names = side_names(event) if load_plan(event).first.kind is kind else None
        for field, name in zip(("left", "right"), names or kind.traits.sides or (), strict=True):
            self.fields[field].initial = name

    def options(self) -> dict[str, Any]:
        """Return the names of the sides, or nothing if both are empty. Then the usual names are used."""
        names = [self.cleaned_data["left"], self.cleaned_data["right"]]
        return {"sides": names} if any(names) else {}
