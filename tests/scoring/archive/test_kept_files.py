"""Files that were exported by earlier releases can still be checked, imported, and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.environment import BASE_DIR
from scoring.archive.selectors.checks import check_archive
from scoring.archive.selectors.files import VERSION, ArchiveReader
from scoring.archive.selectors.installations import INSTALLATION_EXTENSION, INSTALLATION_VERSION, InstallationReader
from scoring.archive.services.installations import import_installation
from scoring.verification.selectors.event import verify_event
from tests.kit import get_page, public_url
from tests.scoring.helpers.archive import another_installation, export, facts_in, import_event
from tournament.core.permissions import SYSTEM_ACTOR

KEPT_INSTALLATIONS = sorted((BASE_DIR / "tests" / "kept").glob(f"*{INSTALLATION_EXTENSION}"))
KEPT = sorted({*(BASE_DIR / "tests" / "kept").glob("*.zip")} - {*KEPT_INSTALLATIONS})


def test_a_file_of_this_version_is_kept() -> None:
    """If this fails, export a file in the current version of the format, as tests/kept/README.md describes."""
    version, of_installations = (".".join(map(str, each)) for each in (VERSION, INSTALLATION_VERSION))
    assert {version, f"{version}-event"} <= {file.stem for file in KEPT}
    assert f"{of_installations}{INSTALLATION_EXTENSION}" in [file.name for file in KEPT_INSTALLATIONS]


@pytest.mark.django_db
@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_a_kept_file_opens(file: Path, tmp_path: Path) -> None:
    with ArchiveReader(file) as archive:
        assert check_archive(archive).faults == []
    with another_installation():
        event = import_event(file)
        assert [check for check in verify_event(event) if not check.passed] == []
        assert event.tournament.name in get_page(public_url(event))
        kinds_with_new_rows = ("TournamentImport", "IdempotencyKey")
        again = facts_in(export(event, tmp_path), *kinds_with_new_rows)
        assert len(again) == len(facts_in(file, *kinds_with_new_rows))


@pytest.mark.django_db
@pytest.mark.parametrize("file", KEPT_INSTALLATIONS, ids=lambda file: file.name)
def test_a_kept_file_of_an_installation_opens(file: Path) -> None:
    with another_installation(), InstallationReader(file) as reader:
        for result in import_installation(reader, by=SYSTEM_ACTOR):
            for event in result.tournament.events.all():
                assert [check for check in verify_event(event) if not check.passed] == []
