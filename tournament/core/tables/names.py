"""How the columns of lists hold names, and what a file has of a cell."""

from typing import Any, Final

from django_tables2 import Table

NAME: Final = {"td": {"class": "is-name"}}
"""A name may be one word of any length: the cell breaks it, and keeps enough room for usual ones."""


def as_is(table: Table, value: Any) -> Any:
    """A `value_…` of a table: the file has the plain value, where the page has marks around it."""
    return value
