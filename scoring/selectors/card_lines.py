"""What of a card is about its lines: what each is called, and whether they are hands or the totals of a paper card."""

from __future__ import annotations

from functools import cached_property
from itertools import count, takewhile
from typing import Any

from scoring.models import SheetLine
from scoring.rules.sheet.paper import was_written_as_totals
from scoring.rules.sheet.sheets import Sheet, VariantRules, open_sheet
from scoring.rules.variants.totals import TOTALS, says_totals
from scoring.rules.variants.variant import Tally, Variant
from scoring.selectors.side_names import as_start


class CardLines:
    """A part of `CardState`."""

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        raise NotImplementedError

    @property
    def letters(self) -> tuple[str, ...]:
        raise NotImplementedError

    @cached_property
    def rules(self) -> VariantRules:
        raise NotImplementedError

    @cached_property
    def sheet(self) -> Sheet:
        raise NotImplementedError

    @cached_property
    def tally(self) -> Tally:
        raise NotImplementedError

    @cached_property
    def variant(self) -> Variant[Any, Any]:
        """The game itself, whatever is on the card: a line can be named although no line there can be counted."""
        return open_sheet(self.rules, self.letters).variant

    @property
    def hands(self) -> tuple[SheetLine, ...]:
        """The lines that are hands; the totals of a paper card are none."""
        return tuple(line for line in self.lines if not says_totals(line.line))

    @property
    def hand_numbers(self) -> tuple[int, ...]:
        """Where the hands stand among the lines, from 1."""
        return tuple(place for place, line in enumerate(self.lines, start=1) if not says_totals(line.line))

    @cached_property
    def is_by_totals(self) -> bool:
        """Whether the desk entered it by its totals: as one line, or as such cards were written once."""
        if self.lines and says_totals(self.lines[0].line):
            return True
        typed = bool(self.lines) and all(line.via == SheetLine.Via.DESK for line in self.lines)
        return typed and was_written_as_totals(self.sheet)

    @property
    def entered_totals(self) -> dict[str, int]:
        """By letter, as the desk entered them; of any other card what its hands come to."""
        first = self.lines[0].line if self.lines else None
        return dict(first[TOTALS]) if first and says_totals(first) else dict(self.tally.totals)

    @property
    def line_name(self) -> str:
        """What a line is called in this game: a hand, a round."""
        return self.variant.line_name

    def name_line(self, number: int) -> str:
        """What line `number` (from 1) is called within a sentence: “hand 3”, “hand with 3s wild”."""
        return self.variant.name_line(number)

    def mark_line(self, number: int) -> str:
        """What stands before it in a list."""
        return self.variant.mark_line(number)

    @property
    def line_names(self) -> tuple[str, ...]:
        """Its lines as a sentence begins with them, where they go by more than a number; for the scripts of a phone."""
        numbers = takewhile(lambda number: self.mark_line(number) != str(number), count(1))
        return tuple(as_start(self.name_line(number)) for number in numbers)
