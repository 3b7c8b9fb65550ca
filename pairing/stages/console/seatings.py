"""Staff pages for rounds at tables: assign, post and call tables, and enter a table's result."""

from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import combinations
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.desk.pages import run_table_action
from pairing.draws.places import EntryMove
from pairing.draws.results import CardStatusKind, ResultCause
from pairing.draws.table_rounds import MAX_TABLE_ROUNDS
from pairing.models import Match, MatchResult, Seating
from pairing.ports import score_cards
from pairing.results.forms import RemoveEntrantForm, TableRangeForm
from pairing.results.pages import PreviewedAction, preview_or_apply_action
from pairing.results.services.results import MAX_MATCH_POINTS, record_table_result
from pairing.results.tables import SeatedResultTable
from pairing.stages.forms import ReasonForm
from pairing.stages.pages import make_match_url_builder
from pairing.stages.pictures.boxes import format_match_name
from pairing.stages.public.seatings import load_table_result_history, make_standings_context, make_totals_table
from pairing.stages.selectors.boards import ResultRecorder, load_match, load_match_results, load_result_recorders
from pairing.stages.selectors.course import load_table_calls, load_tables_used_elsewhere, suggest_tables
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.tables import (
    SeatingBoard,
    is_seating_without_result,
    load_preview_and_last_seating,
    load_seating_board,
    load_undone_seatings,
)
from pairing.stages.services.tables import change_round_count, seat_next_round, take_back_seating
from pairing.stages.tables.seatings import (
    describe_table_points,
    get_table_state_code,
    render_table_box,
    render_table_boxes,
)
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.tables.lists import ListRequestConfig, export_if_requested
from tournament.errors import DomainError, NotFound, ReasonRequired
from tournament.models import Event
from tournament.ports import higher_app_url_names


class _SeatRoundForm(IdempotentForm):
    """A form for assigning the next round. If tables are unfinished, a reason is required."""

    reason = forms.CharField(label=gettext_lazy("Reason to go on without them"), max_length=300, required=False)
    field_order = ("reason",)


class _ChangeRoundsForm(forms.Form):
    rounds = forms.IntegerField(label=gettext_lazy("Number of rounds"), min_value=1, max_value=MAX_TABLE_ROUNDS)
    reason = forms.CharField(label=gettext_lazy("Reason, for the record"), max_length=300)


FormsByName = dict[str, forms.Form]


