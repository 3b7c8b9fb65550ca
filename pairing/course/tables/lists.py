"""Tables of pairings and of places."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.draws.knockout.elimination import PossiblePlaces
from pairing.knockout.pictures.match_boxes import badge, match_name
from tournament.core.tables.lists import BY_FAMILY_NAME, NAME, ByFamilyName, as_is, key_of
from tournament.purse import CentsRange, TiedPlaces
from tournament.templatetags.gin import money_range, places, state_badge

TOLD: Final = {"td": {"class": "is-told"}}
"""The attributes of a cell with a sentence, which breaks between words and gets its own line on a phone."""


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
    ident = tables.Column(verbose_name=_("Match"), attrs={"td": {"class": "whole-words"}})
    state = tables.Column(verbose_name=_("State"))

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "one"

    class Meta:
        empty_text = _("No match is waiting to be played. Search for a name to see all of its matches.")

    value_table = value_one = value_other = value_ident = value_state = as_is

    def __init__(self, rows: list[PairingRow], *, address: Callable[[str], str], round_count: int) -> None:
        """Set `round_count` to the number of rounds of the bracket, or 0 for matches outside a bracket."""
        self.address, self.round_count = address, round_count
        super().__init__(rows)

    def render_table(self, value: int) -> SafeString:
        return format_html('<strong class="big-figure">{}</strong>', value)

    def render_one(self, record: PairingRow, value: str) -> SafeString:
        return with_tick(value, won=record.winner is not None and record.numbers[0] == record.winner)

    def render_other(self, record: PairingRow, value: str) -> SafeString:
        return with_tick(value, won=record.winner is not None and record.numbers[1] == record.winner)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address(value), match_name(value, self.round_count))

    def render_state(self, value: str) -> SafeString:
        return badge(value)


def with_tick(name: str, *, won: bool) -> SafeString:
    if not won:
        return format_html("{}", name)
    sign = '<span aria-hidden="true">✓</span><span class="visually-hidden">{}</span>'
    return format_html(f"<span><strong>{{}}</strong>\u00a0{sign}</span>", name, gettext("winner"))


@dataclass(frozen=True, slots=True)
class PlaceRow(ByFamilyName):
    """A row of the places table.

    `state` is in, placed or disqualified. `finishes` are the places still possible, best first.
    `why` is how the place was decided.
    """

    finishes: tuple[TiedPlaces, ...]
    number: int
    name: str
    won: int
    state: str
    prize: CentsRange | None = None
    why: str = ""

    @property
    def place(self) -> int | None:
        """The best possible place, used for sorting."""
        return self.finishes[0].first if self.finishes else None

    @property
    def shown_place(self) -> str:
        return places(self.finishes)


def place_rows(
    possible: PossiblePlaces,
    name: Callable[[int], str],
    won: Mapping[int, int],
    prizes: Mapping[int, CentsRange],
    why: Callable[[int], str] = lambda number: "",
) -> list[PlaceRow]:
    """List the entries still in with what they can win, then the placed, then the disqualified."""
    groups = (("in", possible.still_in), ("placed", possible.placed), ("disqualified", possible.disqualified))
    return [
        PlaceRow(
            possible.finishes.get(number, ()),
            number,
            name(number),
            won.get(number, 0),
            state,
            prizes.get(number),
            why(number) if state == "placed" else "",
        )
        for state, entries in groups
        for number in entries
    ]


def _badge_of(row: PlaceRow) -> tuple[str, str]:
    """Return the sign and tone of the row's badge, and its word if it differs from the sign's usual word."""
    if row.state == "placed":
        won = gettext("Winner") if row.finishes[0].last == 1 else gettext("Shares first place")
        return ("final", won) if row.place == 1 else ("withdrawn", gettext("Eliminated"))
    return ("in", gettext("Still playing")) if row.state == "in" else ("disqualified", "")


class PlaceTable(tables.Table):
    place = tables.Column(verbose_name=_("Place"), accessor="shown_place", order_by="place", empty_values=())
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow"}})
    name = tables.Column(verbose_name=_("Name"), order_by=BY_FAMILY_NAME)
    won = tables.Column(verbose_name=_("Matches won"), attrs={"td": {"class": "is-number"}})
    prize = tables.Column(verbose_name=_("Prize"), attrs={"td": {"class": "is-money"}}, empty_values=())
    state = tables.Column(verbose_name=_("State"))
    why = tables.Column(verbose_name=_("Tiebreak"), attrs=TOLD, orderable=False, empty_values=())

    row_header = "name"

    class Meta:
        empty_text = _("No entrants are in the draw yet.")
        attrs: ClassVar = {"class": "pool-table"}

    def __init__(self, rows: list[PlaceRow], *, currency: str) -> None:
        self.currency = currency
        super().__init__(rows, exclude=[] if any(row.why for row in rows) else ["why"])

    def render_prize(self, record: PlaceRow) -> str:
        return "–" if record.prize is None else money_range(record.prize, self.currency)

    def value_prize(self, record: PlaceRow) -> str:
        if record.prize is None:
            return ""
        least, most = (f"{cents / 100:.2f}" for cents in record.prize)
        return least if record.prize.is_settled else f"{least} to {most}"

    def render_place(self, record: PlaceRow) -> str:
        return record.shown_place or "–"

    def render_state(self, record: PlaceRow) -> SafeString:
        return badge(*_badge_of(record))

    def value_state(self, record: PlaceRow) -> str:
        return state_badge(*_badge_of(record)).word
