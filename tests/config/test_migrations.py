"""Check that the previous version keeps working while and after a new version migrates the database.

Several servers are updated one after the other, so processes of both versions run at the same time. docs/developing.md
explains the rule. A migration that has to break it says why the previous version survives:

    class Migration(migrations.Migration):
        survived_by_previous_version = "No released version reads this column."
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

LAST_UNCHECKED: Final = {
    "tournament": "0048_receipt_key",
    "pairing": "0002_draw_ids",
    "scoring": "0006_signed_in_by_link",
}
"""The last migration of each app from before this rule."""
HARMLESS: Final = (
    *(migrations.CreateModel, migrations.AddIndex, migrations.RemoveIndex, migrations.RenameIndex),
    *(migrations.RemoveConstraint, migrations.AlterModelOptions, migrations.AlterModelManagers),
)


def find_faults(migration: migrations.Migration, state: ProjectState) -> Iterator[str]:
    """Yield a sentence for each operation that the previous version might not survive.

    `state` has the models before the migration.
    """
    for operation in migration.operations:
        if not is_survived(operation, migration.app_label, state):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}"
        operation.state_forwards(migration.app_label, state)


def is_survived(operation: Operation, app: str, state: ProjectState) -> bool:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return all(is_survived(part, app, state) for part in operation.database_operations)
    if isinstance(operation, migrations.AddField):
        return can_be_left_out(operation.field)
    if isinstance(operation, migrations.AlterField):
        fields = state.models[app, operation.model_name_lower].fields
        return is_compatible(fields[operation.name], operation.field)
    return isinstance(operation, HARMLESS)


def can_be_left_out(field: models.Field[Any, Any]) -> bool:
    """Return whether a version that does not know the field can add rows."""
    return field.many_to_many or field.null or field.has_db_default()


def is_compatible(before: models.Field[Any, Any], after: models.Field[Any, Any]) -> bool:
    """Return whether the column is the same, apart from a larger maximum length or a default in the database."""
    (_, kind_before, _, old), (_, kind_after, _, new) = before.deconstruct(), after.deconstruct()
    ignored = {*after.non_db_attrs, "default", "db_default", "max_length"}
    is_wide_enough = (new.get("max_length") or 1 << 30) >= (old.get("max_length") or 1 << 30)
    keeps_default = after.has_db_default() or not before.has_db_default()
    columns = [{name: value for name, value in each.items() if name not in ignored} for each in (old, new)]
    return kind_before == kind_after and columns[0] == columns[1] and is_wide_enough and keeps_default


def test_the_previous_version_survives_every_new_migration() -> None:
    loader = MigrationLoader(None)
    unchecked = {node for known in LAST_UNCHECKED.items() for node in loader.graph.forwards_plan(known)}
    new = [node for node in loader.graph.nodes if node[0] in LAST_UNCHECKED and node not in unchecked]
    faults = [
        fault
        for node in new
        if not getattr(loader.graph.nodes[node], "survived_by_previous_version", "")
        for fault in find_faults(loader.graph.nodes[node], loader.project_state(node, at_end=False))
    ]
    assert faults == []


TEXT: Final = models.CharField(max_length=20)


@pytest.mark.parametrize(
    ("is_survived", "operation"),
    [
        (True, migrations.CreateModel("Seat", [("id", models.AutoField(primary_key=True))])),
        (True, migrations.AddField("table", "color", models.CharField(max_length=20, null=True))),
        (True, migrations.AddField("table", "color", models.CharField(max_length=20, default="", db_default=""))),
        (True, migrations.AlterField("table", "name", models.CharField(max_length=30, choices=[("a", "A")]))),
        (True, migrations.AlterField("table", "name", models.CharField(max_length=20, db_default=""))),
        (True, migrations.AddIndex("table", models.Index(fields=["name"], name="by_name"))),
        (False, migrations.AddField("table", "color", models.CharField(max_length=20, default=""))),
        (False, migrations.AlterField("table", "name", models.CharField(max_length=10))),
        (False, migrations.AlterField("table", "name", models.CharField(max_length=20, null=True))),
        (False, migrations.AlterField("table", "name", models.CharField(max_length=20, unique=True))),
        (False, migrations.AlterField("table", "name", models.IntegerField())),
        (False, migrations.AlterField("table", "size", models.IntegerField())),
        (False, migrations.RemoveField("table", "name")),
        (False, migrations.RenameField("table", "name", "label")),
        (False, migrations.RenameModel("Table", "Desk")),
        (False, migrations.AlterModelTable("table", "tables")),
        (False, migrations.DeleteModel("Table")),
        (False, migrations.AddConstraint("table", models.UniqueConstraint(fields=["name"], name="one_name"))),
        (False, migrations.RunPython(migrations.RunPython.noop)),
        (False, migrations.RunSQL("DROP TABLE hall_table")),
        (False, migrations.SeparateDatabaseAndState(database_operations=[migrations.RunSQL("DROP TABLE hall_table")])),
    ],
    ids=lambda value: value.describe() if isinstance(value, Operation) else "",
)
def test_operations_that_the_previous_version_survives(is_survived: bool, operation: Operation) -> None:
    state, migration = ProjectState(), migrations.Migration("0002_change", "hall")
    columns = [("id", models.AutoField(primary_key=True)), ("name", TEXT), ("size", models.IntegerField(db_default=1))]
    state.add_model(ModelState("hall", "Table", columns))
    migration.operations = [operation]
    assert (list(find_faults(migration, state)) == []) is is_survived
