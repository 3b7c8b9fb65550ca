"""Skipped entries of a ladder keep their turn, and the explanations of its suggested pairs are correct."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

import pytest

from pairing.draws.desk.desk import PairingSuggestion, UnpairedReason
from pairing.draws.desk.words import explain_unpaired_entry, explain_why_no_pairs
from pairing.draws.ladder import HOLDS_TABLE_REASON, count_challenges_per_wave, suggest_challenges
from pairing.draws.pairs.record import Pair, PairingConstraints
from pairing.draws.stages.plan import StageKind, read_stage_plan
from pairing.draws.stages.pools import PoolFacts, make_pool
from tests.pairing.draws.ladder.evening import NOON, Evening

NAMES = {1: "Ann", 2: "Bob", 3: "Cal", 4: "Dee", 5: "Eve"}
NO_TWO = "No two of the waiting players may meet."


def pairs_of(found: PairingSuggestion) -> list[Pair]:
    return [one.pair for one in found.pairs]


def said(found: PairingSuggestion) -> dict[int, str]:
    return {stay.entry: explain_unpaired_entry(stay, NAMES) for stay in found.unpaired}


def reasons(found: PairingSuggestion) -> list[str]:
    return [one.reason.describe(NAMES) for one in found.pairs if one.reason.describe is not None]


def after_one_game(entries: int = 4, games: int = 9, held: int = 1) -> Evening:
    """Return an evening on which entry 1 has beaten entry 2 and keeps the table."""
    evening = Evening(range(1, entries + 1), games, held)
    evening.win(evening.send(1, 2), 1)
    return evening


def test_a_skipped_entry_keeps_its_turn() -> None:
    evening = after_one_game()
    assert pairs_of(evening.suggest(held=[3])) == [(1, 4)]
    assert pairs_of(evening.suggest(absent=[3])) == [(1, 4)]
    evening.win(evening.send(1, 4), 4)
    assert evening.ladder().waiting_line == (4, 3, 2, 1)
    found = evening.suggest(absent=[3])
    assert pairs_of(found) == [(2, 4)] and {stay.entry: stay.why for stay in found.unpaired}[3] is UnpairedReason.ABSENT
    assert pairs_of(evening.suggest()) == [(3, 4)]


def test_a_holder_on_hold_loses_the_table_and_plays_next() -> None:
    evening = after_one_game()
    found = evening.suggest(held=[1])
    assert pairs_of(found) == [(3, 4)] and reasons(found) == ["Cal and Dee are next in the line."]
    assert found.pairs[0].keeps_table is None
    game = evening.send(3, 4)
    assert evening.ladder().holders == () and evening.ladder().waiting_line == (1, 2)
    evening.win(game, 4)
    assert evening.ladder().holders == (4,) and evening.ladder().waiting_line == (4, 1, 2, 3)
    found = evening.suggest()
    assert pairs_of(found) == [(1, 4)] and found.pairs[0].keeps_table == 4
    assert reasons(found) == ["Dee won the last game and stays; Ann is next in the line."]


def test_nobody_holds_a_table_at_which_others_play() -> None:
    # A result is corrected after the next game began, so its new winner gets the loser's turn.
    evening = after_one_game()
    evening.send(1, 3)
    evening.win("G1", 2)
    assert evening.ladder().holders == () and evening.ladder().waiting_line == (4, 2)
    evening.win("G2", 1)
    assert evening.ladder().holders == (1,) and evening.ladder().waiting_line == (1, 4, 2, 3)
    assert pairs_of(evening.suggest()) == [(1, 4)]


def test_two_who_never_meet_are_skipped() -> None:
    evening = after_one_game()
    ladder = evening.ladder()
    never = evening.desk(ladder, constraints=PairingConstraints(never=frozenset({(1, 3)})))
    assert pairs_of(suggest_challenges(ladder, never, NOON)) == [(1, 4)]
    evening.persons = {1: frozenset({"ann"}), 3: frozenset({"ann", "cal"})}
    assert pairs_of(evening.suggest()) == [(1, 4)]
    nobody = evening.desk(ladder, constraints=PairingConstraints(never=frozenset({(1, 2), (1, 3), (1, 4)})))
    found = suggest_challenges(ladder, nobody, NOON)
    assert pairs_of(found) == [(3, 4)], "a table is not left empty"
    assert said(found) == {1: HOLDS_TABLE_REASON, 2: "In line."}


def test_rematches_are_allowed() -> None:
    evening = after_one_game(2)
    found = evening.suggest()
    assert pairs_of(found) == [(1, 2)] and found.pairs[0].reason.is_rematch is False


def test_holders_meet_each_other_if_the_line_is_empty() -> None:
    evening = Evening((1, 2, 3, 4), 9, 2)
    evening.send(1, 2)
    evening.send(3, 4)
    evening.win("G2", 4)
    evening.win("G1", 1)
    found = evening.suggest(held=[2], absent=[3])
    assert pairs_of(found) == [(1, 4)]
    assert reasons(found) == ["Dee and Ann both hold a table, and nobody is in the line."]


def test_a_holder_without_a_challenger_has_a_reason() -> None:
    evening = after_one_game(3)
    assert (
        said(evening.suggest(held=[2, 3]))[1]
        == HOLDS_TABLE_REASON
        == "Holds the table, and nobody is in line to challenge them."
    )
    evening.send(1, 3)
    found = evening.suggest()
    assert said(found) == {2: "In line."}
    assert [stay.why for stay in found.unpaired] == [UnpairedReason.LEFT_OVER]


def test_during_the_last_games_nobody_lacks_a_challenger() -> None:
    evening = Evening((1, 2, 3, 4, 5), 3, 2)
    evening.send(1, 2)
    evening.send(3, 4)
    evening.win("G1", 1)
    evening.send(1, 5)
    evening.win("G2", 3)
    found = evening.suggest()
    assert found.pairs == () and evening.ladder().holders == (3,)
    assert said(found) == dict.fromkeys((2, 3, 4), "The last games are at their tables.")


def test_games_at_once_are_limited_by_tables_and_games_left() -> None:
    evening = Evening(range(1, 10), 5, 3)
    assert pairs_of(evening.suggest()) == [(1, 2), (3, 4), (5, 6)]
    for pair in ((1, 2), (3, 4), (5, 6), (7, 8)):
        evening.send(*pair)
    assert evening.suggest().pairs == (), "one more was sent by hand"
    evening.win("G1", 1)
    evening.win("G2", 3)
    assert len(evening.suggest().pairs) == 1, "two are played, two are at tables, one is left"


def test_the_ladder_ends_with_its_games_or_one_entry() -> None:
    evening = Evening((1, 2), 2)
    assert evening.ladder().kind is StageKind.LADDER
    evening.win(evening.send(1, 2), 1)
    assert not evening.ladder().is_complete
    evening.win(evening.send(1, 2), 1)
    ladder = evening.ladder()
    assert ladder.is_complete and ladder.waiting_line == () and evening.suggest().pairs == ()
    assert [one.why for one in ladder.qualifying.entrants.values()] == [
        "2–0: the ladder is over, the standings decide",
        "0–2: the ladder is over, the standings decide",
    ]
    left = after_one_game(2)
    left.leave(2)
    assert left.ladder().is_complete and left.ladder().qualifying[2].why == "0–1: withdrawn"


def test_penalties_and_byes_are_not_games_of_the_ladder() -> None:
    evening = Evening((1, 2), 2)
    evening.win(evening.send(1, 2), 1)
    evening.penalize(1)
    evening.penalize(2)
    ladder = evening.ladder()
    assert not ladder.is_complete and ladder.waiting_line == (1, 2)
    assert pairs_of(evening.suggest()) == [(1, 2)]
    assert ladder.qualifying[1].why == "1–1: holds the table"


def test_every_entry_has_a_status_text() -> None:
    evening = after_one_game()
    assert [evening.ladder().qualifying[entry].why for entry in (1, 2, 3)] == [
        "1–0: holds the table",
        "0–1: in the line",
        "0–0: in the line",
    ]
    evening.send(1, 3)
    evening.leave(4)
    assert [evening.ladder().qualifying[entry].why for entry in (1, 2, 3, 4)] == [
        "1–0: at a table",
        "0–1: in the line",
        "0–0: at a table",
        "0–0: withdrawn",
    ]


@pytest.mark.parametrize(
    ("entries", "games", "held", "waves"),
    [(9, 7, 3, [3, 3, 1]), (6, 6, 3, [3, 3]), (5, 4, 3, [2, 2]), (2, 3, 3, [1, 1, 1])],
)
def test_waves_are_limited_by_tables_and_players(entries: int, games: int, held: int, waves: list[int]) -> None:
    evening = Evening(range(1, entries + 1), games, held)
    assert count_challenges_per_wave(evening.ladder()) == waves
    evening.send(1, 2)
    assert sum(count_challenges_per_wave(evening.ladder())) == games - 1


def test_no_games_are_left_after_the_last() -> None:
    evening = Evening((1, 2, 3), 1)
    evening.win(evening.send(1, 2), 1)
    assert count_challenges_per_wave(evening.ladder()) == []


@pytest.mark.parametrize("at_tables", range(4))
def test_entries_at_tables_play_in_later_waves(at_tables: int) -> None:
    evening = Evening(range(1, 8), 12, 4)
    for turn in range(at_tables):
        evening.send(2 * turn + 1, 2 * turn + 2)
    full, rest = divmod(12 - at_tables, 3)
    assert count_challenges_per_wave(evening.ladder()) == [3] * full + [rest] * (rest > 0), (
        "seven players: three games at once"
    )


def explain_no_suggestion(evening: Evening, never: Collection[Pair] = ()) -> str:
    ladder = evening.ladder()
    desk = evening.desk(ladder, constraints=PairingConstraints(never=frozenset(never)))
    return explain_why_no_pairs(desk, suggest_challenges(ladder, desk, NOON))


def test_the_reason_for_no_suggestion_is_true() -> None:
    evening = Evening((1, 2, 3, 4), 2, 2)
    assert explain_no_suggestion(evening) == "", "two pairs are"
    assert explain_no_suggestion(evening, [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]) == NO_TWO
    first = evening.send(1, 2)
    assert explain_no_suggestion(evening, [(3, 4)]) == NO_TWO
    last = evening.send(3, 4)
    assert explain_no_suggestion(evening) == "The last game is being played."
    evening.win(first, 1)
    assert explain_no_suggestion(evening) == "The last game is being played."
    evening.win(last, 3)
    assert explain_no_suggestion(evening) == "The ladder is over."


def test_nobody_is_suggested_while_every_table_is_held_or_only_one_waits() -> None:
    evening = Evening((1, 2, 3, 4, 5), 9, 2)
    game = evening.send(1, 2)
    evening.send(3, 4)
    assert explain_no_suggestion(evening) == "The next player in line plays when a game is over."
    evening.leave(2)
    evening.leave(5)
    assert explain_no_suggestion(evening) == "Fewer than two can play now."
    evening.win(game, 1)
    assert explain_no_suggestion(evening) == "Fewer than two can play now."
    by_hand = Evening((1, 2, 3, 4, 5, 6), 9)
    by_hand.send(1, 2)
    by_hand.send(3, 4)
    assert explain_no_suggestion(by_hand) == "The next player in line plays when a game is over.", (
        "one more was sent by hand"
    )


def test_a_pair_has_waited_since_the_first_of_the_two_did() -> None:
    # Entry 1 has played, entry 9 came even later, and entry 3 has waited since the beginning.
    evening = after_one_game(3)
    evening.come(9)
    (found,) = evening.suggest().pairs
    assert (found.pair, found.reason.wins, found.waiting_since) == ((1, 3), (1, 0), NOON)
    (later,) = evening.suggest(held=[3]).pairs
    assert (later.pair, later.reason.wins, later.waiting_since) == ((1, 2), (1, 0), NOON + timedelta(minutes=1))
    evening.win(evening.send(1, 2), 2)
    (turned,) = evening.suggest(held=[3]).pairs
    assert (turned.pair, turned.reason.wins, turned.waiting_since) == ((2, 9), (1, 0), NOON + timedelta(minutes=2))


def test_entries_without_a_waiting_time_come_first_as_drawn() -> None:
    evening = Evening((7, 5, 4, 9), 9)
    some = {7: NOON, 4: NOON - timedelta(days=1)}
    assert evening.ladder().with_waiting_times(some).waiting_line == (5, 9, 4, 7)
    assert evening.ladder().with_waiting_times({}).waiting_line == (7, 5, 4, 9)


def test_another_pool_is_refused() -> None:
    terms = read_stage_plan({"kind": "fixed", "games": 2}).pool
    assert terms is not None
    pool = make_pool(StageKind.FIXED, terms, PoolFacts(entries=(1, 2)))
    evening = Evening((1, 2), 2)
    with pytest.raises(TypeError, match="fixed is no ladder"):
        suggest_challenges(pool, evening.desk(evening.ladder()), NOON)
    assert count_challenges_per_wave(pool) == []


def test_a_suggestion_names_everybody_once() -> None:
    evening = Evening((1, 2, 3, 4, 5), 9, 2)
    evening.send(4, 5)
    found = evening.suggest(held=[1])
    assert pairs_of(found) == [(2, 3)] and said(found)[1] == "On hold: the desk does not pair them."
    assert found.paired.pairs == ((2, 3),) and found.paired.bye is None
