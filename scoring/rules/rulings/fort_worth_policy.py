"""The policy for disputes in Fort Worth Gin (John Greer, 1997): A 10 and A 15 to 19 for the play, C 3 for the score."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.ruling import Decision, Recommendation
from scoring.rules.rulings.policy import CardStanding, Policy, PolicyKind
from tournament.said import worded

BEFORE_DISCARD, BEFORE_NEXT, AFTER_NEXT = "before-discard", "before-next", "after-next"
EXPOSED, MISDEAL = "exposed", "misdeal"
MOST: Final = 1_000_000_000

Facts = Mapping[str, Any]
Names = Mapping[str, str]


def answer_arithmetic(facts: Facts, names: Names) -> Recommendation:
    """Answer an error in the score (C 3). It is corrected until the last hand, and then the announced totals stand."""
    rule, in_time = worded("Fort Worth C 3"), facts.get("in_time")
    if in_time is None:
        return Recommendation(rule=rule, text=worded("Was it found before the last hand?"), awaits=("in_time",))
    if not in_time:
        text = worded("It was found in the last hand or after it: the totals stand as they were announced.")
        return Recommendation(rule=rule, text=text, ruling=Decision.STANDS)
    hand, counts = facts.get("hand"), facts.get("counts")
    if not counts or not hand:
        return Recommendation(
            rule=rule,
            text=worded("Enter which hand it is, and what each player should have."),
            awaits=("hand", "counts"),
        )
    line = {**hand, "counts": {**hand.get("counts", {}), **counts}}
    said = ", ".join(f"{names.get(side, side)} {count}" for side, count in counts.items())
    text = worded("The hand is corrected (%(said)s), and brought forward to the correct total.", said=said)
    return Recommendation(rule=rule, text=text, ruling=Decision.CORRECT, line=line)


def answer_play(facts: Facts, names: Names) -> Recommendation:
    """Answer an error in the play (A 17 to 19)."""
    found, agreed = facts.get("found"), facts.get("agreed")
    who = names.get(str(facts.get("by")), worded("The player"))
    if found == BEFORE_DISCARD:
        text = worded("%(who)s may correct the error in any manner, and continues the turn until the discard.", who=who)
        return Recommendation(rule=worded("Fort Worth A 17"), text=text, ruling=Decision.CONTINUE)
    if found == BEFORE_NEXT:
        text = worded("%(who)s takes all cards of the erroneous play back into the hand until the next turn.", who=who)
        return Recommendation(rule=worded("Fort Worth A 18"), text=text, ruling=Decision.CONTINUE)
    if found != AFTER_NEXT:
        return Recommendation(
            rule=worded("Fort Worth A 17"), text=worded("When was the error recognized?"), awaits=("found",)
        )
    if agreed is None:
        text = worded("Others have played on it. Do all agree on the remedy?")
        return Recommendation(rule=worded("Fort Worth A 19"), text=text, awaits=("agreed",))
    if agreed:
        text = worded("The cards go back into the hands of those who played them, as all have agreed.")
        return Recommendation(rule=worded("Fort Worth A 19"), text=text, ruling=Decision.CONTINUE)
    text = worded("No agreement is reached: the hand is thrown in, and the same dealer deals again.")
    return Recommendation(rule=worded("Fort Worth A 19"), text=text, ruling=Decision.NEW_DEAL)


def answer_early_discard(facts: Facts, names: Names) -> Recommendation:
    """Answer a discard before the draw (A 10)."""
    who = names.get(str(facts.get("by")), worded("The player"))
    text = worded(
        "%(who)s discarded before drawing: %(who_2)s draws a card, and the turn is over without any other play.",
        who=who,
        who_2=who,
    )
    return Recommendation(rule=worded("Fort Worth A 10"), text=text, ruling=Decision.CONTINUE)


def answer_deal(facts: Facts, names: Names) -> Recommendation:
    """Answer a wrong deal (A 15, A 16)."""
    if facts.get("what") == EXPOSED:
        text = worded("A card was exposed on the deal: the hand is dealt again.")
        return Recommendation(rule=worded("Fort Worth A 15"), text=text, ruling=Decision.NEW_DEAL)
    if facts.get("what") == MISDEAL:
        text = worded("It is a misdeal: all cards are thrown in, and the same dealer deals again.")
        return Recommendation(rule=worded("Fort Worth A 16"), text=text, ruling=Decision.NEW_DEAL)
    return Recommendation(
        rule=worded("Fort Worth A 16"), text=worded("What was wrong with the deal?"), awaits=("what",)
    )


def late(standing: CardStanding, hand: int) -> str:
    """Return the reason why a hand can no longer be corrected, or an empty text (C 3).

    Earlier hands stand once the totals before the last hand are announced, or once the last hand is recorded.
    """
    if standing.hands is None or hand >= standing.hands:
        return ""
    if standing.announced:
        return worded("The totals before the last hand are announced: earlier hands stand (Fort Worth C 3).")
    if standing.played >= standing.hands:
        return worded("The last hand is recorded: earlier hands stand (Fort Worth C 3).")
    return ""


ARITHMETIC: Final = PolicyKind(
    name="arithmetic",
    title=worded("Error in the score"),
    paragraph=worded("Fort Worth C 3"),
    answer=answer_arithmetic,
    rulings=(Decision.STANDS, Decision.CORRECT),
    facts=(
        FactAsked("in_time", worded("Was it found before the last hand?"), FactKind.YES_NO),
        FactAsked("counts", worded("What should the count be?"), FactKind.NUMBER_A_SIDE, most=MOST),
        FactAsked("hand", worded("The hand as it is recorded"), FactKind.LINE),
    ),
)
PLAY_ERROR: Final = PolicyKind(
    name="play-error",
    title=worded("Error in the play"),
    paragraph=worded("Fort Worth A 17"),
    answer=answer_play,
    rulings=(Decision.CONTINUE, Decision.NEW_DEAL),
    facts=(
        FactAsked("by", worded("Who made it?"), FactKind.SIDE),
        FactAsked(
            "found",
            worded("When was it recognized?"),
            FactKind.CODE,
            codes=(
                (BEFORE_DISCARD, worded("before the player discarded")),
                (BEFORE_NEXT, worded("before another player played")),
                (AFTER_NEXT, worded("after others had played on it")),
            ),
        ),
        FactAsked("agreed", worded("Do all agree on the remedy?"), FactKind.YES_NO),
    ),
)
EARLY_DISCARD: Final = PolicyKind(
    name="discard-before-draw",
    title=worded("Discard before drawing"),
    paragraph=worded("Fort Worth A 10"),
    answer=answer_early_discard,
    rulings=(Decision.CONTINUE,),
    facts=(FactAsked("by", worded("Who discarded before drawing?"), FactKind.SIDE),),
)
WRONG_DEAL: Final = PolicyKind(
    name="wrong-deal",
    title=worded("Problem with the deal"),
    paragraph=worded("Fort Worth A 16"),
    answer=answer_deal,
    rulings=(Decision.NEW_DEAL,),
    facts=(
        FactAsked(
            "what",
            worded("What was wrong?"),
            FactKind.CODE,
            codes=((EXPOSED, worded("a card was exposed")), (MISDEAL, "a misdeal")),
        ),
    ),
)
OWN: Final = (EARLY_DISCARD, PLAY_ERROR, ARITHMETIC, WRONG_DEAL)
FORT_WORTH: Final = Policy(
    kinds={kind.name: kind for kind in OWN},
    own=tuple(kind.name for kind in OWN),
    sentences=(
        worded("A player who discards before drawing must draw, and the turn is over without any other play (A 10)."),
        worded(
            "An error in the play is corrected in any manner before the discard, taken back into the hand "
            "before another has played, and later as all agree; without agreement the hand is thrown in "
            "and dealt again (A 17 to 19)."
        ),
        worded(
            "Errors in the score are corrected until the last hand. The scorer announces the totals "
            "before it, and what was announced then stands (C 3)."
        ),
    ),
    late=late,
    throws_in=False,
    announces=True,
)
