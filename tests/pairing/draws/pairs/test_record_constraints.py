"""Pairing with the director's constraints, compared with all possible pairings of up to ten entries."""

import random
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pairing.draws.pairs.reasons import (
    BYE_NUMBER,
    ByeReason,
    FloatedPairReason,
    UnavoidableRematchProof,
    _find_unavoidable_rematch_proofs,
    explain_pairing,
)
from pairing.draws.pairs.record import (
    EntryWithRecord,
    NoPossiblePairing,
    Pair,
    PairingCandidates,
    PairingConstraints,
    PairingCost,
    PairingRules,
    SeparatedGroup,
    ViolatedConstraints,
    _pair_by_core,
    _pair_by_matching,
    pair_by_record,
)
from pairing.draws.stages.pools import schedule_round_robin
from tests.chance import examples

Field = list[EntryWithRecord]


@st.composite
def wanted_fields(draw: st.DrawFn, most: int) -> tuple[Field, PairingConstraints]:
    """Generate fields with histories, people with several entries, and constraints.

    The constraints range from none to constraints that cannot be met.
    """
    count = draw(st.integers(0, most))
    chance = draw(st.randoms(use_true_random=False))
    met, never, early = (draw(st.sampled_from([0.0, 0.1, 0.4, 0.8])) for _ in range(3))
    clubs = draw(st.sampled_from([0, 1, 2, 4]))
    most_wins = draw(st.sampled_from([0, 1, 5]))
    persons = draw(st.sampled_from([0, 0, 5]))
    numbers = chance.sample(range(1, 60), count)
    field = [
        EntryWithRecord(
            number,
            wins=chance.randint(0, most_wins),
            byes=chance.choice([0, 0, 1, 2]),
            met=frozenset(other for other in numbers if other != number and chance.random() < met / 2),
            persons=frozenset({f"p{chance.randrange(persons)}"} if persons and chance.random() < 0.5 else ()),
        )
        for number in numbers
    ]
    pairs = list(combinations(sorted([*numbers, 99]), 2))
    wanted = PairingConstraints(
        frozenset(pair for pair in pairs if chance.random() < never),
        frozenset(pair for pair in pairs if chance.random() < early),
        {n: frozenset({f"c{chance.randrange(clubs)}"}) for n in numbers if clubs and chance.random() < 0.8},
    )
    return field, wanted


def plain_cost(
    field: Field, wanted: PairingConstraints, pairs: list[Pair], bye: EntryWithRecord | None
) -> tuple[object, ...]:
    """Return the parts of a pairing's cost, in the order of importance that docs/draw.md gives."""
    of = {entry.number: entry for entry in field}
    met = [pair for pair in pairs if pair[1] in of[pair[0]].met or pair[0] in of[pair[1]].met]
    clubs = [pair for pair in pairs if wanted.groups.get(pair[0], set()) & wanted.groups.get(pair[1], set())]
    return (
        len([pair for pair in pairs if pair in wanted.never]),
        len(met),
        len([pair for pair in pairs if pair in wanted.not_yet and pair not in wanted.never]),
        bye.byes if bye else 0,
        len(clubs),
        bye.wins if bye else 0,
        sum((of[one].wins - of[other].wins) ** 2 for one, other in pairs),
    )


def every_pairing(field: Field) -> list[tuple[list[Pair], EntryWithRecord | None]]:
    if not field:
        return [([], None)]
    if len(field) % 2:
        return [
            (pairs, out)
            for index, out in enumerate(field)
            for pairs, _ in every_pairing(field[:index] + field[index + 1 :])
        ]
    first, found = field[0], []
    for index, other in enumerate(field[1:], start=1):
        if first.persons.isdisjoint(other.persons):
            pair = (min(first.number, other.number), max(first.number, other.number))
            found += [([pair, *pairs], None) for pairs, _ in every_pairing(field[1:index] + field[index + 1 :])]
    return found


def in_plain_order(cost: PairingCost) -> tuple[object, ...]:
    byes, wins = cost.bye or (0, 0)
    broken = cost.broken
    return (broken.never, cost.rematches, broken.not_yet, byes, broken.apart, wins, cost.spread)


@settings(deadline=None, max_examples=examples(250))
@given(wanted_fields(most=8))
def test_no_pairing_is_better(case: tuple[Field, PairingConstraints]) -> None:
    check_against_all(*case)


