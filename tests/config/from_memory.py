"""Public pages of a real site, from memory."""

from __future__ import annotations

import http.client
from collections.abc import Mapping

from tests.processes import Site
from tournament.core.permissions import SYSTEM
from tournament.core.services.record import writing
from tournament.models import Event


def ask(site: Site, path: str, method: str = "GET", **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
    line.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def renamed(event: Event, name: str) -> None:
    with writing(event, verb="test.renamed", by=SYSTEM) as write:
        write.the_event.name = name
        write.the_event.save(update_fields=["name"])
