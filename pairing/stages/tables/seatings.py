"""A table's players and points, and the standings over all rounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import django_tables2 as tables
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from pairing.draws.results import ResultCause
from pairing.draws.table_rounds import SeatedTable, TableOutcome, TableStanding
from pairing.stages.pictures.boxes import (
    MatchUrlBuilder,
    format_match_name,
    join_html,
    render_box_side,
    render_match_or_table_box,
)
from pairing.stages.selectors.tables import SeatingBoard
from tournament.core.tables.lists import ORDER_BY_FAMILY_NAME, FamilyNameSortMixin, to_decimal_amount
from tournament.purse.prizes import Placing
from tournament.templatetags.gin import minus, money, render_badge, state_badge

# --- Boxes of tables, with the markup of a bracket match -------------------------------------------------------------

CLOSED_TABLE_LABELS = {
    ResultCause.BOTH_ABSENT: gettext_lazy("Closed: no-show"),
    ResultCause.FORFEIT: gettext_lazy("Closed: players gave up"),
    ResultCause.TIME: gettext_lazy("Closed: time was called"),
    ResultCause.PENALTY: gettext_lazy("Closed by a ruling"),
    ResultCause.VOID: gettext_lazy("Undone: to be played again"),
}


def get_table_state_code(hall: SeatingBoard, table: SeatedTable) -> str:
    """Return the code of a table's state, for use with `state_badge`."""
    if table.is_decided:
        return "void" if table.was_closed else "final"
    return "playing" if table.match in hall.tables else "ready"


def explain_closed_table(outcome: TableOutcome | None) -> str:
    """Return why a table was closed without points, or an empty string if it wasn't."""
    if outcome is None or outcome.points:
        return ""
    return str(CLOSED_TABLE_LABELS.get(outcome.cause, _("Closed without points")))


def describe_table_points(hall: SeatingBoard, match: str, outcome: TableOutcome) -> str:
    """Describe the points, winner first, such as “Ann 12, Bob 30”.

    If there are none, explain why the table was closed.
    """
    ordered = sorted(outcome.points.items(), key=lambda total: (total[0] != outcome.winner, total[1]))
    totals = [f"{hall.get_name_in_match(match, number)} {minus(points)}" for number, points in ordered]
    return ", ".join(totals) or explain_closed_table(outcome)


def render_table_box(
    hall: SeatingBoard, table: SeatedTable, *, address: MatchUrlBuilder, me: int | None = None, prefix: str = ""
) -> SafeString:
    return render_match_or_table_box(
        format_match_name(table.match),
        address(table.match),
        name=f"{prefix}match-{table.match}",
        mine=me in table.entries,
        table=hall.tables.get(table.match),
        news=describe_table_points(hall, table.match, table.outcome) if table.outcome and table.is_decided else "",
        badge=render_badge(get_table_state_code(hall, table), _("Closed") if table.was_closed else ""),
        sides=join_html(_render_seat(hall, table, number, me) for number in table.entries),
        note=explain_closed_table(table.outcome),
    )


def render_table_boxes(
    hall: SeatingBoard,
    tables: Iterable[SeatedTable],
    *,
    address: MatchUrlBuilder,
    me: int | None = None,
    prefix: str = "",
) -> SafeString:
    return join_html(render_table_box(hall, table, address=address, me=me, prefix=prefix) for table in tables)


def _render_seat(hall: SeatingBoard, table: SeatedTable, number: int, me: int | None) -> SafeString:
    won = table.is_decided and table.outcome is not None and table.outcome.winner == number
    out = number in hall.rounds.removal_reasons and number not in table.points
    return render_box_side(
        number,
        hall.get_name_in_match(table.match, number),
        won=_("winner") if won else "",
        mine=number == me,
        word=_("you") if number == me else _("out") if out else "",
        score=minus(table.points.get(number, "–" if table.is_decided else "")),
    )


# --- Standings -------------------------------------------------------------------------------------------------------

NUMBER_CELL_ATTRS = {"td": {"class": "is-number"}}


@dataclass(frozen=True, slots=True)
class _TotalRow(FamilyNameSortMixin):
    """A row of the standings. `points` has an item for each round, and `state` is a code for `state_badge`."""

    place: int | None
    shown_place: str
    number: int
    name: str
    total: int
    played: int
    won: int
    points: tuple[int | None, ...]
    state: str
    prize_cents: int | None


