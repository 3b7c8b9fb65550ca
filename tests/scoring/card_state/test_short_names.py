"""Short names over narrow columns: a last name keeps what belongs to it, and two of a card are never the same."""

from __future__ import annotations

import pytest

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.side_names import short_name
from tests.scoring.helpers.playing import an_event_in_play, the_card


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("W. E. B. Du Bois", "Du Bois"),
        ("Ludwig van Beethoven", "van Beethoven"),
        ("Juana Inés de la Cruz", "de la Cruz"),
        ("Otto von der Heide Jr.", "von der Heide Jr."),
        ("Jill St. John", "St. John"),
        ("Shaquille O'Neil", "O'Neil"),
        ("Ralph Waldo Emerson", "Emerson"),
        ("Van Morrison", "Morrison"),
        ("Al Green", "Green"),
        ("de Gaulle", "de Gaulle"),
        ("Ada Lovelace / Alan Turing", "Lovelace / Turing"),
        ("A. L.", "A. L."),
        ("Ada", "Ada"),
        ("", ""),
    ],
)
def test_a_last_name_keeps_its_particle(name: str, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("names", "short"),
    [
        (("Anna van Dyke", "Ben Dyke"), ("van Dyke", "Dyke")),
        (("Anna Du Bois", "Ben Du Bois"), ("Anna Du Bois", "Ben Du Bois")),
    ],
)
def test_two_of_a_card_are_told_apart(names: tuple[str, str], short: tuple[str, str]) -> None:
    card = the_card(an_event_in_play(names))
    assert load_card_by_pk(card.pk).short_names == short
