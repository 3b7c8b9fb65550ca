"""A later version of the program for the tests of updates. It has one migration more than this one.

Set `MIGRATION_MODULES` to `MIGRATION_MODULES` from this module, and the migration is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MIGRATION_MODULES: Final = {"tournament": "tests.laptop.later.migrations"}
LATER: Final = "9000_motto"


def convert_nothing(_schema_editor: Any) -> None:
    """Convert no rows."""


convert: Callable[[Any], None] = convert_nothing
"""A conversion of rows that is part of the migration. Tests replace it."""
