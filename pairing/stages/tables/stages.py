"""HTML tables for an event with stages: the results of a match, pairings, places, and pools."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Final

import django_tables2 as tables
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _

from pairing.draws.knockout.places import PossiblePlaces
from pairing.draws.knockout.progress import BracketProgress
from pairing.draws.results import MatchOutcome
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.draws.stages.standings import RankedEntry
from pairing.models import Match, MatchResult
from pairing.ports import score_cards
from pairing.stages.pictures.boxes import (
    describe_penalty_win,
    explain_unplayed_outcome,
    format_match_name,
    render_badge,
)
from pairing.stages.selectors.boards import StageBoard, iter_ranked_entries, load_match_results
from pairing.stages.selectors.kinds import ExtraPoolColumn, StageState, find_stage_kind_hooks
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import read_outcome
from tournament.core.selectors.events import EntryNames
from tournament.core.tables.lists import (
    NAME_CELL_ATTRS,
    ORDER_BY_FAMILY_NAME,
    FamilyNameSortMixin,
    export_plain_value,
    make_entry_sort_key,
)
from tournament.purse.prizes import CentsRange, Placing, TiedPlaces
from tournament.templatetags.gin import money_range, places, signed, state_badge

OPTIMALITY_PROOF_TEXTS = {
    "bound": gettext_lazy("no other pairing can be better than this limit"),
    "matching": gettext_lazy("an exact search of all pairings found nothing better"),
}
"""Texts that explain why no better pairing is possible."""
NUMBER_CELL_ATTRS: Final = {"td": {"class": "is-number"}}
SENTENCE_CELL_ATTRS: Final = {"td": {"class": "is-told"}}
"""The attributes of a table cell that contains a sentence. The cell wraps, and gets its own line on a phone."""

# --- Results of a match ----------------------------------------------------------------------------------------------


def load_result_history(match: Match, names: EntryNames) -> list[dict[str, Any]]:
    """Return all results of a match for the template, newest first.

    `winner` is the winner's name at the time of the first result between the same sides. A later substitution does not
    change it. `why` explains why a match was not played, and `by_penalty` describes a win by penalty. `ruling` is the
    ruling that recorded the result.
    """
    results = [(result, read_outcome(result)) for result in load_match_results(match)]
    first = {frozenset(outcome.credits): row.at for row, outcome in results}
    names_then = {row.pk: names.get_names_at(first[frozenset(outcome.credits)]) for row, outcome in results}
    penalties = {
        row.pk: describe_penalty_win(outcome.credits, outcome.winner, names_then[row.pk]) for row, outcome in results
    }
    rulings = score_cards().load_ruling_statements([key for key, words in penalties.items() if words])
    return [
        {
            "result": row,
            "winner": names_then[row.pk].get(outcome.winner or 0, ""),
            "why": _explain_unplayed_result(row, outcome),
            "by_penalty": penalties[row.pk],
            "ruling": rulings.get(row.pk),
        }
        for row, outcome in results
    ]


def _explain_unplayed_result(row: MatchResult, outcome: MatchOutcome) -> str:
    # A void result without a reason was not recorded at the desk: corrected cards left the match without a winner.
    if outcome.is_void and not row.reason and row.undoes_id is None:
        return _("The match is open again, because its score cards give no winner")
    return explain_unplayed_outcome(outcome)


# --- Pairings and places ---------------------------------------------------------------------------------------------


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
    def first_side_sort_key(self) -> str:
        return make_entry_sort_key(self.one)

    @property
    def second_side_sort_key(self) -> str:
        return make_entry_sort_key(self.other)


class PairingTable(tables.Table):
    table = tables.Column(verbose_name=gettext_lazy("Table"), attrs={"td": {"class": "is-narrow"}})
    one = tables.Column(verbose_name=gettext_lazy("Player"), order_by="first_side_sort_key")
    other = tables.Column(verbose_name=gettext_lazy("Opponent"), attrs=NAME_CELL_ATTRS, order_by="second_side_sort_key")
    ident = tables.Column(verbose_name=gettext_lazy("Match"), attrs={"td": {"class": "whole-words"}})
    state = tables.Column(verbose_name=gettext_lazy("State"))

    search_field = "q"
    search_label = gettext_lazy("Find a name or number")
    row_header = "one"

    class Meta:
        empty_text = gettext_lazy("No match is waiting to be played. Search for a name to see all of its matches.")

    value_table = value_one = value_other = value_ident = value_state = export_plain_value

    def __init__(self, rows: list[PairingRow], *, address: Callable[[str], str], round_count: int) -> None:
        self.address, self.round_count = address, round_count
        super().__init__(rows)

    def render_table(self, value: int) -> SafeString:
        return format_html('<strong class="big-figure">{}</strong>', value)

    def render_one(self, record: PairingRow, value: str) -> SafeString:
        return add_winner_check_mark(value, won=record.winner is not None and record.numbers[0] == record.winner)

    def render_other(self, record: PairingRow, value: str) -> SafeString:
        return add_winner_check_mark(value, won=record.winner is not None and record.numbers[1] == record.winner)

    def render_ident(self, value: str) -> SafeString:
        return format_html('<a href="{}">{}</a>', self.address(value), format_match_name(value, self.round_count))

    def render_state(self, value: str) -> SafeString:
        return render_badge(value)


def add_winner_check_mark(name: str, *, won: bool) -> SafeString:
    if not won:
        return format_html("{}", name)
    sign = '<span aria-hidden="true">✓</span><span class="visually-hidden">{}</span>'
    return format_html(f"<span><strong>{{}}</strong>\u00a0{sign}</span>", name, gettext("winner"))


@dataclass(frozen=True, slots=True)
class PlaceRow(FamilyNameSortMixin):
    """An entry's row in the list of places. `finishes` are the places that the entry can still get, best first.

    `why` explains how the entry's place was decided. `state` is “in”, “placed” or “disqualified”.
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
        """The best place that the entry can still get, used for sorting."""
        return self.finishes[0].first if self.finishes else None

    @property
    def shown_place(self) -> str:
        return places(self.finishes)


