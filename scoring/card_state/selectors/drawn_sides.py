"""The draw at a card's table: whether it still has to be entered, and what each side got by it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.card_state.selectors.content import WrittenCard
from scoring.models import Card, RuleSheet
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import TableDraw, Variant


def draw_of(card: Card) -> TableDraw:
    """Return what the players of a card draw for, by its rules alone."""
    letters = tuple(seat.side for seat in card.seats.all())
    return VARIANTS[card.sheet.variant](letters, card.sheet.options).table_draw()


@dataclass(frozen=True)
class DrawnSides:
    written: WrittenCard

    @cached_property
    def table_draw(self) -> TableDraw:
        """The draw before play, by the rules of the card."""
        return self.written.sheet.variant.table_draw()

    @property
    def draws_at_table(self) -> bool:
        """Whether the players draw at the table and the card records the result.

        Otherwise the draw of the event has seated them.
        """
        by_event = self.table_draw.orders_sides and self.written.card.sheet.seats == RuleSheet.Seats.EVENT
        return bool(self.table_draw.places) and not by_event

    @property
    def is_beside_keeper(self) -> bool:
        """Whether the desk enters the draw in addition to the scorekeeper.

        If the cut decides who keeps score, the scorekeeper is the result of the draw.
        """
        return self.draws_at_table and not self.table_draw.keeps_score

    @property
    def asks_draw(self) -> bool:
        """Whether the result of the draw still has to be entered."""
        if not self.draws_at_table:
            return False
        return self.written.keeper is None if self.table_draw.keeps_score else not self.written.drawn

    @property
    def needs_draw(self) -> bool:
        """Whether no hand can be entered before the draw, because the roles of the first hand are not known."""
        return self.table_draw.decides_roles and self.asks_draw and not self.written.lines

    @property
    def order_is_known(self) -> bool:
        """Whether the order of the sides was drawn. Cards begun before the draw was asked for keep their order."""
        if not self.table_draw.orders_sides or not self.asks_draw:
            return True
        return self.table_draw.decides_roles and bool(self.written.lines)

    @cached_property
    def shown_variant(self) -> Variant[Any, Any]:
        """The variant for showing the sheet, with the players' names. It shows no order that nobody has drawn."""
        variant = self.written.named_sheet.variant
        return variant if self.order_is_known else variant.before_the_draw()

    @property
    def order_on_card(self) -> tuple[str, ...]:
        """The letters of the sides in the order of the places of the rules, as far as recorded."""
        if not self.table_draw.keeps_score:
            return self.written.drawn
        keeper = self.written.keeper_id
        return tuple(seat.side for seat in self.written.seats if keeper is not None and seat.entrant_id == keeper)

    def draw_in_words(self, order: Sequence[str]) -> str:
        """Return the draw in words: “highest card Ann, middle card Bob, lowest card Cy”."""
        each = zip(self.table_draw.places, order, strict=False)
        return ", ".join(f"{place.card.lower()} {self.written.by_letter[side]}" for place, side in each)

    @property
    def drawn_words(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a side's name and the short name of its role, or empty if the roles are not known."""
        places = self.table_draw.places
        if not places or self.table_draw.keeps_score or not self.order_is_known:
            return ()
        letters = self.written.drawn or (self.written.letters if self.table_draw.orders_sides else ())
        names = self.written.by_letter
        return tuple((names[letter], place.role) for letter, place in zip(letters, places, strict=False))
