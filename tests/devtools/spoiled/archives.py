"""Damage the file of an event, a tournament, or an installation, and import it.

The import must either reject the file with a message, or import all of it.

The file of an event or a tournament is damaged in one of four ways:

- Its bytes are changed.
- The structure of the zip archive is changed.
- Its contents are changed, and the digests and the seal are computed again.
- Its rows and its log are changed, and every digest in the log is computed again, too.

A forger would use the last two ways.
"""

from __future__ import annotations

import io
import json
import random
import struct
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from django.db import transaction

from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.files import ArchiveRefused
from scoring.archive.selectors.installations import InstallationReader, open_archive_file
from scoring.archive.services.imports import ImportMode, ImportResult, import_open_archive
from scoring.archive.services.installations import import_installation
from scoring.verification.selectors.event import verify_event
from tests.devtools.spoiled.judge import SENTENCE
from tests.devtools.spoiled.values import any_json, any_text, damage, spoil_json, to_json
from tests.scoring.helpers.archive import forge_log, read_members, write_archive
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.rows import list_archived_models, select_tournament_rows
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, FilePart, Player, Tournament, TournamentImport, User

Members = dict[str, bytes]
VERIFIED: Final = 0.3
"""The share of imported files whose event is also verified and exported again."""
VERSIONS: Final = ("1.1", "1.99", "2.0", "0.9", "1", "1.0.0", "-1.0", "1.-1", "", None, 1.0, [1, 0], "x", "9" * 5000)
# fmt: off
NAMES: Final = (
    "../x", "/etc/passwd", "files/../../x", "files/evidence/../x", "files//", "files/", "FACTS.JSONL", "facts.jsonl/",
    "files/evidence/a\x00.jpg", "files/evidence/" + "x" * 300, "files\\x", "C:\\x", "é", "files/evidence/é.jpg",
)
# fmt: on


def spoil(members: Members, dice: random.Random, target: Path) -> str:
    """Write a spoiled file, and return what kind of damage it has."""
    way, make = dice.choice(WAYS if "facts.jsonl" in members else WAYS_OF_INSTALLATION)
    make(dict(members), dice, target)
    return way


def _spoil_bytes(members: Members, dice: random.Random, target: Path) -> None:
    target.write_bytes(damage(dice, _rezip(members, dice)))


def _flip_bits(members: Members, dice: random.Random, target: Path) -> None:
    content = bytearray(_rezip(members, dice))
    for _ in range(dice.choice((1, 1, 2, 8))):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    target.write_bytes(content)


