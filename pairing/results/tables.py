"""The tables of results, and descriptions of later pool games that are affected by a correction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.stages.corrections import AffectedGame, ResultCorrection
from pairing.results.forms import AffectedLaterMatch
from pairing.stages.pictures.boxes import format_match_name, render_badge
from pairing.stages.selectors.boards import ResultRecorder, load_round_count
from pairing.stages.tables.stages import add_winner_check_mark
from tournament.core.pages.responses import make_event_url
from tournament.core.selectors.events import load_entry_names
from tournament.core.tables.lists import (
    HIDDEN_ON_TABLET_CLASS,
    NAME_CELL_ATTRS,
    PERSON_CELL_ATTRS,
    export_plain_value,
    make_entry_sort_key,
)
from tournament.models import Event
from tournament.templatetags.gin import moment

_POOL_GAME_CHOICE_LABELS: Final = {
    LaterMatchChoice.KEEP: gettext_lazy("Keep it as played"),
    LaterMatchChoice.REPLAY: gettext_lazy("Play it again: the result is undone, and the same two meet"),
    LaterMatchChoice.VOID: gettext_lazy("Void: no points for anybody, and both are paired again"),
}


_CHOICE_LABELS_IN_PROGRESS: Final = {
    LaterMatchChoice.KEEP: gettext_lazy("Let them play on"),
    LaterMatchChoice.VOID: gettext_lazy("Stop it: no points for anybody, and both are paired again"),
}


_BYE_CHOICE_LABELS: Final = {
    LaterMatchChoice.KEEP: gettext_lazy("Keep the bye"),
    LaterMatchChoice.VOID: gettext_lazy("Undo the bye: the player gets another game"),
}


def list_later_game_choices(event: Event, later: ResultCorrection) -> list[AffectedLaterMatch]:
    """Return the later games that a correction affects, with the desk's choices for each game.

    Once the next stage is open, the desk has no choice, and the list is empty.
    """
    if later.next_stage:
        return []
    names = load_entry_names(event)
    listed = []
    for touched in later.games:
        game = touched.game
        choices = (
            _BYE_CHOICE_LABELS
            if game.is_bye
            else _POOL_GAME_CHOICE_LABELS
            if LaterMatchChoice.REPLAY in game.allowed_choices
            else _CHOICE_LABELS_IN_PROGRESS
        )
        listed.append(
            AffectedLaterMatch(game.ident, _describe_later_game(touched, names), choices, LaterMatchChoice.KEEP)
        )
    return listed


def make_later_game_choice_context(event: Event, later: ResultCorrection) -> dict[str, Any]:
    """Return the title and text to show above the choices for later games.

    Once the next stage is open, there are no choices. Return descriptions of the games and the stage's name instead.
    """
    if not later.games:
        return {}
    if not later.next_stage:
        return {
            "later_title": _("Later games that were paired by other records"),
            "later_says": _(
                "Choose what happens to each game; it stands unless you change it. A game that is void or played "
                "again can change others, and they will be listed next. Everything stays on record."
            ),
        }
    names = load_entry_names(event)
    return {
        "records": [_describe_later_game(touched, names) for touched in later.games],
        "stage_open": later.next_stage,
    }


def _describe_later_game(touched: AffectedGame, names: Mapping[int, str]) -> str:
    """Return text about a later game whose pairing was based on an incorrect win-loss record.

    An example is “Game 3: Ann – Bob, won by Bob. Ann was paired with 1–0, and would have had 0–1.” Ann had one win and
    no loss when this game was paired. According to the corrected result, she had no win and one loss.
    """
    game, outcome = touched.game, touched.game.outcome
    words = {"game": format_match_name(game.ident), "who": " – ".join(names[side] for side in game.sides)}
    if game.is_bye:
        result = _("%(game)s: %(who)s has a bye.") % words
    elif outcome is None:
        result = _("%(game)s: %(who)s are playing.") % words
    else:
        winner = names[outcome.winner] if outcome.winner is not None else _("nobody")
        result = _("%(game)s: %(who)s, won by %(winner)s.") % {**words, "winner": winner}
    record = _("%(name)s was paired with %(was)s, and would have had %(would)s.")
    records = (
        record % {"name": names[entry], "was": was, "would": would} for entry, was, would in touched.wrong_records
    )
    return " ".join([result, *records])


SIDE_CELL_ATTRS: Final = {"td": {"class": "is-name is-person is-side"}}
RECORDED_COLUMN_ATTRS: Final = {
    "td": {"class": f"is-name small {HIDDEN_ON_TABLET_CLASS}"},
    "th": {"class": HIDDEN_ON_TABLET_CLASS},
}


class _ResultTable(tables.Table):
    """A table of results. Each row links to the page for deciding its match, and shows who recorded the result."""

    def __init__(self, rows: Sequence[object], *, event: Event, **options: Any) -> None:
        self.address = make_event_url(event, "pairing:desk_decide", ident="R0M0")
        self.place = event.tournament.time_zone
        self.round_count = load_round_count(event)
        super().__init__(rows, **options)

    def render_ident(self, value: str) -> SafeString:
        return format_html(
            '<a href="{}">{}</a>', self.address.replace("R0M0", value), format_match_name(value, self.round_count)
        )

    def render_recorded(self, value: ResultRecorder) -> SafeString:
        """Render who recorded a result and when, in the venue's time zone. Example: “Demo Director, Sat 14:02”."""
        return format_html("<span>{}, {}</span>", value.by_name, moment(value.at, self.place, "day"))


