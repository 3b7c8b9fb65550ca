"""Lay out a bracket of either kind."""

from functools import lru_cache

from pairing.draws.knockout.double_bracket import DoubleBracket
from pairing.draws.knockout.elimination import AnyBracket
from pairing.draws.pictures.double_layout import lay_out_double
from pairing.draws.pictures.layout import Layout, Measures, lay_out


@lru_cache(maxsize=32)
def lay_out_any(bracket: AnyBracket, measures: Measures | None = None) -> Layout:
    """Return the picture of a bracket. `two_sided` has no effect on a double elimination.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> [head.part for head in lay_out_any(make_double_bracket((4, 2))).headers]
    [<Part.WINNERS: 'winners'>, <Part.FINAL: 'final'>, <Part.FINAL: 'final'>]
    """
    if isinstance(bracket, DoubleBracket):
        return lay_out_double(bracket, measures)
    return lay_out(bracket, measures)
