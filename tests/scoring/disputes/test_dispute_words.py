"""What became of an appeal in words; no database."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scoring.disputes.tables.disputes import ShownDispute


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        ("appealed", "Appealed. The committee decides."),
        ("upheld", "Appealed. The committee upheld it."),
        ("changed", "This is the committee’s ruling on appeal."),
        ("ruled", ""),
        ("waiting", ""),
    ],
)
def test_what_became_of_the_appeal(standing: str, said: str) -> None:
    at = datetime(2026, 11, 22, tzinfo=UTC)
    shown = ShownDispute(pk=1, title="", hand=None, caller="", at=at, standing=standing, is_own=False)
    assert shown.of_appeal == said
