import pytest

from tests.kit import refused
from tournament.purse.entry import EntryStatusChange, EntrySummary, summarize_entry

SINCE = "2026-10-01T12:00:00Z"
WAITS, KEPT, ASKS, LEFT_OVER = (
    EntryStatusChange("wait-listed", since=SINCE), EntryStatusChange("kept"), EntryStatusChange("asks"),
    EntryStatusChange("left-over"),
)  # fmt: skip
JOINED, BACK = EntryStatusChange("joined"), EntryStatusChange("reinstated")


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ([EntryStatusChange("entered", asked=("hotel",))], EntrySummary(asked=("hotel",))),
        ([WAITS], EntrySummary(waiting_since=SINCE)),
        ([WAITS, EntryStatusChange("promoted")], EntrySummary()),
        ([WAITS, EntryStatusChange("withdrawn", reason="ill")], EntrySummary(withdrawn=True, why="ill")),
        ([EntryStatusChange("withdrawn", reason="ill"), BACK], EntrySummary()),
        ([KEPT, EntryStatusChange("withdrawn", reason="ill", drawn=True)], EntrySummary(removed=True, why="ill")),
        (
            [WAITS, EntryStatusChange("approved", "hotel"), EntryStatusChange("refused", "hotel", "no room")],
            EntrySummary(refused=True, why="no room"),
        ),
        (
            [EntryStatusChange("approved", "hotel"), EntryStatusChange("refused", "hotel", "no room"), BACK],
            EntrySummary(),
        ),
        (
            [EntryStatusChange("approved", "hotel"), EntryStatusChange("approved", "club")],
            EntrySummary(given=frozenset({"hotel", "club"})),
        ),
        ([KEPT], EntrySummary(kept=True)),
        ([KEPT, EntryStatusChange("no-show", reason="did not come")], EntrySummary(removed=True, why="did not come")),
        ([EntryStatusChange("left-out", reason="did not come"), KEPT], EntrySummary(kept=True)),
        ([EntryStatusChange("eliminated", reason="lost"), BACK], EntrySummary()),
        ([EntryStatusChange("disqualified", reason="shouting")], EntrySummary(removed=True, why="shouting")),
        ([EntryStatusChange("arrived")], EntrySummary(arrived=True)),
        ([EntryStatusChange("arrived"), EntryStatusChange("not-arrived")], EntrySummary()),
        (
            [
                EntryStatusChange("substituted"),
                EntryStatusChange("side"),
                EntryStatusChange("site"),
                EntryStatusChange("pool"),
            ],
            EntrySummary(),
        ),
        ([ASKS, LEFT_OVER], EntrySummary(seeking=True, left_over=True)),
        ([ASKS, LEFT_OVER, ASKS], EntrySummary(seeking=True)),
        ([ASKS, LEFT_OVER, JOINED], EntrySummary(seeking=True, joined=True)),
        ([ASKS, JOINED, ASKS], EntrySummary(seeking=True)),
        (
            [JOINED, EntryStatusChange("parted", reason="partner left")],
            EntrySummary(joined=True, parted=True, why="partner left"),
        ),
    ],
)
def test_facts_determine_the_standing_of_an_entry(facts: list[EntryStatusChange], standing: EntrySummary) -> None:
    assert summarize_entry(facts) == standing


@pytest.mark.parametrize(
    ("standing", "state"),
    [
        (EntrySummary(), "in"),
        (EntrySummary(asked=("hotel",)), "applied"),
        (EntrySummary(asked=("hotel",), given=frozenset({"hotel"})), "in"),
        (EntrySummary(asked=("hotel",), waiting_since=SINCE), "waiting"),
        (EntrySummary(refused=True), "refused"),
        (EntrySummary(refused=True, withdrawn=True, removed=True), "withdrawn"),
        (EntrySummary(removed=True, waiting_since=SINCE), "removed"),
        (EntrySummary(seeking=True), "seeking"),
        (EntrySummary(seeking=True, joined=True), "joined"),
        (EntrySummary(joined=True, parted=True), "parted"),
    ],
)
def test_the_standing_determines_the_state(standing: EntrySummary, state: str) -> None:
    assert standing.state == state


def test_an_unknown_fact_is_refused() -> None:
    with refused("no-such-fact"):
        summarize_entry([EntryStatusChange("vanished")])
