"""Acts for money that belongs to no entry, and for reversals of movements."""

from typing import Final

from scoring.management.random_event.acts.entering import BEFORE_DRAW
from scoring.management.random_event.core import Doing, State, aside, one_of
from scoring.management.random_event.play import Play
from tournament.models import Entrant, EventMoney, LedgerLine, Movement
from tournament.money.selectors.ledger import account_of, held_cents, movements_of
from tournament.money.services.ledger import Sum, record_money, reverse_money
from tournament.money.services.payouts import reverse_movement
from tournament.money.services.side_pools import Sale, sell
from tournament.purse.kinds import AccountKind, MoneyKind

SPONSORS: Final = ("The card shop", "The hotel", "A former champion")
OPEN: Final = (*BEFORE_DRAW, State.IN_PLAY)


@aside("sponsor", in_state=(*OPEN, State.FINISHED), weight=0.3)
def sponsor(play: Play) -> Doing | None:
    """Add a sponsor's money. It is refused once the event is finished, because the pool is fixed."""
    given = Sum(play.dice.randint(1, 500_00), _method(play), play.dice.choice(SPONSORS))
    by, key = play.staff(), play.dice.token()
    return Doing(
        f"{given.party}: {given.cents}", lambda: record_money(play.event, MoneyKind.ADDED, given, by=by, key=key)
    )


@aside("spend", in_state=(*OPEN, State.FINISHED), weight=0.3)
def spend(play: Play) -> Doing | None:
    category = play.dice.choice(play.event.tournament.expense_categories)
    spent = Sum(play.dice.randint(1, 90_00), _method(play), category=category)
    key = play.dice.token()
    return Doing(
        f"{category}: {spent.cents}",
        lambda: record_money(play.event, MoneyKind.EXPENSE, spent, by=play.director, key=key),
    )


@aside("remit", in_state=(State.IN_PLAY, State.FINISHED), weight=2.0)
def remit(play: Play) -> Doing | None:
    """Remit withheld money in whole or in part. Now and then it is too much, which is refused."""
    here = held_cents(play.event)[AccountKind.WITHHELD]
    if not here:
        return None
    cents = here + 1 if play.dice.chance(0.1) else play.dice.randint(1, here)
    sent, key, reason = Sum(cents, _method(play), "The tax office"), play.dice.token(), play.reason()
    return Doing(
        f"{cents}",
        lambda: record_money(play.event, MoneyKind.REMITTANCE, sent, by=play.director, reason=reason, key=key),
    )


@aside("reverse-remittance", in_state=(State.IN_PLAY, State.FINISHED), weight=0.5)
@one_of(
    lambda play: play.event.other_money.filter(
        kind=MoneyKind.REMITTANCE, reverses=None, reversed_by=None
    ).select_related("event__tournament")
)
def reverse_remittance(play: Play, row: EventMoney) -> Doing | None:
    reason, key = play.reason(), play.dice.token()
    return Doing(str(row), lambda: reverse_money(row, by=play.director, reason=reason, key=key))


@aside("donate", in_state=(*OPEN, State.FINISHED), weight=0.6)
@one_of(lambda play: play.seen.in_state(Entrant.State.IN))
def donate(play: Play, who: Entrant) -> Doing | None:
    """Donate beside a payment of what is owed, or without one."""
    due = account_of(who).due_cents if play.dice.chance(0.5) else 0
    sold = Sale(due, _method(play), donation=play.dice.randint(1, 50_00))
    key = play.dice.token()
    return Doing(f"{who.name}: {sold.donation}", lambda: sell(who, sold, by=play.staff(), key=key))


@aside("pass-on-donations", in_state=(State.IN_PLAY, State.FINISHED), weight=2.0)
def pass_on_donations(play: Play) -> Doing | None:
    """Pay donations to the charity in whole or in part. Now and then it is too much, which is refused."""
    here = held_cents(play.event)[AccountKind.DONATIONS]
    if not here:
        return None
    cents = here + 1 if play.dice.chance(0.1) else play.dice.randint(1, here)
    sent, key = Sum(cents, _method(play), "The hospice"), play.dice.token()
    return Doing(f"{cents}", lambda: record_money(play.event, MoneyKind.CHARITY, sent, by=play.director, key=key))


@aside("reverse", in_state=OPEN, weight=0.5)
@one_of(lambda play: movements_of(play.event))
def reverse(play: Play, row: Movement) -> Doing | None:
    """Reverse any movement. It is refused for a fee, a reversal, or a movement that others depend on."""
    reason, key = play.reason(), play.dice.token()
    return Doing(row.receipt, lambda: reverse_movement(row, by=play.director, reason=reason, key=key))


def _method(play: Play) -> str:
    return play.dice.choice(LedgerLine.Method.values)
