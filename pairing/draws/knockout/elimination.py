"""Single and double elimination alike: what pages, boards and prints need of a bracket of either kind."""

from collections.abc import Iterable
from typing import NamedTuple

from pairing.draws.knockout.bracket import Bracket, BracketMatch
from pairing.draws.knockout.double_bracket import DoubleBracket, DoubleMatch, Part
from pairing.draws.knockout.double_progress import DoubleProgress, make_double_placings, make_double_progress
from pairing.draws.knockout.placing import Placings, make_placings
from pairing.draws.knockout.progress import Progress, Rest, make_progress
from pairing.draws.results.credits import BracketFact

AnyBracket = Bracket | DoubleBracket
AnyMatch = BracketMatch | DoubleMatch
AnyProgress = Progress | DoubleProgress


class RoundKey(NamedTuple):
    """A round. In a double elimination each part counts its own rounds."""

    part: Part | None
    number: int

    def __str__(self) -> str:
        """Return the short name of the round.

        >>> str(RoundKey(None, 3)), str(RoundKey(Part.LOSERS, 2))
        ('3', 'L2')
        """
        return f"{self.part.name[0] if self.part else ''}{self.number}"


def round_of(match: AnyMatch) -> RoundKey:
    """Return the round of a match.

    >>> from pairing.draws.knockout.bracket import DrawnSide
    >>> round_of(DoubleMatch(Part.WINNERS, 2, 1, (DrawnSide(1), DrawnSide(2))))
    RoundKey(part=<Part.WINNERS: 'winners'>, number=2)
    """
    return RoundKey(match.part if isinstance(match, DoubleMatch) else None, match.round)


def rounds_of(bracket: AnyBracket, part: Part | None = None) -> int:
    """Return the number of rounds of the bracket, or of one part of a double elimination.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> double = make_double_bracket(range(1, 9))
    >>> [rounds_of(double, part) for part in Part]
    [3, 4, 2]
    """
    return max((match.round for match in bracket.matches if round_of(match).part is part), default=0)


def can_end_with(bracket: AnyBracket, ident: str) -> bool:
    """Return whether the bracket may be over with this match. A match that follows it may be at most the reset.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> double = make_double_bracket(range(1, 5))
    >>> [match.id for match in double.matches if can_end_with(double, match.id)]
    ['F1M1', 'F2M1']
    """
    following = bracket.next_of.get(ident)
    return following is None or (isinstance(following, DoubleMatch) and following.if_needed)


def make_any_progress(bracket: AnyBracket, facts: Iterable[BracketFact] = (), rest: Rest | None = None) -> AnyProgress:
    """Return the progress of a bracket of either kind. With `rest`, it is played to its end.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> make_any_progress(make_double_bracket((4, 2))).ready[0].match.id
    'W1M1'

    Raises:
        ValueError: an outcome names a match that is not in the bracket.
    """
    if isinstance(bracket, DoubleBracket):
        return make_double_progress(bracket, facts, rest)
    return make_progress(bracket, facts, rest)


def make_any_placings(progress: AnyProgress) -> Placings:
    """Return the placings of a bracket of either kind, as far as they are settled.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> make_any_placings(make_any_progress(make_double_bracket((4, 2)))).still_in
    (2, 4)
    """
    if isinstance(progress, DoubleProgress):
        return make_double_placings(progress)
    return make_placings(progress)
