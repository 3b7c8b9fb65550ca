"""Score a round of the couples tournament, and lay out its score sheet and the scorekeeper's worksheet.

Each table reports its result. The points and gins of a round are added to one or more of three simultaneous games.

Source: Metzker Book of Card Game Rules 2026, “Gin Rummy – Tournament Rules”, “Ending a Round” and “Scoring”;
CONTRACTS.md, tally, `metzker`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, Self

from scoring.rules.book.layout import Cell, CellMark, Heading, HeadingGroup, LineCells, SheetBlock
from scoring.rules.variants.three_games import (
    SIMULTANEOUS_GAME_COUNT,
    SimultaneousGame,
    SimultaneousGames,
    find_games_for_next_score,
    find_open_games_with_score,
)
from scoring.rules.variants.variant import LineTally, SheetColumn, SheetRow
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

MAX_COUNT_TO_KNOCK: Final = 9
"""The maximum count with which a player may “run” (knock): “less than 10”."""
UNDERCUT_BONUS: Final = 25
GAME_WIN_AWARD: Final = 200
"""The award for winning a game, no matter what its target is (CONTRACTS.md, metzker, “Final”)."""
GIN_AWARD: Final = 25
"""The award for each gin in a game. The loser gets this award too."""


class CouplesOutcome(StrEnum):
    GIN = "gin"
    DOUBLE_GIN = "double-gin"
    RUN = "run"
    STOCK = "stock"


GIN_COUNT_BY_OUTCOME: Final[Mapping[CouplesOutcome, int]] = {CouplesOutcome.GIN: 1, CouplesOutcome.DOUBLE_GIN: 2}
OUTCOME_WORDS: Final[Mapping[CouplesOutcome, str]] = {
    CouplesOutcome.GIN: lazy_text("gin"),
    CouplesOutcome.DOUBLE_GIN: lazy_text("double gin"),
    CouplesOutcome.RUN: lazy_text("run"),
    CouplesOutcome.STOCK: lazy_text("stock ran out"),
}
OUTCOME_VERBS: Final[Mapping[CouplesOutcome, str]] = {
    CouplesOutcome.GIN: lazy_text("went gin"),
    CouplesOutcome.DOUBLE_GIN: lazy_text("went double gin"),
    CouplesOutcome.RUN: "ran",
}


@dataclass(frozen=True, slots=True)
class ReportAward:
    """The award for the result that one table reported: `points` and `gins` for the team `to`.

    `to` is None if neither team earns anything. `report` is the result in words, and `calculation` explains how the
    award was computed from it.
    """

    to: str | None
    points: int
    gins: int
    report: str
    calculation: str

    @property
    def explanation(self) -> str:
        return f"{self.report}: {self.calculation}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoupleReport:
    """The report from a table of two opponents: their counts, and who went out (None if the stock ran out)."""

    outcome: CouplesOutcome
    counts: Mapping[str, int]
    by: str | None = None

    def compute_award(self) -> ReportAward:
        """Return the points and gins awarded for this report, and the team that gets them.

        >>> report = CoupleReport(outcome=CouplesOutcome.RUN, by="Guys", counts={"Guys": 6, "Girls": 4})
        >>> report.compute_award().explanation
        'Guys ran with 6 against 4: twice 6 and 25, 37 to Girls'
        """
        if self.by is None:
            return self._compute_stock_award()
        by, own = self.by, self.counts[self.by]
        against = next(side for side in self.counts if side != by)
        other = self.counts[against]
        gins = GIN_COUNT_BY_OUTCOME.get(self.outcome, 0)
        if gins:
            report = lazy_text(
                "%(by)s %(outcome_words)s, %(other)s unmatched",
                by=by,
                outcome_words=OUTCOME_WORDS[self.outcome],
                other=other,
            )
            return ReportAward(
                by,
                other,
                gins,
                report,
                lazy_text("%(other)s and 1 gin to %(by)s", other=other, by=by)
                if gins == 1
                else lazy_text("%(other)s and %(gins)s gins to %(by)s", other=other, gins=gins, by=by),
            )
        report = lazy_text("%(by)s ran with %(own)s against %(other)s", by=by, own=own, other=other)
        if own < other:
            return ReportAward(by, other - own, 0, report, _describe_points(other - own, by))
        points = 2 * own + UNDERCUT_BONUS
        working = lazy_text(
            "twice %(own)s and %(bonus)s, %(points)s to %(side)s",
            own=own,
            bonus=UNDERCUT_BONUS,
            points=points,
            side=against,
        )
        return ReportAward(against, points, 0, report, working)

    def _compute_stock_award(self) -> ReportAward:
        """Return the award if the stock ran out. The player with fewer points gets the difference."""
        counts = self.counts
        low, high = sorted(counts, key=lambda side: counts[side])
        points = counts[high] - counts[low]
        report = lazy_text(
            "the stock ran out, %(low)s %(count)s, %(high)s %(count_2)s",
            low=low,
            count=counts[low],
            high=high,
            count_2=counts[high],
        )
        return (
            ReportAward(low, points, 0, report, _describe_points(points, low))
            if points
            else ReportAward(None, 0, 0, report, lazy_text("nothing"))
        )


def _describe_points(points: int, side: str) -> str:
    return lazy_text("%(points)s to %(side)s", points=points, side=side)


CoupleReports = tuple[CoupleReport, ...]


GinCounts = tuple[Mapping[str, int], ...]
"""Each team's number of gins in each game."""