@dataclass(frozen=True, slots=True)
class ResultRow:
    ident: str
    one: str
    other: str
    winner: str
    score: str
    state: str
    why: str
    recorded: ResultRecorder | None = None

    @property
    def first_side_sort_key(self) -> str:
        return make_entry_sort_key(self.one)

    @property
    def second_side_sort_key(self) -> str:
        return make_entry_sort_key(self.other)


class ResultTable(_ResultTable):
    ident = tables.Column(verbose_name=gettext_lazy("Match"), attrs={"td": {"class": "whole-words"}})
    one = tables.Column(verbose_name=gettext_lazy("Player"), attrs=SIDE_CELL_ATTRS, order_by="first_side_sort_key")
    other = tables.Column(verbose_name=gettext_lazy("Against"), attrs=SIDE_CELL_ATTRS, order_by="second_side_sort_key")
    winner = tables.Column(verbose_name=gettext_lazy("Winner"), visible=False)
    score = tables.Column(verbose_name=gettext_lazy("Score"), attrs={"td": {"class": "is-number"}})
    state = tables.Column(verbose_name=gettext_lazy("State"))
    recorded = tables.Column(
        verbose_name=gettext_lazy("Recorded"), order_by="recorded__at", attrs=RECORDED_COLUMN_ATTRS
    )

    search_field = "q"
    search_label = gettext_lazy("Find a name or number")
    row_header = "ident"

    class Meta:
        empty_text = gettext_lazy("No matches to show.")

    def __init__(self, rows: list[ResultRow], *, event: Event, export: bool = False) -> None:
        """Add a winner column to exported files. On the page, the winner has a check mark instead."""
        super().__init__(rows, event=event)
        if export:
            self.columns.show("winner")

    def render_one(self, record: ResultRow, value: str) -> SafeString:
        return add_winner_check_mark(value, won=bool(value) and value == record.winner)

    render_other = render_one
    value_ident = value_one = value_other = export_plain_value

    def render_state(self, record: ResultRow) -> SafeString:
        if record.why:
            return format_html('{} <span class="second small">{}</span>', render_badge(record.state), record.why)
        return render_badge(record.state)

    def value_state(self, record: ResultRow) -> str:
        return record.state

    def value_recorded(self, value: ResultRecorder) -> str:
        return f"{value.by_name}, {value.at.isoformat(timespec='seconds')}"


class SeatedResultTable(_ResultTable):
    ident = tables.Column(verbose_name=gettext_lazy("Table"))
    who = tables.Column(verbose_name=gettext_lazy("Players"), attrs=PERSON_CELL_ATTRS)
    points = tables.Column(verbose_name=gettext_lazy("Points"), attrs=NAME_CELL_ATTRS)
    state = tables.Column(verbose_name=gettext_lazy("State"))
    recorded = tables.Column(
        verbose_name=gettext_lazy("Recorded"), order_by="recorded__at", attrs=RECORDED_COLUMN_ATTRS
    )

    row_header = "ident"

    class Meta:
        empty_text = gettext_lazy("No tables to show.")

    def render_state(self, value: str) -> SafeString:
        return render_badge(value, str(gettext_lazy("Closed")) if value == "void" else "")
