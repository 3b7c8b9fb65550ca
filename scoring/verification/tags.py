"""A template filter for the page that checks a ruling slip."""

from django import template

from scoring.disputes.tables.rulings import follow_ups_in_words
from scoring.verification.selectors.proofs import RulingProof

register = template.Library()


@register.filter
def since(proof: RulingProof) -> list[dict[str, str]]:
    """Return a sentence for each effect of the ruling that is no longer in force."""
    return follow_ups_in_words(proof.ruling, proof.changed) if proof.ruling is not None else []
