"""Print the ladder: everybody by the standings, with their place in the line."""

from collections.abc import Iterator
from typing import IO

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.ladder import Ladder, run_now
from pairing.ladder.selectors import ladder_of
from pairing.matches.selectors.records import load_names
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.pdf.lists import ListColumn, PrintedList, write_list
from tournament.core.selectors.events import EntryNames
from tournament.errors import Conflict
from tournament.models import Event

COLUMNS = (
    ListColumn(gettext_lazy("Place"), 0.8, align="right"),
    ListColumn(gettext_lazy("No."), 0.7, align="right"),
    ListColumn(gettext_lazy("Name"), 4, bold=True),
    ListColumn(gettext_lazy("Longest run"), 1.2, align="right"),
    ListColumn(gettext_lazy("Won–lost"), 1.2, align="right"),
    ListColumn(gettext_lazy("Now"), 2.6),
)


def print_ladder(target: IO[bytes], event: Event, paper: str) -> None:
    """Print the last ladder of the event.

    Raises:
        Conflict: `no-ladder`.
    """
    stage = next((one for one in reversed(load_course(event).pools) if isinstance(one.pool, Ladder)), None)
    if stage is None:
        raise Conflict("no-ladder", _("The ladder has not started yet. Post the draw first, or open its stage."))
    ladder = ladder_of(stage.pool)
    over, so_far = _("The ladder is over: %(played)s games."), _("%(played)s of %(games)s games played so far.")
    note = (over if ladder.is_complete else so_far) % {"played": ladder.played, "games": ladder.challenges}
    rows = list(_rows(ladder, load_names(event)))
    title = f"{stage.name}: {event.name}"
    write_list(target, PrintedList(title, f"{event.tournament.name} · {note}", COLUMNS, rows), paper=paper)


def _rows(ladder: Ladder, names: EntryNames) -> Iterator[tuple[str, ...]]:
    for _part, ranked in ladder.standings:
        for row in ranked:
            place = "–" if row.place is None else str(row.place)
            run = str(ladder.runs[row.entry])
            yield place, str(row.entry), names[row.entry], run, str(row.record), _now(ladder, row.entry)


def _now(ladder: Ladder, entry: int) -> str:
    found = ladder.qualifying[entry]
    if found.removal is not None:
        return "out"
    if found.is_playing:
        return _("at a table")
    if entry in ladder.holders:
        return _("holds the table (%(record)s in a row)") % {"record": run_now(found.record)}
    ahead = ladder.ahead_of(entry)
    return "" if ahead is None else _("number %(value)s in the line") % {"value": ahead + 1}
