"""A posted card becomes final after the longest of three periods: for corrections, rulings, and appeals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from scoring.rules.sheet.card_status import CorrectionPeriod, CorrectionTerms, StaffEntryCheck

POSTED = datetime(2026, 11, 27, 14, 3, tzinfo=UTC)
TERMS = CorrectionTerms(corrections=10, rulings=20, appeals=15, second=StaffEntryCheck.REKEY)


def after(minutes: int, seconds: int = 0) -> datetime:
    return POSTED + timedelta(minutes=minutes, seconds=seconds)


def test_missing_terms_get_their_defaults() -> None:
    kept = {"corrections": 10, "rulings": 20, "appeals": 15, "second": "rekey"}
    assert TERMS.as_json() == kept
    assert CorrectionTerms.from_json(kept) == TERMS
    assert CorrectionTerms.from_json({}) == CorrectionTerms(
        corrections=30, rulings=30, appeals=30, second=StaffEntryCheck.NONE
    )


def test_each_period_ends_by_itself_and_the_longest_makes_it_final() -> None:
    clock = CorrectionPeriod(POSTED, TERMS)
    ends = (clock.corrections_until, clock.rulings_until, clock.appeals_until, clock.final_at)
    assert ends == (after(10), after(20), after(15), after(20))
    assert [clock.accepts_corrections(at) for at in (after(9, 59), after(10))] == [True, False]
    assert [clock.is_final(at) for at in (after(19, 59), after(20))] == [False, True]
    assert not CorrectionPeriod(POSTED, TERMS, held=True).is_final(after(90))


@pytest.mark.parametrize("longest", ["corrections", "rulings", "appeals"])
def test_any_of_the_three_can_be_the_longest(longest: str) -> None:
    assert CorrectionTerms.from_json({longest: 45}).longest_period == 45