def make_place_rows(
    possible: PossiblePlaces,
    name: Callable[[int], str],
    won: Mapping[int, int],
    prizes: Mapping[int, CentsRange],
    why: Callable[[int], str] = lambda number: "",
) -> list[PlaceRow]:
    """Return rows for entries that are still playing, then for entries with a place, then for disqualified entries."""
    groups = (("in", possible.still_in), ("placed", possible.placed_entries), ("disqualified", possible.disqualified))
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


def _get_place_badge(row: PlaceRow) -> tuple[str, str]:
    """Return the code of the badge in a row of the list of places, and the badge's text if it is not the default."""
    if row.state == "placed":
        won = gettext("Winner") if row.finishes[0].last == 1 else gettext("Shares first place")
        return ("final", won) if row.place == 1 else ("withdrawn", gettext("Eliminated"))
    return ("in", gettext("Still playing")) if row.state == "in" else ("disqualified", "")


class PlaceTable(tables.Table):
    place = tables.Column(verbose_name=gettext_lazy("Place"), accessor="shown_place", order_by="place", empty_values=())
    number = tables.Column(verbose_name=gettext_lazy("No."), attrs={"td": {"class": "is-narrow"}})
    name = tables.Column(verbose_name=gettext_lazy("Name"), order_by=ORDER_BY_FAMILY_NAME)
    won = tables.Column(verbose_name=gettext_lazy("Matches won"), attrs=NUMBER_CELL_ATTRS)
    prize = tables.Column(verbose_name=gettext_lazy("Prize"), attrs={"td": {"class": "is-money"}}, empty_values=())
    state = tables.Column(verbose_name=gettext_lazy("State"))
    why = tables.Column(
        verbose_name=gettext_lazy("Tiebreak"), attrs=SENTENCE_CELL_ATTRS, orderable=False, empty_values=()
    )

    row_header = "name"

    class Meta:
        empty_text = gettext_lazy("No entrants are in the draw yet.")
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
        return least if record.prize.is_final else f"{least} to {most}"

    def render_place(self, record: PlaceRow) -> str:
        return record.shown_place or "–"

    def render_state(self, record: PlaceRow) -> SafeString:
        return render_badge(*_get_place_badge(record))

    def value_state(self, record: PlaceRow) -> str:
        return state_badge(*_get_place_badge(record)).word


# --- Standings of pools, and places in an event in stages ------------------------------------------------------------

STATE_CODE_BY_STATUS = {
    QualifyingStatus.PLAYS_ON: "in",
    QualifyingStatus.MUST_PLAY_ON: "in",
    QualifyingStatus.QUALIFIED: "final",
    QualifyingStatus.OUT: "withdrawn",
    QualifyingStatus.GONE: "withdrawn",
}


