from __future__ import annotations

import base64
import hashlib
import io

import segno
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from scoring.posting.services.opening import CARD_TOKEN_BYTE_COUNT
from scoring.prints.pdf.score_card import COLUMN_HEADINGS, PrintedSide, UnplayedCard, write_unplayed_cards_pdf
from tests.devtools.bench.timing import Figure, best
from tournament.core.pdf.paper import QR_MASK_PATTERN, _fit_translated_text, compute_text_width

PAGES = 1000
PAGES_A_SECOND = 900
BYTES_A_PAGE = 1000
PLATYPUS_PAGES = 50


def _token(turn: int) -> str:
    """Return a token that looks as random as a real card's, but is the same in every run."""
    return (
        base64.urlsafe_b64encode(hashlib.sha256(str(turn).encode()).digest()[:CARD_TOKEN_BYTE_COUNT])
        .decode()
        .rstrip("=")
    )


CARDS = [
    UnplayedCard(
        title="Desert Classic · Singles",
        round="Round 1",
        table=turn + 1,
        game=1,
        target=150,
        sides=(PrintedSide(2 * turn + 1, f"Růžena Kealoha {turn}"), PrintedSide(2 * turn + 2, f"Bob Carpenter {turn}")),
        address=f"http://hall.local:8000/c/{_token(turn)}/",
    )
    for turn in range(PAGES)
]


def print_cards() -> bytes:
    compute_text_width.cache_clear()
    _fit_translated_text.cache_clear()
    target = io.BytesIO()
    write_unplayed_cards_pdf(target, CARDS, two_up=False)
    return target.getvalue()


def make_codes_only() -> None:
    for card in CARDS:
        segno.make(card.address, micro=False, error="m", boost_error=False, mask=QR_MASK_PATTERN)


def print_by_platypus() -> None:
    """Print score cards with ReportLab's Platypus tables, but without QR codes."""
    styles = getSampleStyleSheet()
    story: list[object] = []
    for card in CARDS[:PLATYPUS_PAGES]:
        story += [Paragraph(card.title, styles["Heading2"]), Paragraph(card.round, styles["Normal"])]
        story += [Table([[side.name for side in card.sides]]), Table([COLUMN_HEADINGS, *[[""] * 6] * 40]), PageBreak()]
    SimpleDocTemplate(io.BytesIO()).build(story)


def measure_cards() -> list[Figure]:
    size = len(print_cards()) / PAGES
    cards = best(print_cards, 3)
    codes = best(make_codes_only, 3)
    platypus = best(print_by_platypus, 2) * PAGES / PLATYPUS_PAGES
    return [
        Figure(
            f"{PAGES:,} printed score cards with names and QR codes ({PAGES / cards * 1000:,.0f} pages a second)",
            cards,
            PAGES / PAGES_A_SECOND * 1000,
            against=f"{PAGES_A_SECOND} pages a second",
        ),
        Figure(f"the file size of {PAGES:,} score cards, per page", size, BYTES_A_PAGE, unit="bytes"),
        Figure(
            f"{PAGES:,} score cards, compared with their QR codes alone",
            cards,
            codes,
            against="segno alone",
            asked=False,
        ),
        Figure(
            f"{PAGES:,} score cards, compared with ReportLab tables",
            cards,
            platypus,
            against="platypus, without QR codes",
            asked=False,
        ),
    ]
