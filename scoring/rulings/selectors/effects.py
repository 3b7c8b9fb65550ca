"""What a ruling would change: the card and its score, matches, byes, standings, places and money."""

import hashlib
from dataclasses import dataclass
from typing import Any

from pairing.corrections.selectors import Effects
from scoring.card_state.selectors.cards import CardState


@dataclass(frozen=True, slots=True)
class HandChange:
    """A hand of the card before and after; None: it is not there."""

    hand: int
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@dataclass(frozen=True)
class RulingPreview:
    """Everything a ruling would change. `once_signed`: the matches, places and money once the card is signed again.

    `decided` is the ruling in words; `overrules`: it is otherwise than the rules say.
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
        """A card that counted is not over any more: its result stands until it is signed again."""
        if self.before is None or self.after is None:
            return False
        return self.before.is_posted and not self.after.is_complete

    @property
    def hands(self) -> tuple[HandChange, ...]:
        """The hands of the card that would stand otherwise, in the order of the sheet."""
        if self.before is None or self.after is None:
            return ()
        was, now = ({fact.number: dict(fact.line or {}) for fact in card.lines} for card in (self.before, self.after))
        each = [(was.get(number), now.get(number)) for number in sorted({*was, *now})]
        return tuple(HandChange(place, *pair) for place, pair in enumerate(each, start=1) if pair[0] != pair[1])

    @property
    def falls(self) -> int:
        """How many signatures would fall."""
        return len(self.before.signatures.signed_seats) if self.before is not None and self.changes_card else 0

    @property
    def digest(self) -> str:
        """Of exactly what is shown."""
        cards = [card.digest if card else "" for card in (self.before, self.after)]
        penalties = [(done["side"], done["effect"], done.get("match")) for done in self.penalties]
        shown = (self.effects.digest, cards, penalties, self.decided)
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]
