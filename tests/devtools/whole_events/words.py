"""Fetch pages as the public, a player, or the director, and read their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import lxml.html
from django.test import Client
from lxml.html import HtmlElement

from tests.devtools.whole_events.values import PageFails
from tournament.models import Event, StaffRole

HERE = "localhost"


@dataclass
class Pages:
    event: Event
    public: Client = field(default_factory=lambda: Client(SERVER_NAME=HERE))
    desk: Client = field(default_factory=lambda: Client(SERVER_NAME=HERE))

    def __post_init__(self) -> None:
        role = (
            StaffRole.objects.filter(tournament=self.event.tournament, role="director").select_related("user").first()
        )
        if role is not None:
            self.desk.force_login(role.user)

    @property
    def slugs(self) -> str:
        return f"{self.event.tournament.slug}/{self.event.slug}"

    def get(self, path: str, *, staff: bool = False) -> HtmlElement:
        """Return the page's main part."""
        tree = lxml.html.fromstring(self.raw(path, staff=staff).decode())
        main = tree.find(".//main")
        return tree if main is None else main

    def raw(self, path: str, *, staff: bool = False) -> bytes:
        answer = (self.desk if staff else self.public).get(path)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        if answer.status_code != 200:
            text = words(lxml.html.fromstring(content.decode())) if content else ""
            raise PageFails(path, answer.status_code, text[:200])
        return bytes(content)

    def json(self, path: str) -> Any:
        return json.loads(self.raw(path))

    def of_event(self, rest: str = "") -> str:
        return f"/t/{self.slugs}/{rest}"

    def of_desk(self, rest: str = "") -> str:
        return f"/desk/{self.slugs}/{rest}"


def select(element: HtmlElement, css: str) -> list[HtmlElement]:
    """Return the elements that match a selector with tags, classes, nesting, and commas."""
    return list(element.xpath(_path(css)))


@lru_cache
def _path(css: str) -> str:
    return " | ".join("." + "".join(map(_step, one.split())) for one in css.split(","))


def _step(part: str) -> str:
    tag, *classes = part.split(".")
    has = "".join(f"[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]" for name in classes)
    return f"//{tag or '*'}{has}"


def words(element: HtmlElement) -> str:
    """Return an element's text. Each run of whitespace is replaced by a single space."""
    return re.sub(r"\s+", " ", " ".join(element.itertext())).strip()


def number(text: str) -> int | None:
    """Return the whole number in a text, or None. The minus sign may be typographic."""
    bare = text.strip().replace("\u2212", "-").replace("+", "").replace(",", "")
    return int(bare) if re.fullmatch(r"-?\d+", bare) else None


@dataclass(frozen=True)
class SideWords:
    name: str
    number: int | None
    total: int | None
    won: bool


@dataclass(frozen=True)
class CardWords:
    state: str
    sides: tuple[SideWords, ...]
    text: str
    rows: tuple[tuple[int | None, ...], ...]
    """The running totals in the chart, if there is one."""


def read_card_page(page: HtmlElement) -> CardWords:
    sides = tuple(_card_side(one) for one in select(page, ".match-score-side"))
    badge = select(page, ".state")
    signed = select(page, "pre")
    for each in signed:
        each.clear()
    return CardWords(badge_word(badge[0]) if badge else "", sides, words(page), _chart(page))


def _card_side(element: HtmlElement) -> SideWords:
    name = select(element, ".match-score-name")[0]
    entry = select(name, ".entry-number")
    total = select(element, "strong")
    return SideWords(
        name=" ".join((name.text or "").split()),
        number=number(words(entry[0])) if entry else None,
        total=number(words(total[0])) if total else None,
        won=bool(select(element, ".winner-sign")),
    )


def _chart(page: HtmlElement) -> tuple[tuple[int | None, ...], ...]:
    rows = select(page, "figure.chart table tbody tr")
    return tuple(tuple(number(words(cell)) for cell in select(row, "td")) for row in rows)


def badge_word(badge: HtmlElement) -> str:
    """Return the text of a status badge without its symbol."""
    sign = select(badge, ".state-sign")
    said = words(badge)
    return said.removeprefix(words(sign[0])).strip() if sign else said


@dataclass(frozen=True)
class BoxWords:
    ident: str
    state: str
    sides: tuple[SideWords, ...]


def read_boxes(page: HtmlElement) -> Iterator[BoxWords]:
    """Yield the matches on a page, except the matches that come before and after the page's own match."""
    for box in select(page, "article.match-box"):
        ident = (box.get("id") or "").removeprefix("match-")
        state = select(box, ".state")
        sides = tuple(_box_side(side) for side in select(box, ".match-side"))
        if ident and not (box.get("id") or "").startswith(("before-", "after-")):
            yield BoxWords(ident, badge_word(state[0]) if state else "", sides)


def _box_side(side: HtmlElement) -> SideWords:
    return SideWords(
        name=_part(side, ".match-name") or "",
        number=_figure(side, ".entry-number"),
        total=_figure(side, ".score"),
        won=bool(select(side, ".winner-sign")),
    )


def _part(element: HtmlElement, css: str) -> str | None:
    found = select(element, css)
    return words(found[0]) if found else None


def _figure(element: HtmlElement, css: str) -> int | None:
    said = _part(element, css)
    return None if said is None else number(said.removeprefix("number").removeprefix("score"))


Row = dict[str, str]


def read_rows(page: HtmlElement, css: str = "table.desk-table, .desk-list table") -> list[Row]:
    """Return the rows of the page's first list, keyed by column heading."""
    found: list[Row] = []
    for table in select(page, css)[:1]:
        heads = [words(head) for head in select(table, "thead th")]
        for row in select(table, "tbody tr"):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            if len(cells) == len(heads):
                found.append({head: words(cell) for head, cell in zip(heads, cells, strict=True)})
    return found


def read_facts_list(page: HtmlElement) -> Row:
    """Return the values in all definition lists, keyed by term. If a term is repeated, only its first value is used."""
    found: Row = {}
    for terms in select(page, "dl"):
        term = ""
        for part in terms:
            if part.tag == "dt":
                term = words(part)
            elif part.tag == "dd" and term:
                found.setdefault(term, words(part))
    return found


def read_plain_table(page: HtmlElement, heads: tuple[str, ...]) -> list[Row]:
    """Return the rows of the table with exactly these headings."""
    for table in select(page, "table"):
        said = [words(head) for head in select(table, "thead th")]
        if tuple(said) == heads:
            rows = select(table, "tbody tr")
            return [dict(zip(heads, (words(cell) for cell in row), strict=False)) for row in rows]
    return []
