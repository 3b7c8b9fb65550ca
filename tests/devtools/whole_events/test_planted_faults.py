"""The comparison finds every fault that is planted in the program, and none in an unmodified event.

Each fault changes a value that a page shows, a row, or the page itself, but never the comparison.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pytest
from django.core.cache import cache
from django.template.backends.django import Template

import scoring.management.commands.verify_event as check_command
import tournament.money.selectors.ledger as ledger
from pairing.draws.knockout.progress import BracketMatchProgress
from pairing.draws.results import ResultCause, WinLossRecord
from pairing.results.services.results import MatchDecision, decide_match
from pairing.results.tables import ResultTable
from pairing.stages.selectors import boards
from pairing.stages.tables.seatings import TotalsTable
from pairing.stages.tables.stages import PlaceRow
from scoring.card_state.selectors.state import CardScore, CardSignatures, CardState
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.models import SheetLine
from scoring.rehearsal.services.demo import PartnershipDemo, SinglesDemo
from scoring.rehearsal.services.engine import finish_event_and_pay_prizes
from scoring.verification.selectors.checks import VerificationCheck
from tests.devtools.whole_events.checks import compare_check
from tests.devtools.whole_events.compare_cards import FLAGS, WAITS, compare_card_pages, read_cards
from tests.devtools.whole_events.compare_matches import (
    compare_bracket,
    compare_differences,
    compare_results_desk,
    problems_expected,
)
from tests.devtools.whole_events.compare_money import (
    compare_accounts,
    compare_drawers,
    compare_extras,
    compare_prizes,
    compare_side_pools,
)
from tests.devtools.whole_events.compare_standings import compare_standings
from tests.devtools.whole_events.facts import Facts, read_facts
from tests.devtools.whole_events.files import compare_files
from tests.devtools.whole_events.kinds import KINDS, play
from tests.devtools.whole_events.values import Disagreement
from tests.devtools.whole_events.watch import Watch
from tests.devtools.whole_events.words import Pages
from tests.kit import fresh
from tests.scoring.helpers.playing import an_event_in_play, gin, post, sign, the_card, the_director
from tests.verifying import put_on_record
from tournament.core.cached import clear_cache
from tournament.core.permissions import Actor
from tournament.models import Event, EventExtra, Finish, LedgerLine
from tournament.money.selectors import finances, prizes, side_pools
from tournament.money.selectors.finances import EventExpenses
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.side_pools import (
    EventExtraTerms,
    SidePoolTerms,
    add_event_extra,
    add_side_pool,
    join_side_pool,
    sell_event_extra,
)
from tournament.purse.prizes import Payout

pytestmark = pytest.mark.django_db

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]
Faults = dict[str, tuple[Plant, str, str]]
"""Faults to plant, keyed by description.

