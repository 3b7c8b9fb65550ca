"""Split a bracket into sections that can be read from far: parts of the tree, then the rounds that join them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from pairing.draws.knockout.bracket import WinnerOf
from pairing.draws.knockout.double_bracket import DoubleBracket, Part
from pairing.draws.knockout.elimination import AnyBracket, AnyMatch, round_of
from pairing.draws.pictures.layout import Header, Layout, Measures, box_of
from pairing.draws.pictures.tree_layout import connect, middles_of

OVERLAP = 3
"""The fewest rounds of the last section, so it begins at the quarterfinals or earlier."""


@dataclass(frozen=True, slots=True)
class Section:
    """Matches of one part, round by round. The section is `number` of `count` in that part, from 1."""

    part: Part | None
    number: int
    count: int
    matches: tuple[AnyMatch, ...]


def sections_of(bracket: AnyBracket, *, most_rows: int = 8) -> tuple[Section, ...]:
    """Split the bracket into sections in which no round has more matches than `most_rows`, or four if that is more.

    The rounds after the first sections form a section of their own, from the quarterfinals on at the latest.

    >>> from pairing.draws.knockout.bracket import make_bracket
    >>> for section in sections_of(make_bracket(range(1, 33))):
    ...     print(section.number, len(section.matches), section.matches[0].id, section.matches[-1].id)
    1 15 R1M1 R4M1
    2 15 R1M9 R4M2
    3 7 R3M1 R5M1
    """
    parts: tuple[Part | None, ...] = tuple(Part) if isinstance(bracket, DoubleBracket) else (None,)
    most = max(most_rows, 2 ** (OVERLAP - 1))
    return tuple(chain.from_iterable(_sections_of_part(bracket, part, most) for part in parts))


def _sections_of_part(bracket: AnyBracket, part: Part | None, most_rows: int) -> list[Section]:
    matches = [match for match in bracket.matches if round_of(match).part is part]
    groups = _split(matches, most_rows) if part is not Part.FINAL else [matches]
    return [Section(part, turn, len(groups), tuple(group)) for turn, group in enumerate(groups, start=1) if group]


def _split(matches: Sequence[AnyMatch], most_rows: int) -> list[list[AnyMatch]]:
    if not matches:
        return []
    rounds = sorted({match.round for match in matches})
    for cut in reversed(rounds):
        trees = [_tree(matches, root) for root in matches if root.round == cut]
        if all(max(Counter(match.round for match in tree).values()) <= most_rows for tree in trees):
            break
    if cut == rounds[-1]:
        return [list(matches)]
    first = min(cut + 1, rounds[-1] - OVERLAP + 1)
    return [*trees, *_split([match for match in matches if match.round >= first], most_rows)]


def _tree(matches: Sequence[AnyMatch], root: AnyMatch) -> list[AnyMatch]:
    """Return the match and all of these matches that lead to it, in their order."""
    by_id = {match.id: match for match in matches}
    inside, coming = {root.id}, [root]
    while coming:
        for side in coming.pop().sides:
            if isinstance(side, WinnerOf) and side.match in by_id:
                inside.add(side.match)
                coming.append(by_id[side.match])
    return [match for match in matches if match.id in inside]


def lay_out_section(section: Section, measures: Measures | None = None) -> Layout:
    """Return the picture of one section, its rounds from left to right. `two_sided` has no effect.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> losers = sections_of(make_double_bracket((4, 2, 1, 3)))[1]
    >>> [(box.match, box.x, box.y) for box in lay_out_section(losers, Measures(100, 40, 20, 10, 0)).boxes]
    [('L1M1', 0, 5.0), ('L2M1', 120, 23.75)]
    """
    sizes = measures or Measures()
    middles = middles_of(section.matches, sizes)
    rounds = sorted({match.round for match in section.matches})
    boxes = {
        match.id: box_of(match, rounds.index(match.round), sizes.header_height + middles[match.id], sizes)
        for match in section.matches
    }
    headers = tuple(
        Header(number, at * sizes.column, sizes.box_width, sizes.header_height, part=section.part)
        for at, number in enumerate(rounds)
    )
    width = len(rounds) * sizes.column - sizes.column_gap
    height = max(box.y + box.height for box in boxes.values()) + sizes.row_gap
    return Layout(width, height, tuple(boxes.values()), connect(section.matches, boxes, sizes), headers)
