"""The scorekeeper's worksheet of a couples event: the tables of the current round, and the one card of the event."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from pairing.models import Seating
from pairing.plans.selectors import traits_of
from pairing.stage_kinds.selectors.stages import load_course
from pairing.stage_kinds.selectors.turning import Turning
from scoring.card_state.selectors.cards import CardState, load_match_cards
from scoring.rules.variants.metzker.couples import RoundTally
from tournament.errors import NotFound
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class Couple:
    """Two players who meet at a table. Tables are numbered from 1."""

    table: int
    left: Entrant
    right: Entrant

    @property
    def both(self) -> tuple[Entrant, Entrant]:
        return self.left, self.right


@dataclass(frozen=True)
class Worksheet:
    """The tables of a couples event and its card. `state` is None until play starts."""

    turning: Turning
    state: CardState | None

    @property
    def is_over(self) -> bool:
        return self.state is not None and self.state.is_complete

    @property
    def number(self) -> int:
        """The number of the current round: one after the last that was recorded, even if that was struck out."""
        entered = self.state.entered if self.state else ()
        return max((one.fact.number for one in entered), default=0) + 1

    @property
    def seating(self) -> Seating | None:
        """The seating of the current round, or None if the round still has to be seated or play is over."""
        return None if self.is_over else self.turning.round(self.number)

    @property
    def couples(self) -> tuple[Couple, ...]:
        return self.couples_of(self.seating)

    def couples_of(self, seating: Seating | None) -> tuple[Couple, ...]:
        people = self.turning.people
        tables = seating.tables if seating is not None else []
        return tuple(Couple(place, people[left], people[right]) for place, (left, right) in enumerate(tables, start=1))

    @property
    def sits_out(self) -> tuple[Entrant, ...]:
        """Players who sit out the round because their partner has left."""
        return tuple(self.turning.people[number] for number in self.seating.sits_out) if self.seating else ()

    @property
    def last(self) -> RoundTally | None:
        counted = self.state.score.rows[-1].counted if self.state and self.state.score.rows else None
        return counted if isinstance(counted, RoundTally) else None

    @property
    def dealers(self) -> str:
        """The side that deals the current round, or "" if one couple still has to cut for it."""
        told = next((name for name, _role in self.state.draw.drawn_words), "") if self.state else ""
        return (self.last.dealers if self.last else None) or told


def load_worksheet(event: Event) -> Worksheet | None:
    """Return the worksheet, or None before the draw is posted.

    Raises:
        NotFound: `no-worksheet`: an event of another format.
    """
    if not traits_of(event).one_card or traits_of(event).own_cards:
        raise NotFound(
            "no-worksheet", _("This event is not played by couples, so it has no worksheet. Look at its score cards.")
        )
    turning = load_course(event).turning
    if turning is None:
        return None
    cards = load_match_cards(turning.match)
    return Worksheet(turning, cards[0] if cards else None)
