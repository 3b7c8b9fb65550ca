"""The policy for disputes in the Metzker Book (2026): “Scoring” and “Disputes” of its general rules."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.ruling import Decision, Recommendation
from scoring.rules.rulings.policy import CardStanding, Decider, Policy, PolicyKind
from tournament.said import worded

OF_THE_SCORE: Final = "scoring"


def decider(standing: CardStanding, kind: str) -> Decider:
    """Return who decides.

    Disputes about the score go to the scorekeeper, unless they are winning. All others go to the table.
    """
    if kind != OF_THE_SCORE:
        return Decider.TABLE
    return Decider.TABLE if standing.keeper_is_ahead else Decider.SCOREKEEPER


def answer_scoring(facts: Mapping[str, Any], names: Mapping[str, str]) -> Recommendation:
    rule, stands = worded("Metzker, Scoring"), facts.get("stands")
    if stands is None:
        text = worded("The scorekeeper decides, unless they are winning: then the others review the score.")
        return Recommendation(rule=rule, text=text, awaits=("stands",))
    if stands:
        return Recommendation(rule=rule, text=worded("The score stands as it is recorded."), ruling=Decision.STANDS)
    return Recommendation(
        rule=rule, text=worded("The round is counted again, and entered as it is found."), ruling=Decision.RECOUNT
    )


def answer_applied(facts: Mapping[str, Any], names: Mapping[str, str]) -> Recommendation:
    """Answer a dispute about a rule that was applied differently before (“The Kali Effect”)."""
    rule, unanimous = worded("Metzker, Disputes"), facts.get("unanimous")
    who = names.get(str(facts.get("by")), worded("The player"))
    if unanimous is None:
        text = worded(
            "%(who)s is held to a rule that was applied differently before. Do all agree on how it is applied?", who=who
        )
        return Recommendation(rule=rule, text=text, awaits=("unanimous",))
    if unanimous:
        return Recommendation(rule=rule, text=worded("All agree on how the rule is applied."), ruling=Decision.REFUSED)
    text = worded("There is no unanimous decision: %(who)s proceeds as before, the Kali effect.", who=who)
    return Recommendation(rule=rule, text=text, ruling=Decision.ALLOWED)


SCORING: Final = PolicyKind(
    name=OF_THE_SCORE,
    title=worded("Dispute about the score"),
    paragraph=worded("Metzker, Scoring"),
    answer=answer_scoring,
    rulings=(Decision.STANDS, Decision.RECOUNT),
    facts=(FactAsked("stands", worded("Does the score stand as it is recorded?"), FactKind.YES_NO),),
)
APPLIED: Final = PolicyKind(
    name="applied-differently",
    title=worded("A rule applied differently than before"),
    paragraph=worded("Metzker, Disputes"),
    answer=answer_applied,
    rulings=(Decision.REFUSED, Decision.ALLOWED),
    facts=(
        FactAsked("by", worded("Who is held to it?"), FactKind.SIDE),
        FactAsked("unanimous", worded("Do all agree on how it is applied?"), FactKind.YES_NO),
    ),
)
METZKER: Final = Policy(
    kinds={SCORING.name: SCORING, APPLIED.name: APPLIED},
    own=(SCORING.name, APPLIED.name),
    sentences=(
        worded(
            "In a dispute about the score the scorekeeper decides, unless they are winning: then the "
            "other players review it."
        ),
        worded(
            "A rule that was applied differently before can be refused by the player who is held to it, "
            "unless all agree: the Kali effect. It is recorded with the ruling that was made before."
        ),
    ),
    decider=decider,
    can_be_refused=True,
)
