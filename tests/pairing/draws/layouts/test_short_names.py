"""Names in pictures are shortened only if they do not fit, and are never wider than their space."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reportlab.pdfbase import pdfmetrics

from pairing.draws.layouts.short_names import _list_short_forms, estimate_text_width, shorten_name_to_fit
from tournament.core.pdf.paper import BOLD_FONT, SANS_FONT, load_fonts

FORMS = [
    ("George Washington Carver", ["George W. Carver", "G. W. Carver", "G. Carver", "Carver"]),
    ("Ada Lovelace", ["A. Lovelace", "Lovelace"]),
    ("Martin Luther King Jr.", ["Martin L. King Jr.", "M. L. King Jr.", "M. King Jr.", "King Jr."]),
    ("Ludwig Mies van der Rohe", ["Ludwig M. van der Rohe", "L. M. van der Rohe", "L. van der Rohe", "van der Rohe"]),
    ("Jean-Pierre Élie Dupont", ["Jean-Pierre É. Dupont", "J.-P. É. Dupont", "J.-P. Dupont", "Dupont"]),
    ("Ada Lovelace / George Washington Carver", ["Ada Lovelace / George W. Carver", "A. Lovelace / G. W. Carver"]),
    ("Cher", []),
    ("Player 12", []),
    ("Carver, George", []),
]


@pytest.mark.parametrize(("name", "shorter"), FORMS)
def test_names_have_shorter_forms(name: str, shorter: list[str]) -> None:
    assert list(_list_short_forms(name)[: len(shorter) + 1]) == [name, *shorter]


@pytest.mark.parametrize(
    ("letters", "shown"),
    [
        (40, "George Washington Carver"),
        (20, "George W. Carver"),
        (15, "G. W. Carver"),
        (11, "G. Carver"),
        (8, "Carver"),
        (5, "Car…"),
    ],
)
def test_the_longest_form_that_fits_is_used(letters: int, shown: str) -> None:
    assert shorten_name_to_fit("George Washington Carver", letters * 8.0, 8.0) == shown


@given(st.text(min_size=1, max_size=60), st.integers(30, 300))
def test_every_name_fits_its_space(name: str, room: int) -> None:
    shown = shorten_name_to_fit(name, room, 8.2)
    assert estimate_text_width(shown, 8.2) <= room or shown == f"{_list_short_forms(name)[-1][:1]}…"


@pytest.mark.parametrize("name", [name for name, _shorter in FORMS])
@pytest.mark.parametrize(("font", "letter"), [(SANS_FONT, 8.2), (BOLD_FONT, 9.2)])
def test_it_is_not_wider_in_the_widest_of_the_usual_fonts(name: str, font: str, letter: float) -> None:
    load_fonts()
    assert pdfmetrics.stringWidth(name, font, 15) <= estimate_text_width(name, letter)
