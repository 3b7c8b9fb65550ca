"""Before the draw: who enters, pays, is let off, comes, and goes again."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.utils import timezone

from scoring.management.demo import demo_names
from scoring.management.random_event.core import Doing, State, aside, forward
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.play import Play
from tournament.models import Entrant, LedgerLine
from tournament.money.selectors.ledger import account_of
from tournament.money.services.checkin import mark_arrived
from tournament.money.services.ledger import cancel_fee, correct_payment, refund, take_payment, waive_fee
from tournament.people.services.players import Person
from tournament.registration.services.entrants import Entry, enter, reinstate, substitute, withdraw

BEFORE_DRAW: Final = (State.OPEN, State.CLOSED)
IN: Final = (Entrant.State.IN,)
CLUBS: Final = ("Tampa", "Reno", "Fort Worth", "Las Vegas", "", "")


@forward("enter", in_state=(State.OPEN,))
def enter_one(play: Play) -> Doing | None:
    if len(play.seen.in_state(*IN)) >= play.wanted:
        return None
    entry = an_entry(play)
    return Doing(" / ".join(person.name for person in entry.people), lambda: enter(play.event, entry, by=play.staff()))


def an_entry(play: Play) -> Entry:
    """Of new people, on the side and at the site that has fewer so far, received some time ago."""
    dice, event = play.dice, play.event
    people = tuple(_person(play.dice, name) for name in _new_names(play, event.entry_size))
    early = timezone.now() - dt.timedelta(days=dice.randint(0, 40))
    side = _fewest(play, Entrant.Side.values, "side") if play.one.kind.turns else ""
    site = _fewest(play, event.sites, "site") if event.sites else ""
    return Entry(people, source=Entrant.Source.DESK.value, at=early, side=side, site=site)


def _new_names(play: Play, count: int) -> list[str]:
    """Names of the list that nobody in the event has yet."""
    taken = play.left.get("names", 0)
    play.left["names"] = taken + count
    return demo_names(taken + count, Dice(play.event.tournament.name))[taken:]


def _person(dice: Dice, name: str) -> Person:
    return Person(name=name, club=dice.choice(CLUBS), consents=True)


def _fewest(play: Play, values: list[str], column: str) -> str:
    there = [getattr(entrant, column) for entrant in play.seen.in_state(*IN)]
    return min(values, key=there.count)


@forward("pay", in_state=BEFORE_DRAW, turn=1)
def pay_fee(play: Play) -> Doing | None:
    """Now and then somebody goes into the draw without having paid."""
    owing = [who for who in play.seen.in_state(*IN) if account_of(who).due_cents and play.left.get(f"owes {who.pk}", 1)]
    who = play.dice.one_of(owing)
    if who is None:
        return None
    due = account_of(who).due_cents
    if play.dice.chance(0.1):
        play.left[f"owes {who.pk}"] = 0
    cents = play.dice.randint(1, due) if play.dice.chance(0.2) else due
    return Doing(
        f"{who.name}: {cents}", lambda: take_payment(who, cents, _method(play), by=play.staff(), key=play.dice.token())
    )


@forward("check-in", in_state=BEFORE_DRAW, turn=1)
def check_in(play: Play) -> Doing | None:
    coming = [who for who in play.seen.in_state(*IN) if not who.arrived and play.left.get(f"late {who.pk}", 1)]
    who = play.dice.one_of(coming)
    if who is None:
        return None
    if play.dice.chance(0.05):
        play.left[f"late {who.pk}"] = 0
    return Doing(who.name, lambda: mark_arrived(who, by=play.staff()))


@aside("discount", in_state=(*BEFORE_DRAW, State.DRAWN, State.IN_PLAY))
def discount(play: Play) -> Doing | None:
    """Part of the fee, or all of it (a complimentary entry)."""
    who = play.dice.one_of([who for who in play.seen.in_state(*IN) if account_of(who).owed_cents])
    if who is None:
        return None
    owed = account_of(who).owed_cents
    cents = None if play.dice.chance(0.4) else play.dice.randint(1, owed + 1)
    about = f"{who.name}: {'complimentary' if cents is None else cents}"
    return Doing(
        about, lambda: waive_fee(who, cents, by=play.director, reason="helps at the desk", key=play.dice.token())
    )


@aside("correct-payment", in_state=(*BEFORE_DRAW, State.IN_PLAY))
def take_payment_back(play: Play) -> Doing | None:
    paid = LedgerLine.objects.filter(event=play.event, kind=LedgerLine.Kind.PAYMENT).order_by("pk")
    line = play.dice.one_of(list(paid.select_related("entrant__event__tournament", "event__tournament")))
    if line is None:
        return None
    return Doing(
        str(line.entrant), lambda: correct_payment(line, by=play.staff(), reason=play.reason(), key=play.dice.token())
    )


@aside("refund", in_state=(*BEFORE_DRAW, State.IN_PLAY))
def hand_back(play: Play) -> Doing | None:
    who = play.dice.one_of([who for who in play.seen.entrants if account_of(who).kept_cents])
    if who is None:
        return None
    cents = play.dice.randint(1, account_of(who).kept_cents + 1)
    return Doing(
        f"{who.name}: {cents}",
        lambda: refund(who, cents, _method(play), by=play.director, key=play.dice.token(), reason=play.reason()),
    )


@aside("cancel-fee", in_state=BEFORE_DRAW, weight=0.5)
def cancel(play: Play) -> Doing | None:
    who = play.dice.one_of(play.seen.entrants)
    if who is None:
        return None
    return Doing(who.name, lambda: cancel_fee(who, by=play.director, reason=play.reason(), key=play.dice.token()))


@aside("withdraw-before-draw", in_state=BEFORE_DRAW, weight=2)
def withdraw_before(play: Play) -> Doing | None:
    who = play.dice.one_of(play.seen.in_state(*IN))
    if who is None:
        return None
    return Doing(who.name, lambda: withdraw(who, by=play.staff(), reason=play.reason()))


@aside("reinstate", in_state=(State.OPEN, State.CLOSED, State.DRAWN))
def take_in_again(play: Play) -> Doing | None:
    who = play.dice.one_of([who for who in play.seen.entrants if who.state not in IN])
    if who is None:
        return None
    return Doing(who.name, lambda: reinstate(who, by=play.director, reason=play.reason()))


@aside("substitute", in_state=(*BEFORE_DRAW, State.DRAWN, State.IN_PLAY), weight=0.5)
def send_substitute(play: Play) -> Doing | None:
    who = play.dice.one_of(play.seen.entrants)
    if who is None:
        return None
    person = _person(play.dice, _new_names(play, 1)[0])
    seat = play.dice.randint(1, play.event.entry_size)
    return Doing(
        f"{person.name} for {who.name}", lambda: substitute(who, seat, person, by=play.director, reason=play.reason())
    )


def _method(play: Play) -> str:
    return play.dice.choice(LedgerLine.Method.values)
