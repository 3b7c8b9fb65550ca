"""Small brackets worked out by hand, with their results, removals, corrections, and places."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchProgress, BracketProgress, BracketSide, make_bracket_progress
from pairing.draws.results import BracketFact, EntryRemoval, MatchOutcome, RemovalReason, ResultCause

GOLDEN = Path(__file__).parents[2] / "golden" / "knockouts.txt"
Lines = list[str]


def read_cases() -> dict[str, Lines]:
    cases: dict[str, Lines] = {}
    for line in GOLDEN.read_text().splitlines():
        if line.startswith("case "):
            current = cases.setdefault(line.removeprefix("case "), [])
            assert not current, f"two cases are called: {line}"
        elif line and not line.startswith("#"):
            current.append(line)
    return cases


CASES = read_cases()


def read_outcome(match: str, words: list[str]) -> MatchOutcome:
    if words[0] == "nobody":
        return MatchOutcome.lost_by_all(match, tuple(map(int, words[1:])))
    if words[0] == "void":
        return MatchOutcome.void(match, tuple(map(int, words[1:])))
    cause = ResultCause(words[3]) if len(words) > 3 else ResultCause.PLAYED
    return MatchOutcome.won(match, int(words[0]), int(words[2]), cause)


def play(lines: Iterable[str]) -> BracketProgress:
    facts: list[BracketFact] = []
    for line in lines:
        word, *rest = line.split()
        if word == "places":
            places = tuple(None if place == "-" else int(place) for place in rest)
        elif word == "out":
            facts.append(EntryRemoval(int(rest[0]), RemovalReason(rest[1])))
        elif re.fullmatch(r"R\d+M\d+", word):
            facts.append(read_outcome(word, rest))
    return make_bracket_progress(make_bracket(places), facts)


def describe(view: BracketMatchProgress) -> str:
    sides = " - ".join(_side(side) for side in view.sides)
    winner = f" winner {view.winner}" if view.winner else ""
    return f"{view.match.id} {sides} {view.state}{winner}{' by itself' if view.is_decided_without_result else ''}"


def _side(side: BracketSide) -> str:
    return "x" if side.vacant else str(side.entry or "?")


def figures(text: str) -> list[int]:
    return [int(figure) for figure in text.split()]


def told(lines: Lines, word: str) -> str:
    return next((line.removeprefix(word).strip() for line in lines if line.split()[0] == word), "")


@pytest.mark.parametrize("name", CASES)
def test_knockout(name: str) -> None:
    lines = CASES[name]
    progress = play(lines)
    expected = [line.removeprefix("expect ") for line in lines if line.startswith("expect ")]
    assert [describe(progress[line.split()[0]]) for line in expected] == expected
    champion = told(lines, "champion")
    if champion:
        assert str(progress.champion or "nobody") == champion
    assert [outcome.match for outcome in progress.superseded_outcomes] == told(lines, "fallen").split()
    placings = make_placings(progress)
    finish = " | ".join(f"{p.place}: {' '.join(map(str, p.entries))}" for p in placings.finish)
    assert finish == told(lines, "finish")
    assert list(placings.still_in) == sorted(figures(told(lines, "still")))
    assert list(placings.disqualified) == figures(told(lines, "without-place"))
    assert progress.is_complete == (not placings.still_in)
