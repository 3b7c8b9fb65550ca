"""Tables of pool standings, and of the places in an event in stages."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.course.selectors.stage_boards import StageBoard, ranked_in
from pairing.course.tables.lists import TOLD, PlaceRow, place_rows
from pairing.draws.knockout.elimination import AnyProgress, PossiblePlaces, rounds_of
from pairing.draws.stages.play_off import PlayOffMatch
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.draws.stages.standings import Ranked
from pairing.knockout.pictures.match_boxes import badge, match_name
from pairing.stage_kinds.selectors.kind_rooms import OwnColumn, room_of
from pairing.stage_kinds.selectors.pool_stage import PoolStage
from pairing.stage_kinds.selectors.stage_state import StageState
from tournament.core.tables.lists import BY_FAMILY_NAME, NAME, ByFamilyName, as_is
from tournament.purse import CentsRange, Placing
from tournament.templatetags.gin import signed, state_badge

NUMBER = {"td": {"class": "is-number"}}
TONES = {
    QualifyingStatus.PLAYS_ON: "in",
    QualifyingStatus.MUST_PLAY_ON: "in",
    QualifyingStatus.QUALIFIED: "final",
    QualifyingStatus.OUT: "withdrawn",
    QualifyingStatus.GONE: "withdrawn",
}


@dataclass(frozen=True, slots=True)
class PoolRow(ByFamilyName):
    """An entry in the standings of a pool. `why` is how its place was decided, and `stands` what follows from it."""

    part: str
    place: str
    number: int
    name: str
    record: str
    spread: int
    state: str
    stands: str
    why: str
    own: int | str = ""


def pool_rows(board: StageBoard, stage: PoolStage, wanted: str = "") -> list[PoolRow]:
    """Return the rows of a pool by its standings, or only the entries that `wanted` names."""
    pool, onward = stage.pool, board.onward(stage)
    entries = set(board.entries_called(wanted)) if wanted else pool.qualifying.entrants.keys()
    rows = [_pool_row(board, pool, part.name, row) for part, row in ranked_in(pool) if row.entry in entries]
    if onward is None:
        return rows
    settled = {row.number: "onward" if row.number in onward else "withdrawn" for row in rows}
    return [row if row.state == "disqualified" else replace(row, state=settled[row.number]) for row in rows]


def _pool_row(board: StageBoard, pool: Pool, part: str, row: Ranked) -> PoolRow:
    found, column = pool.qualifying[row.entry], room_of(pool.kind).column
    has_played = found.record.games > 0
    return PoolRow(
        part=part,
        place="" if row.place is None else str(Placing(row.place, (row.entry, *row.level_with))),
        number=row.entry,
        name=board.name(row.entry),
        record=str(found.record),
        spread=found.record.spread,
        state=_state(pool, found.way, is_playing=found.is_playing, placed=row.place is not None),
        stands=_stands(pool, found.why.partition(": ")[2]),
        why=board.called(row.before) if has_played or row.place is None else "",
        own=column.value(pool, row.entry) if column is not None else "",
    )


def _state(pool: Pool, way: QualifyingStatus, *, is_playing: bool, placed: bool) -> str:
    if not placed:
        return "disqualified"
    if is_playing:
        return "playing"
    if pool.kind.traits.all_meet and way.is_in_play:
        return "done" if pool.is_complete else "waiting"
    if pool.terms.qualifier.wins is None and way is QualifyingStatus.QUALIFIED:
        return "done"
    return "waiting" if way.is_in_play else TONES[way]


def _stands(pool: Pool, why: str) -> str:
    """Return what follows for the entry. Groups play a fixed schedule, so “games left” is omitted there."""
    return "" if pool.kind.traits.all_meet and "left" in why else why


def _badge_of(state: str) -> tuple[str, str]:
    """Return the sign and tone of a state, and its word if pools use another one."""
    words = {
        "final": gettext("Qualified"),
        "withdrawn": gettext("Eliminated"),
        "in": gettext("In"),
        "done": gettext("All played"),
    }
    words["onward"] = gettext("Advances")
    return "final" if state == "onward" else state, words.get(state, "")


class PoolTable(tables.Table):
    part = tables.Column(verbose_name=_("Group"))
    place = tables.Column(verbose_name=_("Place"), orderable=False, empty_values=())
    name = tables.Column(verbose_name=_("Name"), attrs=NAME, order_by=BY_FAMILY_NAME)
    record = tables.Column(verbose_name=_("Won–lost"), attrs=NUMBER, orderable=False)
    spread = tables.Column(verbose_name=_("Points"), attrs=NUMBER)
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow"}})
    state = tables.Column(verbose_name=_("Status"), orderable=False)
    why = tables.Column(verbose_name=_("Tiebreak"), attrs=TOLD, orderable=False, empty_values=())

    search_field = "q"
    search_label = _("Find a name or number")
    row_header = "name"

    class Meta:
        empty_text = _("No player here matches that search. Check the spelling.")
        attrs: ClassVar = {"class": "pool-table"}

    value_spread = value_why = as_is

    def __init__(self, rows: list[PoolRow], *, by_site: bool = False, own: OwnColumn | None = None) -> None:
        """Show groups or sites, and points, only if there are any. `own` is the extra column of this kind of pool."""
        exclude = [] if any(row.part for row in rows) else ["part"]
        exclude += [] if any(row.spread for row in rows) else ["spread"]
        site = tables.Column(verbose_name=_("Site"), attrs=NAME)
        more = [("part", site)] if by_site and rows else []
        more += [("own", tables.Column(verbose_name=own.label, attrs=NUMBER))] if own is not None else []
        sequence = ["part", "place", "name", "own", "..."] if own is not None else None
        super().__init__(rows, exclude=exclude, extra_columns=more, sequence=sequence)

    def render_place(self, record: PoolRow) -> str:
        return record.place or "–"

    def render_spread(self, value: int) -> str:
        return signed(value)

    def render_state(self, record: PoolRow) -> SafeString:
        shown = badge(*_badge_of(record.state))
        if not record.stands:
            return shown
        return format_html('<span>{} <span class="second small">{}</span></span>', shown, record.stands)

    def value_state(self, record: PoolRow) -> str:
        word = state_badge(*_badge_of(record.state)).word
        return ", ".join(filter(None, (word, record.stands)))

    def render_why(self, value: str) -> SafeString:
        return format_html('<span class="small">{}</span>', value)


def course_place_rows(board: StageBoard, possible: PossiblePlaces, prizes: Mapping[int, CentsRange]) -> list[PlaceRow]:
    return place_rows(possible, board.name, _games_won(board), prizes, partial(how_placed, board))


def how_placed(board: StageBoard, number: int) -> str:
    """Return how the place of an entry was decided: by the bracket, the play-off, or the standings."""
    for stage in reversed(board.course.stages):
        if stage.progress is not None and number in stage.progress.bracket.entries:
            return _in_bracket(board, stage.progress, number)
        lost = [match for match in _play_off_matches(stage) if number in match.sides]
        if lost and lost[-1].outcome is not None and lost[-1].outcome.winner != number:
            return _lost(board, match_name(lost[-1].id), lost[-1].outcome.winner)
        for _part, row in ranked_in(stage.pool) if stage.pool is not None else ():
            if row.entry == number:
                return _with_groups(board, stage, row)
    return ""


def _with_groups(board: StageBoard, stage: StageState, row: Ranked) -> str:
    """Explain a place in a group, and the place among those with the same place in other groups."""
    beside = stage.pool.beside(row.entry) if stage.pool is not None else None
    if beside is None or (beside.tied == 1 and beside.behind is None and beside.ahead is None):
        return board.called(row.why)
    return gettext("In the group: %(why)s Between the groups: %(beside)s") % {
        "why": board.called(row.why),
        "beside": board.called(beside.why),
    }


def _play_off_matches(stage: StageState) -> list[PlayOffMatch]:
    return [match for each in stage.play_off.rounds for match in each.matches] if stage.play_off is not None else []


def _in_bracket(board: StageBoard, progress: AnyProgress, number: int) -> str:
    if progress.champion == number:
        return gettext("Won the final.")
    views = [view for view in progress.views.values() if number in view.entries and view.outcome is not None]
    lost = [view for view in views if view.winner != number]
    if not lost:
        return ""
    ident = lost[-1].match.id
    where = match_name(ident, rounds_of(progress.bracket))
    return _lost(board, where, lost[-1].winner)


def _lost(board: StageBoard, where: str, winner: int | None) -> str:
    if winner is None:
        return gettext("%(match)s: no winner.") % {"match": where}
    return gettext("%(match)s: lost to %(name)s.") % {"match": where, "name": board.name(winner)}


def _games_won(board: StageBoard) -> dict[int, int]:
    won = Counter[int | None]()
    for stage in board.course.stages:
        won.update(match.meeting.outcome.winner for match in stage.matches.values() if match.meeting.outcome)
        if stage.progress is not None:
            won.update(view.outcome.winner for view in stage.progress.views.values() if view.outcome and view.winner)
    return {number: count for number, count in won.items() if number is not None}
