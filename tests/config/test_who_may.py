"""Every address × everybody × GET and POST, held against the table in `who_may.txt`: what is not in it fails."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest
from django.core.cache import cache
from django.db import transaction
from django.template.base import Template

from tests.chance import in_part
from tests.config.hall import ROLES, Hall
from tests.config.helpers import address, asked
from tournament.models import AuditEntry

TABLE: Final = Path(__file__).with_name("who_may.txt")
HEAD: Final = """\
# Who may what: a line an address, a column everybody who comes (tests/config/hall.py), GET/POST with an empty body.
#   ok shown    in asked to sign in    go led elsewhere    no refused    -- not there    .. not by this method
#   ?  the form asks for more    !  not as things stand    + something was recorded    @draft of an event not yet open
# A library's addresses have no colon. After a change: WRITE_WHO_MAY=1 pytest tests/config/test_who_may.py, and look at
# every line that the difference shows.
"""
SHORT: Final = {200: "ok", 201: "ok", 400: "?", 403: "no", 404: "--", 405: "..", 409: "!", 422: "?"}
LINE: Final = "{:<34}" + " {:<11}" * len(ROLES)
NOT_FOR_THEM: Final = ("in", "no", "--", "..")


def table() -> dict[str, list[str]]:
    lines = (line.split() for line in TABLE.read_text().splitlines() if not line.startswith(("#", " ")))
    return {name: cells for name, *cells in filter(None, lines)}


def cells_of(hall: Hall, role: str) -> dict[str, str]:
    """Ask for every address that is refused to this role; a quick run asks for a third of the others."""
    kept, column = table(), ROLES.index(role)
    found = {}
    for number, (name, wanted, at) in enumerate(asked()):
        cells = kept.get(name)
        may = bool(cells) and not set(re.split(r"[/+]+", cells[column])) & {"in", "no", "--"}
        if may and "WRITE_WHO_MAY" not in os.environ and not in_part(number + column, 3):
            continue
        url = address(hall, role, name, wanted, at)
        found[name] = "/".join(answer(hall, role, method, url) for method in ("GET", "POST"))
    return found


def answer(hall: Hall, role: str, method: str, url: str) -> str:
    """What is said and whether it was recorded; afterwards nothing has happened."""
    client, known = hall.clients[role], hall.clients[role].cookies.copy()
    with transaction.atomic():
        before = AuditEntry.objects.count()
        said = client.get(url) if method == "GET" else client.post(url)
        wrote = "+" if AuditEntry.objects.count() > before else ""
        transaction.set_rollback(True)
    client.cookies = known
    if 300 <= said.status_code < 400:
        return ("in" if said["Location"].startswith("/accounts/login/") else "go") + wrote
    return SHORT.get(said.status_code, str(said.status_code)) + wrote


def write_column(column: int, found: dict[str, str]) -> None:
    kept = table()
    lines = []
    for name, _wanted, _at in asked():
        cells = (kept.get(name) or ["?"] * len(ROLES)) if name in found else []
        cells = [found[name] if place == column else cell for place, cell in enumerate(cells)]
        lines.append(LINE.format(name, *cells, *[""] * (len(ROLES) - len(cells))).rstrip())
    TABLE.write_text(HEAD + "\n".join([LINE.format("", *ROLES).rstrip(), *lines]) + "\n")


def test_every_address_is_in_the_table() -> None:
    assert [name for name, _wanted, _at in asked()] == list(table())


@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
def test_everybody_may_what_the_table_says(hall: Hall, role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in production: Django's test mode keeps a copy of the context of every template.
    monkeypatch.setattr(Template, "_render", lambda template, context: template.nodelist.render(context))
    cache.clear()
    found, column = cells_of(hall, role), ROLES.index(role)
    if "WRITE_WHO_MAY" in os.environ:
        write_column(column, found)
    kept = {name: cells[column] for name, cells in table().items() if cells}
    assert "\n".join(f"{name}: {cell}" for name, cell in found.items() if kept.get(name) != cell) == ""


def test_nobody_records_what_they_may_not_and_no_page_breaks() -> None:
    """The table itself: nothing is recorded by looking, or for somebody who is refused; nothing is an error."""
    wrong = defaultdict(list)
    for name, cells in table().items():
        for role, cell in zip(ROLES, cells, strict=bool(cells)):
            get, post = cell.split("/")
            if "+" in get or (post.rstrip("+") in NOT_FOR_THEM and "+" in post) or re.search(r"\d", cell):
                wrong[name].append(f"{role} {cell}")
    assert not wrong
