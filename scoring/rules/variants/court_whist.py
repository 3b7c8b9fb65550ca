"""Court Whist: each player has a card with 28 hands in seven games, and each game is scored differently.

The player with the highest grand total wins. A single card does not show who won the event, so the `winner` of a card
is always None.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from scoring.rules.book.layout import Cell, CellMark, Heading, LineCells, SheetBlock, format_signed_number
from scoring.rules.book.options import Option, Rulebook, RuleTable
from scoring.rules.hand.hands import MAX_POINTS
from scoring.rules.variants.variant import (
    FieldKind,
    LineField,
    LineTally,
    LineWarning,
    SheetColumn,
    SheetRow,
    SheetStanding,
    TableDraw,
    Tally,
    Variant,
    make_total_column,
)
from tournament.cases import FieldReader
from tournament.errors import InputProblem
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

# --- The card --------------------------------------------------------------------------------------------------------
# The card has seven games of four hands, each with its trump and its worth.

HANDS_PER_GAME: Final = 4
TRICKS_PER_HAND: Final = 13
FACE_CARD_COUNT: Final = 12
PARTNERS_LABEL: Final = lazy_text("Partners")
SIT_OUT_POINTS: Final = 8
"""The score for sitting out a hand. The score is the same in all games, even in the game with doubled points.