@settings(deadline=None, max_examples=examples(12))
@given(wanted_fields(most=10))
def test_no_pairing_of_ten_is_better(case: tuple[Field, PairingConstraints]) -> None:
    check_against_all(*case)


def check_against_all(field: Field, wanted: PairingConstraints) -> None:
    everything = every_pairing(field)
    if not everything:
        with pytest.raises(NoPossiblePairing):
            pair_by_record(field, seed="friday", constraints=wanted)
        return
    paired = pair_by_record(field, seed="friday", constraints=wanted)
    of = {entry.number: entry for entry in field}
    bye = None if paired.bye is None else of[paired.bye]
    assert (list(paired.pairs), bye) in [(sorted(pairs), out) for pairs, out in everything]
    least = min(plain_cost(field, wanted, pairs, out) for pairs, out in everything)
    assert plain_cost(field, wanted, list(paired.pairs), bye) == in_plain_order(paired.cost) == least


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(40, 90), st.integers(0, 8), st.randoms(use_true_random=False))
def test_the_core_costs_what_the_whole_field_costs(count: int, clubs: int, chance: random.Random) -> None:
    numbers = range(1, count + 1)
    field = [
        EntryWithRecord(
            number,
            wins=4 if number < 4 else chance.randint(1, 2),
            byes=chance.randint(0, 1),
            met=frozenset({1, 2, 3} - {number} if number < 4 else chance.sample(numbers[5:], 4)) - {number},
        )
        for number in numbers
    ]
    some = {(min(pair), max(pair)) for pair in (chance.sample(numbers, 2) for _ in range(3 * count))}
    wanted = PairingConstraints(
        frozenset(pair for pair in some if pair[0] < 4),
        frozenset(pair for pair in some if pair[0] > 3),
        {number: frozenset({f"c{chance.randrange(clubs)}"}) for number in numbers if clubs > 2},
    )
    known = PairingCandidates(field, "core", wanted)
    assert known.compute_cost(*_pair_by_core(known, small=0)) == known.compute_cost(*_pair_by_matching(known))


def test_rules_give_the_constraints_of_a_round() -> None:
    club = SeparatedGroup("Indio", frozenset({1, 2, 3}), frozenset({1, 2}))
    rules = PairingRules(
        never=[(9, 8)], not_before={(4, 1): 3, (8, 9): 2}, apart=[club, SeparatedGroup("a", frozenset({1}))]
    )
    first = rules.make_constraints(dict.fromkeys(range(1, 10), 1))
    assert (first.never, first.not_yet) == (frozenset({(8, 9)}), frozenset({(1, 4), (8, 9)}))
    assert first.find_shared_groups(1, 2) == {"Indio"}
    third = rules.make_constraints(dict.fromkeys(range(1, 10), 3))
    assert (third.not_yet, third.find_shared_groups(1, 2), bool(third)) == (frozenset(), frozenset(), True)
    desk = rules.make_constraints({1: 2, 2: 3, 3: 2, 4: 4})
    assert desk.not_yet == {(1, 4)}
    assert (desk.find_shared_groups(1, 2), desk.find_shared_groups(1, 3)) == (frozenset(), {"Indio"})
    assert not PairingRules().make_constraints({1: 1})
    with pytest.raises(ValueError, match="itself"):
        PairingRules(never=[(4, 4)])


def row(number: int, wins: int, met: str = "", byes: int = 0) -> EntryWithRecord:
    return EntryWithRecord(number, wins, byes=byes, met=frozenset(map(int, met.split())))


def test_a_rematch_gives_way_only_to_never_and_the_bye_to_a_rematch() -> None:
    field = [row(1, 0, "2"), row(2, 0), row(3, 0), row(4, 0)]
    wanted = PairingConstraints(never=frozenset({(1, 3), (1, 4)}))
    paired = pair_by_record(field, seed="", constraints=wanted)
    assert paired.pairs == ((1, 2), (3, 4))
    assert paired.cost == PairingCost(1, (), 0)
    softer = pair_by_record(field, seed="", constraints=PairingConstraints(not_yet=wanted.never))
    assert softer.cost == PairingCost(0, (), 0, ViolatedConstraints(not_yet=1))
    odd = [row(1, 0, "2"), row(2, 0, byes=1), row(3, 0, "2")]
    assert pair_by_record(odd, seed="").bye == 2


