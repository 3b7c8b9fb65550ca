"""The draws of partners, computed again: seal, order of the lots and pairs, and the entries that were made of them."""

from __future__ import annotations

from collections.abc import Iterator

from pairing.draws import answer_verify_partners
from pairing.models import PartnerDraw
from pairing.selectors.partners import load_partner_draws, partners_record
from scoring.selectors.checks import Check
from tournament.errors import BadCase
from tournament.models import EntrantFact, Event


def check_partners(event: Event) -> list[Check]:
    """Every draw that was posted, those that were taken back since, too; nothing where partners are not drawn."""
    return [found for made in reversed(load_partner_draws(event)) for found in _draw(event, made)]


def _draw(event: Event, made: PartnerDraw) -> Iterator[Check]:
    what = f"partners {made.seal.draw_id}"
    try:
        answer_verify_partners(partners_record(made))
        yield Check(what, True, f"{len(made.pairs)} pairs follow from the seal and the cut")
    except BadCase as bad:
        first = bad.problems[0]
        yield Check(what, False, f"{first.path}: {first.message}")
    if hasattr(made, "posted"):
        yield _entries(event, made)


def _entries(event: Event, made: PartnerDraw) -> Check:
    """Each pair that was drawn became an entry of those two, whatever came of it later."""
    entered = EntrantFact.objects.filter(
        entrant__event=event, kind=EntrantFact.Kind.ENTERED, data__draw=made.seal.draw_id
    )
    halves = sorted(tuple(sorted(data["halves"])) for data in entered.values_list("data", flat=True))
    drawn = sorted(tuple(sorted(pair)) for pair in made.pairs)
    differ = sorted(set(halves) ^ set(drawn))
    said = "; ".join(f"entries {one} and {other}" for one, other in differ)
    found = f"not the same: {said}" if differ else f"{len(drawn)} entries made of them"
    return Check(f"pairs of {made.seal.draw_id}", halves == drawn, found)
