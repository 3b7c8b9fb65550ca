"""The matches of a double elimination: the winners' bracket, the losers' bracket, the final and its reset.

    L round 1      the losers of W round 1 meet, those of neighboring matches
    L round 2      the winners of those meet the losers of W round 2
    L round 3      the winners of those meet, and so on: each W round but the first drops its losers into an even
                   round, between two rounds in which the losers' bracket halves

**The crossing.** A part of W with 2ˢ places drops its loser in W round s. Number these parts from the top, from 0.
The loser of part b drops beside number b XOR mask(s) of the losers' bracket. The masks are the van der Corput
sequence: the bits of s − 1 mirrored, so 0, ½, ¼, ¾, ⅛ … of that many. Suppose two entries met in W. The numbers of
their parts of the losers' bracket agree in as many leading bits as their masks do. Of any s masks, two agree in
⌊log₂(s − 1)⌋ leading bits. In this sequence no two agree in more. So the first round in which two can meet again is as
late as in any crossing.

**Byes.** Where a bye leaves no loser to drop, the side that would have met that loser advances without a match.
References skip such a match, and a round without matches is not counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from pairing.draws.knockout.bracket import Bracket, BracketMatch, DrawnSide, WinnerOf, make_bracket
from pairing.draws.placement.places import Places


@dataclass(frozen=True, slots=True)
class LoserOf:
    """A side that the loser of an earlier match fills."""

    match: str


DoubleSource = DrawnSide | WinnerOf | LoserOf


class Part(StrEnum):
    WINNERS = "winners"
    LOSERS = "losers"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class DoubleMatch:
    """One match. `position` counts the matches of its round from the top, and rounds count in each part, all from 1.

    `if_needed` marks the reset. It is played only if the side from the losers' bracket won the final.

    >>> DoubleMatch(Part.LOSERS, 2, 1, (DrawnSide(4), LoserOf("W1M1"))).id
    'L2M1'
    """

    part: Part
    round: int
    position: int
    sides: tuple[DoubleSource, DoubleSource]
    if_needed: bool = False
    id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "id", f"{self.part.name[0]}{self.round}M{self.position}")


@dataclass(frozen=True)
class DoubleBracket:
    """A double elimination over `places`. A match never precedes a match that gives it a side.

    With n entries the winners' bracket has n − 1 matches and the losers' bracket n − 2, plus the final and the reset.
    It is rebuilt from its places when it is needed.
    """

    places: Places
    matches: tuple[DoubleMatch, ...]

    def __hash__(self) -> int:
        return hash(self.places)  # the matches follow from the places, and hashing them would be slow

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """The entries from top to bottom."""
        return tuple(entry for entry in self.places if entry is not None)

    @property
    def final(self) -> DoubleMatch:
        return self.matches[-2]

    @property
    def reset(self) -> DoubleMatch:
        return self.matches[-1]

    @cached_property
    def by_id(self) -> Mapping[str, DoubleMatch]:
        return {match.id: match for match in self.matches}

    @cached_property
    def next_of(self) -> Mapping[str, DoubleMatch]:
        """Map each match except the reset to the match that its winner advances to. The final leads to the reset."""
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, WinnerOf)}

    @cached_property
    def drop_of(self) -> Mapping[str, DoubleMatch]:
        """Map each match of the winners' bracket, and the final, to the match that its loser goes to."""
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, LoserOf)}

    def round_of(self, part: Part, number: int) -> tuple[DoubleMatch, ...]:
        return tuple(match for match in self.matches if (match.part, match.round) == (part, number))


def make_double_bracket(places: Sequence[int | None]) -> DoubleBracket:
    """Return the brackets over the places, which are those of a single elimination.

    >>> for match in make_double_bracket((4, None, 1, 3)).matches:
    ...     print(match.id, *match.sides)
    W1M1 DrawnSide(number=1) DrawnSide(number=3)
    W2M1 DrawnSide(number=4) WinnerOf(match='W1M1')
    L1M1 LoserOf(match='W1M1') LoserOf(match='W2M1')
    F1M1 WinnerOf(match='W2M1') WinnerOf(match='L1M1')
    F2M1 WinnerOf(match='F1M1') LoserOf(match='F1M1')

    Raises:
        ValueError: `make_bracket` refuses the places.
    """
    bracket = make_bracket(places)
    winners = [_in_winners(match) for match in bracket.matches]
    losers, survivor = _play_losers(_dropped(bracket))
    final = DoubleMatch(Part.FINAL, 1, 1, (WinnerOf(winners[-1].id), survivor))
    reset = DoubleMatch(Part.FINAL, 2, 1, (WinnerOf(final.id), LoserOf(final.id)), if_needed=True)
    return DoubleBracket(tuple(places), (*winners, *losers, final, reset))


def _in_winners(match: BracketMatch) -> DoubleMatch:
    upper, lower = (WinnerOf(_renamed(side.match)) if isinstance(side, WinnerOf) else side for side in match.sides)
    return DoubleMatch(Part.WINNERS, match.round, match.position, (upper, lower))


def _renamed(single: str) -> str:
    """Return the name in the winners' bracket of a match of a single elimination: R1M1 is W1M1."""
    return f"W{single.removeprefix('R')}"


Row = Sequence[DoubleSource | None]
"""The sides that come from each part of a bracket, from top to bottom. None means that a bye leaves nobody."""


def _dropped(bracket: Bracket) -> list[Row]:
    """Return the losers of each round of the winners' bracket, at the places their matches have in a full bracket."""
    first = iter(bracket.round_of(1))
    pairs = zip(bracket.places[::2], bracket.places[1::2], strict=True)
    rows: list[Row] = [[None if None in pair else LoserOf(_renamed(next(first).id)) for pair in pairs]]
    for number in range(2, bracket.rounds + 1):
        rows.append([LoserOf(_renamed(match.id)) for match in bracket.round_of(number)])
    return rows


def _play_losers(dropped: Sequence[Row]) -> tuple[list[DoubleMatch], DoubleSource]:
    """Return the matches of the losers' bracket, and the side that comes from it to the final."""
    matches: list[DoubleMatch] = []
    row = dropped[0]
    for turn, coming in enumerate(dropped[1:], start=1):
        row = _play_row(list(zip(row[::2], row[1::2], strict=True)), matches)
        mask = _mirrored(turn, len(coming))
        row = _play_row([(side, coming[part ^ mask]) for part, side in enumerate(row)], matches)
    (survivor,) = row
    if survivor is None:
        raise ValueError("two entries at least, so one of them loses")
    return matches, survivor


def _mirrored(turn: int, parts: int) -> int:
    """Return the bits of `turn` mirrored, as many as are needed to number the parts (a power of two).

    >>> [_mirrored(turn, 8) for turn in range(1, 8)], _mirrored(2, 2)
    ([4, 2, 6, 1, 5, 3, 7], 0)
    """
    mask = 0
    while parts > 1:
        parts >>= 1
        mask |= parts * (turn & 1)
        turn >>= 1
    return mask


def _play_row(
    pairs: Sequence[tuple[DoubleSource | None, DoubleSource | None]], matches: list[DoubleMatch]
) -> list[DoubleSource | None]:
    """Return the side that comes from each pair, and append the matches that this takes."""
    number = matches[-1].round + 1 if matches else 1
    row: list[DoubleSource | None] = []
    position = 0
    for upper, lower in pairs:
        if upper is None or lower is None:
            row.append(upper or lower)
            continue
        position += 1
        matches.append(DoubleMatch(Part.LOSERS, number, position, (upper, lower)))
        row.append(WinnerOf(matches[-1].id))
    return row
