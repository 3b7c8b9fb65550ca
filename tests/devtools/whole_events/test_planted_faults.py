"""The comparison is not blind: faults planted one at a time, each of which it has to find, and an honest event clean.

A fault is planted in the program (a value that a page is made of, or the page itself), never in the comparison.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from django.template.backends.django import Template

import scoring.management.commands.verify_event as check_command
import tournament.money.selectors.ledger as ledger
from pairing.draws.results import Cause, WinLossRecord
from pairing.results.services.results import MatchDecision, decide_match
from pairing.results.tables import ResultTable
from scoring.card_state.selectors.state import CardScore, CardSignatures, CardState
from scoring.models import SheetLine
from scoring.rehearsal.services.demo import Demo, PartnershipDemo
from scoring.rehearsal.services.engine import finish_and_pay
from scoring.verification.selectors.checks import Check
from tests.devtools.whole_events.compare_cards import FLAGS
from tests.devtools.whole_events.planted import (
    Patch,
    Plant,
    look,
    missed,
    next_place,
    no_scores,
    one_point_more,
    other_in_the_bracket,
)
from tests.devtools.whole_events.watch import Watch
from tournament.core.permissions import Actor
from tournament.models import Event, EventExtra, LedgerLine
from tournament.money.selectors import finances, prizes, side_pools
from tournament.money.selectors.finances import Expenses
from tournament.money.services.ledger import take_payment
from tournament.money.services.side_pools import (
    ExtraTerms,
    SidePoolTerms,
    add_extra,
    add_side_pool,
    join_side_pool,
    sell_extra,
)
from tournament.purse import Account, Payout

pytestmark = pytest.mark.django_db


def quiet(_line: str) -> None:
    """Nobody reads what the demo says."""


@pytest.fixture
def played() -> tuple[Event, Actor]:
    """Four in a bracket, played to its payouts."""
    demo = Demo(4, 3, say=quiet)
    event, by = demo.set_up()
    demo.register(event, by)
    demo.draw(event, by)
    demo.play(event, by, until="")
    finish_and_pay(event, by=by)
    return Event.objects.select_related("tournament").get(pk=event.pk), by


@pytest.fixture
def qualifying() -> tuple[Event, Actor]:
    """Six pairs in the middle of their qualifying."""
    demo = Demo(4, 5, say=quiet)
    event, by = demo.set_up()
    pairs = PartnershipDemo(demo, pairs=6)
    own = pairs.set_up(event.tournament, by)
    pairs.play(own, by, until="qualifying")
    return Event.objects.select_related("tournament").get(pk=own.pk), by


def other_winner(patch: Patch) -> None:
    """A card and a bracket give the game to the other."""
    honest = CardScore.winning_seat.fget
    patch.setattr(CardScore, "winning_seat", property(lambda own: _other(own, honest(own))))


def _other(own: CardScore, seat: Any) -> Any:
    return seat and next(one for one in own.written.seats if one.pk != seat.pk)


def a_cent_moved(patch: Patch) -> None:
    honest = ledger.pay_out

    def moved(*given: Any) -> Payout:
        payout = honest(*given)
        first, second, *rest = payout.awards
        awards = (
            dataclasses.replace(first, cents=first.cents - 1),
            dataclasses.replace(second, cents=second.cents + 1),
        )
        return dataclasses.replace(payout, awards=(*awards, *rest))

    patch.setattr(ledger, "pay_out", moved)


def a_cent_less(patch: Patch) -> None:
    honest = prizes.load_purse

    def less(*given: Any) -> Any:
        purse = honest(*given)
        return dataclasses.replace(purse, pool=dataclasses.replace(purse.pool, pool_cents=purse.pool.pool_cents - 1))

    patch.setattr(prizes, "load_purse", less)


def a_cent_left_over(patch: Patch) -> None:
    honest = Expenses.left_cents.fget
    patch.setattr(Expenses, "left_cents", property(lambda own: honest(own) + 1))


def a_cent_in_a_drawer(patch: Patch) -> None:
    honest = finances.sums_by
    patch.setattr(finances, "sums_by", lambda *given: [(key, cents + 1) for key, cents in honest(*given)])


def a_cent_of_all_events(patch: Patch) -> None:
    honest = finances.event_figures

    def less(event: Event) -> Any:
        return {**(found := honest(event)), "collected": found["collected"] - 1}

    patch.setattr(finances, "event_figures", less)


def a_dollar_owed(patch: Patch) -> None:
    honest = ledger.account_from

    def more(sums: Any) -> Account:
        account = honest(sums)
        return dataclasses.replace(account, due_cents=account.due_cents + 100)

    patch.setattr(ledger, "account_from", more)


def other_digest(patch: Patch) -> None:
    patch.setattr(CardState, "digest", property(lambda own: "0" * 64))


def names_changed_places(patch: Patch) -> None:
    patch.setattr(ResultTable, "value_winner", lambda own, record: record.one, raising=False)
    patch.setattr(ResultTable, "value_one", lambda own, record, value: record.other)


def unsigned_called_signed(patch: Patch) -> None:
    patch.setattr(CardSignatures, "signed_seats", property(lambda own: frozenset()))


def blind_check(patch: Patch) -> None:
    patch.setattr(check_command, "verify_event", lambda event: [])


def false_alarm(patch: Patch) -> None:
    honest = check_command.verify_event
    alarm = Check("R1M1", False, "something is wrong", kind="cards")
    patch.setattr(check_command, "verify_event", lambda event: [*honest(event), alarm])


def pages_say(honest: str, said: str) -> Plant:
    """Every page writes other words."""

    def plant(patch: Patch) -> None:
        render = Template.render

        def doctored(own: Template, *given: Any, **named: Any) -> Any:
            return type(found := render(own, *given, **named))(found.replace(honest, said))

        patch.setattr(Template, "render", doctored)

    return plant


def last_extra_is_unpaid(patch: Patch) -> None:
    honest = side_pools.share_payment
    patch.setattr(side_pools, "share_payment", lambda cents, charges: (*honest(cents, charges[:-1]), 0))


def extras_before_side_pools(patch: Patch) -> None:
    honest = ledger.account_from

    def turned(sums: Any) -> Account:
        account = honest(sums)
        cents = min(account.side_collected_cents, account.extra_owed_cents - account.extra_collected_cents)
        return dataclasses.replace(
            account,
            side_collected_cents=account.side_collected_cents - cents,
            extra_collected_cents=account.extra_collected_cents + cents,
        )

    patch.setattr(ledger, "account_from", turned)


def a_cent_of_an_award_moved(patch: Patch) -> None:
    honest = side_pools.pay_side_pool

    def moved(*given: Any) -> Any:
        payout = honest(*given)
        first, second, *rest = payout.awards
        changed = (
            dataclasses.replace(first, cents=first.cents + 1),
            dataclasses.replace(second, cents=second.cents - 1),
        )
        return dataclasses.replace(payout, awards=(*changed, *rest))

    patch.setattr(side_pools, "pay_side_pool", moved)


def a_price_changed(_patch: Patch) -> None:
    """After it was sold: the charges are then the price of nothing."""
    EventExtra.objects.update(price_cents=36_00)


def with_side_pool_and_extras(event: Event, by: Actor) -> None:
    """All are in the pool; the first has two dinners, one of them paid in part, and the last owes for the pool."""
    Event.objects.filter(pk=event.pk).update(state=Event.State.IN_PLAY)
    event = Event.objects.select_related("tournament").get(pk=event.pk)
    pool = add_side_pool(event, SidePoolTerms("Senior", 20_00, "90", ("60", "40")), by=by)
    dinner = add_extra(event, ExtraTerms("Dinner", 35_00), by=by)
    entrants = list(event.entrants.select_related("event__tournament").order_by("number"))
    for entrant in entrants:
        join_side_pool(pool, entrant, by=by)
        take_payment(entrant, 15_00 if entrant == entrants[-1] else 20_00, "cash", by=by, key="")
    sell_extra(dinner, entrants[0], 2, by=by, key="two")
    sell_extra(dinner, entrants[-1], by=by, key="owes")
    take_payment(entrants[0], 50_00, "cash", by=by, key="")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)


def test_faults_in_side_pools_and_extras_are_found(played: tuple[Event, Actor]) -> None:
    event, by = played
    with_side_pool_and_extras(event, by)
    faults: dict[str, tuple[Plant, str, str]] = {
        "a cent goes to the wrong winner of a pool": (a_cent_of_an_award_moved, "side pools", "side pool Senior"),
        "extras are paid before side pools": (extras_before_side_pools, "side pools", "side pool Senior"),
        "a payment of an extra is lost": (last_extra_is_unpaid, "extras", "paid for extras"),
        "a dinner is missing": (pages_say("<strong>3</strong>", "<strong>2</strong>"), "extras", "extras sold"),
        "a price was changed after it was sold": (a_price_changed, "check", "extras"),
    }
    assert missed(event, faults) == []


@pytest.mark.long
def test_every_planted_fault_is_found_and_an_honest_event_is_clean(played: tuple[Event, Actor]) -> None:
    event, _by = played
    faults: dict[str, tuple[Plant, str, str]] = {
        "a card gives the game to the other": (other_winner, "cards", "winner"),
        "a total has a point more": (one_point_more, "cards", "total"),
        "the bracket names the other": (other_in_the_bracket, "bracket", "R1M1: winner"),
        "the bracket drops the points": (no_scores, "bracket", "R1M1: score"),
        "places are off by one": (next_place, "standings", "place of"),
        "a cent goes to the wrong winner": (a_cent_moved, "prizes", "who won what"),
        "a cent of the pool is lost": (a_cent_less, "prizes", "Prize pool"),
        "a cent of the expenses is left over": (a_cent_left_over, "prizes", "left for expenses"),
        "a cent too much is in the safe": (a_cent_in_a_drawer, "drawers", "money in each drawer"),
        "a cent is missing in the sum of all events": (a_cent_of_all_events, "drawers", "Fees collected"),
        "a dollar is asked for twice": (a_dollar_owed, "accounts", "due of"),
        "a digest is of something else": (other_digest, "cards", "digest"),
        "the results list swaps names": (names_changed_places, "results", "R1M1: "),
        "signatures are lost from the pages": (unsigned_called_signed, "cards", "signed by"),
        "the check of the event looks at nothing": (blind_check, "check", "verify_event: cards"),
        "the check of the event raises a false alarm": (false_alarm, "check", "something is wrong"),
        "posted cards are called playing": (pages_say("Posted", "Playing"), "cards", "state"),
        "genuine cards are called altered": (pages_say("Genuine.", "Altered."), "cards", "verify"),
        "the paper has another total": (one_point_more, "files", "total on paper|verify_card"),
        "a page is gone": (pages_say("match-score-side", "side"), "cards", "totals|entries on the card"),
    }
    assert missed(event, faults) == []


def test_a_pool_with_another_record_or_spread_is_found(qualifying: tuple[Event, Actor]) -> None:
    event, _by = qualifying
    faults: dict[str, tuple[Plant, str, str]] = {
        "a win more": (
            lambda patch: patch.setattr(WinLossRecord, "__str__", lambda own: "9–9"),
            "standings",
            "record of",
        ),
        "no spread": (
            lambda patch: patch.setattr(WinLossRecord, "spread", property(lambda own: 7)),
            "standings",
            "spread of",
        ),
    }
    assert missed(event, faults) == []


def test_a_decision_against_a_card_that_no_page_tells_is_found(qualifying: tuple[Event, Actor]) -> None:
    event, by = qualifying
    match = next(one for one in event.matches.order_by("pk") if one.results.exists())
    result = match.results.get()
    loser = next(seat.entrant for seat in match.seats.all() if seat.entrant_id != result.winner_id)
    points = {seat.entrant.number: 150 if seat.entrant == loser else 90 for seat in match.seats.all()}
    decision = MatchDecision(
        match=match,
        winner=loser,
        cause=Cause.PLAYED,
        reason="both say so",
        seen=result.pk,
        points=points,
        override=True,
    )
    decide_match(decision, by=by)

    def silent(patch: Patch) -> None:
        render = Template.render

        def doctored(own: Template, *given: Any, **named: Any) -> Any:
            found = render(own, *given, **named)
            return type(found)(FLAGS.sub("…", found))

        patch.setattr(Template, "render", doctored)

    def all_genuine(patch: Patch) -> None:
        silent(patch)
        pages_say("…", "Genuine.")(patch)

    for plant, says in ((silent, "superseded card"), (all_genuine, "verify: expected 'not genuine'")):
        with pytest.MonkeyPatch.context() as patch:
            plant(patch)
            assert any(says in one for one in look(event, "cards"))


def test_a_refused_act_that_wrote_something_is_found(played: tuple[Event, Actor]) -> None:
    event, _by = played
    watch = Watch(event)
    watch.after("pay", refused=True)
    assert watch.found == []
    LedgerLine.objects.create(event=event, entrant=event.entrants.get(number=1), kind="payment", cents=1, by_name="t")
    watch.after("pay", refused=True)
    assert ["tournament_ledgerline" in str(one) for _label, one in watch.found] == [True]


def test_a_page_that_was_kept_too_long_is_found(played: tuple[Event, Actor]) -> None:
    event, _by = played
    assert look(event, "bracket") == []
    watch = Watch(event)
    watch.pages.get(watch.pages.of_event("bracket/"))
    final = event.matches.get(ident="R2M1").results.get()
    final.score = {number: points + 5 for number, points in final.score.items()}
    final.save()
    watch.after("a write that tells nobody")
    assert any("R2M1: score" in str(one) for _label, one in watch.found)


def test_a_hand_that_was_rewritten_is_found(played: tuple[Event, Actor]) -> None:
    event, _by = played
    line = SheetLine.objects.filter(card__match__event=event).order_by("pk").last()
    assert line is not None and line.line is not None
    line.line = {"outcome": "points", "to": "A", "points": 1}
    line.save()
    assert any("verify_event: expected 'no problem'" in one for one in look(event, "check"))
