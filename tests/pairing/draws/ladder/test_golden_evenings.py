"""Ladder evenings worked out by hand, with the pairs after each game, the waiting line, and the standings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest

from pairing.draws.pairs.record import Pair
from tests.pairing.draws.ladder.evening import Evening


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """A ladder evening with its expected results.

    Each row of `standings` contains a place, an entry, its longest winning streak, its record, and an explanation.
    `why` contains the explanations of the suggested pairs, keyed by action.
    """

    entries: int
    games: int
    held: int = 1
    acts: str
    standings: tuple[tuple[int | None, int, int, str, str], ...]
    why: dict[str, str] = field(default_factory=dict)


LONGEST = "by longest run of wins,"
LEVEL = "in everything that counts: they share places"

EVENINGS = {
    "five players, one table, twelve games": Golden(
        entries=5,
        games=12,
        acts="""
        begin      |   | 1 2 3 4 5 | 1-2
        1 beats 2  | 1 | 3 4 5 2   | 1-3
        1 beats 3  | 1 | 4 5 2 3   | 1-4
        4 beats 1  | 4 | 5 2 3 1   | 4-5
        4 beats 5  | 4 | 2 3 1 5   | 2-4
        4 beats 2  | 4 | 3 1 5 2   | 3-4
        3 beats 4  | 3 | 1 5 2 4   | 1-3
        1 beats 3  | 1 | 5 2 4 3   | 1-5
        5 beats 1  | 5 | 2 4 3 1   | 2-5
        5 beats 2  | 5 | 4 3 1 2   | 4-5
        5 beats 4  | 5 | 3 1 2 4   | 3-5
        5 beats 3  | 5 | 1 2 4 3   | 1-5
        1 beats 5  |   |           |
        """,
        standings=(
            (1, 5, 4, "4–2", f"Before entry 4 {LONGEST} 4 to 3."),
            (2, 4, 3, "3–2", f"Behind entry 5 {LONGEST} 4 to 3. Before entry 1 {LONGEST} 3 to 2."),
            (3, 1, 2, "4–2", f"Behind entry 4 {LONGEST} 3 to 2. Before entry 3 {LONGEST} 2 to 1."),
            (4, 3, 1, "1–3", f"Behind entry 1 {LONGEST} 2 to 1. Before entry 2 {LONGEST} 1 to 0."),
            (5, 2, 0, "0–3", f"Behind entry 3 {LONGEST} 1 to 0."),
        ),
        why={
            "begin": "Ann and Bob are next in the line.",
            "1 beats 2": "Ann won the last game and stays; Cal is next in the line.",
            "4 beats 5": "Dee won the last game and stays; Bob is next in the line.",
        },
    ),
    "two tables held, eight games": Golden(
        entries=6,
        games=8,
        held=2,
        acts="""
        begin      |   | 1 2 3 4 5 6 | 1-2 3-4
        3 beats 4  | 3 | 5 6 4       | 3-5
        1 beats 2  | 1 | 6 4 2       | 1-6
        6 beats 1  | 6 | 4 2 1       | 4-6
        3 beats 5  | 3 | 2 1 5       | 2-3
        3 beats 2  | 3 | 1 5 2       | 1-3
        6 beats 4  | 6 | 5 2 4       | 5-6
        3 beats 1  | 3 | 2 4 1       |
        5 beats 6  |   |             |
        """,
        standings=(
            (1, 3, 4, "4–0", f"Before entry 6 {LONGEST} 4 to 2."),
            (2, 6, 2, "2–1", f"Behind entry 3 {LONGEST} 4 to 2. Before entry 5 {LONGEST} 2 to 1."),
            (3, 5, 1, "1–1", f"Behind entry 6 {LONGEST} 2 to 1. Before entry 1 by fewest losses, 1 to 2."),
            (4, 1, 1, "1–2", f"Behind entry 5 by fewest losses, 1 to 2. Before entry 2 {LONGEST} 1 to 0."),
            (5, 2, 0, "0–2", f"Behind entry 1 {LONGEST} 1 to 0. Tied with entry 4 {LEVEL} 5 to 6."),
            (5, 4, 0, "0–2", f"Behind entry 1 {LONGEST} 1 to 0. Tied with entry 2 {LEVEL} 5 to 6."),
        ),
    ),
    "a void game changes nobody's turn, and one that both lose ends both runs": Golden(
        entries=4,
        games=4,
        acts="""
        begin        |   | 1 2 3 4 | 1-2
        1 beats 2    | 1 | 3 4 2   | 1-3
        1-3 void     | 1 | 3 4 2   | 1-3
        3 beats 1    | 3 | 4 2 1   | 3-4
        3-4 both lose|   | 2 1 3 4 | 1-2
        2 beats 1    |   |         |
        """,
        standings=(
            (1, 2, 1, "1–1", f"Before entry 1 by fewest losses, 1 to 2. Tied with entry 3 {LEVEL} 1 to 2."),
            (1, 3, 1, "1–1", f"Before entry 1 by fewest losses, 1 to 2. Tied with entry 2 {LEVEL} 1 to 2."),
            (3, 1, 1, "1–2", f"Behind entry 2 by fewest losses, 1 to 2. Before entry 4 {LONGEST} 1 to 0."),
            (4, 4, 0, "0–1", f"Behind entry 1 {LONGEST} 1 to 0."),
        ),
    ),
    "out of the line, out while holding the table, out at the table": Golden(
        entries=5,
        games=6,
        acts="""
        begin      |   | 1 2 3 4 5 | 1-2
        1 beats 2  | 1 | 3 4 5 2   | 1-3
        1 beats 3  | 1 | 4 5 2 3   | 1-4
        5 out      |   | 2 3       |
        1 beats 4  | 1 | 2 3 4     | wait
        1 out      |   | 2 3 4     | 2-3
        3 beats 2  | 3 | 4 2       | 3-4
        3 out      | 4 | 2         | 2-4
        4 beats 2  |   |           |
        """,
        standings=(
            (1, 1, 3, "3–0", f"Before entry 4 {LONGEST} 3 to 2."),
            (2, 4, 2, "2–1", f"Behind entry 1 {LONGEST} 3 to 2. Before entry 3 {LONGEST} 2 to 1."),
            (3, 3, 1, "1–2", f"Behind entry 4 {LONGEST} 2 to 1. Before entry 5 {LONGEST} 1 to 0."),
            (4, 5, 0, "0–0", f"Behind entry 3 {LONGEST} 1 to 0. Before entry 2 by fewest losses, 0 to 3."),
            (5, 2, 0, "0–3", "Behind entry 5 by fewest losses, 0 to 3."),
        ),
    ),
    "level in every measure": Golden(
        entries=4,
        games=2,
        held=2,
        acts="""
        begin      |   | 1 2 3 4 | 1-2 3-4
        1 beats 2  | 1 | 2       |
        3 beats 4  |   |         |
        """,
        standings=(
            (1, 1, 1, "1–0", f"Before entry 2 {LONGEST} 1 to 0. Tied with entry 3 {LEVEL} 1 to 2."),
            (1, 3, 1, "1–0", f"Before entry 2 {LONGEST} 1 to 0. Tied with entry 1 {LEVEL} 1 to 2."),
            (3, 2, 0, "0–1", f"Behind entry 3 {LONGEST} 1 to 0. Tied with entry 4 {LEVEL} 3 to 4."),
            (3, 4, 0, "0–1", f"Behind entry 3 {LONGEST} 1 to 0. Tied with entry 2 {LEVEL} 3 to 4."),
        ),
    ),
    "a corrected result: later games stay, runs and who holds the table change": Golden(
        entries=4,
        games=5,
        acts="""
        begin          |   | 1 2 3 4 | 1-2
        1 beats 2      | 1 | 3 4 2   | 1-3
        1 beats 3      | 1 | 4 2 3   | 1-4
        G1: 2 beats 1  |   | 2 3     |
        4 beats 1      | 4 | 2 3 1   | 2-4
        4 beats 2      | 4 | 3 1 2   | wait
        G4: 2 beats 4  | 2 | 3 1 4   | 2-3
        3 beats 2      |   |         |
        """,
        standings=(
            (1, 2, 2, "2–1", f"Before entry 3 {LONGEST} 2 to 1."),
            (
                2,
                3,
                1,
                "1–1",
                f"Behind entry 2 {LONGEST} 2 to 1. Before entry 1 by fewest losses, 1 to 2. "
                f"Tied with entry 4 {LEVEL} 2 to 3.",
            ),
            (
                2,
                4,
                1,
                "1–1",
                f"Behind entry 2 {LONGEST} 2 to 1. Before entry 1 by fewest losses, 1 to 2. "
                f"Tied with entry 3 {LEVEL} 2 to 3.",
            ),
            (4, 1, 1, "1–2", "Behind entry 3 by fewest losses, 1 to 2."),
        ),
    ),
    "a late entry stands behind everybody who waits, and wins decide between equal runs": Golden(
        entries=3,
        games=6,
        acts="""
        begin      |   | 1 2 3   | 1-2
        1 beats 2  | 1 | 3 2     | 1-3
        9 comes    |   | 2 9     |
        3 beats 1  | 3 | 2 9 1   | 2-3
        2 beats 3  | 2 | 9 1 3   | 2-9
        9 beats 2  | 9 | 1 3 2   | 1-9
        1 beats 9  | 1 | 3 2 9   | 1-3
        3 beats 1  |   |         |
        """,
        standings=(
            (1, 3, 1, "2–1", "Before entry 1 by fewest losses, 1 to 2."),
            (2, 1, 1, "2–2", "Behind entry 3 by fewest losses, 1 to 2. Before entry 9 by wins, 2 to 1."),
            (3, 9, 1, "1–1", "Behind entry 1 by wins, 2 to 1. Before entry 2 by fewest losses, 1 to 2."),
            (4, 2, 1, "1–2", "Behind entry 9 by fewest losses, 1 to 2."),
        ),
    ),
}
NAMES = {1: "Ann", 2: "Bob", 3: "Cal", 4: "Dee", 5: "Eve"}


def numbers(said: str) -> list[int]:
    return [int(word) for word in re.findall(r"\d+", said)]


def act(evening: Evening, said: str) -> None:
    found = numbers(said)
    if said.startswith("G"):
        evening.win(f"G{found[0]}", found[1])
    elif "beats" in said:
        evening.win(evening.open_between(*found), found[0])
    elif "void" in said:
        evening.void(evening.open_between(*found))
    elif "both lose" in said:
        evening.lose_both(evening.open_between(*found))
    elif "out" in said:
        evening.leave(*found)
    elif "comes" in said:
        evening.come(*found)


def pairs(said: str) -> list[Pair]:
    return [(one, other) for one, other in (numbers(pair) for pair in said.split())]


def play(golden: Golden) -> Evening:
    """Play the evening, and check the state after each action."""
    evening = Evening(range(1, golden.entries + 1), golden.games, golden.held)
    for line in golden.acts.strip().splitlines():
        said, holders, in_line, sent = (part.strip() for part in line.split("|"))
        act(evening, said)
        ladder, found = evening.ladder(), evening.suggest()
        assert list(ladder.holders) == numbers(holders), line
        assert list(ladder.waiting_line) == numbers(holders) + numbers(in_line), line
        assert [ladder.count_entries_ahead(entry) for entry in numbers(in_line)] == list(
            range(len(numbers(in_line)))
        ), line
        assert all(ladder.count_entries_ahead(entry) is None for entry in numbers(holders)), line
        if sent == "wait":
            continue
        assert [one.pair for one in found.pairs] == pairs(sent), line
        for one in found.pairs:
            evening.send(*one.pair)
            assert one.keeps_table == next(iter(numbers(holders)), None), line
            if said in golden.why:
                assert one.reason.describe is not None
                assert one.reason.describe(NAMES) == golden.why[said], line
    return evening


@pytest.mark.parametrize("golden", EVENINGS.values(), ids=EVENINGS)
def test_an_evening(golden: Golden) -> None:
    ladder = play(golden).ladder()
    assert ladder.is_complete and ladder.finished_game_count == golden.games and ladder.games_at_tables == 0
    ((_part, ranked),) = ladder.standings
    found = [(row.place, row.entry, ladder.longest_streaks[row.entry], str(row.record), row.why) for row in ranked]
    assert tuple(found) == golden.standings


def test_the_current_run_can_be_shorter_than_the_longest() -> None:
    evening = Evening((1, 2), 9)
    for winner in (1, 1, 1, 2, 1, 1):
        evening.win(evening.send(1, 2), winner)
    assert (evening.ladder().count_current_streak(1), evening.ladder().longest_streaks) == (2, {1: 3, 2: 1})


def test_a_penalty_ends_a_run_and_a_bye_does_not() -> None:
    evening = Evening((1, 2), 9)
    evening.win(evening.send(1, 2), 1)
    evening.give_bye(1)
    evening.win(evening.send(1, 2), 1)
    assert evening.ladder().longest_streaks[1] == 2
    evening.penalize(1)
    evening.win(evening.send(1, 2), 1)
    ladder = evening.ladder()
    assert ladder.longest_streaks[1] == 2 and ladder.count_current_streak(1) == 1
    assert (ladder.finished_game_count, str(ladder.qualifying[1].record)) == (3, "4–1"), (
        "neither of them is a game of the ladder"
    )
