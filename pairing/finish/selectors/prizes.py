from collections.abc import Mapping

from pairing.draws.knockout.elimination import Placings, PossiblePlaces
from tournament.models import Event
from tournament.money.selectors.ledger import Purse, load_payout, load_purse
from tournament.purse import CentsRange, divide_places, prize_ranges


def load_won(event: Event, placings: Placings, purse: Purse | None = None) -> Mapping[int, int]:
    """Map entry numbers to the cents they won, or would win if the event ended with these places.

    Entries that win nothing are left out.
    """
    won = load_prize_ranges(event, PossiblePlaces.settled(placings), purse)
    return {entry: prize.least for entry, prize in won.items()}


def load_prize_ranges(event: Event, places: PossiblePlaces, purse: Purse | None = None) -> Mapping[int, CentsRange]:
    """Map entry numbers to the range of cents they can still win of the fees collected so far.

    In a finished event, both ends of the range are the award. Entries that can win nothing are left out.
    """
    purse = purse or load_purse(event)
    payout = load_payout(event, purse.pool) if event.state == Event.State.FINISHED else None
    if payout is not None:
        return {won.entry: CentsRange(won.cents, won.cents) for won in payout.awards}
    if not places.finishes:
        return {}
    places_cents = divide_places(purse.pool.pool_cents, purse.division, len(places.finishes))
    return {entry: prize for entry, prize in prize_ranges(places_cents, places.finishes).items() if prize.most}
