"""A bracket's matches, and where the players of each match come from.

Both are computed from just the drawn positions. A bracket is a single or double elimination. Late entries can fill the
positions of byes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from pairing.draws.order import order_by_lot, require_unique_entries
from pairing.draws.places import BracketPlaces, find_entries_with_bye


@dataclass(frozen=True, slots=True)
class DrawnSide:
    """A side that gets its entry directly from the draw, not from another match."""

    number: int


@dataclass(frozen=True, slots=True)
class WinnerOf:
    match: str


@dataclass(frozen=True, slots=True)
class LoserOf:
    match: str


SideSource = DrawnSide | WinnerOf | LoserOf


class BracketPart(StrEnum):
    """A part of a double elimination: the winners' bracket, the losers' bracket, or the final."""

    WINNERS = "winners"
    LOSERS = "losers"
    FINAL = "final"


class RoundKey(NamedTuple):
    """Identifies a round. In a double elimination, each part numbers its own rounds."""

    part: BracketPart | None
    number: int

    def __str__(self) -> str:
        """Return the round's short name, such as 3, or L2 in a losers' bracket."""
        return f"{self.part.name[0] if self.part else ''}{self.number}"


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a bracket.

    Rounds are numbered from 1. `position` numbers the matches of a round from top to bottom, also from 1.

    In a double elimination, each `part` numbers its own rounds. `if_needed` is true for the reset, a second final that
    is played only if the side from the losers' bracket won the first one.

    >>> BracketMatch(2, 1, (DrawnSide(4), LoserOf("W1M1")), BracketPart.LOSERS).id
    'L2M1'
    """

    round: int
    position: int
    sides: tuple[SideSource, SideSource]
    part: BracketPart | None = None
    if_needed: bool = False
    id: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        letter = "R" if self.part is None else self.part.name[0]
        object.__setattr__(self, "id", f"{letter}{self.round}M{self.position}")

    @property
    def round_key(self) -> RoundKey:
        return RoundKey(self.part, self.round)


@dataclass(frozen=True)
class Bracket:
    """A single or double elimination. `matches` are listed round by round, from top to bottom.

    A match is always listed after the matches that feed it.
    """

    places: BracketPlaces
    matches: tuple[BracketMatch, ...]

    def __hash__(self) -> int:
        return hash(self.places)  # hashing all the matches would be slow

    @cached_property
    def entries(self) -> tuple[int, ...]:
        return tuple(entry for entry in self.places if entry is not None)

    @property
    def is_double(self) -> bool:
        return self.matches[-1].if_needed

    @property
    def final_match(self) -> BracketMatch:
        return self.matches[-2 if self.is_double else -1]

    @property
    def reset_match(self) -> BracketMatch:
        """The reset, a second final that may end a double elimination."""
        return self.matches[-1]

    @cached_property
    def matches_by_id(self) -> Mapping[str, BracketMatch]:
        return {match.id: match for match in self.matches}

    @cached_property
    def next_matches(self) -> Mapping[str, BracketMatch]:
        """The match that each match's winner advances to, keyed by match.

        The winner of the final advances to the reset.
        """
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, WinnerOf)}

    @cached_property
    def loser_matches(self) -> Mapping[str, BracketMatch]:
        """Maps each match of the winners' bracket, and the final, to the match that its loser goes to."""
        return {side.match: match for match in self.matches for side in match.sides if isinstance(side, LoserOf)}

    @cached_property
    def first_matches(self) -> Mapping[int, BracketMatch]:
        """Maps each entry to its first match. After a bye, that is a match in round two."""
        return {side.number: match for match in self.matches for side in match.sides if isinstance(side, DrawnSide)}

    def list_matches_in_round(self, number: int, part: BracketPart | None = None) -> tuple[BracketMatch, ...]:
        return tuple(match for match in self.matches if match.round == number and match.part is part)

    def count_rounds(self, part: BracketPart | None = None) -> int:
        """Return the number of rounds in a single elimination, or in one part of a double elimination."""
        return max((match.round for match in self.matches if match.part is part), default=0)

    def can_be_last_match(self, ident: str) -> bool:
        """Return whether this match can be the last one to be played.

        A double elimination can end with the final or with the reset.

        >>> double = make_double_elimination_bracket(range(1, 5))
        >>> [match.id for match in double.matches if double.can_be_last_match(match.id)]
        ['F1M1', 'F2M1']
        """
        following = self.next_matches.get(ident)
        return following is None or following.if_needed

    @cached_property
    def elimination_order(self) -> Mapping[str, int]:
        """A number for each match that ranks its losers: the higher it is, the later they were eliminated.

        In a double elimination, the losers' rounds come first, then the final and the reset. A match of the winners'
        bracket has the same number as the match that its loser drops into.
        """
        if not self.is_double:
            return {match.id: match.round for match in self.matches}
        final = self.count_rounds(BracketPart.LOSERS) + 1
        numbers = {match.id: match.round if match.part is BracketPart.LOSERS else final for match in self.matches}
        return numbers | {
            name: numbers[match.id] for name, match in self.loser_matches.items() if name != self.final_match.id
        }

    def list_matches_if_winning(self, entry: int) -> tuple[BracketMatch, ...]:
        """Return an entry's matches from its first one to the end of the bracket, assuming that it keeps winning.

        Raises:
            KeyError: the entry is not in the draw.
        """
        way = [self.first_matches[entry]]
        while way[-1].id in self.next_matches:
            way.append(self.next_matches[way[-1].id])
        return tuple(way)


