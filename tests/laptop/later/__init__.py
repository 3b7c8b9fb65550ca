"""Version 1.1.0 of the program, for tests of updates. It has one migration more than the current version.

In a test's process, set Django's `MIGRATION_MODULES` to the value in this module. For an installed program, make a
wheel of the later version with `make_later_wheel`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tournament import __version__ as version

MIGRATION_MODULES: Final = {"tournament": "tests.laptop.later.migrations"}
LATER: Final = "9000_motto"
LATER_VERSION: Final = "1.1.0"


def convert_nothing(_schema_editor: Any) -> None:
    pass


convert: Callable[[Any], None] = convert_nothing
"""A conversion of rows that is part of the migration. Tests replace it."""

_MIGRATION: Final = f"gin_rummy_tournaments/tournament/migrations/{LATER}.py"
_MIGRATION_CODE: Final = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("tournament", "LAST")]
    operations = [migrations.AddField("tournament", "motto", models.CharField(max_length=80, db_default=""))]
"""


def make_later_wheel(wheel: Path) -> Path:
    """Make a wheel of version 1.1.0 from a wheel of this version, beside it."""
    later = wheel.with_name(wheel.name.replace(version, LATER_VERSION))
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(later, "w", zipfile.ZIP_DEFLATED) as new:
        beside = (name for name in old.namelist() if name.startswith(f"{_MIGRATION.rpartition('/')[0]}/0"))
        new.writestr(_MIGRATION, _MIGRATION_CODE.replace("LAST", Path(max(beside)).stem))
        for name in old.namelist():
            content = old.read(name)
            if name.endswith(("gin_rummy_tournaments/tournament/__init__.py", "/METADATA", "/RECORD")):
                content = content.replace(version.encode(), LATER_VERSION.encode())
            if name.endswith("/RECORD"):
                content += f"{_MIGRATION},,\n".encode()
            new.writestr(name.replace(f"-{version}.dist-info", f"-{LATER_VERSION}.dist-info"), content)
    return later
