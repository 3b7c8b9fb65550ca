"""Load what is going on in an event, for any format: matches at tables, next, latest results, remaining players."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from pairing.desk.selectors.forecast import load_next_round_estimate
from pairing.draws.knockout.bracket import RoundKey
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.event_pages.pages.by_kind import make_bracket_pairing_rows
from pairing.stages.pages import game_state, make_game_rows, match_address
from pairing.stages.pictures.boxes import match_name, round_name, side_name, state_of, why_not_played, why_without_play
from pairing.stages.selectors.boards import BracketBoard, StageBoard, load_bracket_board, load_stage_board
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.kinds import RotatingSides, StageMatch, StageState
from pairing.stages.selectors.records import load_removed
from pairing.stages.selectors.tables import SeatedRounds, load_seated_rounds
from pairing.stages.tables.seatings import table_state, why_closed
from tournament.models import Event
from tournament.templatetags.gin import minus

MOST_MATCHES: Final = 8
MOST_RESULTS: Final = 6
MOST_LEFT: Final = 16
"""If more players than this are left, they are counted instead of listed."""
AT_A_TABLE: Final = ("called", "playing")
STILL_IN: Final = (QualifyingStatus.PLAYS_ON, QualifyingStatus.MUST_PLAY_ON, QualifyingStatus.QUALIFIED)

Address = Callable[[str], str]
Groups = tuple[tuple[str, tuple[str, ...]], ...]
"""Names of players in groups, each with a heading or an empty one."""


@dataclass(frozen=True, slots=True)
class _SidesTable:
    """A table with the players of each side. In couples events, two players of a side share a table."""

    table: int
    sides: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def entries(self) -> tuple[int, ...]:
        return self.sides[0] + self.sides[1]


@dataclass(frozen=True)
class SidesRound:
    """The latest posted round of an event with two sides: its tables and players."""

    rotating_sides: RotatingSides

    @property
    def label(self) -> str:
        return _("Round %(number)s") % {"number": self.rotating_sides.current.round}

    @property
    def names(self) -> str:
        """The names of both sides, such as “Guys against Girls”."""
        return _("%(one)s against %(other)s") % {
            "one": self.rotating_sides.names[0],
            "other": self.rotating_sides.names[1],
        }

    @property
    def tables(self) -> tuple[_SidesTable, ...]:
        found = []
        for place, seated in enumerate(self.rotating_sides.current.tables, start=1):
            half = len(seated) // 2
            found.append(_SidesTable(place, (tuple(seated[:half]), tuple(seated[half:]))))
        return tuple(found)

    @property
    def lines(self) -> list[tuple[int, str, str]]:
        return [(one.table, self.join_names(one.sides[0]), self.join_names(one.sides[1])) for one in self.tables]

    @property
    def sits_out(self) -> tuple[int, ...]:
        return tuple(self.rotating_sides.current.sits_out)

    def join_names(self, entries: tuple[int, ...]) -> str:
        return ", ".join(self.rotating_sides.name(entry) for entry in entries)


def load_sides_round(event: Event) -> SidesRound | None:
    """Return the latest round of two sides, or None before the first round or in other formats."""
    rotating_sides = load_course(event).rotating_sides
    return SidesRound(rotating_sides) if rotating_sides is not None and rotating_sides.rounds else None


@dataclass(frozen=True, slots=True)
class _MatchLineSide:
    """A side of a match in a row. `score` is empty if there is no score."""

    name: str
    won: bool = False
    score: str = ""


@dataclass(frozen=True, slots=True)
class _MatchLine:
    """A match in one row that links to `url`, with its table, its sides and its state (for `state_badge`)."""

    url: str
    label: str
    sides: tuple[_MatchLineSide, ...]
    state: str
    table: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlaySummary:
    """A summary of the current play in an event.

    `decided` of the `matches` in the current round are over. If both are 0, matches are not counted.
    `playing` are the first few matches at tables, and `ready` the first few that can be called, each with a count.
    `waiting` is the number of players without a match. `next_at` is about when the stage or round `next` begins.
    `left` has the names of the remaining players if they are few.
    `left_count` is None if nobody is eliminated in this format.
    """

    stage: str = ""
    decided: int = 0
    matches: int = 0
    playing: tuple[_MatchLine, ...] = ()
    playing_count: int = 0
    ready: tuple[_MatchLine, ...] = ()
    ready_count: int = 0
    waiting: int = 0
    latest: tuple[_MatchLine, ...] = ()
    next: str = ""
    next_at: datetime | None = None
    left: Groups = ()
    left_count: int | None = None
    winners: tuple[str, ...] = ()
    sides: SidesRound | None = None


def load_play_summary(event: Event) -> _PlaySummary | None:
    """Return the summary of current play, or None before a draw is posted."""
    board, address = load_stage_board(event), match_address(event)
    if board is not None:
        bracket = load_bracket_board(event)
        return _of_stages(event, board, address) if bracket is None else _of_bracket(event, bracket, board, address)
    hall = load_seated_rounds(event)
    if hall is not None:
        return _of_tables(event, hall)
    sides = load_sides_round(event)
    return _PlaySummary(stage=sides.label, sides=sides) if sides is not None else None


def load_latest(event: Event, address: Address) -> list[_MatchLine]:
    """Return the latest results of matches as they count at present, newest first, each linked by `address`."""
    board, hall = load_stage_board(event), load_seated_rounds(event)
    if board is not None:
        bracket = load_bracket_board(event)
        lines = _bracket_results(event, bracket, address) if bracket is not None else []
        return [*lines, *(_pool_results(board, address) if len(lines) < MOST_RESULTS else [])][:MOST_RESULTS]
    return _table_results(hall, address) if hall is not None and hall.rounds.current is not None else []


def _of_bracket(event: Event, board: BracketBoard, stages: StageBoard, address: Address) -> _PlaySummary:
    progress = board.progress
    lines = [_bracket_line(board, progress[row.ident], address) for row in make_bracket_pairing_rows(board)]
    placings = make_placings(progress)
    # The live round. In a double elimination, it is every round with a ready match, from both sides.
    ready = {view.match.round_key for view in progress.ready} if board.has_two_lives else set()
    live = [key for key in board.rounds if key in ready] or [board.live_round]
    needed = [view for key in live for view in board.rounds[key] if view.state is not State.NOT_NEEDED]
    results = _bracket_results(event, board, address)
    earlier = _pool_results(stages, address) if len(results) < MOST_RESULTS else []
    over = progress.is_complete
    coming = "" if over else _name_rounds(board, _next_rounds(board, live))
    unfinished = [view.match.id for view in needed if view.state is not State.DECIDED]
    now = _PlaySummary(
        stage=_name_rounds(board, live),
        decided=len(needed) - len(unfinished),
        matches=len(needed),
        latest=tuple([*results, *earlier][:MOST_RESULTS]),
        next=coming,
        next_at=_estimate_end(event, unfinished, board.tables) if coming else None,
        left_count=None if over else len(placings.still_in),
        left=() if over else _left_in_bracket(board, placings.still_in),
        winners=(board.name(progress.champion),) if progress.champion is not None else (),
    )
    return _with_lines(now, lines)


def _bracket_line(board: BracketBoard, view: MatchView, address: Callable[[str], str]) -> _MatchLine:
    ident, scores = view.match.id, board.scores.get(view.match.id, {})
    decided = view.state is State.DECIDED
    sides = tuple(
        _MatchLineSide(
            side_name(board, side, ident),
            side.entry is not None and side.entry == view.winner,
            minus(scores[side.entry]) if decided and side.entry is not None and side.entry in scores else "",
        )
        for side in view.sides
    )
    note = why_not_played(view, board.names) if decided else ""
    return _MatchLine(
        address(ident),
        match_name(ident, board.round_count),
        sides,
        state_of(board, view),
        board.tables.get(ident),
        note,
    )


def _bracket_results(event: Event, board: BracketBoard, address: Address) -> list[_MatchLine]:
    """Return the latest decisions, newest first: results, and wins because somebody left the event."""
    at = {ident: recorded.at for ident, recorded in board.recorded.items()}
    left = {entry: gone.at for entry, gone in load_removed(event).items()}
    for view in board.progress.views.values():
        losers = [left[entry] for entry in view.losers if entry in left]
        if view.by_itself and view.winner is not None and losers:
            at[view.match.id] = max(losers)
    latest = sorted(at, key=lambda ident: at[ident], reverse=True)[:MOST_RESULTS]
    return [_bracket_line(board, board.progress[ident], address) for ident in latest]


def _next_rounds(board: BracketBoard, live: Sequence[RoundKey]) -> list[RoundKey]:
    bracket = board.progress.bracket
    following = (bracket.next_of.get(view.match.id) for key in live for view in board.rounds[key])
    coming = {match.round_key for match in following if match is not None and not getattr(match, "if_needed", False)}
    return [key for key in board.rounds if key in coming and key not in live]


def _name_rounds(board: BracketBoard, keys: Iterable[RoundKey]) -> str:
    return " · ".join(round_name(key, board.progress.bracket.rounds_of(key.part)) for key in keys)


def _left_in_bracket(board: BracketBoard, still_in: Iterable[int]) -> Groups:
    """Return the remaining players if they are few. In a double elimination, group them by their losses so far."""
    entries = list(still_in)
    if len(entries) > MOST_LEFT:
        return ()
    if not board.has_two_lives:
        return (("", tuple(map(board.name, entries))),)
    beaten = {entry for entry in entries if any(entry in view.losers for view in board.progress.way_of(entry))}
    groups = ((_("Unbeaten"), set(entries) - beaten), (_("One loss"), beaten))
    return tuple((title, tuple(map(board.name, sorted(group)))) for title, group in groups if group)


def _of_stages(event: Event, board: StageBoard, address: Address) -> _PlaySummary:
    course, current = board.course, board.course.current
    lines = [
        _game_line(board, row.ident, current.matches[row.ident], address)
        for row in make_game_rows(board)
        if row.ident in current.matches
    ]
    pool, kind = course.pool, current.kind.traits
    turn = max((match.round for match in current.matches.values()), default=0) if kind.by_rounds else 0
    counted = [
        match
        for match in current.matches.values()
        if (kind.all_meet or match.round == turn) and len(match.meeting.sides) == 2
    ]
    left = _left_in(current) if not course.is_complete else None
    now = _PlaySummary(
        stage=_("%(stage)s, round %(round)s") % {"stage": current.name, "round": turn} if turn else current.name,
        decided=sum(match.is_decided for match in counted),
        matches=len(counted),
        waiting=len(board.waiting) if pool is not None and not kind.all_meet else 0,
        latest=tuple(_pool_results(board, address)),
        next=course.next_plan.name if course.next_plan is not None else "",
        left_count=len(left) if left is not None else None,
        left=(("", tuple(map(board.name, left))),) if left is not None and len(left) <= MOST_LEFT else (),
    )
    return _with_lines(now, lines)


def _left_in(stage: StageState) -> tuple[int, ...] | None:
    """Return the entries still in: who plays on or has qualified, or can still win a place. None if not known."""
    if stage.pool is not None:
        found = stage.pool.qualifying.entrants.items()
        return tuple(entry for entry, one in found if one.status in STILL_IN)
    if stage.play_off is None or stage.play_off.is_complete:
        return None
    standing = stage.play_off.standing or dict.fromkeys(stage.row.record["play_off"], 1)
    return (*stage.row.record["through"], *(entry for entry, place in standing.items() if place == 1))


def _game_line(board: StageBoard, ident: str, match: StageMatch, address: Callable[[str], str]) -> _MatchLine:
    outcome, points = match.meeting.outcome, match.meeting.points
    winner = outcome.winner if outcome is not None else None
    sides = tuple(
        _MatchLineSide(board.name_in(ident, side), side == winner, minus(points[side]) if side in points else "")
        for side in match.meeting.sides
    )
    state = game_state(board, ident, match)
    note = why_without_play(outcome) if outcome is not None and match.is_decided else ""
    return _MatchLine(address(ident), match_name(ident), sides, state, board.tables.get(ident), note)


def _pool_results(board: StageBoard, address: Address) -> list[_MatchLine]:
    found = (board.course.find(ident) for ident in board.latest[:MOST_RESULTS])
    return [_game_line(board, one[1].meeting.match, one[1], address) for one in found if one is not None]


def _of_tables(event: Event, hall: SeatedRounds) -> _PlaySummary:
    current, address, total = hall.rounds.current, match_address(event), hall.rounds.terms.rounds
    if current is None:
        return _PlaySummary()
    lines = [_table_line(hall, table.match, address) for table in current.unfinished]
    words = {"number": current.number, "total": total}
    coming = _("Round %(number)s") % {"number": current.number + 1} if current.number < total else ""
    unfinished = [table.match for table in current.unfinished]
    now = _PlaySummary(
        stage=_("Round %(number)s of %(total)s") % words if total > 1 else _("Round %(number)s") % words,
        decided=len(current.tables) - len(current.unfinished),
        matches=len(current.tables),
        latest=tuple(_table_results(hall, address)),
        next=coming,
        next_at=_estimate_end(event, unfinished, hall.tables) if coming else None,
        winners=hall.winners,
    )
    return _with_lines(now, lines, all_at_tables=True)


def _table_results(hall: SeatedRounds, address: Address) -> list[_MatchLine]:
    over = [table for each in reversed(hall.rounds.rounds) for table in each.tables if table.is_decided]
    return [_table_line(hall, table.match, address) for table in over[:MOST_RESULTS]]


def _table_line(hall: SeatedRounds, match: str, address: Callable[[str], str]) -> _MatchLine:
    found = hall.rounds.find(match)
    table = found[1] if found is not None else None
    if table is None:
        return _MatchLine(address(match), match_name(match), (), "")
    winner = table.outcome.winner if table.outcome is not None and table.is_decided else None
    sides = tuple(
        _MatchLineSide(
            hall.name_in(match, entry),
            entry == winner,
            minus(table.points[entry]) if entry in table.points else "",
        )
        for entry in table.entries
    )
    note = why_closed(table.outcome)
    return _MatchLine(address(match), match_name(match), sides, table_state(hall, table), hall.tables.get(match), note)


def _estimate_end(event: Event, unfinished: Collection[str], tables: Mapping[str, int]) -> datetime | None:
    """Estimate when the last of these matches ends, if all of them are at tables."""
    return load_next_round_estimate(event, unfinished) if tables.keys() >= set(unfinished) else None


def _with_lines(now: _PlaySummary, lines: Iterable[_MatchLine], *, all_at_tables: bool = False) -> _PlaySummary:
    every = list(lines)
    playing = [line for line in every if all_at_tables or line.state in AT_A_TABLE]
    ready = [line for line in every if line not in playing]
    return replace(
        now,
        playing=tuple(playing[:MOST_MATCHES]),
        playing_count=len(playing),
        ready=tuple(ready[:MOST_MATCHES]),
        ready_count=len(ready),
    )
