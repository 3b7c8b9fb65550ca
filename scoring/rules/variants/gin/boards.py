"""A partnership line: several hands that are played side by side under one up card, and netted.

Each board is a full two-sided gin hand between a member of each team. Only its up card is recorded once for the line:
“A center deck is used to determine the knock card” (GRA 2012, partnership 7). Source of the netting: CONTRACTS.md,
tally, gra-partnership.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from scoring.rules.book.rulebook import Rulebook, Topic
from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hand_reader import HandReader, UpCardRead, write_hand
from scoring.rules.hand.hands import Hand, Outcome, Verdict, judge
from scoring.rules.hand.terms import GinTerms
from scoring.rules.variants.gin.doubts import doubt_board, doubt_up_card
from scoring.rules.variants.variant import Doubt
from tournament.cases import Fields, Problems, read_list, read_object
from tournament.said import joined, worded, worded_plural


@dataclass(frozen=True, slots=True)
class TeamHand:
    """The hands of all boards. Each hand has the common up card."""

    up: PlayingCard | None
    boards: tuple[Hand, ...]


class NetEvent(StrEnum):
    NET = "net"
    LEVEL = "level"


@dataclass(frozen=True, slots=True)
class Net:
    """The net worth of a line: `points` for the side `to` (None: for nobody)."""

    event: NetEvent
    to: str | None
    points: int
    boards: tuple[Verdict, ...]
    explanation: str = field(repr=False)


class BoardsReader:
    """A reader for the lines of a sheet. `boards` is the number of boards, and 0 accepts any number."""

    def __init__(self, reader: HandReader, boards: int) -> None:
        self.reader = reader
        self.boards = boards

    def read(self, fields: Fields) -> TeamHand | None:
        """Return the line, or None with its problems. Those of a board are under a path such as `boards[1]`."""
        before = len(fields.problems.found)
        written = fields.read("boards", read_list)
        up = self._read_up(fields, written or [])
        fields.finish()
        if written is not None and self.boards and len(written) != self.boards:
            message = worded_plural(
                "A hand is played on %(number)s board by this rule sheet; here are %(written)s.",
                "A hand is played on %(number)s boards by this rule sheet; here are %(written)s.",
                self.boards,
                written=len(written),
            )
            fields.problems.bad(fields.at("boards"), message)
        boards = [self._read_board(b, f"{fields.at('boards')}[{i}]", up, fields) for i, b in enumerate(written or [])]
        if len(fields.problems.found) > before:
            return None
        return TeamHand(up.card, tuple(board for board in boards if board is not None))

    def _read_up(self, fields: Fields, boards: Sequence[Any]) -> UpCardRead:
        """Read the common up card. If a knock needs it and it is missing, the line reports this once."""
        up = self.reader.read_up(fields)
        is_knock = any(isinstance(board, dict) and board.get("outcome") == Outcome.KNOCK for board in boards)
        if "up" in fields or not is_knock or self.reader.terms.knock is not None:
            return up
        message = self.reader.rulebook.cited(
            Topic.KNOCK_CARD, worded("“up” is missing: a knock is limited by the up card.")
        )
        fields.problems.add("missing-field", fields.at("up"), message)
        return UpCardRead(None, legible=False)

    def _read_board(self, value: Any, path: str, up: UpCardRead, fields: Fields) -> Hand | None:
        problems: Problems = fields.problems
        data = read_object(value, path, problems)
        return None if data is None else self.reader.read_board(Fields(data, problems, path), up)


def write_boards(line: TeamHand) -> dict[str, Any]:
    """Return the line in the form that `BoardsReader` reads."""
    up = {} if line.up is None else {"up": str(line.up)}
    return {**up, "boards": [write_hand(replace(board, up=None)) for board in line.boards]}


def net(line: TeamHand, sides: Sequence[str], terms: GinTerms, rulebook: Rulebook) -> Net:
    """Net the boards of a line. The side ahead scores the difference, and nobody scores if they are level.

    >>> from scoring.rules.hand.hands import Pointed
    >>> from scoring.rules.variants.gin.gra_partnership import GraPartnership
    >>> variant = GraPartnership(("A", "B"), GraPartnership.defaults())
    >>> line = TeamHand(None, (Pointed(to="A", points=30), Pointed(to="B", points=12)))
    >>> net(line, variant.sides, variant.terms, variant.rulebook).explanation[:35]
    'net: A 30, B 12, difference 18: 18 '
    """
    verdicts = tuple(judge(board, terms, rulebook) for board in line.boards)
    sums = {side: sum(verdict.points for verdict in verdicts if verdict.to == side) for side in sides}
    ahead = max(sides, key=lambda side: sums[side])
    points = sums[ahead] - min(sums.values())
    event = NetEvent.NET if points else NetEvent.LEVEL
    each = ", ".join(f"{side} {total}" for side, total in sums.items())
    result = worded("%(points)s to %(side)s", points=points, side=ahead) if points else worded("nobody scores")
    working = joined(
        "; ",
        (
            worded("board %(number)s: %(working)s", number=number, working=verdict.explanation)
            for number, verdict in enumerate(verdicts, start=1)
        ),
    )
    explanation = worded(
        "%(event)s: %(each)s, difference %(points)s: %(result)s (%(working)s)",
        event=event,
        each=each,
        points=points,
        result=result,
        working=working,
    )
    return Net(event, ahead if points else None, points, verdicts, explanation)


def doubt_boards(line: TeamHand, earlier: Sequence[TeamHand], terms: GinTerms, rulebook: Rulebook) -> Iterator[Doubt]:
    """Yield the doubts about the up card, once, and about each board."""
    played = [board for board in line.boards if board.outcome is not Outcome.VOID]
    above = earlier[-1].up if earlier else None
    yield from doubt_up_card(line.up, above, terms, rulebook, played=bool(played))
    for number, board in enumerate(line.boards, start=1):
        for doubt in doubt_board(board, terms, rulebook):
            yield Doubt(doubt.code, worded("Board %(number)s: %(message_)s", number=number, message_=doubt.message))