“Sit outs (if necessary) will take a score of 8 at each hand.”
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraScoringItem:
    """An item that a game counts in addition to tricks, with its field name, label, value in points, and maximum."""

    field: str
    label: str
    worth: int
    words: str
    most: int
    is_part_of_tricks: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WhistGame:
    """One of the seven games on the printed card. `trumps` lists the trump for each hand."""

    number: int
    name: str
    partners: str = PARTNERS_LABEL
    heading: str = ""
    trumps: tuple[str, str, str, str] = (
        lazy_text("Spades trump"),
        lazy_text("Hearts trump"),
        lazy_text("Clubs trump"),
        lazy_text("Diamonds trump"),
    )
    possible: str = "13"
    trick_worth: int = 1
    counts_opponents: bool = False
    extra: ExtraScoringItem | None = None

    @property
    def title(self) -> str:
        """The game's heading on the card.

        >>> WHIST_GAMES[3].title
        'Game 3 – Conspiracy – No partners'
        """
        return lazy_text(
            "Game %(number)s – %(name)s – %(partners)s", number=self.number, name=self.name, partners=self.partners
        )

    @property
    def description(self) -> str:
        """The game's rule in a few sentences.

        >>> WHIST_GAMES[4].description
        '2 extra for each trick taken by lady. Spades trump, Hearts trump, Clubs trump, Diamonds trump.'
        """
        partners = [] if self.partners == PARTNERS_LABEL else [self.partners]
        sentences = [*partners, self.heading, join_texts(", ", dict.fromkeys(self.trumps))]
        return lazy_text("%(sentences)s.", sentences=join_texts(". ", filter(None, sentences)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _WhistHand:
    """A hand on a player's card. It has no counts if the player sat out.

    `tricks` is the number of tricks taken by the player's couple (in game 3, by the player alone). `extra` is the
    number for the game's `ExtraScoringItem`.
    """

    game: int
    hand: int
    tricks: int = 0
    extra: int = 0
    sat_out: bool = False

    @property
    def place(self) -> tuple[int, int]:
        return self.game, self.hand


WHIST_GAMES: Final = {
    game.number: game
    for game in (
        WhistGame(
            number=1, name=lazy_text("Coronation"), heading=lazy_text("Total tricks taken"),
            trumps=(
                lazy_text("Trump declared by owner of King-Spades"),
                lazy_text("Trump declared by owner of King-Hearts"),
                lazy_text("Trump declared by owner of King-Clubs"),
                lazy_text("Trump declared by owner of King-Diamonds"),
            ),
        ),
        WhistGame(
            number=2, name=lazy_text("Prosperity"), heading=lazy_text("Each trick counts as double"), possible="26",
            trick_worth=2,
        ),
        WhistGame(
            number=3, name=lazy_text("Conspiracy"), partners=lazy_text("No partners"),
                heading=lazy_text("Each player scores own tricks only"),
            trumps=(lazy_text("Last card is turned up for trump"),) * 4,
        ),
        WhistGame(
            number=4, name=lazy_text("Chivalry"), heading=lazy_text("2 extra for each trick taken by lady"),
            possible=lazy_text("13 to 39"),
            extra=ExtraScoringItem(field="lady_tricks", label=lazy_text("Tricks taken by the lady"), worth=2,
                words=lazy_text("by the lady"),
                        most=TRICKS_PER_HAND, is_part_of_tricks=True),
        ),
        WhistGame(
            number=5, name=lazy_text("Revolution"), heading=lazy_text("Each side scores opponents' tricks"),
            trumps=(lazy_text("No trump"),) * 4, counts_opponents=True,
        ),
        WhistGame(
            number=6, name=lazy_text("Confiscation"),
            heading=lazy_text(
                "Each player speaking after cards dealt forfeits 3 points, deducted from the speaker's total"
            ),
            extra=ExtraScoringItem(field="spoken", label=lazy_text("Times the player spoke"), worth=-3,
                             words=lazy_text("spoken"), most=MAX_POINTS),
        ),
        WhistGame(
            number=7, name=lazy_text("Restoration"),
                heading=lazy_text("Each face card is a point in addition to the tricks"), possible="25",
            extra=ExtraScoringItem(
                field="faces", label=lazy_text("Face cards taken"), worth=1, words=lazy_text("face cards"),
                most=FACE_CARD_COUNT),
        ),
    )
}  # fmt: skip
HAND_POSITIONS: Final = tuple((game, hand) for game in WHIST_GAMES for hand in range(1, HANDS_PER_GAME + 1))
"""Every hand on the card as (game, hand), in the order of play."""


def _score_hand(hand: _WhistHand) -> int:
    """Return the points of a hand.

    >>> _score_hand(_WhistHand(game=4, hand=1, tricks=7, extra=3)), _score_hand(_WhistHand(game=5, hand=1, tricks=4))
    (13, 9)
    >>> _score_hand(_WhistHand(game=6, hand=2, tricks=5, extra=2))
    -1
    >>> _score_hand(_WhistHand(game=2, hand=2, sat_out=True))
    8
    """
    game = WHIST_GAMES[hand.game]
    if hand.sat_out:
        return SIT_OUT_POINTS
    tricks = TRICKS_PER_HAND - hand.tricks if game.counts_opponents else hand.tricks
    return game.trick_worth * tricks + (game.extra.worth * hand.extra if game.extra else 0)


def _explain_hand(hand: _WhistHand) -> str:
    """Return the calculation as text.

    >>> _explain_hand(_WhistHand(game=4, hand=1, tricks=7, extra=3))
    'Chivalry: 7 tricks, 3 by the lady at 2 each: 13, Court Whist card, game 4'
    >>> _explain_hand(_WhistHand(game=5, hand=3, tricks=1))
    "Revolution: the opponents' tricks, 13 − 1: 12, Court Whist card, game 5"
    >>> _explain_hand(_WhistHand(game=6, hand=1, tricks=3, extra=1))
    'Confiscation: 3 tricks, 1 spoken at −3 each: 0, Court Whist card, game 6'
    """
    game = WHIST_GAMES[hand.game]
    if hand.sat_out:
        return lazy_text(
            "%(name)s: sat out, %(sit_out_worth)s at each hand, Court Whist rules",
            name=game.name,
            sit_out_worth=SIT_OUT_POINTS,
        )
    counted = [_describe_tricks(game, hand.tricks)]
    if game.extra:
        counted.append(
            lazy_text(
                "%(number)s %(what)s at %(worth)s each",
                number=hand.extra,
                what=game.extra.words,
                worth=format_signed_number(game.extra.worth),
            )
        )
    return lazy_text(
        "%(name)s: %(counted)s: %(hand)s, Court Whist card, game %(game)s",
        name=game.name,
        counted=join_texts(", ", counted),
        hand=format_signed_number(_score_hand(hand)),
        game=hand.game,
    )


def _describe_tricks(game: WhistGame, tricks: int) -> str:
    if game.counts_opponents:
        return lazy_text("the opponents' tricks, %(all)s − %(own)s", all=TRICKS_PER_HAND, own=tricks)
    if game.trick_worth != 1:
        return lazy_plural(
            "%(number)s trick at %(worth)s each", "%(number)s tricks at %(worth)s each", tricks, worth=game.trick_worth
        )
    return lazy_plural("%(number)s trick", "%(number)s tricks", tricks)


# --- The variant -----------------------------------------------------------------------------------------------------

_EXTRA_FIELDS: Final = tuple(game.extra.field for game in WHIST_GAMES.values() if game.extra)
_MOST_SPOKEN: Final = 5
"""The highest plausible number of times that a player speaks during a hand, which costs points in game 6."""

_DRAW: Final = TableDraw(
    rule=lazy_text("Metzker, Court Whist, “Game Play”"),
    instruction=lazy_text("Cut for the deal at your table."),
    words=lazy_text(
        "High card deals, aces are high. The deal then goes around the table clockwise: everybody deals once."
    ),
    keeper=lazy_text("Everybody keeps a card of their own."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _WhistStanding(SheetStanding):
    """The grand total, each game's total, and the hands recorded so far as (game, hand)."""

    games: tuple[int, ...] = (0,) * len(WHIST_GAMES)
    recorded: frozenset[tuple[int, int]] = frozenset()


class CourtWhist(Variant[_WhistHand, _WhistStanding]):
    name = "court-whist"
    title = lazy_text("Court Whist")
    about = lazy_text("Whist in seven games of four hands with changing partners; every player keeps their own card.")
    fewest_sides = 1
    most_sides = 1
    lines_are_independent = True
    signers = lazy_text("The player signs.")
    options: ClassVar[tuple[Option, ...]] = ()
    rulebook = Rulebook(
        lazy_text("Metzker Book of Card Game Rules 2026, Court Whist, pages 29–30"),
        summary=(
            lazy_text("Four players a table, all cards dealt; aces are high at all times, cuts too."),
            lazy_text("Seven games of four hands. Trump is as the card says; players must follow suit if possible."),
            lazy_text("Partners score their side's tricks; in Conspiracy each player scores their own."),
            lazy_text(
                "Prosperity counts double. Chivalry adds 2 for each trick taken by the lady. Revolution "
                "counts the opponents' tricks. Confiscation takes off 3 each time the player spoke. "
                "Restoration adds a point for each face card."
            ),
            lazy_text("A player who sits out scores 8 at each hand."),
            lazy_text(
                "After each game the winners move, gentlemen counterclockwise, ladies clockwise, and everybody "
                "gets a new partner. The highest grand total wins."
            ),
        ),
    )

    def table_draw(self) -> TableDraw:
        return _DRAW

    def line_fields(self) -> tuple[LineField, ...]:
        """Return the fields of a line. The extra count is optional, because a hand that was sat out has none."""
        games = tuple((str(game.number), f"{game.number} {game.name}") for game in WHIST_GAMES.values())
        hands = tuple((str(hand), str(hand)) for hand in range(1, HANDS_PER_GAME + 1))
        extras = (
            LineField(name=game.extra.field, label=game.extra.label, kind=FieldKind.NUMBER,
                      depends_on="game", outcomes=(str(game.number),))
            for game in WHIST_GAMES.values() if game.extra
        )  # fmt: skip
        return (
            LineField(name="game", label=lazy_text("Game"), kind=FieldKind.NUMBER, required=True, lowest=1,
                      choices=games),
            LineField(name="hand", label=lazy_text("Hand"), kind=FieldKind.NUMBER, required=True, lowest=1,
                      choices=hands),
            LineField(name="sit_out", label=lazy_text("Sat out"), kind=FieldKind.SWITCH),
            LineField(name="tricks", label=lazy_text("Tricks"), kind=FieldKind.NUMBER,
                hint=lazy_text("Your side's; your own in game 3"),
                      required=True, depends_on="sit_out", outcomes=("false",)),
            *extras,
        )  # fmt: skip

    def read_line(self, fields: FieldReader) -> _WhistHand | None:
        """Read a hand that was played or sat out."""
        before = len(fields.problems.found)
        game = fields.integer("game", minimum=1, maximum=len(WHIST_GAMES))
        hand = fields.integer("hand", minimum=1, maximum=HANDS_PER_GAME)
        sat_out = fields.boolean("sit_out", default=None)
        tricks = extra = 0
        if "sit_out" in fields and sat_out is None:
            fields.finish(known=("tricks", *_EXTRA_FIELDS))
        elif sat_out:
            fields.finish()
        else:
            tricks, extra = _read_played(fields, game)
        if len(fields.problems.found) > before:
            return None
        return _WhistHand(game=game, hand=hand, tricks=tricks, extra=extra, sat_out=bool(sat_out))

    def write_line(self, line: _WhistHand) -> dict[str, Any]:
        place = {"game": line.game, "hand": line.hand}
        if line.sat_out:
            return {**place, "sit_out": True}
        extra = WHIST_GAMES[line.game].extra
        return {**place, "tricks": line.tricks, **({extra.field: line.extra} if extra else {})}

    def make_initial_standing(self) -> _WhistStanding:
        return _WhistStanding(totals=dict.fromkeys(self.sides, 0))

    def score_line(self, standing: _WhistStanding, line: _WhistHand) -> tuple[_WhistStanding, LineTally]:
        """Score a hand. Hands can be recorded in any order, because only their sums matter."""
        points = dict.fromkeys(self.sides, _score_hand(line))
        totals = {side: standing.totals[side] + points[side] for side in self.sides}
        games = tuple(
            total + (number == line.game) * _score_hand(line) for number, total in enumerate(standing.games, 1)
        )
        recorded = standing.recorded | {line.place}
        complete = len(recorded) == len(HAND_POSITIONS)
        after = replace(standing, totals=totals, games=games, recorded=recorded, complete=complete)
        event = "sit-out" if line.sat_out else "tricks"
        return after, LineTally(points=points, running=totals, event=event, explanation=_explain_hand(line))

    def make_tally(self, standing: _WhistStanding, rows: Sequence[LineTally]) -> Tally:
        return replace(super().make_tally(standing, rows), variant_fields={"games": list(standing.games)})

    def iter_problems(self, standing: _WhistStanding, line: _WhistHand | None) -> Iterable[InputProblem]:
        """Yield a problem if the hand is already recorded or the card is full."""
        if standing.complete:
            message = lazy_text(
                "The card was complete before this line: all %(places)s hands are recorded.", places=len(HAND_POSITIONS)
            )
            yield InputProblem("after-end", "", message)
        elif line is not None and line.place in standing.recorded:
            message = lazy_text(
                "Hand %(hand)s of game %(game)s is recorded already: each stands on the card once.",
                hand=line.hand,
                game=line.game,
            )
            yield InputProblem("bad-value", "hand", message)

    def prefill_next_line(self, earlier: Sequence[_WhistHand]) -> Mapping[str, Any]:
        """Return the first hand on the card that is not recorded yet.

        >>> CourtWhist(("Ann",), {}).prefill_next_line([_WhistHand(game=1, hand=1, tricks=7)])
        {'game': 1, 'hand': 2}
        """
        recorded = {hand.place for hand in earlier}
        due = next((place for place in HAND_POSITIONS if place not in recorded), None)
        return {} if due is None else {"game": due[0], "hand": due[1]}

    def iter_warnings(self, line: _WhistHand, earlier: Sequence[_WhistHand]) -> Iterator[LineWarning]:
        missing = next((place for place in HAND_POSITIONS if place not in {hand.place for hand in earlier}), line.place)
        follows = earlier and HAND_POSITIONS.index(line.place) == HAND_POSITIONS.index(earlier[-1].place) + 1
        if line.place > missing and not follows:
            message = lazy_text(
                "Hand %(missing)s of game %(missing_2)s is not recorded yet. Is this the right one?",
                missing=missing[1],
                missing_2=missing[0],
            )
            yield LineWarning("out-of-order", message)
        if any(hand.game == line.game and hand.sat_out is not line.sat_out for hand in earlier):
            if line.sat_out:
                message = lazy_text("Other hands of game %(game)s were played.", game=line.game)
            else:
                message = lazy_text("Other hands of game %(game)s were sat out.", game=line.game)
            yield LineWarning("sat-out-in-part", message)
        if line.game == 6 and line.extra > _MOST_SPOKEN:
            yield LineWarning(
                "spoke-often", lazy_text("Did the player really speak %(extra)s times in one hand?", extra=line.extra)
            )
        # A trick has four cards, and the other side has the rest of the face cards.
        fits = line.extra <= 4 * line.tricks and FACE_CARD_COUNT - line.extra <= 4 * (TRICKS_PER_HAND - line.tricks)
        if line.game == 7 and not line.sat_out and not fits:
            yield LineWarning(
                "faces-do-not-fit",
                lazy_text(
                    "%(tricks)s tricks can hardly hold %(extra)s face cards.", tricks=line.tricks, extra=line.extra
                ),
            )

    def compute_max_points(self) -> int:
        """Return the highest possible score of a hand: all tricks in game 4, all of them taken by the lady."""
        return _score_hand(_WhistHand(game=4, hand=1, tricks=TRICKS_PER_HAND, extra=TRICKS_PER_HAND))

    def make_rule_tables(self) -> tuple[RuleTable, ...]:
        games = tuple((f"{game.number} {game.name}", game.description) for game in WHIST_GAMES.values())
        return (RuleTable(lazy_text("The seven games"), games),)

    def columns(self) -> tuple[SheetColumn, ...]:
        hand = (
            SheetColumn(key="game", heading=lazy_text("Game"), text=lambda row: _get_game(row).name),
            SheetColumn(key="hand", heading=lazy_text("Hand"), text=lambda row: str(row.line.hand), numeric=True),
            SheetColumn(
                key="trump",
                heading=lazy_text("Trump"),
                text=lambda row: _get_game(row).trumps[row.line.hand - 1],
                weight=3,
            ),
            SheetColumn(key="outcome", heading=lazy_text("Tricks"), text=_describe_counts),
        )
        each = (column for side in self.sides for column in _make_side_columns(side))
        return (*hand, *each)

    def blocks(
        self, rows: Sequence[SheetRow], counted: Tally | None = None, *, blank: int = 0
    ) -> tuple[SheetBlock, ...]:
        """Return the printed card: all hands of the seven games, recorded or not, and the grand total."""
        recorded = {row.line.place: row for row in rows}
        games = [_make_game_block(game, recorded) for game in WHIST_GAMES.values()]
        lines = tuple(
            _make_total_line(
                lazy_text("Game %(number)s total", number=game.number), _compute_game_total(game, recorded)
            )
            for game in WHIST_GAMES.values()
        )
        grand = sum(_score_hand(row.line) for row in rows) if rows else None
        legend = LineCells(
            (
                Cell(
                    text=lazy_text("Shaded: sat out, %(sit_out_worth)s at each hand", sit_out_worth=SIT_OUT_POINTS),
                    span=2,
                ),
            )
        )
        sat_out = any(row.line.sat_out for row in rows)
        foot = (_make_total_line(lazy_text("Grand total"), grand), *([legend] if sat_out else []))
        return (
            *games,
            SheetBlock(title=lazy_text("Grand total"), headings=_make_headings(""), lines=lines, footer=foot),
        )


def _read_played(fields: FieldReader, number: int | None) -> tuple[int, int]:
    """Read the tricks and the extra count of a played hand. An unreadable number becomes 0.

    `number` is the number of the game, or None if it is unknown.
    """
    tricks: int | None = fields.integer("tricks", minimum=0, maximum=TRICKS_PER_HAND)
    if number is None:
        fields.finish(known=_EXTRA_FIELDS)
        return 0, 0
    extra = _read_extra(fields, WHIST_GAMES[number].extra, tricks)
    fields.finish()
    return tricks or 0, extra


def _read_extra(fields: FieldReader, extra: ExtraScoringItem | None, tricks: int | None) -> int:
    if extra is None:
        return 0
    taken: int | None = fields.integer(extra.field, minimum=0, maximum=extra.most)
    if extra.is_part_of_tricks and taken is not None and tricks is not None and taken > tricks:
        message = lazy_text(
            "%(taken)s of %(tricks)s tricks cannot be the lady's: that is more than the side took.",
            taken=taken,
            tricks=tricks,
        )
        fields.problems.add_bad_value(fields.get_path(extra.field), message)
    return taken or 0


def _get_game(row: SheetRow) -> WhistGame:
    return WHIST_GAMES[row.line.game]


def _describe_counts(row: SheetRow) -> str:
    """Return the recorded counts as text, such as “7, 3 by the lady”."""
    line: _WhistHand = row.line
    extra = _get_game(row).extra
    if line.sat_out:
        return lazy_text("sat out")
    return f"{line.tricks}, {line.extra} {extra.words}" if extra else str(line.tricks)


def _make_side_columns(side: str) -> tuple[SheetColumn, SheetColumn]:
    return (
        SheetColumn(
            key="score",
            heading=lazy_text("Score"),
            side=side,
            numeric=True,
            text=lambda row: str(row.line_tally.points[side]),
        ),
        make_total_column(side),
    )


def _make_headings(text: str) -> tuple[Heading, Heading]:
    return Heading(text, "trump", weight=4), Heading(lazy_text("Score"), "score", numeric=True)


def _make_game_block(game: WhistGame, recorded: dict[tuple[int, int], SheetRow]) -> SheetBlock:
    lines = tuple(
        _make_hand_line(trump, recorded.get((game.number, hand))) for hand, trump in enumerate(game.trumps, start=1)
    )
    foot = (
        _make_total_line(
            lazy_text("Total – possible %(possible)s", possible=game.possible), _compute_game_total(game, recorded)
        ),
    )
    return SheetBlock(title=game.title, headings=_make_headings(game.heading), lines=lines, footer=foot)


def _make_hand_line(trump: str, row: SheetRow | None) -> LineCells:
    if row is None:
        return LineCells((Cell(text=trump), Cell(numeric=True, write=True)))
    mark = CellMark.OUT if row.line.sat_out else CellMark.NONE
    score = Cell(text=str(_score_hand(row.line)), numeric=True, mark=mark, why=row.line_tally.explanation)
    return LineCells((Cell(text=trump), score), row.number)


def _compute_game_total(game: WhistGame, recorded: dict[tuple[int, int], SheetRow]) -> int | None:
    scores = [_score_hand(row.line) for place, row in recorded.items() if place[0] == game.number]
    return sum(scores) if scores else None


def _make_total_line(text: str, total: int | None) -> LineCells:
    shown = "" if total is None else str(total)
    return LineCells((Cell(text=text), Cell(text=shown, numeric=True, strong=True, write=total is None)))
