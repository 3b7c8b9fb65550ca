"""Shared settings of table columns with names, and of their cells in files."""

from typing import Any, Final

from django_tables2 import Table

from tournament.spreadsheets.sort_names import proposed_of_entry, sort_key

NAME: Final = {"td": {"class": "is-name"}, "tf": {"class": "is-title"}}
"""Attributes of a column of names. A name may be a single long word, so its cell can break it. “All” titles the sums.
"""

PERSON: Final = {"td": {"class": "is-name is-person"}}
"""Attributes of a column of people's names, wide enough that long names do not break."""

EXTRA: Final = "is-extra"
"""The class of cells that are hidden on a tablet in portrait format."""

BY_FAMILY_NAME: Final = ("sort_key", "number")
"""The `order_by` of a column of names. Its rows have their entry's sort key, or inherit `ByFamilyName`."""


class ByFamilyName:
    """A mixin for rows that have only a name. Their sort key is derived from it when the list is sorted."""

    __slots__ = ()
    name: str

    @property
    def sort_key(self) -> str:
        return key_of(self.name)


def key_of(name: str) -> str:
    return sort_key(proposed_of_entry(name))


def as_is(table: Table, value: Any) -> Any:
    """Return the plain value, as a table's `value_…` method for files, where the page adds markup."""
    return value
