from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import plistlib
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from django.test import Client

from config.asgi import application as site
from config.door import application as door
from laptop.reach import Certificates, ensure_certificates
from tests.factories import a_tournament, a_user
from tests.kit import client_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def files(tmp_path: Path, settings: Any) -> Certificates:
    made = ensure_certificates(tmp_path, ["hall.test"], now=dt.datetime.now(dt.UTC))
    settings.OWN_CERTIFICATE = str(made.authority)
    settings.SITE_URL, settings.TRUST_URL = "https://hall.test:8000", "http://hall.test:8001/"
    return made


def test_both_kinds_of_phone_get_the_certificate_itself(files: Certificates) -> None:
    der = x509.load_pem_x509_certificate(files.authority.read_bytes()).public_bytes(Encoding.DER)
    file = Client().get("/trust/hall.crt")
    assert file["Content-Type"] == "application/x-x509-ca-cert"
    assert x509.load_pem_x509_certificate(file.content).public_bytes(Encoding.DER) == der
    profile = Client().get("/trust/hall.mobileconfig")
    assert profile["Content-Type"] == "application/x-apple-aspen-config"
    payload = plistlib.loads(profile.content)["PayloadContent"][0]
    assert (payload["PayloadType"], payload["PayloadContent"]) == ("com.apple.security.root", der)
    assert b"PRIVATE" not in file.content + profile.content


def test_the_page_and_the_desk_show_the_same_fingerprint(files: Certificates) -> None:
    der = x509.load_pem_x509_certificate(files.authority.read_bytes()).public_bytes(Encoding.DER)
    pairs = " ".join(f"{byte:02X}" for byte in hashlib.sha256(der).digest())
    page = Client().get("/trust/").content.decode()
    assert pairs in page and "https://hall.test:8000/" in page
    tournament = a_tournament()
    desk = client_as("director", tournament)
    screen = desk.get(f"/desk/{tournament.slug}/phones/").content.decode()
    assert pairs in screen and "http://hall.test:8001/" in screen


def test_without_a_certificate_it_explains_what_phones_cannot_do(settings: Any) -> None:
    settings.OWN_CERTIFICATE = ""
    page = Client().get("/trust/").content.decode()
    assert "http without encryption" in page and "mobileconfig" not in page
    assert Client().get("/trust/hall.crt").status_code == 404


def asked(application: Any, path: str, headers: list[tuple[bytes, bytes]]) -> tuple[int, str]:
    """Send a GET request to the ASGI application, and return the status and the body of the response."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *headers],
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 9),
    }
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(application(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], body.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/", "/desk/", "/my/secret/match/", "/trust/"])
def test_plain_http_serves_only_this_page(files: Certificates, path: str) -> None:
    status, body = asked(door, path, [])
    assert (status, "Make this phone trust the hall" in body) == (200, True)


@pytest.mark.django_db(transaction=True)
def test_separate_cookie_headers_are_all_read() -> None:
    user = a_user("director", a_tournament(slug="twelve"))
    client = Client()
    client.force_login(user)
    session = f"sessionid={client.cookies['sessionid'].value}".encode()
    status, body = asked(site, "/desk/twelve/phones/", [(b"cookie", b"other=1"), (b"cookie", session)])
    assert (status, "<h1>Phones</h1>" in body) == (200, True)
