"""The progress of a bracket, compared with a simulated event that is updated step by step."""

import random
from collections import Counter
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, DrawnSide, WinnerOf, make_bracket
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchState, make_bracket_progress
from pairing.draws.results import BracketFact, Credit, EntryRemoval, MatchOutcome, RemovalReason, Result, ResultCause
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples
from tests.pairing.draws.knockout.changes import Changes, changes

SIZES = st.one_of(st.integers(2, 20), st.integers(2, 130), st.sampled_from([256, 511, 1024]))
NOBODY = -1


def bracket_of(entries: int) -> Bracket:
    return make_bracket(place_drawn_order(range(1, entries + 1)).places)


class Hall:
    """A simulated event whose state is updated after each action, instead of being recomputed from all facts."""

    def __init__(self, bracket: Bracket) -> None:
        self.bracket = bracket
        self.sides = {m.id: [s.number if isinstance(s, DrawnSide) else None for s in m.sides] for m in bracket.matches}
        self.open = {match.id for match in bracket.matches}
        self.lost_in: dict[int, int] = {}
        self.gone: dict[int, RemovalReason] = {}
        self.champion: int | None = None
        self.facts: list[BracketFact] = []

    def playable(self) -> list[str]:
        return sorted(m for m in self.open if None not in self.sides[m])

    def record(self, match: str, winner: int) -> None:
        loser = next(side for side in self.sides[match] if side != winner)
        self.facts.append(MatchOutcome.won(match, winner, loser))
        self._end(match, winner)

    def both_absent(self, match: str) -> None:
        self.facts.append(MatchOutcome.lost_by_all(match, tuple(self.sides[match])))
        self._end(match, NOBODY)

    def remove(self, entry: int, why: RemovalReason) -> None:
        self.facts.append(EntryRemoval(entry, why))
        self.gone[entry] = why
        for match in self.playable():
            if entry in self.sides[match]:
                self._settle(match)
                return

    def _end(self, match: str, winner: int) -> None:
        self.open.remove(match)
        for side in self.sides[match]:
            if side not in (winner, NOBODY):
                self.lost_in[side] = self.bracket.matches_by_id[match].round
        if match == self.bracket.final_match.id:
            self.champion = None if winner == NOBODY else winner
            return
        later = self.bracket.next_matches[match]
        self.sides[later.id][later.sides.index(WinnerOf(match))] = winner
        if None not in self.sides[later.id]:
            self._settle(later.id)

    def _settle(self, match: str) -> None:
        here = [side for side in self.sides[match] if side != NOBODY and side not in self.gone]
        if len(here) < 2:
            self._end(match, here[0] if here else NOBODY)


def play_hall(entries: int, chance: random.Random, acts: int) -> Hall:
    hall = Hall(bracket_of(entries))
    for _ in range(acts):
        playable = hall.playable()
        act = chance.random()
        if act < 0.25:
            hall.remove(chance.randint(1, entries), chance.choice(list(RemovalReason)))
        elif playable and act < 0.3:
            hall.both_absent(chance.choice(playable))
        elif playable:
            match = chance.choice(playable)
            hall.record(match, chance.choice(hall.sides[match]))
    return hall


@settings(max_examples=examples(150), deadline=None)
@given(SIZES, st.integers(0, 2**32), st.floats(0, 1.6))
def test_the_progress_agrees_with_the_event_played_step_by_step(entries: int, seed: int, length: float) -> None:
    hall = play_hall(entries, random.Random(seed), int(entries * length) + 1)
    progress = make_bracket_progress(hall.bracket, hall.facts)
    recorded = {fact.match for fact in hall.facts if isinstance(fact, MatchOutcome)}
    for match, view in progress.views.items():
        sides = [NOBODY if side.vacant else side.entry for side in view.sides]
        assert sides == hall.sides[match]
        assert (view.state is BracketMatchState.DECIDED) == (match not in hall.open)
        assert (view.state is BracketMatchState.READY) == (match in hall.playable())
        assert view.is_decided_without_result == (view.state is BracketMatchState.DECIDED and match not in recorded)
    assert [view.match.id for view in progress.ready] == sorted(
        hall.playable(), key=lambda m: list(progress.views).index(m)
    )
    assert progress.is_complete == (not hall.open)
    champion = None if hall.gone.get(hall.champion) is RemovalReason.DISQUALIFIED else hall.champion
    assert progress.champion == champion
    assert progress.superseded_outcomes == ()
    _check_placings(hall, progress)


