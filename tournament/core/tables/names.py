"""How the columns of lists hold names, and what a file has of a cell."""

from typing import Any, Final

from django_tables2 import Table

from tournament.spreadsheets.sort_names import proposed_of_entry, sort_key

NAME: Final = {"td": {"class": "is-name"}, "tf": {"class": "is-title"}}
"""A name may be one word of any length: the cell breaks it, with room for usual ones. “All” titles the sums."""

PERSON: Final = {"td": {"class": "is-name is-person"}}
"""The names of people: room for the long ones, so that none of them breaks within."""

EXTRA: Final = "is-extra"
"""The class of a column's cells that a tablet held upright has no room for."""

BY_FAMILY_NAME: Final = ("sort_key", "number")
"""`order_by` of a column of names: rows carry the sort key of their entry, or have `ByFamilyName`."""


class ByFamilyName:
    """Rows that know a name only: sorted by what it proposes, worked out when somebody asks for that order."""

    __slots__ = ()
    name: str

    @property
    def sort_key(self) -> str:
        return key_of(self.name)


def key_of(name: str) -> str:
    return sort_key(proposed_of_entry(name))


def as_is(table: Table, value: Any) -> Any:
    """A `value_…` of a table: the file has the plain value, where the page has marks around it."""
    return value
