"""The forms on a page, as a browser would send them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final
from urllib.parse import urljoin, urlsplit

SENDS: Final = ("hx-post", "hx-get", "formaction")


@dataclass(slots=True)
class Form:
    """Where it goes and the fields that it would send now; `files` are fields that take one."""

    path: str
    method: str = "GET"
    is_multipart: bool = False
    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.page, self.forms, self.links = page, list[Form](), list[str]()
        self._form: Form | None = None
        self._select = self._area = ""
        self._chosen = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag == "form":
            method = said.get("method", "get").upper()
            self._form = Form(urljoin(self.page, said.get("action") or self.page), method)
            self._form.is_multipart = "multipart" in said.get("enctype", "")
            self.forms.append(self._form)
        elif tag == "a" and said.get("href", "").startswith(("/", "?")):
            self.links.append(urljoin(self.page, said["href"]))
        for name in SENDS:
            if said.get(name):
                self.forms.append(Form(urljoin(self.page, said[name]), "GET" if name == "hx-get" else "POST"))
        if self._form is not None:
            self._field(self._form, tag, said)

    def _field(self, form: Form, tag: str, said: dict[str, str]) -> None:
        name, kind = said.get("name", ""), said.get("type", "text")
        if tag == "select":
            self._select, self._chosen = name, False
        elif tag == "option" and self._select and (not self._chosen or "selected" in said):
            if self._chosen:
                form.fields.pop()
            form.fields.append((self._select, said.get("value", "")))
            self._chosen = True
        elif tag == "textarea":
            form.fields.append((name, ""))
        elif name and kind == "file":
            form.files.append(name)
        elif name and (tag == "button" or tag == "input") and name != "csrfmiddlewaretoken":
            form.fields.append((name, said.get("value", "on" if kind in ("checkbox", "radio") else "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""


def read_page(page: str, html: str) -> tuple[list[Form], list[str]]:
    """Its forms and where its links lead, on this site."""
    reader = _Reader(page)
    reader.feed(html)
    here = [form for form in reader.forms if form.path.startswith("/")]
    for form in here:
        form.path = _plain(form.path)
    return here, [_plain(link) for link in reader.links]


def _plain(address: str) -> str:
    parts = urlsplit(address)
    path = re.sub(r"[^\x21-\x7e]", "", parts.path)
    return f"{path}?{parts.query}" if parts.query else path
