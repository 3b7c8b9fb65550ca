"""The pairing suggestions are compared with all possible pairings of the waiting entries."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.cases.pair import run_pair_case
from pairing.draws.desk.desk import (
    DEFAULT_DESK_TERMS,
    DeskTerms,
    MissedGamesPolicy,
    PairingInput,
    PairingSuggestion,
    SiteTables,
    UnpairedReason,
    WaitingEntry,
    read_desk_terms,
    suggest_pairs,
)
from pairing.draws.desk.words import _RuleBreakKind, explain_unpaired_entry, explain_why_no_pairs, find_broken_rules
from pairing.draws.pairs.record import EntryWithRecord, Pair, PairingConstraints
from pairing.draws.results import Credit, Result, ResultCause
from tests.chance import examples
from tournament.errors import InvalidInput

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
NAMES = {number: f"Player {number}" for number in range(1, 80)}


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def waits(number: int, wins: int = 0, *, since: float = 0, **fields: object) -> WaitingEntry:
    held = bool(fields.pop("held", False))
    entry = EntryWithRecord(number, wins)
    return WaitingEntry(replace(entry, **fields), after(since), held)  # type: ignore[arg-type]


def pairs_of(suggestion: PairingSuggestion) -> list[Pair]:
    return [found.pair for found in suggestion.pairs]


@st.composite
def desks(draw: st.DrawFn, most: int) -> tuple[PairingInput, datetime]:
    chance = draw(st.randoms(use_true_random=False))
    density, kept = draw(st.sampled_from([0.0, 0.3, 0.7, 1.0])), draw(st.sampled_from([0.0, 0.1, 0.4]))
    count, coming = draw(st.integers(0, most)), draw(st.sampled_from([0, 0, 1, 3]))
    most_wins, sharing = draw(st.sampled_from([0, 2, 4])), draw(st.sampled_from([0, 0, 3]))
    numbers = chance.sample(range(1, 60), count + coming)
    entries = [
        EntryWithRecord(
            number,
            wins=chance.randint(0, most_wins),
            met=frozenset(other for other in numbers if other != number and chance.random() < density / 2),
            persons=frozenset({f"p{chance.randrange(sharing)}"} if sharing and chance.random() < 0.5 else ()),
        )
        for number in numbers
    ]
    waiting = [
        WaitingEntry(entry, after(-chance.randrange(20)), held=chance.random() < 0.15) for entry in entries[:count]
    ]
    pairs = [(min(a, b), max(a, b)) for a in numbers for b in numbers if a < b]
    wanted = PairingConstraints(
        frozenset(pair for pair in pairs if chance.random() < kept),
        frozenset(pair for pair in pairs if chance.random() < kept),
        {number: frozenset({"Indio"}) for number in numbers if chance.random() < kept},
    )
    terms = DeskTerms(
        wait_for=chance.choice([2, 4, 6]),
        longest_wait=chance.choice([0, 5, 15]),
        difference=chance.choice([0, 1, None]),
        grow_every=chance.choice([None, 5, 10]),
    )
    desk = PairingInput(
        waiting=tuple(waiting), still_playing=tuple(entries[count:]), terms=terms, constraints=wanted, seed="friday"
    )
    return desk, NOON


def every_matching(numbers: list[int]) -> Iterator[list[Pair]]:
    """Yield every way to pair some of the entries and leave out the others."""
    if not numbers:
        yield []
        return
    first, rest = numbers[0], numbers[1:]
    yield from every_matching(rest)
    for other in rest:
        for pairs in every_matching([number for number in rest if number != other]):
            yield [(first, other), *pairs]


class Plainly:
    """A simple implementation of the rules for pairing suggestions, without the program's own code."""

    def __init__(self, desk: PairingInput, now: datetime) -> None:
        self.desk, self.now = desk, now
        self.of = {one.entry.number: one.entry for one in desk.waiting} | {
            one.number: one for one in desk.still_playing
        }
        self.free = sorted(one.entry.number for one in desk.waiting if not one.held)

    def met(self, one: int, other: int) -> bool:
        return other in self.of[one].met or one in self.of[other].met

    def listed(self, one: int, other: int, pairs: frozenset[Pair]) -> bool:
        return (min(one, other), max(one, other)) in pairs

    def apart(self, one: int, other: int) -> bool:
        groups = self.desk.constraints.groups
        return bool(groups.get(one, frozenset()) & groups.get(other, frozenset()))

    def is_new(self, one: int, other: int) -> bool:
        wanted = self.desk.constraints
        kept = self.listed(one, other, wanted.never | wanted.not_yet) or self.apart(one, other)
        return not (self.met(one, other) or kept or self.of[one].persons & self.of[other].persons)

    def may_go(self, one: int, other: int) -> bool:
        if self.of[one].persons & self.of[other].persons:
            return False
        if self.listed(one, other, self.desk.constraints.never):
            return False
        hope = any(self.is_new(side, come.number) for side in (one, other) for come in self.desk.still_playing)
        if not hope:
            return True
        waited = (self.now - min(self.desk.wait_start_times[one], self.desk.wait_start_times[other])) / timedelta(
            minutes=1
        )
        terms = self.desk.terms
        grown = waited // terms.grow_every if terms.grow_every else 0
        near = terms.difference is None or abs(self.of[one].wins - self.of[other].wins) <= terms.difference + grown
        return near and self.is_new(one, other)

    def cost(self, pairs: list[Pair]) -> tuple[int, ...]:
        turns = sorted({self.desk.wait_start_times[number] for number in self.free})
        early = self.desk.constraints.not_yet
        return (
            -len(pairs),
            sum(self.met(*pair) for pair in pairs),
            sum(self.listed(*pair, early) for pair in pairs),
            sum(self.apart(*pair) for pair in pairs),
            sum((self.of[one].wins - self.of[other].wins) ** 2 for one, other in pairs),
            sum(turns.index(self.desk.wait_start_times[number]) for pair in pairs for number in pair),
        )

    def least(self) -> tuple[int, ...]:
        allowed = (pairs for pairs in every_matching(self.free) if all(self.may_go(one, other) for one, other in pairs))
        return min(self.cost(pairs) for pairs in allowed)

    @property
    def opens(self) -> bool:
        if len(self.free) < 2:
            return False
        oldest = min(self.desk.wait_start_times[number] for number in self.free)
        patience = timedelta(minutes=self.desk.terms.longest_wait)
        return (
            len(self.free) >= self.desk.terms.wait_for or not self.desk.still_playing or self.now - oldest >= patience
        )


