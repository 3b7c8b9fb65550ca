"""Eliminations with 2 to 256 entries, played to the end and compared with an independent simulation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from pairing.draws.knockout.bracket import (
    Bracket,
    BracketMatch,
    DrawnSide,
    LoserOf,
    WinnerOf,
    make_bracket,
    make_double_elimination_bracket,
)
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress, make_bracket_progress
from pairing.draws.places import compute_bracket_size, find_entries_with_bye
from pairing.draws.results import BracketFact, EntryRemoval, MatchOutcome, RemovalReason
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import EXAMPLES

ALL_SIZES = range(2, 257)
SIZES = ALL_SIZES if EXAMPLES >= 1 else (*range(2, 41), *range(53, 255, 19), 63, 64, 65, 127, 128, 129, 255, 256)
"""The sizes to test. A long run uses all of them."""


def bracket_of(entries: int, lives: int) -> Bracket:
    places = place_drawn_order(range(1, entries + 1)).places
    return make_bracket(places) if lives == 1 else make_double_elimination_bracket(places)


@dataclass
class Hall:
    """A simulated event that counts each entry's losses.

    The entries in `gone` leave one after another before the first match. `absent` is the probability that both entries
    of a match are absent.
    """

    bracket: Bracket
    chance: random.Random
    gone: Sequence[int] = ()
    absent: float = 0.0
    facts: list[BracketFact] = field(default_factory=list)
    winners: dict[str, int | None] = field(default_factory=dict)
    losses: Counter[int] = field(default_factory=Counter)
    came: dict[WinnerOf | LoserOf, int | None] = field(default_factory=dict)
    decided_at: dict[str, int] = field(default_factory=dict)

    def play(self) -> BracketProgress:
        return make_bracket_progress(self.bracket, self.record())

    def record(self) -> list[BracketFact]:
        self.facts += [EntryRemoval(entry, RemovalReason.WITHDRAWN) for entry in self.gone]
        for match in self.bracket.matches:
            sides = [side.number if isinstance(side, DrawnSide) else self.came[side] for side in match.sides]
            if match.id == "F2M1" and not self.is_reset_needed:
                break
            self._decide(match, [entry for entry in sides if entry is not None])
        return self.facts

    @property
    def is_reset_needed(self) -> bool:
        unbeaten, other = (self.came[side] for side in self.bracket.matches_by_id["F1M1"].sides)
        return unbeaten is not None and other is not None and self.winners["F1M1"] == other

    def _decide(self, match: BracketMatch, there: list[int]) -> None:
        known_at = max(
            (self.decided_at[side.match] for side in match.sides if not isinstance(side, DrawnSide)), default=0
        )
        left_at = {entry: self.gone.index(entry) + 1 for entry in there if entry in self.gone}
        if len(there) == 2 and not left_at:
            winner, moment = self._meet(match, there), len(self.facts)
        else:
            # Who is still there when the other leaves, or when the match is known, has it, and keeps it.
            moment = max(known_at, min(left_at.values())) if len(there) == 2 else known_at
            winner = next((entry for entry in there if left_at.get(entry, moment + 1) > moment), None)
        losers = [entry for entry in there if entry != winner]
        self.losses.update(losers)
        self.winners[match.id], self.decided_at[match.id] = winner, moment
        self.came[WinnerOf(match.id)] = winner
        self.came[LoserOf(match.id)] = losers[0] if losers and winner is not None else None

    def _meet(self, match: BracketMatch, there: list[int]) -> int | None:
        winner, loser = self.chance.sample(there, 2)
        if self.chance.random() < self.absent:
            self.facts.append(MatchOutcome.lost_by_all(match.id, (winner, loser)))
            return None
        self.facts.append(MatchOutcome.won(match.id, winner, loser))
        return winner


def check_the_end(hall: Hall, progress: BracketProgress) -> None:
    """Check that the bracket's winners equal those of the simulation, and that each entry has one place."""
    assert progress.is_complete and progress.ready == ()
    decided = {ident: view.winner for ident, view in progress.views.items() if view.state is BracketMatchState.DECIDED}
    assert decided == hall.winners
    open_still = {ident for ident, view in progress.views.items() if view.state is not BracketMatchState.DECIDED}
    assert open_still == (set() if hall.winners.keys() == progress.views.keys() else {"F2M1"})
    placings = make_placings(progress)
    assert placings.still_in == ()
    assert sorted(entry for placing in placings.finish for entry in placing.entries) == sorted(progress.bracket.entries)


