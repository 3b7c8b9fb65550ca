"""The scorekeeper's forms: a round of a couples event with keys and two counts for each table, and Court Whist."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from scoring.card_state.forms import make_number_field
from scoring.card_state.selectors.rotation import Table, WhistHall, WhistPlayer, WorksheetTable
from scoring.rules.variants.court_whist import FACE_CARDS, GAMES, HANDS_A_GAME, TRICKS, ExtraCount, WhistGame
from scoring.rules.variants.metzker.couples import GINS, CouplesOutcome
from scoring.scorekeeping.services import RoundReport, TableGame
from tournament.core.forms import KeyedForm
from tournament.errors import Problem

STOCK: Final = str(CouplesOutcome.STOCK)


NOT_PLAYED: Final = "none"


OUT: Final = {CouplesOutcome.GIN: _("Gin"), CouplesOutcome.DOUBLE_GIN: _("Double gin"), CouplesOutcome.RUN: _("Run")}


LETTERS: Final = ("A", "B")


WORDS: Final = {STOCK: _("Stock ran out"), NOT_PLAYED: _("Did not play")}


# --- The worksheet of a couples event --------------------------------------------------------------------------------


class WorksheetForm:
    def __init__(
        self,
        data: Any = None,
        *,
        couples: Sequence[WorksheetTable],
        names: Sequence[str],
        number: int,
        results: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.head = _HeadForm(data, initial={"number": number})
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
        cleaned = self.head.cleaned_data
        return RoundReport(
            number=cleaned.get("number") or 0,
            results={table: result for table, result in found.items() if result is not None},
            not_played=frozenset(table.couple.table for table in self.tables if table.is_not_played),
            **{name: cleaned.get(name, "") for name in ("override", "reason", "key")},
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


class _HeadForm(KeyedForm):
    number = forms.IntegerField(widget=forms.HiddenInput)
    override = forms.CharField(label=_("Why is it right?"), required=False, max_length=500)
    reason = forms.CharField(label=_("What was wrong?"), required=False, max_length=500)


class TableForm(forms.Form):
    """One table's report. After `is_valid`, `result()` returns it as a line has it, or None without a report."""

    how = forms.ChoiceField(required=False)

    def __init__(self, data: Any = None, *, couple: WorksheetTable, names: Sequence[str], **options: Any) -> None:
        super().__init__(data, prefix=f"t{couple.table}", **options)
        self.couple, self.names = couple, names
        goes_out = [(f"{outcome}-{side}", label) for side in LETTERS for outcome, label in OUT.items()]
        self.fields["how"] = forms.ChoiceField(required=False, choices=[("", ""), *goes_out, *WORDS.items()])
        for side, who in self._sides:
            self.fields[side] = make_number_field(None, str(_("Points left of %s")) % who.name)

    @property
    def _sides(self) -> list[tuple[str, Any]]:
        return list(zip(LETTERS, self.couple.both, strict=True))

    @property
    def halves(self) -> list[dict[str, Any]]:
        """The two players at the table, each with the keys for going out and the count of points left."""
        return [
            {
                "name": who.name,
                "number": who.number,
                "side": self.names[place],
                "keys": [self._key(f"{outcome}-{side}", label) for outcome, label in OUT.items()],
                "count": self[side],
            }
            for place, (side, who) in enumerate(self._sides)
        ]

    @property
    def middle(self) -> list[dict[str, Any]]:
        """The keys for endings that belong to neither player."""
        return [self._key(value, label) for value, label in WORDS.items()]

    def _key(self, value: str, label: object) -> dict[str, Any]:
        """Return a key for one tap: how the hand ended, and who went out."""
        return {"value": value, "label": str(label), "chosen": self["how"].value() == value}

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


# --- Court Whist -----------------------------------------------------------------------------------------------------
# A table's game has four hands, the tricks of both couples, and the extra of the game.


_NO_PARTNERS: Final = 3
"""The game in which players each score their own tricks."""


_SPEAKING: Final = 6


