from __future__ import annotations

from typing import Any

from scoring.cards.services.hands import LineEntry, correct_line
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import gin, the_card, the_director
from tournament.models import Event


@prebuilt
def correct(event: Event, hand: int, line: dict[str, Any] | None, *, ident: str = "R2M1", game: int = 1) -> None:
    entry = LineEntry(line, via="desk") if line is not None else None
    correct_line(the_card(event, ident, game), hand, entry, by=the_director(event), reason="the wrong column")


@prebuilt
def turned(event: Event, *, ident: str = "R2M1", game: int = 1) -> None:
    """Correct both hands on a match's card, so that the player on side B wins 95 to 0."""
    correct(event, 1, gin("B", 20), ident=ident, game=game)
    correct(event, 2, gin("B", 25, "9C"), ident=ident, game=game)