@settings(max_examples=examples(250), deadline=None)
@given(desks(most=7))
def test_the_suggestion_is_the_best_of_all_ways(case: tuple[PairingInput, datetime]) -> None:
    desk, now = case
    found, plainly = suggest_pairs(desk, now=now), Plainly(desk, now)
    pairs = pairs_of(found)
    if not plainly.opens:
        assert pairs == []
        return
    assert all(plainly.may_go(*pair) for pair in pairs)
    assert plainly.cost(pairs) == plainly.least()


@settings(max_examples=examples(100), deadline=None)
@given(desks(most=14), st.randoms(use_true_random=False))
def test_everybody_is_once_in_a_pair_or_told_why_not(
    case: tuple[PairingInput, datetime], chance: random.Random
) -> None:
    desk, now = case
    found = suggest_pairs(desk, now=now)
    going = [number for pair in pairs_of(found) for number in pair]
    assert sorted([*going, *(stay.entry for stay in found.unpaired)]) == sorted(
        one.entry.number for one in desk.waiting
    )
    held = {one.entry.number for one in desk.waiting if one.held}
    assert held == {stay.entry for stay in found.unpaired if stay.why is UnpairedReason.HELD}
    assert all(stay.pairable_at is None or stay.pairable_at > now for stay in found.unpaired)
    assert bool(explain_why_no_pairs(desk, found)) is not bool(found.pairs)
    assert all(explain_unpaired_entry(stay, NAMES) for stay in found.unpaired if stay.why is not UnpairedReason.TOO_FEW)
    shuffled = replace(desk, waiting=tuple(chance.sample(desk.waiting, len(desk.waiting))))
    assert pairs_of(suggest_pairs(shuffled, now=now)) == pairs_of(found)


@settings(max_examples=examples(100), deadline=None)
@given(desks(most=9))
def test_pairing_the_same_entries_again_answers_the_same_pairs(case: tuple[PairingInput, datetime]) -> None:
    desk = replace(
        case[0], constraints=PairingConstraints(), still_playing=(), terms=replace(case[0].terms, difference=None)
    )
    found = suggest_pairs(desk, now=case[1])
    if not found.pairs:
        return
    entries = [
        {"number": e.number, "wins": e.wins, "losses": 0, "byes": 0, "met": sorted(e.met), "persons": sorted(e.persons)}
        for e in found.entries
    ]
    answer = run_pair_case({"format": "record", "seed": "friday", "entries": entries})
    assert answer["pairs"] == found.paired.pairs and answer["bye"] is None
    assert answer["cost"]["rematches"] == found.paired.cost.rematches


