"""The couples gin tournament of the Metzker Book: two teams and three games at once. Each gin is a circle on the sheet.

Source: Metzker Book of Card Game Rules 2026, “Gin Rummy – Tournament Rules”. A line is a round with the reports of all
couples, in any order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import SheetBlock
from scoring.rules.book.options import NumberRange, Option, Options, Rulebook
from scoring.rules.hand.arrangement import AcePosition
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import SideReader
from scoring.rules.hand.hands import MAX_POINTS, FinishedHand, HandOutcome, KnockRule
from scoring.rules.variants.metzker.couples import (
    GIN_COUNT_BY_OUTCOME,
    MAX_COUNT_TO_KNOCK,
    OUTCOME_VERBS,
    OUTCOME_WORDS,
    CoupleReport,
    CoupleReports,
    CouplesOutcome,
    GinCounts,
    ReportAward,
    RoundAward,
    RoundTally,
    compute_game_award,
    lay_out_score_sheet,
    lay_out_worksheet,
    make_worksheet_columns,
)
from scoring.rules.variants.three_games import (
    SIMULTANEOUS_GAME_COUNT,
    SimultaneousGames,
    are_all_games_closed,
    enter_score,
    start_games,
    sum_open_game_points,
)
from scoring.rules.variants.variant import (
    FieldKind,
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    TableDrawPosition,
    Tally,
    Variant,
)
from tournament.cases import FieldReader, ProblemCollector, join_path, read_object
from tournament.lazy_text import join_texts, join_with_and, lazy_plural, lazy_text

METZKER_BOOK_TITLE: Final = lazy_text("Metzker, “Gin Rummy – Tournament Rules”")
CARDS_DEALT: Final = 12
COUPLES_OUTCOME_BY_HAND_OUTCOME: Final = {
    HandOutcome.KNOCK: CouplesOutcome.RUN,
    HandOutcome.GIN: CouplesOutcome.GIN,
    HandOutcome.BIG_GIN: CouplesOutcome.DOUBLE_GIN,
}
"""The book's names for ending a hand with a knock, gin or big gin."""
_COUNT_RANGE: Final = NumberRange(0, MAX_POINTS)
MAX_METZKER_DEADWOOD: Final = 114
"""The highest possible deadwood of twelve cards in their best arrangement: two each of K, Q, J, 10, 9 and 8."""
MAX_COUPLES: Final = 50
"""The maximum number of couples' results on a form for a round. A score sheet itself can have more results."""

_DRAW: Final = TableDraw(
    rule=lazy_text("%(book)s, “Basic Game Play”", book=METZKER_BOOK_TITLE),
    instruction=lazy_text("One couple cuts for the first deal."),
    question=lazy_text("Which team cut the high card?"),
    words=lazy_text("The team with the high card deals the first round at every table."),
    places=(TableDrawPosition(lazy_text("High card"), lazy_text("deals the first round"), lazy_text("deals first")),),
    keeper=lazy_text("One scorekeeper at the desk keeps the sheet for all tables."),
    asks_keeper=False,
)


@dataclass(frozen=True, slots=True)
class _MetzkerStanding(SheetStanding):
    """The score of the three games so far. `totals` contains each team's awards for finished games.

    `dealers` is the team that deals next, or None if the teams have to cut for the deal.
    """

    games: SimultaneousGames = ()
    gins: GinCounts = ()
    dealers: str | None = None


