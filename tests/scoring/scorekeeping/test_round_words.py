from __future__ import annotations

import pytest

from scoring.rules.variants.metzker.couples import RoundAward, RoundTally
from scoring.scorekeeping.tables import describe_awards, describe_round


def tally(points: RoundAward, gins: RoundAward) -> RoundTally:
    sums = {"Guys": 61, "Girls": 40}
    return RoundTally(
        points=sums, running=sums, event="", explanation="", games=(), gins=(), report_awards=(), sums=sums,
        gin_sums={}, points_award=points, gins_award=gins, dealers=None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("points", "gins", "line", "award"),
    [
        (RoundAward("Guys", 21, (0,)), RoundAward("Girls", 1, (0,)), "21 to Guys, 1 gin to Girls",
         "21 points to Guys, who deal next. 1 gin to Girls."),
        (RoundAward(), RoundAward("Girls", 2), "tied",
         "Tied: no points are awarded. 2 gins to Girls, in no game yet."),
        (RoundAward(), RoundAward(), "tied", "Tied: no points are awarded."),
    ],
)  # fmt: skip
def test_what_a_round_was_awarded(points: RoundAward, gins: RoundAward, line: str, award: str) -> None:
    counted = tally(points, gins)
    assert describe_round(counted) == f"Guys 61, Girls 40: {line}"
    assert describe_awards(counted) == award
