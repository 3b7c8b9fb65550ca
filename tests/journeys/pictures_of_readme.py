"""Take the pictures for the README from a demo event (`make pictures`).

The file's name keeps it out of ordinary test runs.
"""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from config.environment import BASE_DIR
from scoring.models import Card
from tests.browser import MakePage, still
from tests.journeys.steps import played

pytestmark = pytest.mark.browser

PICTURES = BASE_DIR / "docs" / "pictures"
WIDTH = 800
COLORS = 16
"""A palette of this size keeps each file below 40 kB."""


def test_bracket_and_score_card(make_page: MakePage) -> None:
    event = played(8, "final")
    page = make_page("desktop")
    page.goto(f"{event.page}bracket/")
    with still(page):
        bracket = page.locator(".bracket-tree").screenshot()
    save(Image.open(io.BytesIO(bracket)), PICTURES / "bracket.png")
    card = Card.objects.filter(match__event=event.event, postings__isnull=False).latest("pk")
    answer = page.request.get(f"/t/{event.event.tournament.slug}/{event.event.slug}/card/{card.token}/pdf/")
    paper = pypdfium2.PdfDocument(answer.body())[0].render(scale=2).to_pil()
    signatures_end = round(paper.height * 0.57)
    save(paper.crop((0, 0, paper.width, signatures_end)), PICTURES / "score-card.png")


def save(picture: Image.Image, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    height = round(picture.height * WIDTH / picture.width)
    small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    small.quantize(COLORS).save(path, optimize=True)
