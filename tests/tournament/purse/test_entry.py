"""Where an entry stands after each thing that can happen to it."""

import pytest

from tournament.errors import DomainError
from tournament.purse.entry import EntryFact, Standing, fold_entry

SINCE = "2026-10-01T12:00:00Z"
WAITS, KEPT, ASKS, LEFT_OVER = (
    EntryFact("wait-listed", since=SINCE), EntryFact("kept"), EntryFact("asks"), EntryFact("left-over"),
)  # fmt: skip
JOINED, BACK = EntryFact("joined"), EntryFact("reinstated")


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ([EntryFact("entered", asked=("hotel",))], Standing(asked=("hotel",))),
        ([WAITS], Standing(waiting_since=SINCE)),
        ([WAITS, EntryFact("promoted")], Standing()),
        ([WAITS, EntryFact("withdrawn", reason="ill")], Standing(withdrawn=True, why="ill")),
        ([EntryFact("withdrawn", reason="ill"), BACK], Standing()),
        ([KEPT, EntryFact("withdrawn", reason="ill", drawn=True)], Standing(removed=True, why="ill")),
        (
            [WAITS, EntryFact("approved", "hotel"), EntryFact("refused", "hotel", "no room")],
            Standing(refused=True, refused_by="hotel", why="no room"),
        ),
        (
            [EntryFact("approved", "hotel"), EntryFact("refused", "hotel", "no room"), BACK],
            Standing(),
        ),
        ([EntryFact("approved", "hotel"), EntryFact("approved", "club")], Standing(given=frozenset({"hotel", "club"}))),
        ([KEPT], Standing(kept=True)),
        ([KEPT, EntryFact("no-show", reason="did not come")], Standing(removed=True, why="did not come")),
        ([EntryFact("left-out", reason="did not come"), KEPT], Standing(kept=True)),
        ([EntryFact("eliminated", reason="lost"), BACK], Standing()),
        ([EntryFact("disqualified", reason="shouting")], Standing(removed=True, why="shouting")),
        ([EntryFact("arrived")], Standing(arrived=True)),
        ([EntryFact("arrived"), EntryFact("not-arrived")], Standing()),
        ([EntryFact("substituted"), EntryFact("side"), EntryFact("site"), EntryFact("pool")], Standing()),
        ([ASKS, LEFT_OVER], Standing(seeking=True, left_over=True)),
        ([ASKS, LEFT_OVER, ASKS], Standing(seeking=True)),
        ([ASKS, LEFT_OVER, JOINED], Standing(seeking=True, joined=True)),
        ([ASKS, JOINED, ASKS], Standing(seeking=True)),
        ([JOINED, EntryFact("parted", reason="partner left")], Standing(joined=True, parted=True, why="partner left")),
    ],
)
def test_what_happened_says_where_an_entry_stands(facts: list[EntryFact], standing: Standing) -> None:
    assert fold_entry(facts) == standing


@pytest.mark.parametrize(
    ("standing", "state"),
    [
        (Standing(), "in"),
        (Standing(asked=("hotel",)), "applied"),
        (Standing(asked=("hotel",), given=frozenset({"hotel"})), "in"),
        (Standing(asked=("hotel",), waiting_since=SINCE), "waiting"),
        (Standing(refused=True), "refused"),
        (Standing(refused=True, withdrawn=True, removed=True), "withdrawn"),
        (Standing(removed=True, waiting_since=SINCE), "removed"),
        (Standing(seeking=True), "seeking"),
        (Standing(seeking=True, joined=True), "joined"),
        (Standing(joined=True, parted=True), "parted"),
    ],
)
def test_each_state_follows_from_where_it_stands(standing: Standing, state: str) -> None:
    assert standing.state == state


def test_nothing_else_happens_to_an_entry() -> None:
    with pytest.raises(DomainError) as refused:
        fold_entry([EntryFact("vanished")])
    assert refused.value.code == "no-such-fact"
