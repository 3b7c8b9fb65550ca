"""Compare the entries of opened stages with the entries that would come by the present standings."""

from collections.abc import Sequence
from dataclasses import dataclass

from pairing.course.selectors.openings import is_untouched, seeded_advancing
from pairing.stage_kinds.selectors.stages import Course


@dataclass(frozen=True, slots=True)
class DrawnFrom:
    """An opened stage: its entries at the opening, and who would be in it by the present standings.

    `coming` has the entries with their wins. `by_order`: places or byes follow from the standings.
    `may_go_back`: it is the last stage, and nothing is recorded in it. `takes_more`: missing entrants can still join.
    """

    number: int
    name: str
    entries: frozenset[int]
    coming: tuple[tuple[int, int], ...]
    by_order: bool
    may_go_back: bool
    takes_more: bool

    @property
    def would(self) -> frozenset[int]:
        return frozenset(entry for entry, _wins in self.coming)


@dataclass(frozen=True, slots=True)
class CutChange:
    """A stage that was opened from standings that would change.

    `out` are entries that should not be in it, and `missing` entries that should.
    `reordered`: only the places or byes would differ.
    """

    stage: DrawnFrom
    out: tuple[int, ...]
    missing: tuple[int, ...]
    reordered: bool


def drawn_from(course: Course) -> tuple[DrawnFrom, ...]:
    """Return every opened stage except the first."""
    found = []
    for at, stage in enumerate(course.stages[1:], start=1):
        knockout = stage.plan.knockout
        found.append(
            DrawnFrom(
                number=stage.number,
                name=stage.name,
                entries=frozenset(stage.row.entries),
                coming=seeded_advancing(Course(course.plan, course.stages[:at])),
                by_order=knockout is not None and (knockout.seeded or bool(knockout.byes_to)),
                may_go_back=stage is course.current and is_untouched(stage),
                takes_more=stage is course.current and stage.takes_late_entries,
            )
        )
    return tuple(found)


def changed_cuts(before: Sequence[DrawnFrom], after: Sequence[DrawnFrom]) -> tuple[CutChange, ...]:
    """Return the opened stages whose entries, places or byes would differ by the changed standings."""
    then = {stage.number: stage for stage in after}
    found = []
    for was in before:
        now = then.get(was.number)
        if now is None or was.coming == now.coming:
            continue
        out = (now.entries - now.would) - (was.entries - was.would)
        missing = (now.would - now.entries) - (was.would - was.entries)
        reordered = now.by_order and was.would == now.would
        if out or missing or reordered:
            found.append(CutChange(now, tuple(sorted(out)), tuple(sorted(missing)), reordered))
    return tuple(found)