def _check_placings(hall: Hall, progress) -> None:
    placings = make_placings(progress)
    placed = [entry for placing in placings.finish for entry in placing.entries]
    everybody = Counter([*placed, *placings.still_in, *placings.disqualified])
    assert everybody == Counter(hall.bracket.entries)
    assert set(placings.disqualified) == {e for e, why in hall.gone.items() if why is RemovalReason.DISQUALIFIED}
    place = len(placings.still_in) + 1
    for placing in placings.finish:
        assert placing.place == place
        assert len({hall.lost_in[e] for e in placing.entries if e in hall.lost_in}) <= 1
        assert list(placing.entries) == sorted(placing.entries)
        place += len(placing.entries)
    lost = [hall.lost_in.get(placing.entries[0], 99) for placing in placings.finish]
    known = [number for number in lost if number != 99]
    assert known == sorted(known, reverse=True)
    waiting = set(hall.bracket.entries) - set(hall.lost_in) - set(hall.gone) - {hall.champion}
    assert set(placings.still_in) == waiting
    if progress.champion:
        assert placings.finish[0].entries == (progress.champion,)
    if not hall.open and not hall.gone and progress.champion and not _absent(hall):
        size = len(hall.bracket.places)
        groups = [len(placing.entries) for placing in placings.finish]
        usual = [1, *(size >> number for number in range(hall.bracket.count_rounds(), 1, -1))]
        assert groups == [*usual, len(hall.bracket.list_matches_in_round(1))]


def _absent(hall: Hall) -> bool:
    return any(isinstance(fact, MatchOutcome) and fact.winner is None for fact in hall.facts)


@settings(deadline=None)
@given(st.integers(2, 80), st.integers(0, 2**32))
def test_outcomes_between_two_removals_may_come_in_any_order(entries: int, seed: int) -> None:
    chance = random.Random(seed)
    hall = play_hall(entries, chance, 2 * entries)
    shuffled: list[BracketFact] = []
    for outcomes, facts in groupby(hall.facts, key=lambda fact: isinstance(fact, MatchOutcome)):
        run = list(facts)
        if outcomes:
            chance.shuffle(run)
        shuffled += run
    assert make_bracket_progress(hall.bracket, shuffled) == make_bracket_progress(hall.bracket, hall.facts)


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32))
def test_decided_matches_stay_decided_without_corrections(entries: int, seed: int) -> None:
    hall = play_hall(entries, random.Random(seed), 2 * entries)
    before = make_bracket_progress(hall.bracket)
    for length in range(1, len(hall.facts) + 1):
        after = make_bracket_progress(hall.bracket, hall.facts[:length])
        touched = changes(before, after)
        assert touched.reopened == ()
        assert all(before[match].state is not BracketMatchState.DECIDED for match in touched.decided)
        before = after


@settings(deadline=None)
@given(st.integers(2, 80), st.integers(0, 2**32))
def test_a_correction_touches_only_what_lies_on_the_way_to_the_final(entries: int, seed: int) -> None:
    chance = random.Random(seed)
    hall = Hall(bracket_of(entries))
    for _ in range(entries):
        if hall.playable():
            match = chance.choice(hall.playable())
            hall.record(match, chance.choice(hall.sides[match]))
    before = make_bracket_progress(hall.bracket, hall.facts)
    wrong = chance.choice(hall.facts)
    (loser,) = wrong.sides - {wrong.winner}
    correction = MatchOutcome.won(wrong.match, loser, wrong.winner)
    after = make_bracket_progress(hall.bracket, [*hall.facts, correction])
    touched = changes(before, after)
    later = hall.bracket.list_matches_if_winning(loser)[
        before.bracket.list_matches_if_winning(loser).index(hall.bracket.matches_by_id[wrong.match]) + 1 :
    ]
    assert set(touched.sides) | set(touched.ready) | set(touched.reopened) <= {match.id for match in later}
    assert touched.decided == (wrong.match,)
    assert touched.sides[:1] == tuple(match.id for match in later)[:1]
    played = {fact.match for fact in hall.facts if wrong.winner in fact.sides} & {match.id for match in later}
    assert set(touched.reopened) == {fact.match for fact in after.superseded_outcomes} >= played
    back = MatchOutcome.won(wrong.match, wrong.winner, loser)
    again = make_bracket_progress(hall.bracket, [*hall.facts, correction, back])
    assert changes(before, again) == Changes((), (), (), ())
    assert again.superseded_outcomes == ()


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32))
def test_a_corrected_result_counts_like_a_correct_one(entries: int, seed: int) -> None:
    chance = random.Random(seed)
    hall = play_hall(entries, chance, 2 * entries)
    wrong, mended = list(hall.facts), []
    for turn, fact in enumerate(hall.facts):
        if isinstance(fact, MatchOutcome) and fact.winner and chance.random() < 0.3:
            (loser,) = fact.sides - {fact.winner}
            wrong[turn] = MatchOutcome.won(fact.match, loser, fact.winner)
            mended.append(fact)
    chance.shuffle(mended)
    assert make_bracket_progress(hall.bracket, [*wrong, *mended]) == make_bracket_progress(hall.bracket, hall.facts)


