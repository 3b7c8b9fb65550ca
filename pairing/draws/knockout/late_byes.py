"""Late entries of a bracket: each takes the place of a bye in round one, and that match is then played."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pairing.draws.knockout.bracket import Bracket, BracketMatch, DrawnSide, Source, WinnerOf
from pairing.draws.order.entries import check_each_once
from pairing.draws.order.lots import by_lot
from pairing.draws.placement.places import Places, bye_entries


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

    >>> from pairing.draws.knockout.bracket import make_bracket
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
    check_each_once([entry for entry in places if entry is not None])
    made = {one.bye: _match(places, place_of[one.bye], one.position) for one in listed}
    if {match.id for match in made.values()} & set(bracket.by_id):
        raise ValueError("a match of a late entry has the name of a drawn one")
    now_at = {entry: place for place, entry in enumerate(places)}
    first = sorted((*bracket.round_of(1), *made.values()), key=lambda match: now_at[_upper(match)])
    later = (_with_sources(match, made) for match in bracket.matches if match.round > 1)
    return Bracket(tuple(places), (*first, *later))


def _match(places: list[int | None], place: int, position: int) -> BracketMatch:
    upper, lower = places[place & ~1], places[place | 1]
    assert upper is not None and lower is not None
    return BracketMatch(1, position, (DrawnSide(upper), DrawnSide(lower)))


def _upper(match: BracketMatch) -> int:
    upper = match.sides[0]
    assert isinstance(upper, DrawnSide)
    return upper.number


def _with_sources(match: BracketMatch, made: dict[int, BracketMatch]) -> BracketMatch:
    def source(side: Source) -> Source:
        return WinnerOf(made[side.number].id) if isinstance(side, DrawnSide) and side.number in made else side

    upper, lower = match.sides
    return replace(match, sides=(source(upper), source(lower)))
