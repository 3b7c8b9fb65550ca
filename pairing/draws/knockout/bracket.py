"""The bracket of a single elimination: the matches that follow from the places, and the source of each side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pairing.draws.order.entries import check_each_once
from pairing.draws.placement.places import Places


@dataclass(frozen=True, slots=True)
class DrawnSide:
    """A side that is known from the draw on."""

    number: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """A side that the winner of an earlier match fills."""

    match: str


Source = DrawnSide | WinnerOf


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """One match. `position` counts the matches of its round from the top. Rounds and positions count from 1."""

    round: int
    position: int
    sides: tuple[Source, Source]

    @property
    def id(self) -> str:
        return f"R{self.round}M{self.position}"


@dataclass(frozen=True)
class Bracket:
    """A single elimination over `places`. `matches` are listed round by round, each round from top to bottom.

    A bracket is rebuilt from its places when it is needed, so only the places are stored.
    """

    places: Places
    matches: tuple[BracketMatch, ...]

    def __hash__(self) -> int:
        return hash(self.places)  # hashing all the matches would be slow

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """The entries from top to bottom."""
        return tuple(entry for entry in self.places if entry is not None)

    @property
    def final(self) -> BracketMatch:
        return self.matches[-1]

    @property
    def rounds(self) -> int:
        return self.final.round

    @cached_property
    def by_id(self) -> Mapping[str, BracketMatch]:
        return {match.id: match for match in self.matches}

    @cached_property
    def next_of(self) -> Mapping[str, BracketMatch]:
        """Map each match except the final to the match that its winner advances to."""
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, WinnerOf)}

    @cached_property
    def first_of(self) -> Mapping[int, BracketMatch]:
        """Map each entry to its first match: in round one, or in round two after a bye."""
        return {side.number: match for match in self.matches for side in match.sides if isinstance(side, DrawnSide)}

    def round_of(self, number: int) -> tuple[BracketMatch, ...]:
        return tuple(match for match in self.matches if match.round == number)

    def way_of(self, entry: int) -> tuple[BracketMatch, ...]:
        """Return the matches on an entry's way from its first match to the final.

        >>> [match.id for match in make_bracket((4, None, 1, 3)).way_of(3)]
        ['R1M1', 'R2M1']

        Raises:
            KeyError: the entry is not in the draw.
        """
        way = [self.first_of[entry]]
        while way[-1].id in self.next_of:
            way.append(self.next_of[way[-1].id])
        return tuple(way)


def make_bracket(places: Sequence[int | None]) -> Bracket:
    """Return the bracket over the places, with one match less than entries.

    A bye is not a match. An entry with a bye begins in round two.

    >>> for match in make_bracket((4, None, 1, 3)).matches:
    ...     print(match.id, *match.sides)
    R1M1 DrawnSide(number=1) DrawnSide(number=3)
    R2M1 DrawnSide(number=4) WinnerOf(match='R1M1')

    Raises:
        ValueError: the number of places is not a power of two, or an entry occurs twice. Two empty places side by
            side are refused too, since that would be a bye after round one.
    """
    if len(places) < 2 or len(places) & (len(places) - 1):
        raise ValueError("the number of places of a bracket is a power of two")
    check_each_once([entry for entry in places if entry is not None])
    matches: list[BracketMatch] = []
    row: list[Source | None] = [None if entry is None else DrawnSide(entry) for entry in places]
    round_number = 0
    while len(row) > 1:
        round_number += 1
        played = _play_row(row, round_number)
        matches += [match for match in played if isinstance(match, BracketMatch)]
        row = [WinnerOf(match.id) if isinstance(match, BracketMatch) else match for match in played]
    return Bracket(tuple(places), tuple(matches))


def _play_row(row: Sequence[Source | None], round_number: int) -> list[BracketMatch | Source]:
    """Return what each pair of a row leads to: a match, or the side that advances without one."""
    played: list[BracketMatch | Source] = []
    position = 0
    for top, bottom in zip(row[::2], row[1::2], strict=True):
        if top is not None and bottom is not None:
            position += 1
            played.append(BracketMatch(round_number, position, (top, bottom)))
        elif alone := top or bottom:
            played.append(alone)
        else:
            raise ValueError("two empty places side by side: a bye belongs into round one")
    return played
