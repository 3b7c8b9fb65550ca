import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.pairs.record import EntryWithRecord, pair_by_record
from pairing.draws.results import (
    Credit,
    EntryRemoval,
    MatchOutcome,
    Meeting,
    RemovalReason,
    Result,
    ResultCause,
    compute_win_loss_records,
)
from pairing.draws.stages.plan import read_stage_plan
from pairing.draws.stages.qualifier import (
    GRA_PARTNERSHIP_TERMS,
    QualifierTerms,
    QualifyingStage,
    QualifyingStatus,
    make_qualifying_stage,
)
from tests.chance import examples
from tournament.errors import InvalidInput


def played(results: str, entry: int = 7) -> list[Meeting]:
    """Return one entry's games against entries 101, 102, and so on.

    `results` contains a letter for each game: W and L for wins and losses, B for a bye, P for a penalty, and N for a
    game without credit because the opponent was penalized.
    """
    meetings = []
    for number, letter in enumerate(results, start=1):
        name, other = f"G{number}M1", 100 + number
        if letter in "BP":
            meetings.append(Meeting.bye(name, entry) if letter == "B" else Meeting.penalty(name, entry))
            continue
        outcome = {
            "W": MatchOutcome.won(name, entry, other),
            "L": MatchOutcome.won(name, other, entry),
            "N": MatchOutcome(
                name,
                None,
                {entry: Credit(Result.NONE, ResultCause.PLAYED), other: Credit(Result.LOSS, ResultCause.PENALTY)},
            ),
        }[letter]
        meetings.append(Meeting(name, (entry, other), outcome))
    return meetings


@pytest.mark.parametrize(
    ("results", "way", "why"),
    [
        ("", QualifyingStatus.PLAYS_ON, "0–0: 5 games left"),
        ("WL", QualifyingStatus.PLAYS_ON, "1–1: 3 games left"),
        ("LL", QualifyingStatus.OUT, "0–2: eliminated with 2 losses"),
        ("WWWLL", QualifyingStatus.OUT, "3–2: eliminated with 2 losses"),
        ("WWWW", QualifyingStatus.MUST_PLAY_ON, "4–0: unbeaten, the other game must be played"),
        ("WWWWW", QualifyingStatus.QUALIFIED, "5–0: qualified with 5 wins"),
        ("WWWWL", QualifyingStatus.QUALIFIED, "4–1: qualified with 4 wins"),
        ("WLWWW", QualifyingStatus.QUALIFIED, "4–1: qualified with 4 wins"),
        ("WBWW", QualifyingStatus.MUST_PLAY_ON, "4–0: unbeaten, the other game must be played"),
        ("WPWWW", QualifyingStatus.QUALIFIED, "4–1: qualified with 4 wins"),
        ("WWWWLP", QualifyingStatus.OUT, "4–2: eliminated with 2 losses"),
        ("WWWN", QualifyingStatus.PLAYS_ON, "3–0: 2 games left"),
    ],
)
def test_five_games_out_at_two_losses_four_wins_in_the_final(results: str, way: QualifyingStatus, why: str) -> None:
    found = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, [7], played(results))[7]
    assert (found.status, found.why) == (way, why)


@pytest.mark.parametrize(
    ("terms", "results", "way"),
    [
        (QualifierTerms(unbeaten_play_on=False), "WWWW", QualifyingStatus.QUALIFIED),
        (QualifierTerms(games=7, losses=3, wins=4), "WWWWL", QualifyingStatus.QUALIFIED),
        (QualifierTerms(games=7, losses=3, wins=4), "WWWW", QualifyingStatus.MUST_PLAY_ON),
        (QualifierTerms(games=7, losses=3, wins=4), "WWWLL", QualifyingStatus.PLAYS_ON),
        (QualifierTerms(games=4, losses=None, wins=None), "LLL", QualifyingStatus.PLAYS_ON),
        (QualifierTerms(games=4, losses=None, wins=None), "LLLL", QualifyingStatus.QUALIFIED),
        (QualifierTerms(games=4, losses=None, wins=3), "LLWW", QualifyingStatus.OUT),
    ],
)
def test_other_terms_decide_by_their_limits(terms: QualifierTerms, results: str, way: QualifyingStatus) -> None:
    assert make_qualifying_stage(terms, [7], played(results))[7].status is way