def test_clubs_give_way_to_a_second_bye_and_records_to_clubs() -> None:
    club = {1: frozenset({"Indio"}), 2: frozenset({"Indio"})}
    field = [row(1, 3), row(2, 3), row(3, 0), row(4, 0)]
    apart = pair_by_record(field, seed="", constraints=PairingConstraints(groups=club))
    assert apart.cost == PairingCost(0, (), 18)
    three = [row(1, 0), row(2, 0), row(3, 0, byes=1)]
    assert pair_by_record(three, seed="", constraints=PairingConstraints(groups=club)).cost == PairingCost(0, (0, 0), 0)
    two = [row(1, 0, byes=1), row(2, 0, byes=1), row(3, 0)]
    assert pair_by_record(two, seed="", constraints=PairingConstraints(groups=club)).cost == PairingCost(
        0, (0, 0), 0, ViolatedConstraints(apart=1)
    )


def test_each_pair_has_a_reason() -> None:
    field = [row(1, 3), row(2, 1), row(3, 0), row(4, 0, "3"), row(5, 0, "1 2 3 4 6"), row(6, 0, "1 2 3 4")]
    paired = pair_by_record(field, seed="s")
    one, two, three = explain_pairing(field, paired)[0]
    assert (one.pair, one.wins, one.is_rematch) == ((1, 4), (3, 0), False)
    assert one.float_reason is two.float_reason is FloatedPairReason.NOBODY_ELSE
    assert (three.pair, three.float_reason, three.is_rematch) == ((5, 6), None, True)
    assert str(three.rematch_proof) == "entry 5 could newly meet nobody"
    ring = [row(n, 0, f"{n % 6 + 1} {(n + 2) % 6 + 1}") for n in range(1, 7)]
    barriers = [
        str(one.rematch_proof) for one in explain_pairing(ring, pair_by_record(ring, seed=""))[0] if one.is_rematch
    ]
    assert barriers == ["entries 1, 3 and 5, an odd number, could newly meet only each other"]


def test_a_float_from_an_odd_group_and_one_that_is_the_least_in_all() -> None:
    odd = [row(1, 1), row(2, 1), row(3, 1), row(4, 0)]
    (float_,) = [one for one in explain_pairing(odd, pair_by_record(odd, seed=""))[0] if one.float_reason]
    assert float_.float_reason is FloatedPairReason.ODD_GROUP
    star = [
        row(1, 1, "2 3 4"),
        row(2, 1, "3 4"),
        row(3, 1, "4"),
        row(4, 1),
        row(5, 1, "1 2 3"),
        row(6, 0),
        row(7, 0),
        row(8, 0),
    ]
    reasons, _bye = explain_pairing(star, pair_by_record(star, seed=""))
    assert {one.float_reason for one in reasons if one.float_reason and one.pair[0] < 4} == {FloatedPairReason.MET_ALL}


def test_the_bye_has_a_reason() -> None:
    field = [row(1, 2), row(2, 1, byes=1), row(3, 1)]
    _reasons, bye = explain_pairing(field, pair_by_record(field, seed=""))
    assert bye == ByeReason(3, byes=0, wins=1)
    tight = [row(1, 0), row(2, 1, "3"), row(3, 2)]
    _reasons, bye = explain_pairing(tight, pair_by_record(tight, seed=""))
    assert bye is not None
    assert bye == ByeReason(2, byes=0, wins=1, passed_over=(1,))


def test_broken_constraints_are_named() -> None:
    two = [row(1, 0), row(2, 0)]
    club = {1: frozenset({"Indio"}), 2: frozenset({"Indio"})}
    wanted = PairingConstraints(frozenset({(1, 2)}), frozenset({(1, 2)}), club)
    (reason,) = explain_pairing(two, pair_by_record(two, seed="", constraints=wanted), constraints=wanted)[0]
    assert reason.violations == ViolatedConstraints(never=1, apart=1)
    assert reason.groups == ("Indio",)


def holds(field: PairingCandidates, barrier: UnavoidableRematchProof) -> bool:
    """Return whether a proof that a rematch is unavoidable is valid.

    Each group of the proof must have an odd number of members. A member may have new opponents only in its own group
    and in `barrier.possible_opponents`. If the number of all entries is odd, that list must contain the bye.
    """
    few = set(barrier.possible_opponents)
    for group in barrier.groups:
        if len(group) % 2 == 0 or (field.is_odd and BYE_NUMBER not in few):
            return False
        for one in group:
            others = [
                number for number in field.by_number if number != one and number not in few and number not in group
            ]
            if any(field.is_good_pair(field.by_number[one], field.by_number[other]) for other in others):
                return False
    return True


