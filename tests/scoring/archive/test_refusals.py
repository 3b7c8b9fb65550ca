"""If a file cannot be imported, the error message says why, and nothing is stored."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.files import ArchiveReader, ArchiveRefused
from scoring.archive.services.imports import ImportMode, import_tournament
from scoring.verification.selectors.event import verify_event
from tests.factories import a_tournament
from tests.kit import refused
from tests.scoring.helpers.archive import (
    a_tournament_in_play,
    another_installation,
    change_lines,
    export,
    facts_in,
    forge_log,
    import_event,
    read_members,
    write_archive,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import AuditEntry, Event, Tournament

pytestmark = pytest.mark.django_db

Members = dict[str, bytes]
SENTENCE = re.compile(r"[A-Z0-9a-z][^<>{}]{15,}\.$")


@pytest.fixture(scope="module", autouse=True)
def original(rows_of_module: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Export a tournament, and run all tests of this module as another installation, which has no rows yet."""
    file = export(a_tournament_in_play(), tmp_path_factory.mktemp("refusals"))
    with another_installation():
        yield file


def require_refused(file: Path, code: str, said: str) -> None:
    """Require that the import and `check_file` both refuse the file, and that nothing is stored.

    `said` is a regular expression that the error message must match.
    """
    with refused(code) as refusal:
        import_tournament(file, by=SYSTEM_ACTOR)
    assert re.search(said, refusal.value.message), refusal.value.message
    assert SENTENCE.search(refusal.value.message)
    assert not Tournament.objects.exists() and not AuditEntry.objects.exists()
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("check_file", str(file), stdout=out)
    [line] = out.getvalue().splitlines()
    assert json.loads(line)["problems"]


# --- Files that are no archive, or a damaged one ---------------------------------------------------------------------


def rezip(members: Members, **changed: bytes | None) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, **changed}.items():
            if content is not None:
                archive.writestr(name, content)
    return target.getvalue()


def twice(members: Members) -> bytes:
    target = io.BytesIO(rezip(members))
    with zipfile.ZipFile(target, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("facts.jsonl", b"{}\n")
    return target.getvalue()


def with_manifest(members: Members, change: Callable[[dict[str, Any]], object]) -> bytes:
    manifest = json.loads(members["manifest.json"])
    change(manifest)
    return rezip({**members, "manifest.json": json.dumps(manifest).encode()})


def with_other_size(members: Members) -> bytes:
    """Return a zip archive whose directory states a wrong uncompressed size for `summary.json`."""
    content = bytearray(rezip(members))
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(b"summary.json"))
    content[entry + 24 : entry + 28] = struct.pack("<I", 7)
    return bytes(content)


def bomb(members: Members) -> bytes:
    name, size = "files/evidence/zeros.jpg", 300 << 20
    entry = {"rows": 1, "bytes": size, "sha256": "0" * 64}
    manifest = json.loads(members["manifest.json"])
    manifest["members"][name] = entry
    target = io.BytesIO(rezip({**members, "manifest.json": json.dumps(manifest).encode()}))
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(name, "w") as file:
        for _chunk in range(size >> 20):
            file.write(bytes(1 << 20))
    return target.getvalue()


RAW: dict[str, tuple[Callable[[Members], bytes], str, str]] = {
    "nothing": (lambda _: b"", "not-an-archive", "is not the file of a tournament"),
    "a letter": (lambda _: b"Dear director", "not-an-archive", "is not the file of a tournament"),
    "an empty zip": (lambda _: rezip({}), "not-an-archive", "is not the file of a tournament"),
    "cut off": (lambda members: rezip(members)[:-500], "not-an-archive", "is not the file of a tournament"),
    "another format": (
        lambda members: with_manifest(members, lambda manifest: manifest.update(format="backup")),
        *("not-an-archive", "is not the file of a tournament"),
    ),
    "a newer version": (
        lambda members: with_manifest(members, lambda manifest: manifest.update(version="2.0")),
        *("newer-version", "made by a newer version of this program. Update"),
    ),
    "no version": (
        lambda members: with_manifest(members, lambda manifest: manifest.update(version="new")),
        *("not-an-archive", "is not the file of a tournament"),
    ),
    "an incomplete manifest": (
        lambda members: with_manifest(members, lambda manifest: manifest.pop("accounts")),
        *("damaged-archive", "is damaged or was changed"),
    ),
    "no facts": (lambda members: rezip(members, **{"facts.jsonl": None}), "damaged-archive", "Copy it again"),
    "another member": (lambda members: rezip(members, **{"readme.txt": b"Hi"}), "damaged-archive", "Copy it again"),
    "a path that leads out": (
        lambda members: rezip(members, **{"files/../../x.jpg": b"Hi"}),
        *("damaged-archive", "Copy it again"),
    ),
    "a member twice": (twice, "damaged-archive", "Copy it again"),
    "another size": (with_other_size, "damaged-archive", "Copy it again"),
    "a bomb": (bomb, "too-large", "larger than a tournament can be"),
}