@staff_event_view("desk")
def seatings_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Assign, preview, post, or undo the next round, and call its tables."""
    if load_stage_traits(event).two_meet:
        return redirect("pairing:desk_tables", tournament=event.tournament.slug, event=event.slug)
    page_forms: FormsByName = {"seat": _SeatRoundForm(), "back": ReasonForm(), "rounds": _ChangeRoundsForm()}
    if request.method == "POST":
        try:
            act = SEATING_ACTIONS.get(request.POST.get("act", ""))
            done = act(request, event, page_forms) if act is not None else run_table_action(request, event)
        except DomainError as error:
            messages.error(request, error.message)
            done = ""
        if done is not None:
            if done:
                messages.success(request, done)
            return redirect(request.path)
    hall = load_seating_board(event)
    context: dict[str, Any] = {"hall": hall, "forms": page_forms}
    if hall is not None:
        context.update(_make_seatings_context(event, hall))
    return render(request, "pairing/stages/table_rounds/console.html", context)


def _make_seatings_context(event: Event, hall: SeatingBoard) -> dict[str, Any]:
    (preview, posted), current, terms = (
        load_preview_and_last_seating(event),
        hall.rounds.current_round,
        hall.rounds.terms,
    )
    next_round = len(hall.rounds.rounds) + 1
    may_seat = preview is None and next_round <= terms.rounds
    playing = event.state == Event.State.IN_PLAY or (event.state == Event.State.DRAWN and next_round == 1)
    last = preview or posted
    elsewhere = load_tables_used_elsewhere(event)
    first_table, last_table = suggest_tables(len(hall.rounds.ready_tables), hall.tables.values(), elsewhere)
    return {
        "preview": _make_preview_context(preview, hall) if preview else None,
        "post_url": reverse(higher_app_url_names().post_round, args=[event.tournament.slug, event.slug]),
        "next_round": next_round if may_seat and playing else None,
        "unfinished": [format_match_name(table.match) for table in hall.rounds.ready_tables],
        "round": current,
        "all_rounds": terms.rounds,
        "rows": _make_open_table_rows(hall, load_table_calls(event), elsewhere),
        "waiting": sum(table.match not in hall.tables for table in hall.rounds.ready_tables),
        "all_form": TableRangeForm(initial={"first": first_table, "last": last_table}),
        "rounds": _list_decided_rounds(hall, event),
        "may_take_back": last is not None and event.state != Event.State.FINISHED and is_seating_without_result(last),
        "taken_back": load_undone_seatings(event),
        "complete": hall.rounds.is_complete,
    }


def _make_preview_context(seating: Seating, hall: SeatingBoard) -> dict[str, Any]:
    met, record = hall.rounds.rounds_met, seating.record
    again = []
    for one, other in (pair for table in seating.tables for pair in combinations(sorted(table), 2)):
        if (one, other) in met:
            rounds = ", ".join(map(str, met[one, other]))
            names = {"one": hall.name(one), "other": hall.name(other), "rounds": rounds}
            again.append(_("%(one)s and %(other)s met in round %(rounds)s") % names)
    apart = _("%(one)s and %(other)s should be kept apart, but there was no way to do it.")
    pairs = [{"one": hall.name(one), "other": hall.name(other)} for one, other in record.get("together", ())]
    return {
        "seating": seating,
        "tables": [[(number, hall.name(number)) for number in table] for table in seating.tables],
        "sits_out": [hall.name(number) for number in seating.sits_out],
        "left_out": [hall.name(number) for number in record.get("left_out", [])],
        "again": again,
        "together": [apart % names for names in pairs],
        "cost": _describe_repeated_meetings(record["repeats"], is_least=record["is_least"]),
        "moves": [str(EntryMove.from_json(move)) for move in record.get("moves", ())],
    }


def _describe_repeated_meetings(repeats: int, *, is_least: bool) -> str:
    if not repeats:
        return _("No players meet again.")
    pairs = ngettext("One pair meets again", "%(count)s pairs meet again", repeats) % {"count": repeats}
    least = _("fewer are not possible") if is_least else _("no arrangement with fewer was found")
    return f"{pairs}; {least}."


def _make_open_table_rows(
    hall: SeatingBoard, called: Mapping[str, datetime], elsewhere: frozenset[int]
) -> list[dict[str, Any]]:
    """Return the tables without a result, in the order of their table numbers. Tables without a number come last."""
    free, _last = suggest_tables(1, (), elsewhere.union(hall.tables.values()))
    rows = [
        {
            "ident": table.match,
            "label": format_match_name(table.match),
            "said": " – ".join(hall.name(number) for number in table.entries),
            "table": hall.tables.get(table.match),
            "suggested": hall.tables.get(table.match, free),
            "names": [(number, hall.name(number), number in hall.rounds.removal_reasons) for number in table.entries],
            "state": get_table_state_code(hall, table),
            "since": called.get(table.match) if table.match in hall.tables else None,
        }
        for table in hall.rounds.ready_tables
    ]
    return sorted(rows, key=lambda row: (row["table"] is None, row["table"] or 0))


def _list_decided_rounds(hall: SeatingBoard, event: Event) -> list[dict[str, Any]]:
    address = make_match_url_builder(event, "pairing:desk_decide")
    return [
        {
            "number": each.number,
            "boxes": render_table_boxes(hall, [table for table in each.tables if table.is_decided], address=address),
            "decided": len(each.tables) - len(each.unfinished_tables),
            "tables": len(each.tables),
            "sits_out": [hall.name(number) for number in each.sits_out],
        }
        for each in reversed(hall.rounds.rounds)
    ]


def _seat_next_round(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["seat"] = _SeatRoundForm(request.POST)
    if not form.is_valid():
        return None
    seating = seat_next_round(event, by=request.actor, reason=form.cleaned_data["reason"], key=form.cleaned_data["key"])
    return _("Round %(round)s has its tables. Look at them, then post them.") % {"round": seating.round}


def _undo_seating(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["back"] = ReasonForm(request.POST)
    if not form.is_valid():
        return None
    seating = take_back_seating(event, by=request.actor, reason=form.cleaned_data["reason"])
    return _("The table assignments of round %(round)s are undone and stay on record.") % {"round": seating.round}


def _change_round_count(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["rounds"] = _ChangeRoundsForm(request.POST)
    if not form.is_valid():
        return None
    change_round_count(event, form.cleaned_data["rounds"], by=request.actor, reason=form.cleaned_data["reason"])
    return _("There are %(rounds)s rounds now.") % {"rounds": form.cleaned_data["rounds"]}


SEATING_ACTIONS: dict[str, Callable[[ActorRequest, Event, FormsByName], str | None]] = {
    "seat": _seat_next_round,
    "take-back": _undo_seating,
    "rounds": _change_round_count,
}


class _TotalsForm(IdempotentForm):
    """A form for a table's totals, or the reason why it has none."""

    PLAYED = "played"
    ENDS = (
        (PLAYED, gettext_lazy("These totals count")),
        (ResultCause.BOTH_ABSENT.value, gettext_lazy("Closed: no-show")),
        (ResultCause.FORFEIT.value, gettext_lazy("Closed: players gave up")),
        (ResultCause.TIME.value, gettext_lazy("Closed: time was called")),
        (ResultCause.PENALTY.value, gettext_lazy("Closed by a ruling")),
        (ResultCause.VOID.value, gettext_lazy("Undone: to be played again")),
    )

    end = forms.ChoiceField(
        label=gettext_lazy("How the table ends"), choices=ENDS, widget=forms.RadioSelect, initial=PLAYED
    )
    reason = forms.CharField(label=gettext_lazy("Reason, for the record"), max_length=300)
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, seats: list[tuple[int, str]], seen: int, **options: Any) -> None:
        super().__init__(*args, **options)
        self.numbers = [number for number, _name in seats]
        totals = {
            f"total_{number}": forms.IntegerField(
                label=f"{number} {name}",
                required=False,
                min_value=-MAX_MATCH_POINTS,
                max_value=MAX_MATCH_POINTS,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "size": 6}),
            )
            for number, name in seats
        }
        self.fields = {**totals, **self.fields}
        self.fields["seen"].initial = seen

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("end") == self.PLAYED and not self.errors and not self.totals:
            self.add_error("end", gettext_lazy("Enter the totals, or choose why the table has none."))
        return facts

    @property
    def totals(self) -> dict[int, int]:
        """Return the totals by entry number. Players without a total are left out."""
        typed = {number: self.cleaned_data.get(f"total_{number}") for number in self.numbers}
        return {number: total for number, total in typed.items() if total is not None}

    @property
    def cause(self) -> ResultCause | None:
        """Return the reason why the table has no totals, or None if it has some."""
        end = self.cleaned_data["end"]
        return None if end == self.PLAYED else ResultCause(end)


