"""Load the groups of an event in stages with everything for their crosstables, in a constant number of queries."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pairing.course.selectors.stage_boards import decided_games
from pairing.draws.pictures.crosstable import GroupTable, make_group_table
from pairing.knockout.selectors import counting_matches, load_begun_of, load_written_of
from pairing.matches.selectors.records import load_names
from pairing.models import TableCall
from pairing.stage_kinds.selectors.stages import Course, load_course
from tournament.models import Event


@dataclass(frozen=True)
class Groups:
    """The groups of an event. `tables` maps the games that are at a table to its number.

    `begun` are open games with a line on their card. `corrected` are decided games that had another result before.
    `spelled` maps names that are too long for the crosstables to their short form.
    """

    groups: tuple[GroupTable, ...]
    names: Mapping[int, str]
    tables: Mapping[str, int] = field(default_factory=dict)
    begun: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    is_over: bool = False
    spelled: Mapping[str, str] = field(default_factory=dict)

    def name(self, entry: int) -> str:
        return self.names.get(entry, str(entry))

    def spell(self, entry: int) -> str:
        name = self.name(entry)
        return self.spelled.get(name, name)

    def of(self, entry: int) -> tuple[GroupTable, ...]:
        return tuple(group for group in self.groups if any(row.entry == entry for row in group.rows))


def load_groups(event: Event) -> Groups | None:
    """Return the groups of an event, or None if it has none."""
    course = load_course(event)
    groups = make_groups_of(course)
    if not groups:
        return None
    is_open = {
        cell.match: frozenset((row.entry, other.entry))
        for group in groups
        for row in group.rows
        for other, cell in zip(group.rows, row.cells, strict=True)
        if cell.match is not None and cell.credit is None
    }
    names = load_names(event)
    calls = TableCall.objects.filter(match__in=counting_matches(event)).order_by("pk")
    last = dict(calls.values_list("match__ident", "table"))
    return Groups(
        groups,
        names,
        tables={ident: table for ident, table in last.items() if table is not None and ident in is_open},
        begun=load_begun_of(event, is_open),
        corrected=load_written_of(event, decided_games(course), names).corrected,
        is_over=not course.current.kind.traits.all_meet,
    )


def make_groups_of(course: Course) -> tuple[GroupTable, ...]:
    found = []
    for stage in (pool for pool in course.pools if pool.kind.traits.all_meet):
        meetings = (*stage.pool.meetings, *stage.pool.scheduled)
        found += [make_group_table(part.name or stage.name, rows, meetings) for part, rows in stage.pool.standings]
    return tuple(found)
