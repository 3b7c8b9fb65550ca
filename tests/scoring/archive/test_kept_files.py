"""Files that released versions exported can still be checked, imported, and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.environment import BASE_DIR
from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.files import VERSION, ArchiveReader
from scoring.verification.selectors.event import verify_event
from tests.kit import get_page, public_url
from tests.scoring.helpers.archive import another_installation, export, facts_in, import_event

KEPT = sorted((BASE_DIR / "tests" / "kept").glob("*.zip"))


def test_a_file_of_this_version_is_kept() -> None:
    """If this fails, add a file as tests/kept/README.md says."""
    assert ".".join(map(str, VERSION)) in [file.stem for file in KEPT]


@pytest.mark.django_db
@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_a_kept_file_opens(file: Path, tmp_path: Path) -> None:
    with ArchiveReader(file) as archive:
        assert check_archive(archive).faults == []
    with another_installation():
        event = import_event(file)
        assert [check for check in verify_event(event) if not check.good] == []
        assert event.tournament.name in get_page(public_url(event))
        kinds_with_new_rows = ("TournamentImport", "IdempotencyKey")
        again = facts_in(export(event, tmp_path), *kinds_with_new_rows)
        assert len(again) == len(facts_in(file, *kinds_with_new_rows))
