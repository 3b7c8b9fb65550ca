"""The previous version can still write after an update, because several servers are not replaced at the same time.

In these tests, the previous version is the version that wrote the newest dump.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import connections, models, transaction
from django.db.migrations import AddField, CreateModel, SeparateDatabaseAndState
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tests.devtools.kept.files import dumps, lay_dump

OURS: Final = ("tournament", "pairing", "scoring")
KEPT: Final = "kept"


Rows = list[tuple[type[models.Model], list[models.Model]]]


@pytest.fixture(scope="module")
def rows_before(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Rows:
    """Return all rows in the newest dump, as objects of the models that match its migrations."""
    path = tmp_path_factory.mktemp("kept") / "kept.sqlite3"
    lay_dump(dumps()[-1], path)
    settings = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}}
    connections.databases[KEPT] = connections.configure_settings(settings)["default"]
    try:
        with django_db_blocker.unblock():
            return [(model, list(model._base_manager.using(KEPT).order_by("pk"))) for model in models_of(path)]
    finally:
        connections[KEPT].close()
        del connections[KEPT], connections.databases[KEPT]


def models_of(database: Path) -> list[type[models.Model]]:
    """Return the models that match the migrations applied to the database."""
    with closing(sqlite3.connect(database)) as connection:
        applied = set(connection.execute("SELECT app, name FROM django_migrations").fetchall())
    loader = MigrationLoader(None)
    for name, migration in loader.replacements.items():
        if applied.issuperset(migration.replaces):
            applied.add(name)
    state = loader.project_state([node for node in loader.graph.nodes if node in applied])
    found = state.apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.app_label in OURS]


@pytest.mark.parametrize(
    ("dump", "to_apply"),
    [(0, {"0002_squashed_0006_ledger", "0007_postings", "0010_squashed_0033_withholding"}), (-1, set())],
)
def test_a_database_applies_the_squashed_migrations_unless_it_has_all_that_they_replace(
    dump: int, to_apply: set[str], tmp_path: Path, django_db_blocker: Any
) -> None:
    lay_dump(dumps()[dump], tmp_path / "kept.sqlite3")
    settings = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(tmp_path / "kept.sqlite3")}}
    connections.databases[KEPT] = connections.configure_settings(settings)["default"]
    try:
        with django_db_blocker.unblock():
            executor = MigrationExecutor(connections[KEPT])
            plan = executor.migration_plan(executor.loader.graph.leaf_nodes("tournament"))
    finally:
        connections[KEPT].close()
        del connections[KEPT], connections.databases[KEPT]
    until_0034 = {
        migration.name
        for migration, _backwards in plan
        if migration.app_label == "tournament" and migration.name <= "0034_refund_source"
    }
    assert until_0034 == {*to_apply, "0034_refund_source"}


@pytest.mark.race
@pytest.mark.django_db
def test_the_previous_version_can_write_all_its_rows_to_the_current_tables(rows_before: Rows) -> None:
    with transaction.atomic():
        for model, rows in rows_before:
            model._base_manager.using("default").bulk_create(rows, batch_size=500)
            for row in rows[:1]:
                row.save(using="default", force_update=True)
        connections["default"].check_constraints()
        missing = missing_defaults(rows_before)
        transaction.set_rollback(True)
    assert sum(len(rows) for _model, rows in rows_before) > 1_000
    assert missing == []


def missing_defaults(rows_before: Rows) -> list[str]:
    """Return the new columns whose value in an old row differs from the value in a row created today."""
    found = []
    known = {
        (model._meta.label, field.attname) for model, _rows in rows_before for field in model._meta.concrete_fields
    }
    for model in our_models():
        row = model._base_manager.first()
        fields = [field for field in model._meta.concrete_fields if (model._meta.label, field.attname) not in known]
        later = [field for field in fields if field.has_db_default() and field.has_default()]
        found += [str(field) for field in later if row and getattr(row, field.attname) != field.get_default()]
    return found


def test_every_column_that_came_later_has_a_default_in_the_database() -> None:
    without = [
        f"{app}.{operation.model_name}.{operation.name}"
        for app, operation in columns_that_came_later()
        if not has_default_in_database(app, operation)
    ]
    assert without == []


def columns_that_came_later() -> Iterator[tuple[str, AddField]]:
    """Yield the columns that a later migration added to an existing table."""
    nodes = MigrationLoader(None).disk_migrations
    for (app, _name), migration in nodes.items():
        if app in OURS:
            operations = list(of_database(migration.operations))
            made = {one.name_lower for one in operations if isinstance(one, CreateModel)}
            for one in operations:
                if isinstance(one, AddField) and one.model_name_lower not in made:
                    yield app, one


def of_database(operations: list[Any]) -> Iterator[Any]:
    for one in operations:
        if isinstance(one, SeparateDatabaseAndState):
            yield from of_database(one.database_operations)
        else:
            yield one


def has_default_in_database(app: str, added: AddField) -> bool:
    model = apps.get_model(app, added.model_name)
    field = next((one for one in model._meta.local_fields if one.name == added.name), None)
    return field is None or field.null or field.has_db_default()


def our_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model._meta.app_label in OURS]
