from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.cases.pair import run_pair_case
from pairing.draws.stages.pools import schedule_round_robin
from pairing.draws.two_sides import make_rotation_round
from tests.chance import examples
from tournament.errors import InvalidInput

ENTRIES = st.lists(st.integers(1, 500), min_size=2, max_size=30, unique=True)


@settings(deadline=None, max_examples=examples(150))
@given(ENTRIES)
def test_every_pair_meets_once_and_nobody_plays_twice_in_a_round(entries: list[int]) -> None:
    rounds = schedule_round_robin(entries)
    pairs = [pair for played in rounds for pair in played]
    assert sorted(pairs) == sorted(combinations(sorted(entries), 2))
    assert len(rounds) == (len(entries) - 1 if len(entries) % 2 == 0 else len(entries))
    for played in rounds:
        seated = [entry for pair in played for entry in pair]
        assert len(set(seated)) == len(seated) == len(entries) // 2 * 2
        assert list(played) == sorted(played)


@given(ENTRIES.filter(lambda entries: len(entries) % 2 == 1))
def test_with_an_odd_number_everybody_sits_out_once(entries: list[int]) -> None:
    out = [set(entries).difference(*played) for played in schedule_round_robin(entries)]
    assert sorted(entry for missing in out for entry in missing) == sorted(entries)


def test_a_round_robin_of_nobody_has_no_rounds() -> None:
    assert schedule_round_robin([]) == schedule_round_robin([4]) == ()


def test_a_round_robin_too_large_for_anybody_to_play_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        run_pair_case({"format": "round-robin", "entries": list(range(1, 2_002))})
    assert [problem.path for problem in refused.value.problems] == ["entries"]


def test_as_many_as_a_round_robin_takes_are_paired(monkeypatch: pytest.MonkeyPatch) -> None:
    # The limit is lowered, because 2,000 entries would make two million pairs.
    monkeypatch.setattr("pairing.draws.cases.pair._MAX_ROUND_ROBIN_ENTRIES", 3)
    assert run_pair_case({"format": "round-robin", "entries": [4, 9, 2]}) == {"rounds": schedule_round_robin([4, 9, 2])}
    with pytest.raises(InvalidInput):
        run_pair_case({"format": "round-robin", "entries": [4, 9, 2, 7]})


@given(ENTRIES.filter(lambda entries: len(entries) % 2 == 0), st.integers(1, 100))
def test_the_right_side_moves_up_by_one_a_round(entries: list[int], turn: int) -> None:
    half = len(entries) // 2
    left, right = entries[:half], entries[half:]
    pairs = make_rotation_round(left, right, turn=turn)
    assert [first for first, _ in pairs] == left
    assert [second for _, second in pairs] == [right[(i + turn - 1) % half] for i in range(half)]


@given(ENTRIES.filter(lambda entries: len(entries) % 2 == 0))
def test_after_as_many_rounds_as_seats_everybody_has_met_the_other_side_once(entries: list[int]) -> None:
    half = len(entries) // 2
    left, right = entries[:half], entries[half:]
    met = [pair for turn in range(1, half + 1) for pair in make_rotation_round(left, right, turn=turn)]
    assert sorted(met) == sorted((one, other) for one in left for other in right)


@pytest.mark.parametrize(("left", "right", "turn"), [([1], [2, 3], 1), ([1, 2], [3, 4], 0), ([1, 2], [2, 3], 1)])
def test_invalid_sides_raise_an_error(left: list[int], right: list[int], turn: int) -> None:
    with pytest.raises(ValueError, match=r"sides|twice"):
        make_rotation_round(left, right, turn=turn)