@settings(deadline=None, max_examples=examples(150))
@given(st.integers(2, 16), st.floats(0.2, 1.0), st.randoms(use_true_random=False))
@example(16, 1.0, random.Random(1))
def test_barriers_prove_the_rematches(count: int, density: float, chance: random.Random) -> None:
    numbers = range(1, count + 1)
    field = [
        EntryWithRecord(n, 0, met=frozenset(other for other in numbers if other != n and chance.random() < density))
        for n in numbers
    ]
    known = PairingCandidates(field, "")
    barriers = _find_unavoidable_rematch_proofs(known)
    assert all(holds(known, barrier) for barrier in barriers)
    rematches = pair_by_record(field, seed="").cost.rematches
    assert sum(barrier.unmatched_group_count for barrier in barriers) == 2 * rematches
    for reason in explain_pairing(field, pair_by_record(field, seed=""))[0]:
        assert (reason.rematch_proof is not None) == reason.is_rematch


TRAPS = {
    "the last two have met": [row(1, 0), row(2, 0), row(3, 0, "4"), row(4, 0)],
    "and so have those of fewer wins": [row(1, 2), row(2, 2), row(3, 1, "4"), row(4, 1)],
    "three at the end have met": [row(1, 0), row(2, 0), row(3, 0, "5 6"), row(4, 0, "5 6"), row(5, 0, "6"), row(6, 0)],
    "whom one needs is taken first": [row(1, 0), *(row(n, 0, "6") for n in (2, 3, 4, 5)), row(6, 0)],
}


def taking_the_next(field: Field) -> int:
    """Pair greedily, and return the number of rematches: each entry in turn gets the next opponent it has not met."""
    waiting, left = list(field), []
    while waiting:
        one = waiting.pop(0)
        known = PairingCandidates(field, "")
        other = next((other for other in waiting if not known.have_met(one, other)), None)
        if other is None:
            left.append(one)
        else:
            waiting.remove(other)
    return len(left) // 2


LEAST_REMATCHES = [
    ([row(n, 0, " ".join(str(m) for m in range(1, 5) if m != n)) for n in range(1, 5)], 2),
    ([row(n, 0, " ".join(str(m) for m in range(1, 6) if m != n)) for n in range(1, 6)] + [row(6, 0)], 2),
    ([row(n, 0, "4 5 6") for n in (1, 2, 3)] + [row(n, 0) for n in (4, 5, 6)], 1),
    ([row(n, 0, " ".join(str(m) for m in range(1, 8) if m != n)) for n in range(1, 8)], 3),
    ([row(n, 0, f"{n % 6 + 1} {(n + 2) % 6 + 1}") for n in range(1, 7)], 1),
]


@pytest.mark.parametrize("name", TRAPS)
def test_traps_in_which_taking_the_next_one_ends_in_a_rematch(name: str) -> None:
    assert pair_by_record(TRAPS[name], seed="").cost.rematches == 0
    assert taking_the_next(TRAPS[name]) > 0


@pytest.mark.parametrize(("field", "least"), LEAST_REMATCHES)
def test_fields_of_which_the_least_number_of_rematches_is_known(field: Field, least: int) -> None:
    assert pair_by_record(field, seed="").cost.rematches == least


def tight(count: int, left: int, chance: random.Random) -> Field:
    """Return a field that has played all rounds of a round robin except the last `left` rounds."""
    numbers = chance.sample(range(1, count + 1), count)
    met: dict[int, set[int]] = {number: set() for number in numbers}
    for played in schedule_round_robin(numbers)[: count - 1 - left]:
        for one, other in played:
            met[one].add(other)
            met[other].add(one)
    return [EntryWithRecord(number, chance.randint(0, 3), met=frozenset(met[number])) for number in numbers]


def test_late_rounds_that_leave_little_room_are_paired_without_a_rematch() -> None:
    # Each of these rounds can be paired without a rematch, but greedy pairing usually fails to.
    chance = random.Random(7)
    fields = [tight(count, left, chance) for count in range(6, 33, 2) for left in (1, 2, 3) for _turn in range(3)]
    assert [pair_by_record(field, seed="late").cost.rematches for field in fields] == [0] * len(fields)
    broken = [taking_the_next(sorted(field, key=lambda entry: -entry.wins)) > 0 for field in fields]
    assert sum(broken) > len(fields) / 2
