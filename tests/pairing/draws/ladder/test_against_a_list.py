"""Random ladder evenings, compared with a simple implementation that uses Python lists."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.ladder import Ladder
from pairing.draws.pairs.record import Pair
from pairing.draws.results import Credit, MatchOutcome, RemovalReason, Result, ResultCause
from pairing.draws.stages.standings import TieBreak, TieDecision
from tests.chance import examples
from tests.pairing.draws.ladder.evening import Evening

MOST_MOVES: Final = 4
MOST_VOID: Final = 4


class ListLadder:
    """A simple implementation of a ladder with lists of the entries that hold a table and of the waiting line.

    `ticket` contains the time at which each entry last joined one of these lists.
    """

    def __init__(self, entries: list[int], games: int, held: int) -> None:
        self.holders: list[int] = []
        self.line = list(entries)
        self.open: list[Pair] = []
        self.left, self.held = games, held
        self.ticket = {entry: (0, place) for place, entry in enumerate(entries)}
        self.results = dict.fromkeys(entries, "")
        self.now = 0

    def next_pairs(self) -> list[Pair]:
        holders, line, found = list(self.holders), list(self.line), []
        while len(found) < min(self.held, self.left) - len(self.open):
            if holders and line:
                found.append((holders.pop(0), line.pop(0)))
            elif len(line) > 1:
                found.append((line.pop(0), line.pop(0)))
            elif len(holders) > 1:
                found.append((holders.pop(0), holders.pop(0)))
            else:
                break
        return found

    def send(self, one: int, other: int) -> None:
        for side in (one, other):
            (self.holders if side in self.holders else self.line).remove(side)
        self.open.append((one, other))

    def end(self, one: int, other: int, winner: int | None) -> None:
        self.close(one, other)
        self.now, self.left = self.now + 1, self.left - 1
        for side in (one, other):
            self.results[side] += "W" if side == winner else "L"
            self.ticket[side] = (self.now, self.ticket[side][1])
        if winner is not None:
            self.holders.append(winner)
        self.line += sorted((side for side in (one, other) if side != winner), key=lambda side: self.ticket[side])

    def void(self, one: int, other: int, held_before: list[int]) -> None:
        """Remove a game, and put both entries back in their earlier positions."""
        self.close(one, other)
        self.now += 1
        for side in (one, other):
            into = self.holders if side in held_before else self.line
            into.append(side)
            into.sort(key=lambda each: self.ticket[each])

    def close(self, one: int, other: int) -> None:
        self.open.remove((one, other))

    def leave(self, entry: int) -> None:
        """Remove an entry. If it is playing, the opponent wins the game."""
        game = next((game for game in self.open if entry in game), None)
        if game is None:
            self.now += 1
            (self.holders if entry in self.holders else self.line).remove(entry)
            return
        one, other = game
        self.end(one, other, other if entry == one else one)
        self.line.remove(entry)

    def come(self, entry: int) -> None:
        self.now += 1
        self.ticket[entry], self.results[entry] = (self.now, len(self.ticket)), ""
        self.line.append(entry)

    @property
    def is_over(self) -> bool:
        return not self.open and (self.left == 0 or len(self.holders) + len(self.line) < 2)

    def measures(self, entry: int) -> tuple[int, int, int]:
        """Return an entry's longest winning streak, number of wins, and number of losses."""
        said = self.results[entry]
        return max(map(len, said.split("L"))), said.count("W"), said.count("L")