class TotalsTable(tables.Table):
    place = tables.Column(verbose_name=gettext_lazy("Place"), accessor="shown_place", orderable=False, empty_values=())
    name = tables.Column(verbose_name=gettext_lazy("Name"), order_by=ORDER_BY_FAMILY_NAME)
    total = tables.Column(verbose_name=gettext_lazy("Total"), attrs=NUMBER_CELL_ATTRS)
    played = tables.Column(verbose_name=gettext_lazy("Played"), attrs=NUMBER_CELL_ATTRS)
    won = tables.Column(verbose_name=gettext_lazy("Won"), attrs=NUMBER_CELL_ATTRS)
    prize_cents = tables.Column(
        verbose_name=gettext_lazy("Prize"), attrs={"td": {"class": "is-money"}}, empty_values=()
    )
    number = tables.Column(verbose_name=gettext_lazy("No."), attrs={"td": {"class": "is-narrow"}})
    state = tables.Column(verbose_name=gettext_lazy("State"))

    search_field = "q"
    search_label = gettext_lazy("Find a name or number")
    row_header = "name"

    class Meta:
        empty_text = gettext_lazy("No players in the draw.")
        attrs: ClassVar = {"class": "stays-table"}

    def __init__(self, rows: list[_TotalRow], *, rounds: int, currency: str, is_over: bool) -> None:
        """Add a column for each round, and leave out columns that have the same value for everybody."""
        self.currency = currency
        columns = [
            (
                f"round_{number}",
                _RoundColumn(number, verbose_name=gettext("R%(n)s") % {"n": number}, attrs=NUMBER_CELL_ATTRS),
            )
            for number in range(1, rounds + 1)
        ]
        sequence = ["place", "name", "total", *(name for name, _column in columns), "played", "..."]
        exclude = ["played"] if len({row.played for row in rows}) < 2 else []
        exclude += ["state"] if {row.state for row in rows} <= {"in"} else []
        super().__init__(rows, extra_columns=columns, sequence=sequence, exclude=exclude)
        if not is_over:
            self.columns["prize_cents"].column.verbose_name = gettext("Prize if it ended now")

    def render_place(self, record: _TotalRow) -> str:
        return record.shown_place or "–"

    def render_total(self, record: _TotalRow) -> str:
        return minus(record.total) if record.played else "–"

    def value_total(self, record: _TotalRow) -> int | str:
        return record.total if record.played else ""

    def render_prize_cents(self, record: _TotalRow) -> str:
        return "–" if record.prize_cents is None else money(record.prize_cents, self.currency)

    def value_prize_cents(self, record: _TotalRow) -> Decimal | str:
        return "" if record.prize_cents is None else to_decimal_amount(record.prize_cents, self.currency)

    def render_state(self, record: _TotalRow) -> SafeString:
        return render_badge(record.state, _format_state(record.state))

    def value_state(self, record: _TotalRow) -> str:
        return state_badge(record.state, _format_state(record.state)).word


def _format_state(state: str) -> str:
    return {"final": gettext("Winner"), "withdrawn": gettext("Out")}.get(state, "")


class _RoundColumn(tables.Column):
    def __init__(self, number: int, **options: Any) -> None:
        self.number = number
        super().__init__(accessor="points", orderable=False, empty_values=(), **options)

    def render(self, value: tuple[int | None, ...]) -> str:
        points = value[self.number - 1]
        return "–" if points is None else minus(points)

    def value(self, value: tuple[int | None, ...]) -> int | str:
        points = value[self.number - 1]
        return "" if points is None else points


def make_total_rows(hall: SeatingBoard, prizes: Mapping[int, int], wanted: str = "") -> list[_TotalRow]:
    """Return the rows of the standings. If the user searches for `wanted`, return only the entries that match."""
    entries = set(hall.find_entries(wanted)) if wanted else set(hall.rounds.entries)
    return [_make_total_row(hall, standing, prizes) for standing in hall.standings if standing.entry in entries]


def _make_total_row(hall: SeatingBoard, standing: TableStanding, prizes: Mapping[int, int]) -> _TotalRow:
    number, place = standing.entry, standing.place
    state = "final" if hall.rounds.is_complete and place == 1 else "in"
    removal = hall.rounds.removal_reasons.get(number)
    if removal is not None:
        state = "withdrawn" if removal.keeps_place else "disqualified"
    return _TotalRow(
        place=place,
        shown_place="" if place is None else str(Placing(place, tuple(range(1, standing.tied + 1)))),
        number=number,
        name=hall.name(number),
        total=standing.total,
        played=standing.rounds_with_points,
        won=standing.won,
        points=standing.points,
        state=state,
        prize_cents=prizes.get(number),
    )
