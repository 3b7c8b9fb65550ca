"""Who may write to a card by the API, with bodies that are right: the addresses alone say too little."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from django.db import transaction

from tests.config.hall import ROLES, Hall
from tests.devtools.spoiled.rows import known_of
from tournament.models import AuditEntry

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
"""A column for each of ROLES, a line for each body; + where something was recorded. A kept hand carries its own proof,
the one who brings it."""


def answer(hall: Hall, role: str, path: str, body: Any) -> str:
    with transaction.atomic():
        before = AuditEntry.objects.count()
        said = hall.clients[role].post(path, json.dumps(body), content_type="application/json")
        wrote = "+" if AuditEntry.objects.count() > before else ""
        transaction.set_rollback(True)
    return f"{said.status_code}{wrote}"


@pytest.mark.django_db
def test_who_may_write_by_the_api(hall: Hall) -> None:
    lines = []
    for ends, bodies in known_of(hall)["bodies"].items():
        for number, body in enumerate(bodies):
            path = f"/api/cards/{hall.card.token}{ends}"
            found = [answer(hall, role, path, body) for role in ROLES]
            lines.append(f"{ends}{number} " + " ".join(found))
    assert "\n".join(lines) == MAY.strip()
