"""Paper, files, and pages name the version of the program that made them."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from config.environment import BASE_DIR
from scoring.archive.selectors.export import export_tournament
from scoring.archive.selectors.installations import export_installation
from scoring.prints.pdf.prints import _write_table_signs
from scoring.prints.pdf.score_card import PrintedSide, UnplayedCard, write_unplayed_cards_pdf
from scoring.seals.selectors.log import check_uploaded_log, write_log_file
from tests.factories import an_event
from tests.kit import client_as, event_url, get_page, pdf_pages, public_url
from tests.scoring.helpers.papers import NAMES
from tournament import __version__
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors import program
from tournament.core.selectors.program import format_program_version
from tournament.purse.journal import JOURNAL_SYNTAXES
from tournament.second_laptop.pdf import SheetFacts, make_emergency_sheet

OTHER_VERSION = "1.12.0"


# --- Paper -----------------------------------------------------------------------------------------------------------
# tests/scoring/prints/test_edges.py prints every kind of paper, and looks for the version on each page.

MAKES_A_PDF = re.compile(r"\b(?:Canvas|BaseDocTemplate|SimpleDocTemplate)\(")


def test_every_paper_is_made_by_the_canvas_that_prints_the_version() -> None:
    modules = [path for app in ("tournament", "pairing", "scoring") for path in (BASE_DIR / app).rglob("*.py")]
    makers = {str(path.relative_to(BASE_DIR)) for path in modules if MAKES_A_PDF.search(path.read_text())}
    assert makers == {"tournament/core/pdf/flow.py"}


def cards_of(count: int) -> list[UnplayedCard]:
    sides = PrintedSide(1, NAMES[0]), PrintedSide(2, NAMES[1])
    return [UnplayedCard("Desert Classic", "Final", table, 1, 150, sides) for table in range(1, count + 1)]


def test_each_card_of_a_page_that_will_be_cut_has_the_version_on_both_sides() -> None:
    write_unplayed_cards_pdf(target := io.BytesIO(), cards_of(3), back=["Both players sign."])
    versions = [page.count(format_program_version()) for page in pdf_pages(target.getvalue())]
    assert versions == [2, 2, 1, 2]  # the last back has its rules on both halves


def test_each_table_sign_has_the_version() -> None:
    _write_table_signs(target := io.BytesIO(), "Desert Classic", {1: "http://a/1/", 2: "http://a/2/", 3: "http://a/3/"})
    assert [page.count(format_program_version()) for page in pdf_pages(target.getvalue())] == [2, 1]


@pytest.mark.parametrize("paper", PAPER_SIZES)
def test_when_the_laptop_dies_has_the_version(paper: str) -> None:
    pages = pdf_pages(make_emergency_sheet(SheetFacts(), paper=paper))
    assert len(pages) == 2 and all(format_program_version() in page for page in pages)


def _write_list(target: IO[bytes]) -> None:
    rows = [(str(number),) for number in range(60)]
    write_printed_list(target, PrintedList("Fees", "Singles", (ListColumn("Number", 1),), rows, note="As of noon"))


def _write_cards(target: IO[bytes]) -> None:
    write_unplayed_cards_pdf(target, cards_of(4), back=["Both players sign."])


@pytest.mark.parametrize("write", [_write_list, _write_cards])
def test_two_versions_print_papers_that_differ_only_in_the_version(
    write: Callable[[IO[bytes]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = []
    for version in ("1.0.0", OTHER_VERSION):
        monkeypatch.setattr(program, "__version__", version)
        write(target := io.BytesIO())
        pages = [page.replace(f"Gin rummy tournaments {version}", "") for page in pdf_pages(target.getvalue())]
        papers.append(pages)
        assert PdfReader(target).metadata.creator == f"Gin rummy tournaments {version}"  # type: ignore[union-attr]
    assert papers[0] == papers[1]


# --- Files -----------------------------------------------------------------------------------------------------------
# A CSV file does not name the version, because every line of it is a row that other programs read.


@pytest.mark.django_db
@pytest.mark.parametrize("scope", ["tournament", "event", "everything"])
def test_the_manifest_of_an_exported_file_has_the_version(scope: str, tmp_path: Path) -> None:
    event, target = an_event(), tmp_path / "file.zip"
    if scope == "everything":
        export_installation(target)
    else:
        export_tournament(event.tournament, target, event=event if scope == "event" else None)
    with zipfile.ZipFile(target) as archive:
        assert json.loads(archive.read("manifest.json"))["program"] == __version__


@pytest.mark.django_db
def test_the_sealed_log_has_the_version_and_is_genuine() -> None:
    first = json.loads(write_log_file(an_event().tournament).splitlines()[0])
    assert first["program"] == __version__
    assert check_uploaded_log(write_log_file(an_event().tournament)).faults == ()


@pytest.mark.django_db
def test_a_workbook_has_the_version_in_its_properties() -> None:
    event = an_event()
    answer = client_as("director", event).get(event_url("tournament:desk_entrants", event), {"_export": "xlsx"})
    assert load_workbook(io.BytesIO(answer.content)).properties.creator == format_program_version()


@pytest.mark.django_db
@pytest.mark.parametrize("program_name", JOURNAL_SYNTAXES)
def test_a_ledger_for_accounting_programs_begins_with_the_version(program_name: str) -> None:
    event = an_event()
    url = event_url("tournament:desk_journal", event, scope="event", program=program_name)
    lines = b"".join(client_as("director", event).get(url)).decode().splitlines()  # type: ignore[call-overload]
    assert lines[0] == f"; {format_program_version()}"


# --- Pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_staff_pages_end_with_the_version() -> None:
    event = an_event()
    page = get_page(event_url("tournament:desk_entrants", event), client_as("director", event))
    assert f'<p class="program-version">{format_program_version()}</p> </main>' in page


@pytest.mark.django_db
def test_public_pages_have_the_version_only_when_they_are_printed() -> None:
    page = get_page(public_url(an_event()))
    assert page.count(format_program_version()) == 1
    assert f'<p class="paper-only">{format_program_version()}</p>' in page
