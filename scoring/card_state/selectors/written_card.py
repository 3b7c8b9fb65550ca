"""The content written on a card, today or at the time of an earlier version.

The facts of a card become its lines, sides, rules, closings, and the draw at its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, takewhile
from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery

from scoring.models import Card, CardClosed, CardSeat, CardVersion, Cut, RuleSheet, SheetLine
from scoring.rules.book.options import with_length
from scoring.rules.sheet.closing import ClosedFor, Closing, ClosingRule
from scoring.rules.sheet.paper import was_written_as_totals
from scoring.rules.sheet.sheets import RESERVED_NAMES, Sheet, VariantRules, open_sheet, read_sheet
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import TableDraw, Variant, as_case, says_totals
from tournament.models import Entrant

# --- The facts of a card ---------------------------------------------------------------------------------------------
# Facts are only added, and each has a higher key than the one before. So the counts of a version identify its facts
# without comparing times.


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The facts of a card, in the order they were written. `reopened` counts the closings that were taken back."""

    event: str
    lines: tuple[SheetLine, ...]
    cuts: tuple[Cut, ...]
    closings: tuple[CardClosed, ...]
    reopened: int

    def counts(self) -> dict[str, Any]:
        """Return the counts of the facts, as a version stores them."""
        return {
            "event": self.event,
            "lines": len(self.lines),
            "cuts": len(self.cuts),
            "closings": len(self.closings),
            "reopened": self.reopened,
        }

    @property
    def closing(self) -> CardClosed | None:
        """The closing that counts, or None if the game is open or was played to its end."""
        if not self.closings:
            return None
        last = self.closings[-1]
        taken_back = sorted(c.taken_back.pk for c in self.closings if hasattr(c, "taken_back"))
        known = taken_back[: self.reopened]
        return None if hasattr(last, "taken_back") and last.taken_back.pk in known else last


def current_card_facts(card: Card) -> CardFacts:
    """Return all facts of a card of `cards_with_facts`.

    The event's address is the one at the first signature, so renaming the event does not change a signed card.
    """
    closings = tuple(sorted(card.closings.all(), key=lambda closing: closing.pk))
    event, first = card.match.event, _facts_at_first_signature(card)
    return CardFacts(
        event=first["event"] if first else f"{event.tournament.slug}/{event.slug}",
        lines=tuple(sorted(card.lines.all(), key=lambda line: line.pk)),
        cuts=tuple(card.cuts.all()),
        closings=closings,
        reopened=sum(hasattr(closing, "taken_back") for closing in closings),
    )


def facts_at(card: Card, counts: dict[str, Any]) -> CardFacts:
    """Return the facts that existed when a version was signed."""
    current = current_card_facts(card)
    return CardFacts(
        event=current.event,
        lines=current.lines[: counts["lines"]],
        cuts=current.cuts[: counts["cuts"]],
        closings=current.closings[: counts["closings"]],
        reopened=counts["reopened"],
    )


def with_first_facts(cards: QuerySet[Card]) -> QuerySet[Card]:
    """Annotate each card with the facts that its first version covered."""
    first = CardVersion.objects.filter(card=OuterRef("pk"), number=1).values("facts")[:1]
    return cards.annotate(first_facts=Subquery(first))


def _facts_at_first_signature(card: Card) -> dict[str, Any] | None:
    """Return the facts that the first version covered, or None if nobody has signed the card yet."""
    found: dict[str, Any] | None = getattr(card, "first_facts", None)
    return found or None


def revision_of(card: Card, facts: CardFacts) -> int:
    """Return the number of changes since the first signature."""
    first = _facts_at_first_signature(card)
    if first is None:
        return 0
    current = facts.counts()
    changes = sum(int(current[kind]) - int(first[kind]) for kind in ("lines", "cuts", "closings", "reopened"))
    return max(0, changes)


def keeper_of(seats: Sequence[CardSeat], cuts: Sequence[Cut]) -> Entrant | None:
    """Return the scorekeeper that the last cut names.

    A player who is alone on a card keeps it without a cut.
    """
    named = [cut for cut in cuts if cut.keeper_id is not None]
    if not named:
        return seats[0].entrant if len(seats) == 1 else None
    keeper = named[-1].keeper_id
    return next((seat.entrant for seat in seats if seat.entrant_id == keeper), None) or named[-1].keeper


# --- Lines with their corrections ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EnteredLine:
    """The entry for one hand: the line that counts, and the lines that it superseded, oldest first."""

    fact: SheetLine
    earlier: tuple[SheetLine, ...] = ()

    @property
    def is_struck(self) -> bool:
        return self.fact.line is None


