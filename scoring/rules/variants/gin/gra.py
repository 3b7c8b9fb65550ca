"""The singles and partnership games under the Gin Rummy Association's tournament rules of 2012.

The rules leave some things to the director: the points for a game, big gin, spades, boxes, a game bonus, and shutouts.
By default, there are no such extra bonuses (partnership 9: “no bonus for boxes, blitzes, or spades”).

In a partnership game, each teammate plays an opponent at a separate board, and the boards' scores are netted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Final

from scoring.rules.book.options import NumberRange, Option, Options, Rulebook, RuleTopic, adapt_options_to_variant
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HandReader, UpCardReading, hand_to_json
from scoring.rules.hand.hands import GIN_OPTIONS, FinishedHand, Hand, HandOutcome, HandScore, PointsOnlyHand, score_hand
from scoring.rules.variants.gin.two_sided import (
    GRA_RULES_BY_OPTION,
    GRA_RULES_BY_TOPIC,
    GinVariant,
    TwoSidedGin,
    format_outcome,
    format_up_card,
    make_side_columns,
)
from scoring.rules.variants.variant import (
    LOW_CARD_TABLE_DRAW,
    FieldKind,
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    make_line_number_column,
)
from tournament.cases import FieldReader, ProblemCollector, read_object, read_unchecked_list
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

# --- The rules -------------------------------------------------------------------------------------------------------
# They are written in sentences of our own, in the Association's order.

_SINGLES_RULES: Final = (
    lazy_text("Players are paired for the first match by a blind draw."),
    lazy_text(
        "Cut for deal in every new game. Low card deals first and keeps score; ace is low. Count your cards first."
    ),
    lazy_text(
        "The dealer shuffles. The other player may shuffle too, then cuts. The dealer may shuffle again, and then "
        "the other player may only square the cut."
    ),
    lazy_text(
        "Each player gets 10 cards, and the 21st is the up card. Its value is the most you may knock with; under an "
        "ace the hand is played for gin. The scorer records it at once, both players check it, and what is recorded "
        "usually counts."
    ),
    lazy_text("Touching the top of a pile by mistake does not oblige you to take the card."),
    lazy_text(
        "A hand ends with a knock, a gin, or the 50th card, which both players may still use. A knock scores the "
        "difference. Against an equal or lower count it is undercut: the opponent scores the difference and a bonus. "
        "Gin scores the opponent's unmatched points and a bonus."
    ),
    lazy_text("Both players sign the score card after each game, with the game number and the final scores filled in."),
    lazy_text(
        "A wrong number of cards before the first play, or in both hands, is a new deal. Later the player with 10 "
        "cards chooses between a correction and a new deal. At the end of a hand, each missing card counts 10 points, "
        "and extra cards count their value."
    ),
    lazy_text(
        "A knock above the up card is played open, unless the opponent can accept it with a count at the up card or "
        "lower. The player then knocks as soon as the count allows. If you announce a knock or a gin, lay the hand "
        "down; if it is not good, it is played open."
    ),
    lazy_text("A player who knocks or gins and turns down the wrong card may pick it up again and rearrange the hand."),
    lazy_text(
        "A player who draws two cards loses the extra card and may not knock or gin. If that player has nine cards "
        "matched or is on gin, the director tells the opponent, who may have the hands thrown in."
    ),
    lazy_text(
        "A dealer who takes the up card out of turn may not have it. The opponent may still take it or leave it."
    ),
    lazy_text(
        "Never break a rule because no penalty is set for it. Shuffle well, wait for the discard, and show no false "
        "interest in it. A false report of a match costs the player one game."
    ),
    lazy_text(
        "A card taken from the discard pile may be discarded again, and that is a play. The opponent may retake it "
        "only to knock."
    ),
    lazy_text("Each player may ask for a new deck once. The old deck does not come back into play."),
    lazy_text(
        "A count that both players agreed to stands once it is recorded. Do not shuffle before the score is right."
    ),
    lazy_text(
        "Two players whom the staff did not match can both lose a game or be eliminated. If a game is given away, both "
        "players can be eliminated."
    ),
)

_PARTNERSHIP_RULES: Final = (
    lazy_text("A team plays up to five games to 250 points, and stops when it has lost two."),
    lazy_text("Teams with four or five wins are in the finals."),
    lazy_text(
        "A team with four wins and no loss plays the fifth game, too. In a play-off, teams with five wins have a bye."
    ),
    lazy_text("Cut for deal in every new game. The team with the low card deals first and keeps score."),
    lazy_text("One member of each team signs the score card."),
    lazy_text("The partners of a team sit side by side."),
    lazy_text(
        "The dealer deals the opponent 11 cards. A center deck turns up the knock card for every board of the hand."
    ),
    lazy_text("The team that lost the points deals the next hand."),
    lazy_text("There is no bonus for boxes, blitzes, or spades."),
    lazy_text(
        "Partners play in unison. If you need time for a discard, say that it is your play. Otherwise your opponent "
        "may have their partner wait for you."
    ),
    lazy_text("After losing your hand, you need not give a count until the other team's player has 10 cards."),
    lazy_text(
        "When one board is finished, its two players may give the score of both teams, but only then. A player still "
        "playing may ask for it at any time."
    ),
    lazy_text(
        "Partners do not consult during a hand or help to arrange it. They may help with lay-offs, and may say that "
        "their partner has the wrong number of cards."
    ),
    lazy_text("The partners of a team that lost a hand may change seats."),
)

_HOW_BOARDS_COUNT: Final = (
    lazy_text("The singles rules hold where these say nothing. The up card's value is the most you may knock with."),
    lazy_text(
        "A knock wins with strictly fewer points and scores the difference. Otherwise it is an undercut, with a bonus "
        "for the opponent. Gin scores the opponent's unmatched points and a bonus. Under an ace every board is played "
        "for gin."
    ),
    lazy_text(
        "The boards of a hand are netted. The team ahead scores the difference, and a level hand scores nothing."
    ),
)


class GraSingles(TwoSidedGin):
    name = "gra-singles"
    title = lazy_text("Gin Rummy Association, singles")
    about = lazy_text(
        "Two players, hand by hand to a target; the up card limits the knock, and an ace is played for gin."
    )
    rulebook = Rulebook(
        lazy_text("Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012"),
        GRA_RULES_BY_TOPIC,
        summary=_SINGLES_RULES,
        is_numbered=True,
    )
    options: ClassVar[tuple[Option, ...]] = adapt_options_to_variant(GIN_OPTIONS, GRA_RULES_BY_OPTION)


# --- Boards of a partnership -----------------------------------------------------------------------------------------
# A line has several hands that are played side by side under one up card, and netted.


@dataclass(frozen=True, slots=True)
class PartnershipLine:
    """A line of a partnership sheet, with one hand for each board. All boards share the same up card."""

    up: PlayingCard | None
    boards: tuple[Hand, ...]


class _NetEvent(StrEnum):
    NET = "net"
    LEVEL = "level"


class _BoardsReader:
    """Reads lines of a partnership sheet. If `boards` is 0, any number of boards is accepted."""

    def __init__(self, reader: HandReader, boards: int) -> None:
        self.reader = reader
        self.boards = boards

    def read(self, fields: FieldReader) -> PartnershipLine | None:
        """Read a line. If it is invalid, add its problems and return None.

        The path of a problem on a board starts with the board, such as `boards[1]`.
        """
        before = len(fields.problems.found)
        written = fields.read("boards", read_unchecked_list)
        up = self._read_up(fields, written or [])
        fields.finish()
        if written is not None and self.boards and len(written) != self.boards:
            message = lazy_plural(
                "A hand is played on %(number)s board by this rule sheet; here are %(written)s.",
                "A hand is played on %(number)s boards by this rule sheet; here are %(written)s.",
                self.boards,
                written=len(written),
            )
            fields.problems.add_bad_value(fields.get_path("boards"), message)
        boards = [
            self._read_board(b, f"{fields.get_path('boards')}[{i}]", up, fields) for i, b in enumerate(written or [])
        ]
        if len(fields.problems.found) > before:
            return None
        return PartnershipLine(up.card, tuple(board for board in boards if board is not None))

    def _read_up(self, fields: FieldReader, boards: Sequence[Any]) -> UpCardReading:
        """Read the boards' common up card.

        If a knock requires the up card and none is recorded, only one problem is added for the whole line.
        """
        up = self.reader.read_up(fields)
        is_knock = any(isinstance(board, dict) and board.get("outcome") == HandOutcome.KNOCK for board in boards)
        if "up" in fields or not is_knock or self.reader.terms.knock is not None:
            return up
        message = self.reader.rulebook.add_citation(
            RuleTopic.KNOCK_CARD, lazy_text("“up” is missing: a knock is limited by the up card.")
        )
        fields.problems.add("missing-field", fields.get_path("up"), message)
        return UpCardReading(None, is_legible=False)

    def _read_board(self, value: Any, path: str, up: UpCardReading, fields: FieldReader) -> Hand | None:
        problems: ProblemCollector = fields.problems
        data = read_object(value, path, problems)
        return None if data is None else self.reader.read_board(FieldReader(data, problems, path), up)


# --- The partnership game --------------------------------------------------------------------------------------------

_OFFERED_OPTIONS = ("target", "knock", "ace", "gin_bonus", "undercut_bonus")
"""The options of a partnership game. It has no boxes, shutouts, spades (partnership 9) or big gin."""

_BOARDS = Option(
    name="boards",
    label=lazy_text("Boards"),
    short_label=lazy_text("{} boards"),
    meaning=lazy_text("How many hands of the two teams are played side by side and netted."),
    default=2,
    numbers=NumberRange(1, 10),
    fallback=0,
)


_DRAW = replace(
    LOW_CARD_TABLE_DRAW,
    rule=lazy_text("GRA partnership rule 4"),
    question=lazy_text("Which team cut the low card?"),
    words=lazy_text("The team with the low card deals first and keeps score. Ace is low."),
)


class GraPartnership(GinVariant[PartnershipLine, SheetStanding]):
    name = "gra-partnership"
    title = lazy_text("Gin Rummy Association, partnership")
    about = lazy_text(
        "Two teams side by side; the boards of a hand are netted, and the team ahead scores the difference."
    )
    signers = lazy_text("One of each team signs.")
    rulebook = Rulebook(
        lazy_text("Gin Rummy Association, Gin Rummy Rules for Tournament Play, 2012: partnership"),
        GRA_RULES_BY_TOPIC,
        summary=_PARTNERSHIP_RULES,
        is_numbered=True,
        notes=_HOW_BOARDS_COUNT,
        follows="gra-singles",
    )
    options: ClassVar[tuple[Option, ...]] = (
        *adapt_options_to_variant(
            [option for option in GIN_OPTIONS if option.name in _OFFERED_OPTIONS],
            {"target": lazy_text("GRA partnership rule 1"), **GRA_RULES_BY_OPTION},
            target=250,
        ),
        _BOARDS,
    )

    def __init__(self, sides: tuple[str, ...], options: Options) -> None:
        super().__init__(sides, options)
        self.boards = options["boards"] if isinstance(options["boards"], int) else 0
        self.reader = _BoardsReader(HandReader(sides, self.terms, self.rulebook), self.boards)

    def line_fields(self) -> tuple[LineField, ...]:
        boards = LineField(
            name="boards", label=lazy_text("Board"), kind=FieldKind.GROUP, required=True,
            fields=self.list_hand_fields(), fewest=self.boards, most=self.boards,
        )  # fmt: skip
        return (self.make_up_card_field(), boards)

    def table_draw(self) -> TableDraw:
        return _DRAW

    def read_line(self, fields: FieldReader) -> PartnershipLine | None:
        return self.reader.read(fields)

    def write_line(self, line: PartnershipLine) -> dict[str, Any]:
        up = {} if line.up is None else {"up": str(line.up)}
        return {**up, "boards": [hand_to_json(replace(board, up=None)) for board in line.boards]}

    def make_initial_standing(self) -> SheetStanding:
        return SheetStanding(dict.fromkeys(self.sides, 0))

    def score_line(self, standing: SheetStanding, line: PartnershipLine) -> tuple[SheetStanding, LineTally]:
        """Score a line by netting its boards. The side ahead scores the difference, and nobody scores in a tie.

        >>> game = GraPartnership(("A", "B"), GraPartnership.defaults())
        >>> line = PartnershipLine(None, (PointsOnlyHand(to="A", points=30), PointsOnlyHand(to="B", points=12)))
        >>> game.score_line(game.make_initial_standing(), line)[1].explanation[:35]
        'net: A 30, B 12, difference 18: 18 '
        """
        verdicts = [score_hand(board, self.terms, self.rulebook) for board in line.boards]
        sums = {side: sum(verdict.points for verdict in verdicts if verdict.to == side) for side in self.sides}
        points = {side: own - min(sums.values()) for side, own in sums.items()}
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        winner = self.find_winner(totals)
        event = _NetEvent.NET if any(points.values()) else _NetEvent.LEVEL
        explanation = _explain_net(event, sums, points, verdicts)
        counted = LineTally(points=points, running=totals, event=event, explanation=explanation)
        return replace(standing, totals=totals, winner=winner, complete=winner is not None), counted

    def iter_warnings(self, line: PartnershipLine, earlier: Sequence[PartnershipLine]) -> Iterator[LineWarning]:
        """Yield warnings about the up card, each board, and the dealer.

        “The team that lost the points deals the next hand” (GRA 2012, partnership 8).
        """
        played = any(board.outcome is not HandOutcome.VOID for board in line.boards)
        yield from self.iter_up_card_warnings(line.up, earlier[-1].up if earlier else None, played=played)
        for number, board in enumerate(line.boards, start=1):
            for doubt in self.iter_board_warnings(board):
                yield LineWarning(
                    doubt.code, lazy_text("Board %(number)s: %(message_)s", number=number, message_=doubt.message)
                )
        before = self.score_line(self.make_initial_standing(), earlier[-1])[1].points if earlier else {}
        winner = next((side for side, points in before.items() if points), None)
        if winner is not None and any(board.dealer == winner for board in line.boards):
            message = lazy_text(
                "%(winner)s won the hand before: the team that lost the points deals, GRA partnership rule 8.",
                winner=winner,
            )
            yield LineWarning("winner-deals", message)

    def make_showdown_line(self, hand: FinishedHand) -> dict[str, Any]:
        """Return a line with this hand on the first board. The other boards are entered as thrown in."""
        others = [{"outcome": str(HandOutcome.VOID)}] * (self.boards - 1)
        up = {} if hand.up is None else {"up": str(hand.up)}
        return {**up, "boards": [hand_to_json(replace(hand, up=None)), *others]}

    def make_points_line(self, side: str, points: int) -> PartnershipLine:
        nobody = (PointsOnlyHand(to=None, points=0),) * (self.boards - 1)
        return PartnershipLine(None, (PointsOnlyHand(to=side, points=points), *nobody))

    def compute_max_points(self) -> int:
        return self.boards * super().compute_max_points()

    def columns(self) -> tuple[SheetColumn, ...]:
        up = SheetColumn(key="up", heading=lazy_text("Up card"), text=lambda row: format_up_card(row.line.up))
        boards = (self._make_board_column(board) for board in range(self.boards))
        return (
            make_line_number_column(),
            up,
            *boards,
            *(column for side in self.sides for column in make_side_columns(side)),
        )

    def _make_board_column(self, board: int) -> SheetColumn:
        """Return the column for a board. Boards are numbered from 0.

        The first board's column has the key `outcome`, because corrections are marked in the column with that key.
        """

        def judge(row: SheetRow) -> HandScore:
            return score_hand(row.line.boards[board], self.terms, self.rulebook)

        def text(row: SheetRow) -> str:
            verdict = judge(row)
            outcome = format_outcome(row.line.boards[board], verdict.event)
            if verdict.to is None:
                return outcome
            return join_texts(
                ": ", [outcome, lazy_text("%(points)s to %(side)s", points=verdict.points, side=verdict.to)]
            )

        key = "board" if board else "outcome"
        heading = lazy_text("Board %(board)s", board=board + 1)
        return SheetColumn(key=key, heading=heading, weight=2.5, text=text, explain=lambda row: judge(row).explanation)


def _explain_net(
    event: _NetEvent, sums: Mapping[str, int], points: Mapping[str, int], verdicts: Sequence[HandScore]
) -> str:
    scored = next(((side, each) for side, each in points.items() if each), None)
    result = lazy_text("nobody scores")
    if scored is not None:
        result = lazy_text("%(points)s to %(side)s", points=scored[1], side=scored[0])
    boards = [
        lazy_text("board %(number)s: %(working)s", number=number, working=verdict.explanation)
        for number, verdict in enumerate(verdicts, start=1)
    ]
    return lazy_text(
        "%(event)s: %(each)s, difference %(points)s: %(result)s (%(working)s)",
        event=event,
        each=", ".join(f"{side} {total}" for side, total in sums.items()),
        points=max(points.values()),
        result=result,
        working=join_texts("; ", boards),
    )
