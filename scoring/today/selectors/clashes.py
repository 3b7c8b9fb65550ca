"""Clashes between the events of a tournament: a player called to two tables, and a table used twice."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.knockout.progress import State as MatchState
from pairing.matches.selectors.records import load_last_calls
from pairing.stage_kinds.selectors.stages import load_course
from scoring.today.selectors.items import AttentionItem, Open, State
from tournament.models import Event, Member

TABLES = "pairing:desk_tables"


@dataclass(frozen=True, slots=True)
class _Called:
    event: Event
    table: int
    entries: tuple[int, ...]


def clash_rows(event: Event) -> Iterator[AttentionItem]:
    """Yield every clash of this event with another one. An event with several sites has tables of its own."""
    playing = list(event.tournament.events.filter(state=State.IN_PLAY).select_related("tournament").order_by("pk"))
    if len(playing) < 2 or event not in playing:
        return
    called = [one for each in playing for one in _called_in(each)]
    yield from _tables(event, called)
    yield from _players(event, called)


def _called_in(event: Event) -> Iterator[_Called]:
    course, calls = load_course(event), load_last_calls(event)
    standing = course.current.standing if course.stages else {}
    for ident, now in standing.items():
        call = calls.get(ident)
        if now.state is MatchState.READY and call is not None and call.table is not None:
            yield _Called(event, call.table, now.entries)


def _tables(event: Event, called: list[_Called]) -> Iterator[AttentionItem]:
    own = {one.table for one in called if one.event == event and not event.sites}
    shared: defaultdict[Event, set[int]] = defaultdict(set)
    for one in called:
        if one.event != event and not one.event.sites and one.table in own:
            shared[one.event].add(one.table)
    for other, tables in shared.items():
        text = ngettext(
            "Table %(tables)s is used by %(event)s, too. Send one of the two matches to another table.",
            "Tables %(tables)s are used by %(event)s, too. Send one of the two matches at each to another table.",
            len(tables),
        )
        words = {"tables": ", ".join(map(str, sorted(tables))), "event": other.name}
        yield AttentionItem(Open.CLASH, text % words, TABLES, count=len(tables))


def _players(event: Event, called: list[_Called]) -> Iterator[AttentionItem]:
    at: dict[tuple[int, int], _Called] = {(one.event.pk, entry): one for one in called for entry in one.entries}
    seated = Q()
    for one in called:
        seated |= Q(entrant__event=one.event, entrant__number__in=one.entries)
    if not called:
        return
    rows = Member.objects.filter(seated, replaced_by__isnull=True).order_by("player__name", "pk")
    places: defaultdict[tuple[int, str], list[_Called]] = defaultdict(list)
    for person, name, of, number in rows.values_list(
        "player_id", "player__name", "entrant__event_id", "entrant__number"
    ):
        places[person, name].append(at[of, number])
    for (_person, name), matches in places.items():
        own = next((one for one in matches if one.event == event), None)
        other = next((one for one in matches if one.event != event), None)
        if own is not None and other is not None:
            words = {"name": name, "table": own.table, "event": other.event.name, "other": other.table}
            said = _("%(name)s is called to table %(table)s, and to table %(other)s in %(event)s.")
            yield AttentionItem(Open.CLASH, said % words, TABLES)
