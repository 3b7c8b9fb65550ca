"""The desk's pairings page: send the suggested pairs, put players on hold, pair two by hand, and undo pairings."""

import re
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.desk.selectors.desk import (
    PairingDesk,
    PairingGroup,
    compute_minutes_since,
    find_rematch_warnings,
    load_pairing_desk,
)
from pairing.desk.selectors.forecast import load_forecast
from pairing.desk.selectors.proofs import load_pairings, load_pairings_to_undo, load_proof, load_started_games
from pairing.desk.services.pairings import end_hold, hold_entrant, undo_pairing
from pairing.desk.services.sending import (
    DeskPreview,
    check_manual_pair,
    send_manual_pair,
    send_previewed_pairs,
    undo_last_pairings,
)
from pairing.draws.desk.desk import MAX_TABLE_NUMBER, UnpairedEntry, WaitingEntry
from pairing.draws.desk.words import (
    explain_bye,
    explain_pair,
    explain_unpaired_entry,
    explain_why_no_pairs,
    find_broken_rules,
)
from pairing.models import Pairing
from pairing.stages.pictures.boxes import format_match_name
from pairing.stages.selectors.plans import load_event_plan
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import make_event_url, run_and_flash_result
from tournament.errors import Conflict, DomainError, NotFound, ReasonRequired
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import parse_number

MAX_RECENT_PAIRINGS = 8
MAX_FREE_TABLES_SHOWN = 60
MAX_PAIRS_IN_MESSAGE = 12

# --- Rows of the pairing page ----------------------------------------------------------------------------------------


def _list_names(desk: PairingDesk, numbers: Any) -> list[tuple[int, str]]:
    return [(number, desk.names.get(number, str(number))) for number in numbers]


def _make_waiting_rows(desk: PairingDesk) -> list[dict[str, Any]]:
    """Return table rows for the waiting entrants, longest wait first.

    In a ladder, the rows are in the order of the waiting line. Entrants on hold always come last.
    """
    rows = [_make_waiting_row(desk, part, one) for part in desk.groups for one in part.pairing_input.waiting]
    turns = desk.course.pool.waiting_line if desk.course.pool is not None and desk.stage.kind.traits.in_line else ()
    at = {entry: turn for turn, entry in enumerate(turns)}
    return sorted(rows, key=lambda row: (row["held"], at.get(row["number"], 0), row["since"], row["number"]))


def _make_waiting_row(desk: PairingDesk, part: PairingGroup, one: WaitingEntry) -> dict[str, Any]:
    number = one.entry.number
    stays = {stay.entry: stay for stay in part.suggestion.unpaired}
    going = {side: going.table for going in desk.next_pairs for side in going.suggestion.pair}
    return {
        "number": number,
        "name": desk.names.get(number, str(number)),
        "record": f"{one.entry.wins}–{one.entry.losses}",
        "since": one.since,
        "minutes": compute_minutes_since(one.since, desk.now),
        "met": sorted(one.entry.met),
        "held": one.held,
        "site": part.name,
        "absent": number in desk.absent,
        "table": going.get(number),
        "goes": number in going,
        "why": _explain_wait(desk, part, stays.get(number), number),
    }


def _explain_wait(desk: PairingDesk, part: PairingGroup, stay: UnpairedEntry | None, number: int) -> str:
    if stay is not None:
        hold = desk.held.get(number)
        if hold is not None and stay.why == "held":
            return f"{hold.by_name}: {hold.reason}" if hold.reason else hold.by_name
        return explain_unpaired_entry(stay, desk.names)
    if part.suggestion.bye is not None and part.suggestion.bye.entry == number:
        return explain_bye(part.suggestion.bye, desk.names)
    return ""


def _make_next_pair_rows(desk: PairingDesk) -> list[dict[str, Any]]:
    return [
        {
            "table": going.table,
            "names": _list_names(desk, going.suggestion.pair),
            "reason": explain_pair(going.suggestion.reason, desk.names),
            "marked": going.suggestion.reason.is_rematch or any(going.suggestion.reason.violations),
            "minutes": compute_minutes_since(going.suggestion.waiting_since, desk.now),
            "pairs": _encode_pair(going.pair_and_table),
        }
        for going in desk.next_pairs
    ]


