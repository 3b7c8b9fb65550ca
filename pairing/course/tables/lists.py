"""Who meets whom at which table, and who came where."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.draws.knockout.placing import Placings
from pairing.knockout.pictures.match_boxes import badge, match_name
from tournament.core.tables.names import BY_FAMILY_NAME, NAME, ByFamilyName, as_is, key_of
from tournament.templatetags.gin import money, state_badge

TOLD: Final = {"td": {"class": "is-told"}}
"""A sentence: it breaks between words, and on a phone has a line of its own."""


@dataclass(frozen=True, slots=True)
class PairingRow:
    ident: str
    table: int | None
    one: str
    other: str
    numbers: tuple[int | None, int | None]
    winner: int | None
    state: str

    @property
    def one_key(self) -> str:
        return key_of(self.one)

    @property
    def other_key(self) -> str:
        return key_of(self.other)


class PairingTable(tables.Table):
    table = tables.Column(verbose_name=_("Table"), attrs={"td": {"class": "is-narrow"}})
    one = tables.Column(verbose_name=_("Player"), order_by="one_key")
    other = tables.Column(verbose_name=_("Opponent"), attrs=NAME, order_by="other_key")
    ident = tables.Column(verbose_name=_("Match"))
    state = tables.Column(verbose_name=_("State"))

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "one"

    class Meta:
        empty_text = _("No match is waiting to be played. Search for a name to see all of its matches.")

    value_table = value_one = value_other = value_ident = value_state = as_is

    def __init__(self, rows: list[PairingRow], *, address: Callable[[str], str]) -> None:
        self.address = address
        super().__init__(rows)

    def render_table(self, value: int) -> SafeString:
        return format_html('<strong class="big-figure">{}</strong>', value)

    def render_one(self, record: PairingRow, value: str) -> SafeString:
        return with_tick(value, won=record.winner is not None and record.numbers[0] == record.winner)

    def render_other(self, record: PairingRow, value: str) -> SafeString:
        return with_tick(value, won=record.winner is not None and record.numbers[1] == record.winner)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address(value), match_name(value))

    def render_state(self, value: str) -> SafeString:
        return badge(value)


def with_tick(name: str, *, won: bool) -> SafeString:
    if not won:
        return format_html("{}", name)
    sign = '<span aria-hidden="true">✓</span><span class="visually-hidden">{}</span>'
    return format_html(f"<span><strong>{{}}</strong>\u00a0{sign}</span>", name, gettext("winner"))


@dataclass(frozen=True, slots=True)
class PlaceRow(ByFamilyName):
    """`state` is in, placed or disqualified; places are None while the entrant is in. `why`: how it was decided."""

    place: int | None
    last_place: int | None
    number: int
    name: str
    won: int
    state: str
    prize_cents: int | None = None
    why: str = ""

    @property
    def shown_place(self) -> str:
        if self.place is None:
            return ""
        return str(self.place) if self.place == self.last_place else f"{self.place}–{self.last_place}"


def place_rows(
    placings: Placings,
    name: Callable[[int], str],
    won: Mapping[int, int],
    prizes: Mapping[int, int],
    why: Callable[[int], str] = lambda number: "",
) -> list[PlaceRow]:
    """Those still in first, then the placed with what they have won, then the disqualified."""
    rows = [PlaceRow(None, None, number, name(number), won.get(number, 0), "in") for number in placings.still_in]
    for placing in placings.finish:
        for number in placing.entries:
            places, prize = (placing.place, placing.last_place), prizes.get(number)
            rows.append(PlaceRow(*places, number, name(number), won.get(number, 0), "placed", prize, why(number)))
    out = placings.disqualified
    return rows + [PlaceRow(None, None, number, name(number), won.get(number, 0), "disqualified") for number in out]


def _badge_of(row: PlaceRow) -> tuple[str, str]:
    """The sign and tone of a place, and its word where the state has another one."""
    if row.state == "placed":
        won = gettext("Winner") if row.last_place == 1 else gettext("Shares first place")
        return ("final", won) if row.place == 1 else ("withdrawn", gettext("Eliminated"))
    return ("in", gettext("Still playing")) if row.state == "in" else ("disqualified", "")


class PlaceTable(tables.Table):
    place = tables.Column(verbose_name=_("Place"), accessor="shown_place", order_by="place", empty_values=())
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow"}})
    name = tables.Column(verbose_name=_("Name"), order_by=BY_FAMILY_NAME)
    won = tables.Column(verbose_name=_("Matches won"), attrs={"td": {"class": "is-number"}})
    prize_cents = tables.Column(verbose_name=_("Prize"), attrs={"td": {"class": "is-money"}}, empty_values=())
    state = tables.Column(verbose_name=_("State"))
    why = tables.Column(verbose_name=_("Tiebreak"), attrs=TOLD, orderable=False, empty_values=())

    row_header = "name"

    class Meta:
        empty_text = _("No entrants are in the draw yet.")
        attrs: ClassVar = {"class": "pool-table"}

    def __init__(self, rows: list[PlaceRow], *, currency: str) -> None:
        self.currency = currency
        super().__init__(rows, exclude=[] if any(row.why for row in rows) else ["why"])

    def render_prize_cents(self, record: PlaceRow) -> str:
        return "–" if record.prize_cents is None else money(record.prize_cents, self.currency)

    def value_prize_cents(self, record: PlaceRow) -> str:
        return "" if record.prize_cents is None else f"{record.prize_cents / 100:.2f}"

    def render_place(self, record: PlaceRow) -> str:
        return record.shown_place or "–"

    def render_state(self, record: PlaceRow) -> SafeString:
        return badge(*_badge_of(record))

    def value_state(self, record: PlaceRow) -> str:
        return state_badge(*_badge_of(record)).word