class MetzkerCouplesGin(Variant[CoupleReports, _MetzkerStanding]):
    name = "metzker"
    title = lazy_text("Metzker couples gin")
    about = lazy_text(
        "Two teams of couples, three games at once for the whole room; gins are circled and count at the end."
    )
    side_names = ("Guys", "Girls")
    sides_are_teams = True
    line_name = lazy_text("round")
    aces = AcePosition.BOTH
    finishes: ClassVar[Mapping[HandOutcome, str]] = {
        outcome: OUTCOME_WORDS[own] for outcome, own in COUPLES_OUTCOME_BY_HAND_OUTCOME.items()
    }
    signers = lazy_text("The scorekeeper signs, and one of each team.")
    further_signers = (lazy_text("Scorekeeper"),)
    rulebook = Rulebook(
        lazy_text("Metzker Book of Card Game Rules 2026, Gin Rummy – Tournament Rules"),
        summary=(
            lazy_text(
                "Two teams, one of each at every table; the ladies move one seat after every round. Twelve "
                "cards, and thirteen for the dealer's opponent, who begins with a discard."
            ),
            lazy_text("Runs and sets of three or more; an ace is high or low, not both. Ace 1, ten to king 10."),
            lazy_text(
                "Gin: all cards match, with a discard. It earns the opponent's points and 1 gin. Double gin, "
                "without a discard: the opponent's points and 2 gins. The opponent lays off nothing."
            ),
            lazy_text(
                "Run with less than 10 unmatched: the opponent lays off, and the runner earns the "
                "difference. An opponent who has as few or fewer earns twice the runner's points and 25."
            ),
            lazy_text("When the stock runs out, the lower count earns the difference."),
            lazy_text(
                "Each round the points of each team are summed, and the team with more is awarded the "
                "difference and deals next; so are the gins, to the team with more of them."
            ),
            lazy_text(
                "The first points go to game 1, the second to games 1 and 2, later ones to all three. Gins "
                "go, as circles, to every game in which the team had points before. A game closes at the "
                "target."
            ),
            lazy_text(
                "In the end the winner of a game has 200 and 25 for each gin in it, the loser 25 for each "
                "gin. The higher sum wins."
            ),
        ),
    )
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            name="target",
            label=lazy_text("Points a game"),
            short_label=lazy_text("Game {}"),
            meaning=lazy_text("A game closes when a team is at or over it; its award stays 200."),
            default=200,
            rule=lazy_text("%(book)s, “Object of the Game”", book=METZKER_BOOK_TITLE),
            numbers=NumberRange(1),
        ),
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        target = options["target"]
        if not isinstance(target, int):
            raise TypeError("the target is a number of points")
        self.target = target
        self.reader = SideReader(sides)

    def line_fields(self) -> tuple[LineField, ...]:
        out = tuple(str(outcome) for outcome in CouplesOutcome if outcome is not CouplesOutcome.STOCK)
        result = (
            LineField(name="outcome", label=lazy_text("How it ended"), kind=FieldKind.CHOICE, required=True,
                      choices=tuple((str(outcome), OUTCOME_WORDS[outcome]) for outcome in CouplesOutcome),
                      verbs=tuple((str(outcome), words) for outcome, words in OUTCOME_VERBS.items())),
            LineField(name="by", label=lazy_text("By"), kind=FieldKind.SIDE, required=True,
                hint=lazy_text("Who went out"), outcomes=out),
            LineField(name="counts", label=lazy_text("Counts"), kind=FieldKind.NUMBER_A_SIDE, required=True,
                      hint=lazy_text("Unmatched points of each; against a run after laying off"),
                      zero_count_player_field="by", zero_count_outcomes=tuple(map(str, GIN_COUNT_BY_OUTCOME))),
        )  # fmt: skip
        results = LineField(
            name="results", label=lazy_text("Result"), kind=FieldKind.GROUP, required=True,
            hint=lazy_text("One for every couple"),
            fields=result, most=MAX_COUPLES,
        )  # fmt: skip
        return (results,)

    def table_draw(self) -> TableDraw:
        return _DRAW

    def read_line(self, fields: FieldReader) -> CoupleReports | None:
        before = len(fields.problems.found)
        results = fields.items("results", self._read_result)
        fields.finish()
        if fields.data.get("results") == []:
            fields.problems.add_bad_value(
                fields.get_path("results"), lazy_text("A round has the result of one couple at least.")
            )
        return tuple(results) if len(fields.problems.found) == before else None

    def _read_result(self, value: Any, path: str, problems: ProblemCollector) -> CoupleReport | None:
        data = read_object(value, path, problems)
        if data is None:
            return None
        before = len(problems.found)
        fields = FieldReader(data, problems, path)
        outcome = fields.choice("outcome", [outcome.value for outcome in CouplesOutcome])
        by = None if outcome in (None, CouplesOutcome.STOCK) else fields.read("by", self.reader.read_side)
        counts = fields.read("counts", self.reader.make_number_reader(_COUNT_RANGE)) or {}
        fields.finish(known=() if outcome else ("by",))
        if by is not None and by in counts:
            self._require_possible_count(
                CouplesOutcome(outcome), counts[by], join_path(fields.get_path("counts"), by), problems
            )
        if len(problems.found) > before:
            return None
        return CoupleReport(outcome=CouplesOutcome(outcome), by=by, counts={side: counts[side] for side in self.sides})

    def _require_possible_count(self, outcome: CouplesOutcome, own: int, path: str, problems: ProblemCollector) -> None:
        """Add a problem if the player who went out cannot have ended the hand with this many unmatched points.

        `own` is the value of that player's unmatched cards, and `path` is the place of that value in the input. After
        gin, `own` must be 0. After a run (a knock), it must be at most `MAX_COUNT_TO_KNOCK`.
        """
        if outcome in GIN_COUNT_BY_OUTCOME and own:
            problems.add_bad_value(
                path,
                lazy_text(
                    "%(own)s does not go with %(outcome_words)s: all cards match.",
                    own=own,
                    outcome_words=OUTCOME_WORDS[outcome],
                ),
            )
        if outcome is CouplesOutcome.RUN and own > MAX_COUNT_TO_KNOCK:
            problems.add_bad_value(
                path,
                lazy_text(
                    "A run with %(own)s: %(most_run)s is the most, %(book)s, “RUN”.",
                    own=own,
                    most_run=MAX_COUNT_TO_KNOCK,
                    book=METZKER_BOOK_TITLE,
                ),
            )

    def write_line(self, line: CoupleReports) -> dict[str, Any]:
        results = []
        for result in line:
            by = {} if result.by is None else {"by": result.by}
            results.append({"outcome": str(result.outcome), **by, "counts": dict(result.counts)})
        return {"results": results}

    def make_knock_rule(self, up: PlayingCard | None) -> KnockRule:
        """Return the rule for going out with “RUN”, “GIN”, or “DOUBLE GIN”.

        “RUN” requires fewer than 10 points in unmatched cards. In “DOUBLE GIN”, every card is matched, including the
        drawn one, so nothing is discarded.
        """
        return KnockRule(limit=MAX_COUNT_TO_KNOCK, allows_big_gin=True, hand_size=CARDS_DEALT, ace=self.aces)

    def make_showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        counts = {hand.by: hand.own_count, hand.against: hand.other_count}
        return {
            "results": [
                {"outcome": str(COUPLES_OUTCOME_BY_HAND_OUTCOME[hand.outcome]), "by": hand.by, "counts": counts}
            ]
        }

    def make_initial_standing(self) -> _MetzkerStanding:
        none = dict.fromkeys(self.sides, 0)
        return _MetzkerStanding(totals=none, games=start_games(self.sides), gins=(none,) * SIMULTANEOUS_GAME_COUNT)

    def score_line(self, standing: _MetzkerStanding, line: CoupleReports) -> tuple[_MetzkerStanding, RoundTally]:
        """Score a round.

        The points and gins are added to one or more of the three games, depending on the games' state before the round
        (Metzker Book, “Awarding Points” and “Awarding Gins”).
        """
        earned = tuple(result.compute_award() for result in line)
        sums = {side: sum(each.points for each in earned if each.to == side) for side in self.sides}
        gin_sums = {side: sum(each.gins for each in earned if each.to == side) for side in self.sides}
        points, ginned = RoundAward.from_points(sums, standing.games), RoundAward.from_gins(gin_sums, standing.games)
        after = self._apply_award(standing, points, ginned)
        counted = RoundTally(
            points={side: points.amount if side == points.to else 0 for side in self.sides},
            running=after.totals,
            event=", ".join(str(result.outcome) for result in line),
            explanation=_explain_round(earned, points, ginned),
            games=after.games,
            gins=after.gins,
            report_awards=earned,
            sums=sums,
            gin_sums=gin_sums,
            points_award=points,
            gins_award=ginned,
            dealers=after.dealers,
        )
        return after, counted

    def _apply_award(self, standing: _MetzkerStanding, points: RoundAward, ginned: RoundAward) -> _MetzkerStanding:
        games = standing.games
        if points.to is not None:
            games = enter_score(games, points.to, points.amount, target=self.target)
        gins = ginned.add_gins(standing.gins)
        both = list(zip(games, gins, strict=True))
        totals = {side: sum(compute_game_award(game, each, side) for game, each in both) for side in self.sides}
        complete = are_all_games_closed(games)
        return _MetzkerStanding(
            totals=totals,
            complete=complete,
            winner=_find_leading_team(totals) if complete else None,
            games=games,
            gins=gins,
            dealers=points.to or standing.dealers,
        )

    def make_tally(self, standing: _MetzkerStanding, rows: Sequence[LineTally]) -> Tally:
        both = zip(standing.games, standing.gins, strict=True)
        games = [{**game.points, "gins": dict(gins), "winner": game.winner} for game, gins in both]
        open_points = sum_open_game_points(standing.games)
        return replace(super().make_tally(standing, rows), variant_fields={"games": games}, open_points=open_points)

    def iter_warnings(self, line: CoupleReports, earlier: Sequence[CoupleReports]) -> Iterator[LineWarning]:
        for number, result in enumerate(line, start=1):
            yield from _warn_of_unlikely_result(number, result)
        if earlier and earlier[-1] == line:
            yield LineWarning(
                "same-round", lazy_text("The round before has exactly these results. Is this one recorded twice?")
            )
        if earlier and len(earlier[-1]) != len(line):
            before = lazy_text(
                "The round before had %(earlier)s results, this one has %(line)s.",
                earlier=len(earlier[-1]),
                line=len(line),
            )
            yield LineWarning(
                "other-number-of-results", lazy_text("%(before)s Has every couple reported?", before=before)
            )

    def columns(self) -> tuple[SheetColumn, ...]:
        return make_worksheet_columns(self.sides)

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        winner = counted.winner if counted is not None else None
        return lay_out_score_sheet(rows, self.sides, winner, blank=blank), lay_out_worksheet(
            rows, self.sides, blank=blank
        )