@pytest.mark.parametrize("lives", [1, 2])
def test_everybody_but_the_champion_loses_exactly_as_often_as_they_may(lives: int) -> None:
    resets = set()
    for entries in SIZES:
        hall = Hall(bracket_of(entries, lives), random.Random(entries))
        progress = hall.play()
        check_the_end(hall, progress)
        assert progress.champion is not None
        assert {entry for entry in progress.bracket.entries if hall.losses[entry] != lives} == {progress.champion}
        assert hall.losses[progress.champion] < lives
        if lives == 2:
            unbeaten_won = progress["F1M1"].winner == progress["F1M1"].sides[0].entry
            assert progress["F2M1"].state is (
                BracketMatchState.NOT_NEEDED if unbeaten_won else BracketMatchState.DECIDED
            )
            resets.add(unbeaten_won)
    assert resets == ({True, False} if lives == 2 else set())


@pytest.mark.parametrize("lives", [1, 2])
def test_nobody_is_stuck_whoever_left_and_whoever_does_not_come(lives: int) -> None:
    for entries in SIZES:
        chance = random.Random(entries)
        gone = chance.sample(range(1, entries + 1), chance.randint(0, entries // 2))
        hall = Hall(bracket_of(entries, lives), chance, gone, absent=0.1)
        check_the_end(hall, hall.play())
        assert max(hall.losses.values()) <= lives


@pytest.mark.parametrize("lives", [1, 2])
def test_an_event_to_which_nobody_comes_ends_without_a_match(lives: int) -> None:
    for entries in (2, 3, 5, 16, 33, 128, 255):
        hall = Hall(bracket_of(entries, lives), random.Random(1), gone=tuple(range(1, entries + 1)))
        progress = hall.play()
        check_the_end(hall, progress)
        assert len(hall.facts) == entries


def test_every_size_has_its_matches_and_byes() -> None:
    for entries in SIZES:
        single, double = bracket_of(entries, 1), bracket_of(entries, 2)
        assert (len(single.matches), len(double.matches)) == (entries - 1, 2 * entries - 1)
        assert sorted(single.entries) == sorted(double.entries) == list(range(1, entries + 1))
        assert len(find_entries_with_bye(single.places)) == compute_bracket_size(entries) - entries


def test_the_final_is_never_left_open_after_the_unbeaten_side_wins_or_nobody_comes() -> None:
    for entries in SIZES:
        hall = Hall(bracket_of(entries, 2), random.Random(entries))
        facts = [fact for fact in hall.record() if isinstance(fact, MatchOutcome) and fact.match[0] != "F"]
        unbeaten, other = (hall.came[side] for side in hall.bracket.matches_by_id["F1M1"].sides)
        won = make_bracket_progress(hall.bracket, [*facts, MatchOutcome.won("F1M1", unbeaten, other)])
        assert (won.is_complete, won.champion, won["F2M1"].state) == (True, unbeaten, BracketMatchState.NOT_NEEDED)
        lost = make_bracket_progress(hall.bracket, [*facts, MatchOutcome.won("F1M1", other, unbeaten)])
        assert (lost.is_complete, lost["F2M1"].state) == (False, BracketMatchState.READY)
        nobody = make_bracket_progress(hall.bracket, [*facts, MatchOutcome.lost_by_all("F1M1", (unbeaten, other))])
        assert (nobody.is_complete, nobody.champion, nobody["F2M1"].state) == (True, None, BracketMatchState.NOT_NEEDED)
