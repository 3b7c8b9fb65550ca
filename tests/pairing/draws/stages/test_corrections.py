from datetime import UTC, datetime

from pairing.draws.knockout.corrections import LaterMatchChoice
from pairing.draws.results import Credit, MatchOutcome, Result, ResultCause
from pairing.draws.stages.corrections import PairedGame

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


def test_only_a_played_game_can_be_replayed() -> None:
    over = PairedGame("G1M1", (1, 2), NOON, ((NOON, MatchOutcome.won("G1M1", 1, 2)),))
    bye = PairedGame("G1M2", (3,), NOON, ((NOON, MatchOutcome("G1M2", 3, {3: Credit(Result.WIN, ResultCause.BYE)})),))
    playing = PairedGame("G1M3", (4, 5), NOON)
    undone = PairedGame("G1M4", (6, 7), NOON, ((NOON, MatchOutcome.won("G1M4", 6, 7)), (NOON, None)))
    keep, replay, void = LaterMatchChoice.KEEP, LaterMatchChoice.REPLAY, LaterMatchChoice.VOID
    assert [game.allowed_choices for game in (over, bye, playing, undone)] == [
        (keep, replay, void),
        (keep, void),
        (keep, void),
        (keep, void),
    ]
    assert [game.is_bye for game in (over, bye, playing)] == [False, True, False]