def _find_leading_team(totals: Mapping[str, int]) -> str | None:
    low, high = sorted(totals, key=lambda side: totals[side])
    return high if totals[high] > totals[low] else None


def _explain_round(earned: Sequence[ReportAward], points: RoundAward, ginned: RoundAward) -> str:
    results = join_texts("; ", (each.explanation for each in earned))
    net = _describe_net_points(points.amount, points) if points.to else lazy_text("the points are level")
    if ginned.to is None:
        gins = lazy_text("no gins more on either side")
    elif ginned.games:
        gins = _describe_net_points(_describe_net_gins(ginned.amount), ginned)
    else:
        gins = lazy_text(
            "net %(amount)s to %(to)s, in no game: no points before this round",
            amount=_describe_net_gins(ginned.amount),
            to=ginned.to,
        )
    return lazy_text(
        "%(said)s. Awarded: %(net)s; %(gins)s, %(book)s, “Scoring”",
        said=results,
        net=net,
        gins=gins,
        book=METZKER_BOOK_TITLE,
    )


def _describe_net_points(amount: int | str, award: RoundAward) -> str:
    numbers = join_with_and([str(game + 1) for game in award.games])
    games = lazy_plural("game %(games)s", "games %(games)s", len(award.games), games=numbers)
    return lazy_text("net %(amount)s to %(side)s, %(games)s", amount=amount, side=award.to, games=games)


def _describe_net_gins(amount: int) -> str:
    return lazy_plural("%(number)s gin", "%(number)s gins", amount)


def _warn_of_unlikely_result(number: int, result: CoupleReport) -> Iterator[LineWarning]:
    for side, count in result.counts.items():
        if count > MAX_METZKER_DEADWOOD:
            most = lazy_text(
                "twelve cards laid out at their best: %(most_deadwood)s", most_deadwood=MAX_METZKER_DEADWOOD
            )
            yield LineWarning(
                "count-too-high",
                lazy_text(
                    "Result %(number)s: %(side)s cannot count %(count)s; %(most)s.",
                    number=number,
                    side=side,
                    count=count,
                    most=most,
                ),
            )
    if result.outcome is CouplesOutcome.RUN and result.by is not None and result.counts[result.by] == 0:
        yield LineWarning(
            "run-with-nothing",
            lazy_text("Result %(number)s: %(by)s ran with 0. Was it gin?", number=number, by=result.by),
        )
    if result.outcome in GIN_COUNT_BY_OUTCOME and not any(result.counts.values()):
        yield LineWarning(
            "gin-against-nothing",
            lazy_text("Result %(number)s: both have 0. Is the opponent's count right?", number=number),
        )
