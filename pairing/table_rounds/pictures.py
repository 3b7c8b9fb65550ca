"""The box of a table in an event over rounds: its players and points. It has the markup of a bracket match."""

from collections.abc import Iterable

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.results import Cause
from pairing.draws.table_rounds.rounds import SeatedTable, TableOutcome
from pairing.knockout.pictures.match_boxes import Address, join_html, match_name, write_box, write_side
from pairing.table_rounds.selectors.seated_rounds import SeatedRounds
from tournament.templatetags.gin import badge, minus

CLOSED = {
    Cause.BOTH_ABSENT: gettext_lazy("Closed: no-show"),
    Cause.FORFEIT: gettext_lazy("Closed: players gave up"),
    Cause.TIME: gettext_lazy("Closed: time was called"),
    Cause.PENALTY: gettext_lazy("Closed by a ruling"),
    Cause.VOID: gettext_lazy("Undone: to be played again"),
}


def table_state(hall: SeatedRounds, table: SeatedTable) -> str:
    """Return the code of a table's state, as `state_badge` uses it."""
    if table.is_decided:
        return "void" if table.was_closed else "final"
    return "playing" if table.match in hall.tables else "ready"


def why_closed(outcome: TableOutcome | None) -> str:
    """Return why nobody has points from this table, or nothing if somebody has or the table is open."""
    if outcome is None or outcome.points:
        return ""
    return str(CLOSED.get(outcome.cause, _("Closed without points")))


def points_in_words(hall: SeatedRounds, match: str, outcome: TableOutcome) -> str:
    """Return “Ann 12, Bob 30” with the winner first, or the reason why nobody has points."""
    ordered = sorted(outcome.points.items(), key=lambda one: (one[0] != outcome.winner, one[1]))
    return ", ".join(f"{hall.name_in(match, number)} {minus(points)}" for number, points in ordered) or why_closed(
        outcome
    )


def table_box(
    hall: SeatedRounds, table: SeatedTable, *, address: Address, me: int | None = None, prefix: str = ""
) -> SafeString:
    return write_box(
        match_name(table.match),
        address(table.match),
        name=f"{prefix}match-{table.match}",
        mine=me in table.entries,
        table=hall.tables.get(table.match),
        news=points_in_words(hall, table.match, table.outcome) if table.outcome and table.is_decided else "",
        badge=badge(table_state(hall, table), _("Closed") if table.was_closed else ""),
        sides=join_html(_seat(hall, table, number, me) for number in table.entries),
        note=why_closed(table.outcome),
    )


def table_boxes(
    hall: SeatedRounds, tables: Iterable[SeatedTable], *, address: Address, me: int | None = None, prefix: str = ""
) -> SafeString:
    return join_html(table_box(hall, table, address=address, me=me, prefix=prefix) for table in tables)


def _seat(hall: SeatedRounds, table: SeatedTable, number: int, me: int | None) -> SafeString:
    won = table.is_decided and table.outcome is not None and table.outcome.winner == number
    out = number in hall.rounds.gone and number not in table.points
    return write_side(
        number,
        hall.name_in(table.match, number),
        won=_("winner") if won else "",
        mine=number == me,
        word=_("you") if number == me else _("out") if out else "",
        score=table.points.get(number, "–" if table.is_decided else ""),
    )
