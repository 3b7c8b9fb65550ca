"""Acts before the draw: enter, pay, get a discount, check in, and withdraw."""

import datetime as dt
from functools import partial
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from scoring.management.demo import demo_names
from scoring.management.random_event.core import Doing, State, aside, forward, one_of
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.play import Play
from tournament.models import Entrant, LedgerLine
from tournament.money.selectors.ledger import account_of
from tournament.money.services.checkin import mark_arrived
from tournament.money.services.ledger import cancel_fee, correct_payment, refund, take_payment, waive_fee
from tournament.purse.kinds import MoneyKind
from tournament.registration.services.entries import Entry, enter, reinstate, substitute, withdraw
from tournament.registration.services.people import Person

BEFORE_DRAW: Final = (State.OPEN, State.CLOSED)
CLUBS: Final = ("Tampa", "Reno", "Fort Worth", "Las Vegas", "", "")


def there(play: Play) -> list[Entrant]:
    return play.seen.in_state(Entrant.State.IN)


def left_out(play: Play) -> list[Entrant]:
    return [who for who in play.seen.entrants if who.state != Entrant.State.IN]


@forward("enter", in_state=(State.OPEN,))
def enter_one(play: Play) -> Doing | None:
    if len(there(play)) >= play.wanted:
        return None
    entry = an_entry(play)
    return Doing(" / ".join(person.name for person in entry.people), lambda: enter(play.event, entry, by=play.staff()))


def an_entry(play: Play) -> Entry:
    """Return an entry of new people, on the side and at the site with the fewest entrants."""
    dice, event = play.dice, play.event
    people = tuple(_person(play.dice, name) for name in _new_names(play, event.entry_size))
    early = timezone.now() - dt.timedelta(days=dice.randint(0, 40))
    side = _fewest(play, Entrant.Side.values, "side") if play.one.kind.turns else ""
    site = _fewest(play, event.sites, "site") if event.sites else ""
    return Entry(people, source=Entrant.Source.DESK.value, at=early, side=side, site=site)


def _new_names(play: Play, count: int) -> list[str]:
    taken = play.left.get("names", 0)
    play.left["names"] = taken + count
    return demo_names(taken + count, Dice(play.event.tournament.name))[taken:]


def _person(dice: Dice, name: str) -> Person:
    return Person(name=name, club=dice.choice(CLUBS), consents=True)


def _fewest(play: Play, values: list[str], column: str) -> str:
    return min(values, key=[getattr(entrant, column) for entrant in there(play)].count)


@forward("pay", in_state=BEFORE_DRAW, turn=1)
@one_of(lambda play: [who for who in there(play) if account_of(who).due_cents and play.left.get(f"owes {who.pk}", 1)])
def pay_fee(play: Play, who: Entrant) -> Doing | None:
    """Pay a fee in whole or in part. Now and then somebody goes into the draw without paying."""
    due = account_of(who).due_cents
    if play.dice.chance(0.1):
        play.left[f"owes {who.pk}"] = 0
    cents = play.dice.randint(1, due) if play.dice.chance(0.2) else due
    said = f"{who.name}: {cents}"
    return Doing(said, lambda: take_payment(who, cents, _method(play), by=play.staff(), key=play.dice.token()))


@forward("check-in", in_state=BEFORE_DRAW, turn=1)
@one_of(lambda play: [who for who in there(play) if not who.arrived and play.left.get(f"late {who.pk}", 1)])
def check_in(play: Play, who: Entrant) -> Doing | None:
    if play.dice.chance(0.05):
        play.left[f"late {who.pk}"] = 0
    return Doing(who.name, lambda: mark_arrived(who, by=play.staff()))


@aside("discount", in_state=(*BEFORE_DRAW, State.DRAWN, State.IN_PLAY))
@one_of(lambda play: [who for who in there(play) if account_of(who).owed_cents])
def discount(play: Play, who: Entrant) -> Doing | None:
    """Waive a part of the fee, or all of it (a complimentary entry)."""
    owed = account_of(who).owed_cents
    cents = None if play.dice.chance(0.4) else play.dice.randint(1, owed + 1)
    said, why = f"{who.name}: {'complimentary' if cents is None else cents}", "helps at the desk"
    return Doing(said, lambda: waive_fee(who, cents, by=play.director, reason=why, key=play.dice.token()))


def _payments(play: Play) -> QuerySet[LedgerLine]:
    paid = LedgerLine.objects.filter(event=play.event, kind=MoneyKind.PAYMENT).order_by("pk")
    return paid.select_related("entrant__event__tournament", "event__tournament")


@aside("correct-payment", in_state=(*BEFORE_DRAW, State.IN_PLAY))
@one_of(_payments)
def take_payment_back(play: Play, line: LedgerLine) -> Doing | None:
    who = str(line.entrant)
    return Doing(who, lambda: correct_payment(line, by=play.staff(), reason=play.reason(), key=play.dice.token()))


@aside("refund", in_state=(*BEFORE_DRAW, State.IN_PLAY))
@one_of(lambda play: [who for who in play.seen.entrants if account_of(who).kept_cents])
def hand_back(play: Play, who: Entrant) -> Doing | None:
    """Refund an entry, now and then by another method. It is refused if too little was paid by a method."""
    cents, method, key = play.dice.randint(1, account_of(who).kept_cents + 1), _method(play), play.dice.token()
    paid_by, reason = _method(play) if play.dice.chance(0.4) else "", play.reason()
    act = partial(refund, who, cents, method, by=play.director, key=key, reason=reason, paid_by=paid_by)
    return Doing(f"{who.name}: {cents}", act)


@aside("cancel-fee", in_state=BEFORE_DRAW, weight=0.5)
@one_of(lambda play: play.seen.entrants)
def cancel(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, lambda: cancel_fee(who, by=play.director, reason=play.reason(), key=play.dice.token()))


@aside("withdraw-before-draw", in_state=BEFORE_DRAW, weight=2)
@one_of(there)
def withdraw_before(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, lambda: withdraw(who, by=play.staff(), reason=play.reason()))


@aside("reinstate", in_state=(State.OPEN, State.CLOSED, State.DRAWN))
@one_of(left_out)
def take_in_again(play: Play, who: Entrant) -> Doing | None:
    return Doing(who.name, lambda: reinstate(who, by=play.director, reason=play.reason()))


@aside("substitute", in_state=(*BEFORE_DRAW, State.DRAWN, State.IN_PLAY), weight=0.5)
@one_of(lambda play: play.seen.entrants)
def send_substitute(play: Play, who: Entrant) -> Doing | None:
    person = _person(play.dice, _new_names(play, 1)[0])
    seat, said = play.dice.randint(1, play.event.entry_size), f"{person.name} for {who.name}"
    return Doing(said, lambda: substitute(who, seat, person, by=play.director, reason=play.reason()))


def _method(play: Play) -> str:
    return play.dice.choice(LedgerLine.Method.values)
