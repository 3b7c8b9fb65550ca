"""Open points before an event is finished, including payouts that will differ from the final prizes."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from django.utils.translation import gettext as _

from pairing.draws.knockout.places import Placings, PossiblePlaces
from pairing.stages.selectors.places import load_final_placings, load_placings_so_far
from tournament.errors import Conflict
from tournament.models import Event
from tournament.money.selectors.awards import WrongPayout, won_of, wrong_payouts
from tournament.money.selectors.ledger import Purse, division_now, load_books, load_payout, load_pool, load_purse
from tournament.money.selectors.prizes import OpenPoint, StillOpen, digest_of_points, money_points, side_pool_points
from tournament.purse import CentsRange, divide_places, pay_out, prize_ranges

PRIZES = "tournament:desk_prizes"


def load_open_points(event: Event, placings: Placings, still_open: StillOpen) -> tuple[OpenPoint, ...]:
    """Return the open points, first those that stop the finish, then those that are only information."""
    books = load_books(event)
    wrong: Sequence[WrongPayout] = ()
    if event.paid_out.exists() and placings.finish:
        # The payouts that will differ from the prizes if the event finishes by these places.
        pool, division = load_pool(event, books), division_now(event)
        wrong = wrong_payouts(event, won_of(pay_out(pool.pool_cents, division, placings.finish)))
    money = [*money_points(event, books), *side_pool_points(event, books), *_payout_points(wrong)]
    points = [*still_open(event), *money]
    return tuple(sorted(points, key=lambda point: not point.stops))


def _payout_points(found: Iterable[WrongPayout]) -> list[OpenPoint]:
    too_much = tuple((one.name, one.to_get_back_cents) for one in found if one.to_get_back_cents)
    too_little = tuple((one.name, one.to_pay_cents) for one in found if one.to_pay_cents)
    points = (("paid-too-much", too_much), ("paid-too-little", too_little))
    return [OpenPoint(code, PRIZES, len(who), who, stops=False) for code, who in points if who]


def placings_if_ended(event: Event) -> Placings:
    """Return the places if the event ended now, before everything is decided.

    An event can also end early if everything is decided but nobody who is left has played. They share the first place.

    Raises:
        Conflict: `not-in-play`, `all-decided`, `cards-first`.
    """
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play; it is in the state “%(state)s”. Look at Today for the next step.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    final, placings = load_final_placings(event), load_placings_so_far(event)
    if final is not None and (final.finish or placings is None or not placings.finish):
        raise Conflict("all-decided", _("Every match is decided. Finish the event on the Results page."))
    if placings is None:
        raise Conflict("cards-first", _("Some score cards are still open. Call time for them, then finish the event."))
    return placings


def digest_of_end(placings: Placings, points: Iterable[OpenPoint]) -> str:
    """Return a digest of the places and the open points that an early end was shown with."""
    places = [list(placing.entries) for placing in placings.finish]
    return hashlib.sha256(f"{places} {digest_of_points(points)}".encode()).hexdigest()[:32]


def load_prizes_by_entry(event: Event, placings: Placings, purse: Purse | None = None) -> Mapping[int, int]:
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
