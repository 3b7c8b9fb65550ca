"""Send requests to a site or an ASGI application, list the site's URLs, and parse the source of the program."""

from __future__ import annotations

import ast
import asyncio
import http.client
import io
import zipfile
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, Final

from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse

from config.environment import BASE_DIR
from tests.config.hall import Hall, routes
from tests.processes import PATIENCE, Site
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import Event

APPS: Final = ("tournament", "pairing", "scoring")
OF_A_LIBRARY: Final = {"key": "x", "uidb36": "x", "pk": 1}
"""Values for the arguments of URLs. No such object exists."""
OF_AN_EVENT: Final = ("t/<slug:tournament>/<slug:event>/", "version/")

# --- Requests --------------------------------------------------------------------------------------------------------


def ask(
    site: Site, path: str, method: str = "GET", body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a running site, and return the status, the headers, and the body of the response."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


Receive = Callable[[], Awaitable[dict[str, Any]]]


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Decorate an asynchronous test so that it runs in its own event loop."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


async def call_app(
    app: Any,
    path: str,
    method: str = "GET",
    body: bytes = b"",
    *,
    client: str = "10.0.0.7",
    receive: Receive | None = None,
    sent: list[dict[str, Any]] | None = None,
    **headers: str,
) -> tuple[int, bytes, dict[bytes, bytes]]:
    """Call an ASGI application, and return the status, the body, and the headers of its response.

    If `sent` is given, the ASGI messages from the application are appended to it.
    """
    messages = [] if sent is None else sent
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    named += [(b"content-length", str(len(body)).encode())] if body else []
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": named, "client": (client, 1), "scheme": "https"}

    async def receive_body() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    await app(scope, receive or receive_body, send)
    return read_answer(messages)


def read_answer(messages: list[dict[str, Any]]) -> tuple[int, bytes, dict[bytes, bytes]]:
    content = b"".join(message.get("body", b"") for message in messages[1:])
    return messages[0]["status"], content, dict(messages[0]["headers"])


@contextmanager
def rolled_back(client: Client) -> Iterator[None]:
    """Undo what the requests in the block write, and restore the client's cookies."""
    cookies = SimpleCookie(client.cookies)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    client.cookies = cookies


def unzipped_text(content: bytes) -> str:
    """Return the content of a file as text. The content of a spreadsheet is unzipped first."""
    if not content.startswith(b"PK"):
        return content.decode(errors="replace")
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return "\n".join(packed.read(name).decode(errors="replace") for name in packed.namelist())


def rename_event(event: Event, name: str) -> None:
    with writing(event, verb="test.renamed", by=SYSTEM_ACTOR) as write:
        write.the_event.name = name
        write.the_event.save(update_fields=["name"])


# --- URLs ------------------------------------------------------------------------------------------------------------


def all_routes() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield every route, including those of libraries.

    An event's public routes are repeated with “@draft” in the name, for an event that is not yet public.
    """
    for name, wanted, at in routes():
        if name.startswith("library:"):
            yield from _library_routes(at)
            continue
        yield name, wanted, at
        if at.startswith(OF_AN_EVENT):
            yield f"{name}@draft", wanted, at


def _library_routes(at: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    found: Any = next(each for each in get_resolver().url_patterns if str(each.pattern) == at)
    for name in sorted(key for key in found.reverse_dict if isinstance(key, str)):
        ((_at, wanted),) = found.reverse_dict[name][0]
        yield name, tuple(wanted), at


def url_for(hall: Hall, role: str, name: str, wanted: tuple[str, ...], at: str) -> str:
    if ":" in name or name == at:
        return hall.address(role, name, wanted, at)
    return reverse(name, kwargs={key: OF_A_LIBRARY[key] for key in wanted})


# --- Source ----------------------------------------------------------------------------------------------------------


@cache
def modules_of(*packages: str) -> dict[str, ast.Module]:
    """Return the syntax trees of all modules in these packages except migrations, keyed by path."""
    paths = [path for package in packages for path in sorted((BASE_DIR / package).rglob("*.py"))]
    return {_name(path): _parse(path) for path in paths if "migrations" not in path.parts}


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _name(path: Path) -> str:
    return path.relative_to(BASE_DIR).as_posix()


def called_name(node: ast.AST) -> str:
    """Return the name of the function that the node calls, or an empty string."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
