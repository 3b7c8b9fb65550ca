from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from pairing.course.tables.lists import with_tick
from pairing.knockout.pictures.match_boxes import badge, match_name
from pairing.knockout.selectors import Recorded, load_round_count
from tournament.core.pages.responses import event_link
from tournament.core.tables.lists import EXTRA, NAME, PERSON, as_is, key_of
from tournament.models import Event
from tournament.templatetags.gin import moment

SIDE: Final = {"td": {"class": "is-name is-person is-side"}}
RECORDED: Final = {"td": {"class": f"is-name small {EXTRA}"}, "th": {"class": EXTRA}}


def written_by(recorded: Recorded, place: str) -> SafeString:
    """Return who recorded a result and when, in the venue's time: “Demo Director, Sat 14:02”."""
    return format_html("<span>{}, {}</span>", recorded.by_name, moment(recorded.at, place, "day"))


class _Table(tables.Table):
    """A table of results. Each row links to the page that decides its match, and names who recorded it."""

    def __init__(self, rows: Sequence[object], *, event: Event, **options: Any) -> None:
        self.address = event_link(event, "pairing:desk_decide", ident="R0M0")
        self.place = event.tournament.time_zone
        self.round_count = load_round_count(event)
        super().__init__(rows, **options)

    def render_ident(self, value: str) -> SafeString:
        return format_html(
            '<a href="{}">{}</a>', self.address.replace("R0M0", value), match_name(value, self.round_count)
        )

    def render_recorded(self, value: Recorded) -> SafeString:
        return written_by(value, self.place)


@dataclass(frozen=True, slots=True)
class ResultRow:
    ident: str
    one: str
    other: str
    winner: str
    score: str
    state: str
    why: str
    recorded: Recorded | None = None

    @property
    def one_key(self) -> str:
        return key_of(self.one)

    @property
    def other_key(self) -> str:
        return key_of(self.other)


class ResultTable(_Table):
    ident = tables.Column(verbose_name=_("Match"), attrs={"td": {"class": "whole-words"}})
    one = tables.Column(verbose_name=_("Player"), attrs=SIDE, order_by="one_key")
    other = tables.Column(verbose_name=_("Against"), attrs=SIDE, order_by="other_key")
    winner = tables.Column(verbose_name=_("Winner"), visible=False)
    score = tables.Column(verbose_name=_("Score"), attrs={"td": {"class": "is-number"}})
    state = tables.Column(verbose_name=_("State"))
    recorded = tables.Column(verbose_name=_("Recorded"), order_by="recorded__at", attrs=RECORDED)

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "ident"

    class Meta:
        empty_text = _("No matches to show.")

    def __init__(self, rows: list[ResultRow], *, event: Event, export: bool = False) -> None:
        """Add a column for the winner to an exported file. On the page, the winner has a tick."""
        super().__init__(rows, event=event)
        if export:
            self.columns.show("winner")

    def render_one(self, record: ResultRow, value: str) -> SafeString:
        return with_tick(value, won=bool(value) and value == record.winner)

    render_other = render_one
    value_ident = value_one = value_other = as_is

    def render_state(self, record: ResultRow) -> SafeString:
        if record.why:
            return format_html('{} <span class="second small">{}</span>', badge(record.state), record.why)
        return badge(record.state)

    def value_state(self, record: ResultRow) -> str:
        return record.state

    def value_recorded(self, value: Recorded) -> str:
        return f"{value.by_name}, {value.at.isoformat(timespec='seconds')}"


@dataclass(frozen=True, slots=True)
class SeatedResultRow:
    ident: str
    who: str
    points: str
    state: str
    recorded: Recorded | None = None


class SeatedResultTable(_Table):
    ident = tables.Column(verbose_name=_("Table"))
    who = tables.Column(verbose_name=_("Players"), attrs=PERSON)
    points = tables.Column(verbose_name=_("Points"), attrs=NAME)
    state = tables.Column(verbose_name=_("State"))
    recorded = tables.Column(verbose_name=_("Recorded"), order_by="recorded__at", attrs=RECORDED)

    row_header = "ident"

    class Meta:
        empty_text = _("No tables to show.")

    def render_state(self, value: str) -> SafeString:
        return badge(value, str(_("Closed")) if value == "void" else "")
