"""The standings over all rounds: place, name, total, and the points of each round."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import django_tables2 as tables
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.draws.table_rounds.rounds import TableStanding
from pairing.table_rounds.selectors.seated_rounds import SeatedRounds
from tournament.core.tables.lists import BY_FAMILY_NAME, ByFamilyName, amount
from tournament.purse import Placing
from tournament.templatetags.gin import badge, minus, money, state_badge

NUMBER = {"td": {"class": "is-number"}}


@dataclass(frozen=True, slots=True)
class TotalRow(ByFamilyName):
    """A line of the standings. `points` has an item for each round. `state` is a code of `state_badge`."""

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
    place = tables.Column(verbose_name=_("Place"), accessor="shown_place", orderable=False, empty_values=())
    name = tables.Column(verbose_name=_("Name"), order_by=BY_FAMILY_NAME)
    total = tables.Column(verbose_name=_("Total"), attrs=NUMBER)
    played = tables.Column(verbose_name=_("Played"), attrs=NUMBER)
    won = tables.Column(verbose_name=_("Won"), attrs=NUMBER)
    prize_cents = tables.Column(verbose_name=_("Prize"), attrs={"td": {"class": "is-money"}}, empty_values=())
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow"}})
    state = tables.Column(verbose_name=_("State"))

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "name"

    class Meta:
        empty_text = _("No players in the draw.")
        attrs: ClassVar = {"class": "stays-table"}

    def __init__(self, rows: list[TotalRow], *, rounds: int, currency: str, is_over: bool) -> None:
        """Add a column for each round, and leave out columns that are the same for everybody.

        Before the event is over, the prizes are those of an event that ended at this moment.
        """
        self.currency = currency
        columns = [
            (f"round_{number}", RoundColumn(number, verbose_name=gettext("R%(n)s") % {"n": number}, attrs=NUMBER))
            for number in range(1, rounds + 1)
        ]
        sequence = ["place", "name", "total", *(name for name, _column in columns), "played", "..."]
        exclude = ["played"] if len({row.played for row in rows}) < 2 else []
        exclude += ["state"] if {row.state for row in rows} <= {"in"} else []
        super().__init__(rows, extra_columns=columns, sequence=sequence, exclude=exclude)
        if not is_over:
            self.columns["prize_cents"].column.verbose_name = gettext("Prize if it ended now")

    def render_place(self, record: TotalRow) -> str:
        return record.shown_place or "–"

    def render_total(self, record: TotalRow) -> str:
        return minus(record.total) if record.played else "–"

    def value_total(self, record: TotalRow) -> int | str:
        return record.total if record.played else ""

    def render_prize_cents(self, record: TotalRow) -> str:
        return "–" if record.prize_cents is None else money(record.prize_cents, self.currency)

    def value_prize_cents(self, record: TotalRow) -> Decimal | str:
        return "" if record.prize_cents is None else amount(record.prize_cents, self.currency)

    def render_state(self, record: TotalRow) -> SafeString:
        return badge(record.state, _word_of(record.state))

    def value_state(self, record: TotalRow) -> str:
        return state_badge(record.state, _word_of(record.state)).word


def _word_of(state: str) -> str:
    return {"final": gettext("Winner"), "withdrawn": gettext("Out")}.get(state, "")


class RoundColumn(tables.Column):
    def __init__(self, number: int, **options: Any) -> None:
        self.number = number
        super().__init__(accessor="points", orderable=False, empty_values=(), **options)

    def render(self, value: tuple[int | None, ...]) -> str:
        points = value[self.number - 1]
        return "–" if points is None else minus(points)

    def value(self, value: tuple[int | None, ...]) -> int | str:
        points = value[self.number - 1]
        return "" if points is None else points


def total_rows(hall: SeatedRounds, prizes: Mapping[int, int], wanted: str = "") -> list[TotalRow]:
    """Return a row for everybody in the standings, or only for the entries that `wanted` names."""
    entries = set(hall.entries_called(wanted)) if wanted else set(hall.rounds.entries)
    return [_row(hall, one, prizes) for one in hall.standings if one.entry in entries]


def _row(hall: SeatedRounds, standing: TableStanding, prizes: Mapping[int, int]) -> TotalRow:
    number, place = standing.entry, standing.place
    shown = "" if place is None else str(Placing(place, tuple(range(1, standing.tied + 1))))
    return TotalRow(
        place,
        shown,
        number,
        hall.name(number),
        standing.total,
        standing.played,
        standing.won,
        standing.points,
        _state(hall, standing),
        prizes.get(number),
    )


def _state(hall: SeatedRounds, standing: TableStanding) -> str:
    removal = hall.rounds.gone.get(standing.entry)
    if removal is not None:
        return "withdrawn" if removal.keeps_place else "disqualified"
    return "final" if hall.rounds.is_complete and standing.place == 1 else "in"
