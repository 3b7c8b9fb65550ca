"""The content of a card: its sides, its lines, its rules, and what each line is called."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, takewhile
from typing import Any

from scoring.card_state.selectors.entered_lines import Entered
from scoring.card_state.selectors.facts import CardFacts
from scoring.card_state.selectors.side_names import as_start, rename
from scoring.models import Card, CardClosed, CardSeat, SheetLine
from scoring.rules.book.options import with_length
from scoring.rules.sheet.case import read_sheet
from scoring.rules.sheet.paper import was_written_as_totals
from scoring.rules.sheet.sheets import RESERVED_NAMES, Sheet, VariantRules, open_sheet
from scoring.rules.variants.variant import Variant, as_case, says_totals
from tournament.models import Entrant


@dataclass(frozen=True)
class WrittenCard:
    """The content of one card. Its score and its signatures are computed in other modules."""

    card: Card
    seats: tuple[CardSeat, ...]
    entered: tuple[Entered, ...]
    keeper: Entrant | None
    table: int | None
    facts: CardFacts = field(repr=False)
    revision: int = 0
    drawn: tuple[str, ...] = ()
    """The letters of the sides in the order of the places of `table_draw`.

    It is empty if nothing is drawn yet, or if the cut already says everything.
    """

    @property
    def closing(self) -> CardClosed | None:
        return self.facts.closing

    @property
    def keeper_id(self) -> int | None:
        return self.keeper.pk if self.keeper else None

    @property
    def keeper_name(self) -> str:
        """The scorekeeper's name as the card has it. For teams, any player of the match can keep score."""
        seat = self.seat_of(self.keeper.pk) if self.keeper else None
        return self.name_of(seat) if seat else self.keeper.name if self.keeper else ""

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        """The lines that count, in the order of the hands."""
        return tuple(entered.fact for entered in self.entered if not entered.is_struck)

    @property
    def letters(self) -> tuple[str, ...]:
        """The sheet's own names for its sides."""
        return tuple(seat.side for seat in self.seats)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the sides on this card, always different from each other.

        An empty card follows later changes of the entrants' names. A card in play keeps the names it was begun with.
        """
        is_empty = not self.entered and self.closing is None
        names = tuple(
            seat.entrant.name if seat.entrant and (is_empty or not seat.name) else seat.name or seat.side
            for seat in self.seats
        )
        if len(set(names)) == len(names) and not set(names) & set(RESERVED_NAMES):
            return names
        each = zip(names, self.seats, strict=True)
        return tuple(f"{name} ({seat.entrant.number if seat.entrant else seat.side})" for name, seat in each)

    @cached_property
    def by_letter(self) -> dict[str, str]:
        return dict(zip(self.letters, self.names, strict=True))

    @property
    def title(self) -> str:
        """The names of all sides: “Ann – Bob”."""
        return " – ".join(self.names)

    @property
    def is_game(self) -> bool:
        """Whether the card is one game of a match between entrants.

        Otherwise it is the only card of a player or of two teams for the whole event.
        """
        return len(self.seats) > 1 and all(seat.entrant_id is not None for seat in self.seats)

    @cached_property
    def rules(self) -> VariantRules:
        return rules_of(self.card)

    @cached_property
    def sheet(self) -> Sheet:
        return self._sheet_of(self.letters, [line.line for line in self.lines])

    @cached_property
    def named_sheet(self) -> Sheet:
        """The same sheet with the players' names as its sides, so that every sentence uses them."""
        return self._sheet_of(self.names, [self.with_names(line.line) for line in self.lines])

    @property
    def target(self) -> int | None:
        """The points that end a game, or None if its rules have no target."""
        target = self.rules.options.get("target")
        return target if isinstance(target, int) else None

    @property
    def games_to_win(self) -> int:
        games = self.card.length.get("games_to_win", self.card.sheet.games_to_win)
        return int(games)

    @cached_property
    def variant(self) -> Variant[Any, Any]:
        """The variant alone. It can name a line even if the lines of the card cannot be counted."""
        return open_sheet(self.rules, self.letters).variant

    @property
    def hands(self) -> tuple[SheetLine, ...]:
        """The lines that are hands. The totals of a paper card are not a hand."""
        return tuple(line for line in self.lines if not says_totals(line.line))

    @property
    def hand_numbers(self) -> tuple[int, ...]:
        """The places of the hands among the lines, from 1."""
        return tuple(place for place, line in enumerate(self.lines, start=1) if not says_totals(line.line))

    @cached_property
    def is_by_totals(self) -> bool:
        """Whether the desk entered the card by its totals.

        The totals are one line. Older records have them in the form of hands.
        """
        if self.lines and says_totals(self.lines[0].line):
            return True
        typed = bool(self.lines) and all(line.via == SheetLine.Via.DESK for line in self.lines)
        return typed and was_written_as_totals(self.sheet)

    @property
    def line_name(self) -> str:
        """The word for a line in this game, such as hand or round."""
        return self.variant.line_name

    def name_line(self, number: int) -> str:
        """Return the name of line `number` (from 1) within a sentence: “hand 3”, “hand with 3s wild”."""
        return self.variant.name_line(number)

    def mark_line(self, number: int) -> str:
        """Return the short mark in front of a line in a list: “3”, “3s wild”."""
        return self.variant.mark_line(number)

    @property
    def line_names(self) -> tuple[str, ...]:
        """The names of the lines as a sentence begins with them, for the scripts on a phone.

        It is empty if the lines are only numbered.
        """
        numbers = takewhile(lambda number: self.mark_line(number) != str(number), count(1))
        return tuple(as_start(self.name_line(number)) for number in numbers)

    def seat_of(self, entrant_id: int) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.entrant_id == entrant_id), None)

    def seat_at(self, side: str) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.side == side), None)

    def name_of(self, seat: CardSeat) -> str:
        return self.by_letter[seat.side]

    def with_names(self, value: Any) -> Any:
        """Return a stored line with the players' names in the place of the letters."""
        return rename(value, self.by_letter)

    def _sheet_of(self, sides: Iterable[str], lines: list[Any]) -> Sheet:
        rules = self.rules
        return read_sheet({"rules": rules.rules, "options": rules.options, "sides": list(sides), **as_case(lines)})


def rules_of(card: Card) -> VariantRules:
    """Return the rules of a card, with the length of its match, without loading the card's facts."""
    return VariantRules(card.sheet.variant, with_length(card.sheet.options, card.length))
