"""An event's prizes as shown to the desk, the public, and a single entrant.

The module also lists money issues to resolve before an event is finished, and players who need a tax form.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Final

from tournament.core.selectors.events import load_entries
from tournament.models import EndedEarly, Entrant, Event, Player, SidePoolEntry, Tournament
from tournament.money.selectors.awards import (
    EMPTY_PRIZE_SHARES,
    AwardRow,
    PlayerShare,
    PrizeBalance,
    PrizePlace,
    PrizeRounding,
    compute_cents_to_return,
    explain_rounding,
    get_prize_cents_by_entry,
    load_award_rows,
    load_prize_shares,
    make_prize_places,
    sum_paid_prize_cents,
    sum_withheld_cents,
)
from tournament.money.selectors.ledger import (
    EventAccounts,
    compute_guaranteed_pool_cents,
    load_current_finish,
    load_early_finish,
    load_event_accounts,
    load_payout,
    load_pool_division,
    load_prize_breakdown,
    make_pool_division,
)
from tournament.money.selectors.side_pools import SidePoolOverview, load_side_pools
from tournament.ports import stage_provider
from tournament.purse.pool import PrizePool, make_prize_pool
from tournament.purse.prizes import (
    Percent,
    PrizeScale,
    TieShare,
    compute_tie_share,
    compute_tie_shares,
    divide_pool_by_place,
    make_placings_from_finish,
)


@dataclass(frozen=True, slots=True)
class EventPrizes:
    """The prize pool, the amount for each place, and the awards once the event is finished. Awards add up to the pool.

    `others` are entries that were paid but have lost their prize, because a result was corrected or the event was
    reopened. The sums of open and paid amounts include side pools. `percents` is empty if the prizes are fixed amounts
    or come from a table.
    """

    pool: PrizePool
    places: tuple[PrizePlace, ...]
    awards: tuple[AwardRow, ...]
    others: tuple[AwardRow, ...] = ()
    early: EndedEarly | None = None
    has_fewer_places: bool = False
    """Whether there are fewer entries than prizes, so that some prizes are not awarded."""

    percents: tuple[Percent, ...] = ()
    side_pools: tuple[SidePoolOverview, ...] = ()
    rounding: PrizeRounding | None = None

    @property
    def has_percents(self) -> bool:
        return any(row.percent for row in self.places)

    @property
    def main_rows(self) -> tuple[AwardRow, ...]:
        return (*self.awards, *self.others)

    @property
    def rows(self) -> tuple[AwardRow, ...]:
        return (*self.main_rows, *(row for state in self.side_pools for row in state.rows))

    @property
    def all_awards(self) -> tuple[AwardRow, ...]:
        return (*self.awards, *(row for state in self.side_pools for row in state.awards))

    @property
    def needs_results(self) -> bool:
        return any(state.needs_result for state in self.side_pools)

    @property
    def wrong_awards(self) -> tuple[AwardRow, ...]:
        return tuple(row for row in self.rows if row.has_wrong_amount)

    @property
    def awarded_cents(self) -> int:
        return sum(row.cents for row in self.awards)

    @property
    def paid_out_cents(self) -> int:
        return sum(row.paid_cents for row in self.rows)

    @property
    def withheld_cents(self) -> int:
        """Return the cents withheld from payouts for taxes, whether or not they were sent to the tax office."""
        return sum(row.withheld_cents for row in self.rows)

    @property
    def to_pay_cents(self) -> int:
        return sum(row.to_pay_cents for row in self.rows)

    @property
    def to_get_back_cents(self) -> int:
        return sum(row.to_get_back_cents for row in self.rows)


def load_prizes(event: Event) -> EventPrizes:
    purse = load_prize_breakdown(event)
    awards, others = load_award_rows(event, load_payout(event, purse.pool))
    places, has_fewer = make_prize_places(purse.places_cents, purse.division)
    early = load_early_finish(event)
    division = purse.division
    by_table = event.prizes_by == Event.PrizesBy.TABLE
    percents = division.percents if isinstance(division, PrizeScale) and not by_table else ()
    return EventPrizes(
        pool=purse.pool,
        places=places,
        awards=awards,
        others=others,
        early=early,
        has_fewer_places=has_fewer,
        percents=percents,
        side_pools=load_side_pools(event),
        rounding=explain_rounding(places, division),
    )


def load_possible_tie_shares(event: Event, prizes: EventPrizes) -> tuple[TieShare, ...]:
    """Return the amounts for possible ties among the players still in play.

    The result is empty before the draw and after the end. It is also empty for a bracket, which has
    `load_bracket_prizes` instead.
    """
    if event.state not in (Event.State.DRAWN, Event.State.IN_PLAY) or not prizes.pool.pool_cents:
        return ()
    still_in = stage_provider().count_entrants_in_play(event)
    if not still_in or stage_provider().load_possible_finishes(event):
        return ()
    return compute_tie_shares([row.cents for row in prizes.places], still_in)


def load_bracket_prizes(event: Event, prizes: EventPrizes) -> tuple[TieShare, ...]:
    """Return the prizes for all finishes still possible in the bracket, best first: 1, 2, a tie for 3–4."""
    finishes = stage_provider().load_possible_finishes(event)
    if not finishes or not prizes.pool.pool_cents:
        return ()
    places_cents = divide_pool_by_place(prizes.pool.pool_cents, load_pool_division(event), len(finishes))
    worths = (compute_tie_share(places_cents, tie) for tie in sorted(set(chain.from_iterable(finishes.values()))))
    return tuple(worth for worth in worths if worth.cents or worth.odd_cents)


def preview_prizes(event: Event, entries: int) -> dict[str, Any]:
    """Return the prizes that would be paid with this number of entries, given the event's settings and added money.

    The calculation assumes that every entry pays the full fee.
    """
    added = max(event.added_cents, load_event_accounts(event).sponsored_cents)
    pool = make_prize_pool(
        entries * event.fee_cents,
        event.prize_percent,
        added_cents=added,
        guarantee_cents=compute_guaranteed_pool_cents(event),
    )
    division = make_pool_division(event, entries)
    rows, _has_fewer = make_prize_places(divide_pool_by_place(pool.pool_cents, division, max(1, entries)), division)
    return {
        "entries": entries,
        "pool": pool,
        "places": rows,
        "has_percents": any(row.percent for row in rows),
        "rounding": explain_rounding(rows, division),
    }


# --- Prize of one entrant --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _EntrantPrize(PrizeBalance):
    """An entrant's place and prize, in cents, as shown on their own page.

    `finished` is False while the event is reopened, because place and prize are then unknown. `shares` has each
    partner's share, and `side` has the side-pool awards. `paid_cents` includes `withheld_cents`.
    """

    place: str
    cents: int
    paid_cents: int
    finished: bool = True
    shares: tuple[PlayerShare, ...] = ()
    side: tuple[AwardRow, ...] = ()
    withheld_cents: int = 0
    back_cents: int = 0
    """The cents that the player has to pay back after being paid too much."""

    @property
    def handed_over_cents(self) -> int:
        return self.paid_cents - self.withheld_cents


def load_entrant_prize(entrant: Entrant) -> _EntrantPrize | None:
    """Return an entrant's prize, or None if there is nothing to show. Each partner sees the pair's prize."""
    event = entrant.event
    if event.state not in (Event.State.IN_PLAY, Event.State.FINISHED):
        return None
    owner = entrant.joined_to or entrant
    finish, paid = load_current_finish(event), sum_paid_prize_cents(owner)
    withheld = sum_withheld_cents(owner) if paid else 0
    if finish is None:
        return _EntrantPrize("", 0, paid, finished=False, withheld_cents=withheld) if paid else None
    won = get_prize_cents_by_entry(load_payout(event)).get(owner.number, 0)
    placings = make_placings_from_finish(finish.places)
    place = next((str(placing) for placing in placings if owner.number in placing.entries), "")
    side = _load_side_pool_awards(entrant)
    if not (place or paid or side):
        return None
    sharing = EMPTY_PRIZE_SHARES
    if event.entry_size > 1 and won:
        sharing = load_prize_shares(event, [owner.number]).get(owner.number, EMPTY_PRIZE_SHARES)
    shares = sharing.split(won, min(withheld, won))
    back = compute_cents_to_return(owner, won) if paid > won else 0
    return _EntrantPrize(place, won, paid, shares=shares, side=side, withheld_cents=withheld, back_cents=back)


def _load_side_pool_awards(entrant: Entrant) -> tuple[AwardRow, ...]:
    """Return awards in the side pools that the entry joined or was paid from.

    There are none until the event is finished.
    """
    event, owner = entrant.event, entrant.joined_to or entrant
    if event.state != Event.State.FINISHED or not SidePoolEntry.objects.filter(entrant=owner).exists():
        return ()
    awards: list[AwardRow] = []
    for state in load_side_pools(event):
        rows = [row for row in state.rows if row.entrant_id == owner.pk]
        if not rows and any(entrant.entrant_id == owner.pk for entrant in state.entrants):
            rows = [AwardRow("", owner.pk, owner.number, owner.name, 0, pool=state.pool)]
        awards += rows
    return tuple(awards)


# --- Issues at the finish --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UnresolvedIssue:
    """An issue to resolve before an event is finished, with a link to the page where this is done.

    If `stops` is set, the event can only be finished with a reason. `who` lists the names of the people concerned, each
    with an amount in cents, or 0 if there is none. `until` is the time when the issue resolves itself.
    """

    code: str
    page: str
    count: int = 1
    who: tuple[tuple[str, int], ...] = ()
    until: datetime | None = None
    stops: bool = True

    @property
    def cents(self) -> int:
        return sum(cents for _name, cents in self.who)


SIDE_POOLS_URL_NAME: Final = "tournament:desk_side_pools"
UnresolvedIssueLoader = Callable[[Event], Sequence[UnresolvedIssue]]
"""A function that loads the issues under the event's lock. It is passed to the service that finishes the event."""


