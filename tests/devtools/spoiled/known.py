"""What is there to be asked: addresses, forms on pages, queries that pages use, files that the site makes."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from tests.devtools.spoiled.files import good_files
from tests.devtools.spoiled.forms import Form, read_page
from tests.devtools.spoiled.senders import Request, Sender

OUT: Final = "/accounts/logout/"


@dataclass(slots=True)
class Known:
    """`rows` as `tests.devtools.spoiled.rows` prints them; the rest is read from the pages by `read_all`."""

    rows: dict[str, Any]
    forms: dict[str, list[Form]] = field(default_factory=lambda: defaultdict(list))
    links: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    addresses: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    names: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=good_files)

    def read_all(self, sender: Sender, roles: Collection[str] = ()) -> None:
        """Every address once, as each of these; forms that differ in nothing but their page are kept once."""
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
        """Whose forms are sent, be it by somebody else."""
        return dice.choice(sorted(role for role, forms in self.forms.items() if forms))
