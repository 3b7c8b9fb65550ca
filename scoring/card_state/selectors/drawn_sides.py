"""What of a card depends on the draw at its table: whether it is still asked for, and who got which place by it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.card_state.selectors.content import WrittenCard
from scoring.models import Card, RuleSheet
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.table_draw import TableDraw
from scoring.rules.variants.variant import Variant


def draw_of(card: Card) -> TableDraw:
    """What is drawn for at a card, by its rules alone."""
    letters = tuple(seat.side for seat in card.seats.all())
    return VARIANTS[card.sheet.variant](letters, card.sheet.options).table_draw()


@dataclass(frozen=True)
class DrawnSides:
    written: WrittenCard

    @cached_property
    def table_draw(self) -> TableDraw:
        """What is drawn for before play, as the rules of the card say it."""
        return self.written.sheet.variant.table_draw()

    @property
    def draws_at_table(self) -> bool:
        """Whether the players draw, and the card says what came of it; else the event's draw has seated them."""
        by_event = self.table_draw.orders_sides and self.written.card.sheet.seats == RuleSheet.Seats.EVENT
        return bool(self.table_draw.places) and not by_event

    @property
    def is_beside_keeper(self) -> bool:
        """Whether the desk says the draw besides who keeps score; where the cut names the scorekeeper, that says it."""
        return self.draws_at_table and not self.table_draw.keeps_score

    @property
    def asks_draw(self) -> bool:
        """Whether what was drawn is still to be said; where the cut names the scorekeeper, who that is."""
        if not self.draws_at_table:
            return False
        return self.written.keeper is None if self.table_draw.keeps_score else not self.written.drawn

    @property
    def needs_draw(self) -> bool:
        """Whether no hand can be taken before it: the roles of the first hand are not known."""
        return self.table_draw.decides_roles and self.asks_draw and not self.written.lines

    @property
    def order_is_known(self) -> bool:
        """Whether the sides stand in an order that somebody drew; cards begun before it was asked keep theirs."""
        if not self.table_draw.orders_sides or not self.asks_draw:
            return True
        return self.table_draw.decides_roles and bool(self.written.lines)

    @cached_property
    def shown_variant(self) -> Variant[Any, Any]:
        """The rules as the sheet shows them, in the players' names: nothing of an order that nobody has drawn."""
        variant = self.written.named_sheet.variant
        return variant if self.order_is_known else variant.before_the_draw()

    @property
    def order_on_card(self) -> tuple[str, ...]:
        """The letters of the sides by the places of the rules, as far as it is recorded; empty: it is not."""
        if not self.table_draw.keeps_score:
            return self.written.drawn
        keeper = self.written.keeper_id
        return tuple(seat.side for seat in self.written.seats if keeper is not None and seat.entrant_id == keeper)

    def draw_in_words(self, order: Sequence[str]) -> str:
        """“highest card Ann, middle card Bob, lowest card Cy”."""
        each = zip(self.table_draw.places, order, strict=False)
        return ", ".join(f"{place.card.lower()} {self.written.by_letter[side]}" for place, side in each)

    @property
    def drawn_words(self) -> tuple[tuple[str, str], ...]:
        """Who got which place, as (name, what it is in short); nobody where it is not known."""
        places = self.table_draw.places
        if not places or self.table_draw.keeps_score or not self.order_is_known:
            return ()
        letters = self.written.drawn or (self.written.letters if self.table_draw.orders_sides else ())
        names = self.written.by_letter
        return tuple((names[letter], place.role) for letter, place in zip(letters, places, strict=False))