def _make_waiting_game_rows(desk: PairingDesk) -> list[dict[str, Any]]:
    """Return rows for the games that need a table. Games with a suggested table come first."""
    tables = {game.ident: table for game, table in desk.next_calls}
    busy = [one.sides for one in desk.busy_tables] + [game.sides for game, _to in desk.next_calls]
    playing = {side for sides in busy for side in sides}
    rows = [
        {
            "label": format_match_name(game.ident),
            "names": _list_names(desk, game.sides),
            "table": tables.get(game.ident),
            "fixed": game.fixed,
            "plays_before": not playing.isdisjoint(game.sides),
        }
        for game in desk.waiting_games
    ]
    return sorted(rows, key=lambda row: row["table"] is None)


def _make_busy_table_rows(desk: PairingDesk) -> list[dict[str, Any]]:
    """Return table rows for the busy tables. The longest games come first, because officials check on those first."""
    rows = [
        {
            "table": one.table,
            "ident": one.ident,
            "names": _list_names(desk, one.sides),
            "minutes": compute_minutes_since(one.since, desk.now),
        }
        for one in desk.busy_tables
    ]
    return sorted(rows, key=lambda row: (-row["minutes"], row["table"]))


def _make_hidden_fields(desk: PairingDesk) -> dict[str, str]:
    sent = [going for going in desk.next_pairs if going.table is not None or desk.pairs_in_rounds]
    return {
        "at": desk.now.isoformat(),
        "pairs": " ".join(_encode_pair(going.pair_and_table) for going in sent),
        "calls": " ".join(f"{game.ident}@{table}" for game, table in desk.next_calls),
        "bye": str(desk.bye or ""),
    }


def _encode_pair(pair: tuple[int, int, int]) -> str:
    one, other, table = pair
    return f"{one}-{other}@{table}"


def _make_sent_pairing_rows(desk: PairingDesk, pairings: list[Pairing], *, most: int) -> list[dict[str, Any]]:
    meetings = [match.meeting for match in desk.stage.matches.values()]
    over = {frozenset(met.sides) for met in meetings if met.outcome is not None}
    over -= {frozenset(met.sides) for met in meetings if met.outcome is None}
    return [
        {
            "pairing": pairing,
            "names": [_list_names(desk, pair) for pair in pairing.pairs[:1]],
            "bye": _list_names(desk, [pairing.bye]) if pairing.bye and not pairing.pairs else [],
            "more": max(0, len(pairing.pairs) - 1),
            "may_take_back": over.isdisjoint(map(frozenset, pairing.pairs)),
        }
        for pairing in pairings[:most]
    ]


def _summarize_last_pairings(desk: PairingDesk, pairings: list[Pairing]) -> dict[str, Any] | None:
    """Summarize the pairings that were sent last. Return None if any of them can no longer be undone."""
    together = [pairing for pairing in pairings if pairing.at == pairings[0].at]
    rows = _make_sent_pairing_rows(desk, together, most=len(together))
    if not rows or not all(row["may_take_back"] for row in rows):
        return None
    return {"newest": together[0], "pairs": sum(len(pairing.pairs) for pairing in together)}


# --- The pairing page ------------------------------------------------------------------------------------------------


PAIR_AND_TABLE_PATTERN: Final = re.compile(r"(\d{1,9})-(\d{1,9})@(\d{1,9})")
MATCH_AND_TABLE_PATTERN: Final = re.compile(r"([A-Za-z0-9]{1,20})@(\d{1,9})")
INCOMPLETE_PAGE_MESSAGE: Final = gettext_lazy("The page was not complete. Look at it again.")


