"""What the cut, or the draw of cards, decides before a game: who deals, who sits where, who is in which role.

Each variant declares its own (`Variant.table_draw`), as its rules say it; the card asks exactly that, in these words,
on phones, at the desk, on paper and by the API. What was drawn is written by the letters of the sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tournament.errors import DomainError
from tournament.said import joined, worded

AGREE_ON_KEEPER: Final = worded("The rules do not decide who keeps score. Agree on one of you.")


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """One thing that is drawn for: the `card` that gets it (“High card”), what its player `does`, the `role`."""

    card: str
    does: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDraw:
    """What is drawn for before the first hand, and where the rules say so.

    `ask` is the act (“Cut for deal.”) and `words` the rule in a sentence or two. `places` are the things recorded, in
    order: as many as sides where everybody gets one, else the first only; empty: nothing of it stands on the card.
    `keeps_score`: the one with the first place keeps score. `decides_roles`: no hand can be judged without it.
    """

    rule: str
    ask: str
    words: str
    name: str = worded("the cut for deal")
    places: tuple[DrawnPlace, ...] = ()
    keeps_score: bool = False
    decides_roles: bool = False
    question: str = ""
    """How the one place is asked for: “Who cut the low card?”; empty where there are several, or none."""
    keeper: str = AGREE_ON_KEEPER
    """What the rules say of keeping score, where the draw does not decide it."""
    asks_keeper: bool = True
    """Whether somebody of the card keeps it; else the desk does."""

    @property
    def orders_sides(self) -> bool:
        """Whether everybody gets a place: the sides of the sheet then stand in this order."""
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
    """Who drew each place, in its order; of several the last may be left out, for it follows.

    >>> three = TableDraw(rule="", ask="", words="", places=(DrawnPlace("High card", "deals", "box"),) * 3)
    >>> read_drawn(three, ("A", "B", "C"), ["C", "A"])
    ('C', 'A', 'B')

    Raises:
        DomainError: `bad-draw`: not one side for each place, one twice, or one that is not on the card.
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
