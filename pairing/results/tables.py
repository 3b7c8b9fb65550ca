from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from pairing.course.tables.lists import with_tick
from pairing.knockout.pictures.match_boxes import badge, match_name
from pairing.knockout.selectors import Recorded
from tournament.core.tables.names import NAME
from tournament.models import Event
from tournament.templatetags.gin import moment

RECORDED: Final = {"td": {"class": "is-name small"}}


def written_by(recorded: Recorded, place: str) -> SafeString:
    """“Demo Director, Sat 14:02”, in the time of the venue."""
    return format_html("<span>{}, {}</span>", recorded.by_name, moment(recorded.at, place, "day"))


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
    def recorded_at(self) -> datetime | None:
        return self.recorded.at if self.recorded else None


class ResultTable(tables.Table):
    ident = tables.Column(verbose_name=_("Match"))
    one = tables.Column(verbose_name=_("Plays"), attrs=NAME)
    other = tables.Column(verbose_name=_("Against"), attrs=NAME)
    winner = tables.Column(verbose_name=_("Goes on"), visible=False)
    score = tables.Column(verbose_name=_("Score"), attrs={"td": {"class": "is-number"}})
    state = tables.Column(verbose_name=_("State"))
    recorded = tables.Column(verbose_name=_("Recorded"), order_by="recorded_at", attrs=RECORDED)

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "ident"

    class Meta:
        empty_text = _("No match to list.")

    def __init__(self, rows: list[ResultRow], *, event: Event, export: bool = False) -> None:
        """A file has a column for the winner; on the page the winner has a tick."""
        kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
        self.address = reverse("pairing:desk_decide", kwargs=kwargs)
        self.place = event.tournament.time_zone
        super().__init__(rows)
        if export:
            self.columns.show("winner")

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address.replace("R0M0", value), match_name(value))

    def value_ident(self, value: str) -> str:
        return value

    def render_one(self, record: ResultRow, value: str) -> SafeString:
        return with_tick(value, won=bool(value) and value == record.winner)

    def value_one(self, value: str) -> str:
        return value

    def render_other(self, record: ResultRow, value: str) -> SafeString:
        return with_tick(value, won=bool(value) and value == record.winner)

    def value_other(self, value: str) -> str:
        return value

    def render_state(self, record: ResultRow) -> SafeString:
        if record.why:
            return format_html('{} <span class="second small">{}</span>', badge(record.state), record.why)
        return badge(record.state)

    def value_state(self, record: ResultRow) -> str:
        return record.state

    def render_recorded(self, value: Recorded) -> SafeString:
        return written_by(value, self.place)

    def value_recorded(self, value: Recorded) -> str:
        return f"{value.by_name}, {value.at.isoformat(timespec='seconds')}"


@dataclass(frozen=True, slots=True)
class SeatedResultRow:
    ident: str
    who: str
    points: str
    state: str
    recorded: Recorded | None = None

    @property
    def recorded_at(self) -> datetime | None:
        return self.recorded.at if self.recorded else None


class SeatedResultTable(tables.Table):
    """Every table of an event over rounds."""

    ident = tables.Column(verbose_name=_("Table"))
    who = tables.Column(verbose_name=_("Who sits there"), attrs=NAME)
    points = tables.Column(verbose_name=_("Points"), attrs=NAME)
    state = tables.Column(verbose_name=_("State"))
    recorded = tables.Column(verbose_name=_("Recorded"), order_by="recorded_at", attrs=RECORDED)

    row_header = "ident"

    class Meta:
        empty_text = _("No table to list.")

    def __init__(self, rows: list[SeatedResultRow], *, event: Event, prefix: str) -> None:
        kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
        self.address = reverse("pairing:desk_decide", kwargs=kwargs)
        self.place = event.tournament.time_zone
        super().__init__(rows, prefix=prefix)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address.replace("R0M0", value), match_name(value))

    def render_state(self, value: str) -> SafeString:
        return badge(value, str(_("Closed")) if value == "void" else "")

    def render_recorded(self, value: Recorded) -> SafeString:
        return written_by(value, self.place)
