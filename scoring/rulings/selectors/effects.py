"""The consequences of a ruling: the card, its score, matches, byes, standings, places and money."""

import hashlib
from dataclasses import dataclass
from typing import Any

from pairing.corrections.selectors import Effects
from scoring.card_state.selectors.cards import CardState


@dataclass(frozen=True, slots=True)
class HandChange:
    """A hand of the card before and after a ruling, or None if the hand does not exist then."""

    hand: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True)
class RulingPreview:
    """The consequences of a ruling.

    `once_signed` means that matches, places and money change only when the card is signed again. `decided` is the
    ruling in words. `overrules` is true if the ruling differs from the rules' advice.
    """

    effects: Effects
    before: CardState | None
    after: CardState | None
    penalties: tuple[dict[str, Any], ...] = ()
    once_signed: bool = False
    decided: str = ""
    overrules: bool = False

    @property
    def changes_card(self) -> bool:
        return bool(self.hands)

    @property
    def reopens(self) -> bool:
        """Whether a posted card becomes incomplete. Its result counts until the card is signed again."""
        if self.before is None or self.after is None:
            return False
        return self.before.is_posted and not self.after.is_complete

    @property
    def hands(self) -> tuple[HandChange, ...]:
        """The hands of the card that change, in the order of the sheet."""
        if self.before is None or self.after is None:
            return ()
        was, now = ({fact.number: dict(fact.line or {}) for fact in card.lines} for card in (self.before, self.after))
        each = [(was.get(number), now.get(number)) for number in sorted({*was, *now})]
        return tuple(HandChange(place, *pair) for place, pair in enumerate(each, start=1) if pair[0] != pair[1])

    @property
    def falls(self) -> int:
        """How many signatures become invalid."""
        return len(self.before.signatures.signed_seats) if self.before is not None and self.changes_card else 0

    @property
    def digest(self) -> str:
        """A digest of exactly the consequences that the page shows."""
        cards = [card.digest if card else "" for card in (self.before, self.after)]
        penalties = [(done["side"], done["effect"], done.get("match")) for done in self.penalties]
        shown = (self.effects.digest, cards, penalties, self.decided)
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]