class Both:
    """A ladder evening that the program and the simple implementation both play. They must agree after every action."""

    def __init__(self, players: int, games: int, held: int, chance: random.Random) -> None:
        entries = chance.sample(range(1, 30), players)
        self.program, self.by_hand = Evening(entries, games, held), ListLadder(entries, games, held)
        self.chance, self.games, self.held = chance, games, held
        self.held_before: dict[str, list[int]] = {}
        self.voided, self.moves = 0, 0

    def agree(self) -> Ladder:
        ladder, listed = self.program.ladder(), self.by_hand
        assert ladder.is_complete is listed.is_over
        assert ladder.finished_game_count == self.games - listed.left
        if not listed.is_over:
            assert list(ladder.holders) == listed.holders
            assert list(ladder.waiting_line) == listed.holders + listed.line
        assert {
            entry: len(max(said.split("L"), key=len)) for entry, said in listed.results.items()
        } == ladder.longest_streaks
        found = self.program.suggest()
        wanted = [] if listed.is_over else listed.next_pairs()
        assert [one.pair for one in found.pairs] == [(min(pair), max(pair)) for pair in wanted]
        assert [one.keeps_table for one in found.pairs] == [
            one if one in listed.holders else None for one, _other in wanted
        ]
        self.check_nobody_twice(ladder, [side for pair in wanted for side in pair])
        return ladder

    def check_nobody_twice(self, ladder: Ladder, going: list[int]) -> None:
        playing = [side for game in self.program.open for side in game.sides]
        assert len({*playing, *going}) == len(playing) + len(going)
        assert len(playing) + len(going) <= 2 * self.held
        assert ladder.finished_game_count + ladder.games_at_tables + len(going) // 2 <= self.games

    def send_some(self) -> None:
        """Send to tables either all suggested pairs or only the first one."""
        pairs = self.by_hand.next_pairs()
        for one, other in pairs[: self.chance.choice([1, len(pairs), len(pairs)])]:
            name = self.program.send(one, other)
            self.held_before[name] = list(self.by_hand.holders)
            self.by_hand.send(one, other)

    def end_one(self) -> None:
        game = self.chance.choice(self.program.open)
        one, other = game.sides
        how = self.chance.random()
        if how < 0.08 and self.voided < MOST_VOID:
            self.voided += 1
            self.program.void(game.match)
            self.by_hand.void(one, other, self.held_before[game.match])
        elif how < 0.13:
            self.program.lose_both(game.match)
            self.by_hand.end(one, other, None)
        else:
            winner = self.chance.choice(game.sides)
            self.program.win(game.match, winner)
            self.by_hand.end(one, other, winner)

    def come_or_go(self) -> None:
        self.moves += 1
        here = [entry for entry in self.program.entries if entry not in self.program.gone]
        if self.chance.random() < 0.5:
            entry = max(self.program.entries) + 1
            self.program.come(entry)
            self.by_hand.come(entry)
        elif here:
            entry = self.chance.choice(here)
            self.program.leave(entry)
            self.by_hand.leave(entry)

    def play(self) -> Ladder:
        while not (ladder := self.agree()).is_complete:
            if self.moves < MOST_MOVES and self.chance.random() < 0.06:
                self.come_or_go()
            elif self.by_hand.next_pairs() and (not self.program.open or self.chance.random() < 0.7):
                self.send_some()
            else:
                self.end_one()
        return ladder


EVENINGS = given(st.integers(2, 9), st.integers(1, 15), st.integers(1, 3), st.randoms(use_true_random=False))


@settings(max_examples=examples(200), deadline=None)
@EVENINGS
def test_random_evenings_agree_with_a_list(players: int, games: int, held: int, chance: random.Random) -> None:
    both = Both(players, games, held, chance)
    ladder = both.play()
    check_standings(ladder, both.by_hand)


def check_standings(ladder: Ladder, listed: ListLadder) -> None:
    """Compare every place with a sorted list, including ties and the tie-break between neighboring places."""
    ((_part, ranked),) = ladder.standings
    key = {entry: (-run, -wins, losses) for entry in listed.results for run, wins, losses in [listed.measures(entry)]}
    assert [row.entry for row in ranked] == sorted(key, key=lambda entry: (key[entry], entry))
    for row in ranked:
        assert row.place == 1 + sum(other < key[row.entry] for other in key.values())
        assert set(row.entries_at_place) == {entry for entry in key if key[entry] == key[row.entry]}
    for upper, lower in pairwise(ranked):
        one, other = key[upper.entry], key[lower.entry]
        if one == other:
            assert lower.entry in upper.tied_with and (upper.decision_below, upper.decision_above) == (
                lower.decision_below,
                lower.decision_above,
            )
            continue
        assert upper.decision_below == lower.decision_above
        check_decision(upper.decision_below, one, other)


