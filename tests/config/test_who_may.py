"""Request every URL as every role with GET and POST, and compare the responses with the table in `who_may.txt`."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import pytest

from tests.chance import in_part
from tests.config.hall import ROLES, Hall
from tests.config.helpers import all_routes, rolled_back, url_for
from tests.devtools.spoiled.rows import known_of
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
    """Request URLs as this role, and return the results of GET and POST, keyed by URL name.

    A quick test run requests all URLs that the role may not use, and a sixth of the others. A long run requests all.
    """
    kept, column, before = table(), ROLES.index(role), AuditEntry.objects.count()
    found = {}
    for number, (name, wanted, at) in enumerate(all_routes()):
        cells = kept.get(name)
        may = bool(cells) and not set(re.split(r"[/+]+", cells[column])) & {"in", "no", "--"}
        if may and "WRITE_WHO_MAY" not in os.environ and not in_part(number + column, 6):
            continue
        url = url_for(hall, role, name, wanted, at)
        found[name] = "/".join(answer(hall, role, method, url, before) for method in ("GET", "POST"))
    return found


def answer(hall: Hall, role: str, method: str, url: str, before: int) -> str:
    """Send a request, and return a short word for its status, with “+” if the request added rows to the log."""
    client = hall.clients[role]
    with rolled_back(client):
        said = client.get(url) if method == "GET" else client.post(url)
        wrote = "+" if AuditEntry.objects.count() > before else ""
    if 300 <= said.status_code < 400:
        return ("in" if said["Location"].startswith("/accounts/login/") else "go") + wrote
    return SHORT.get(said.status_code, str(said.status_code)) + wrote


def write_column(column: int, found: dict[str, str]) -> None:
    kept = table()
    lines = []
    for name, _wanted, _at in all_routes():
        cells = (kept.get(name) or ["?"] * len(ROLES)) if name in found else []
        cells = [found[name] if place == column else cell for place, cell in enumerate(cells)]
        lines.append(LINE.format(name, *cells, *[""] * (len(ROLES) - len(cells))).rstrip())
    TABLE.write_text(HEAD + "\n".join([LINE.format("", *ROLES).rstrip(), *lines]) + "\n")


def test_every_address_is_in_the_table() -> None:
    assert [name for name, _wanted, _at in all_routes()] == list(table())


@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
def test_everybody_may_what_the_table_says(hall: Hall, role: str) -> None:
    found, column = cells_of(hall, role), ROLES.index(role)
    if "WRITE_WHO_MAY" in os.environ:
        write_column(column, found)
    kept = {name: cells[column] for name, cells in table().items() if cells}
    assert "\n".join(f"{name}: {cell}" for name, cell in found.items() if kept.get(name) != cell) == ""


def test_nobody_records_what_they_may_not_and_no_page_breaks() -> None:
    """No GET request and no refused request in `who_may.txt` records anything, and no request causes a server error."""
    wrong = defaultdict(list)
    for name, cells in table().items():
        for role, cell in zip(ROLES, cells, strict=bool(cells)):
            get, post = cell.split("/")
            if "+" in get or (post.rstrip("+") in NOT_FOR_THEM and "+" in post) or re.search(r"\d", cell):
                wrong[name].append(f"{role} {cell}")
    assert not wrong


MAY: Final = """
/lines0 403 201+ 403 403 403 403 403 201+ 201+ 201+ 201+
/lines1 403 201+ 403 403 403 403 403 201+ 201+ 201+ 201+
/lines2 403 201+ 403 403 403 403 403 201+ 201+ 201+ 201+
/lines3 403 422 422 403 403 403 403 422 422 422 422
/draws0 403 422 422 403 403 403 403 422 422 422 422
/draws1 403 409 409 403 403 403 403 201+ 201+ 201+ 201+
/signatures0 403 409 409 403 403 403 403 422 422 422 422
/signatures1 403 422 422 403 403 403 403 422 422 422 422
/signatures2 403 422 422 403 403 403 403 409 409 409 409
/up-cards0 403 201+ 201+ 403 403 403 403 201+ 201+ 201+ 201+
/checks0 403 403 201+ 403 403 403 403 422 422 422 422
/checks1 403 403 201+ 403 403 403 403 422 422 422 422
/checks2 403 409 403 403 403 403 403 409 409 409 409
/kept0 201+ 201+ 201+ 201+ 201+ 201+ 201+ 201+ 201+ 201+ 201+
/kept/read0 200 200 200 200 200 200 200 200 200 200 200
"""
"""The API's answers to each request body, with one column for each of `ROLES`.

A plus sign means that the request was recorded. Anybody may send a hand that a phone stored offline (`/kept`), because
the hand has its own proof.
"""


def api_answer(hall: Hall, role: str, path: str, body: Any) -> str:
    with rolled_back(hall.clients[role]):
        before = AuditEntry.objects.count()
        said = hall.clients[role].post(path, json.dumps(body), content_type="application/json")
        wrote = "+" if AuditEntry.objects.count() > before else ""
    return f"{said.status_code}{wrote}"


@pytest.mark.django_db
def test_who_may_write_by_the_api(hall: Hall) -> None:
    lines = []
    for ends, bodies in known_of(hall)["bodies"].items():
        for number, body in enumerate(bodies):
            path = f"/api/cards/{hall.card.token}{ends}"
            found = [api_answer(hall, role, path, body) for role in ROLES]
            lines.append(f"{ends}{number} " + " ".join(found))
    assert "\n".join(lines) == MAY.strip()
