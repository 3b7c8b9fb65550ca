"""What the keepers of a card say, as its pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.tables.words import Different, different_figures, line_in_words
from scoring.cards.selectors.keepers import CheckedHand, Keeping, canonical_line, load_keeping, names_up_card
from scoring.cards.services.keepers import may_check
from scoring.models import HandCheck, NewDeck, UpCard
from tournament.models import Entrant


@dataclass(frozen=True)
class Figures:
    """Other figures of somebody: `check` is their primary key."""

    check: int
    name: str
    words: str
    is_own: bool
    different: tuple[Different, ...] = ()


@dataclass(frozen=True)
class ShownHand:
    hand: int
    line: int
    words: str
    others: tuple[Figures, ...] = ()

    @property
    def has_own(self) -> bool:
        return any(figures.is_own for figures in self.others)


@dataclass(frozen=True)
class ShownKeeping:
    """`to_look_at` is the hand that whoever looks at the page has to confirm; `up` the card of the next hand."""

    different: tuple[ShownHand, ...]
    to_look_at: ShownHand | None
    waiting: int
    has_up: bool
    next_hand: int
    up: UpCard | None
    claims: tuple[UpCard, ...]
    has_had_deck: bool
    decks: tuple[str, ...]
    up_cards: tuple[UpCard, ...] = ()


def keeping_shown(keeping: Keeping, entrant: Entrant | None = None) -> ShownKeeping:
    """As `entrant` sees it; None: the desk."""
    state = keeping.state
    pk = entrant.pk if entrant else None
    checks = entrant is not None and may_check(state, entrant) and not state.is_posted
    waiting = keeping.to_look_at(entrant.pk) if entrant is not None and checks else ()
    return ShownKeeping(
        different=tuple(_hand(keeping, hand, pk) for hand in keeping.different),
        to_look_at=_hand(keeping, waiting[0], pk) if waiting else None,
        waiting=len(waiting),
        has_up=names_up_card(state.sheet),
        next_hand=keeping.next_hand,
        up=keeping.recorded_up(keeping.next_hand),
        claims=keeping.claimed_up(keeping.next_hand),
        has_had_deck=any(deck.entrant_id == pk for deck in keeping.new_decks),
        decks=tuple(said_by(deck) for deck in keeping.new_decks),
        up_cards=tuple(up for hand in sorted(keeping.up_cards) for up in keeping.up_cards[hand]),
    )


def said_by(fact: HandCheck | UpCard | NewDeck) -> str:
    """The name of the player or the staff member who said it."""
    return fact.entrant.name if fact.entrant is not None else fact.by_name


def seat_keeping(seat: Any) -> ShownKeeping:
    return keeping_shown(load_keeping(seat.state), seat.entrant)


def _hand(keeping: Keeping, checked: CheckedHand, entrant: int | None) -> ShownHand:
    state = keeping.state
    others = tuple(
        Figures(
            check.pk,
            said_by(check),
            line_in_words(state, check.own),
            check.entrant_id == entrant,
            _different(state, checked, check.own),
        )
        for check in checked.against
    )
    return ShownHand(checked.hand, checked.line.pk, line_in_words(state, checked.line.line), others)


def _different(state: CardState, checked: CheckedHand, own: dict[str, Any] | None) -> tuple[Different, ...]:
    """The figures themselves, so that nobody has to look for them in two sentences."""
    written, other = (
        state.with_names(canonical_line(state, checked.hand, line) or {}) for line in (checked.line.line, own)
    )
    return different_figures(state.named_sheet.variant.line_fields(), written, other, state.names)
