"""Random actions with entrants and money: entering, paying, checking in, withdrawing, and counting cash."""

import datetime as dt
from datetime import date
from functools import partial
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from scoring.rehearsal.selectors.playable import RehearsalRandomizer
from scoring.rehearsal.services.engine import make_demo_names
from scoring.rehearsal.services.play import (
    EventState,
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    register_main_action,
    register_side_action,
)
from tournament.core.permissions import Actor
from tournament.models import DayClose, DayCount, Drawer, Entrant, EventMoney, LedgerLine, Movement
from tournament.money.selectors.drawers_and_close import (
    CASH_METHOD,
    compute_expected_cents_by_method,
    find_business_day_at,
    load_all_daily_closes,
    load_days_to_close,
    load_open_drawers,
    load_report_since_last_close,
    load_unused_day_count,
    sum_cents_in_drawer,
)
from tournament.money.selectors.ledger import load_entry_account, load_held_cents_by_account, load_movements
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.drawers_and_close import (
    EndOfDayCount,
    choose_business_day,
    close_day,
    close_drawer,
    move_cash_to_or_from_outside,
    move_cash_to_or_from_safe,
    open_drawer,
    record_day_count,
    reopen_day,
)
from tournament.money.services.fees_and_refunds import (
    cancel_fee,
    correct_payment,
    discount_or_waive_fee,
    refund_entry,
    take_payment,
)
from tournament.money.services.ledger import EventMoneyDetails, record_event_money, reverse_event_money
from tournament.money.services.payouts import reverse_movement
from tournament.money.services.side_pools import DeskSale, complete_sale
from tournament.purse.business_day import find_next_open_day, list_currency_denominations
from tournament.purse.kinds import AccountKind, MoneyKind
from tournament.registration.services.entries import (
    EntryRequest,
    add_entry,
    reinstate_entrant,
    substitute_player,
    withdraw_entrant,
)
from tournament.registration.services.people import Person

_BEFORE_DRAW: Final = (EventState.OPEN, EventState.CLOSED)
_CLUBS: Final = ("Tampa", "Reno", "Fort Worth", "Las Vegas", "", "")


def list_present_entrants(play: RehearsalContext) -> list[Entrant]:
    return play.state.filter_entrants(Entrant.State.IN)


def list_absent_entrants(play: RehearsalContext) -> list[Entrant]:
    return [who for who in play.state.entrants if who.state != Entrant.State.IN]


@register_main_action("enter", in_state=(EventState.OPEN,))
def _propose_entry(play: RehearsalContext) -> RehearsalAction | None:
    if len(list_present_entrants(play)) >= play.field_size:
        return None
    entry = make_random_entry(play)
    return RehearsalAction(
        " / ".join(person.name for person in entry.people),
        lambda: add_entry(play.event, entry, by=play.choose_staff_actor()),
    )


def make_random_entry(play: RehearsalContext) -> EntryRequest:
    """Return an entry with new people. They are assigned to the side and the site with the fewest entrants."""
    dice, event = play.dice, play.event
    people = tuple(_make_person(play.dice, name) for name in _make_new_names(play, event.entry_size))
    early = timezone.now() - dt.timedelta(days=dice.randint(0, 40))
    side = _find_least_common_value(play, Entrant.Side.values, "side") if play.playable.kind.has_rotating_sides else ""
    site = _find_least_common_value(play, event.sites, "site") if event.sites else ""
    return EntryRequest(people, source=Entrant.Source.DESK.value, at=early, side=side, site=site)


def _make_new_names(play: RehearsalContext, count: int) -> list[str]:
    taken = play.remaining.get("names", 0)
    play.remaining["names"] = taken + count
    return make_demo_names(taken + count, RehearsalRandomizer(play.event.tournament.name))[taken:]


def _make_person(dice: RehearsalRandomizer, name: str) -> Person:
    return Person(name=name, club=dice.choice(_CLUBS), consents=True)


def _find_least_common_value(play: RehearsalContext, values: list[str], column: str) -> str:
    return min(values, key=[getattr(entrant, column) for entrant in list_present_entrants(play)].count)


