from __future__ import annotations

import datetime as dt

import pytest

from tournament.core.pdf.lists import format_tournament_days, make_pdf_file_name
from tournament.models import Tournament

AT = dt.datetime(2026, 11, 22, 22, 45, tzinfo=dt.UTC)


def _held(first: str, last: str) -> Tournament:
    return Tournament(starts_on=dt.date.fromisoformat(first), ends_on=dt.date.fromisoformat(last))


def test_a_file_name_has_round_table_and_venue_time() -> None:
    at_the_desert = Tournament(time_zone="America/Los_Angeles")
    made = make_pdf_file_name(at_the_desert, "main", "round-cards", at=AT, rounds=[2, 3], table=7)
    assert made == "main-round-cards-round-2-3-table-7-2026-11-22-1445.pdf"
    assert make_pdf_file_name(at_the_desert, "main", "", "Card R1M1", at=AT) == "main-card-r1m1-2026-11-22-1445.pdf"


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        ("2026-11-22", "2026-11-22", "Nov 22, 2026"),
        ("2026-11-20", "2026-11-22", "Nov 20–22, 2026"),
        ("2026-11-29", "2026-12-01", "Nov 29–Dec 1, 2026"),
    ],
)
def test_the_days_of_a_tournament(first: str, last: str, said: str) -> None:
    assert format_tournament_days(_held(first, last)) == said