def test_entries_are_ready_playing_or_alone() -> None:
    at_table = Meeting("G1M1", (1, 2))
    now = make_qualifying_stage(
        GRA_PARTNERSHIP_TERMS, [1, 2, 3, 4], [at_table], [EntryRemoval(4, RemovalReason.WITHDRAWN)]
    )
    assert (now.ready_entries, now.playing_entries, now.entry_without_opponent, now.is_complete) == (
        (3,),
        (1, 2),
        None,
        False,
    )
    assert now[4].why == "0–0: withdrawn"
    assert now[3].make_entry_with_record(frozenset({"ann"})) == EntryWithRecord(3, 0, persons=frozenset({"ann"}))
    fined = [Meeting.penalty("X1", 101), Meeting.penalty("X2", 102), Meeting.penalty("X3", 102)]
    last = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, [7, 101, 102], [*played("WWWW"), *fined])
    assert last[101].record.losses == 2
    assert last.entry_without_opponent == 7
    done = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, [7], [*played("WWWW"), Meeting.bye("G5M1", 7)])
    assert done.is_complete
    assert done.list_entries_with_status(QualifyingStatus.QUALIFIED) == (7,)


@pytest.mark.parametrize(
    ("outcome", "met"),
    [
        (None, True),
        (MatchOutcome.won("G1M1", 1, 2), True),
        (MatchOutcome.won("G1M1", 1, 2, ResultCause.TIME), True),
        (MatchOutcome.won("G1M1", 1, 2, ResultCause.FORFEIT), True),
        (MatchOutcome.lost_by_all("G1M1", (1, 2), ResultCause.PENALTY), True),
        (MatchOutcome.won("G1M1", 1, 2, ResultCause.NO_SHOW), False),
        (MatchOutcome.lost_by_all("G1M1", (1, 2)), False),
        (MatchOutcome.void("G1M1", (1, 2)), False),
    ],
)
def test_two_have_met_if_they_sat_down(outcome: MatchOutcome | None, met: bool) -> None:
    records = compute_win_loss_records([1, 2], [Meeting("G1M1", (1, 2), outcome)])
    assert records[1].met == (frozenset({2}) if met else frozenset())
    assert records[2].met == (frozenset({1}) if met else frozenset())
    forgotten = compute_win_loss_records([1, 2], [Meeting("G1M1", (1, 2), outcome, counts_for_rematches=False)])
    assert forgotten[1].met == frozenset()
    assert forgotten[1].wins == records[1].wins


def test_own_credits_and_their_points() -> None:
    outcome = MatchOutcome(
        "G1M1", None, {1: Credit(Result.LOSS, ResultCause.PENALTY), 2: Credit(Result.NONE, ResultCause.PLAYED)}
    )
    meetings = [
        Meeting("G1M1", (1, 2), outcome, {1: 90, 2: 40}),
        Meeting("G2M1", (2, 1), MatchOutcome.void("G2M1", (1, 2)), {1: 9, 2: 4}),
        Meeting.bye("G3M1", 2),
    ]
    one, two = compute_win_loss_records([1, 2], meetings).values()
    assert (one.wins, one.losses, one.games, one.byes, one.spread) == (0, 1, 1, 0, 50)
    assert (two.wins, two.losses, two.games, two.byes, two.spread) == (1, 0, 1, 1, 0), "neither a win nor a loss"
    assert [own.counts_as_game for own in two.credits] == [False, True]


def test_invalid_meetings_raise_an_error() -> None:
    with pytest.raises(ValueError, match="two sides"):
        Meeting("G1M1", (1, 2, 3))
    with pytest.raises(ValueError, match="other sides"):
        Meeting("G1M1", (1, 2), MatchOutcome.won("G1M1", 1, 3))
    with pytest.raises(ValueError, match="match stands twice"):
        compute_win_loss_records([1, 2], [Meeting("G1M1", (1, 2)), Meeting("G1M1", (1, 2))])


def test_terms_are_read_strictly() -> None:
    free = QualifierTerms(games=3, losses=None, wins=None, unbeaten_play_on=False, byes_to=())
    for options, terms in (
        ({}, GRA_PARTNERSHIP_TERMS),
        (GRA_PARTNERSHIP_TERMS.as_json(), GRA_PARTNERSHIP_TERMS),
        (free.as_json(), free),
    ):
        pool = read_stage_plan({"kind": "record", **options}).pool
        assert pool is not None and pool.qualifier == terms
    for bad, path in (
        ({"games": 0}, "games"),
        ({"losses": 6}, "losses"),
        ({"wins": "4"}, "wins"),
        ({"byes_to": [5, 0]}, "byes_to[1]"),
        ({"rounds": 5}, "rounds"),
    ):
        with pytest.raises(InvalidInput) as refused:
            read_stage_plan({"kind": "record", **bad})
        assert [problem.path for problem in refused.value.problems] == [f"stage.{path}"]
    for wrong in ({"games": 0}, {"losses": 0}, {"wins": 9}):
        with pytest.raises(ValueError):
            QualifierTerms(**wrong)


