"""The policy of each rule set for disputes; where the book is silent, the director decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from scoring.rules.fort_worth_policy import FORT_WORTH
from scoring.rules.irregularities import IRREGULARITIES, RULED
from scoring.rules.metzker_policy import METZKER
from scoring.rules.policy import Policy

ASSOCIATION: Final = Policy(
    kinds=IRREGULARITIES,
    sentences=(
        "A ruling cites its rule, and stands in the public register. The director's decisions are final and binding"
        " (preamble of the rules); where the event has named a committee, it hears one appeal.",
        "In a dispute about the up card, the director tends to accept the one that is recorded on the sheet (rule 4).",
    ),
)
SILENT: Final = Policy(
    kinds=IRREGULARITIES,
    sentences=("These rules leave disputes to the director. Every ruling stands in the public register.",),
)
OWN: Final[Mapping[str, Policy]] = {"fort-worth": FORT_WORTH, "metzker": METZKER}


def policy_of(rules: str) -> Policy:
    """
    >>> policy_of("fort-worth").announces, policy_of("metzker").can_be_refused, policy_of("gra-singles").throws_in
    (True, True, True)
    """
    return OWN.get(rules, ASSOCIATION if rules in RULED else SILENT)
