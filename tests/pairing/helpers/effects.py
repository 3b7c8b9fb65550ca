from __future__ import annotations

import re

from django.http import HttpResponse
from django.test import Client


def digest_in(answer: HttpResponse) -> str:
    found = re.search(r'name="shown" value="([0-9a-f]+)"', answer.content.decode())
    assert found is not None
    return found[1]


def look_and_do(client: Client, address: str, fields: dict[str, str]) -> tuple[str, HttpResponse]:
    """Preview an action, and then confirm it. Return the preview page and the response to the confirmation."""
    looked = client.post(address, {**fields, "act": "look"})
    assert looked.status_code == 200, looked.content.decode()
    listed = re.search(r'name="listed" value="([^"]*)"', looked.content.decode())
    shown = {"shown": digest_in(looked), "listed": listed[1] if listed else ""}
    done = client.post(address, {**fields, "act": "do", **shown})
    return looked.content.decode(), done
