"""The standing of an entry after each fact."""

import pytest

from tests.kit import refused
from tournament.purse.entry import EntryFact, EntryStanding, fold_entry

SINCE = "2026-10-01T12:00:00Z"
WAITS, KEPT, ASKS, LEFT_OVER = (
    EntryFact("wait-listed", since=SINCE), EntryFact("kept"), EntryFact("asks"), EntryFact("left-over"),
)  # fmt: skip
JOINED, BACK = EntryFact("joined"), EntryFact("reinstated")


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ([EntryFact("entered", asked=("hotel",))], EntryStanding(asked=("hotel",))),
        ([WAITS], EntryStanding(waiting_since=SINCE)),
        ([WAITS, EntryFact("promoted")], EntryStanding()),
        ([WAITS, EntryFact("withdrawn", reason="ill")], EntryStanding(withdrawn=True, why="ill")),
        ([EntryFact("withdrawn", reason="ill"), BACK], EntryStanding()),
        ([KEPT, EntryFact("withdrawn", reason="ill", drawn=True)], EntryStanding(removed=True, why="ill")),
        (
            [WAITS, EntryFact("approved", "hotel"), EntryFact("refused", "hotel", "no room")],
            EntryStanding(refused=True, why="no room"),
        ),
        (
            [EntryFact("approved", "hotel"), EntryFact("refused", "hotel", "no room"), BACK],
            EntryStanding(),
        ),
        (
            [EntryFact("approved", "hotel"), EntryFact("approved", "club")],
            EntryStanding(given=frozenset({"hotel", "club"})),
        ),
        ([KEPT], EntryStanding(kept=True)),
        ([KEPT, EntryFact("no-show", reason="did not come")], EntryStanding(removed=True, why="did not come")),
        ([EntryFact("left-out", reason="did not come"), KEPT], EntryStanding(kept=True)),
        ([EntryFact("eliminated", reason="lost"), BACK], EntryStanding()),
        ([EntryFact("disqualified", reason="shouting")], EntryStanding(removed=True, why="shouting")),
        ([EntryFact("arrived")], EntryStanding(arrived=True)),
        ([EntryFact("arrived"), EntryFact("not-arrived")], EntryStanding()),
        ([EntryFact("substituted"), EntryFact("side"), EntryFact("site"), EntryFact("pool")], EntryStanding()),
        ([ASKS, LEFT_OVER], EntryStanding(seeking=True, left_over=True)),
        ([ASKS, LEFT_OVER, ASKS], EntryStanding(seeking=True)),
        ([ASKS, LEFT_OVER, JOINED], EntryStanding(seeking=True, joined=True)),
        ([ASKS, JOINED, ASKS], EntryStanding(seeking=True)),
        (
            [JOINED, EntryFact("parted", reason="partner left")],
            EntryStanding(joined=True, parted=True, why="partner left"),
        ),
    ],
)
def test_facts_determine_the_standing_of_an_entry(facts: list[EntryFact], standing: EntryStanding) -> None:
    assert fold_entry(facts) == standing


@pytest.mark.parametrize(
    ("standing", "state"),
    [
        (EntryStanding(), "in"),
        (EntryStanding(asked=("hotel",)), "applied"),
        (EntryStanding(asked=("hotel",), given=frozenset({"hotel"})), "in"),
        (EntryStanding(asked=("hotel",), waiting_since=SINCE), "waiting"),
        (EntryStanding(refused=True), "refused"),
        (EntryStanding(refused=True, withdrawn=True, removed=True), "withdrawn"),
        (EntryStanding(removed=True, waiting_since=SINCE), "removed"),
        (EntryStanding(seeking=True), "seeking"),
        (EntryStanding(seeking=True, joined=True), "joined"),
        (EntryStanding(joined=True, parted=True), "parted"),
    ],
)
def test_the_standing_determines_the_state(standing: EntryStanding, state: str) -> None:
    assert standing.state == state


def test_an_unknown_fact_is_refused() -> None:
    with refused("no-such-fact"):
        fold_entry([EntryFact("vanished")])
