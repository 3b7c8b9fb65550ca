"""The policy of each rule set for disputes. If the book is silent, the director decides."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from scoring.rules.irregularities import IRREGULARITIES, RULED
from scoring.rules.rulings.fort_worth_policy import FORT_WORTH
from scoring.rules.rulings.metzker_policy import METZKER
from scoring.rules.rulings.policy import Policy
from tournament.said import worded

ASSOCIATION: Final = Policy(
    sentences=(
        worded(
            "A ruling cites its rule, and stands in the public register. The director's decisions are "
            "final and binding (preamble of the rules); where the event has named a committee, it hears "
            "one appeal."
        ),
        worded(
            "In a dispute about the up card, the director tends to accept the one that is recorded on "
            "the sheet (rule 4)."
        ),
    )
)
SILENT: Final = Policy(
    sentences=(worded("These rules leave disputes to the director. Every ruling stands in the public register."),)
)
OF_THE_BOOK: Final = ("metzker", "court-whist", "score-pad")
"""The games of the Metzker Book. Its “Disputes” and “Scoring” hold for all of them."""
OWN: Final[Mapping[str, Policy]] = {"fort-worth": FORT_WORTH, **dict.fromkeys(OF_THE_BOOK, METZKER)}


@cache
def policy_of(rules: str) -> Policy:
    """Return the policy of a rule set, with its own kinds first and then the other kinds of the game.

    >>> policy_of("fort-worth").announces, policy_of("metzker").can_be_refused, policy_of("gra-singles").throws_in
    (True, True, True)
    >>> "improper-knock" in policy_of("score-pad").kinds, list(policy_of("court-whist").kinds)[:2]
    (False, ['scoring', 'applied-differently'])
    """
    policy = OWN.get(rules, ASSOCIATION if rules in RULED else SILENT)
    of_the_game = {name: kind for name, kind in IRREGULARITIES.items() if kind.exists_in(rules)}
    return replace(policy, kinds={**policy.kinds, **of_the_game})
