"""Names are sorted by family name on every database, with accented letters next to plain ones."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps

from tests.factories import a_director, an_entrant, an_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant
from tournament.registration.services.entries import EntryRequest, add_entry, substitute_player
from tournament.registration.services.people import Person, change_sort_name
from tournament.spreadsheets import (
    RowParsingContext,
    map_cells_by_field,
    parse_entry_row,
    parse_last_name_first,
    propose_sort_name,
    sort_key,
)

BY_FAMILY_NAME = (
    "Åsa Ahlgren", "Anna Åkesson", "Zoë Alvarez", "Ludwig van Beethoven", "Édith Piaf", "Oscar Peterson", "Émile Zola",
    "Лев Толстой",
)  # fmt: skip
SORTED = [
    "Åsa Ahlgren", "Anna Åkesson", "Zoë Alvarez", "Oscar Peterson", "Édith Piaf", "Ludwig van Beethoven", "Émile Zola",
    "Лев Толстой",
]  # fmt: skip


@pytest.mark.parametrize(
    ("called", "proposed"),
    [
        ("Ludwig van Beethoven", "van Beethoven, Ludwig"),
        ("Dick Van Dyke", "Van Dyke, Dick"),
        ("Oscar de la Renta", "de la Renta, Oscar"),
        ("Sammy Davis, Jr.", "Davis, Sammy, Jr."),
        ("Loudon Wainwright III", "Wainwright, Loudon, III"),
        ("Cher", "Cher"),
        ("Jr.", "Jr."),
        ("", ""),
    ],
)
def test_proposed_sort_names(called: str, proposed: str) -> None:
    assert propose_sort_name(called) == proposed


@pytest.mark.parametrize(
    ("listed", "called", "sorted_by"),
    [
        ("Lovelace, Ada", "Ada Lovelace", "Lovelace, Ada"),
        ("García Márquez, Gabriel", "Gabriel García Márquez", "García Márquez, Gabriel"),
        ("King Jr., Martin Luther", "Martin Luther King Jr.", "King, Martin Luther, Jr."),
        ("Sammy Davis, Jr.", "Sammy Davis Jr.", ""),
        ("Ada Lovelace", "Ada Lovelace", ""),
    ],
)
def test_last_first_is_reversed(listed: str, called: str, sorted_by: str) -> None:
    assert parse_last_name_first(listed) == (called, sorted_by)
    row = map_cells_by_field([listed, "ada@example.org"], {"name": 0, "email": 1})
    read = parse_entry_row(row, RowParsingContext("Singles"))
    assert (read.names, read.sort_names) == ((called,), (sorted_by,))
    assert any(remark.code == "turned" for remark in read.remarks) is bool(sorted_by)


def test_columns_for_first_and_last_show_the_family_name() -> None:
    row = map_cells_by_field(["Gabriel", "García Márquez"], {"first_name": 0, "last_name": 1})
    read = parse_entry_row(row, RowParsingContext("Singles"))
    assert (read.names, read.sort_names) == (("Gabriel García Márquez",), ("García Márquez, Gabriel",))


def test_keys_are_letters_and_figures_that_every_collation_orders_alike() -> None:
    keys = [sort_key(propose_sort_name(name)) for name in BY_FAMILY_NAME]
    assert all(key.isascii() and key.isalnum() and key == key.lower() for key in keys)
    assert [name for _key, name in sorted(zip(keys, BY_FAMILY_NAME, strict=True))] == SORTED


@pytest.mark.django_db
def test_the_database_sorts_by_family_name() -> None:
    event = an_event()
    for name in BY_FAMILY_NAME:
        an_entrant(event, name)
    assert list(event.entrants.order_by("sort_key").values_list("name", flat=True)) == SORTED


@pytest.mark.django_db
def test_older_rows_get_their_keys() -> None:
    entrant = an_entrant(an_event(), "Ludwig van Beethoven")
    Entrant.objects.update(sort_key="")
    import_module("tournament.migrations.0002_squashed_0006_ledger").propose(apps, None)
    entrant.refresh_from_db()
    assert entrant.sort_key == "van0beethoven00ludwig"


@pytest.mark.django_db
def test_a_sort_name_is_typed_changed_and_goes_with_a_substitute() -> None:
    event = an_event()
    director = a_director(event.tournament)
    entrant = add_entry(event, EntryRequest((Person("Gabriel García Márquez"),)), by=SYSTEM_ACTOR)
    assert entrant.sort_key == "marquez00gabriel0garcia"
    changed = change_sort_name(entrant, 1, "García Márquez, Gabriel", by=director)
    assert changed.sort_key == "garcia0marquez00gabriel"
    assert change_sort_name(changed, 1, "", by=director).sort_key == "marquez00gabriel0garcia"
    coming = Person("Ana de la Cruz", sort_name="Cruz, Ana de la")
    assert substitute_player(changed, 1, coming, by=director, reason="ill").sort_key == "cruz00ana0de0la"
    pair = add_entry(
        an_event(entry_size=2), EntryRequest((Person("Alan Turing"), Person("Ada Lovelace"))), by=SYSTEM_ACTOR
    )
    assert (pair.name, pair.sort_name) == ("Alan Turing / Ada Lovelace", "Turing, Alan / Lovelace, Ada")