class _SendForm(forms.Form):
    """A form with hidden fields that contain the pairs and calls that the page showed.

    With these values, exactly what the page showed is sent to the tables.

    `pairs` has the format `1-7@5 2-3@6`: entries 1 and 7 go to table 5. `calls` has the format `G5@7`: match G5 goes to
    table 7. `at` is the time for which the page was computed, without seconds.
    """

    at = forms.CharField(widget=forms.HiddenInput, max_length=40)
    pairs = forms.CharField(widget=forms.HiddenInput, required=False)
    calls = forms.CharField(widget=forms.HiddenInput, required=False)
    bye = forms.IntegerField(widget=forms.HiddenInput, required=False)
    key = forms.CharField(widget=forms.HiddenInput, max_length=100)
    reason = forms.CharField(label=gettext_lazy("Why you do not wait for the others"), max_length=300, required=False)

    def clean_at(self) -> datetime:
        try:
            found = parse_datetime(self.cleaned_data["at"])
        except ValueError:
            found = None
        if found is None or found.tzinfo is None:
            raise forms.ValidationError(INCOMPLETE_PAGE_MESSAGE)
        return found

    def clean_pairs(self) -> tuple[tuple[int, int, int], ...]:
        return tuple(
            (int(one[1]), int(one[2]), int(one[3]))
            for one in _parse_words(self.cleaned_data["pairs"], PAIR_AND_TABLE_PATTERN)
        )

    def clean_calls(self) -> tuple[tuple[str, int], ...]:
        return tuple((one[1], int(one[2])) for one in _parse_words(self.cleaned_data["calls"], MATCH_AND_TABLE_PATTERN))

    def make_preview(self, *, alone: bool) -> DeskPreview:
        facts = self.cleaned_data
        return DeskPreview(at=facts["at"], pairs=facts["pairs"], calls=facts["calls"], bye=facts["bye"], alone=alone)


