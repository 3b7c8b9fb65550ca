"""The matches of a bracket, and the source of each side. They follow from the places alone.

A bracket is a single or a double elimination. Late entries can take the places of byes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from pairing.draws.order import by_lot, require_unique
from pairing.draws.places import Places, bye_entries


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
    require_unique([entry for entry in places if entry is not None])
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


# --- Double elimination ----------------------------------------------------------------------------------------------
# A double elimination has the winners' bracket, the losers' bracket, the final and its reset.


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
    winners = [_to_winners_match(match) for match in bracket.matches]
    losers, survivor = _play_losers(_losers_by_round(bracket))
    final = DoubleMatch(Part.FINAL, 1, 1, (WinnerOf(winners[-1].id), survivor))
    reset = DoubleMatch(Part.FINAL, 2, 1, (WinnerOf(final.id), LoserOf(final.id)), if_needed=True)
    return DoubleBracket(tuple(places), (*winners, *losers, final, reset))


def _to_winners_match(match: BracketMatch) -> DoubleMatch:
    upper, lower = (WinnerOf(_winners_id(side.match)) if isinstance(side, WinnerOf) else side for side in match.sides)
    return DoubleMatch(Part.WINNERS, match.round, match.position, (upper, lower))


def _winners_id(single: str) -> str:
    """Return the name in the winners' bracket of a match of a single elimination: R1M1 is W1M1."""
    return f"W{single.removeprefix('R')}"


_Row = Sequence[DoubleSource | None]
"""The sides that come from each part of a bracket, from top to bottom. None means that a bye leaves nobody."""


def _losers_by_round(bracket: Bracket) -> list[_Row]:
    """Return the losers of each round of the winners' bracket, at the places their matches have in a full bracket."""
    first = iter(bracket.round_of(1))
    pairs = zip(bracket.places[::2], bracket.places[1::2], strict=True)
    rows: list[_Row] = [[None if None in pair else LoserOf(_winners_id(next(first).id)) for pair in pairs]]
    for number in range(2, bracket.rounds + 1):
        rows.append([LoserOf(_winners_id(match.id)) for match in bracket.round_of(number)])
    return rows


def _play_losers(dropped: Sequence[_Row]) -> tuple[list[DoubleMatch], DoubleSource]:
    """Return the matches of the losers' bracket, and the side that comes from it to the final."""
    matches: list[DoubleMatch] = []
    row = dropped[0]
    for turn, coming in enumerate(dropped[1:], start=1):
        row = _play_losers_row(list(zip(row[::2], row[1::2], strict=True)), matches)
        mask = _mirror_bits(turn, len(coming))
        row = _play_losers_row([(side, coming[part ^ mask]) for part, side in enumerate(row)], matches)
    (survivor,) = row
    if survivor is None:
        raise ValueError("two entries at least, so one of them loses")
    return matches, survivor


def _mirror_bits(turn: int, parts: int) -> int:
    """Return the bits of `turn` mirrored, as many as are needed to number the parts (a power of two).

    >>> [_mirror_bits(turn, 8) for turn in range(1, 8)], _mirror_bits(2, 2)
    ([4, 2, 6, 1, 5, 3, 7], 0)
    """
    mask = 0
    while parts > 1:
        parts >>= 1
        mask |= parts * (turn & 1)
        turn >>= 1
    return mask


def _play_losers_row(
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


# --- Late entries ----------------------------------------------------------------------------------------------------
# A late entry takes the place of a bye in round one, and that match is then played.


@dataclass(frozen=True, slots=True)
class ByeTaken:
    """The late entry `entry` meets `bye`, which had the bye, in the match at `position` of round one.

    The positions come after those of the drawn matches, in the order in which the entries came. So no drawn match is
    renamed.
    """

    bye: int
    entry: int
    position: int


def bye_lots(places: Places, *, secret: str, draw_id: str) -> tuple[int, ...]:
    """Return the entries with a bye, in the order in which the byes are given to late entries.

    The lot of an entry is the SHA-256 of `draw_id|secret|late entries|number`. The draw fixes it, and nobody can
    choose it.

    >>> bye_lots((4, None, 1, 3), secret="5e", draw_id="spring-1")
    (4,)
    """
    return by_lot(bye_entries(places), seed=f"{draw_id}|{secret}|late entries")


def with_late_entries(bracket: Bracket, taken: Iterable[ByeTaken]) -> Bracket:
    """Return the bracket with these byes played. Its drawn matches keep their names.

    >>> for match in with_late_entries(make_bracket((4, None, 1, 3)), [ByeTaken(bye=4, entry=9, position=2)]).matches:
    ...     print(match.id, *match.sides)
    R1M2 DrawnSide(number=4) DrawnSide(number=9)
    R1M1 DrawnSide(number=1) DrawnSide(number=3)
    R2M1 WinnerOf(match='R1M2') WinnerOf(match='R1M1')

    Raises:
        ValueError: an entry has no bye, a bye is taken twice, or an entry or a match exists already.
    """
    listed = tuple(taken)
    if not listed:
        return bracket
    place_of = {entry: place for place, entry in enumerate(bracket.places)}
    places = list(bracket.places)
    for one in listed:
        beside = place_of.get(one.bye, -1) ^ 1
        if one.bye not in place_of or places[beside] is not None:
            raise ValueError(f"entry {one.bye} has no bye that could be taken")
        places[beside] = one.entry
    require_unique([entry for entry in places if entry is not None])
    made: dict[int, BracketMatch] = {}
    for one in listed:
        place = place_of[one.bye]
        upper, lower = places[place & ~1], places[place | 1]
        assert upper is not None and lower is not None
        made[one.bye] = BracketMatch(1, one.position, (DrawnSide(upper), DrawnSide(lower)))
    if {match.id for match in made.values()} & set(bracket.by_id):
        raise ValueError("a match of a late entry has the name of a drawn one")
    now_at = {entry: place for place, entry in enumerate(places) if entry is not None}

    def upper_place(match: BracketMatch) -> int:
        return min(now_at[side.number] for side in match.sides if isinstance(side, DrawnSide))

    first = sorted((*bracket.round_of(1), *made.values()), key=upper_place)
    later = (_with_sources(match, made) for match in bracket.matches if match.round > 1)
    return Bracket(tuple(places), (*first, *later))


def _with_sources(match: BracketMatch, made: dict[int, BracketMatch]) -> BracketMatch:
    def source(side: Source) -> Source:
        return WinnerOf(made[side.number].id) if isinstance(side, DrawnSide) and side.number in made else side

    upper, lower = match.sides
    return replace(match, sides=(source(upper), source(lower)))
