"""Double eliminations with 2 to 256 entries, compared with a simulation that counts each entry's losses."""

import random
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.knockout.bracket import Bracket, BracketPart, WinnerOf, make_double_elimination_bracket
from pairing.draws.knockout.places import make_placings
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress, make_bracket_progress
from pairing.draws.layouts.brackets import BracketDimensions, lay_out_bracket
from pairing.draws.results import BracketFact, EntryRemoval, MatchOutcome, RemovalReason, ResultCause
from pairing.draws.separation.draw import place_drawn_order
from tests.chance import examples
from tests.pairing.draws.knockout.changes import changes

SIZES = st.one_of(st.integers(2, 12), st.integers(2, 40), st.integers(2, 256), st.sampled_from([3, 64, 65, 256]))
SEEDS = st.integers(0, 1 << 32)


def bracket_of(entries: int) -> Bracket:
    return make_double_elimination_bracket(place_drawn_order(range(1, entries + 1)).places)


def losses_of(progress: BracketProgress, entry: int) -> int:
    return sum(entry in view.losers for view in progress.list_matches_of_entry(entry))


class Hall:
    """A simulated event in which each entry may lose twice.

    `removals` and `absences` are the probabilities that an entry is removed, or that both entries of a match are
    absent.
    """

    def __init__(self, bracket: Bracket, chance: random.Random, removals: float, absences: float) -> None:
        self.bracket, self.chance = bracket, chance
        self.removals, self.absences = removals, absences
        self.lives = {entry: 2 for entry in bracket.places if entry is not None}
        self.facts: list[BracketFact] = []
        self.gone: set[int] = set()

    def fold(self) -> BracketProgress:
        return make_bracket_progress(self.bracket, self.facts)

    def step(self, progress: BracketProgress) -> None:
        if self.chance.random() < self.removals and len(self.gone) < len(self.lives):
            entry = self.chance.choice([entry for entry in self.lives if entry not in self.gone])
            self.gone.add(entry)
            self.facts.append(EntryRemoval(entry, self.chance.choice(list(RemovalReason))))
            return
        for view in self.chance.sample(progress.ready, self.chance.randint(1, len(progress.ready))):
            self._end(view.match.id, *self.chance.sample(view.entries, 2))

    def _end(self, match: str, winner: int, loser: int) -> None:
        if self.chance.random() < self.absences:
            self.facts.append(MatchOutcome.lost_by_all(match, (winner, loser)))
            self.lives[winner] = self.lives[loser] = 0
        else:
            self.facts.append(MatchOutcome.won(match, winner, loser))
            self.lives[loser] -= 1

    def play(self) -> BracketProgress:
        while not (progress := self.fold()).is_complete:
            assert progress.ready, "stuck: nobody can play, and nothing is decided"
            self.step(progress)
        return progress


@settings(deadline=None, max_examples=examples(25))
@given(SIZES, SEEDS)
def test_everybody_plays_until_two_losses(entries: int, seed: int) -> None:
    hall = Hall(bracket_of(entries), random.Random(seed), removals=0, absences=0)
    progress = hall.play()
    assert progress.ready == ()
    champion = progress.champion
    assert {entry: 2 - losses_of(progress, entry) for entry in hall.lives} == hall.lives
    assert [entry for entry, lives in hall.lives.items() if lives] == [champion]
    reset = progress["F2M1"]
    assert (reset.state is BracketMatchState.NOT_NEEDED) == (progress["F1M1"].winner == progress["F1M1"].sides[0].entry)
    placings = make_placings(progress)
    assert sorted(entry for placing in placings.finish for entry in placing.entries) == sorted(hall.lives)
    assert placings.finish[0].entries == (champion,)
    assert placings.finish[1].entries == progress.last_match.losers
    turn = {match.id: index for index, match in enumerate(progress.bracket.matches)}
    last = {entry: turn[progress.list_matches_of_entry(entry)[-1].match.id] for entry in hall.lives}
    for better, worse in pairwise(placings.finish[1:]):
        assert max(last[entry] for entry in worse.entries) < min(last[entry] for entry in better.entries)


