from __future__ import annotations

from dataclasses import dataclass

import django_tables2 as tables
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from pairing.templatetags.match_boxes import badge, match_name
from tournament.models import Event


@dataclass(frozen=True, slots=True)
class ResultRow:
    ident: str
    one: str
    other: str
    winner: str
    score: str
    state: str
    why: str


class ResultTable(tables.Table):
    ident = tables.Column(verbose_name=_("Match"))
    one = tables.Column(verbose_name=_("Plays"))
    other = tables.Column(verbose_name=_("Against"))
    winner = tables.Column(verbose_name=_("Goes on"))
    score = tables.Column(verbose_name=_("Score"), attrs={"td": {"class": "is-number"}})
    state = tables.Column(verbose_name=_("State"))

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "ident"

    class Meta:
        empty_text = _("No match to list.")

    def __init__(self, rows: list[ResultRow], *, event: Event) -> None:
        kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
        self.address = reverse("pairing:desk_decide", kwargs=kwargs)
        super().__init__(rows)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address.replace("R0M0", value), match_name(value))

    def value_ident(self, value: str) -> str:
        return value

    def render_state(self, record: ResultRow) -> SafeString:
        if record.why:
            return format_html('{} <span class="second small">{}</span>', badge(record.state), record.why)
        return badge(record.state)

    def value_state(self, record: ResultRow) -> str:
        return record.state


@dataclass(frozen=True, slots=True)
class SeatedResultRow:
    ident: str
    who: str
    points: str
    state: str


class SeatedResultTable(tables.Table):
    """Every table of an event over rounds."""

    ident = tables.Column(verbose_name=_("Table"))
    who = tables.Column(verbose_name=_("Who sits there"))
    points = tables.Column(verbose_name=_("Points"))
    state = tables.Column(verbose_name=_("State"))

    row_header = "ident"

    class Meta:
        empty_text = _("No table to list.")

    def __init__(self, rows: list[SeatedResultRow], *, event: Event, prefix: str) -> None:
        kwargs = {"tournament": event.tournament.slug, "event": event.slug, "ident": "R0M0"}
        self.address = reverse("pairing:desk_decide", kwargs=kwargs)
        super().__init__(rows, prefix=prefix)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address.replace("R0M0", value), match_name(value))

    def render_state(self, value: str) -> SafeString:
        return badge(value, str(_("Closed")) if value == "void" else "")