_FACES: Final = 7


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the form for one or two players at the table. `guests` share it. `extra` is None for the tricks."""

    name: str
    heading: str
    words: str
    guests: tuple[WhistPlayer, ...]
    extra: ExtraCount | None = None


class TableGameForm(KeyedForm):
    """The form of a table's game. The figure of one couple is enough, because the other couple has the rest.

    This applies to tricks and face cards.
    """

    reason = forms.CharField(label=_("What was wrong?"), required=False, max_length=500)
    override = forms.CharField(label=_("Why is it right?"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, table: Table) -> None:
        super().__init__(data)
        self.table, self.game = table, GAMES[table.game]
        self.columns = tuple(_table_columns(table, self.game))
        for hand in range(1, HANDS_A_GAME + 1):
            for column in self.columns:
                field = make_number_field(None, str(_("Hand %(n)s, %(what)s")) % {"n": hand, "what": column.words})
                field.initial = _recorded_value(column, self.game, hand)
                field.widget.attrs["class"] = "form-control"
                self.fields[f"{column.name}_{hand}"] = field

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [
            {"hand": hand, "trump": trump, "cells": [self[f"{column.name}_{hand}"] for column in self.columns]}
            for hand, trump in enumerate(self.game.trumps, start=1)
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for hand in range(1, HANDS_A_GAME + 1):
            self._complete(cleaned, hand, [column for column in self.columns if column.extra is None], TRICKS)
            if self.game.number == _FACES:
                self._complete(cleaned, hand, [column for column in self.columns if column.extra], FACE_CARDS)
            for column in self.columns:
                self._settle(cleaned, f"{column.name}_{hand}", spoken=self.game.number == _SPEAKING and column.extra)
        return cleaned

    def _complete(self, cleaned: dict[str, Any], hand: int, columns: Sequence[Column], all_of_them: int) -> None:
        """Fill in the only empty field with the rest that the others leave."""
        names = [f"{column.name}_{hand}" for column in columns]
        empty = [name for name in names if cleaned.get(name) is None and name not in self.errors]
        if len(empty) == 1 and len(names) > 1:
            rest = all_of_them - sum(cleaned[name] for name in names if cleaned.get(name) is not None)
            if rest >= 0:
                cleaned[empty[0]] = rest

    def _settle(self, cleaned: dict[str, Any], name: str, *, spoken: object) -> None:
        if cleaned.get(name) is not None or name in self.errors:
            return
        if spoken:
            cleaned[name] = 0
        else:
            self.add_error(name, _("Missing"))

    def report(self) -> TableGame:
        """Return the table's report. Call it after `is_valid`."""
        cleaned = self.cleaned_data
        each, numbers = self.table.guests, range(1, HANDS_A_GAME + 1)
        hands = {guest.number: [self._line(guest, hand) for hand in numbers] for guest in each}
        why = {name: cleaned[name] for name in ("override", "reason", "key")}
        return TableGame(game=self.game.number, table=self.table.number, hands=hands, **why)

    def _line(self, guest: WhistPlayer, hand: int) -> dict[str, Any]:
        line: dict[str, Any] = {"game": self.game.number, "hand": hand}
        for column in self.columns:
            if guest in column.guests:
                line[column.extra.field if column.extra else "tricks"] = self.cleaned_data[f"{column.name}_{hand}"]
        return line


def _table_columns(table: Table, game: WhistGame) -> list[Column]:
    """Return the columns for a hand: the tricks of each couple (in game 3 of each player), and the game's extra."""
    found: list[Column] = []
    for turn, couple in enumerate(table.couples):
        names = " & ".join(guest.name for guest in couple)
        if game.number == _NO_PARTNERS:
            each = [(f"p{turn}{place}", guest) for place, guest in enumerate(couple)]
            found += [Column(name, who.name, f"{who.name}: {_('tricks')}", (who,)) for name, who in each]
            continue
        found.append(Column(f"c{turn}", names, f"{names}: {_('tricks')}", couple))
        if game.number == _SPEAKING and game.extra:
            for place, who in enumerate(couple):
                heading, words = str(_("%s spoke")) % who.name, f"{who.name}: {game.extra.label}"
                found.append(Column(f"s{turn}{place}", heading, words, (who,), game.extra))
        elif game.extra:
            heading = str(_("of them by %s")) % couple[1].name if game.extra.is_part_of_tricks else str(_("face cards"))
            found.append(Column(f"e{turn}", heading, f"{names}: {game.extra.label}", couple, game.extra))
    return found


def _recorded_value(column: Column, game: WhistGame, hand: int) -> int | None:
    line = column.guests[0].hands.get((game.number, hand))
    value = line.get(column.extra.field if column.extra else "tricks") if line else None
    return value if isinstance(value, int) else None


class MoveForm(KeyedForm):
    """Enter who won the cut, at every table where two players are equal."""

    def __init__(self, data: Any = None, *, hall: WhistHall) -> None:
        super().__init__(data)
        self.cuts: dict[str, int] = {}
        for table in filter(lambda one: one.is_entered, hall.tables):
            for side in (0, 1):
                best = table.best(side)
                if len(best) > 1:
                    name = f"cut_{table.number}_{side}"
                    self.cuts[name] = table.number
                    self.fields[name] = forms.ChoiceField(
                        label=_("Table %(table)s: who cut the high card?") % {"table": table.number},
                        choices=[(str(guest.number), guest.name) for guest in best],
                        widget=forms.RadioSelect,
                    )

    @property
    def asked(self) -> list[forms.BoundField]:
        return [self[name] for name in self.cuts]

    def winners(self) -> Mapping[int, list[int]]:
        """Return the winners of the cuts by table. Call it after `is_valid`."""
        found: dict[int, list[int]] = {}
        for name, table in self.cuts.items():
            found.setdefault(table, []).append(int(self.cleaned_data[name]))
        return found


class WitnessForm(KeyedForm):
    witness = forms.CharField(label=_("Seen by"), max_length=200)