def make_bracket(places: Sequence[int | None]) -> Bracket:
    """Return the single-elimination bracket for these positions. A bracket with n entries has n − 1 matches.

    A bye is not a match. An entry with a bye begins in round two.

    >>> for match in make_bracket((4, None, 1, 3)).matches:
    ...     print(match.id, *match.sides)
    R1M1 DrawnSide(number=1) DrawnSide(number=3)
    R2M1 DrawnSide(number=4) WinnerOf(match='R1M1')

    Raises:
        ValueError: the number of positions is not a power of two, an entry occurs twice, or two empty positions
            would meet, which would mean a bye after round one.
    """
    if len(places) < 2 or len(places) & (len(places) - 1):
        raise ValueError("the number of places of a bracket is a power of two")
    require_unique_entries([entry for entry in places if entry is not None])
    matches: list[BracketMatch] = []
    row: list[SideSource | None] = [None if entry is None else DrawnSide(entry) for entry in places]
    round_number = 0
    while len(row) > 1:
        round_number += 1
        played = _make_round(row, round_number)
        matches += [match for match in played if isinstance(match, BracketMatch)]
        row = [WinnerOf(match.id) if isinstance(match, BracketMatch) else match for match in played]
    return Bracket(tuple(places), tuple(matches))


def _make_round(row: Sequence[SideSource | None], round_number: int) -> list[BracketMatch | SideSource]:
    played: list[BracketMatch | SideSource] = []
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


def make_double_elimination_bracket(places: Sequence[int | None]) -> Bracket:
    """Return the winners' and losers' brackets for these positions, with the final and the reset.

    >>> for match in make_double_elimination_bracket((4, None, 1, 3)).matches:
    ...     print(match.id, *match.sides)
    W1M1 DrawnSide(number=1) DrawnSide(number=3)
    W2M1 DrawnSide(number=4) WinnerOf(match='W1M1')
    L1M1 LoserOf(match='W1M1') LoserOf(match='W2M1')
    F1M1 WinnerOf(match='W2M1') WinnerOf(match='L1M1')
    F2M1 WinnerOf(match='F1M1') LoserOf(match='F1M1')

    Raises:
        ValueError: `make_bracket` rejects the positions.
    """
    bracket = make_bracket(places)
    winners = []
    for match in bracket.matches:
        upper, lower = (
            WinnerOf(_make_winners_match_id(side.match)) if isinstance(side, WinnerOf) else side for side in match.sides
        )
        winners.append(BracketMatch(match.round, match.position, (upper, lower), BracketPart.WINNERS))
    losers, survivor = _make_losers_bracket(_list_losers_by_round(bracket))
    final = BracketMatch(1, 1, (WinnerOf(winners[-1].id), survivor), BracketPart.FINAL)
    reset = BracketMatch(2, 1, (WinnerOf(final.id), LoserOf(final.id)), BracketPart.FINAL, if_needed=True)
    return Bracket(tuple(places), (*winners, *losers, final, reset))


def _make_winners_match_id(single: str) -> str:
    return f"W{single.removeprefix('R')}"


_PartialRound = Sequence[SideSource | None]
"""The winners or losers that come out of a round, from top to bottom. They are the sides of a later round.

None marks a side that stays empty because of a bye.
"""


