"""What became of what a ruling did, on the page that says whether its slip is genuine."""

from django import template

from scoring.rulings.tables.since import SinceSaid, said_since
from scoring.verification.selectors.ruling_proofs import RulingProof

register = template.Library()


@register.filter
def since(proof: RulingProof) -> list[SinceSaid]:
    """A sentence for each thing that does not stand any more."""
    return said_since(proof.ruling, proof.changed) if proof.ruling is not None else []
