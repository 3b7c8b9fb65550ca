"""Printed lists of an event: the pairings with tables, and the standings with the games behind them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.results import Result
from pairing.draws.table_rounds import make_standings
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import load_names
from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.core.selectors.events import EntryNames
from tournament.errors import Conflict
from tournament.models import Event
from tournament.templatetags.gin import local_day_time, minus, signed

PAIR_COLUMNS = (
    ListColumn(gettext_lazy("Table"), 1, bold=True),
    ListColumn(gettext_lazy("Round"), 1.6),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Against"), 4, bold=True),
)
TABLE_COLUMNS = (*PAIR_COLUMNS[:4], ListColumn(gettext_lazy("With"), 5))
"""The columns for tables of more than two players."""
POOL_COLUMNS = (
    ListColumn(gettext_lazy("Place"), 1, align="right"),
    ListColumn(gettext_lazy("No."), 0.8, align="right"),
    ListColumn(gettext_lazy("Name"), 3.2, bold=True),
    ListColumn(gettext_lazy("Won–lost"), 1.5, align="right"),
    ListColumn("±", 1, align="right"),
    ListColumn(gettext_lazy("Games (opponent's number)"), 4.2),
)
PART_COLUMN = ListColumn(gettext_lazy("Group"), 1.3)
ROUNDS_COLUMNS = (
    *POOL_COLUMNS[:3],
    ListColumn(gettext_lazy("Total"), 1.1, align="right"),
    ListColumn(gettext_lazy("Points, round by round"), 5),
)
SIGNS = {Result.WIN: "W", Result.LOSS: "L"}


@dataclass(frozen=True, slots=True)
class PrintedPairing:
    """A pairing on paper. `players` are the number and name of everybody at the table."""

    table: int | None
    round: str
    players: tuple[tuple[int, str], ...]


def write_pairings(
    target: IO[bytes], title: str, subtitle: str, pairings: Sequence[PrintedPairing], *, paper: str = "letter"
) -> int:
    """Write the pairings sorted by name. Each pairing appears under every one of its players."""
    are_pairs = all(len(pairing.players) == 2 for pairing in pairings)
    rows: list[tuple[str, ...]] = []
    for pairing in pairings:
        for me in pairing.players:
            others = [(str(number), name) for number, name in pairing.players if (number, name) != me]
            beside = others[0] if are_pairs else (", ".join(" ".join(other) for other in others),)
            rows.append((str(pairing.table or "–"), pairing.round, str(me[0]), me[1], *beside))
    rows.sort(key=lambda row: (row[3].casefold(), row[1]))
    columns = PAIR_COLUMNS if are_pairs else TABLE_COLUMNS
    return write_list(target, PrintedList(title, subtitle, columns, rows, fills_page=True), paper=paper)


def print_standings(target: IO[bytes], event: Event, paper: str) -> None:
    """Print the standings of the last pool, or of the rounds at tables, with every game.

    The list is enough to pair the next round by hand.

    Raises:
        Conflict: `no-standings` if the event has no pool or rounds, or is not drawn yet.
    """
    course, names = load_course(event), load_names(event)
    columns: tuple[ListColumn, ...] = POOL_COLUMNS
    rows: list[tuple[str, ...]] = []
    name = event.name
    if course.rounds is not None:
        columns = ROUNDS_COLUMNS
        for one in make_standings(course.rounds):
            points = "  ".join("–" if each is None else str(minus(each)) for each in one.points)
            rows.append((str(one.place or "–"), str(one.entry), names[one.entry], minus(one.total), points))
    elif course.pools:
        name = f"{event.name}, {course.last_pool.name}"
        columns = (PART_COLUMN, *POOL_COLUMNS) if len(course.last_pool.pool.parts) > 1 else POOL_COLUMNS
        rows = list(_pool_rows(course.last_pool, names))
    else:
        raise Conflict("no-standings", _("There are no standings here. Print the bracket or the result sheet."))
    now = _("As of %(time)s") % {"time": local_day_time(timezone.now(), event.tournament)}
    subtitle = f"{event.tournament.name} · {now}"
    title = _("Standings: %(name)s") % {"name": name}
    write_list(target, PrintedList(title, subtitle, columns, rows, fills_page=True), paper=paper)


def _pool_rows(stage: PoolStage, names: EntryNames) -> Iterator[tuple[str, ...]]:
    for part, ranked in stage.pool.standings:
        for row in ranked:
            record = stage.pool.qualifying[row.entry].record
            place = "–" if row.place is None else str(row.place)
            of_part = (part.name,) if len(stage.pool.parts) > 1 else ()
            # “W12” is a win against number 12, and “W–” a win by a bye.
            games = " ".join(f"{SIGNS.get(own.credit.result, '–')}{own.opponent or '–'}" for own in record.credits)
            yield *of_part, place, str(row.entry), names[row.entry], str(record), signed(record.spread), games