def _rezip(members: Members, dice: random.Random) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def _spoil_structure(members: Members, dice: random.Random, target: Path) -> None:
    """Rename, remove, add, repeat, or swap members, or change a number in the directory of the zip archive."""
    name, way = dice.choice(sorted(members)), dice.randrange(7)
    if way == 0:
        members[dice.choice(NAMES)] = members.pop(name)
    elif way == 1:
        del members[name]
    elif way == 2:
        members[dice.choice(NAMES)] = b"x" * dice.choice((0, 1, 3_000_000))
    elif way == 3:
        other = dice.choice(sorted(members))
        members[name], members[other] = members[other], members[name]
    elif way == 4:
        members[name] = damage(dice, members[name])
    content = bytearray(_rezip(members, dice))
    if way == 5 and (entry := content.find(b"PK\x01\x02")) >= 0:
        for _ in range(dice.randrange(len(members))):
            entry = content.find(b"PK\x01\x02", entry + 4) if content.find(b"PK\x01\x02", entry + 4) >= 0 else entry
        at, size = dice.choice(((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (42, 4)))
        number = dice.choice((0, 1, 99, 0xFFFF, dice.randrange(1 << (8 * size)), (1 << (8 * size)) - 1))
        content[entry + at : entry + at + size] = struct.pack("<I", number % (1 << (8 * size)))[:size]
    target.write_bytes(content)
    if way == 6:
        with zipfile.ZipFile(target, "a") as archive:
            archive.writestr(name, members[name] if dice.random() < 0.5 else b"{}\n")


def _spoil_contents(members: Members, dice: random.Random, target: Path) -> None:
    """Change JSON values and lines, and make the digests and the seal match again."""
    name = dice.choice(("manifest.json", "facts.jsonl", "facts.jsonl", "log.jsonl", "log.jsonl", "summary.json"))
    if name == "manifest.json":
        content = json.loads(members[name])
        if dice.random() < 0.3:
            content["version"] = dice.choice(VERSIONS)
        elif dice.random() < 0.9:
            key = dice.choice(sorted(content))
            content[key] = spoil_json(dice, content[key])
        else:
            content = spoil_json(dice, content)
        members[name] = to_json(dice, content)
    else:
        lines = members[name].splitlines(keepends=True)
        place = dice.randrange(len(lines))
        lines[place : place + 1] = dice.choice(
            (
                lambda: [to_json(dice, spoil_json(dice, json.loads(lines[place]))) + b"\n"],
                lambda: [to_json(dice, spoil_json(dice, json.loads(lines[place]))) + b"\n"],
                lambda: [lines[place]] * 2,
                list,
                lambda: [damage(dice, lines[place])],
                lambda: [lines[place], dice.choice(lines)],
            )
        )()
        members[name] = b"".join(lines)
    _write(members, target)


def _spoil_manifest(members: Members, dice: random.Random, target: Path) -> None:
    """Change JSON values in the manifest of an installation, and make its seal match again."""
    content = json.loads(members["manifest.json"])
    key = dice.choice(sorted(content))
    content[key] = dice.choice(VERSIONS) if key == "version" else spoil_json(dice, content[key])
    members["manifest.json"] = to_json(dice, content)
    _write(members, target)


def _spoil_tournament(members: Members, dice: random.Random, target: Path) -> None:
    """Spoil the file of one tournament inside the file of an installation.

    The digests and the seal of the installation's file are computed again, so that they match the spoiled file.
    """
    name = dice.choice(sorted(members.keys() - {"manifest.json"}))
    target.write_bytes(members[name])
    spoil(read_members(target), dice, target)
    members[name] = target.read_bytes()
    _write(members, target)


def _forge_facts(members: Members, dice: random.Random, target: Path) -> None:
    """Change facts and log rows, and recompute every digest, as a forger would do."""

    def change_facts(rows: list[dict[str, Any]]) -> None:
        for _ in range(dice.choice((1, 1, 2, 5))):
            row = dice.choice(rows)
            way = dice.randrange(8)
            if way == 0:
                rows.remove(row)
            elif way == 1:
                row["key"] = dice.choice((row["key"] + 1, 10**6, 2**40, dice.choice(rows)["key"]))
            elif way == 2:
                row["columns"] = spoil_json(dice, row["columns"])
            else:
                columns = row["columns"]
                name = dice.choice(sorted(columns))
                columns[name] = _other_value(columns[name], dice)

    def change_log(log: list[dict[str, Any]]) -> None:
        if dice.random() < 0.4:
            line = dice.choice(log)
            name = dice.choice(sorted(line.keys() - {"digest", "previous"}))
            line[name] = spoil_json(dice, line[name])

    try:
        members = forge_log(members, change_facts, change_log)
    except (ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
        _spoil_contents(members, dice, target)
        return
    _write(members, target)


def _other_value(value: Any, dice: random.Random) -> Any:
    """Return another value, usually of the same type, so that it can be stored."""
    if dice.random() < 0.15:
        return any_json(dice)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return dice.choice((0, 1, 2, -1, value + 1, 10**6, 2**31, 2**63 - 1))
    if isinstance(value, str):
        return dice.choice((any_text(dice), value[:-1], value + "x", value.upper(), "2026-11-27T12:00:00+00:00"))
    return spoil_json(dice, value)


def _write(members: Members, target: Path) -> None:
    try:
        write_archive(target, members)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):  # the manifest is no manifest any more
        target.write_bytes(_rezip(members, random.Random(0)))


_Make = Callable[[Members, random.Random, Path], None]
WAYS: Final[tuple[tuple[str, _Make], ...]] = (
    ("bytes", _spoil_bytes),
    ("bits", _flip_bits),
    ("structure", _spoil_structure),
    ("structure", _spoil_structure),
    ("contents", _spoil_contents),
    ("contents", _spoil_contents),
    ("forged", _forge_facts),
    ("forged", _forge_facts),
)

WAYS_OF_INSTALLATION: Final[tuple[tuple[str, _Make], ...]] = (
    ("bytes", _spoil_bytes),
    ("bits", _flip_bits),
    ("structure", _spoil_structure),
    ("manifest", _spoil_manifest),
    ("manifest", _spoil_manifest),
    ("tournament", _spoil_tournament),
    ("tournament", _spoil_tournament),
)


# --- The result of importing it --------------------------------------------------------------------------------------


MAX_PROCESSOR_SECONDS: Final = 20
"""The processor time that importing a file may take. Other work on the machine hardly changes it."""


def judge_files(members: Members, folder: Path, seed: int, numbers: Iterable[int]) -> tuple[Counter[str], list[str]]:
    """Import the numbered spoiled files, each in a transaction that is rolled back.

    Return how often each outcome occurred, and a text for each file that was neither rejected nor completely imported.
    """
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    target = folder / "spoiled.zip"
    for number in numbers:
        dice = random.Random(f"{seed}-{number}")
        with transaction.atomic():
            way = spoil(members, dice, target)
            began = time.process_time()
            try:
                outcome = _import(target, dice)
            except Exception:
                outcome = ""
                faults.append(f"=== {number}, {way}\n{traceback.format_exc()[-3000:]}")
            if (seconds := time.process_time() - began) > MAX_PROCESSOR_SECONDS:
                faults.append(f"=== {number}, {way}: {seconds:.0f} s of processor time")
            outcomes[f"{way}: {outcome or 'FAULT'}"] += 1
            transaction.set_rollback(True)
    return outcomes, faults


def _import(target: Path, dice: random.Random) -> str:
    mode, before = dice.choice((ImportMode.ORIGINAL, ImportMode.ORIGINAL, ImportMode.COPY)), _count_rows()
    refusal: DomainError | None = None
    try:
        with open_archive_file(target) as archive:
            if isinstance(archive, InstallationReader):
                results = import_installation(archive, mode=mode, by=SYSTEM_ACTOR)
            else:
                results = [import_open_archive(archive, mode=mode, by=SYSTEM_ACTOR)]
    except (ArchiveRefused, Conflict) as error:
        refusal = error
    if refusal is None:
        goes_on = dice.random() < VERIFIED
        outer = read_members(target)
        for number, result in enumerate(results, start=1):
            members = outer if "facts.jsonl" in outer else read_zip(outer[f"tournaments/{number}.zip"])
            _require_whole(members, result, target.with_name("again.zip"), goes_on=goes_on)
        return "imported"
    assert SENTENCE.search(refusal.message), refusal.message
    assert _count_rows() == before, "It was refused, and something was stored."
    return refusal.code


def read_zip(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _require_whole(members: Members, result: ImportResult, again: Path, *, goes_on: bool) -> None:
    """Require that the database has a row for each fact in the file.

    If `goes_on` is true, also require that the event can be verified and exported, which takes longer.
    """
    kinds = Counter(json.loads(line)["kind"] for line in members["facts.jsonl"].splitlines())
    for model in list_archived_models():
        found = select_tournament_rows(model, result.tournament).distinct().count()
        expected = kinds[str(model._meta.object_name)] + (model is TournamentImport)
        is_dropped = model._meta.object_name == "IdempotencyKey" and found == 0
        assert found == expected or is_dropped, f"{model._meta.label}: {found} rows of {expected}"
    assert AuditEntry.objects.filter(tournament=result.tournament).count() == result.log_rows + 1
    if not goes_on:
        return
    for event in result.tournament.events.all():
        verify_event(event)
    export_tournament(result.tournament, again)
    again.unlink()


def _count_rows() -> list[int]:
    return [model._base_manager.count() for model in (Tournament, Player, AuditEntry, FilePart, User)]
