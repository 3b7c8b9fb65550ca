"""The facts of a card, today or at the time of an earlier version.

Facts are only added, and each has a higher key than the one before. So the counts of a version identify its facts
without comparing times.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from scoring.card_state.selectors.entered_lines import Entered
from scoring.models import Card, CardClosed, CardSeat, CardVersion, Cut, SheetLine
from tournament.models import Entrant


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
    event, first = card.match.event, first_signed(card)
    return CardFacts(
        event=first["event"] if first else f"{event.tournament.slug}/{event.slug}",
        lines=tuple(sorted(card.lines.all(), key=lambda line: line.pk)),
        cuts=tuple(card.cuts.all()),
        closings=closings,
        reopened=sum(hasattr(closing, "taken_back") for closing in closings),
    )


def facts_at(card: Card, counts: dict[str, Any]) -> CardFacts:
    """Return the facts that existed when a version was signed."""
    now = current_card_facts(card)
    return CardFacts(
        event=now.event,
        lines=now.lines[: counts["lines"]],
        cuts=now.cuts[: counts["cuts"]],
        closings=now.closings[: counts["closings"]],
        reopened=counts["reopened"],
    )


def with_first_signed(cards: QuerySet[Card]) -> QuerySet[Card]:
    """Annotate each card with the facts that its first version covered."""
    first = CardVersion.objects.filter(card=OuterRef("pk"), number=1).values("facts")[:1]
    return cards.annotate(first_signed=Subquery(first))


def first_signed(card: Card) -> dict[str, Any] | None:
    """Return the facts that the first version covered, or None if nobody has signed the card yet."""
    found: dict[str, Any] | None = getattr(card, "first_signed", None)
    return found or None


def revision_of(card: Card, facts: CardFacts) -> int:
    """Return the number of changes since the first signature."""
    first = first_signed(card)
    if first is None:
        return 0
    now = facts.counts()
    changes = sum(int(now[kind]) - int(first[kind]) for kind in ("lines", "cuts", "closings", "reopened"))
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


def drawn_roles(cuts: Sequence[Cut]) -> tuple[str, ...]:
    """Return the letters of the sides by the places of the rules, as they were drawn last, or empty without a draw."""
    orders = [tuple(cut.order) for cut in cuts if cut.order]
    return orders[-1] if orders else ()


def in_drawn_order(seats: Sequence[CardSeat], drawn: Sequence[str]) -> tuple[CardSeat, ...]:
    """Return the seats in the drawn order if every side drew, or else in their present order."""
    if sorted(drawn) != sorted(seat.side for seat in seats):
        return tuple(seats)
    return tuple(sorted(seats, key=lambda seat: drawn.index(seat.side)))


def table_of(card: Card, entered: Sequence[Entered]) -> int | None:
    """Return the table at which the game was played.

    It is the last table called before the last line. A later call does not change a card that is finished.
    """
    calls = list(card.match.calls.all())
    if entered:
        last = max(item.fact.at for item in entered)
        calls = [call for call in calls if call.at <= last]
    return calls[-1].table if calls else None