def test_an_entry_is_paired_with_its_record() -> None:
    now = make_qualifying_stage(GRA_PARTNERSHIP_TERMS, [7], played("WLB"))
    assert now[7].make_entry_with_record() == EntryWithRecord(7, 2, losses=1, byes=1, met=frozenset({101, 102}))


class Day:
    """A simulated qualifying day whose state is updated step by step, instead of being recomputed from all results."""

    def __init__(self, entries: int, terms: QualifierTerms, chance: random.Random) -> None:
        self.terms, self.chance = terms, chance
        self.record = {number: [0, 0] for number in range(1, entries + 1)}
        self.gone: list[EntryRemoval] = []
        self.meetings: list[Meeting] = []
        self.met: set[frozenset[int]] = set()

    def state(self) -> QualifyingStage:
        return make_qualifying_stage(self.terms, self.record, self.meetings, self.gone)

    def may_play(self, number: int) -> bool:
        wins, losses = self.record[number]
        if any(fact.entry == number for fact in self.gone) or losses == self.terms.losses:
            return False
        return wins + losses < self.terms.games and (wins != self.terms.wins or losses == 0)

    def play(self) -> None:
        """Play the next pairs. Sometimes an entry is absent, or leaves afterward."""
        name = f"G{len(self.meetings)}"
        now = self.state()
        paired = pair_by_record([now[number].make_entry_with_record() for number in now.ready_entries], seed=name)
        if paired.bye is not None:
            self.meetings.append(Meeting.bye(f"{name}B", paired.bye))
            self.record[paired.bye][0] += 1
        for one, other in paired.pairs:
            self._end(f"{name}M{one}", *self.chance.sample((one, other), 2))
        if self.chance.random() < 0.2:
            self.gone.append(EntryRemoval(self.chance.choice(list(self.record)), RemovalReason.WITHDRAWN))

    def _end(self, name: str, winner: int, loser: int) -> None:
        cause = self.chance.choices([ResultCause.PLAYED, ResultCause.NO_SHOW, ResultCause.BOTH_ABSENT], [8, 1, 1])[0]
        if cause is ResultCause.BOTH_ABSENT:
            self.meetings.append(Meeting(name, (winner, loser), MatchOutcome.lost_by_all(name, (winner, loser))))
            self.record[winner][1] += 1
        else:
            self.meetings.append(Meeting(name, (winner, loser), MatchOutcome.won(name, winner, loser, cause)))
            self.record[winner][0] += 1
        self.record[loser][1] += 1
        if cause is ResultCause.PLAYED:
            self.met.add(frozenset((winner, loser)))


TERMS = st.sampled_from(
    [GRA_PARTNERSHIP_TERMS, QualifierTerms(games=7, losses=3, wins=5), QualifierTerms(games=4, losses=None, wins=None)]
)


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(2, 40), TERMS, st.randoms(use_true_random=False))
def test_a_whole_qualifying_stage_decides_every_entry(
    entries: int, terms: QualifierTerms, chance: random.Random
) -> None:
    day = Day(entries, terms, chance)
    for _turn in range(terms.games + 3):
        now = day.state()
        assert now.ready_entries == tuple(number for number in day.record if day.may_play(number))
        assert {number: (found.record.wins, found.record.losses) for number, found in now.entrants.items()} == {
            number: tuple(record) for number, record in day.record.items()
        }
        met = {frozenset((number, other)) for number, found in now.entrants.items() for other in found.record.met}
        assert met == day.met
        if now.is_complete:
            break
        day.play()
    assert now.is_complete
    for found in now.entrants.values():
        assert not found.status.is_in_play
        if found.status is QualifyingStatus.QUALIFIED and terms.wins is not None and terms.losses is not None:
            assert found.record.wins >= terms.wins
            assert found.record.losses < terms.losses
    assert max(Counter(meeting.match for meeting in day.meetings).values(), default=1) == 1


# --- Test plays on ---------------------------------------------------------------------------------------------------
# Whether a record has a game to come, as the qualifying itself says it.


@given(
    st.integers(1, 6),
    st.none() | st.integers(1, 6),
    st.none() | st.integers(1, 6),
    st.booleans(),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_plays_on_agrees_with_the_status(
    games: int, losses: int | None, wins: int | None, unbeaten: bool, won: int, lost: int
) -> None:
    losses, wins = (min(limit, games) if limit else None for limit in (losses, wins))
    terms = QualifierTerms(games=games, losses=losses, wins=wins, unbeaten_play_on=unbeaten, byes_to=())
    byes = [Meeting.bye(f"W{turn}", 1) for turn in range(won)]
    lost_games = [Meeting.penalty(f"L{turn}", 1) for turn in range(lost)]
    found = make_qualifying_stage(terms, [1], [*byes, *lost_games])[1]
    assert terms.has_next_game(won, lost) is found.is_ready
