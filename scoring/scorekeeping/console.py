"""The desk's pages for the scorekeeper: the worksheet of a couples tournament, and the games of Court Whist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.stages.selectors.plans import load_stage_traits
from scoring.card_state.forms import make_number_field
from scoring.card_state.selectors.rotation import (
    CouplesWorksheet,
    CouplesWorksheetTable,
    WhistEventState,
    WhistGameTable,
    WhistPlayer,
    load_couples_worksheet,
    load_whist_event_state,
)
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import list_signatures, make_sheet_context
from scoring.cards.pages import FormErrorHandler
from scoring.cards.services.hands import BadLine
from scoring.cards.tables import describe_card_change
from scoring.rules.variants.court_whist import (
    FACE_CARD_COUNT,
    HANDS_PER_GAME,
    TRICKS_PER_HAND,
    WHIST_GAMES,
    ExtraScoringItem,
    WhistGame,
)
from scoring.rules.variants.metzker.couples import GIN_COUNT_BY_OUTCOME, CouplesOutcome, RoundTally
from scoring.scorekeeping.services import (
    RoundReport,
    WhistTableReport,
    correct_round,
    enter_whist_table_game,
    group_problems_by_table,
    post_cards_signed_on_paper,
    post_round,
    seat_current_round,
    start_next_whist_game,
    sum_reports,
)
from scoring.scorekeeping.tables import describe_awards, describe_round
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.errors import DomainError, InputProblem, NotFound, ReasonRequired
from tournament.models import Event

_WORKSHEET_PAGE = "scoring/scorekeeping/worksheet.html"
_WHIST_PAGE = "scoring/scorekeeping/whist.html"


@staff_event_view("desk")
def redirect_to_scorekeeper_page(request: ActorRequest, event: Event) -> HttpResponse:
    if not load_stage_traits(event).one_card:
        raise NotFound("no-rounds", _("This event has another format. Look at its table assignments."))
    page = "scoring:desk_whist" if load_stage_traits(event).own_cards else "scoring:desk_worksheet"
    return redirect(page, tournament=event.tournament.slug, event=event.slug)


# --- The worksheet of a couples event --------------------------------------------------------------------------------
# A round of all tables is posted as one line.


@staff_event_view("desk")
def show_worksheet(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the current round with a form for each table's report. Submitting the page posts the round.

    Before the table assignments of the round are posted, the page has a button to post them, but no forms.
    """
    sheet = load_couples_worksheet(event)
    if sheet is None or sheet.state is None:
        return render(request, _WORKSHEET_PAGE, {"waits": True, "sheet": sheet})
    if request.method == "POST" and request.POST.get("act") == "seat":
        seat_current_round(event, by=request.actor)
        return redirect(request.path)
    form = _make_worksheet_form(sheet, request.POST or None)
    warnings: list[str] = []
    if request.method == "POST" and form.is_ready():
        report = form.make_report()
        state, warnings = _try_to_write(form, report, lambda: post_round(event, report, by=request.actor))
        if state is not None:
            messages.success(request, _("Round %(number)s is posted.") % {"number": report.number})
            return redirect(request.path)
    status = 422 if request.method == "POST" else 200
    return render(request, _WORKSHEET_PAGE, _make_worksheet_context(sheet, form, warnings), status=status)


