import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.pairs.record import EntryWithRecord, pair_by_record
from pairing.draws.results import MatchOutcome, ResultCause
from pairing.draws.stages.play_off import (
    ByeBasis,
    ByeRule,
    PlayOff,
    PlayOffInput,
    PlayOffMatch,
    correct_play_off,
    make_play_off,
)
from pairing.draws.stages.pools import _advance_best_groups
from tests.chance import examples


@settings(max_examples=examples(100))
@given(st.lists(st.integers(1, 6), max_size=8), st.integers(1, 20))
def test_a_line_leaves_nobody_out(sizes: list[int], places: int) -> None:
    numbers = iter(range(1, 100))
    groups = [[next(numbers) for _ in range(size)] for size in sizes]
    line = _advance_best_groups(groups, places)
    everybody = [entry for group in groups for entry in group]
    assert [*line.advancing_entries, *line.play_off, *line.entries_not_advancing] == everybody
    assert len(line.advancing_entries) + line.open_places == (places if line.play_off else min(places, len(everybody)))
    assert not line.play_off or (list(line.play_off) in groups and 0 < line.open_places < len(line.play_off))
    if not line.play_off and len(everybody) > places:
        assert len(line.advancing_entries) == places


def test_a_line_and_a_play_off_need_a_place() -> None:
    with pytest.raises(ValueError, match="one place"):
        _advance_best_groups([[1]], 0)
    with pytest.raises(ValueError, match="one place"):
        make_play_off(PlayOffInput([], 0, {}, rule=ByeRule()))


FIVE_AND_FOUR = {1: 5, 2: 5, 3: 4, 4: 4, 5: 4}


@pytest.mark.parametrize(
    ("byes", "rule", "expected"),
    [
        (2, ByeRule(preferred_win_counts=(5,)), [(1, "record"), (2, "record")]),
        (3, ByeRule(preferred_win_counts=(5,)), [(1, "record"), (2, "record"), (3, "standing")]),
        (1, ByeRule(preferred_win_counts=(5,)), [(1, "standing")]),
        (
            3,
            ByeRule(preferred_win_counts=(5,), fallback=ByeBasis.DIRECTOR, director_choices=(4,)),
            [(1, "record"), (2, "record"), (4, "director")],
        ),
        (
            4,
            ByeRule(preferred_win_counts=(5,), fallback=ByeBasis.DIRECTOR, director_choices=(4,)),
            [(1, "record"), (2, "record"), (4, "director"), (3, "standing")],
        ),
        (3, ByeRule(preferred_win_counts=(4,)), [(3, "record"), (4, "record"), (5, "record")]),
        (4, ByeRule(preferred_win_counts=(4, 5)), [(3, "record"), (4, "record"), (5, "record"), (1, "standing")]),
        (2, ByeRule(), [(1, "standing"), (2, "standing")]),
        (0, ByeRule(preferred_win_counts=(5,)), []),
    ],
)
def test_byes_go_to_listed_records_then_by_the_fallback(
    byes: int, rule: ByeRule, expected: list[tuple[int, str]]
) -> None:
    given = rule.give_byes(FIVE_AND_FOUR, byes)
    assert [(bye.entry, bye.by.value) for bye in given] == expected


def test_a_fallback_by_lot_stays_within_the_group() -> None:
    drawn = {
        ByeRule(preferred_win_counts=(5,), fallback=ByeBasis.LOT, seed=str(n)).give_byes(FIVE_AND_FOUR, 3)[-1]
        for n in range(20)
    }
    assert {bye.entry for bye in drawn} == {3, 4, 5}
    assert {bye.why for bye in drawn} == {"3 byes and only 2 entries with 5 wins: drawn by lot"}
    (one,) = ByeRule(preferred_win_counts=(5,), fallback=ByeBasis.LOT).give_byes(FIVE_AND_FOUR, 1)
    assert one.why == "2 entries with 5 wins and only 1 bye: drawn by lot"


def test_impossible_byes_raise_an_error() -> None:
    with pytest.raises(ValueError, match="more byes"):
        ByeRule().give_byes({1: 4}, 2)
    with pytest.raises(ValueError, match="needed for"):
        ByeRule(fallback=ByeBasis.RECORD).give_byes({1: 4}, 1)


def test_two_entries_of_one_person_play_off_if_nobody_else_is_left() -> None:
    both = [EntryWithRecord(number, wins=4, persons=frozenset({"ann"})) for number in (1, 2)]
    (first,) = make_play_off(PlayOffInput(both, 1, {}, rule=ByeRule())).rounds
    assert [match.sides for match in first.matches] == [(1, 2)]