@dataclass(frozen=True, slots=True)
class _PoolRow(FamilyNameSortMixin):
    """An entry's row in a pool's standings.

    `why` explains the entry's place. `outcome` says whether the entry qualifies, such as “qualified with 4 wins”.
    """

    part: str
    place: str
    number: int
    name: str
    record: str
    spread: int
    state: str
    outcome: str
    why: str
    own: int | str = ""


def make_pool_rows(board: StageBoard, stage: PoolStage, wanted: str = "") -> list[_PoolRow]:
    """Return a pool's standings. If `wanted` is given, return only the entries that match the search."""
    pool, advancing = stage.pool, board.find_advancing(stage)
    entries = set(board.find_entries(wanted)) if wanted else pool.qualifying.entrants.keys()
    rows = [
        _make_pool_row(board, pool, part.name, row) for part, row in iter_ranked_entries(pool) if row.entry in entries
    ]
    if advancing is None:
        return rows
    states = {row.number: "onward" if row.number in advancing else "withdrawn" for row in rows}
    return [row if row.state == "disqualified" else replace(row, state=states[row.number]) for row in rows]


def _make_pool_row(board: StageBoard, pool: Pool, part: str, row: RankedEntry) -> _PoolRow:
    entrant, column = pool.qualifying[row.entry], find_stage_kind_hooks(pool.kind).standings_column
    has_played, outcome = entrant.record.games > 0, entrant.why.partition(": ")[2]
    if pool.kind.traits.all_meet and "left" in outcome:
        outcome = ""  # Groups play a fixed schedule, so “games left” is omitted.
    return _PoolRow(
        part=part,
        place="" if row.place is None else str(Placing(row.place, (row.entry, *row.tied_with))),
        number=row.entry,
        name=board.name(row.entry),
        record=str(entrant.record),
        spread=entrant.record.spread,
        state=_get_state_code(pool, entrant.status, is_playing=entrant.is_playing, placed=row.place is not None),
        outcome=outcome,
        why=board.insert_names(row.short_reason) if has_played or row.place is None else "",
        own=column.value(pool, row.entry) if column is not None else "",
    )


def _get_state_code(pool: Pool, status: QualifyingStatus, *, is_playing: bool, placed: bool) -> str:
    if not placed:
        return "disqualified"
    if is_playing:
        return "playing"
    if pool.kind.traits.all_meet and status.is_in_play:
        return "done" if pool.is_complete else "waiting"
    if pool.terms.qualifier.wins is None and status is QualifyingStatus.QUALIFIED:
        return "done"
    return "waiting" if status.is_in_play else STATE_CODE_BY_STATUS[status]


def _get_state_badge(state: str) -> tuple[str, str]:
    """Return the code of the badge for a state in the standings, and the badge's text if it is not the default."""
    words = {
        "final": gettext("Qualified"),
        "withdrawn": gettext("Eliminated"),
        "in": gettext("In"),
        "done": gettext("All played"),
        "onward": gettext("Advances"),
    }
    return "final" if state == "onward" else state, words.get(state, "")


