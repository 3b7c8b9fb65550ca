"""The official who decides a dispute, by the policy of the rules of its card."""

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.cards.selectors.policies import standing_of
from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import Ruling
from scoring.rules.rulings.policies import CardStanding, policy_of


def decider_of(state: DisputeState, kind: str = "") -> str:
    """Return who decides the dispute, as a value of `Ruling.decider`."""
    policy = policy_of(state.rule_sheet.rules)
    if (kind or state.kind) not in policy.own:
        return str(Ruling.Decider.DIRECTOR)
    card = load_card_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    standing = standing_of(card) if card is not None else CardStanding(totals={})
    return str(Ruling.Decider(policy.decider(standing, kind or state.kind)))