@dataclass(frozen=True, slots=True)
class RoundAward:
    """The net points or gins that one team gets for a round.

    `to` is the team, or None in a tie. `games` contains the indexes of the games in which the amount counts.
    """

    to: str | None = None
    amount: int = 0
    games: tuple[int, ...] = ()

    @classmethod
    def from_points(cls, points: Mapping[str, int], games: SimultaneousGames) -> Self:
        """Return the award for a round's points. `games` contains each game's standing before the round."""
        to, amount = _find_net(points)
        return cls(to, amount, find_games_for_next_score(games, to)) if to else cls()

    @classmethod
    def from_gins(cls, gins: Mapping[str, int], games: SimultaneousGames) -> Self:
        """Return the award for a round's gins. Gins count in open games in which the team already has points."""
        to, amount = _find_net(gins)
        return cls(to, amount, find_open_games_with_score(games, to)) if to else cls()

    def add_gins(self, gins: GinCounts) -> GinCounts:
        """Return each game's number of gins after this award."""
        to = self.to
        if to is None:
            return gins
        return tuple({**game, to: game[to] + self.amount} if i in self.games else game for i, game in enumerate(gins))


def _find_net(sums: Mapping[str, int]) -> tuple[str | None, int]:
    """Return the team that is ahead (None in a tie), and by how much."""
    low, high = sorted(sums, key=lambda side: sums[side])
    more = sums[high] - sums[low]
    return (high if more else None), more


def compute_game_award(game: SimultaneousGame, gins: Mapping[str, int], side: str) -> int:
    """Return a team's award for a finished game. An open game is worth nothing yet."""
    if game.is_open:
        return 0
    return GIN_AWARD * gins[side] + (GAME_WIN_AWARD if side == game.winner else 0)


# --- Printed sheets --------------------------------------------------------------------------------------------------
# The score sheet has three games with circles, and the scorekeeper's worksheet has the rounds.


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTally(LineTally):
    """The score of a round.

    `points` contains the round's net points, and `running` contains the sum of each team's awards so far. `games` and
    `gins` contain the state of the games at the end of the round. `sums` and `gin_sums` are each team's total points
    and gins in the round, before the smaller total is subtracted from the larger one. `dealers` is the team that deals
    the next round, or None if the teams have to cut for the deal.
    """

    games: SimultaneousGames
    gins: GinCounts
    report_awards: tuple[ReportAward, ...]
    sums: dict[str, int]
    gin_sums: dict[str, int]
    points_award: RoundAward
    gins_award: RoundAward
    dealers: str | None

    def as_json(self) -> dict[str, Any]:
        columns = [dict(game.points) for game in self.games]
        return {"points": dict(self.points), "columns": columns, "event": str(self.event)}


def _get_round_tally(row: SheetRow) -> RoundTally:
    if not isinstance(row.line_tally, RoundTally):
        raise TypeError("this sheet shows rounds of the couples tournament")
    return row.line_tally


