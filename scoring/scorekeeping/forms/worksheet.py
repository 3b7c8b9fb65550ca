"""The scorekeeper's worksheet as a form: keys and two counts for each table of the round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import number_field
from scoring.card_state.selectors.worksheet import Couple
from scoring.rules.variants.metzker.couples import GINS, CouplesOutcome
from scoring.scorekeeping.services.worksheet import RoundReport
from tournament.core.forms import KeyedForm
from tournament.errors import Problem

STOCK: Final = str(CouplesOutcome.STOCK)
NOT_PLAYED: Final = "none"
OUT: Final = {CouplesOutcome.GIN: _("Gin"), CouplesOutcome.DOUBLE_GIN: _("Double gin"), CouplesOutcome.RUN: _("Run")}
LETTERS: Final = ("A", "B")
WORDS: Final = {STOCK: _("Stock ran out"), NOT_PLAYED: _("Did not play")}


@dataclass(frozen=True, slots=True)
class Key:
    """A key for one tap: how the hand ended, and who went out."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class HalfTable:
    """One of the two players at a table: the keys for going out, and the count of points left."""

    name: str
    number: int
    side: str
    keys: tuple[Key, ...]
    count: forms.BoundField


class TableForm(forms.Form):
    """One table's report. After `is_valid`, `result()` returns it as a line has it, or None without a report."""

    how = forms.ChoiceField(required=False)

    def __init__(self, data: Any = None, *, couple: Couple, names: Sequence[str], **options: Any) -> None:
        super().__init__(data, prefix=f"t{couple.table}", **options)
        self.couple, self.names = couple, names
        goes_out = [(f"{outcome}-{side}", label) for side in LETTERS for outcome, label in OUT.items()]
        self.fields["how"] = forms.ChoiceField(required=False, choices=[("", ""), *goes_out, *WORDS.items()])
        for side, who in self._sides:
            self.fields[side] = number_field(None, str(_("Points left of %s")) % who.name)

    @property
    def _sides(self) -> list[tuple[str, Any]]:
        return list(zip(LETTERS, self.couple.both, strict=True))

    @property
    def halves(self) -> list[HalfTable]:
        chosen = self["how"].value()
        return [
            HalfTable(
                who.name,
                who.number,
                self.names[place],
                tuple(Key(f"{out}-{side}", str(label), chosen == f"{out}-{side}") for out, label in OUT.items()),
                self[side],
            )
            for place, (side, who) in enumerate(self._sides)
        ]

    @property
    def middle(self) -> list[Key]:
        """The keys for endings that belong to neither player."""
        return [Key(value, str(label), self["how"].value() == value) for value, label in WORDS.items()]

    @property
    def is_not_played(self) -> bool:
        return bool(self.cleaned_data.get("how") == NOT_PLAYED)

    def result(self) -> dict[str, Any] | None:
        how = self.cleaned_data.get("how", "")
        if how in ("", NOT_PLAYED):
            return None
        outcome, _dash, by = (STOCK, "", "") if how == STOCK else how.rpartition("-")
        counts = {side: self.cleaned_data.get(side) for side in LETTERS}
        if outcome in GINS and counts[by] is None:
            counts[by] = 0
        if None in counts.values():
            return None
        return {"outcome": outcome, **({"by": by} if by else {}), "counts": counts}

    def ask_for_counts(self) -> None:
        """Add an error for each count that is missing at a table whose ending is entered."""
        if self.cleaned_data.get("how", "") in ("", NOT_PLAYED) or self.result() is not None:
            return
        outcome, _dash, by = self.cleaned_data["how"].rpartition("-")
        for side, who in self._sides:
            needless = side == by and outcome in GINS
            if self.cleaned_data.get(side) is None and not needless and side not in self.errors:
                self.add_error(side, _("Enter how many points %s has left.") % who.name)

    @property
    def all_errors(self) -> list[str]:
        return [str(error) for errors in self.errors.values() for error in errors]

    @staticmethod
    def initial_of(result: Mapping[str, Any]) -> dict[str, Any]:
        by = result.get("by")
        return {"how": f"{result['outcome']}-{by}" if by else STOCK, **result["counts"]}


class HeadForm(KeyedForm):
    number = forms.IntegerField(widget=forms.HiddenInput)
    override = forms.CharField(label=_("Why is it right?"), required=False, max_length=500)
    reason = forms.CharField(label=_("What was wrong?"), required=False, max_length=500)


class WorksheetForm:
    def __init__(
        self,
        data: Any = None,
        *,
        couples: Sequence[Couple],
        names: Sequence[str],
        number: int,
        results: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.head = HeadForm(data, initial={"number": number})
        known = [TableForm.initial_of(result) for result in results] or [{}] * len(couples)
        each = zip(couples, known, strict=True)
        self.tables = [TableForm(data, couple=couple, names=names, initial=initial) for couple, initial in each]

    def is_valid(self) -> bool:
        return all([self.head.is_valid(), *(table.is_valid() for table in self.tables)])

    def is_ready(self) -> bool:
        """Whether the form is valid and has all counts. A missing count becomes an error at its table."""
        if not self.is_valid():
            return False
        for table in self.tables:
            table.ask_for_counts()
        return not any(table.errors for table in self.tables)

    def report(self) -> RoundReport:
        """Return the reports so far. Call it after `is_valid`."""
        found = {table.couple.table: table.result() for table in self.tables}
        said = self.head.cleaned_data
        return RoundReport(
            number=said.get("number") or 0,
            results={table: result for table, result in found.items() if result is not None},
            not_played=frozenset(table.couple.table for table in self.tables if table.is_not_played),
            **{name: said.get(name, "") for name in ("override", "reason", "key")},
        )

    def show(self, problems: Mapping[int, Sequence[Problem]]) -> None:
        forms_by_table = {table.couple.table: table for table in self.tables}
        for table, found in problems.items():
            for problem in found:
                side = problem.path.rpartition(".")[2]
                form = forms_by_table.get(table, self.head)
                form.add_error(side if side in form.fields else None, problem.message)

    def show_missing(self, tables: Sequence[int]) -> None:
        """Show an error at the tables that have not reported yet."""
        for form in self.tables:
            if form.couple.table in tables:
                form.add_error(None, _("Not reported yet."))
