"""Random actions with extras (items for sale): offer, sell, pay for, and return them, even after the event."""

from functools import partial
from typing import Final

from scoring.rehearsal.services.play import (
    EventState,
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    register_side_action,
)
from tournament.models import Entrant, EventExtra, LedgerLine
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.side_pools import load_charges_for_extras
from tournament.money.services.fees_and_refunds import refund_entry, take_payment
from tournament.money.services.side_pools import (
    EventExtraTerms,
    add_event_extra,
    reverse_event_extra_sale,
    sell_event_extra,
)

_WHOLE_EVENT: Final = (EventState.OPEN, EventState.CLOSED, EventState.DRAWN, EventState.IN_PLAY, EventState.FINISHED)
_OFFERED_EXTRAS: Final = (EventExtraTerms("Dinner", 35_00), EventExtraTerms("Shirt", 18_50))


@register_side_action("add-extra", in_state=(EventState.OPEN, EventState.CLOSED, EventState.FINISHED), weight=0.7)
def _propose_add_extra(play: RehearsalContext) -> RehearsalAction | None:
    terms = play.dice.choice(_OFFERED_EXTRAS)
    return RehearsalAction(
        terms.name, lambda: add_event_extra(play.event, terms, by=play.director, key=play.dice.make_key())
    )


@register_side_action("sell-extra", in_state=_WHOLE_EVENT, weight=2.0)
@act_on_random_item(lambda play: play.event.extras.select_related("event__tournament"))
def _propose_sale(play: RehearsalContext, extra: EventExtra) -> RehearsalAction | None:
    who = play.dice.pick_one(play.state.entrants)
    if who is None:
        return None
    act = partial(
        sell_event_extra, extra, who, play.dice.randint(1, 3), by=play.choose_staff_actor(), key=play.dice.make_key()
    )
    return RehearsalAction(f"{who.name}: {extra.name}", act)


@register_side_action("give-back-extra", in_state=_WHOLE_EVENT, weight=0.5)
@act_on_random_item(lambda play: load_charges_for_extras(play.event).select_related("event__tournament", "entrant"))
def _propose_return(play: RehearsalContext, line: LedgerLine) -> RehearsalAction | None:
    act = partial(
        reverse_event_extra_sale,
        line,
        by=play.choose_staff_actor(),
        reason=play.choose_reason(),
        key=play.dice.make_key(),
    )
    return RehearsalAction(f"{line.entrant}: {line.reference}", act)


@register_side_action("pay-extra", in_state=(EventState.DRAWN, EventState.IN_PLAY, EventState.FINISHED), weight=1.5)
@act_on_random_item(lambda play: [who for who in play.state.entrants if load_entry_account(who).extra_owed_cents])
def _propose_payment_after_event(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose a payment for an extra after the event is finished."""
    cents = load_entry_account(who).due_cents + (1 if play.dice.happens_with_probability(0.1) else 0)
    method = play.dice.choice(LedgerLine.Method.values)
    act = partial(take_payment, who, cents, method, by=play.choose_staff_actor(), key=play.dice.make_key())
    return RehearsalAction(f"{who.name}: {cents}", act)


@register_side_action("refund-after-the-final", in_state=(EventState.FINISHED,))
@act_on_random_item(lambda play: [who for who in play.state.entrants if load_entry_account(who).refund_due_cents])
def _propose_refund_after_event(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose to refund what an entrant paid for a returned extra, after the event is finished."""
    cents, method = load_entry_account(who).refund_due_cents, play.dice.choice(LedgerLine.Method.values)
    act = partial(
        refund_entry, who, cents, method, by=play.director, key=play.dice.make_key(), reason=play.choose_reason()
    )
    return RehearsalAction(f"{who.name}: {cents}", act)