class _GameColumn:
    """A team's column for one game, with scores and circles from top to bottom as they were written.

    `won` tells whether the team has won the game, and `closed` tells whether the game is over. `gins` and `award` are
    the team's gins and award in the game.
    """

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.won = self.closed = False
        self.gins = self.award = 0

    def write_score(self, text: str, why: str) -> None:
        """Write a score into the first empty circle, or at the bottom of the column if there is none."""
        empty = next((i for i, cell in enumerate(self.cells) if not cell.text), None)
        if empty is None:
            self.cells.append(Cell(text=text, numeric=True, why=why))
        else:
            self.cells[empty] = replace(self.cells[empty], text=text, why=why)

    def draw_gin_circles(self, gins: int) -> None:
        """Draw a circle for each gin.

        The first circle goes around the last score, if that score has no circle yet. Further circles are drawn empty
        below it.
        """
        last = self.cells[-1]
        around = 0 if last.circle_count else 1
        self.cells[-1] = replace(last, circle_count=1)
        self.cells += [Cell(circle_count=1, numeric=True)] * (gins - around)

    def make_cell(self, place: int, *, write: bool) -> Cell:
        """Return the cell at this position in the column, counted from 0.

        If `write` is True, an empty cell is meant to be filled in by hand.
        """
        if place >= len(self.cells):
            return Cell(mark=CellMark.CLOSED) if self.closed else Cell(numeric=True, write=write)
        is_winning = self.won and place == max(i for i, cell in enumerate(self.cells) if cell.text)
        return replace(self.cells[place], mark=CellMark.WON) if is_winning else self.cells[place]

    def make_award_cell(self, *, write: bool) -> Cell:
        if not self.closed:
            return Cell(numeric=True, write=write)
        gins = lazy_plural("%(number)s gin at %(award)s", "%(number)s gins at %(award)s", self.gins, award=GIN_AWARD)
        won = [lazy_text("game won %(award)s", award=GAME_WIN_AWARD)] if self.won else []
        return Cell(text=str(self.award), numeric=True, why=join_texts(", ", [*won, gins]))


def _make_game_columns(rows: Sequence[SheetRow], sides: Sequence[str]) -> list[_GameColumn]:
    """Return the columns of the score sheet: the first team's three games, then the second team's."""
    columns = {(side, game): _GameColumn() for side in sides for game in range(SIMULTANEOUS_GAME_COUNT)}
    for row in rows:
        counted = _get_round_tally(row)
        for to, game, gins in _list_awards_by_game(counted.gins_award):
            columns[to, game].draw_gin_circles(gins)
        for to, game, points in _list_awards_by_game(counted.points_award):
            why = lazy_text("round %(round)s: %(points)s more", round=row.number, points=points)
            columns[to, game].write_score(str(counted.games[game].points[to]), why)
    if rows:
        counted = _get_round_tally(rows[-1])
        for (side, number), column in columns.items():
            played, gins_of = counted.games[number], counted.gins[number]
            column.won, column.closed = played.winner == side, not played.is_open
            column.gins, column.award = gins_of[side], compute_game_award(played, gins_of, side)
    return list(columns.values())


def _list_awards_by_game(award: RoundAward) -> list[tuple[str, int, int]]:
    return [] if award.to is None else [(award.to, game, award.amount) for game in award.games]


def lay_out_score_sheet(
    rows: Sequence[SheetRow], sides: Sequence[str], winner: str | None, *, blank: int
) -> SheetBlock:
    """Return the score sheet. Its columns have different lengths, so its lines do not correspond to rounds.

    `winner` is None if the sheet is incomplete or tied. `blank` is the number of empty lines below the longest column.
    """
    columns = _make_game_columns(rows, sides)
    height = max(len(column.cells) for column in columns) + blank
    return SheetBlock(
        title=lazy_text("Score sheet"),
        groups=(HeadingGroup(""), *(HeadingGroup(side, SIMULTANEOUS_GAME_COUNT) for side in sides)),
        headings=(
            Heading("No.", "entry", weight=0.8),
            *(
                Heading(lazy_text("Game %(game)s", game=game + 1), "game", numeric=True)
                for _ in sides
                for game in range(SIMULTANEOUS_GAME_COUNT)
            ),
        ),
        lines=tuple(
            LineCells((Cell(text=str(n + 1)), *(column.make_cell(n, write=blank > 0) for column in columns)))
            for n in range(height)
        ),
        footer=(
            LineCells((Cell(text=lazy_text("Award")), *(column.make_award_cell(write=not rows) for column in columns))),
            LineCells((Cell(text=lazy_text("Total")), *_iter_total_cells(rows, sides, winner))),
        ),
    )


