"""Lay out a double elimination, with the same values as `layout`, so that the same code draws both.

The winners' bracket is at the top, as it would be alone. The losers' bracket is below it, with a column for each of
its rounds. The final and the reset are to the right of both, between them. The box names the entry that drops down,
and no line leads there.
"""

from dataclasses import replace

from pairing.draws.knockout.bracket import DrawnSide, make_bracket
from pairing.draws.knockout.double_bracket import DoubleBracket, Part
from pairing.draws.pictures.layout import Box, Header, Layout, Measures, box_of, lay_out
from pairing.draws.pictures.tree_layout import connect, middles_of

Boxes = dict[str, Box]


def lay_out_double(bracket: DoubleBracket, measures: Measures | None = None) -> Layout:
    """Return the picture of a double elimination. `two_sided` has no effect.

    >>> from pairing.draws.knockout.double_bracket import make_double_bracket
    >>> picture = lay_out_double(make_double_bracket((4, None, 1, 3)), Measures(100, 40, 20, 10, 0))
    >>> [(box.match, box.x, box.y) for box in picture.boxes]
    [('W1M1', 0, 30.0), ('W2M1', 120, 11.25), ('L1M1', 0, 85.0), ('F1M1', 240, 48.125), ('F2M1', 360, 48.125)]
    """
    sizes = replace(measures or Measures(), two_sided=False)
    above = lay_out(make_bracket(bracket.places), sizes)
    boxes: Boxes = {}
    for box in above.boxes:
        name = f"W{box.match.removeprefix('R')}"
        boxes[name] = replace(box, match=name)
    losers = [match for match in bracket.matches if match.part is Part.LOSERS]
    top = above.height + (sizes.header_height if losers else 0.0)
    middles = middles_of(losers, sizes)
    for match in losers:
        boxes[match.id] = box_of(match, match.round - 1, top + middles[match.id], sizes)
    columns = max(box.round for box in boxes.values())
    fed = [boxes[side.match] for side in bracket.final.sides if not isinstance(side, DrawnSide)]
    middle = sum(box.y + box.height / 2 for box in fed) / len(fed)
    for column, match in enumerate((bracket.final, bracket.reset), start=columns):
        boxes[match.id] = box_of(match, column, middle, sizes)
    width = (columns + 2) * sizes.column - sizes.column_gap
    height = max(box.y + box.height for box in boxes.values()) + sizes.row_gap
    ordered = tuple(boxes[match.id] for match in bracket.matches)
    return Layout(width, height, ordered, connect(bracket.matches, boxes, sizes), _headers(bracket, boxes, sizes, top))


def _headers(bracket: DoubleBracket, boxes: Boxes, sizes: Measures, top: float) -> tuple[Header, ...]:
    """Return the heads of all columns. The heads of the finals are above their boxes."""
    columns = {(match.part, match.round): boxes[match.id].x for match in bracket.matches}
    above = {
        Part.WINNERS: 0.0,
        Part.LOSERS: top - sizes.header_height,
        Part.FINAL: boxes[bracket.final.id].y - sizes.header_height,
    }
    return tuple(
        Header(round=number, x=x, width=sizes.box_width, height=sizes.header_height, y=above[part], part=part)
        for (part, number), x in columns.items()
    )
