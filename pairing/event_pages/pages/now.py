"""Current play for any format: matches at tables, the next round, latest results, and the players still in."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.desk.selectors.forecast import estimate_last_match_end
from pairing.draws.knockout.bracket import RoundKey
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.draws.table_rounds import SeatedTable
from pairing.event_pages.pages.by_kind import make_bracket_pairing_rows
from pairing.stages.pages import get_game_state_code, make_game_rows, make_match_url_builder
from pairing.stages.pictures.boxes import (
    describe_side,
    explain_unplayed_outcome,
    explain_why_not_played,
    format_match_name,
    format_round_name,
    get_match_state_code,
)
from pairing.stages.selectors.boards import BracketBoard, StageBoard, load_bracket_board, load_stage_board
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import RotatingSides, StageMatch, StageState
from pairing.stages.selectors.records import load_removals
from pairing.stages.selectors.tables import SeatingBoard, load_seating_board
from pairing.stages.tables.seatings import explain_closed_table, get_table_state_code
from tournament.models import Event
from tournament.templatetags.gin import minus

MAX_LISTED_MATCHES: Final = 8
MAX_LISTED_RESULTS: Final = 6
MAX_LISTED_PLAYERS: Final = 16
"""The maximum number of remaining players to list by name. If there are more, only their number is shown."""
MATCH_STATES_AT_TABLE: Final = ("called", "playing")
ACTIVE_QUALIFYING_STATUSES: Final = (
    QualifyingStatus.PLAYS_ON,
    QualifyingStatus.MUST_PLAY_ON,
    QualifyingStatus.QUALIFIED,
)

MatchUrlBuilder = Callable[[str], str]
TemplateContext = dict[str, Any]


@dataclass(frozen=True)
class RotatingSidesRound:
    """The latest posted round of an event with two rotating sides."""

    rotating_sides: RotatingSides

    @property
    def label(self) -> str:
        return _("Round %(number)s") % {"number": self.rotating_sides.current_round.round}

    @property
    def names(self) -> str:
        """The names of both sides as text, such as “Guys against Girls”."""
        return _("%(one)s against %(other)s") % {
            "one": self.rotating_sides.names[0],
            "other": self.rotating_sides.names[1],
        }

    @property
    def tables(self) -> list[tuple[int, list[int], list[int]]]:
        """Each table's number and its entries from both sides."""
        tables = enumerate(self.rotating_sides.current_round.tables, start=1)
        return [(number, table[: len(table) // 2], table[len(table) // 2 :]) for number, table in tables]

    @property
    def lines(self) -> list[tuple[int, str, str]]:
        return [(number, self.join_names(one), self.join_names(other)) for number, one, other in self.tables]

    @property
    def sits_out(self) -> tuple[int, ...]:
        return tuple(self.rotating_sides.current_round.sits_out)

    def join_names(self, entries: Iterable[int]) -> str:
        return ", ".join(self.rotating_sides.name(entry) for entry in entries)


def load_rotating_sides_round(event: Event) -> RotatingSidesRound | None:
    """Return the latest round of two rotating sides. Return None before the first round and for other formats."""
    rotating_sides = load_event_stages(event).rotating_sides
    return RotatingSidesRound(rotating_sides) if rotating_sides is not None and rotating_sides.rounds else None


def load_play_summary(event: Event) -> TemplateContext | None:
    """Return a summary of current play for the template, or None before a draw is posted.

    `decided` is how many of the current round's `matches` are over. Both are missing in formats that do not count
    matches. `playing` lists the first matches at tables, and `ready` the first matches without a table, each with a
    count. `waiting` is the number of players without a match. `next` is the next stage or round, expected to begin at
    `next_at`. `left_count` is the number of players still in. If there are only a few of these players, `left` has
    their names in groups.
    """
    board, address = load_stage_board(event), make_match_url_builder(event)
    if board is not None:
        bracket = load_bracket_board(event)
        return (
            _summarize_stages(event, board, address)
            if bracket is None
            else _summarize_bracket(event, bracket, board, address)
        )
    hall = load_seating_board(event)
    if hall is not None:
        return _summarize_tables(event, hall)
    sides = load_rotating_sides_round(event)
    return {"stage": sides.label, "sides": sides} if sides is not None else None


def load_latest_results(event: Event, address: MatchUrlBuilder) -> list[TemplateContext]:
    """Return the latest valid results for the template, newest first. `address` returns the URL of each match."""
    board, hall = load_stage_board(event), load_seating_board(event)
    if board is not None:
        bracket = load_bracket_board(event)
        lines = _list_bracket_results(event, bracket, address) if bracket is not None else []
        return [*lines, *(_list_pool_results(board, address) if len(lines) < MAX_LISTED_RESULTS else [])][
            :MAX_LISTED_RESULTS
        ]
    return _list_table_results(hall, address) if hall is not None and hall.rounds.current_round is not None else []


def _summarize_bracket(
    event: Event, board: BracketBoard, stages: StageBoard, address: MatchUrlBuilder
) -> TemplateContext:
    progress = board.progress
    lines = [
        _make_bracket_match_context(board, progress[row.ident], address) for row in make_bracket_pairing_rows(board)
    ]
    placings = make_placings(progress)
    # The rounds being played: in a double elimination, every round with a ready match.
    ready = {view.match.round_key for view in progress.ready} if board.is_double_elimination else set()
    live = [key for key in board.rounds if key in ready] or [board.first_open_round]
    needed = [view for key in live for view in board.rounds[key] if view.state is not BracketMatchState.NOT_NEEDED]
    results = _list_bracket_results(event, board, address)
    earlier = _list_pool_results(stages, address) if len(results) < MAX_LISTED_RESULTS else []
    over = progress.is_complete
    coming = "" if over else _name_rounds(board, _find_next_rounds(board, live))
    unfinished = [view.match.id for view in needed if view.state is not BracketMatchState.DECIDED]
    return {
        "stage": _name_rounds(board, live),
        "decided": len(needed) - len(unfinished),
        "matches": len(needed),
        **_make_matches_context(lines),
        "latest": [*results, *earlier][:MAX_LISTED_RESULTS],
        "next": coming,
        "next_at": _estimate_end(event, unfinished, board.tables) if coming else None,
        "left_count": None if over else len(placings.still_in),
        "left": [] if over else _list_names_still_in_bracket(board, placings.still_in),
        "winners": [board.name(progress.champion)] if progress.champion is not None else [],
    }


def _make_bracket_match_context(
    board: BracketBoard, view: BracketMatchProgress, address: MatchUrlBuilder
) -> TemplateContext:
    ident, scores = view.match.id, board.scores.get(view.match.id, {})
    decided = view.state is BracketMatchState.DECIDED
    sides = [
        {
            "name": describe_side(board, side, ident),
            "won": side.entry is not None and side.entry == view.winner,
            "score": minus(scores[side.entry]) if decided and side.entry is not None and side.entry in scores else "",
        }
        for side in view.sides
    ]
    return {
        "url": address(ident),
        "label": format_match_name(ident, board.round_count),
        "sides": sides,
        "state": get_match_state_code(board, view),
        "table": board.tables.get(ident),
        "note": explain_why_not_played(view, board.names) if decided else "",
    }


def _list_bracket_results(event: Event, board: BracketBoard, address: MatchUrlBuilder) -> list[TemplateContext]:
    """Return the bracket's latest results and walkovers, newest first."""
    at = {ident: recorded.at for ident, recorded in board.result_recorders.items()}
    left = {entry: gone.at for entry, gone in load_removals(event).items()}
    for view in board.progress.views.values():
        losers = [left[entry] for entry in view.losers if entry in left]
        if view.is_decided_without_result and view.winner is not None and losers:
            at[view.match.id] = max(losers)
    latest = sorted(at, key=lambda ident: at[ident], reverse=True)[:MAX_LISTED_RESULTS]
    return [_make_bracket_match_context(board, board.progress[ident], address) for ident in latest]


def _find_next_rounds(board: BracketBoard, live: Sequence[RoundKey]) -> list[RoundKey]:
    bracket = board.progress.bracket
    following = (bracket.next_matches.get(view.match.id) for key in live for view in board.rounds[key])
    coming = {match.round_key for match in following if match is not None and not getattr(match, "if_needed", False)}
    return [key for key in board.rounds if key in coming and key not in live]


def _name_rounds(board: BracketBoard, keys: Iterable[RoundKey]) -> str:
    return " · ".join(format_round_name(key, board.progress.bracket.count_rounds(key.part)) for key in keys)


def _list_names_still_in_bracket(board: BracketBoard, still_in: Iterable[int]) -> list[tuple[str, list[str]]]:
    """Return the names of the remaining players, grouped by losses in a double elimination.

    If there are too many players to list, return an empty list.
    """
    entries = list(still_in)
    if len(entries) > MAX_LISTED_PLAYERS:
        return []
    if not board.is_double_elimination:
        return [("", list(map(board.name, entries)))]
    beaten = {
        entry for entry in entries if any(entry in view.losers for view in board.progress.list_matches_of_entry(entry))
    }
    groups = ((_("Unbeaten"), set(entries) - beaten), (_("One loss"), beaten))
    return [(title, list(map(board.name, sorted(group)))) for title, group in groups if group]


def _summarize_stages(event: Event, board: StageBoard, address: MatchUrlBuilder) -> TemplateContext:
    course, current = board.course, board.course.current_stage
    lines = [
        _make_game_context(board, row.ident, current.matches[row.ident], address)
        for row in make_game_rows(board)
        if row.ident in current.matches
    ]
    pool, kind = course.pool, current.kind.traits
    turn = max((match.round for match in current.matches.values()), default=0) if kind.pairs_in_rounds else 0
    counted = [
        match
        for match in current.matches.values()
        if (kind.all_meet or match.round == turn) and len(match.meeting.sides) == 2
    ]
    left = _list_remaining_entries(current) if not course.is_complete else None
    return {
        "stage": _("%(stage)s, round %(round)s") % {"stage": current.name, "round": turn} if turn else current.name,
        "decided": sum(match.is_decided for match in counted),
        "matches": len(counted),
        **_make_matches_context(lines),
        "waiting": len(board.waiting_entries) if pool is not None and not kind.all_meet else 0,
        "latest": _list_pool_results(board, address),
        "next": course.next_plan.name if course.next_plan is not None else "",
        "left_count": len(left) if left is not None else None,
        "left": [("", list(map(board.name, left)))] if left is not None and len(left) <= MAX_LISTED_PLAYERS else [],
    }


def _list_remaining_entries(stage: StageState) -> tuple[int, ...] | None:
    """Return the entries that can still play, have qualified, or can still win a place.

    Return None if they are not known.
    """
    if stage.pool is not None:
        entrants = stage.pool.qualifying.entrants.items()
        return tuple(entry for entry, entrant in entrants if entrant.status in ACTIVE_QUALIFYING_STATUSES)
    if stage.play_off is None or stage.play_off.is_complete:
        return None
    standing = stage.play_off.current_places or dict.fromkeys(stage.row.record["play_off"], 1)
    return (*stage.row.record["through"], *(entry for entry, place in standing.items() if place == 1))


def _make_game_context(board: StageBoard, ident: str, match: StageMatch, address: MatchUrlBuilder) -> TemplateContext:
    outcome, points = match.meeting.outcome, match.meeting.points
    winner = outcome.winner if outcome is not None else None
    return {
        "url": address(ident),
        "label": format_match_name(ident),
        "sides": [
            {
                "name": board.get_name_in_match(ident, side),
                "won": side == winner,
                "score": minus(points[side]) if side in points else "",
            }
            for side in match.meeting.sides
        ],
        "state": get_game_state_code(board, ident, match),
        "table": board.tables.get(ident),
        "note": explain_unplayed_outcome(outcome) if outcome is not None and match.is_decided else "",
    }


def _list_pool_results(board: StageBoard, address: MatchUrlBuilder) -> list[TemplateContext]:
    games = {ident: game for stage in board.course.stages for ident, game in stage.matches.items()}
    return [_make_game_context(board, ident, games[ident], address) for ident in board.latest[:MAX_LISTED_RESULTS]]


def _summarize_tables(event: Event, hall: SeatingBoard) -> TemplateContext:
    current, address, total = hall.rounds.current_round, make_match_url_builder(event), hall.rounds.terms.rounds
    if current is None:
        return {}
    lines = [_make_table_context(hall, table, address) for table in current.unfinished_tables]
    words = {"number": current.number, "total": total}
    coming = _("Round %(number)s") % {"number": current.number + 1} if current.number < total else ""
    unfinished = [table.match for table in current.unfinished_tables]
    return {
        "stage": _("Round %(number)s of %(total)s") % words if total > 1 else _("Round %(number)s") % words,
        "decided": len(current.tables) - len(current.unfinished_tables),
        "matches": len(current.tables),
        **_make_matches_context(lines, all_at_tables=True),
        "latest": _list_table_results(hall, address),
        "next": coming,
        "next_at": _estimate_end(event, unfinished, hall.tables) if coming else None,
        "winners": hall.winners,
    }


def _list_table_results(hall: SeatingBoard, address: MatchUrlBuilder) -> list[TemplateContext]:
    decided = [table for each in reversed(hall.rounds.rounds) for table in each.tables if table.is_decided]
    return [_make_table_context(hall, table, address) for table in decided[:MAX_LISTED_RESULTS]]


def _make_table_context(hall: SeatingBoard, table: SeatedTable, address: MatchUrlBuilder) -> TemplateContext:
    winner = table.outcome.winner if table.outcome is not None and table.is_decided else None
    return {
        "url": address(table.match),
        "label": format_match_name(table.match),
        "sides": [
            {
                "name": hall.get_name_in_match(table.match, entry),
                "won": entry == winner,
                "score": minus(table.points[entry]) if entry in table.points else "",
            }
            for entry in table.entries
        ],
        "state": get_table_state_code(hall, table),
        "table": hall.tables.get(table.match),
        "note": explain_closed_table(table.outcome),
    }


def _estimate_end(event: Event, unfinished: Collection[str], tables: Mapping[str, int]) -> datetime | None:
    """Estimate when the last of the unfinished matches ends. Return None unless all of them are at tables."""
    return estimate_last_match_end(event, unfinished) if tables.keys() >= set(unfinished) else None


def _make_matches_context(lines: Sequence[TemplateContext], *, all_at_tables: bool = False) -> TemplateContext:
    playing = [line for line in lines if all_at_tables or line["state"] in MATCH_STATES_AT_TABLE]
    ready = [line for line in lines if not all_at_tables and line["state"] not in MATCH_STATES_AT_TABLE]
    return {
        "playing": playing[:MAX_LISTED_MATCHES],
        "playing_count": len(playing),
        "ready": ready[:MAX_LISTED_MATCHES],
        "ready_count": len(ready),
    }
