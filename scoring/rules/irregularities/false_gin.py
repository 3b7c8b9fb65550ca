"""Gin announced without having it (GRA 2012, singles 9).

“When a player announces he is ginning or knocking, or calls a number and starts to lay his meld down, he must continue
to do so. If his hand is not a gin or his knock is not legal he must play an open hand.”
"""

from typing import Final

from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.kind import DRAWN, Irregularity, Matter
from scoring.rules.irregularities.ruling import Decision, Recommendation


def _decide(matter: Matter) -> Recommendation:
    by, count = matter.facts.side("by"), matter.facts.number("count")
    who = matter.said(by)
    if count is None:
        return matter.left_open(f"{who} announced gin.", awaits=["count"])
    if count == 0:
        return matter.given(Decision.PROPER, f"{who} announced gin, and all the cards are matched: it is gin.")
    points = "1 point" if count == 1 else f"{count} points"
    return matter.given(
        Decision.PLAY_OPEN,
        f"{who} announced gin with {points} unmatched: it is no gin, whatever the up card.",
        f"{matter.said_opponent(by)} cannot accept it.",
        f"{who} plays the hand open, all ten cards face up.",
    )


FALSE_GIN: Final = Irregularity(
    name="false-gin",
    title="Gin announced without having it",
    rule=9,
    games=DRAWN,
    decide=_decide,
    facts=(
        FactAsked("by", "Who announced gin?", FactKind.SIDE),
        FactAsked("count", "What is the count of the unmatched cards?", FactKind.NUMBER),
    ),
)
