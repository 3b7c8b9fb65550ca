"""Score cards loaded with all their facts, and computed into one `CardState` each."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from django.db import connection
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from pairing.models import TableCall
from scoring.card_state.selectors.clock import CardClock
from scoring.card_state.selectors.closings import closings_with_end, with_closings
from scoring.card_state.selectors.content import WrittenCard
from scoring.card_state.selectors.drawn_sides import DrawnSides
from scoring.card_state.selectors.entered_lines import entered_of
from scoring.card_state.selectors.evidence import CardEvidence
from scoring.card_state.selectors.facts import (
    CardFacts,
    current_card_facts,
    drawn_roles,
    in_drawn_order,
    keeper_of,
    revision_of,
    table_of,
    with_first_signed,
)
from scoring.card_state.selectors.score import CardScore
from scoring.card_state.selectors.shown_side import ShownSide
from scoring.card_state.selectors.signatures import CardSignatures
from scoring.models import Card, CardPosted, CardSeat, CardVersion, Cut, SheetLine, Signature
from tournament.core.selectors.kept import until_written
from tournament.core.selectors.prepared import Prepared, keep_related
from tournament.errors import NotFound
from tournament.spreadsheets.names import typed_number


@dataclass(frozen=True)
class CardState(WrittenCard):
    """One card, computed from its facts: what is written on it, its score, signatures and clock."""

    signed: tuple[Signature, ...] = field(default=(), repr=False)
    postings: tuple[CardPosted, ...] = field(default=(), repr=False)
    version: CardVersion | None = field(default=None, repr=False)
    """The version with exactly this content, once a write has recorded or found it."""

    @cached_property
    def score(self) -> CardScore:
        return CardScore(self)

    @cached_property
    def evidence(self) -> CardEvidence:
        return CardEvidence(self, self.score)

    @cached_property
    def signatures(self) -> CardSignatures:
        return CardSignatures(self.evidence, self.signed)

    @cached_property
    def clock(self) -> CardClock:
        return CardClock(self.evidence, self.postings)

    @cached_property
    def draw(self) -> DrawnSides:
        """The draw at the table of this card."""
        return DrawnSides(self)

    @property
    def digest(self) -> str:
        return self.evidence.digest

    @property
    def is_complete(self) -> bool:
        return self.score.is_complete

    @property
    def is_posted(self) -> bool:
        """Whether the card counts: its present content was posted, or the game was closed."""
        return self.clock.is_posted

    @property
    def state(self) -> str:
        """The state as one word.

        It is `ready` (nothing is entered), `playing`, `unsigned` or `posted`. If the game was ended early, it is
        `closed`, `time-called` or `undecided`.
        """
        if self.score.verdict is not None:
            waiting = "time-called" if self.score.takes_hands else "undecided"
            return "closed" if self.score.is_closed else waiting
        if self.is_complete:
            return "posted" if self.is_posted else "unsigned"
        return "playing" if self.lines else "ready"

    @property
    def sides(self) -> tuple[ShownSide, ...]:
        """The sides of the card in order, for the pages."""
        won, signed = self.score.winning_seat, self.signatures.signed_seats
        each = zip(self.seats, self.names, self.score.totals, strict=True)
        return tuple(ShownSide(seat, name, total, seat == won, seat.pk in signed) for seat, name, total in each)

    def after(self, **facts: Any) -> CardState:
        """Return this card with added signatures or postings, without computing or loading it again."""
        made = replace(self, **facts)
        made.__dict__.update({name: self.__dict__[name] for name in WORKED_OUT if name in self.__dict__})
        return made


WORKED_OUT: Final = (
    *(name for name, each in vars(WrittenCard).items() if isinstance(each, cached_property)),
    "score",
    "evidence",
    "draw",
)
"""The computed properties that stay valid when a card is signed or posted."""


def cards_with_facts() -> QuerySet[Card]:
    """Return cards with everything that `card_state_of` needs, in a constant number of queries."""
    return _cards_with_seats().prefetch_related(*_facts())


def bare_cards() -> QuerySet[Card]:
    """Return cards for `load_states`, which loads their facts."""
    return with_first_signed(Card.objects.select_related("match__event__tournament", "sheet"))


def load_states(cards: QuerySet[Card]) -> list[CardState]:
    """Return the state of each of `bare_cards`. The usual case of a single card uses prepared queries."""
    found = list(cards)
    if len(found) == 1:
        fill_seats(found[0])
        fill_card(found[0])
    else:
        prefetch_related_objects(found, with_seats(), *_facts())
    return [card_state_of(card) for card in found]


def _cards_with_seats() -> QuerySet[Card]:
    return bare_cards().prefetch_related(with_seats())


def _facts() -> tuple[str | Prefetch[str], ...]:
    return "lines", "cuts", "signatures", "postings", "match__calls", with_closings()


def with_seats() -> Prefetch[str]:
    """Return a prefetch of the seats of cards with their entrants."""
    return Prefetch("seats", CardSeat.objects.select_related("entrant"))


def card_state_of(card: Card, facts: CardFacts | None = None) -> CardState:
    """Return the state of a card of `cards_with_facts`.

    With `facts`, it is the state that the card had when only those facts existed.
    """
    facts = facts or current_card_facts(card)
    entered = entered_of(facts.lines)
    drawn = drawn_roles(facts.cuts)
    seats = in_drawn_order(tuple(card.seats.all()), drawn)
    signatures = tuple(card.signatures.all())
    by_pk = {seat.pk: seat for seat in seats}
    for signature in signatures:
        signature.seat = by_pk[signature.seat_id] if signature.seat_id is not None else None
    return CardState(
        card=card,
        seats=seats,
        entered=entered,
        keeper=keeper_of(seats, facts.cuts),
        table=table_of(card, entered),
        signed=signatures,
        postings=tuple(card.postings.all()),
        facts=facts,
        revision=revision_of(card, facts),
        drawn=drawn,
    )


def as_sent_for(state: CardState, hand: str) -> CardState:
    """Return the card as it was before this hand, or unchanged if the hand is not recorded yet.

    A form that is sent twice is then read the same way both times, so the second one is recognized as a repeat.
    """
    number = typed_number(hand) or 0
    if not 0 < number <= len(state.lines):
        return state
    later = [line for line in state.facts.lines if line.number >= number]
    acts = {line.at for line in later}  # the draw can be sent with the hand
    lines = tuple(line for line in state.facts.lines if line.number < number)
    cuts = tuple(cut for cut in state.facts.cuts if cut.at not in acts)
    return card_state_of(state.card, replace(state.facts, lines=lines, cuts=cuts))


_card_by_pk = Prepared(lambda pk: bare_cards().filter(pk=pk))
_seats_of_card = Prepared(lambda card: CardSeat.objects.select_related("entrant").filter(card=card))
_calls_of_match = Prepared(lambda match: TableCall.objects.filter(match=match))
FACTS_OF_CARD: Final[dict[str, Prepared[Any]]] = {
    "lines": Prepared(lambda card: SheetLine.objects.filter(card=card)),
    "cuts": Prepared(lambda card: Cut.objects.filter(card=card)),
    "signatures": Prepared(lambda card: Signature.objects.filter(card=card)),
    "postings": Prepared(lambda card: CardPosted.objects.filter(card=card)),
    "closings": Prepared(lambda card: closings_with_end().filter(card=card)),
}
"""The prepared queries for the facts of a single card, by relation."""


def fill_seats(card: Card) -> None:
    keep_related(card, "seats", _seats_of_card(card.pk), back="card")


def fill_card(card: Card, *, there: Collection[str] = tuple(FACTS_OF_CARD)) -> None:
    """Load everything that `card_state_of` needs except the seats.

    Relations that are not in `there` are set to empty without a query.
    """
    for name, rows in FACTS_OF_CARD.items():
        keep_related(card, name, rows(card.pk) if name in there else (), back="card")
    keep_related(card.match, "calls", _calls_of_match(card.match_id), back="match")


def find_card(token: str) -> Card:
    """Return the card at this address with its seats. Its facts are not loaded yet."""
    card = _cards_with_seats().filter(token=token).first()
    if card is None:
        raise NotFound(
            "no-card", _("There is no score card at this address. Ask the desk for the score card of your table.")
        )
    return card


def load_card_state(card: Card) -> CardState:
    """Return the state of a card of `find_card`."""
    fill_card(card)
    return card_state_of(card)


def load_card(token: str) -> CardState:
    return load_card_state(find_card(token))


def load_card_by_pk(pk: int) -> CardState:
    """Return the state of a card. Inside a transaction the state is cached until the next write."""
    if connection.in_atomic_block:
        return until_written(("card", pk), lambda: _load_one(pk))
    return _load_one(pk)


def _load_one(pk: int) -> CardState:
    found = _card_by_pk(pk)
    if not found:
        raise Card.DoesNotExist
    fill_seats(found[0])
    return load_card_state(found[0])


def load_match_cards(match_id: int, key: str | None = None, *, known: CardState | None = None) -> list[CardState]:
    """Return the cards of a match by game.

    With `key` (`Card.sides_key`) only the cards of these sides and those of teams are returned. Cards of earlier sides,
    which a correction replaced, are then left out. `known` is a card whose state is already loaded.
    """
    cards = bare_cards().filter(match_id=match_id)
    if key is not None:
        cards = cards.filter(sides_key__in=(key, ""))
    if known is None:
        return load_states(cards.order_by("game", "pk"))
    found = load_states(cards.exclude(pk=known.card.pk).order_by("game", "pk"))
    return with_state(found, known) if key is None or known.card.sides_key in (key, "") else found


def with_state(cards: Iterable[CardState], known: CardState) -> list[CardState]:
    """Return the cards of a match by game, with `known` in the place of the same card."""
    others = (state for state in cards if state.card.pk != known.card.pk)
    return sorted([*others, known], key=lambda state: (state.card.game, state.card.pk))
