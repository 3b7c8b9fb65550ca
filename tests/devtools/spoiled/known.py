"""List everything that can be requested: the site's URLs, forms, links, and files."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from tests.devtools.spoiled.senders import Request, Sender
from tests.devtools.spoiled.values import good_files

SENDS: Final = ("hx-post", "hx-get", "formaction")


@dataclass(slots=True)
class Form:
    """A form with its current field values, and the names of its file fields."""

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
    """Return a page's forms and its links to this site."""
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


OUT: Final = "/accounts/logout/"


@dataclass(slots=True)
class Known:
    """All known requests.

    `rows` is the output of `tests.devtools.spoiled.rows`. `read_all` reads the rest from the site's pages.
    """

    rows: dict[str, Any]
    forms: dict[str, list[Form]] = field(default_factory=lambda: defaultdict(list))
    links: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    addresses: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    names: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=good_files)

    def read_all(self, sender: Sender, roles: Collection[str] = ()) -> None:
        """Read every page once for each role, and keep each form only once."""
        for role, address in self.rows["addresses"]:
            self.addresses[role].append(address)
            if not address.startswith(("/live/", OUT)) and role in (roles or self.rows["who"]):
                self._read(sender, role, address)
        names = {name for forms in self.forms.values() for form in forms for name, _value in form.fields}
        self.names = sorted(names | {"page", "sort", "q", "next", "state"})

    def _read(self, sender: Sender, role: str, address: str) -> None:
        answer = sender.send(Request("GET", address, dict(self.rows["who"][role])), "127.0.0.1")
        kind = answer.headers.get("content-type", "")
        if kind.startswith("text/html"):
            forms, links = read_page(address, answer.body.decode(errors="replace"))
            kept = {(form.path, tuple(name for name, _value in form.fields)) for form in self.forms[role]}
            for form in forms:
                if (form.path, tuple(name for name, _value in form.fields)) not in kept:
                    self.forms[role].append(form)
            self.links[role] = sorted({*self.links[role], *links})
        elif answer.status == 200 and kind.startswith(("application/pdf", "application/json", "application/zip")):
            name = "site" + {"application/pdf": ".pdf", "application/zip": ".zip"}.get(kind, ".json")
            self.files.setdefault(f"{len(answer.body) % 7}{name}", answer.body)

    def a_role(self, dice: random.Random) -> str:
        return dice.choice(sorted(self.rows["who"]))

    def a_reader(self, dice: random.Random) -> str:
        """Return a random role whose pages have forms. The caller may submit these forms as another role."""
        return dice.choice(sorted(role for role, forms in self.forms.items() if forms))
