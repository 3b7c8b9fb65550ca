from pathlib import Path
from typing import Any

from django.db import migrations, models

from tests.laptop import later
from tournament import migrations as own_migrations

LAST_MIGRATION = max(file.stem for file in Path(own_migrations.__path__[0]).glob("[0-9]*.py"))


def convert(_apps: Any, schema_editor: Any) -> None:
    later.convert(schema_editor)


class Migration(migrations.Migration):
    dependencies = [("tournament", LAST_MIGRATION), ("scoring", "0006_signed_in_by_link")]

    operations = [
        migrations.AddField("tournament", "motto", models.CharField(max_length=80, default="", db_default="")),
        migrations.RunPython(convert),
    ]
