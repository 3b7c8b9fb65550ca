from typing import Any

from django.db import migrations, models

from tournament.spreadsheets.sort_names import proposed_of_entry, sort_key


def propose(apps: Any, schema_editor: Any) -> None:
    """Everybody who is there is sorted by what their name proposes."""
    for name in ("Player", "Entrant"):
        rows = list(apps.get_model("tournament", name).objects.only("pk", "name"))
        for row in rows:
            row.sort_key = sort_key(proposed_of_entry(row.name))
        apps.get_model("tournament", name).objects.bulk_update(rows, ["sort_key"], batch_size=300)


class Migration(migrations.Migration):
    dependencies = [("tournament", "0004_files")]

    operations = [
        migrations.AddField("entrant", "sort_name", models.CharField(max_length=420, blank=True, default=""), False),
        migrations.AddField("entrant", "sort_key", models.CharField(max_length=500, default="", editable=False)),
        migrations.AddField("player", "sort_name", models.CharField(max_length=200, blank=True, default=""), False),
        migrations.AddField("player", "sort_key", models.CharField(max_length=500, default="", editable=False)),
        migrations.AlterModelOptions("player", {"ordering": ["sort_key", "pk"]}),
        migrations.RunPython(propose, migrations.RunPython.noop),
    ]
