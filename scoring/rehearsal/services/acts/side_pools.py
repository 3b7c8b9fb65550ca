"""Random actions with side pools: create, join and leave them, record results, and pay or undo awards."""

from functools import partial
from typing import Final

from scoring.rehearsal.services.play import (
    EventState,
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    register_main_action,
    register_side_action,
)
from tournament.models import Entrant, LedgerLine, PaidOut, SidePool, SidePoolEntry
from tournament.money.selectors.awards import AwardRow
from tournament.money.selectors.side_pools import load_side_pool_entries, load_side_pools
from tournament.money.services.payouts import (
    NOTHING_WITHHELD,
    WithheldAmount,
    pay_prize,
    record_returned_excess,
    undo_payout,
)
from tournament.money.services.side_pools import (
    SidePoolTerms,
    add_side_pool,
    join_side_pool,
    leave_side_pool,
    record_side_pool_result,
)

_UNTIL_THE_END: Final = (EventState.OPEN, EventState.CLOSED, EventState.DRAWN, EventState.IN_PLAY)
_OFFERED_POOLS: Final = (
    SidePoolTerms("Sweepstake", 20_00, "90", ("60", "40"), places_by=SidePool.PlacesBy.FINISH),
    SidePoolTerms("Best game", 5_00, "100", ("100",), places_by=SidePool.PlacesBy.DESK),
)


def _load_side_pools(play: RehearsalContext) -> list[SidePool]:
    return list(play.event.side_pools.select_related("event__tournament"))


def _load_award_rows(play: RehearsalContext) -> list[AwardRow]:
    return [row for state in load_side_pools(play.event) for row in state.rows]


def _get_awarded_entrant(play: RehearsalContext, row: AwardRow) -> Entrant:
    return next(one for one in play.state.entrants if one.number == row.number)


@register_side_action("add-side-pool", in_state=(EventState.OPEN, EventState.CLOSED))
def _propose_add_pool(play: RehearsalContext) -> RehearsalAction | None:
    terms = play.dice.choice(_OFFERED_POOLS)
    return RehearsalAction(
        terms.name, lambda: add_side_pool(play.event, terms, by=play.director, key=play.dice.make_key())
    )


@register_side_action("join-side-pool", in_state=_UNTIL_THE_END, weight=3.0)
@act_on_random_item(_load_side_pools)
def _propose_join(play: RehearsalContext, pool: SidePool) -> RehearsalAction | None:
    who = play.dice.pick_one(play.state.entrants)
    if who is None:
        return None
    label = f"{who.name}: {pool.name}"
    return RehearsalAction(
        label, lambda: join_side_pool(pool, who, by=play.choose_staff_actor(), key=play.dice.make_key())
    )


@register_side_action("leave-side-pool", in_state=(*_UNTIL_THE_END, EventState.FINISHED), weight=0.5)
@act_on_random_item(lambda play: load_side_pool_entries(play.event).select_related("pool__event__tournament"))
def _propose_leave(play: RehearsalContext, entry: SidePoolEntry) -> RehearsalAction | None:
    act = partial(
        leave_side_pool, entry, by=play.choose_staff_actor(), reason=play.choose_reason(), key=play.dice.make_key()
    )
    return RehearsalAction(str(entry), act)


@register_side_action("record-pool-result", in_state=(EventState.IN_PLAY, EventState.FINISHED))
@act_on_random_item(_load_side_pools)
def _propose_record_winner(play: RehearsalContext, pool: SidePool) -> RehearsalAction | None:
    """Propose to record a side pool's winner, or two tied winners. A second result replaces the first."""
    inside = [row.entrant.number for row in load_side_pool_entries(play.event).filter(pool=pool)]
    first, second = play.dice.pick_one(inside), play.dice.pick_one(inside)
    if first is None or second is None:
        return None
    places = [sorted({first, second})] if play.dice.happens_with_probability(0.3) else [[first]]
    act = partial(
        record_side_pool_result, pool, places, by=play.director, reason=play.choose_reason(), key=play.dice.make_key()
    )
    return RehearsalAction(f"{pool.name}: {places}", act)


@register_main_action("pay-award", in_state=(EventState.FINISHED,))
@act_on_random_item(lambda play: [row for row in _load_award_rows(play) if row.to_pay_cents])
def _propose_pay_award(play: RehearsalContext, row: AwardRow) -> RehearsalAction | None:
    method, key, withheld = play.dice.choice(LedgerLine.Method.values), play.dice.make_key(), NOTHING_WITHHELD
    if row.to_pay_cents > 3 and play.dice.happens_with_probability(0.3):
        withheld = WithheldAmount(row.to_pay_cents // 4, "backup withholding")
    act = partial(
        pay_prize, _get_awarded_entrant(play, row), method, by=play.director, pool=row.pool, key=key, withheld=withheld
    )
    return RehearsalAction(f"{row.label}: {row.to_pay_cents}", act)


@register_main_action("take-back-award", in_state=(EventState.FINISHED,))
@act_on_random_item(lambda play: [row for row in _load_award_rows(play) if row.to_get_back_cents])
def _propose_return_excess_award(play: RehearsalContext, row: AwardRow) -> RehearsalAction | None:
    reason, key = play.choose_reason(), play.dice.make_key()
    act = partial(
        record_returned_excess, _get_awarded_entrant(play, row), by=play.director, reason=reason, key=key, pool=row.pool
    )
    return RehearsalAction(f"{row.label}: back", act)


@register_side_action("undo-award", in_state=(EventState.FINISHED, EventState.IN_PLAY), weight=0.5)
@act_on_random_item(
    lambda play: (
        play.event.paid_out.filter(reverses=None, reversed_by=None)
        .exclude(of_pool=None)
        .select_related("entrant", "event__tournament")
        .order_by("pk")
    )
)
def _propose_undo_award(play: RehearsalContext, paid: PaidOut) -> RehearsalAction | None:
    act = partial(undo_payout, paid, by=play.director, reason=play.choose_reason(), key=play.dice.make_key())
    return RehearsalAction(f"{paid.entrant}: {paid.cents}", act)
