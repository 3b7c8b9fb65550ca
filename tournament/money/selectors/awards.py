"""The amount for each place, and each entry's prize, payouts and shares, both for the event and for side pools."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from tournament.errors import DomainError
from tournament.models import Entrant, Event, Member, PaidOut, Posting, SidePool, Withholding
from tournament.money.selectors.ledger import (
    get_withheld_cents,
    join_withholding_reasons,
    list_paid_prizes,
    sum_postings_by_columns,
)
from tournament.purse.kinds import AccountKind
from tournament.purse.prizes import Payout, PoolDivision, PrizeScale, reduce_payouts, split_prize, split_withholding


class PrizeBalance:
    """The part of a prize that still has to be paid out or paid back, in cents."""

    __slots__ = ()
    cents: int
    paid_cents: int

    @property
    def to_pay_cents(self) -> int:
        return max(0, self.cents - self.paid_cents)

    @property
    def to_get_back_cents(self) -> int:
        return max(0, self.paid_cents - self.cents)


# --- Places ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrizePlace:
    place: int
    percent: str
    cents: int


def make_prize_places(places_cents: Sequence[int], division: PoolDivision) -> tuple[tuple[PrizePlace, ...], bool]:
    """Return a row for each paid place, and whether there are fewer entries than prizes.

    If there are fewer entries, first place also gets the prizes of the missing places. In this case, the rows have no
    percentages.
    """
    if isinstance(division, PrizeScale):
        written, prizes = [percent.text for percent in division.percents], len(division.percents)
    else:
        written, prizes = [], len(division.amounts_cents)
    has_fewer = len(places_cents) < prizes
    percents = [*([] if has_fewer else written), *[""] * len(places_cents)]
    paired = zip(percents, places_cents, strict=False)
    rows = tuple(PrizePlace(place, percent, cents) for place, (percent, cents) in enumerate(paired, start=1))
    return rows, has_fewer


@dataclass(frozen=True, slots=True)
class PrizeRounding:
    """The effect of rounding the prizes to whole currency units, with each place's exact share.

    - `left_over_cents`: the whole units that were left over after rounding down, in cents.
    - `places_with_extra_unit`: the places that each got one of these units.
    - `rest_cents`: the part of the pool that is less than a unit. It went to first place.
    - `exact`: each place with its amount to the cent.
    """

    unit_cents: int
    left_over_cents: int
    places_with_extra_unit: tuple[int, ...]
    rest_cents: int
    exact: tuple[tuple[PrizePlace, int], ...]


def explain_rounding(places: Sequence[PrizePlace], division: PoolDivision) -> PrizeRounding | None:
    """Return how the prizes of these places were rounded.

    The result is None if rounding changed nothing, or if there are fewer places than percentages.
    """
    if not isinstance(division, PrizeScale) or division.unit_cents == 1 or len(places) < len(division.percents):
        return None
    pool = sum(row.cents for row in places)
    rounded = division.round_places(pool)
    to_the_cent = PrizeScale(division.percents, 1).divide(pool)
    if not pool or to_the_cent == tuple(place.cents for place in rounded):
        return None
    return PrizeRounding(
        division.unit_cents,
        sum(place.extra_unit_cents for place in rounded),
        tuple(turn for turn, place in enumerate(rounded, start=1) if place.extra_unit_cents),
        rounded[0].remainder_cents,
        tuple(zip(places, to_the_cent, strict=False)),
    )


# --- Shares of players -----------------------------------------------------------------------------------------------
# Partners split their entry's prize equally, or as they agreed.


@dataclass(frozen=True, slots=True)
class PlayerShare:
    """A player's share of their entry's prize, in cents.

    `prize_cents` is the entry's whole prize. `withheld_cents` is the part of the share that is kept for taxes.
    """

    player: int
    name: str
    cents: int
    prize_cents: int
    withheld_cents: int = 0

    @property
    def handed_over_cents(self) -> int:
        return self.cents - self.withheld_cents


@dataclass(frozen=True, slots=True)
class PrizeShares:
    """An entry's players (primary key and name) in the order of their seats, and the percentages that they agreed on.

    If there are no percentages, the players share equally.
    """

    players: tuple[tuple[int, str], ...]
    percents: tuple[str, ...] = ()

    @property
    def is_split_valid(self) -> bool:
        """Return whether the agreed split matches the entry's current players. Equal shares always match."""
        try:
            split_prize(0, max(1, len(self.players)), self.percents)
        except DomainError:
            return False
        return True

    def split(self, cents: int, withheld_cents: int = 0) -> tuple[PlayerShare, ...]:
        """Split an amount, and its withheld part, among the players.

        The agreed split is ignored if it does not match the current players.
        """
        if not self.players:
            return ()
        parts = split_prize(cents, len(self.players), self.percents if self.is_split_valid else ())
        named = zip(self.players, parts, split_withholding(withheld_cents, parts), strict=True)
        return tuple(PlayerShare(player, name, part, cents, withheld) for (player, name), part, withheld in named)


