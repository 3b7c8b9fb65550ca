"""Gin announced by a player who does not have it (GRA 2012, singles 9).

“When a player announces he is ginning or knocking, or calls a number and starts to lay his meld down, he must continue
to do so. If his hand is not a gin or his knock is not legal he must play an open hand.”
"""

from typing import Final

from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.kind import DRAWN, Irregularity, Matter
from scoring.rules.irregularities.ruling import Decision, Recommendation
from tournament.said import worded, worded_plural


def _decide(matter: Matter) -> Recommendation:
    by, count = matter.facts.side("by"), matter.facts.number("count")
    who = matter.said(by)
    if count is None:
        return matter.left_open(worded("%(who)s announced gin.", who=who), awaits=["count"])
    if count == 0:
        return matter.given(
            Decision.PROPER, worded("%(who)s announced gin, and all the cards are matched: it is gin.", who=who)
        )
    return matter.given(
        Decision.PLAY_OPEN,
        worded_plural(
            "%(who)s announced gin with %(number)s point unmatched: it is not gin, under any up card.",
            "%(who)s announced gin with %(number)s points unmatched: it is not gin, under any up card.",
            count,
            who=who,
        ),
        worded("%(by)s cannot accept it.", by=matter.said_opponent(by)),
        worded("%(who)s plays the hand open, all ten cards face up.", who=who),
    )


FALSE_GIN: Final = Irregularity(
    name="false-gin",
    title=worded("Gin announced without gin"),
    rule=9,
    games=DRAWN,
    decide=_decide,
    rulings=(Decision.PROPER, Decision.PLAY_OPEN),
    facts=(
        FactAsked("by", worded("Who announced gin?"), FactKind.SIDE),
        FactAsked("count", worded("What is the count of the unmatched cards?"), FactKind.NUMBER),
    ),
)