def test_news_of_a_result() -> None:
    bracket = make_bracket((1, None, 2, 3))
    fresh = make_bracket_progress(bracket)
    won = make_bracket_progress(bracket, [MatchOutcome.won("R1M1", 3, 2)])
    assert changes(fresh, won) == Changes(sides=("R2M1",), ready=("R2M1",), decided=("R1M1",), reopened=())
    assert changes(won, fresh) == Changes(sides=("R2M1",), ready=("R1M1",), decided=(), reopened=("R1M1",))
    corrected = make_bracket_progress(bracket, [MatchOutcome.won("R1M1", 2, 3)])
    assert changes(won, corrected) == Changes(("R2M1",), ("R2M1",), ("R1M1",), ())
    gone = make_bracket_progress(bracket, [MatchOutcome.won("R1M1", 3, 2), EntryRemoval(1, RemovalReason.WITHDRAWN)])
    assert changes(won, gone) == Changes((), (), ("R2M1",), ())
    assert changes(won, won) == Changes((), (), (), ())


def test_matches_decided_without_play_have_credits_by_cause() -> None:
    causes = {
        1: (RemovalReason.WITHDRAWN, ResultCause.FORFEIT),
        3: (RemovalReason.DISQUALIFIED, ResultCause.DISQUALIFIED),
        5: (RemovalReason.NO_SHOW, ResultCause.NO_SHOW),
        7: (RemovalReason.ELIMINATED, ResultCause.PENALTY),
    }
    facts = [EntryRemoval(entry, why) for entry, (why, _) in causes.items()]
    progress = make_bracket_progress(make_bracket((1, 2, 3, 4, 5, 6, 7, 8)), facts)
    win = Credit(Result.WIN, ResultCause.WALK_OVER)
    for position, (entry, (_, cause)) in enumerate(causes.items(), start=1):
        match = f"R1M{position}"
        loss = Credit(Result.LOSS, cause)
        assert progress[match].outcome == MatchOutcome(match, entry + 1, {entry: loss, entry + 1: win})


def test_matches_without_one_or_both_sides_have_credits() -> None:
    absent = Credit(Result.LOSS, ResultCause.BOTH_ABSENT)
    home = [EntryRemoval(entry, RemovalReason.WITHDRAWN) for entry in (1, 3)]
    both = make_bracket_progress(make_bracket((1, None, 2, 3)), [*home, MatchOutcome.won("R1M1", 3, 2)])
    assert both["R2M1"].outcome == MatchOutcome("R2M1", None, {1: absent, 3: absent})
    nobody = MatchOutcome.lost_by_all("R1M1", (2, 3))
    gone = make_bracket_progress(make_bracket((1, None, 2, 3)), [home[0], nobody])
    assert gone["R2M1"].outcome == MatchOutcome("R2M1", None, {1: absent})
    alone = make_bracket_progress(make_bracket((1, None, 2, 3)), [nobody])
    win = Credit(Result.WIN, ResultCause.WALK_OVER)
    assert alone["R2M1"].outcome == MatchOutcome("R2M1", 1, {1: win})
    outcomes = [MatchOutcome.lost_by_all("R1M1", (1, 4)), MatchOutcome.lost_by_all("R1M2", (2, 3))]
    empty = make_bracket_progress(make_bracket((1, 4, 2, 3)), outcomes)
    assert empty["R2M1"].outcome == MatchOutcome("R2M1", None, {})


def test_a_path_ends_with_the_lost_match() -> None:
    bracket = make_bracket((1, 2, 3, 4))
    progress = make_bracket_progress(bracket, [MatchOutcome.won("R1M1", 1, 2)])
    assert [view.match.id for view in progress.list_matches_of_entry(1)] == ["R1M1", "R2M1"]
    assert [view.match.id for view in progress.list_matches_of_entry(2)] == ["R1M1"]
    assert [view.match.id for view in progress.list_matches_of_entry(3)] == ["R1M2", "R2M1"]
    with pytest.raises(KeyError):
        progress.list_matches_of_entry(9)


def test_a_match_has_its_state_winner_and_losers() -> None:
    progress = make_bracket_progress(make_bracket((1, 2, 3, 4)), [MatchOutcome.won("R1M1", 2, 1)])
    decided, open_one, final = (progress[match] for match in ("R1M1", "R1M2", "R2M1"))
    assert (decided.winner, decided.losers, decided.entries) == (2, (1,), (1, 2))
    assert (open_one.winner, open_one.losers, open_one.entries) == (None, (), (3, 4))
    assert final.entries == (2,)
    assert [side.is_known for side in final.sides] == [True, False]
    assert [side.source for side in final.sides] == [WinnerOf("R1M1"), WinnerOf("R1M2")]
    assert [side.source for side in open_one.sides] == [DrawnSide(3), DrawnSide(4)]


def test_an_outcome_of_an_unknown_match_raises_an_error() -> None:
    with pytest.raises(ValueError, match="no match R9M9"):
        make_bracket_progress(make_bracket((1, 2)), [MatchOutcome.won("R9M9", 1, 2)])
