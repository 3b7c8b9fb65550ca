"""docs/format.md is complete, and the script in it computes the same winners and sums as the program."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.db.models import (
    BinaryField,
    BooleanField,
    CharField,
    DateField,
    DateTimeField,
    Field,
    FileField,
    ForeignKey,
    JSONField,
    Sum,
    TextField,
)

from config.environment import BASE_DIR
from tests.scoring.helpers.archive import a_tournament_in_play, export, read_lines, read_members
from tournament.core.selectors.log import list_recorded_models
from tournament.core.selectors.rows import (
    KEYS_IN_JSON,
    KEYS_IN_TEXT,
    KEYS_WITHOUT_CONSTRAINT,
    get_archived_columns,
    list_archived_models,
)
from tournament.models import Event, Posting

PAGE: Final = (BASE_DIR / "docs" / "format.md").read_text(encoding="utf-8")
COLUMNS_PAGE: Final = (BASE_DIR / "docs" / "format-columns.md").read_text(encoding="utf-8")
OF_A_FACT: Final = ("at", "by", "by_name", "reason")
OF_A_LINK: Final = ("link_by", "link_at")
NOT_EXPORTED: Final = {"Event": ("version",)}
TYPES: Final[tuple[tuple[type[Field[Any, Any]], str], ...]] = (
    (JSONField, "JSON"),
    (BinaryField, "base64"),
    (BooleanField, "true or false"),
    (DateTimeField, "time"),
    (DateField, "date"),
    (FileField, "name of a file"),
    (CharField, "text"),
    (TextField, "text"),
    (Field, "number"),
)
SHARED: Final = {"User": "account", "SealKey": "public key"}


# --- The page about the columns --------------------------------------------------------------------------------------


def type_of(column: Field[Any, Any]) -> str:
    if isinstance(column, ForeignKey):
        name = str(column.related_model._meta.object_name)
        found = SHARED.get(name, f"key of {name}")
    else:
        found = next(text for type_, text in TYPES if isinstance(column, type_))
    return found + (", or absent" if column.null else "")


def documented_kinds() -> dict[str, str]:
    parts = re.split(r"^### (\w+)$", COLUMNS_PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_kind_of_row_is_described_and_no_other() -> None:
    assert sorted(documented_kinds()) == sorted(str(model._meta.object_name) for model in list_archived_models())


def test_every_column_is_described_with_its_type_and_no_other() -> None:
    kinds = documented_kinds()
    for model in list_archived_models():
        kind = str(model._meta.object_name)
        text = " ".join(kinds[kind].split())
        described = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \| [^|]+", kinds[kind], flags=re.MULTILINE))
        columns = {column.name: column for column in get_archived_columns(model)}
        is_fact, has_link = set(OF_A_FACT) <= columns.keys(), set(OF_A_LINK) <= columns.keys()
        assert ("also has `at`, `by`, `by_name`" in text) == is_fact, kind
        assert ("`link_by`, and `link_at`" in text) == has_link, kind
        left_out = {*(OF_A_FACT if is_fact else ()), *(OF_A_LINK if has_link else ()), *NOT_EXPORTED.get(kind, ())}
        expected = {name: type_of(column) for name, column in columns.items() if name not in left_out}
        assert described == expected, kind


def test_every_column_with_undeclared_keys_is_on_the_page() -> None:
    table = PAGE.split("| kind | column | keys in it |")[1].split("\n\n")[0]
    described = set(re.findall(r"^\| (\w+) \| `(\w+)` \|", table, flags=re.MULTILINE))
    declared = [
        (label.split(".")[1], column)
        for each in (KEYS_IN_JSON, KEYS_IN_TEXT, KEYS_WITHOUT_CONSTRAINT)
        for label in each
        for column in each[label]
    ]
    assert described == set(declared)


# --- A file that is read without the program -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Event, Path]:
    event = a_tournament_in_play()
    return event, export(event, tmp_path_factory.mktemp("format"))


@pytest.mark.django_db
def test_the_script_of_the_page_finds_the_same_winners_and_sums(exported: tuple[Event, Path], tmp_path: Path) -> None:
    event, file = exported
    [script] = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert len(script.splitlines()) <= 60
    (tmp_path / "recompute.py").write_text(script)
    command = [sys.executable, "-I", "-S", str(tmp_path / "recompute.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    [answer] = [json.loads(line) for line in done.stdout.splitlines()]
    [summary] = json.loads(read_members(file)["summary.json"])["events"]
    assert answer["winners"] == {match["match"]: match["winner"] for match in summary["matches"]} != {}
    sums = Posting.objects.filter(event=event).values_list("account").annotate(Sum("cents")).order_by()
    assert answer["ledger"] == dict(sums) and sum(answer["ledger"].values()) == 0
    assert all(sorted(map(int, match["credits"])) == match["sides"] for match in summary["matches"])


@pytest.mark.django_db
def test_the_digests_can_be_recomputed_as_the_page_says(exported: tuple[Event, Path]) -> None:
    """Recompute each row's digest from the exported JSON alone, and compare it with the last digest in the log."""
    members = read_members(exported[1])
    manifest, last = json.loads(members["manifest.json"]), {}
    for entry in read_lines(members["log.jsonl"]):
        for table, digests in entry.get("row_digests", {}).items():
            last.update({(table, int(key)): digest for key, digest in digests.items()})
    keys = {
        "account": {each["email"]: each["key"] for each in manifest["accounts"]},
        "public key": {each["public"]: each["key"] for each in manifest["seal_keys"]},
    }
    recorded, compared = {model.__name__: model._meta.db_table for model in list_recorded_models()}, 0
    types = documented_types()
    for row in read_lines(members["facts.jsonl"]):
        if row["kind"] in recorded and row["key"] not in manifest["shared_players"]:
            columns = dict(recorded_columns(row, types[row["kind"]], keys))
            text = json.dumps(columns, sort_keys=True)
            digest = hashlib.sha256(text.encode("ascii")).hexdigest()[:32]
            assert digest == last[recorded[row["kind"]], row["key"]], row
            compared += 1
    assert compared > 150


def documented_types() -> dict[str, dict[str, str]]:
    of_all = {"by": "account", "link_by": "text"}
    return {
        kind: {**of_all, **dict(re.findall(r"^\| `(\w+)` \| ([^|]*?)(?:, or absent)? \|", text, flags=re.MULTILINE))}
        for kind, text in documented_kinds().items()
    }


def recorded_columns(row: dict[str, Any], types: dict[str, str], keys: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "id", row["key"]
    for name, value in row["columns"].items():
        type_ = types.get(name, "")
        if value in (None, "", 0, False, [], {}):
            continue
        if type_ in keys:
            yield f"{name}_id", keys[type_][value]
        elif type_.startswith("key of"):
            yield f"{name}_id", value
        elif type_ == "base64":
            yield name, hashlib.sha256(base64.b64decode(value)).hexdigest()
        else:
            yield name, value


@pytest.mark.django_db
def test_the_rows_are_in_the_order_of_the_log(exported: tuple[Event, Path]) -> None:
    rows = read_lines(read_members(exported[1])["facts.jsonl"])
    assert [row["log_row"] for row in rows] == sorted(row["log_row"] for row in rows)
    by_kind = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(row["key"])
    assert all(len(keys) == len(set(keys)) for keys in by_kind.values())
