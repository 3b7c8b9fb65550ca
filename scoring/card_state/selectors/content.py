"""What is written on a card, and by which rules: its sides, its lines, and what each line is called."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, takewhile
from typing import Any

from scoring.card_state.selectors.entered_lines import Entered
from scoring.card_state.selectors.facts import CardFacts
from scoring.card_state.selectors.side_names import as_start, rename
from scoring.models import Card, CardClosed, CardSeat, SheetLine
from scoring.rules.book.lengths import with_length
from scoring.rules.sheet.case import read_sheet
from scoring.rules.sheet.paper import was_written_as_totals
from scoring.rules.sheet.sheets import RESERVED_NAMES, Sheet, VariantRules, open_sheet
from scoring.rules.variants.totals import as_case, says_totals
from scoring.rules.variants.variant import Variant
from tournament.models import Entrant


@dataclass(frozen=True)
class WrittenCard:
    """One card as it is written; what it comes to and who has signed it is said elsewhere."""

    card: Card
    seats: tuple[CardSeat, ...]
    entered: tuple[Entered, ...]
    keeper: Entrant | None
    table: int | None
    facts: CardFacts = field(repr=False)
    revision: int = 0
    drawn: tuple[str, ...] = ()
    """The letters of the sides by the places of `table_draw`; empty: nothing is drawn yet, or the cut says it all."""

    @property
    def closing(self) -> CardClosed | None:
        """The one that counts."""
        return self.facts.closing

    @property
    def keeper_id(self) -> int | None:
        return self.keeper.pk if self.keeper else None

    @property
    def keeper_name(self) -> str:
        """As the card has it; who keeps score for teams may be anybody of the match."""
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
        """What the sides are called on this card, always different names; while it is empty as they are called now."""
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
        """The names by the letters of the sides."""
        return dict(zip(self.letters, self.names, strict=True))

    @property
    def title(self) -> str:
        """“Ann – Bob”."""
        return " – ".join(self.names)

    @property
    def is_game(self) -> bool:
        """A game of a match between entrants; else the one card of a player or of two teams for the whole event."""
        return len(self.seats) > 1 and all(seat.entrant_id is not None for seat in self.seats)

    @cached_property
    def rules(self) -> VariantRules:
        """What it is played by: its rule sheet, with the length of matches where it stands."""
        return rules_of(self.card)

    @cached_property
    def sheet(self) -> Sheet:
        return self._sheet_of(self.letters, [line.line for line in self.lines])

    @cached_property
    def named_sheet(self) -> Sheet:
        """The same sheet with the players' names as its sides, so that every sentence says them."""
        return self._sheet_of(self.names, [self.with_names(line.line) for line in self.lines])

    @property
    def target(self) -> int | None:
        """The points a game is played to, where its rules know such a thing."""
        target = self.rules.options.get("target")
        return target if isinstance(target, int) else None

    @property
    def games_to_win(self) -> int:
        games = self.card.length.get("games_to_win", self.card.sheet.games_to_win)
        return int(games)

    @cached_property
    def variant(self) -> Variant[Any, Any]:
        """The game itself, no matter what is on the card: a line can be named although no line there can be counted."""
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

    def seat_of(self, entrant_id: int) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.entrant_id == entrant_id), None)

    def seat_at(self, side: str) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.side == side), None)

    def name_of(self, seat: CardSeat) -> str:
        return self.by_letter[seat.side]

    def with_names(self, value: Any) -> Any:
        """A line as stored, with the names for its letters."""
        return rename(value, self.by_letter)

    def _sheet_of(self, sides: Iterable[str], lines: list[Any]) -> Sheet:
        rules = self.rules
        return read_sheet({"rules": rules.rules, "options": rules.options, "sides": list(sides), **as_case(lines)})


def rules_of(card: Card) -> VariantRules:
    """What a card is played by, without its facts."""
    return VariantRules(card.sheet.variant, with_length(card.sheet.options, card.length))
