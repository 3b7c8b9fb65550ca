from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from config.environment import BASE_DIR
from laptop import command
from tests.factories import a_tournament
from tests.kit import client_as, page_text, pdf_pages, pdf_text
from tests.tournament.helpers.second_laptop import a_link, a_second_laptop
from tournament.backups.services import register_backup_copy_folder
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.second_laptop import pdf
from tournament.second_laptop.pdf import SheetFacts, make_emergency_sheet
from tournament.second_laptop.selectors import LaptopRole, get_second_laptop_url_file
from tournament.second_laptop.services.roles import save_link
from tournament.second_laptop.words import SHEET_SECTIONS, SHEET_TITLE, SheetSection, format_takeover_command

PAGE: Final = (BASE_DIR / "docs" / "when-the-laptop-dies.md").read_text(encoding="utf-8")
OWN_SCREEN: Final = "/second-laptop/when-the-laptop-dies.pdf"
FULL: Final = SheetFacts(
    first_address="https://192.168.1.20:8443", second_address="https://192.168.1.21:8443", copies=("GIN",)
)


# --- The texts -------------------------------------------------------------------------------------------------------


def as_on_paper(markdown: str) -> list[str]:
    """Return the paragraphs of a Markdown text as they are printed: with quotation marks, and without list markers."""
    text = re.sub(r"[*`]+([^*`]+)[*`]+", r"“\1”", markdown)
    parts = re.split(r"\n\n+|\n(?=\d\. |- )", text.strip())
    return [" ".join(re.sub(r"^(\d\. |- )", "", part).split()) for part in parts]


def texts_of(section: SheetSection) -> list[str]:
    return [str(text) for text in (section.before, *section.steps, *section.after) if text]


def test_the_page_of_the_docs_has_the_words_of_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "IS_CHECKOUT", False)
    title, *parts = re.split(r"^##? ", PAGE, flags=re.MULTILINE)[1:]
    *last, typed, _more = parts[-1].split("\n\n")
    parts[-1] = "\n\n".join(last)
    found = {part.partition("\n")[0]: as_on_paper(part.partition("\n")[2]) for part in parts}
    assert found == {str(section.title): texts_of(section) for section in SHEET_SECTIONS}
    assert (title.partition("\n")[0], typed.strip()) == (str(SHEET_TITLE), format_takeover_command())


# --- The paper -------------------------------------------------------------------------------------------------------


def font_sizes(content: bytes) -> dict[str, float]:
    """Return the font size of each text in a PDF."""
    found: dict[str, float] = {}
    for page in PdfReader(io.BytesIO(content)).pages:
        page.extract_text(visitor_text=lambda text, _cm, _tm, _font, size: found.setdefault(text.strip(), size))
    return found


@pytest.mark.parametrize("paper", PAPER_SIZES)
def test_it_is_one_sheet_that_is_easy_to_read(paper: str) -> None:
    content = make_emergency_sheet(FULL, paper=paper)
    sizes = [size for text, size in font_sizes(content).items() if len(text) > 30]
    assert len(pdf_pages(content)) == 2 and min(sizes) >= 12.5


def test_the_second_side_begins_with_the_dead_laptop() -> None:
    first, second = pdf_pages(make_emergency_sheet(FULL))
    assert "is dead" not in first and "The first laptop is dead, and there is a second one" in second


def test_a_longer_translation_is_smaller_and_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = [
        SheetSection(each.title, each.before, tuple(f"{step} Und noch ein Satz." for step in each.steps), each.after)
        for each in SHEET_SECTIONS
    ]
    monkeypatch.setattr(pdf, "SHEET_SECTIONS", longer)
    content = make_emergency_sheet(FULL)
    text = " ".join(pdf_text(content).split())
    assert len(pdf_pages(content)) == 2 and text.count("Und noch ein Satz.") == sum(
        len(each.steps) for each in SHEET_SECTIONS
    )


def test_the_addresses_and_the_stick_are_at_the_top() -> None:
    text = pdf_pages(make_emergency_sheet(FULL))[0]
    assert all(fact in text for fact in (FULL.first_address, FULL.second_address, "GIN")) and "____" not in text


def test_an_unknown_fact_is_a_line_to_write_on() -> None:
    assert pdf_text(make_emergency_sheet(SheetFacts(first_address="http://hall.test"))).count("_" * 20) == 2


# --- The pages that print it -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.usefixtures("folder")
def test_a_director_prints_it_from_the_backups(settings: Any, tmp_path: Path) -> None:
    tournament = a_tournament()
    director = client_as("director", tournament)
    settings.SITE_URL, settings.BACKUP_MOUNT_FOLDERS = "http://192.168.1.20:8000", [str(tmp_path / "media" / "*")]
    (tmp_path / "media" / "GINSTICK").mkdir(parents=True)
    register_backup_copy_folder(tmp_path / "media" / "GINSTICK")
    save_link(a_link(LaptopRole.FIRST))
    get_second_laptop_url_file().write_text("http://192.168.1.21:8000")
    link = reverse("tournament:emergency_sheet", args=[tournament.slug])
    assert link in director.get(reverse("tournament:desk_backups", args=[tournament.slug])).content.decode()
    text = pdf_text(director.get(link).content)
    assert all(fact in text for fact in ("192.168.1.20:8000", "192.168.1.21:8000", "GINSTICK", tournament.name))


@pytest.mark.django_db
@pytest.mark.usefixtures("folder")
def test_the_second_laptop_prints_both_addresses_on_its_own_screen(settings: Any) -> None:
    settings.SITE_URL = "http://192.168.1.21:8000"
    a_second_laptop()
    assert "Print “When the laptop dies”" in page_text(Client().get("/second-laptop/"))
    text = pdf_text(Client().get(OWN_SCREEN).content)
    assert re.search(r"First laptop\s+192\.168\.1\.20\s+Second laptop\s+http://192\.168\.1\.21:8000", text)


@pytest.mark.django_db
def test_another_computer_does_not_print_it() -> None:
    assert Client().get(OWN_SCREEN, REMOTE_ADDR="192.168.1.30").status_code == 404