def check_decision(found: TieDecision | None, one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    assert found is not None
    first = next(at for at, (ahead, behind) in enumerate(zip(one, other, strict=True)) if ahead != behind)
    more, less = abs(one[first]), abs(other[first])
    said = ("longest run of wins", "wins", "fewest losses")[first]
    assert str(found) == f"{said}, {more} to {less}"
    assert found.tie_break is (TieBreak.LOSSES if first == 2 else TieBreak.WINS)
    assert {found.ahead, found.behind} <= set(found.tied_entries)


@settings(max_examples=examples(100), deadline=None)
@EVENINGS
def test_invariants_hold_with_corrections_and_holds(players: int, games: int, held: int, chance: random.Random) -> None:
    evening = Evening(range(1, players + 1), games, held)
    for _act in range(40):
        ladder = evening.ladder()
        if ladder.is_complete:
            break
        on_hold = [entry for entry in evening.entries if chance.random() < 0.15]
        pairs = [one.pair for one in evening.suggest(held=on_hold).pairs]
        going = [side for pair in pairs for side in pair]
        assert len(set(going)) == len(going) and not set(going) & ({*on_hold} | {*ladder.qualifying.playing_entries})
        assert len(pairs) + ladder.games_at_tables <= held
        assert ladder.finished_game_count + ladder.games_at_tables + len(pairs) <= games
        assert len(ladder.holders) + ladder.games_at_tables <= held
        assert sorted(ladder.waiting_line) == sorted(ladder.qualifying.ready_entries)
        for pair in pairs:
            evening.send(*pair)
        over = [game for game in evening.games if game.outcome is not None]
        again = chance.random() < 0.2 and over
        if again or evening.open:
            game = chance.choice(over if again else evening.open)
            evening.win(game.match, chance.choice(game.sides))
    check_standings(evening.ladder(), listed_of(evening))


def listed_of(evening: Evening) -> ListLadder:
    listed = ListLadder(evening.entries, 0, 1)
    for game in evening.games:
        for side in game.sides if game.outcome is not None else ():
            listed.results[side] += "W" if game.outcome is not None and game.outcome.winner == side else "L"
    return listed


def test_lots_decide_last_and_usual_tie_breaks_do_not_apply() -> None:
    evening = Evening((1, 2, 3, 4), 2, 2)
    for one, other in ((1, 2), (3, 4)):
        evening.win(evening.send(one, other), one)
    usual = evening.ladder([TieBreak.POINT_SPREAD, TieBreak.HEAD_TO_HEAD, TieBreak.OPPONENTS_WINS])
    assert [row.place for _part, ranked in usual.standings for row in ranked] == [1, 1, 3, 3]
    without = replace(evening.ladder([TieBreak.WINS]), draws=((3, 1, 4, 2),))
    assert [row.place for _part, ranked in without.standings for row in ranked] == [1, 1, 3, 3], "the event has no lots"
    with_lots = replace(evening.ladder([TieBreak.DRAW, TieBreak.WINS]), draws=((3, 1, 4, 2),))
    ((_part, ranked),) = with_lots.standings
    assert [(row.place, row.entry) for row in ranked] == [(1, 3), (2, 1), (3, 4), (4, 2)]
    assert ranked[1].why == (
        "Behind entry 3 by lot, drawn number 1 to 2. Before entry 4 by longest run of wins, 1 to 0."
    )


@pytest.mark.parametrize("why", RemovalReason)
def test_only_the_disqualified_have_no_place(why: RemovalReason) -> None:
    evening = Evening((1, 2, 3), 3)
    evening.win(evening.send(1, 2), 1)
    evening.leave(1, why)
    ((_part, ranked),) = evening.ladder().standings
    placed = [(row.place, row.entry) for row in ranked]
    if why is RemovalReason.DISQUALIFIED:
        assert placed == [(1, 3), (2, 2), (None, 1)] and ranked[-1].why == "Disqualified: no place."
    else:
        assert placed == [(1, 1), (2, 3), (3, 2)]


def test_a_result_for_one_side_only_ends_no_run_of_the_other() -> None:
    evening = Evening((1, 2), 5)
    evening.win(evening.send(1, 2), 1)
    fined = {1: Credit(Result.NONE, ResultCause.PLAYED), 2: Credit(Result.LOSS, ResultCause.PENALTY)}
    evening.end(evening.send(1, 2), MatchOutcome("G2", None, fined))
    evening.win(evening.send(1, 2), 1)
    assert evening.ladder().longest_streaks[1] == 2 and str(evening.ladder().qualifying[1].record) == "2–0"