def _list_losers_by_round(bracket: Bracket) -> list[_PartialRound]:
    """Return the losers of each round in the winners' bracket, from top to bottom.

    A bye in round one counts as None.
    """
    first = iter(bracket.list_matches_in_round(1))
    pairs = zip(bracket.places[::2], bracket.places[1::2], strict=True)
    rows: list[_PartialRound] = [
        [None if None in pair else LoserOf(_make_winners_match_id(next(first).id)) for pair in pairs]
    ]
    for number in range(2, bracket.count_rounds() + 1):
        rows.append([LoserOf(_make_winners_match_id(match.id)) for match in bracket.list_matches_in_round(number)])
    return rows


def _make_losers_bracket(dropped: Sequence[_PartialRound]) -> tuple[list[BracketMatch], SideSource]:
    matches: list[BracketMatch] = []
    row = dropped[0]
    for turn, coming in enumerate(dropped[1:], start=1):
        row = _make_losers_round(list(zip(row[::2], row[1::2], strict=True)), matches)
        mask = _reverse_bits(turn, len(coming))
        row = _make_losers_round([(side, coming[part ^ mask]) for part, side in enumerate(row)], matches)
    (survivor,) = row
    if survivor is None:
        raise ValueError("two entries at least, so one of them loses")
    return matches, survivor


def _reverse_bits(turn: int, parts: int) -> int:
    """Return `turn` with its bits reversed. `parts` is a power of two and sets the number of bits."""
    mask = 0
    while parts > 1:
        parts >>= 1
        mask |= parts * (turn & 1)
        turn >>= 1
    return mask


def _make_losers_round(
    pairs: Sequence[tuple[SideSource | None, SideSource | None]], matches: list[BracketMatch]
) -> list[SideSource | None]:
    number = matches[-1].round + 1 if matches else 1
    row: list[SideSource | None] = []
    position = 0
    for upper, lower in pairs:
        if upper is None or lower is None:
            row.append(upper or lower)
            continue
        position += 1
        matches.append(BracketMatch(number, position, (upper, lower), BracketPart.LOSERS))
        row.append(WinnerOf(matches[-1].id))
    return row


# --- Late entries ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ByeTakeover:
    """A bye that a late entry took over: `entry` plays against `bye`, the entry that had the bye.

    Their match gets a new `position` in round one, so that no drawn match is renamed.
    """

    bye: int
    entry: int
    position: int


def order_byes_for_late_entries(places: BracketPlaces, *, secret: str, draw_id: str) -> tuple[int, ...]:
    """Return the entries that have a bye, in the order in which late entries take over the byes.

    An entry's lot is the SHA-256 of `draw_id|secret|late entries|number`. The draw fixes this lot, so nobody can choose
    it.

    >>> order_byes_for_late_entries((4, None, 1, 3), secret="5e", draw_id="spring-1")
    (4,)
    """
    return order_by_lot(find_entries_with_bye(places), seed=f"{draw_id}|{secret}|late entries")


def replace_byes_with_matches(bracket: Bracket, taken: Iterable[ByeTakeover]) -> Bracket:
    """Return the bracket with these byes turned into matches. The drawn matches keep their names.

    >>> taken = [ByeTakeover(bye=4, entry=9, position=2)]
    >>> for match in replace_byes_with_matches(make_bracket((4, None, 1, 3)), taken).matches:
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
    require_unique_entries([entry for entry in places if entry is not None])
    made: dict[int, BracketMatch] = {}
    for one in listed:
        place = place_of[one.bye]
        upper, lower = places[place & ~1], places[place | 1]
        assert upper is not None and lower is not None
        made[one.bye] = BracketMatch(1, one.position, (DrawnSide(upper), DrawnSide(lower)))
    if {match.id for match in made.values()} & set(bracket.matches_by_id):
        raise ValueError("a match of a late entry has the name of a drawn one")
    now_at = {entry: place for place, entry in enumerate(places) if entry is not None}

    def upper_place(match: BracketMatch) -> int:
        return min(now_at[side.number] for side in match.sides if isinstance(side, DrawnSide))

    first = sorted((*bracket.list_matches_in_round(1), *made.values()), key=upper_place)
    later = (_replace_drawn_sides(match, made) for match in bracket.matches if match.round > 1)
    return Bracket(tuple(places), (*first, *later))


def _replace_drawn_sides(match: BracketMatch, made: dict[int, BracketMatch]) -> BracketMatch:
    def source(side: SideSource) -> SideSource:
        return WinnerOf(made[side.number].id) if isinstance(side, DrawnSide) and side.number in made else side

    upper, lower = match.sides
    return replace(match, sides=(source(upper), source(lower)))
