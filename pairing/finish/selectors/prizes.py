from collections.abc import Mapping

from pairing.draws.knockout.placing import Placings
from tournament.models import Event
from tournament.money.selectors.ledger import Purse, load_payout, load_purse
from tournament.purse import award


def load_won(event: Event, placings: Placings, purse: Purse | None = None) -> Mapping[int, int]:
    """Entry number → cents: what the places are worth as entries come in, or what was awarded once it is finished.

    Entries that win nothing are left out.
    """
    purse = purse or load_purse(event)
    payout = load_payout(event, purse.pool) if event.state == Event.State.FINISHED else None
    if payout is not None:
        return {won.entry: won.cents for won in payout.awards}
    return {won.entry: won.cents for placing in placings.finish for won in award(purse.places_cents, placing)}