@pytest.mark.parametrize("case", RAW)
def test_a_file_that_cannot_be_read(original: Path, tmp_path: Path, case: str) -> None:
    make, code, said = RAW[case]
    file = tmp_path / "spoiled.zip"
    file.write_bytes(make(read_members(original)))
    require_refused(file, code, said)


def test_a_refused_file_is_closed(tmp_path: Path) -> None:
    """Windows cannot delete a file that is open."""
    file = tmp_path / "empty.zip"
    file.write_bytes(rezip({}))
    with pytest.raises(ArchiveRefused) as refusal:
        ArchiveReader(file)
    assert str(file) not in {each.path for each in psutil.Process().open_files()}, refusal


def test_a_flipped_bit_in_each_member(original: Path, tmp_path: Path) -> None:
    members, file = read_members(original), tmp_path / "spoiled.zip"
    for name in members:
        changed = bytearray(members[name])
        changed[len(changed) // 2] ^= 1
        file.write_bytes(rezip(members, **{name: bytes(changed)}))
        with pytest.raises(ArchiveRefused) as refusal:
            import_tournament(file, by=SYSTEM_ACTOR)
        assert SENTENCE.search(refusal.value.message), name
    assert not Tournament.objects.exists()


@pytest.mark.parametrize("name", ["files/../x", "files//x", "files/a\\b", "files/c:x", "/etc/x", "files/.", "other/x"])
def test_a_listed_member_with_an_unsafe_name(original: Path, tmp_path: Path, name: str) -> None:
    members = {**read_members(original), name: b"x"}
    require_refused(write_archive(tmp_path / "x.zip", members), "damaged-archive", "Copy it again")


# --- Files whose digests were computed again -------------------------------------------------------------------------

Lines = list[dict[str, Any]]


def of_kind(rows: Lines, kind: str) -> dict[str, Any]:
    return next(row for row in rows if row["kind"] == kind)


def rename(rows: Lines) -> None:
    of_kind(rows, "Entrant")["columns"]["name"] = "Eve"


def pay_more(rows: Lines) -> None:
    of_kind(rows, "Posting")["columns"]["cents"] = 1


def remove_withdrawal(rows: Lines) -> None:
    rows.remove(next(row for row in rows if row["columns"].get("kind") == "withdrawn"))


def add_line(rows: Lines) -> None:
    line = of_kind(rows, "LedgerLine")
    rows.append({**line, "key": 999})


def repeat(rows: Lines) -> None:
    rows.append(of_kind(rows, "CardPosted"))


def two_tournaments(rows: Lines) -> None:
    rows.append(of_kind(rows, "Tournament"))


def unknown_kind(rows: Lines) -> None:
    rows.append({"kind": "Weather", "key": 1, "log_row": 1, "columns": {}})


def wrong_type(rows: Lines) -> None:
    of_kind(rows, "Entrant")["columns"]["number"] = "one"


def too_long(rows: Lines) -> None:
    of_kind(rows, "Entrant")["columns"]["name"] = "x" * 300


def unknown_choice(rows: Lines) -> None:
    of_kind(rows, "Event")["columns"]["state"] = "dreamt"


def rewrite_log(log: Lines) -> None:
    log[3]["by"] = "Somebody Else"


def shorten_log(log: Lines) -> None:
    log.pop()


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (rename, "altered-archive", r"Entrant \d+ is not as row \d+ of the log recorded it\."),
        (pay_more, "altered-archive", r"Posting \d+ is not as row"),
        (remove_withdrawal, "altered-archive", r"names EntrantFact \d+, and the file does not have it\."),
        (add_line, "altered-archive", r"LedgerLine 999 is not in the log, or is in the file twice\."),
        (repeat, "altered-archive", r"CardPosted \d+ is not in the log, or is in the file twice\."),
        (two_tournaments, "altered-archive", "is in the file twice"),
        (unknown_kind, "newer-version", "facts that this version does not know"),
        (wrong_type, "damaged-archive", "A line of facts.jsonl"),
        (too_long, "damaged-archive", "A line of facts.jsonl"),
        (unknown_choice, "damaged-archive", "A line of facts.jsonl"),
        (rewrite_log, "altered-archive", "The log was changed at row 4"),
        (shorten_log, "altered-archive", r"The log was changed at row \d+"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_changed_row_is_found_by_the_log(
    original: Path, tmp_path: Path, change: Callable[[Lines], None], code: str, said: str
) -> None:
    """A changed row is found even if somebody recomputed the digests in the manifest and sealed it with another key."""
    member = "log.jsonl" if change in (rewrite_log, shorten_log) else "facts.jsonl"
    members = read_members(original)
    members[member] = change_lines(members[member], change)
    require_refused(write_archive(tmp_path / "forged.zip", members), code, said)


def test_a_manifest_that_was_changed_without_the_key(original: Path, tmp_path: Path) -> None:
    content = with_manifest(read_members(original), lambda manifest: manifest["tournament"].update(name="Mine"))
    (tmp_path / "forged.zip").write_bytes(content)
    require_refused(tmp_path / "forged.zip", "altered-archive", "its seal does not belong to its contents")


def enter_nobody(rows: Lines) -> None:
    of_kind(rows, "Member")["columns"]["player"] = 999


def enter_one_player_twice(rows: Lines) -> None:
    """Assign one player's entry to another player, who then has two entries."""
    members = [row for row in rows if row["kind"] == "Member"]
    merges = {key for row in rows if row["kind"] == "Merge" for key in (row["columns"]["kept"], row["columns"]["gone"])}
    alone = next(row for row in members if row["columns"]["player"] not in merges)
    alone["columns"]["player"] = members[-1]["columns"]["player"]


@pytest.mark.parametrize("change", [enter_nobody, enter_one_player_twice])
def test_facts_that_contradict_each_other_are_refused_though_the_log_was_forged_too(
    original: Path, tmp_path: Path, change: Callable[[Lines], None]
) -> None:
    forged = forge_log(read_members(original), change)
    with pytest.raises(ArchiveRefused, match="contradict each other"):
        import_tournament(write_archive(tmp_path / "forged.zip", forged), by=SYSTEM_ACTOR)
    assert not Tournament.objects.exists()


def test_an_attached_file_that_no_fact_names(original: Path, tmp_path: Path) -> None:
    members = {**read_members(original), "files/evidence/other.jpg": b"x"}
    require_refused(write_archive(tmp_path / "x.zip", members), "altered-archive", "do not belong together")


def test_another_file_of_the_same_name_here_stays(original: Path) -> None:
    [name] = [name for name in read_members(original) if name.startswith("files/")]
    here = default_storage.save(name.removeprefix("files/"), ContentFile(b"another photo"))
    with refused("file-taken"):
        import_tournament(original, by=SYSTEM_ACTOR)
    assert default_storage.open(here).read() == b"another photo" and not Tournament.objects.exists()


# --- Where it cannot go ----------------------------------------------------------------------------------------------


def test_it_is_here_already_or_its_address_is(original: Path) -> None:
    import_event(original)
    with refused("already-here"):
        import_tournament(original, by=SYSTEM_ACTOR)
    Tournament.objects.all().delete()
    with refused("not-here"):
        import_tournament(original, mode=ImportMode.REPLACE, by=SYSTEM_ACTOR)
    a_tournament(slug="desert-classic")
    with refused("address-taken"):
        import_tournament(original, by=SYSTEM_ACTOR)


# --- A newer minor version -------------------------------------------------------------------------------------------


def test_columns_of_a_newer_minor_version_are_kept_on_a_round_trip(original: Path, tmp_path: Path) -> None:
    def add_column(rows: Lines) -> None:
        of_kind(rows, "Entrant")["columns"]["handicap"] = 12

    members = forge_log(read_members(original), add_column)
    manifest = {**json.loads(members["manifest.json"]), "version": "1.7", "weather": "dry"}
    members["manifest.json"] = json.dumps(manifest).encode()
    newer = write_archive(tmp_path / "newer.zip", members)
    event = import_event(newer, ImportMode.COPY)
    again = export(event, tmp_path, "again.zip")
    assert sum(b'"handicap":12' in line for line in facts_in(again)) == 2  # the entrant, and the record of the import
    with ArchiveReader(again) as archive:
        assert check_archive(archive).faults == []
    assert [check for check in verify_event(event) if check.kind == "rows" and not check.passed] == []


# --- The commands ----------------------------------------------------------------------------------------------------


def test_the_commands_answer_with_one_line_of_json(original: Path, tmp_path: Path) -> None:
    answers = []
    for command in (
        ("check_file", str(original)),
        ("import_event", str(original)),
        ("import_event", str(original), "--replace"),
        ("import_event", str(original), "--as-copy"),
        ("export_event", "desert-classic", "--to", str(tmp_path / "again.zip")),
    ):
        out = io.StringIO()
        call_command(*command, stdout=out)
        [line] = out.getvalue().splitlines()
        answers.append(json.loads(line))
    assert all(answer["ok"] for answer in answers)
    assert [answer.get("tournament") for answer in answers[1:4]] == [
        *("desert-classic", "desert-classic", "desert-classic-copy")
    ]
    with pytest.raises(CommandError, match="is on this computer already"):
        call_command("import_event", str(original))
    assert Event.objects.count() == 2