def _iter_total_cells(rows: Sequence[SheetRow], sides: Sequence[str], winner: str | None) -> Iterator[Cell]:
    for side in sides:
        total = str(rows[-1].line_tally.running[side]) if rows else ""
        mark = CellMark.WON if side == winner else CellMark.NONE
        yield Cell(text=total, span=SIMULTANEOUS_GAME_COUNT, numeric=True, strong=True, mark=mark, write=not rows)


def make_worksheet_columns(sides: Sequence[str]) -> tuple[SheetColumn, ...]:
    return (
        SheetColumn(key="hand", heading=lazy_text("Round"), text=lambda row: str(row.number), numeric=True, weight=0.6),
        SheetColumn(key="outcome", heading=lazy_text("Results"), text=lambda row: row.line_tally.event, weight=2.5),
        *(column for side in sides for column in _make_team_columns(side)),
        SheetColumn(key="awarded", heading=lazy_text("Awarded"), text=_describe_awards, weight=1.5),
        SheetColumn(
            key="dealers",
            heading=lazy_text("Deal next"),
            text=lambda row: _get_round_tally(row).dealers or "",
            weight=0.8,
        ),
    )


def _make_team_columns(side: str) -> tuple[SheetColumn, SheetColumn]:
    points, gins = (
        (lambda row: str(_get_round_tally(row).sums[side])),
        (lambda row: str(_get_round_tally(row).gin_sums[side] or "")),
    )
    return (
        SheetColumn(key="sum", heading=lazy_text("Points"), side=side, text=points, numeric=True, weight=0.7),
        SheetColumn(key="gins", heading=lazy_text("Gins"), side=side, text=gins, numeric=True, weight=0.6),
    )


def _describe_awards(row: SheetRow) -> str:
    """Return a round's awards as text, such as “22 to Girls, 1 gin to Guys”."""
    points, gins = _get_round_tally(row).points_award, _get_round_tally(row).gins_award
    awards = [lazy_text("%(points)s to %(side)s", points=points.amount, side=points.to)] if points.to else []
    if gins.games:
        awards.append(
            lazy_plural("%(number)s gin to %(side)s", "%(number)s gins to %(side)s", gins.amount, side=gins.to)
        )
    return join_texts(", ", awards) or "–"


def lay_out_worksheet(rows: Sequence[SheetRow], sides: Sequence[str], *, blank: int) -> SheetBlock:
    """Return the scorekeeper's worksheet, with a line for each couple's report and a line for the round's sums."""
    columns = make_worksheet_columns(sides)
    lines = [line for row in rows for line in (*_iter_report_lines(row, sides), _make_sum_line(row, columns))]
    lines += [LineCells(tuple(Cell(write=True) for _ in columns))] * blank
    return SheetBlock(
        title=lazy_text("Worksheet"),
        groups=(HeadingGroup("", 2), *(HeadingGroup(side, 2) for side in sides), HeadingGroup("", 2)),
        headings=tuple(Heading(column.heading, column.key, column.numeric, column.weight) for column in columns),
        lines=tuple(lines),
    )


def _make_sum_line(row: SheetRow, columns: Sequence[SheetColumn]) -> LineCells:
    cells = [replace(column.make_cell(row), strong=True) for column in columns]
    cells[1] = replace(cells[1], text=lazy_text("Sum"))
    return LineCells(tuple(cells), row.number)


def _iter_report_lines(row: SheetRow, sides: Sequence[str]) -> Iterator[LineCells]:
    for number, earned in enumerate(_get_round_tally(row).report_awards):
        cells = [
            Cell(text="" if number else str(row.number), numeric=True),
            Cell(text=earned.report, why=earned.explanation),
        ]
        for side in sides:
            own = earned.to == side
            cells.append(Cell(text=str(earned.points) if own else "", numeric=True))
            cells.append(Cell(text=str(earned.gins) if own and earned.gins else "", numeric=True))
        yield LineCells((*cells, Cell(), Cell()))