EMPTY_PRIZE_SHARES: Final = PrizeShares(())


def load_prize_shares(event: Event, numbers: list[int]) -> Mapping[int, PrizeShares]:
    """Return how each of these entries splits its prize, keyed by entry number."""
    seats: dict[int, list[tuple[int, str]]] = defaultdict(list)
    percents: dict[int, tuple[str, ...]] = {}
    playing = Member.objects.filter(entrant__event=event, entrant__number__in=numbers, replaced_by=None)
    for member in playing.select_related("player", "entrant").order_by("entrant__number", "seat", "pk"):
        number = member.entrant.number
        seats[number].append((member.player_id, str(member.player)))
        percents[number] = tuple(member.entrant.prize_shares)
    return {number: PrizeShares(tuple(players), percents[number]) for number, players in seats.items()}


def split_payout(paid: PaidOut) -> tuple[PlayerShare, ...]:
    number = paid.entrant.number
    return (
        load_prize_shares(paid.event, [number])
        .get(number, EMPTY_PRIZE_SHARES)
        .split(paid.cents, get_withheld_cents(paid))
    )


# --- Awards and their payouts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AwardRow(PrizeBalance):
    """An entry's prize and its payouts.

    `place` is empty for an entry that was paid but has lost its prize. `history` contains all payouts, oldest first,
    including reversed ones and their reversals. `pool` is the side pool, or None for one of the event's prizes.
    """

    place: str
    entrant_id: int
    number: int
    name: str
    cents: int
    paid_cents: int = 0
    history: tuple[PaidOut, ...] = ()
    sharing: PrizeShares = EMPTY_PRIZE_SHARES
    pool: SidePool | None = None

    @property
    def element_id(self) -> str:
        return f"{self.pool.pk}-{self.entrant_id}" if self.pool is not None else str(self.entrant_id)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.pool.name})" if self.pool is not None else self.name

    @property
    def shares(self) -> tuple[PlayerShare, ...]:
        if len(self.sharing.players) <= 1:
            return ()
        return self.sharing.split(self.cents, min(self.withheld_cents, self.cents))

    @property
    def is_split_stale(self) -> bool:
        return not self.sharing.is_split_valid

    @property
    def paid(self) -> bool:
        return self.paid_cents == self.cents

    @property
    def payouts(self) -> tuple[PaidOut, ...]:
        """Return the payouts that have not been reversed, oldest first."""
        return _list_valid_payouts(self.history)

    @property
    def withheld_cents(self) -> int:
        """Return the cents withheld from the valid payouts. `paid_cents` includes them."""
        return sum(map(get_withheld_cents, self.payouts))

    @property
    def withheld_for(self) -> str:
        return join_withholding_reasons(self.payouts)

    @property
    def handed_over_cents(self) -> int:
        return self.paid_cents - self.withheld_cents

    @property
    def back_cents(self) -> int:
        """Return the cents that the player has to pay back after being paid too much."""
        return reduce_payouts(list_paid_prizes(reversed(self.payouts)), self.cents).return_cents

    @property
    def unsigned_payouts(self) -> tuple[PaidOut, ...]:
        players = max(1, len(self.sharing.players))
        return tuple(line for line in self.payouts if len(line.signatures.all()) < players)

    @property
    def payouts_to_sign(self) -> tuple[tuple[PaidOut, int], ...]:
        """Return the payouts that at least one player has not signed, each with the cents that were handed over."""
        return tuple((line, line.cents - get_withheld_cents(line)) for line in self.unsigned_payouts)

    @property
    def is_signed(self) -> bool:
        return bool(self.payouts) and not self.unsigned_payouts

    @property
    def has_wrong_amount(self) -> bool:
        """Return whether the amount paid differs from the prize. Return False if nothing was paid."""
        return self.paid_cents not in (0, self.cents)


_Rows = tuple[tuple[AwardRow, ...], tuple[AwardRow, ...]]


def load_award_rows(event: Event, payout: Payout | None, pool: SidePool | None = None) -> _Rows:
    """Return two lists of entries: those with a prize, in the order of the finish, and those paid without a prize."""
    history = _load_history(event, pool)
    won = get_prize_cents_by_entry(payout)
    places = {award.entry: str(award.placing) for award in payout.awards} if payout is not None else {}
    numbers = [*won, *(number for number in history if number not in won)]
    known = event.entrants.filter(number__in=numbers).values_list("number", "pk", "name") if numbers else []
    entrants = {number: (pk, name) for number, pk, name in known}
    sharing = load_prize_shares(event, numbers) if event.entry_size > 1 and numbers else {}
    rows = [
        AwardRow(
            places.get(number, ""),
            entrants[number][0],
            number,
            entrants[number][1],
            won.get(number, 0),
            sum(line.cents for line in _list_valid_payouts(history.get(number, ()))),
            tuple(history.get(number, ())),
            sharing.get(number, EMPTY_PRIZE_SHARES),
            pool,
        )
        for number in numbers
    ]
    others = [row for row in rows if row.number not in won and row.paid_cents]
    return tuple(row for row in rows if row.number in won), tuple(others)