class PoolTable(tables.Table):
    part = tables.Column(verbose_name=gettext_lazy("Group"))
    place = tables.Column(verbose_name=gettext_lazy("Place"), orderable=False, empty_values=())
    name = tables.Column(verbose_name=gettext_lazy("Name"), attrs=NAME_CELL_ATTRS, order_by=ORDER_BY_FAMILY_NAME)
    record = tables.Column(verbose_name=gettext_lazy("Won–lost"), attrs=NUMBER_CELL_ATTRS, orderable=False)
    spread = tables.Column(verbose_name=gettext_lazy("Points"), attrs=NUMBER_CELL_ATTRS)
    number = tables.Column(verbose_name=gettext_lazy("No."), attrs={"td": {"class": "is-narrow"}})
    state = tables.Column(verbose_name=gettext_lazy("Status"), orderable=False)
    why = tables.Column(
        verbose_name=gettext_lazy("Tiebreak"), attrs=SENTENCE_CELL_ATTRS, orderable=False, empty_values=()
    )

    search_field = "q"
    search_label = gettext_lazy("Find a name or number")
    row_header = "name"

    class Meta:
        empty_text = gettext_lazy("No player here matches that search. Check the spelling.")
        attrs: ClassVar = {"class": "pool-table"}

    value_spread = value_why = export_plain_value

    def __init__(self, rows: list[_PoolRow], *, by_site: bool = False, own: ExtraPoolColumn | None = None) -> None:
        """Show only the columns that are needed. `own` is the extra column for this kind of pool."""
        exclude = [] if any(row.part for row in rows) else ["part"]
        exclude += [] if any(row.spread for row in rows) else ["spread"]
        site = tables.Column(verbose_name=gettext_lazy("Site"), attrs=NAME_CELL_ATTRS)
        more = [("part", site)] if by_site and rows else []
        more += [("own", tables.Column(verbose_name=own.label, attrs=NUMBER_CELL_ATTRS))] if own is not None else []
        sequence = ["part", "place", "name", "own", "..."] if own is not None else None
        super().__init__(rows, exclude=exclude, extra_columns=more, sequence=sequence)

    def render_place(self, record: _PoolRow) -> str:
        return record.place or "–"

    def render_spread(self, value: int) -> str:
        return signed(value)

    def render_state(self, record: _PoolRow) -> SafeString:
        state = render_badge(*_get_state_badge(record.state))
        if not record.outcome:
            return state
        return format_html('<span>{} <span class="second small">{}</span></span>', state, record.outcome)

    def value_state(self, record: _PoolRow) -> str:
        word = state_badge(*_get_state_badge(record.state)).word
        return ", ".join(filter(None, (word, record.outcome)))

    def render_why(self, value: str) -> SafeString:
        return format_html('<span class="small">{}</span>', value)


def make_event_place_rows(
    board: StageBoard, possible: PossiblePlaces, prizes: Mapping[int, CentsRange]
) -> list[PlaceRow]:
    return make_place_rows(possible, board.name, _count_games_won(board), prizes, partial(_explain_place, board))


def _explain_place(board: StageBoard, number: int) -> str:
    """Explain how the bracket, the play-off, or the standings decided an entry's place."""
    for stage in reversed(board.course.stages):
        if stage.progress is not None and number in stage.progress.bracket.entries:
            return _explain_place_in_bracket(board, stage.progress, number)
        rounds = stage.play_off.rounds if stage.play_off is not None else ()
        lost = [match for each in rounds for match in each.matches if number in match.sides]
        if lost and lost[-1].outcome is not None and lost[-1].outcome.winner != number:
            return _describe_loss(board, format_match_name(lost[-1].id), lost[-1].outcome.winner)
        for _part, row in iter_ranked_entries(stage.pool) if stage.pool is not None else ():
            if row.entry == number:
                return _explain_place_in_group(board, stage, row)
    return ""


def _explain_place_in_group(board: StageBoard, stage: StageState, row: RankedEntry) -> str:
    """Explain a place in a group, and the rank among entries with the same place in other groups."""
    beside = stage.pool.rank_among_equals(row.entry) if stage.pool is not None else None
    if beside is None or (beside.tied_count == 1 and beside.decision_above is None and beside.decision_below is None):
        return board.insert_names(row.why)
    return gettext("In the group: %(why)s Between the groups: %(beside)s") % {
        "why": board.insert_names(row.why),
        "beside": board.insert_names(beside.why),
    }


def _explain_place_in_bracket(board: StageBoard, progress: BracketProgress, number: int) -> str:
    if progress.champion == number:
        return gettext("Won the final.")
    views = [view for view in progress.views.values() if number in view.entries and view.outcome is not None]
    lost = [view for view in views if view.winner != number]
    if not lost:
        return ""
    ident = lost[-1].match.id
    where = format_match_name(ident, progress.bracket.count_rounds())
    return _describe_loss(board, where, lost[-1].winner)


def _describe_loss(board: StageBoard, where: str, winner: int | None) -> str:
    if winner is None:
        return gettext("%(match)s: no winner.") % {"match": where}
    return gettext("%(match)s: lost to %(name)s.") % {"match": where, "name": board.name(winner)}


def _count_games_won(board: StageBoard) -> dict[int, int]:
    won = Counter[int | None]()
    for stage in board.course.stages:
        won.update(match.meeting.outcome.winner for match in stage.matches.values() if match.meeting.outcome)
        if stage.progress is not None:
            won.update(view.outcome.winner for view in stage.progress.views.values() if view.outcome and view.winner)
    return {number: count for number, count in won.items() if number is not None}