def test_the_first_are_paired_when_enough_wait() -> None:
    coming = (EntryWithRecord(50, 0),)
    three = PairingInput(waiting=tuple(waits(number) for number in (1, 2, 3)), still_playing=coming)
    assert suggest_pairs(three, now=after(4)).until == after(5)
    assert explain_why_no_pairs(three, suggest_pairs(three, now=after(4))) == (
        "3 are waiting. Pairs are suggested when 4 are waiting, or when somebody has waited 5 minutes: at 12:05."
    )
    assert len(suggest_pairs(three, now=after(5)).pairs) == 1
    four = replace(three, waiting=(*three.waiting, waits(4, since=4)))
    assert len(suggest_pairs(four, now=after(4)).pairs) == 2


def test_the_shortest_wait_stays_if_the_number_is_odd() -> None:
    desk = PairingInput(waiting=(waits(1, since=0), waits(2, since=3), waits(3, since=1)))
    found = suggest_pairs(desk, now=after(6))
    assert pairs_of(found) == [(1, 3)]
    assert [(stay.entry, stay.why) for stay in found.unpaired] == [(2, UnpairedReason.LEFT_OVER)]


def test_an_entry_that_costs_more_stays_despite_a_longer_wait() -> None:
    desk = PairingInput(waiting=(waits(1, 3, since=0), waits(2, 0, since=1), waits(3, 0, since=2)))
    assert pairs_of(suggest_pairs(desk, now=after(3))) == [(2, 3)]


def test_a_difference_is_allowed_that_grows_with_waiting() -> None:
    terms = DeskTerms(wait_for=2, difference=0, grow_every=10)
    desk = PairingInput(
        waiting=(waits(1, 2), waits(2, 0, since=5)), still_playing=(EntryWithRecord(9, 1),), terms=terms
    )
    before = suggest_pairs(desk, now=after(19))
    assert before.pairs == () and before.until == after(20)
    assert (
        explain_unpaired_entry(before.unpaired[0], NAMES)
        == "Nobody has a similar number of wins yet. Player 2 is possible from 12:20 on."
    )
    assert pairs_of(suggest_pairs(desk, now=after(20))) == [(1, 2)]


def test_a_rematch_waits_for_somebody_new_and_goes_when_nobody_can_come() -> None:
    met = (waits(1, met=frozenset({2})), waits(2))
    new, known = EntryWithRecord(9, 0), EntryWithRecord(9, 0, met=frozenset({1, 2}))
    assert suggest_pairs(PairingInput(waiting=met, still_playing=(new,)), now=after(30)).pairs == ()
    for nobody in ((), (known,)):
        found = suggest_pairs(PairingInput(waiting=met, still_playing=nobody), now=after(30))
        assert pairs_of(found) == [(1, 2)] and found.paired.cost.rematches == 1


def test_two_who_must_never_meet_are_never_suggested() -> None:
    never = PairingConstraints(never=frozenset({(1, 2)}))
    desk = PairingInput(waiting=(waits(1), waits(2)), constraints=never)
    found = suggest_pairs(desk, now=after(60))
    assert found.pairs == ()
    assert (
        explain_why_no_pairs(desk, found)
        == "2 are waiting, and no two of them may meet: pair two by hand, or give a bye."
    )


def test_some_pairs_start_if_the_whole_field_cannot() -> None:
    # The best pairing, 1–3 and 2–4, is not allowed yet. Two of the four can start now.
    desk = PairingInput(
        waiting=(waits(1, 3, met=frozenset({2})), waits(2, 3), waits(3, 0), waits(4, 0)),
        still_playing=(EntryWithRecord(9, 3),),
    )
    found = suggest_pairs(desk, now=after(0))
    assert pairs_of(found) == [(3, 4)]
    assert {stay.entry: stay.why for stay in found.unpaired} == {
        1: UnpairedReason.DIFFERENCE,
        2: UnpairedReason.DIFFERENCE,
    }