@require_POST
@staff_event_view("desk")
def preview_round_sums(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the sums of the reports entered so far, without writing anything."""
    sheet = load_couples_worksheet(event)
    if sheet is None or sheet.state is None:
        raise NotFound("no-round", _("There is no round to count. Post the draw first."))
    return render(
        request,
        "scoring/scorekeeping/worksheet_sums.html",
        _make_sums_context(sheet, _make_worksheet_form(sheet, request.POST)),
    )


@staff_event_view("desk")
def edit_round(request: ActorRequest, event: Event, line: int) -> HttpResponse:
    sheet = load_couples_worksheet(event)
    lines = sheet.state.lines if sheet and sheet.state else ()
    if sheet is None or sheet.state is None or not 1 <= line <= len(lines):
        raise NotFound("no-such-round", _("There is no such round on the score sheet. Look at the worksheet."))
    fact = lines[line - 1]
    couples = sheet.make_tables(sheet.rotating_sides.find_round(fact.number))
    results = (fact.line or {}).get("results", [])
    if len(results) != len(couples):
        place = (event.tournament.slug, event.slug, sheet.state.card.token, line)
        return redirect(reverse("scoring:desk_hand", args=place))
    options = {"couples": couples, "names": sheet.rotating_sides.names, "number": fact.number, "results": results}
    form = _WorksheetForm(request.POST or None, **options)
    warnings: list[str] = []
    if request.method == "POST" and form.is_ready():
        report = form.make_report()
        state, warnings = _try_to_write(form, report, lambda: correct_round(event, line, report, by=request.actor))
        if state is not None:
            messages.success(request, describe_card_change(state.card))
            return redirect("scoring:desk_worksheet", tournament=event.tournament.slug, event=event.slug)
    context = {"form": form, "sheet": sheet, "number": fact.number, "warnings": warnings, "corrects": True}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/scorekeeping/worksheet_round.html", context, status=status)


def _make_worksheet_form(sheet: CouplesWorksheet, data: Any) -> _WorksheetForm:
    return _WorksheetForm(data, couples=sheet.couples, names=sheet.rotating_sides.names, number=sheet.round_number)


def _try_to_write(
    form: _WorksheetForm, report: RoundReport, write: Callable[[], CardState]
) -> tuple[CardState | None, list[str]]:
    """Write the form's report and return the card.

    If this fails, return None and any warnings, so that the form is shown again.
    """
    try:
        return write(), []
    except BadLine as error:
        form.show_problems(group_problems_by_table(report, error.data["problems"]))
    except ReasonRequired as error:
        return None, list(error.data["warnings"])
    except DomainError as error:
        form.show_missing(error.data.get("tables", ()))
        form.head.add_error("reason" if error.code == "reason-needed" else None, error.message)
    return None, []


def _make_worksheet_context(sheet: CouplesWorksheet, form: _WorksheetForm, warnings: list[str]) -> dict[str, Any]:
    state = sheet.state
    assert state is not None
    played = enumerate(zip(state.lines, state.score.rows, strict=True), start=1)
    counted = [(line, fact.number, row.line_tally) for line, (fact, row) in played]
    rounds = [(line, number, describe_round(one)) for line, number, one in counted if isinstance(one, RoundTally)]
    return {
        "sheet": sheet,
        "state": state,
        "form": form,
        "number": sheet.round_number,
        "warnings": warnings,
        "score": make_sheet_context(state),
        "signatures": list_signatures(state),
        "rounds": rounds[::-1],
        **(_make_sums_context(sheet, form) if form.head.is_bound else {}),
    }


def _make_sums_context(sheet: CouplesWorksheet, form: _WorksheetForm) -> dict[str, Any]:
    """Return the context for the sums panel: what each table earned, both sides' sums, and the round's award."""
    form.is_valid()
    counted, worth, problems = sum_reports(sheet, form.make_report())
    names = sheet.state.names if sheet.state else ()
    tables = [(one.table, worth.get(one.table, ""), problems.get(one.table, "")) for one in sheet.couples]
    return {
        "reports": [row for row in tables if row[1] or row[2]],
        "left": len(sheet.couples) - len(worth),
        "awarded": describe_awards(counted) if counted else "",
        "sums": [(name, counted.sums[name], counted.gin_sums[name]) for name in names] if counted else [],
    }


# --- The form of a worksheet -----------------------------------------------------------------------------------------


_STOCK_RAN_OUT: Final = str(CouplesOutcome.STOCK)
_NOT_PLAYED: Final = "none"
_GOING_OUT_LABELS: Final = {
    CouplesOutcome.GIN: gettext_lazy("Gin"),
    CouplesOutcome.DOUBLE_GIN: gettext_lazy("Double gin"),
    CouplesOutcome.RUN: gettext_lazy("Run"),
}


_SIDE_LETTERS: Final = ("A", "B")
_OTHER_ENDING_LABELS: Final = {_STOCK_RAN_OUT: gettext_lazy("Stock ran out"), _NOT_PLAYED: gettext_lazy("Did not play")}


class _WorksheetForm:
    def __init__(
        self,
        data: Any = None,
        *,
        couples: Sequence[CouplesWorksheetTable],
        names: Sequence[str],
        number: int,
        results: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.head = _RoundForm(data, initial={"number": number})
        known = [_TableForm.make_initial(result) for result in results] or [{}] * len(couples)
        each = zip(couples, known, strict=True)
        self.tables = [_TableForm(data, couple=couple, names=names, initial=initial) for couple, initial in each]

    def is_valid(self) -> bool:
        return all([self.head.is_valid(), *(table.is_valid() for table in self.tables)])

    def is_ready(self) -> bool:
        """Return whether the form is valid and complete. Missing counts are shown as errors at their tables."""
        if not self.is_valid():
            return False
        for table in self.tables:
            table.ask_for_counts()
        return not any(table.errors for table in self.tables)

    def make_report(self) -> RoundReport:
        """Return the reports entered so far. Call it after `is_valid`."""
        found = {table.couple.table: table.read_result() for table in self.tables}
        cleaned = self.head.cleaned_data
        return RoundReport(
            number=cleaned.get("number") or 0,
            results={table: result for table, result in found.items() if result is not None},
            not_played=frozenset(table.couple.table for table in self.tables if table.is_not_played),
            **{name: cleaned.get(name, "") for name in ("override", "reason", "key")},
        )

    def show_problems(self, problems: Mapping[int, Sequence[InputProblem]]) -> None:
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


class _RoundForm(IdempotentForm):
    number = forms.IntegerField(widget=forms.HiddenInput)
    override = forms.CharField(label=gettext_lazy("Why is it right?"), required=False, max_length=500)
    reason = forms.CharField(label=gettext_lazy("What was wrong?"), required=False, max_length=500)


class _TableForm(forms.Form):
    """A form for one table's report.

    Once the form is valid, `read_result()` returns the table's result, or None if the report is missing or incomplete.
    """

    how = forms.ChoiceField(required=False)

    def __init__(
        self, data: Any = None, *, couple: CouplesWorksheetTable, names: Sequence[str], **options: Any
    ) -> None:
        super().__init__(data, prefix=f"t{couple.table}", **options)
        self.couple, self.names = couple, names
        goes_out = [
            (f"{outcome}-{side}", label) for side in _SIDE_LETTERS for outcome, label in _GOING_OUT_LABELS.items()
        ]
        self.fields["how"] = forms.ChoiceField(
            required=False, choices=[("", ""), *goes_out, *_OTHER_ENDING_LABELS.items()]
        )
        for side, who in self._players_by_side:
            self.fields[side] = make_number_field(None, _("Points left of %s") % who.name)

    @property
    def _players_by_side(self) -> list[tuple[str, Any]]:
        return list(zip(_SIDE_LETTERS, self.couple.players, strict=True))

    @property
    def player_fields(self) -> list[dict[str, Any]]:
        """The two players at the table, each with their “going out” buttons and a field for their count."""
        return [
            {
                "name": who.name,
                "number": who.number,
                "side": self.names[place],
                "keys": [self._make_key(f"{outcome}-{side}", label) for outcome, label in _GOING_OUT_LABELS.items()],
                "count": self[side],
            }
            for place, (side, who) in enumerate(self._players_by_side)
        ]

    @property
    def other_ending_keys(self) -> list[dict[str, Any]]:
        """The buttons for endings in which neither player goes out."""
        return [self._make_key(value, label) for value, label in _OTHER_ENDING_LABELS.items()]

    def _make_key(self, value: str, label: object) -> dict[str, Any]:
        """Return a button that sets both how the hand ended and who went out."""
        return {"value": value, "label": str(label), "chosen": self["how"].value() == value}

    @property
    def is_not_played(self) -> bool:
        return bool(self.cleaned_data.get("how") == _NOT_PLAYED)

    def read_result(self) -> dict[str, Any] | None:
        how = self.cleaned_data.get("how", "")
        if how in ("", _NOT_PLAYED):
            return None
        outcome, _dash, by = (_STOCK_RAN_OUT, "", "") if how == _STOCK_RAN_OUT else how.rpartition("-")
        counts = {side: self.cleaned_data.get(side) for side in _SIDE_LETTERS}
        if outcome in GIN_COUNT_BY_OUTCOME and counts[by] is None:
            counts[by] = 0
        if None in counts.values():
            return None
        return {"outcome": outcome, **({"by": by} if by else {}), "counts": counts}

    def ask_for_counts(self) -> None:
        """Add an error for each missing count, if the user has entered how the table's hand ended."""
        if self.cleaned_data.get("how", "") in ("", _NOT_PLAYED) or self.read_result() is not None:
            return
        outcome, _dash, by = self.cleaned_data["how"].rpartition("-")
        for side, who in self._players_by_side:
            needless = side == by and outcome in GIN_COUNT_BY_OUTCOME
            if self.cleaned_data.get(side) is None and not needless and side not in self.errors:
                self.add_error(side, _("Enter how many points %s has left.") % who.name)

    @property
    def all_errors(self) -> list[str]:
        return [str(error) for errors in self.errors.values() for error in errors]

    @staticmethod
    def make_initial(result: Mapping[str, Any]) -> dict[str, Any]:
        by = result.get("by")
        return {"how": f"{result['outcome']}-{by}" if by else _STOCK_RAN_OUT, **result["counts"]}


# --- Court Whist -----------------------------------------------------------------------------------------------------


@staff_event_view("desk")
def show_whist_game(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the current game, and which tables are already entered.

    Once all tables are entered, staff can seat the next game or, after the last game, sign the cards.
    """
    hall = load_whist_event_state(event)
    if hall is None or not hall.guests:
        return render(request, _WHIST_PAGE, {"waits": True, "hall": hall})
    acts: dict[str, Callable[[ActorRequest, Event, WhistEventState], dict[str, Any] | None]] = {
        "move": _seat_next_game,
        "sign": _sign_all_on_paper,
    }
    context: dict[str, Any] | None = {}
    if request.method == "POST":
        act = acts.get(request.POST.get("act", ""))
        if act is None:
            messages.error(request, _("This button is not known. Load the page again."))
        context = act(request, event, hall) if act is not None else None
        if context is None:
            return redirect(request.path)
    # The tables of earlier games can still be corrected. The latest game comes first.
    before = [seating for seating in hall.rotating_sides.rounds if seating.round < hall.current_game.number]
    shown = {
        "hall": hall,
        "move": _TieCutForm(hall=hall) if hall.is_game_entered and not hall.is_over else None,
        "sign": _WitnessForm(initial={"witness": request.actor.name})
        if hall.is_over and hall.players_without_signature
        else None,
        "entered": sum(table.is_entered for table in hall.tables),
        "earlier": [(WHIST_GAMES[seating.round], hall.make_tables(seating)) for seating in reversed(before)],
        "numbers": list(WHIST_GAMES),
        **(context or {}),
    }
    return render(request, _WHIST_PAGE, shown, status=422 if request.method == "POST" else 200)


def _seat_next_game(request: ActorRequest, event: Event, hall: WhistEventState) -> dict[str, Any] | None:
    form = _TieCutForm(request.POST, hall=hall)
    if form.is_valid():
        with FormErrorHandler(form):
            after = start_next_whist_game(event, form.read_winners(), by=request.actor, key=form.cleaned_data["key"])
            messages.success(
                request, _("The tables of game %(game)s are posted.") % {"game": after.current_game.number}
            )
            return None
    return {"move": form}


def _sign_all_on_paper(request: ActorRequest, event: Event, hall: WhistEventState) -> dict[str, Any] | None:
    form = _WitnessForm(request.POST)
    if form.is_valid():
        with FormErrorHandler(form):
            count = post_cards_signed_on_paper(
                event, form.cleaned_data["witness"], by=request.actor, key=form.cleaned_data["key"]
            )
            messages.success(request, _("%(count)s score cards are signed and posted.") % {"count": count})
            return None
    return {"sign": form}


@staff_event_view("desk")
def enter_whist_table(request: ActorRequest, event: Event, game: int, number: int) -> HttpResponse:
    """Enter or correct a table's game. The form is prefilled with recorded hands, and corrections need a reason."""
    hall = load_whist_event_state(event)
    found = _find_table(hall, game, number)
    form = _TableGameForm(request.POST or None, table=found)
    tried = FormErrorHandler(form, warns=True)
    if request.method == "POST" and form.is_valid():
        with tried:
            enter_whist_table_game(event, form.make_report(), by=request.actor)
            messages.success(request, _("Table %(table)s is entered.") % {"table": number})
            return redirect("scoring:desk_whist", tournament=event.tournament.slug, event=event.slug)
    context = {"hall": hall, "table": found, "form": form, "warnings": tried.warnings, "game": WHIST_GAMES[game]}
    status = 422 if request.method == "POST" else 200
    return render(request, "scoring/scorekeeping/whist_table.html", context, status=status)


def _find_table(hall: WhistEventState | None, game: int, number: int) -> WhistGameTable:
    seating = hall.rotating_sides.find_round(game) if hall is not None else None
    tables = hall.make_tables(seating) if hall is not None and seating is not None else ()
    found = next((one for one in tables if one.number == number), None)
    if found is None:
        raise NotFound("no-table", _("There is no such table in that game. Look at the table assignments."))
    return found


# --- The forms of Court Whist ----------------------------------------------------------------------------------------


_GAME_WITHOUT_PARTNERS: Final = 3
"""The game in which each player scores only their own tricks."""

_GAME_WITH_SPEAKING: Final = 6
_GAME_WITH_FACE_CARDS: Final = 7


@dataclass(frozen=True, slots=True)
class _TableColumn:
    """A column of the form, for one or two players at the table.

    If `extra` is None, the column asks for tricks. Otherwise, it asks for `extra`, the item that the game counts in
    addition to tricks, such as face cards.
    """

    name: str
    heading: str
    words: str
    guests: tuple[WhistPlayer, ...]
    extra: ExtraScoringItem | None = None


class _TableGameForm(IdempotentForm):
    """The form for a table's game.

    If only one number of tricks or face cards is missing for a hand, the form computes it from the total.
    """

    reason = forms.CharField(label=gettext_lazy("What was wrong?"), required=False, max_length=500)
    override = forms.CharField(label=gettext_lazy("Why is it right?"), required=False, max_length=500)

    def __init__(self, data: Any = None, *, table: WhistGameTable) -> None:
        super().__init__(data)
        self.table, self.game = table, WHIST_GAMES[table.game]
        self.columns = tuple(_list_table_columns(table, self.game))
        for hand in range(1, HANDS_PER_GAME + 1):
            for column in self.columns:
                field = make_number_field(None, _("Hand %(n)s, %(what)s") % {"n": hand, "what": column.words})
                field.initial = _find_recorded_value(column, self.game, hand)
                field.widget.attrs["class"] = "form-control"
                self.fields[f"{column.name}_{hand}"] = field

    @property
    def hand_rows(self) -> list[dict[str, Any]]:
        return [
            {"hand": hand, "trump": trump, "cells": [self[f"{column.name}_{hand}"] for column in self.columns]}
            for hand, trump in enumerate(self.game.trumps, start=1)
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for hand in range(1, HANDS_PER_GAME + 1):
            self._fill_in_missing_number(
                cleaned, hand, [column for column in self.columns if column.extra is None], TRICKS_PER_HAND
            )
            if self.game.number == _GAME_WITH_FACE_CARDS:
                self._fill_in_missing_number(
                    cleaned, hand, [column for column in self.columns if column.extra], FACE_CARD_COUNT
                )
            for column in self.columns:
                self._require_extra_count(
                    cleaned, f"{column.name}_{hand}", spoken=self.game.number == _GAME_WITH_SPEAKING and column.extra
                )
        return cleaned

    def _fill_in_missing_number(
        self, cleaned: dict[str, Any], hand: int, columns: Sequence[_TableColumn], total: int
    ) -> None:
        """If exactly one of several fields is empty, fill in the total minus the other values."""
        names = [f"{column.name}_{hand}" for column in columns]
        empty = [name for name in names if cleaned.get(name) is None and name not in self.errors]
        if len(empty) == 1 and len(names) > 1:
            rest = total - sum(cleaned[name] for name in names if cleaned.get(name) is not None)
            if rest >= 0:
                cleaned[empty[0]] = rest

    def _require_extra_count(self, cleaned: dict[str, Any], name: str, *, spoken: object) -> None:
        if cleaned.get(name) is not None or name in self.errors:
            return
        if spoken:
            cleaned[name] = 0
        else:
            self.add_error(name, _("Missing"))

    def make_report(self) -> WhistTableReport:
        """Return the table's report. Call it after `is_valid`."""
        cleaned = self.cleaned_data
        each, numbers = self.table.players, range(1, HANDS_PER_GAME + 1)
        hands = {guest.number: [self._make_line(guest, hand) for hand in numbers] for guest in each}
        why = {name: cleaned[name] for name in ("override", "reason", "key")}
        return WhistTableReport(game=self.game.number, table=self.table.number, hands=hands, **why)

    def _make_line(self, guest: WhistPlayer, hand: int) -> dict[str, Any]:
        line: dict[str, Any] = {"game": self.game.number, "hand": hand}
        for column in self.columns:
            if guest in column.guests:
                line[column.extra.field if column.extra else "tricks"] = self.cleaned_data[f"{column.name}_{hand}"]
        return line


def _list_table_columns(table: WhistGameTable, game: WhistGame) -> list[_TableColumn]:
    """Return the form's columns for the players at one table.

    There is a column for the tricks of each couple. In game 3, which has no partners, there is one for each player
    instead. Some games also have columns for `game.extra`, the item that they count in addition to tricks.
    """
    found: list[_TableColumn] = []
    for turn, couple in enumerate(table.couples):
        names = " & ".join(guest.name for guest in couple)
        if game.number == _GAME_WITHOUT_PARTNERS:
            each = [(f"p{turn}{place}", guest) for place, guest in enumerate(couple)]
            found += [_TableColumn(name, who.name, f"{who.name}: {_('tricks')}", (who,)) for name, who in each]
            continue
        found.append(_TableColumn(f"c{turn}", names, f"{names}: {_('tricks')}", couple))
        if game.number == _GAME_WITH_SPEAKING and game.extra:
            for place, who in enumerate(couple):
                heading, words = _("%s spoke") % who.name, f"{who.name}: {game.extra.label}"
                found.append(_TableColumn(f"s{turn}{place}", heading, words, (who,), game.extra))
        elif game.extra:
            heading = _("of them by %s") % couple[1].name if game.extra.is_part_of_tricks else _("face cards")
            found.append(_TableColumn(f"e{turn}", heading, f"{names}: {game.extra.label}", couple, game.extra))
    return found


def _find_recorded_value(column: _TableColumn, game: WhistGame, hand: int) -> int | None:
    line = column.guests[0].hands.get((game.number, hand))
    value = line.get(column.extra.field if column.extra else "tricks") if line else None
    return value if isinstance(value, int) else None


class _TieCutForm(IdempotentForm):
    """A form to enter who won the cut at each table where players are tied."""

    def __init__(self, data: Any = None, *, hall: WhistEventState) -> None:
        super().__init__(data)
        self.cuts: dict[str, int] = {}
        for table in filter(lambda one: one.is_entered, hall.tables):
            for side in (0, 1):
                best = table.find_best_players(side)
                if len(best) > 1:
                    name = f"cut_{table.number}_{side}"
                    self.cuts[name] = table.number
                    self.fields[name] = forms.ChoiceField(
                        label=_("Table %(table)s: who cut the high card?") % {"table": table.number},
                        choices=[(str(guest.number), guest.name) for guest in best],
                        widget=forms.RadioSelect,
                    )

    @property
    def cut_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.cuts]

    def read_winners(self) -> Mapping[int, list[int]]:
        """Return the winners of the cuts by table. Call it after `is_valid`."""
        found: dict[int, list[int]] = {}
        for name, table in self.cuts.items():
            found.setdefault(table, []).append(int(self.cleaned_data[name]))
        return found


class _WitnessForm(IdempotentForm):
    witness = forms.CharField(label=gettext_lazy("Seen by"), max_length=200)