def play_through(contenders: list[EntryWithRecord], places: int, chance: random.Random, absent: float) -> PlayOff:
    outcomes: dict[str, MatchOutcome] = {}
    for _round in range(12):
        state = make_play_off(
            PlayOffInput(contenders, places, outcomes, rule=ByeRule(preferred_win_counts=(5,), seed="friday"))
        )
        if state.is_complete:
            return state
        for match in state.rounds[-1].matches:
            winner, loser = chance.sample(match.sides, 2)
            cause = ResultCause.NO_SHOW if chance.random() < absent else ResultCause.PLAYED
            both_gone = cause is ResultCause.NO_SHOW and chance.random() < 0.5
            outcomes[match.id] = (
                MatchOutcome.lost_by_all(match.id, match.sides)
                if both_gone
                else MatchOutcome.won(match.id, winner, loser, cause)
            )
    raise AssertionError("a play-off has an end")


@settings(deadline=None, max_examples=examples(100))
@given(st.integers(0, 24), st.integers(1, 10), st.sampled_from([0.0, 0.4]), st.randoms(use_true_random=False))
def test_n_players_for_m_places(count: int, places: int, absent: float, chance: random.Random) -> None:
    contenders = [EntryWithRecord(number, wins=5 if number <= count // 3 else 4) for number in range(1, count + 1)]
    over = play_through(contenders, places, chance, absent)
    lost = [one.number for one in contenders if one.number not in over.advancing_entries]
    assert len(over.advancing_entries) + over.vacant_place_count == places
    matches = [match for each in over.rounds for match in each.matches]
    if not absent:
        assert len(over.advancing_entries) == min(count, places)
        assert len(matches) == max(0, count - places)
        assert sorted(over.alternates) == lost
        assert all(not each.byes for each in over.rounds[1:])
    assert set(over.alternates) <= set(lost)
    for each in over.rounds:
        resting = [bye.entry for bye in each.byes]
        listed = [one.number for one in contenders if one.wins == 5]
        playing = [entry for match in each.matches for entry in match.sides]
        assert not set(resting) & set(playing)
        if any(bye not in listed for bye in resting):
            assert not set(listed) & set(playing)


def test_the_last_loser_is_the_first_replacement() -> None:
    contenders = [EntryWithRecord(number, wins=4) for number in (1, 2, 3, 4)]
    first = make_play_off(PlayOffInput(contenders, 1, {}, rule=ByeRule())).rounds[0].matches
    outcomes = {
        first[0].id: MatchOutcome.won(first[0].id, *first[0].sides),
        first[1].id: MatchOutcome.won(first[1].id, *first[1].sides, ResultCause.NO_SHOW),
    }
    final = make_play_off(PlayOffInput(contenders, 1, outcomes, rule=ByeRule())).rounds[1].matches[0]
    outcomes[final.id] = MatchOutcome.won(final.id, *final.sides)
    over = make_play_off(PlayOffInput(contenders, 1, outcomes, rule=ByeRule()))
    assert over.advancing_entries == final.sides[:1]
    assert over.alternates == (final.sides[1], first[0].sides[1])
    assert over.final_places == {final.sides[0]: 1, final.sides[1]: 2, first[0].sides[1]: 3, first[1].sides[1]: 3}
    stale = dict(outcomes)
    stale[first[0].id] = MatchOutcome.won(first[0].id, *reversed(first[0].sides))
    again = make_play_off(PlayOffInput(contenders, 1, stale, rule=ByeRule()))
    assert not again.is_complete
    assert again.final_places == {}
    assert not again.rounds[1].is_decided


def test_a_play_off_avoids_rematches() -> None:
    contenders = [
        EntryWithRecord(1, 4, met=frozenset({2, 3})),
        EntryWithRecord(2, 4, met=frozenset({1})),
        EntryWithRecord(3, 4, met=frozenset({1})),
        EntryWithRecord(4, 4),
    ]
    matches = make_play_off(PlayOffInput(contenders, 2, {}, rule=ByeRule())).rounds[0].matches
    assert [match.sides for match in matches] == [(1, 4), (2, 3)]


@pytest.mark.parametrize("persons", [frozenset(), frozenset({"ann"})])
def test_the_pairs_of_a_round_follow_from_its_seed_and_field(persons: frozenset[str]) -> None:
    eight = [EntryWithRecord(number, wins=4, met=frozenset({9 - number}), persons=persons) for number in range(1, 9)]
    drawn = set()
    for seed in ("friday", "saturday", "sunday", "monday"):
        (first,) = make_play_off(PlayOffInput(eight, 4, {}, rule=ByeRule(seed=seed))).rounds
        assert first.seed == f"{seed} play-off 1"
        assert first.contenders == tuple(EntryWithRecord(one.number, 0, met=one.met) for one in eight)
        pairs = tuple(match.sides for match in first.matches)
        assert pairs == pair_by_record(first.contenders, seed=first.seed).pairs
        drawn.add(pairs)
    assert len(drawn) == 4


def test_two_entries_of_one_person_do_not_play_off_if_others_are_left() -> None:
    four = [EntryWithRecord(number, 4, persons=frozenset({"ann"} if number < 3 else ())) for number in (1, 2, 3, 4)]
    for seed in "abcdefgh":
        matches = make_play_off(PlayOffInput(four, 2, {}, rule=ByeRule(seed=seed))).rounds[0].matches
        assert (1, 2) not in [match.sides for match in matches]


def test_five_for_two_places_play_one_match_first() -> None:
    (first,) = make_play_off(
        PlayOffInput([EntryWithRecord(number, 4) for number in range(1, 6)], 2, {}, rule=ByeRule())
    ).rounds
    assert ([match.sides for match in first.matches], len(first.byes)) == ([(4, 5)], 3)


FOUR, FRIDAY = tuple(EntryWithRecord(number, wins=4) for number in (1, 2, 3, 4)), ByeRule(seed="friday")


def won(*results: tuple[str, int, int]) -> dict[str, MatchOutcome]:
    return {name: MatchOutcome.won(name, winner, loser) for name, winner, loser in results}


def test_a_kept_final_passes_over_the_corrected_winner() -> None:
    (one, two), (three, four) = (
        match.sides for match in make_play_off(PlayOffInput(FOUR, 1, {}, rule=FRIDAY)).rounds[0].matches
    )
    corrected = won(("P1M1", two, one), ("P1M2", three, four), ("P2M1", one, three))
    final = PlayOffMatch("P2M1", (one, three), kept=True)
    over = make_play_off(PlayOffInput(FOUR, 1, corrected, FRIDAY, kept=(final,)))
    assert over.rounds[1].matches == (replace(final, outcome=corrected["P2M1"]),)
    assert (over.advancing_entries, over.alternates) == ((one,), (three, *sorted((two, four))))
    other = won(("P1M1", one, two), ("P1M2", four, three), ("P2M1", one, three))
    assert make_play_off(PlayOffInput(FOUR, 1, other, FRIDAY, kept=(final,))).alternates == over.alternates
    replayed = make_play_off(PlayOffInput(FOUR, 1, corrected, FRIDAY))
    assert set(replayed.rounds[1].matches[0].sides) == {two, three}
    assert not replayed.is_complete


def test_no_more_matches_are_kept_than_their_round_has() -> None:
    # Six entries that play off for two places have two matches and two byes.
    six = tuple(EntryWithRecord(number, wins=4) for number in range(1, 7))
    kept = tuple(PlayOffMatch(f"P1M{turn}", (2 * turn - 1, 2 * turn), kept=True) for turn in (1, 2, 3))
    (first,) = make_play_off(PlayOffInput(six, 2, {}, FRIDAY, kept=kept)).rounds
    assert first.matches == kept[:2]
    assert [bye.entry for bye in first.byes] == [5, 6]


def test_a_match_is_kept_only_if_both_sides_reach_its_round() -> None:
    kept = (PlayOffMatch("P1M1", (1, 9), kept=True),)
    assert make_play_off(PlayOffInput(FOUR, 2, {}, FRIDAY, kept=kept)) == replace(
        make_play_off(PlayOffInput(FOUR, 2, {}, rule=FRIDAY)),
        play_off_input=PlayOffInput(FOUR, 2, {}, FRIDAY, kept=kept),
    )


def test_a_final_is_kept_only_if_both_sides_reach_it() -> None:
    # A result of the first round is corrected. The final can be kept only if the semifinal of the wrong winner is kept,
    # too.
    eight = [EntryWithRecord(number, wins=4) for number in range(1, 9)]
    outcomes: dict[str, MatchOutcome] = {}
    for _round in range(3):
        matches = make_play_off(PlayOffInput(eight, 1, outcomes, rule=FRIDAY)).rounds[-1].matches
        outcomes |= won(*((match.id, *match.sides) for match in matches))
    before = make_play_off(PlayOffInput(eight, 1, outcomes, rule=FRIDAY))
    semifinal = next(match for match in before.rounds[1].matches if before.advancing_entries[0] in match.sides)
    final = before.rounds[2].matches[0]
    first = next(match for match in before.rounds[0].matches if before.advancing_entries[0] in match.sides)
    wrong = MatchOutcome.won(first.id, *reversed(first.sides))
    keep = LaterMatchChoice.KEEP
    one = correct_play_off(before, wrong, 1, {final.round_and_players: keep})
    assert ([match.id for match in one.kept], [match.id for match in one.impossible_keeps]) == ([final.id], [final.id])
    both = correct_play_off(before, wrong, 1, {semifinal.round_and_players: keep, final.round_and_players: keep})
    assert {match.id for match in both.kept} == {semifinal.id, final.id}
    assert both.impossible_keeps == ()