def test_broken_rules_of_a_pair_by_hand_are_listed_worst_first() -> None:
    wanted = PairingConstraints(
        frozenset({(1, 2)}), frozenset({(1, 3)}), {1: frozenset({"Indio"}), 4: frozenset({"Indio"})}
    )
    people = (
        waits(1, 2, met=frozenset({2}), persons=frozenset({"p"})),
        *(waits(number) for number in (2, 3, 4)),
        waits(5, held=True, persons=frozenset({"p"})),
    )
    desk = PairingInput(waiting=people, constraints=wanted)

    def kinds(one: int, other: int) -> list[_RuleBreakKind]:
        return [found.kind for found in find_broken_rules(one, other, desk, NAMES, now=NOON)]

    assert kinds(1, 2) == [_RuleBreakKind.NEVER, _RuleBreakKind.REMATCH, _RuleBreakKind.DIFFERENCE]
    assert kinds(3, 1) == [_RuleBreakKind.NOT_YET, _RuleBreakKind.DIFFERENCE]
    assert kinds(1, 4) == [_RuleBreakKind.APART, _RuleBreakKind.DIFFERENCE]
    assert kinds(1, 5) == [_RuleBreakKind.SAME_PERSON]
    assert kinds(2, 5) == [_RuleBreakKind.HELD]
    assert kinds(2, 3) == []


def test_the_desk_of_a_whole_field_is_suggested_quickly_whatever_was_played() -> None:
    dice = random.Random(7)
    numbers = range(1, 130)
    entries = [
        EntryWithRecord(n, dice.randint(0, 4), met=frozenset(dice.sample([m for m in numbers if m != n], 4)))
        for n in numbers
    ]
    waiting = tuple(WaitingEntry(entry, after(-dice.randrange(60))) for entry in entries)
    desk = PairingInput(
        waiting=waiting, still_playing=(EntryWithRecord(999, 2),), terms=DeskTerms(difference=0, grow_every=None)
    )
    found = suggest_pairs(desk, now=NOON)
    assert len(found.pairs) >= 60
    assert all(max(pair.reason.wins) == min(pair.reason.wins) for pair in found.pairs)


def test_one_alone_waits_for_somebody_who_is_still_to_come() -> None:
    desk = PairingInput(waiting=(waits(1), waits(2, held=True)), still_playing=(EntryWithRecord(9, 0),))
    found = suggest_pairs(desk, now=after(90))
    assert [(one.entry, one.why) for one in found.unpaired] == [(1, UnpairedReason.ALONE), (2, UnpairedReason.HELD)]
    assert (found.pairs, found.too_few, found.until) == ((), False, None)


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"wait": 3}, "wait"),
        ({"wait_for": 1}, "wait_for"),
        ({"grow_every": 0}, "grow_every"),
        ({"first_table": 9, "last_table": 4}, "last_table"),
        ({"difference": "1"}, "difference"),
        ({"apart_in": [1, 0]}, "apart_in[1]"),
        ({"at_sites": [{"site": "Oslo", "first": 1}]}, "at_sites[0].last"),
    ],
)
def test_settings_are_read_strictly(settings: dict[str, object], path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_desk_terms(settings)
    assert [problem.path for problem in refused.value.problems] == [path]


def test_missing_settings_have_usual_values() -> None:
    assert read_desk_terms({}) == DEFAULT_DESK_TERMS


def test_missed_games_count_by_the_policy() -> None:
    assert {policy: policy.credit for policy in MissedGamesPolicy} == {
        MissedGamesPolicy.LOSS: Credit(Result.LOSS, ResultCause.NO_SHOW),
        MissedGamesPolicy.BYE: Credit(Result.WIN, ResultCause.BYE),
        MissedGamesPolicy.NONE: Credit(Result.NONE, ResultCause.BYE),
    }


@given(
    st.builds(
        DeskTerms,
        wait_for=st.integers(2, 500),
        longest_wait=st.integers(0, 600),
        difference=st.none() | st.integers(0, 50),
        grow_every=st.none() | st.integers(1, 600),
        first_table=st.just(5),
        last_table=st.none() | st.integers(5, 99),
        apart_in=st.sampled_from([(), (1,), (1, 3)]),
        reset_daily=st.booleans(),
        pair_absent=st.booleans(),
        missed=st.sampled_from(MissedGamesPolicy),
        at_sites=st.sampled_from(
            [(), (SiteTables("Oslo", 1, 9),), (SiteTables("Oslo", 1, 9), SiteTables("Bonn", 10, 10))]
        ),
    )
)
def test_settings_come_back_as_they_were_written(terms: DeskTerms) -> None:
    assert read_desk_terms(terms.as_json()) == terms