def load_money_issues(event: Event, books: EventAccounts | None = None) -> list[UnresolvedIssue]:
    """Return an issue for refunds that are due, and an issue for entries that still owe money.

    Entries that owe money matter because unpaid fees are not part of the prize pool.
    """
    accounts = (books or load_event_accounts(event)).accounts
    names = {entry.pk: entry.name for entry in load_entries(event) if entry.pk in accounts}
    back = tuple((names[pk], accounts[pk].refund_due_cents) for pk in names if accounts[pk].refund_due_cents)
    due = tuple((names[pk], accounts[pk].due_cents) for pk in names if accounts[pk].due_cents)
    points = []
    if back:
        points.append(UnresolvedIssue("to-hand-back", "tournament:desk_payments", len(back), back))
    if due:
        points.append(UnresolvedIssue("to-pay", "tournament:desk_payments", len(due), due, stops=False))
    return points


def load_side_pool_issues(event: Event, books: EventAccounts) -> list[UnresolvedIssue]:
    """Return an issue for the side pools whose results the desk has not entered."""
    missing = tuple((state.pool.name, 0) for state in load_side_pools(event, books) if state.needs_desk_result)
    return (
        [UnresolvedIssue("side-pool-results", SIDE_POOLS_URL_NAME, len(missing), missing, stops=False)]
        if missing
        else []
    )