@settings(deadline=None, max_examples=examples(30))
@given(SIZES, st.sampled_from([0.1, 0.5]), st.sampled_from([0.0, 0.2]), SEEDS)
def test_nobody_is_ever_stuck(entries: int, removals: float, absences: float, seed: int) -> None:
    hall = Hall(bracket_of(entries), random.Random(seed), removals, absences)
    before = hall.fold()
    while not before.is_complete:
        assert before.ready
        for view in before.ready:
            assert len(view.entries) == 2
            assert hall.gone.isdisjoint(view.entries)
        hall.step(before)
        after = hall.fold()
        assert changes(before, after).reopened == ()
        assert after.superseded_outcomes == ()
        before = after
    assert before.ready == ()
    assert {view.state for view in before.views.values()} <= {BracketMatchState.DECIDED, BracketMatchState.NOT_NEEDED}
    reset = before["F2M1"]
    if before["F1M1"].winner == before["F1M1"].sides[0].entry:
        assert reset.state is BracketMatchState.NOT_NEEDED
    for view in before.views.values():
        if (
            view.outcome is not None
            and view.winner is not None
            and view.is_decided_without_result
            and len(view.entries) == 1
        ):
            assert view.outcome.credits[view.entries[0]].cause is ResultCause.WALK_OVER
    placings = make_placings(before)
    assert placings.still_in == ()
    placed = sorted(entry for placing in placings.finish for entry in placing.entries)
    assert sorted([*placed, *placings.disqualified]) == sorted(hall.lives)
    if before.champion is not None:
        assert placings.finish[0].entries == (before.champion,)
        assert losses_of(before, before.champion) < 2


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(2, 24), SEEDS)
def test_a_place_is_never_lost_while_the_bracket_is_played(entries: int, seed: int) -> None:
    hall = Hall(bracket_of(entries), random.Random(seed), removals=0.1, absences=0.1)
    settled: dict[int, int] = {}
    while not (progress := hall.fold()).is_complete:
        placings = make_placings(progress)
        placed = {entry for placing in placings.finish for entry in placing.entries}
        assert placed.isdisjoint(placings.still_in)
        assert len(placed) + len(placings.still_in) + len(placings.disqualified) == entries
        assert set(settled) - set(placings.disqualified) <= placed
        settled = dict.fromkeys(placed, 0)
        hall.step(progress)


def won(*results: tuple[str, int, int]) -> list[BracketFact]:
    return [MatchOutcome.won(*result) for result in results]


FOUR = [("W1M1", 1, 2), ("W1M2", 3, 4), ("W2M1", 1, 3), ("L1M1", 2, 4), ("L2M1", 3, 2)]


def test_a_reset_is_played_where_the_unbeaten_side_loses_the_final() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    progress = make_bracket_progress(bracket, won(*FOUR, ("F1M1", 3, 1)))
    assert [view.match.id for view in progress.ready] == ["F2M1"]
    assert progress["F2M1"].entries == (3, 1)
    assert (progress.is_complete, progress.champion) == (False, None)
    assert make_placings(progress).still_in == (1, 3)
    over = make_bracket_progress(bracket, won(*FOUR, ("F1M1", 3, 1), ("F2M1", 1, 3)))
    assert over.champion == 1
    assert [placing.entries for placing in make_placings(over).finish] == [(1,), (3,), (2,), (4,)]


def test_a_corrected_final_closes_the_reset_and_keeps_what_was_played() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    facts = won(*FOUR, ("F1M1", 3, 1), ("F2M1", 3, 1))
    corrected = make_bracket_progress(bracket, [*facts, MatchOutcome.won("F1M1", 1, 3)])
    assert corrected["F2M1"].state is BracketMatchState.NOT_NEEDED
    assert corrected.champion == 1
    assert corrected.superseded_outcomes == (facts[-1],)
    back = make_bracket_progress(bracket, [*facts, MatchOutcome.won("F1M1", 1, 3), MatchOutcome.won("F1M1", 3, 1)])
    assert (back.champion, back.superseded_outcomes) == (3, ())
    assert changes(corrected, back).decided == ("F1M1", "F2M1")


def test_both_absent_leave_walk_overs_in_both_brackets() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    facts: list[BracketFact] = [MatchOutcome.lost_by_all("W1M1", (1, 2)), *won(("W1M2", 3, 4))]
    progress = make_bracket_progress(bracket, facts)
    assert (progress["W2M1"].winner, progress["W2M1"].is_decided_without_result) == (3, True)
    assert (progress["L1M1"].winner, progress["L1M1"].is_decided_without_result) == (4, True)
    assert (progress["L2M1"].winner, progress["L2M1"].sides[1].vacant) == (4, True)
    assert [view.match.id for view in progress.ready] == ["F1M1"]
    over = make_bracket_progress(bracket, [*facts, *won(("F1M1", 3, 4))])
    assert [placing.entries for placing in make_placings(over).finish] == [(3,), (4,), (1, 2)]


