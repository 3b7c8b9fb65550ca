"""Read amounts of money off pages, papers and files, in cents."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from playwright.sync_api import Locator, Page
from pypdf import PdfReader

from tests.browser import PICTURES, SCREENSHOTS

AMOUNT: Final = re.compile(r"(−)?\$([\d,]+\.\d\d)")


def cents_in(text: str) -> int:
    """The one amount in a text."""
    (found,) = amounts_in(text)
    return found


def amounts_in(text: str) -> list[int]:
    return [
        (-1 if minus else 1) * int(digits.replace(",", "").replace(".", "")) for minus, digits in AMOUNT.findall(text)
    ]


def facts_on(place: Page | Locator) -> dict[str, int]:
    """The amounts of lists of facts, by their labels."""
    labels, values = (place.locator(f"dl.facts {tag}").all_inner_texts() for tag in ("dt", "dd"))
    pairs = zip(labels, values, strict=True)
    return {label.strip(): cents_in(value) for label, value in pairs if amounts_in(value)}


def row_on(page: Page, heading: str, first: str) -> list[int]:
    """The amounts of a row of the table below a heading, by the first cell of the row."""
    section = page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))
    row = section.get_by_role("row").filter(has=page.get_by_role("rowheader", name=first, exact=True))
    return amounts_in(" ".join(row.get_by_role("cell").all_inner_texts()))


def fetched(page: Page, address: str) -> bytes:
    """A file that a link of the page leads to, by the same person."""
    answer = page.request.get(address)
    assert answer.ok, f"{answer.status}: {address}"
    return answer.body()


def column_of(page: Page, address: str, name: str) -> list[int]:
    """One column of a list as CSV, in cents."""
    head, *rows = csv.reader(io.StringIO(fetched(page, address).decode("utf-8-sig")))
    at = head.index(name)
    return [round(float(row[at]) * 100) for row in rows]


def text_of(paper: bytes, name: str) -> str:
    """Everything on a printed file, which is kept beside the pictures."""
    if PICTURES:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / f"{name}.pdf").write_bytes(paper)
    return " ".join(" ".join(one.extract_text() for one in PdfReader(io.BytesIO(paper)).pages).split())