# --- Tax form --------------------------------------------------------------------------------------------------------
# The tax form lists the players whose prizes in the whole tournament reach the amount for which it is due.


@dataclass(frozen=True, slots=True)
class TaxRow:
    """A player's winnings in all of the tournament's events, with the paid and withheld amounts, in cents."""

    player: Player
    won_cents: int
    paid_cents: int
    withheld_cents: int = 0

    @property
    def cents(self) -> int:
        """Return the amount won or the amount paid, whichever is larger.

        The amount won counts even before the payout, so that the desk can ask for the player's address in time.
        """
        return max(self.won_cents, self.paid_cents)


def load_tax_rows(tournament: Tournament) -> tuple[TaxRow, ...]:
    """Return the players who need a tax form, in order of family name.

    The result is empty if the tournament has no threshold for the tax form.
    """
    if tournament.tax_form_cents is None:
        return ()
    won: dict[int, int] = {}
    paid: dict[int, int] = {}
    withheld: dict[int, int] = {}
    for event in tournament.events.order_by("pk"):
        for player, won_cents, paid_cents, withheld_cents in _iter_player_amounts(event):
            won[player] = won.get(player, 0) + won_cents
            paid[player] = paid.get(player, 0) + paid_cents
            withheld[player] = withheld.get(player, 0) + withheld_cents
    players = Player.objects.filter(pk__in=won).order_by("sort_key", "pk")
    rows = (TaxRow(player, won[player.pk], paid[player.pk], withheld[player.pk]) for player in players)
    return tuple(row for row in rows if row.cents >= tournament.tax_form_cents)


def _iter_player_amounts(event: Event) -> Iterator[tuple[int, int, int, int]]:
    """Yield each player's primary key with the cents won, paid and withheld.

    A partial payout is split like the prize.
    """
    if event.state not in (Event.State.IN_PLAY, Event.State.FINISHED):
        return
    rows: tuple[AwardRow, ...] = load_prizes(event).rows
    sharing = load_prize_shares(event, [row.number for row in rows])
    for row in rows:
        shared = sharing.get(row.number, EMPTY_PRIZE_SHARES)
        if shared.players:
            paid_shares = shared.split(row.paid_cents, row.withheld_cents)
            for won, paid in zip(shared.split(row.cents), paid_shares, strict=True):
                yield won.player, won.cents, paid.cents, paid.withheld_cents