def enter_table_result(request: ActorRequest, event: Event, ident: str) -> HttpResponse:
    """Enter the totals of a table, close the table, or reopen it.

    If everybody has signed a card that disagrees with the result, the form begins with the totals on this card.
    """
    hall, match = load_seating_board(event), load_match(event, ident)
    numbered_table = hall.rounds.find_table(ident) if hall is not None else None
    if hall is None or match is None or numbered_table is None:
        raise NotFound("no-match", _("There is no such table. Choose one from the table assignments."))
    table, recorded = numbered_table[1], load_match_results(match)
    seats = [(number, hall.name(number)) for number in table.entries]
    summaries = score_cards().load_card_summaries(event, [match.pk])
    disagreeing = next((card for card in reversed(summaries) if card.kind is CardStatusKind.DISAGREES), None)
    totals = table.points if disagreeing is None else disagreeing.totals
    initial = {f"total_{number}": points for number, points in totals.items()}
    form = _TotalsForm(request.POST or None, seats=seats, seen=recorded[0].pk if recorded else 0, initial=initial)
    if request.method == "POST" and form.is_valid():
        if request.POST.get("act") in ("look", "do"):
            return preview_or_apply_action(request, _make_previewed_action(request, match, form))
        done = _decide_at_once(request, match, form)
        if done is not None:
            return done
    context = {
        "label": format_match_name(ident),
        "statements": summaries,
        "disagreeing": disagreeing,
        "box": render_table_box(hall, table, address=make_match_url_builder(event, "pairing:desk_decide")),
        "results": load_table_result_history(hall, match),
        "form": form,
        "low_wins": hall.rounds.low_wins,
        "can_decide": event.state == Event.State.IN_PLAY,
    }
    return render(request, "pairing/results/decide_table.html", context, status=422 if form.errors else 200)


