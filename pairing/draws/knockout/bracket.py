"""The bracket: the matches that come of the places, and where the sides of each come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pairing.draws.order.entries import check_each_once
from pairing.draws.placement.places import Places


@dataclass(frozen=True, slots=True)
class DrawnSide:
    """A side known from the draw on."""

    number: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    """A side that an earlier match gives."""

    match: str


Source = DrawnSide | WinnerOf


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """One match: `position` counts the matches of its round from the top, both from 1; `id` says the two."""

    round: int
    position: int
    sides: tuple[Source, Source]

    @property
    def id(self) -> str:
        return f"R{self.round}M{self.position}"


@dataclass(frozen=True)
class Bracket:
    """Single elimination over `places`; `matches` stand round by round, each round from top to bottom.

    It is rebuilt from its places wherever it is needed: they are all that a record has to keep.
    """

    places: Places
    matches: tuple[BracketMatch, ...]

    def __hash__(self) -> int:
        return hash(self.places)  # the matches are many

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """From top to bottom."""
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
        """For each match but the final, the one that its winner goes on to."""
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, WinnerOf)}

    @cached_property
    def first_of(self) -> Mapping[int, BracketMatch]:
        """For each entry the match that it begins with: of round one, or of round two after a bye."""
        return {side.number: match for match in self.matches for side in match.sides if isinstance(side, DrawnSide)}

    def round_of(self, number: int) -> tuple[BracketMatch, ...]:
        return tuple(match for match in self.matches if match.round == number)

    def way_of(self, entry: int) -> tuple[BracketMatch, ...]:
        """The matches on an entry's way from its first to the final.

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
    """The bracket over the places, one match less than entries. A bye is no match: it begins in round 2.

    >>> for match in make_bracket((4, None, 1, 3)).matches:
    ...     print(match.id, *match.sides)
    R1M1 DrawnSide(number=1) DrawnSide(number=3)
    R2M1 DrawnSide(number=4) WinnerOf(match='R1M1')

    Raises:
        ValueError: the number of places is not a power of two, an entry stands twice, or two empty places
            side by side (a bye after round one).
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
    """What stands on each pair of a row: a match, or who goes on without one."""
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
