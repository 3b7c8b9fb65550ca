"""Compute the draws of partners again: the seal, the order of the lots, the pairs, and the entries made of them."""

from collections.abc import Iterator

from pairing.draws.partners import answer_verify_partners
from pairing.models import PartnerDraw
from pairing.partners.selectors import load_partner_draws, partners_record
from scoring.verification.selectors.checks import Check, Facts
from tournament.errors import BadCase
from tournament.models import EntrantFact, Event


def check_partners(event: Event) -> list[Check]:
    """Check every posted draw of partners, including undone ones. The list is empty if partners are not drawn."""
    return [found for made in reversed(load_partner_draws(event)) for found in _draw(event, made)]


def _draw(event: Event, made: PartnerDraw) -> Iterator[Check]:
    what = f"partners {made.seal.draw_id}"
    try:
        answer_verify_partners(partners_record(made))
        said, good = f"{len(made.pairs)} pairs follow from the seal and the cut", True
    except BadCase as bad:
        said, good = f"{bad.problems[0].path}: {bad.problems[0].message}", False
    facts: Facts = {"seals": [made.seal_id], "draws": [made.pk], "pairs": len(made.pairs)}
    yield Check(what, good, said, kind="partners", counts={"partners": len(made.pairs)}, facts=facts)
    if hasattr(made, "posted"):
        yield _entries(event, made)


def _entries(event: Event, made: PartnerDraw) -> Check:
    """Check that each drawn pair became an entry of those two, whatever happened to it later."""
    facts_of_entries = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.ENTERED)
    entered = facts_of_entries.filter(data__draw=made.seal.draw_id)
    halves = sorted(tuple(sorted(data["halves"])) for data in entered.values_list("data", flat=True))
    drawn = sorted(tuple(sorted(pair)) for pair in made.pairs)
    differ = sorted(set(halves) ^ set(drawn))
    said = "; ".join(f"entries {one} and {other}" for one, other in differ)
    found = f"not the same: {said}" if differ else f"{len(drawn)} entries made of them"
    facts: Facts = {"draws": [made.pk], "entries": len(halves)}
    return Check(f"pairs of {made.seal.draw_id}", halves == drawn, found, kind="partners", facts=facts)