def _parse_words(typed: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    found = [pattern.fullmatch(word) for word in typed.split()]
    if None in found:
        raise forms.ValidationError(INCOMPLETE_PAGE_MESSAGE)
    return [word for word in found if word is not None]


def _make_number_field(label: Any, *, required: bool = True, most: int = 999_999_999) -> forms.IntegerField:
    widget = forms.TextInput(attrs={"inputmode": "numeric", "size": 4, "autocomplete": "off", "class": "form-control"})
    return forms.IntegerField(label=label, min_value=1, max_value=most, required=required, widget=widget)


class _ChoosePairForm(forms.Form):
    one = _make_number_field(gettext_lazy("Number"))
    other = _make_number_field(gettext_lazy("plays"), required=False)


@staff_event_view("desk")
def pairings_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the next pairs, waiting players and busy tables, and run the submitted action."""
    if not load_event_plan(event).desk_stages:
        return redirect(make_event_url(event, "pairing:desk_tables"))
    if request.method == "POST":
        act = PAIRING_ACTIONS.get(request.POST.get("act", ""))
        if act is not None:
            run_and_flash_result(request, lambda: act(request, event))
        return redirect(request.path)
    desk = load_pairing_desk(event)
    context = _make_pairings_context(request, event, desk) if desk is not None else {"desk": None}
    return render(request, "pairing/desk/console.html", context)


def _make_pairings_context(request: ActorRequest, event: Event, desk: PairingDesk) -> dict[str, Any]:
    sent = [pairing for pairing in load_pairings(event) if pairing.stage_id == desk.stage.row.pk]
    counting = [pairing for pairing in sent if not hasattr(pairing, "taken_back")]
    going, shown = _make_next_pair_rows(desk), _make_hidden_fields(desk)
    explanations = ((part.name, explain_why_no_pairs(part.pairing_input, part.suggestion)) for part in desk.groups)
    return {
        "desk": desk,
        "forecast": load_forecast(desk),
        "going": going,
        "sendable": sum(row["table"] is not None for row in going) if not desk.pairs_in_rounds else len(going),
        "calls": _make_waiting_game_rows(desk),
        "bye": _list_names(desk, [desk.bye])[0] if desk.bye else None,
        "shown": shown,
        "sends": bool(shown["pairs"] or shown["calls"] or (shown["bye"] and not desk.is_round_open)),
        "key": uuid.uuid4().hex,
        "nothing": [f"{name}: {why}" if name else why for name, why in explanations if why],
        "waiting": _make_waiting_rows(desk),
        "tables": _make_busy_table_rows(desk),
        "free_tables": desk.free_tables[:MAX_FREE_TABLES_SHOWN],
        "more_free": max(0, len(desk.free_tables) - MAX_FREE_TABLES_SHOWN),
        "alone": _list_names(desk, [desk.entry_without_opponent])[0] if desk.entry_without_opponent else None,
        "sent": _make_sent_pairing_rows(desk, counting, most=MAX_RECENT_PAIRINGS),
        "last_act": _summarize_last_pairings(desk, counting),
        "too_many_rounds": find_rematch_warnings(desk.stage),
        "sites": len({part.name for part in desk.groups}) > 1,
        "choose": _ChoosePairForm(),
        "fresh": not getattr(request, "htmx", False),
    }


def _send_previewed_pairs(request: ActorRequest, event: Event) -> str:
    form = _SendForm(request.POST)
    if not form.is_valid():
        raise DomainError("bad-list", _("The page was not complete. Nothing was sent; look at the pairings again."))
    shown = form.make_preview(alone=request.POST.get("act") == "one")
    facts = form.cleaned_data
    _pairings, called = send_previewed_pairs(event, shown, by=request.actor, key=facts["key"], reason=facts["reason"])
    names = dict(event.entrants.values_list("number", "name"))
    sent = []
    for one, other, table in shown.pairs[:MAX_PAIRS_IN_MESSAGE]:
        both = f"{names.get(one, one)} – {names.get(other, other)}"
        sent.append(_("%(pair)s to table %(table)s") % {"pair": both, "table": table} if table else both)
    if len(shown.pairs) > MAX_PAIRS_IN_MESSAGE:
        sent.append(_("and %(n)s more pairings") % {"n": len(shown.pairs) - MAX_PAIRS_IN_MESSAGE})
    if called:
        sent.append(ngettext("%(n)s game called", "%(n)s games called", called) % {"n": called})
    if shown.bye:
        sent.append(_("%(name)s has the bye") % {"name": names.get(shown.bye, shown.bye)})
    return _("Sent to tables: %(list)s.") % {"list": "; ".join(sent)}


def _hold_chosen_entrant(request: ActorRequest, event: Event) -> str:
    entrant = _load_chosen_entrant(request, event)
    hold_entrant(entrant, by=request.actor, reason=request.POST.get("reason", "")[:300])
    return _("%(name)s is on hold and is not paired.") % {"name": entrant.name}


def _end_chosen_hold(request: ActorRequest, event: Event) -> str:
    entrant = _load_chosen_entrant(request, event)
    end_hold(entrant, by=request.actor)
    return _("%(name)s is no longer on hold.") % {"name": entrant.name}


def _load_chosen_entrant(request: ActorRequest, event: Event) -> Entrant:
    number = parse_number(request.POST.get("number")) or 0
    entrant = event.entrants.filter(number=number).select_related("event__tournament").first()
    if entrant is None:
        raise NotFound("no-entrant", _("There is no entrant with this number. Look at the list of entrants."))
    return entrant


PAIRING_ACTIONS: dict[str, Callable[[ActorRequest, Event], str]] = {
    "send": _send_previewed_pairs,
    "one": _send_previewed_pairs,
    "hold": _hold_chosen_entrant,
    "release": _end_chosen_hold,
}


# --- Pairing by hand, and undoing pairings ---------------------------------------------------------------------------


class _ManualPairForm(IdempotentForm):
    """A form for pairing two entrants by hand. `seen` lists the broken rules that the user was warned about."""

    table = _make_number_field(gettext_lazy("Table"), required=False, most=MAX_TABLE_NUMBER)
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("Everybody can read it on the page about the pairings."),
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)


@staff_event_view("desk")
def pair_by_hand(request: ActorRequest, event: Event) -> HttpResponse:
    """Pair two selected entrants after showing which rules the pair would break.

    If only one is selected, list all possible opponents and the rules that each pair would break.
    """
    desk = load_pairing_desk(event)
    if desk is None:
        raise NotFound("no-desk", _("There are no pairings before the draw. Make the draw first."))
    one, other = (parse_number(request.GET.get(name)) or 0 for name in ("one", "other"))
    try:
        if not other:
            return _show_possible_opponents(request, desk, one)
        breaks = check_manual_pair(event, desk, (one, other))
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(make_event_url(event, "pairing:desk_pairing"))
    kinds = " ".join(sorted(broken.kind.value for broken in breaks))
    free = desk.list_free_tables(one)
    form = _ManualPairForm(request.POST or None, initial={"seen": kinds, "table": free[0] if free else None})
    if breaks:
        form.fields["reason"].required = True
        form.fields["reason"].widget.attrs["autofocus"] = True
    if request.method == "POST" and form.is_valid():
        answer = _send_manual_pair(request, event, (one, other), form)
        if answer is not None:
            return answer
    two = [_make_entrant_context(desk, side) for side in (one, other)]
    return render(request, "pairing/desk/by_hand.html", {"two": two, "breaks": breaks, "form": form, "free": free})


def _send_manual_pair(
    request: ActorRequest, event: Event, pair: tuple[int, int], form: _ManualPairForm
) -> HttpResponse | None:
    facts = form.cleaned_data
    answer = {"table": facts["table"], "seen": facts["seen"].split(), "key": facts["key"], "reason": facts["reason"]}
    try:
        sent = send_manual_pair(event, pair, by=request.actor, **answer)
    except ReasonRequired as error:
        form.add_error("reason", error.message)
        return None
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(make_event_url(event, "pairing:desk_pairing"))
    names = dict(event.entrants.filter(number__in=pair).values_list("number", "name"))
    both = " – ".join(names.get(side, str(side)) for side in sent.pairs[0])
    messages.success(request, _("Paired by hand: %(pair)s.") % {"pair": both})
    return redirect(make_event_url(event, "pairing:desk_pairing"))


def _show_possible_opponents(request: ActorRequest, desk: PairingDesk, one: int) -> HttpResponse:
    """List the opponents for this entrant, starting with those who would break the fewest rules.

    Impossible opponents come last, with the reason.
    """
    part = desk.find_group(one)
    if part is None:
        raise Conflict("not-waiting", _("This entrant is not waiting for a game. Look at the pairings."))
    rows = []
    for waiting in part.pairing_input.waiting:
        number = waiting.entry.number
        if number != one:
            breaks = find_broken_rules(one, number, part.pairing_input, desk.names, now=desk.now)
            forbids = any(broken.kind.forbids_pair for broken in breaks)
            rows.append(_make_entrant_context(desk, number) | {"breaks": breaks, "forbids": forbids})
    rows.sort(key=lambda row: (row["forbids"], len(row["breaks"]), row["number"]))
    return render(request, "pairing/desk/by_hand_choose.html", {"one": _make_entrant_context(desk, one), "rows": rows})


def _make_entrant_context(desk: PairingDesk, number: int) -> dict[str, Any]:
    part = desk.find_group(number)
    entry = part.pairing_input.candidates.by_number[number] if part is not None else None
    return {
        "number": number,
        "name": desk.names.get(number, str(number)),
        "record": f"{entry.wins}–{entry.losses}" if entry is not None else "",
        "minutes": compute_minutes_since(desk.waiting_since[number], desk.now)
        if number in desk.waiting_since
        else None,
    }


class _UndoForm(forms.Form):
    """A form with the reason for undoing pairings. `seen` lists the games that the page showed as already started."""

    reason = forms.CharField(
        label=gettext_lazy("Reason, for the record"), max_length=300, initial=gettext_lazy("Sent by mistake")
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any = None, *, begun: Iterable[str]) -> None:
        super().__init__(data, initial={"seen": " ".join(begun)})


@staff_event_view("desk")
def undo_pairings_page(request: ActorRequest, event: Event, pairing: int) -> HttpResponse:
    """Undo one pairing, or all pairings that were sent together. This is possible until their first result.

    The page first lists the games in which hands are already entered on the score card.
    """
    proof = load_proof(event, pairing)
    if proof is None:
        raise NotFound("no-pairing", _("There are no such pairings. Look at the list of pairings."))
    whole = "all" in request.GET
    pairings = load_pairings_to_undo(event, proof.pairing, whole=whole)
    begun = load_started_games(event, pairings)
    form = _UndoForm(request.POST or None, begun=begun)
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        answer = {"by": request.actor, "reason": facts["reason"], "seen": facts["seen"].split()}
        try:
            undo_last_pairings(event, pairing, **answer) if whole else undo_pairing(proof.pairing, **answer)
        except ReasonRequired as error:
            messages.error(request, error.message)
            return redirect(request.get_full_path())
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, _("Undone. The players are back on the waiting list."))
        return redirect(make_event_url(event, "pairing:desk_pairing"))

    def with_names(sides: Iterable[int]) -> list[tuple[int, str]]:
        return [(side, proof.names.get(side, str(side))) for side in sides]

    together = {
        "pairs": [with_names(pair) for pairing_to_undo in pairings for pair in pairing_to_undo.pairs],
        "written": [(format_match_name(ident), with_names(sides)) for ident, sides in begun.items()],
    }
    return render(request, "pairing/desk/take_back.html", {"together": together, "form": form})