def _decide_at_once(request: ActorRequest, match: Match, form: _TotalsForm) -> HttpResponse | None:
    """Record the result immediately, or show a preview if it contradicts a signed card.

    Return None if the result is rejected. In that case, the form shows the error.
    """
    try:
        _record_table_result(request, match, form, key=form.cleaned_data["key"], override=False)
    except ReasonRequired:
        return preview_or_apply_action(request, _make_previewed_action(request, match, form))
    except DomainError as error:
        form.add_error(None, error.message)
        return None
    messages.success(request, _("%(match)s is decided.") % {"match": format_match_name(match.ident)})
    event = match.event
    return redirect("pairing:desk_seatings", tournament=event.tournament.slug, event=event.slug)


def _record_table_result(
    request: ActorRequest, match: Match, form: _TotalsForm, *, key: str, override: bool = True
) -> MatchResult:
    facts = form.cleaned_data
    return record_table_result(
        match,
        form.totals,
        form.cause,
        by=request.actor,
        reason=facts["reason"],
        key=key,
        seen=facts["seen"],
        override=override,
    )


def _make_previewed_action(request: ActorRequest, match: Match, form: _TotalsForm) -> PreviewedAction:
    name, event = format_match_name(match.ident), match.event
    return PreviewedAction(
        event=event,
        title=_("%(match)s: what it changes") % {"match": name},
        act=lambda *, key, **_given: _record_table_result(request, match, form, key=key),
        label=_("Record result"),
        form=form,
        success_message=_("%(match)s is decided.") % {"match": name},
        next_url=reverse("pairing:desk_seatings", args=[event.tournament.slug, event.slug]),
        first=match.ident,
    )


def show_results(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the standings and all tables, with forms to remove an entrant and to finish the event."""
    hall = load_seating_board(event)
    if hall is None:
        return render(request, "pairing/results/results.html", {"board": None})
    wanted = request.GET.get("q", "").strip()
    standings = make_totals_table(hall, event, wanted)
    listed = SeatedResultTable(
        _make_result_rows(hall, load_result_recorders(event), wanted), event=event, prefix="tables-"
    )
    ListRequestConfig(request, 64).configure(standings)
    ListRequestConfig(request, 64).configure(listed)
    download = export_if_requested(request, standings, f"{event.slug}-standings")
    if download is not None:
        return download
    context = {
        "standings": standings,
        "listed": listed,
        "remove": RemoveEntrantForm(event=event),
        "complete": hall.rounds.is_complete,
        "champion": ", ".join(hall.winners),
        **make_standings_context(hall),
    }
    return render(request, "pairing/results/table_results.html", context)


def _make_result_rows(hall: SeatingBoard, recorded: Mapping[str, ResultRecorder], wanted: str) -> list[dict[str, Any]]:
    entries = set(hall.find_entries(wanted))
    return [
        {
            "ident": table.match,
            "who": " – ".join(hall.get_name_in_match(table.match, number) for number in table.entries),
            "points": describe_table_points(hall, table.match, table.outcome)
            if table.outcome and table.is_decided
            else "",
            "state": get_table_state_code(hall, table),
            "recorded": recorded.get(table.match) if table.is_decided else None,
        }
        for each in hall.rounds.rounds
        for table in each.tables
        if not wanted or entries & set(table.entries)
    ]
