"""What became of an appeal in words; no database."""

from __future__ import annotations

import pytest

from scoring.disputes.tables.rulings import appeal_in_words


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
    assert appeal_in_words(standing) == said
