"""The cut or the draw of cards before a game: it decides who deals, who sits where, and who has which role.

Each variant declares its own (`Variant.table_draw`) by its rules. The card asks exactly this, in these words, on
phones, at the desk, on paper and by the API. The result is recorded by the letters of the sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.errors import DomainError
from tournament.said import joined, worded

AGREE_ON_KEEPER: Final = worded("The rules do not decide who keeps score. Agree on one of you.")


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """A place to draw for: the `card` that wins it (“High card”), what its player `does`, and the `role`."""

    card: str
    does: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDraw:
    """The draw before the first hand, with its source in the rules.

    `ask` is the act (“Cut for deal.”) and `words` the rule in a sentence or two. `places` are the places to record, in
    order. There is one per side if everybody gets a place, else only the first. It is empty if the card does not record
    the draw. `keeps_score` means that the player in the first place keeps score. `decides_roles` means that no hand can
    be judged without the draw.
    """

    rule: str
    ask: str
    words: str
    name: str = worded("the cut for deal")
    places: tuple[DrawnPlace, ...] = ()
    keeps_score: bool = False
    decides_roles: bool = False
    question: str = ""
    """The question for a single place, such as “Who cut the low card?”.

    It is empty if there are several places, or none.
    """
    keeper: str = AGREE_ON_KEEPER
    """The rule for keeping score if the draw does not decide it."""
    asks_keeper: bool = True
    """Whether a player on the card keeps score. Otherwise the desk does."""

    @property
    def orders_sides(self) -> bool:
        """Whether everybody gets a place. The sides of the sheet are then put in this order."""
        return len(self.places) > 1

    def as_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "ask": self.ask,
            "words": self.words,
            "places": [{"card": place.card, "does": place.does, "role": place.role} for place in self.places],
            "keeps_score": self.keeps_score,
        }


def read_drawn(draw: TableDraw, sides: Sequence[str], said: Sequence[object]) -> tuple[str, ...]:
    """Return who drew each place, in order. The last of several places can be left out, because it follows.

    >>> three = TableDraw(rule="", ask="", words="", places=(DrawnPlace("High card", "deals", "box"),) * 3)
    >>> read_drawn(three, ("A", "B", "C"), ["C", "A"])
    ('C', 'A', 'B')

    Raises:
        DomainError: `bad-draw`, if there is not one side for each place, a side has two places, or is not on the card.
    """
    if not draw.places:
        raise DomainError(
            "bad-draw", joined(" ", filter(None, [worded("Nothing of the draw stands on this card."), draw.words]))
        )
    named = [side for side in said if isinstance(side, str)]
    if draw.orders_sides and len(named) == len(sides) - 1:
        named += [side for side in sides if side not in named][:1]
    whole = len(named) == len(said) or len(named) == len(draw.places)
    if not whole or len(named) != len(draw.places) or len(set(named)) != len(named) or not set(named) <= set(sides):
        raise DomainError(
            "bad-draw", worded("%(words)s Choose for each card who drew it, each player once.", words=draw.words)
        )
    return tuple(named)


LOW_DEALS_AND_KEEPS: Final = TableDraw(
    rule=worded("GRA singles rule 2"),
    ask=worded("Cut for deal."),
    question=worded("Who cut the low card?"),
    words=worded("Low card deals first and keeps score. Ace is low."),
    places=(DrawnPlace(worded("Low card"), worded("deals first and keeps score"), worded("deals first")),),
    keeps_score=True,
)