def group_corrections(facts: Iterable[SheetLine]) -> tuple[EnteredLine, ...]:
    """Return one entry for each hand, in the order of first entry."""
    by_pk = {fact.pk: fact for fact in facts}
    superseded = {fact.supersedes_id for fact in by_pk.values()}
    last = [fact for fact in by_pk.values() if fact.pk not in superseded]
    return tuple(EnteredLine(fact, _earlier_lines(fact, by_pk)) for fact in sorted(last, key=lambda f: f.number))


def _earlier_lines(fact: SheetLine, by_pk: dict[int, SheetLine]) -> tuple[SheetLine, ...]:
    earlier: list[SheetLine] = []
    while fact.supersedes_id is not None:
        fact = by_pk[fact.supersedes_id]
        earlier.append(fact)
    return tuple(reversed(earlier))


def table_of(card: Card, entered: Sequence[EnteredLine]) -> int | None:
    """Return the table at which the game was played.

    It is the last table called before the last line. A later call does not change a card that is finished.
    """
    calls = list(card.match.calls.all())
    if entered:
        last = max(item.fact.at for item in entered)
        calls = [call for call in calls if call.at <= last]
    return calls[-1].table if calls else None


# --- Closings of games -----------------------------------------------------------------------------------------------


def prefetch_closings() -> Prefetch[str]:
    """Return a prefetch of the closings of cards, with the rows that took them back."""
    return Prefetch("closings", closings_with_undoing())


def closings_with_undoing() -> QuerySet[CardClosed]:
    return CardClosed.objects.select_related("taken_back", "left", "winner")


def counts_totals(card: Card) -> bool:
    """Whether every total counts and nobody has to win.

    That is so at a table, and if the sides are teams or a single player.
    """
    return card.match.seating_id is not None or "-" not in card.sides_key


def to_closing(fact: CardClosed, names: Mapping[str, str]) -> Closing:
    def named(seat: CardSeat | None) -> str | None:
        return None if seat is None else names[seat.side]

    return Closing(
        cause=ClosedFor(fact.cause),
        rule=ClosingRule(fact.rule),
        hands=fact.hands,
        left=named(fact.left),
        winner=named(fact.winner),
        games={names[side]: count for side, count in fact.games.items()},
        totals_count=counts_totals(fact.card),
    )


# --- The content of a card -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WrittenCard:
    """The content of one card. Its score and its signatures are computed in other modules."""

    card: Card
    seats: tuple[CardSeat, ...]
    entered: tuple[EnteredLine, ...]
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
        return _replace_letters(value, self.by_letter)

    def _sheet_of(self, sides: Iterable[str], lines: list[Any]) -> Sheet:
        rules = self.rules
        return read_sheet({"rules": rules.rules, "options": rules.options, "sides": list(sides), **as_case(lines)})


def rules_of(card: Card) -> VariantRules:
    """Return the rules of a card, with the length of its match, without loading the card's facts."""
    return VariantRules(card.sheet.variant, with_length(card.sheet.options, card.length))


def _replace_letters(value: Any, names: dict[str, str]) -> Any:
    """Return the line with side names replaced, as keys and as values.

    This is safe because no card or outcome is called A or B.

    >>> _replace_letters({"by": "A", "counts": {"A": 5, "B": 20}}, {"A": "Ann", "B": "Bob"})
    {'by': 'Ann', 'counts': {'Ann': 5, 'Bob': 20}}
    >>> _replace_letters({"boards": [{"by": "A"}, {"outcome": "stock"}]}, {"A": "Ann", "B": "Bob"})
    {'boards': [{'by': 'Ann'}, {'outcome': 'stock'}]}
    """
    if isinstance(value, list):
        return [_replace_letters(held, names) if isinstance(held, dict) else held for held in value]
    if isinstance(value, dict):
        return {names.get(key, key): _replace_letters(held, names) for key, held in value.items()}
    if isinstance(value, str):
        return names.get(value, value)
    return value


def as_start(words: str) -> str:
    """Return words with a capital first letter, as a sentence begins. Unlike `capitalize`, it keeps later capitals.

    >>> as_start("hand 3 of Ann")
    'Hand 3 of Ann'
    """
    words = str(words)
    return words[:1].upper() + words[1:]


# --- The draw at the table -------------------------------------------------------------------------------------------


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
    def has_separate_draw(self) -> bool:
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
