from __future__ import annotations

import pytest

from scoring.disputes.tables import describe_appeal


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
    assert describe_appeal(standing) == said