def test_the_director_can_let_one_of_two_losers_advance() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    both = MatchOutcome.lost_by_all("W1M1", (1, 2), ResultCause.PENALTY)
    progress = make_bracket_progress(bracket, [MatchOutcome("W1M1", 1, both.credits)])
    assert progress["W2M1"].sides[0].entry == 1
    assert progress["L1M1"].sides[0].entry == 2


def test_a_champion_of_the_winners_bracket_who_leaves_loses_final_and_reset() -> None:
    bracket = make_double_elimination_bracket((1, 2, 3, 4))
    facts = [*won(*FOUR), EntryRemoval(1, RemovalReason.WITHDRAWN)]
    progress = make_bracket_progress(bracket, facts)
    assert (progress.champion, progress["F2M1"].is_decided_without_result, losses_of(progress, 1)) == (3, True, 2)
    disqualified = make_bracket_progress(
        bracket, [*won(*FOUR, ("F1M1", 1, 3)), EntryRemoval(1, RemovalReason.DISQUALIFIED)]
    )
    assert disqualified.champion is None
    assert [placing.entries for placing in make_placings(disqualified).finish] == [(3,), (2,), (4,)]


@pytest.mark.parametrize("absent", [[], [("W1M1", (1, 2))]])
def test_the_smallest_event(absent: list[tuple[str, tuple[int, int]]]) -> None:
    bracket = make_double_elimination_bracket((1, 2))
    facts: list[BracketFact] = [MatchOutcome.lost_by_all(*each) for each in absent]
    progress = make_bracket_progress(bracket, facts)
    assert progress.is_complete is bool(absent)
    assert len(make_placings(progress).finish) == len(absent)
    with pytest.raises(ValueError, match="no match"):
        make_bracket_progress(bracket, won(("W9M9", 1, 2)))


MEASURES = st.builds(
    BracketDimensions,
    box_width=st.integers(50, 300).map(float),
    box_height=st.integers(10, 90).map(float),
    column_gap=st.integers(4, 80).map(float),
    row_gap=st.integers(0, 40).map(float),
    header_height=st.integers(0, 60).map(float),
    two_sided=st.booleans(),
)


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(2, 80), MEASURES)
def test_boxes_do_not_overlap_and_lines_join_their_boxes(entries: int, measures: BracketDimensions) -> None:
    bracket = bracket_of(entries)
    picture = lay_out_bracket(bracket, measures)
    boxes = {box.match: box for box in picture.boxes}
    assert list(boxes) == [match.id for match in bracket.matches]
    for box in boxes.values():
        assert 0 <= box.x <= box.x + box.width <= picture.width + 1e-6
        assert measures.header_height - 1e-6 <= box.y <= box.y + box.height <= picture.height
    for _, column in groupby(sorted(boxes.values(), key=lambda box: (box.x, box.y)), key=lambda box: box.x):
        for upper, lower in pairwise(list(column)):
            assert lower.y - (upper.y + upper.height) >= measures.row_gap - 1e-6
    lines = {(line.winner_of, line.match): line.points for line in picture.connectors}
    assert set(lines) == {(s.match, m.id) for m in bracket.matches for s in m.sides if isinstance(s, WinnerOf)}
    for (earlier, later), points in lines.items():
        start, up, down, end = points
        side = bracket.matches_by_id[later].sides.index(WinnerOf(earlier))
        assert start == (boxes[earlier].x + measures.box_width, boxes[earlier].y + measures.box_height / 2)
        assert end == (boxes[later].x, boxes[later].compute_name_y(side))
        assert start.x < up.x == down.x < end.x
        crossed = (
            box.match for box in boxes.values() if box.y < start.y < box.y + box.height and start.x < box.x < up.x
        )
        assert list(crossed) == []


@settings(deadline=None, max_examples=examples(30))
@given(SIZES, MEASURES)
def test_each_column_of_each_part_has_a_header(entries: int, measures: BracketDimensions) -> None:
    bracket = bracket_of(entries)
    picture = lay_out_bracket(bracket, measures)
    heads = {(head.part, head.round): head for head in picture.headers}
    assert len(heads) == len(picture.headers)
    for match, box in zip(bracket.matches, picture.boxes, strict=True):
        head = heads.pop((match.part, match.round), None)
        if head is not None:
            assert (head.x, head.width, head.height) == (box.x, box.width, measures.header_height)
    assert heads == {}
    upper = max(box.y + box.height for box in picture.boxes if box.match.startswith("W"))
    for head in picture.headers:
        if head.part is BracketPart.FINAL:
            final = next(box for box in picture.boxes if box.match == bracket.final_match.id)
            assert head.y == pytest.approx(final.y - measures.header_height)
        else:
            assert (head.y >= upper) if head.part is BracketPart.LOSERS else (head.y == 0)