def _load_history(event: Event, pool: SidePool | None) -> dict[int, list[PaidOut]]:
    history: dict[int, list[PaidOut]] = defaultdict(list)
    rows = event.paid_out.filter(of_pool__pool=pool).select_related(
        "entrant", "reverses", "reversed_by", "movement", "withholding"
    )
    for row in rows.prefetch_related("signatures__player").order_by("entrant__number", "pk"):
        history[row.entrant.number].append(row)
    return dict(history)


def _list_valid_payouts(history: Sequence[PaidOut]) -> tuple[PaidOut, ...]:
    undone = {line.reverses_id for line in history}
    return tuple(line for line in history if line.reverses_id is None and line.pk not in undone)


# --- Paid amounts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrongPayout(PrizeBalance):
    """An entry whose paid amount differs from its prize."""

    number: int
    name: str
    cents: int
    paid_cents: int
    back_cents: int = 0
    """The cents that the player has to pay back. Withheld money is not included."""


def find_wrong_payouts(event: Event, won: Mapping[int, int]) -> tuple[WrongPayout, ...]:
    """Return entries whose paid amount differs from their prize, in order of entry number.

    Partly paid winners are included. Entries that were not paid at all are not.
    """
    paid = load_paid_prize_cents(event)
    wrong = sorted(number for number, cents in paid.items() if won.get(number, 0) != cents)
    entrants = {entrant.number: entrant for entrant in event.entrants.filter(number__in=wrong)} if wrong else {}
    payouts = []
    for number in wrong:
        back = compute_cents_to_return(entrants[number], won.get(number, 0)) if paid[number] > won.get(number, 0) else 0
        payouts.append(WrongPayout(number, entrants[number].name, won.get(number, 0), paid[number], back))
    return tuple(payouts)


def get_prize_cents_by_entry(payout: Payout | None) -> dict[int, int]:
    return {award.entry: award.cents for award in payout.awards} if payout is not None else {}


def load_valid_payouts(event: Event, pool: SidePool | None = None) -> QuerySet[PaidOut]:
    """Return payouts that were not reversed, either for the event's prizes or for a side pool."""
    return event.paid_out.filter(reverses__isnull=True, reversed_by__isnull=True, of_pool__pool=pool)


def load_paid_prize_cents(event: Event) -> dict[int, int]:
    """Return the cents paid to each entry for its prize, by entry number. Side pools are not included."""
    rows = sum_postings_by_columns(event.postings.filter(account=AccountKind.PRIZES), "entrant__number")
    return {number: cents for (number,), cents in rows if cents}


def count_paid_awards(event: Event) -> int:
    """Count the prizes and side-pool awards that were paid at least in part."""
    rows = event.postings.filter(account__in=(AccountKind.PRIZES, AccountKind.SIDE_PRIZES))
    return sum(cents != 0 for _key, cents in sum_postings_by_columns(rows, "account", "category", "entrant"))


def sum_paid_prize_cents(entrant: Entrant, pool: SidePool | None = None) -> int:
    """Return the cents paid so far for an entry's prize, or for its award in a side pool."""
    rows = Posting.objects.filter(entrant=entrant, account=AccountKind.PRIZES)
    if pool is not None:
        rows = Posting.objects.filter(entrant=entrant, account=AccountKind.SIDE_PRIZES, category=pool.name)
    return sum(cents for _account, cents in sum_postings_by_columns(rows, "account"))


def sum_withheld_cents(entrant: Entrant, pool: SidePool | None = None) -> int:
    """Return the cents withheld from valid payouts for an entry's prize or side-pool award."""
    rows = Withholding.objects.filter(paid_out__in=load_valid_payouts(entrant.event, pool).filter(entrant=entrant))
    return sum(rows.values_list("cents", flat=True))


def compute_cents_to_return(entrant: Entrant, won_cents: int, pool: SidePool | None = None) -> int:
    """Return the cents that an overpaid entry has to pay back.

    Money that was withheld is not included, because the player never received it.
    """
    rows = load_valid_payouts(entrant.event, pool).filter(entrant=entrant).select_related("withholding")
    return reduce_payouts(list_paid_prizes(rows.order_by("-pk")), won_cents).return_cents