Each item is the function that plants it, the part of the pages that shows it, and a pattern for the disagreement.
"""


def look(event: Event, part: str) -> list[str]:
    """Compare one part of the pages.

    The cache is empty, because a value cached before the fault would hide the fault.
    """
    cache.clear()
    clear_cache()
    return [str(one) for one in PARTS[part](read_facts(event), Pages(event))]


def look_at_cards(facts: Facts, pages: Pages) -> Iterator[Disagreement]:
    cards, wrong = read_cards(facts, pages, facts.cards)
    yield from wrong
    for own in cards:
        yield from compare_card_pages(facts, pages, own, cards)


PARTS: Final[dict[str, Callable[[Facts, Pages], Iterable[Disagreement]]]] = {
    "cards": look_at_cards,
    "files": lambda facts, pages: compare_files(facts, pages, read_cards(facts, pages, facts.cards)[0]),
    "check": lambda facts, pages: compare_check(facts.tournament, pages.event.slug, [], len(facts.cards)),
    "accounts": lambda facts, pages: compare_accounts(facts, pages, facts.entrants),
    "bracket": compare_bracket,
    "standings": compare_standings,
    "prizes": compare_prizes,
    "results": compare_results_desk,
    "drawers": compare_drawers,
    "side pools": compare_side_pools,
    "extras": compare_extras,
}


def undetected(event: Event, faults: Faults) -> list[str]:
    for part in {part for _plant, part, _pattern in faults.values()}:
        assert look(event, part) == []
    missed = []
    for name, (plant, part, pattern) in faults.items():
        with Patch.context() as patch:
            plant(patch)
            disagreements = look(event, part)
        if not any(re.search(pattern, one) for one in disagreements):
            missed.append(f"{name}: {disagreements}")
    cache.clear()
    return missed


def altered(owner: Any, name: str, change: Callable[..., Any]) -> Plant:
    """Return a function that plants a fault.

    The fault changes the value of an attribute, or the value that a function returns. `change` receives the correct
    value, and then the function's arguments or the attribute's object.
    """

    def plant(patch: Patch) -> None:
        honest = inspect.getattr_static(owner, name)
        if callable(honest):
            patch.setattr(owner, name, lambda *args, **named: change(honest(*args, **named), *args))
        else:
            patch.setattr(owner, name, property(lambda own: change(honest.__get__(own), own)))

    return plant


def altered_pages(change: Callable[[str], str]) -> Plant:
    return altered(Template, "render", lambda page, *_: type(page)(change(page)))


def pages_replace(honest: str, wrong: str) -> Plant:
    return altered_pages(lambda page: page.replace(honest, wrong))


def move_a_cent(payout: Payout, *_args: Any) -> Payout:
    first, second, *rest = payout.awards
    awards = (dataclasses.replace(first, cents=first.cents - 1), dataclasses.replace(second, cents=second.cents + 1))
    return dataclasses.replace(payout, awards=(*awards, *rest))


def pay_extras_before_side_pools(account: Any, *_args: Any) -> Any:
    cents = min(account.side_collected_cents, account.extra_owed_cents - account.extra_collected_cents)
    return dataclasses.replace(
        account,
        side_collected_cents=account.side_collected_cents - cents,
        extra_collected_cents=account.extra_collected_cents + cents,
    )


def swap_names(patch: Patch) -> None:
    patch.setattr(ResultTable, "value_winner", lambda own, record: record.one, raising=False)
    patch.setattr(ResultTable, "value_one", lambda own, record, value: record.other)


def leave_last_extra_unpaid(patch: Patch) -> None:
    honest = side_pools.divide_payment
    patch.setattr(side_pools, "divide_payment", lambda cents, charges: (*honest(cents, charges[:-1]), 0))


def change_price_after_sale(_patch: Patch) -> None:
    EventExtra.objects.update(price_cents=36_00)


one_point_more = altered(CardScore, "totals", lambda totals, _card: (totals[0] + 1, *totals[1:]))
next_place = altered(PlaceRow, "shown_place", lambda place, _row: place.replace("1", "2"))
no_scores = altered(boards, "_load_recorded_results", lambda results, _event: dataclasses.replace(results, scores={}))
other_in_bracket = altered(
    BracketMatchProgress,
    "winner",
    lambda winner, match: winner and next((one for one in match.entries if one != winner), None),
)
IN_A_BRACKET: Final[Faults] = {
    "the bracket names the other": (other_in_bracket, "bracket", ": winner"),
    "the bracket drops the points": (no_scores, "bracket", ": score"),
}


def load_quietly(players: int, seed: int) -> tuple[SinglesDemo, Event, Actor]:
    demo = SinglesDemo(players, seed, report_progress=lambda _line: None)
    return demo, *demo.set_up()


@pytest.fixture
def played() -> tuple[Event, Actor]:
    """Return a bracket with four players, played to its payouts."""
    demo, event, by = load_quietly(4, 3)
    demo.register(event, by)
    demo.draw(event, by)
    demo.play(event, by, until="")
    finish_event_and_pay_prizes(event, by=by)
    return fresh(event), by


@pytest.fixture
def qualifying() -> tuple[Event, Actor]:
    """Return an event with six pairs in the middle of their qualifying stage."""
    demo, event, by = load_quietly(4, 5)
    pairs = PartnershipDemo(demo, pairs=6)
    own = pairs.create_event_and_start(event.tournament, by)
    pairs.play(own, by, until="qualifying")
    return fresh(own), by


def sell_side_pool_and_extras(event: Event, by: Actor) -> None:
    """Enter everybody in a side pool, and sell two extras.

    The first entrant buys two dinners and pays for part of them. The last one owes for the pool and a dinner.
    """
    Event.objects.filter(pk=event.pk).update(state=Event.State.IN_PLAY)
    event = fresh(event)
    pool = add_side_pool(event, SidePoolTerms("Senior", 20_00, "90", ("60", "40")), by=by)
    dinner = add_event_extra(event, EventExtraTerms("Dinner", 35_00), by=by)
    entrants = list(event.entrants.select_related("event__tournament").order_by("number"))
    for entrant in entrants:
        join_side_pool(pool, entrant, by=by)
        take_payment(entrant, 15_00 if entrant == entrants[-1] else 20_00, "cash", by=by, key="")
    sell_event_extra(dinner, entrants[0], 2, by=by, key="two")
    sell_event_extra(dinner, entrants[-1], by=by, key="owes")
    take_payment(entrants[0], 50_00, "cash", by=by, key="")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)


def test_faults_in_side_pools_and_extras_are_found(played: tuple[Event, Actor]) -> None:
    event, by = played
    sell_side_pool_and_extras(event, by)
    extras_first = altered(ledger, "make_entry_account", pay_extras_before_side_pools)
    faults: Faults = {
        "a cent goes to the wrong winner of a pool": (
            altered(side_pools, "compute_side_pool_payout", move_a_cent),
            "side pools",
            "side pool Senior",
        ),
        "extras are paid before side pools": (extras_first, "side pools", "side pool Senior"),
        "a payment of an extra is lost": (leave_last_extra_unpaid, "extras", "paid for extras"),
        "a dinner is missing": (pages_replace("<strong>3</strong>", "<strong>2</strong>"), "extras", "extras sold"),
        "a price was changed after it was sold": (change_price_after_sale, "check", "extras"),
    }
    assert undetected(event, faults) == []


@pytest.mark.long
def test_every_planted_fault_is_found_and_an_honest_event_is_clean(played: tuple[Event, Actor]) -> None:
    event, _by = played
    alarm = VerificationCheck("R1M1", False, "something is wrong", kind="cards")

    def other_seat(seat: Any, card: Any) -> Any:
        return seat and next(one for one in card.card_state.seats if one.pk != seat.pk)

    def cent_less_in_pool(purse: Any, *_args: Any) -> Any:
        return dataclasses.replace(purse, pool=dataclasses.replace(purse.pool, pool_cents=purse.pool.pool_cents - 1))

    def cent_more_everywhere(sums: Any, *_args: Any) -> Any:
        return [(key, cents + 1) for key, cents in sums]

    def cent_less_collected(figures: Any, *_args: Any) -> Any:
        return {**figures, "collected": figures["collected"] - 1}

    def dollar_more_due(account: Any, *_args: Any) -> Any:
        return dataclasses.replace(account, due_cents=account.due_cents + 100)

    faults: Faults = {
        **IN_A_BRACKET,
        "a card gives the game to the other": (altered(CardScore, "winning_seat", other_seat), "cards", "winner"),
        "a total has a point more": (one_point_more, "cards", "total"),
        "places are off by one": (next_place, "standings", "place of"),
        "a cent goes to the wrong winner": (altered(ledger, "compute_payout", move_a_cent), "prizes", "who won what"),
        "a cent of the pool is lost": (
            altered(prizes, "load_prize_breakdown", cent_less_in_pool),
            "prizes",
            "Prize pool",
        ),
        "a cent of the expenses is left over": (
            altered(EventExpenses, "left_cents", lambda cents, _own: cents + 1),
            "prizes",
            "left for expenses",
        ),
        "a cent too much is in the safe": (
            altered(finances, "sum_postings_by_columns", cent_more_everywhere),
            "drawers",
            "money in each drawer",
        ),
        "a cent is missing in the sum of all events": (
            altered(finances, "load_event_money_figures", cent_less_collected),
            "drawers",
            "Fees collected",
        ),
        "a dollar is asked for twice": (altered(ledger, "make_entry_account", dollar_more_due), "accounts", "due of"),
        "a digest is of something else": (altered(CardState, "digest", lambda *_: "0" * 64), "cards", "digest"),
        "the results list swaps names": (swap_names, "results", "R1M1: "),
        "signatures are lost from the pages": (
            altered(CardSignatures, "signed_seats", lambda *_: frozenset()),
            "cards",
            "signed by",
        ),
        "the check of the event looks at nothing": (
            altered(check_command, "verify_event", lambda *_: []),
            "check",
            "verify_event: cards",
        ),
        "the check of the event raises a false alarm": (
            altered(check_command, "verify_event", lambda checks, _event: [*checks, alarm]),
            "check",
            "something is wrong",
        ),
        "posted cards are called playing": (pages_replace("Posted", "Playing"), "cards", "state"),
        "genuine cards are called altered": (pages_replace("Genuine.", "Altered."), "cards", "verify"),
        "the paper has another total": (one_point_more, "files", "total on paper|verify_card"),
        "a page is gone": (pages_replace("match-score-side", "side"), "cards", "totals|entries on the card"),
    }
    assert undetected(event, faults) == []


def test_a_pool_with_another_record_or_spread_is_found(qualifying: tuple[Event, Actor]) -> None:
    faults: Faults = {
        "a win more": (altered(WinLossRecord, "__str__", lambda *_: "9–9"), "standings", "record of"),
        "no spread": (altered(WinLossRecord, "spread", lambda *_: 7), "standings", "spread of"),
    }
    assert undetected(qualifying[0], faults) == []


def test_a_decision_against_a_card_that_no_page_tells_is_found(qualifying: tuple[Event, Actor]) -> None:
    event, by = qualifying
    match = next(one for one in event.matches.order_by("pk") if one.results.exists())
    result = match.results.get()
    loser = next(seat.entrant for seat in match.seats.all() if seat.entrant_id != result.winner_id)
    points = {seat.entrant.number: 150 if seat.entrant == loser else 90 for seat in match.seats.all()}
    terms = {"cause": ResultCause.PLAYED, "reason": "both say so", "override": True}
    decide_match(MatchDecision(match=match, winner=loser, last_seen_result=result.pk, points=points, **terms), by=by)
    for replacement, expected in (("…", "superseded card"), ("Genuine.", "verify: expected 'not genuine'")):
        with Patch.context() as patch:
            altered_pages(lambda page, text=replacement: FLAGS.sub(text, page))(patch)
            assert any(expected in one for one in look(event, "cards"))


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
    watch.after("a write without a log row")
    assert any("R2M1: score" in str(one) for _label, one in watch.found)


def test_a_hand_that_was_rewritten_is_found(played: tuple[Event, Actor]) -> None:
    event, _by = played
    line = SheetLine.objects.filter(card__match__event=event).order_by("pk").last()
    assert line is not None and line.line is not None
    line.line = {"outcome": "points", "to": "A", "points": 1}
    line.save()
    assert any("verify_event: expected 'no problem'" in one for one in look(event, "check"))


def point_less_at_table(patch: Patch) -> None:
    patch.setattr(TotalsTable, "render_total", lambda own, record: str(record.total - 1))


FAULTS_BY_KIND: Final[dict[str, Faults]] = {
    "double elimination": IN_A_BRACKET,
    "play-off": IN_A_BRACKET,
    "groups": {"places are off by one": (next_place, "standings", "place of")},
    "rounds at tables": {"a total has a point less": (point_less_at_table, "standings", "total of")},
    "rotation of couples": {"a side has a point more": (one_point_more, "standings", "totals of the sides")},
    "Court Whist": {"everybody has a point more": (one_point_more, "standings", "standings")},
}


@pytest.mark.sample("planted faults", 2)
@pytest.mark.parametrize("name", FAULTS_BY_KIND)
def test_every_fault_planted_in_an_event_of_this_kind_is_found(name: str) -> None:
    event = play(KINDS[name], KINDS[name].rules[0])
    assert undetected(event, FAULTS_BY_KIND[name]) == []
    finish = Finish.objects.filter(event=event).latest("pk")
    first, second, *rest = finish.places
    Finish.objects.filter(pk=finish.pk).update(places=[second, first, *rest])
    assert any("the finish on record" in one for one in look(event, "standings"))


def disagreements_of_cards(event: Event) -> list[str]:
    cache.clear()
    facts, pages = read_facts(event), Pages(fresh(event))
    cards, _wrong = read_cards(facts, pages, facts.cards)
    return [str(one) for one in (*look_at_cards(facts, pages), *compare_differences(facts, pages, cards))]


def matches_in_verify_event(event: Event) -> list[str]:
    """Return the matches that `verify_event` should report. Also check that it reports no others."""
    facts = read_facts(event)
    cards, _wrong = read_cards(facts, Pages(fresh(event)), facts.cards)
    matches = problems_expected(facts, cards)
    others = [str(one) for one in compare_check(facts.tournament, event.slug, matches, len(facts.cards))]
    assert [one for one in others if "draw order" not in one] == []
    return matches


def event_with_changed_card(line: dict[str, Any] | None) -> Event:
    """Return an event in which Ada won two games and a card was changed later.

    The second hand of the first game was corrected, and only Ada signed it again.
    """
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), games_to_win=2)
    for game in (1, 2):
        post(the_card(event, game=game))
    entry = LineEntry(line, via="desk") if line is not None else None
    correct_line(the_card(event), 2, entry, by=the_director(event), reason="miscounted")
    if line is not None:
        sign(the_card(event), event.entrants.get(number=1))
    put_on_record(event)
    return event


@pytest.mark.sample("planted faults", 2)
@pytest.mark.parametrize(("line", "named"), [(gin("A", 25, "9C"), []), (None, ["R1M1"])])
def test_every_page_tells_that_a_changed_card_waits_for_signatures(
    line: dict[str, Any] | None, named: list[str]
) -> None:
    event = event_with_changed_card(line)
    assert disagreements_of_cards(event) == []
    assert matches_in_verify_event(event) == named
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    clear_cache()
    assert disagreements_of_cards(fresh(event)) == []


def test_a_changed_card_that_no_page_tells_is_found(monkeypatch: Patch) -> None:
    event = event_with_changed_card(gin("A", 25, "9C"))
    altered_pages(lambda page: WAITS.sub("…", page))(monkeypatch)
    disagreements = disagreements_of_cards(event)
    assert any("changed card" in one for one in disagreements)
    assert any("card and result" in one for one in disagreements)