@register_main_action("pay", in_state=_BEFORE_DRAW, turn=1)
@act_on_random_item(
    lambda play: [
        who
        for who in list_present_entrants(play)
        if load_entry_account(who).due_cents and play.remaining.get(f"owes {who.pk}", 1)
    ]
)
def _propose_fee_payment(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose that an entrant pay all or part of the fee."""
    due = load_entry_account(who).due_cents
    if play.dice.happens_with_probability(0.1):
        play.remaining[f"owes {who.pk}"] = 0
    cents = play.dice.randint(1, due) if play.dice.happens_with_probability(0.2) else due
    label = f"{who.name}: {cents}"
    return RehearsalAction(
        label,
        lambda: take_payment(
            who, cents, _choose_payment_method(play), by=play.choose_staff_actor(), key=play.dice.make_key()
        ),
    )


@register_main_action("check-in", in_state=_BEFORE_DRAW, turn=1)
@act_on_random_item(
    lambda play: [
        who for who in list_present_entrants(play) if not who.arrived and play.remaining.get(f"late {who.pk}", 1)
    ]
)
def _propose_check_in(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    if play.dice.happens_with_probability(0.05):
        play.remaining[f"late {who.pk}"] = 0
    return RehearsalAction(who.name, lambda: set_check_in_status(who, by=play.choose_staff_actor()))


@register_side_action("discount", in_state=(*_BEFORE_DRAW, EventState.DRAWN, EventState.IN_PLAY))
@act_on_random_item(lambda play: [who for who in list_present_entrants(play) if load_entry_account(who).owed_cents])
def _propose_discount(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose to waive part of the fee, or all of it for a complimentary entry."""
    owed = load_entry_account(who).owed_cents
    cents = None if play.dice.happens_with_probability(0.4) else play.dice.randint(1, owed + 1)
    label, why = f"{who.name}: {'complimentary' if cents is None else cents}", "helps at the desk"
    return RehearsalAction(
        label, lambda: discount_or_waive_fee(who, cents, by=play.director, reason=why, key=play.dice.make_key())
    )


def _query_payments(play: RehearsalContext) -> QuerySet[LedgerLine]:
    paid = LedgerLine.objects.filter(event=play.event, kind=MoneyKind.PAYMENT).order_by("pk")
    return paid.select_related("entrant__event__tournament", "event__tournament")


@register_side_action("correct-payment", in_state=(*_BEFORE_DRAW, EventState.IN_PLAY))
@act_on_random_item(_query_payments)
def _propose_undo_payment(play: RehearsalContext, line: LedgerLine) -> RehearsalAction | None:
    who = str(line.entrant)
    return RehearsalAction(
        who,
        lambda: correct_payment(
            line, by=play.choose_staff_actor(), reason=play.choose_reason(), key=play.dice.make_key()
        ),
    )


@register_side_action("refund", in_state=(*_BEFORE_DRAW, EventState.IN_PLAY))
@act_on_random_item(lambda play: [who for who in play.state.entrants if load_entry_account(who).net_paid_cents])
def _propose_refund(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose a refund, sometimes by a different method than the original payment."""
    cents, method, key = (
        play.dice.randint(1, load_entry_account(who).net_paid_cents + 1),
        _choose_payment_method(play),
        play.dice.make_key(),
    )
    paid_by, reason = (
        _choose_payment_method(play) if play.dice.happens_with_probability(0.4) else "",
        play.choose_reason(),
    )
    act = partial(refund_entry, who, cents, method, by=play.director, key=key, reason=reason, paid_by=paid_by)
    return RehearsalAction(f"{who.name}: {cents}", act)


@register_side_action("cancel-fee", in_state=_BEFORE_DRAW, weight=0.5)
@act_on_random_item(lambda play: play.state.entrants)
def _propose_cancellation(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(
        who.name, lambda: cancel_fee(who, by=play.director, reason=play.choose_reason(), key=play.dice.make_key())
    )


@register_side_action("withdraw-before-draw", in_state=_BEFORE_DRAW, weight=2)
@act_on_random_item(list_present_entrants)
def _propose_withdrawal_before_draw(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(
        who.name, lambda: withdraw_entrant(who, by=play.choose_staff_actor(), reason=play.choose_reason())
    )


@register_side_action("reinstate", in_state=(EventState.OPEN, EventState.CLOSED, EventState.DRAWN))
@act_on_random_item(list_absent_entrants)
def _propose_reinstate_entry(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(who.name, lambda: reinstate_entrant(who, by=play.director, reason=play.choose_reason()))


@register_side_action("substitute", in_state=(*_BEFORE_DRAW, EventState.DRAWN, EventState.IN_PLAY), weight=0.5)
@act_on_random_item(lambda play: play.state.entrants)
def _propose_substitute(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    person = _make_person(play.dice, _make_new_names(play, 1)[0])
    seat, label = play.dice.randint(1, play.event.entry_size), f"{person.name} for {who.name}"
    return RehearsalAction(
        label, lambda: substitute_player(who, seat, person, by=play.director, reason=play.choose_reason())
    )


def _choose_payment_method(play: RehearsalContext) -> str:
    return play.dice.choice(LedgerLine.Method.values)


# --- Money -----------------------------------------------------------------------------------------------------------
# Acts for money that belongs to no entry, and for reversals of movements.

_SPONSORS: Final = ("The card shop", "The hotel", "A former champion")
_UNTIL_FINISH: Final = (*_BEFORE_DRAW, EventState.IN_PLAY)


@register_side_action("sponsor", in_state=(*_UNTIL_FINISH, EventState.FINISHED), weight=0.3)
def _propose_sponsor_money(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to add a sponsor's money. This is rejected in a finished event, because its prize pool is fixed."""
    given = EventMoneyDetails(play.dice.randint(1, 500_00), _choose_money_method(play), play.dice.choice(_SPONSORS))
    by, key = play.choose_staff_actor(), play.dice.make_key()
    return RehearsalAction(
        f"{given.party}: {given.cents}", lambda: record_event_money(play.event, MoneyKind.ADDED, given, by=by, key=key)
    )


@register_side_action("spend", in_state=(*_UNTIL_FINISH, EventState.FINISHED), weight=0.3)
def _propose_expense(play: RehearsalContext) -> RehearsalAction | None:
    category = play.dice.choice(play.event.tournament.expense_categories)
    spent = EventMoneyDetails(play.dice.randint(1, 90_00), _choose_money_method(play), category=category)
    key = play.dice.make_key()
    return RehearsalAction(
        f"{category}: {spent.cents}",
        lambda: record_event_money(play.event, MoneyKind.EXPENSE, spent, by=play.director, key=key),
    )


@register_side_action("remit", in_state=(EventState.IN_PLAY, EventState.FINISHED), weight=2.0)
def _propose_remit_taxes(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to send all or part of the withheld taxes to the tax office."""
    here = load_held_cents_by_account(play.event)[AccountKind.WITHHELD]
    if not here:
        return None
    cents = here + 1 if play.dice.happens_with_probability(0.1) else play.dice.randint(1, here)
    sent, key, reason = (
        EventMoneyDetails(cents, _choose_money_method(play), "The tax office"),
        play.dice.make_key(),
        play.choose_reason(),
    )
    return RehearsalAction(
        f"{cents}",
        lambda: record_event_money(play.event, MoneyKind.REMITTANCE, sent, by=play.director, reason=reason, key=key),
    )


@register_side_action("reverse-remittance", in_state=(EventState.IN_PLAY, EventState.FINISHED), weight=0.5)
@act_on_random_item(
    lambda play: play.event.other_money.filter(
        kind=MoneyKind.REMITTANCE, reverses=None, reversed_by=None
    ).select_related("event__tournament")
)
def _propose_reverse_remittance(play: RehearsalContext, row: EventMoney) -> RehearsalAction | None:
    reason, key = play.choose_reason(), play.dice.make_key()
    return RehearsalAction(str(row), lambda: reverse_event_money(row, by=play.director, reason=reason, key=key))


@register_side_action("donate", in_state=(*_UNTIL_FINISH, EventState.FINISHED), weight=0.6)
@act_on_random_item(lambda play: play.state.filter_entrants(Entrant.State.IN))
def _propose_donation(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose a donation, with or without paying the balance due."""
    due = load_entry_account(who).due_cents if play.dice.happens_with_probability(0.5) else 0
    sold = DeskSale(due, _choose_money_method(play), donation=play.dice.randint(1, 50_00))
    key = play.dice.make_key()
    return RehearsalAction(
        f"{who.name}: {sold.donation}", lambda: complete_sale(who, sold, by=play.choose_staff_actor(), key=key)
    )


@register_side_action("pass-on-donations", in_state=(EventState.IN_PLAY, EventState.FINISHED), weight=2.0)
def _propose_pay_out_donations(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to pay all or part of the donations to the charity."""
    here = load_held_cents_by_account(play.event)[AccountKind.DONATIONS]
    if not here:
        return None
    cents = here + 1 if play.dice.happens_with_probability(0.1) else play.dice.randint(1, here)
    sent, key = EventMoneyDetails(cents, _choose_money_method(play), "The hospice"), play.dice.make_key()
    return RehearsalAction(
        f"{cents}", lambda: record_event_money(play.event, MoneyKind.CHARITY, sent, by=play.director, key=key)
    )


@register_side_action("reverse", in_state=_UNTIL_FINISH, weight=0.5)
@act_on_random_item(lambda play: load_movements(play.event))
def _propose_reverse_movement(play: RehearsalContext, row: Movement) -> RehearsalAction | None:
    """Propose to reverse a money movement.

    The service rejects the reversal of a fee, of another reversal, or of a movement that later movements depend on.
    """
    reason, key = play.choose_reason(), play.dice.make_key()
    return RehearsalAction(row.receipt, lambda: reverse_movement(row, by=play.director, reason=reason, key=key))


def _choose_money_method(play: RehearsalContext) -> str:
    return play.dice.choice(LedgerLine.Method.values)


# --- Drawers ---------------------------------------------------------------------------------------------------------
# Acts on cash drawers, and on the close of a day, which one person counts and another one signs.

_WHOLE_EVENT: Final = (*_UNTIL_FINISH, EventState.FINISHED)
_MOST_CLOSES: Final = 2
_WRONG_COUNT_CHANCE: Final = 0.3
"""The probability that a cash count is slightly too high or too low."""


@register_side_action("open-drawer", in_state=_WHOLE_EVENT)
def _propose_open_drawer(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to open a cash drawer.

    This is rejected if the safe has no cash or the person already has a drawer.
    """
    by, cents, brought = (
        play.choose_staff_actor(),
        play.dice.randint(0, 200_00),
        play.dice.happens_with_probability(0.7),
    )
    tournament, key = play.event.tournament, play.dice.make_key()
    return RehearsalAction(
        f"{by.name}: {cents}", lambda: open_drawer(tournament, cents, by=by, key=key, brought=brought)
    )


@register_side_action("move-cash", in_state=_WHOLE_EVENT, weight=0.5)
@act_on_random_item(lambda play: load_open_drawers(play.event.tournament).select_related("tournament"))
def _propose_move_cash(play: RehearsalContext, drawer: Drawer) -> RehearsalAction | None:
    """Propose to move cash between a drawer and the safe. This is rejected if there is not enough cash."""
    by, cents, to_safe, key = (
        play.choose_staff_actor(),
        play.dice.randint(1, 150_00),
        play.dice.happens_with_probability(0.6),
        play.dice.make_key(),
    )
    return RehearsalAction(
        f"{drawer}: {cents}", lambda: move_cash_to_or_from_safe(drawer, cents, to_safe=to_safe, by=by, key=key)
    )


@register_side_action("to-the-bank", in_state=_WHOLE_EVENT, weight=0.2)
def _propose_bank_deposit(play: RehearsalContext) -> RehearsalAction | None:
    cents, to_bank, key = play.dice.randint(1, 300_00), play.dice.happens_with_probability(0.5), play.dice.make_key()
    tournament, by = play.event.tournament, play.director
    return RehearsalAction(
        str(cents), lambda: move_cash_to_or_from_outside(tournament, cents, to_bank=to_bank, by=by, key=key)
    )


@register_side_action("count-drawer", in_state=_WHOLE_EVENT)
@act_on_random_item(lambda play: load_open_drawers(play.event.tournament).select_related("tournament"))
def _propose_count_drawer(play: RehearsalContext, drawer: Drawer) -> RehearsalAction | None:
    """Propose to count a drawer, possibly wrongly, and to close it or hand it over to another person."""
    found = _make_counted_amount(play, sum_cents_in_drawer(drawer).get(CASH_METHOD, 0))
    pieces, following = (
        _split_into_denominations(play, found),
        play.choose_staff_actor().user if play.dice.happens_with_probability(0.4) else None,
    )
    by, reason, key = play.choose_staff_actor(), play.choose_reason(), play.dice.make_key()
    return RehearsalAction(
        f"{drawer}: {found}",
        lambda: close_drawer(drawer, pieces, next_cashier=following, by=by, key=key, reason=reason),
    )


@register_side_action("count-day", in_state=_WHOLE_EVENT, weight=0.5)
def _propose_day_count(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to count the day's money. This is rejected while a drawer is open."""
    return _make_day_count_action(play, find_business_day_at(play.event.tournament, timezone.now()))


@register_side_action("sign-day", in_state=_WHOLE_EVENT, weight=4)
def _propose_sign_day_count(play: RehearsalContext) -> RehearsalAction | None:
    """Propose that a director sign the count of the current business day.

    The signature is rejected if that director made the count, or if money was moved after the count.
    """
    count = load_unused_day_count(play.event.tournament, find_business_day_at(play.event.tournament, timezone.now()))
    if count is None or hasattr(count, "close") or not play.use_up_allowance("closes", _MOST_CLOSES):
        return None
    return _make_sign_count_action(play, count, play.dice.choice((play.director, play.second)))


@register_side_action("reopen-day", in_state=_WHOLE_EVENT, weight=0.5)
@act_on_random_item(lambda play: list(load_all_daily_closes(play.event.tournament)))
def _propose_reopen_day(play: RehearsalContext, close: DayClose) -> RehearsalAction | None:
    """Propose to reopen a closed day. This is rejected unless it is the latest closed day."""
    reason, key = play.choose_reason(), play.dice.make_key()
    return RehearsalAction(close.day.isoformat(), lambda: reopen_day(close, by=play.director, reason=reason, key=key))


@register_main_action("count-last-drawer", in_state=(EventState.FINISHED,), turn=7)
def _propose_final_drawer_count(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to count a drawer and close it, because all prizes are paid."""
    return _propose_count_drawer(play)


@register_main_action("count-last-day", in_state=(EventState.FINISHED,), turn=8)
def _propose_final_day_count(play: RehearsalContext) -> RehearsalAction | None:
    day = _find_open_day(play)
    return None if day is None or _find_current_count(play, day) is not None else _make_day_count_action(play, day)


@register_main_action("sign-last-day", in_state=(EventState.FINISHED,), turn=9)
def _propose_sign_final_day_count(play: RehearsalContext) -> RehearsalAction | None:
    """Propose that a director who did not count the money sign the last day's count."""
    day = _find_open_day(play)
    count = _find_current_count(play, day) if day is not None else None
    if count is None:
        return None
    return _make_sign_count_action(play, count, play.second if count.by == play.director.user else play.director)


def _find_open_day(play: RehearsalContext) -> date | None:
    """Return the latest day that has money movements and is not closed yet, or None if there is no such day."""
    return next(iter(load_days_to_close(play.event.tournament)), None)


def _find_current_count(play: RehearsalContext, day: date) -> DayCount | None:
    """Return the day's last count, or None if money was recorded after it."""
    count = load_unused_day_count(play.event.tournament, day)
    is_fresh = count is not None and count.expected == compute_expected_cents_by_method(
        load_report_since_last_close(play.event.tournament, day)
    )
    return count if is_fresh else None


def _make_day_count_action(play: RehearsalContext, day: date) -> RehearsalAction:
    tournament = play.event.tournament
    expected = compute_expected_cents_by_method(load_report_since_last_close(tournament, day))
    others = {
        one: _make_counted_amount(play, cents, lowest=cents) for one, cents in expected.items() if one != CASH_METHOD
    }
    count = EndOfDayCount(_split_into_denominations(play, _make_counted_amount(play, expected[CASH_METHOD])), others)
    by, reason, key = play.choose_staff_actor(), play.choose_reason(), play.dice.make_key()
    return RehearsalAction(
        day.isoformat(), lambda: record_day_count(tournament, day, count, by=by, key=key, reason=reason)
    )


def _make_sign_count_action(play: RehearsalContext, count: DayCount, by: Actor) -> RehearsalAction:
    """Return the action that signs a count and then opens the next day, so that play can continue."""

    def sign() -> None:
        close_day(count, by=by)
        choose_business_day(count.tournament, find_next_open_day(count.day, count.day), by=play.director)

    return RehearsalAction(count.day.isoformat(), sign)


def _make_counted_amount(play: RehearsalContext, cents: int, *, lowest: int = 0) -> int:
    """Return the amount in cents that a person counts, which is sometimes wrong."""
    off = play.dice.randint(-1_00, 1_00) if play.dice.happens_with_probability(_WRONG_COUNT_CHANCE) else 0
    return max(lowest, cents + off)


def _split_into_denominations(play: RehearsalContext, cents: int) -> dict[int, int]:
    """Divide an amount in cents into bills and coins. Return the number of each, keyed by denomination."""
    found = {}
    for worth in list_currency_denominations(play.event.tournament.currency):
        found[worth], cents = divmod(cents, worth)
    return {worth: number for worth, number in found.items() if number}
