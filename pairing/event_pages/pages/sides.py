"""The latest posted round of an event with two sides: tables and players."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairing.stage_kinds.selectors.stages import load_course
from pairing.stage_kinds.selectors.turning import Turning
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class SidesTable:
    """A table with the players of each side. In couples events, two players of a side share a table."""

    table: int
    sides: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def entries(self) -> tuple[int, ...]:
        return self.sides[0] + self.sides[1]


@dataclass(frozen=True)
class SidesNow:
    turning: Turning

    @property
    def label(self) -> str:
        return _("Round %(number)s") % {"number": self.turning.current.round}

    @property
    def names(self) -> str:
        """The names of both sides, such as “Guys against Girls”."""
        return _("%(one)s against %(other)s") % {"one": self.turning.names[0], "other": self.turning.names[1]}

    @property
    def tables(self) -> tuple[SidesTable, ...]:
        return tuple(self._tables())

    @property
    def lines(self) -> list[tuple[int, str, str]]:
        return [(one.table, self.called(one.sides[0]), self.called(one.sides[1])) for one in self.tables]

    @property
    def sits_out(self) -> tuple[int, ...]:
        return tuple(self.turning.current.sits_out)

    def called(self, entries: tuple[int, ...]) -> str:
        return ", ".join(self.turning.name(entry) for entry in entries)

    def _tables(self) -> Iterator[SidesTable]:
        for place, seated in enumerate(self.turning.current.tables, start=1):
            half = len(seated) // 2
            yield SidesTable(place, (tuple(seated[:half]), tuple(seated[half:])))


def load_sides_now(event: Event) -> SidesNow | None:
    """Return the latest round of two sides, or None before the first round or in other formats."""
    turning = load_course(event).turning
    return SidesNow(turning) if turning is not None and turning.rounds else None
