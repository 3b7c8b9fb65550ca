"""The groups of an event in stages, with what their crosstables show beside them; a constant number of queries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from django.conf import settings
from django.utils.module_loading import import_string

from pairing.draws import StageKind
from pairing.draws.group_layout import GroupTable, make_group_table
from pairing.models import TableCall
from pairing.selectors.boards import counting_matches
from pairing.selectors.brackets import load_names
from pairing.selectors.stages import Course, load_course
from tournament.models import Event


@dataclass(frozen=True)
class Groups:
    """`tables` has the games that are at a table now, by match; of those, `begun` have a line on a card."""

    groups: tuple[GroupTable, ...]
    names: Mapping[int, str]
    tables: Mapping[str, int] = field(default_factory=dict)
    begun: frozenset[str] = frozenset()
    is_over: bool = False

    def name(self, entry: int) -> str:
        return self.names.get(entry, str(entry))

    def of(self, entry: int) -> tuple[GroupTable, ...]:
        return tuple(group for group in self.groups if any(row.entry == entry for row in group.rows))


def load_groups(event: Event) -> Groups | None:
    """None where nobody plays in groups."""
    course = load_course(event)
    groups = make_groups_of(course) if course else ()
    if not groups:
        return None
    is_open = {
        cell.match
        for group in groups
        for row in group.rows
        for cell in row.cells
        if cell.match is not None and cell.credit is None
    }
    calls = TableCall.objects.filter(match__in=counting_matches(event)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    tables = {ident: table for ident, table in last.items() if table is not None and ident in is_open}
    ask: Callable[[Event, Collection[str]], set[tuple[str, frozenset[int]]]] = import_string(settings.BEGUN_MATCHES)
    begun = frozenset(ident for ident, _sides in ask(event, list(tables)))
    over = course is not None and course.current.kind is not StageKind.ROUND_ROBIN
    return Groups(groups, load_names(event), tables, begun, is_over=over)


def make_groups_of(course: Course) -> tuple[GroupTable, ...]:
    found = []
    for stage in course.stages:
        if stage.pool is None or stage.kind is not StageKind.ROUND_ROBIN:
            continue
        meetings = (*stage.pool.meetings, *stage.pool.scheduled)
        found += [make_group_table(part.name or stage.name, rows, meetings) for part, rows in stage.pool.standings]
    return tuple(found)
