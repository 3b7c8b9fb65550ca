"""Attacks that are made once. Each function returns a sentence about what went wrong, or an empty string."""

from __future__ import annotations

import re
import socket
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from tests.devtools.attacks.floods import TOKEN, upload_of
from tests.devtools.spoiled.senders import Answered, BySocket, Request
from tests.tournament.intake.spoiled import (
    CARD,
    LISTS,
    LOGS,
    MB,
    PDFS,
    SHEET,
    a_pdf,
    damaged,
    repacked,
    stream,
    workbook,
)

SLOWEST: Final = 20.0
"""The maximum number of seconds that the site may take to answer an uploaded file, even on a busy machine."""
HALF: Final = quote("\ud800".encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Against:
    """A site to attack.

    `rows` is the output of `tests.devtools.spoiled.rows`, or None if the site was not started for the attacks.
    """

    port: int
    rows: dict[str, Any] | None = None

    def ask(self, method: str, path: str, body: str = "", client: str = "127.0.0.2", **headers: str) -> Answered:
        sent = {
            "Cookie": f"csrftoken={TOKEN}",
            "X-CSRFToken": TOKEN,
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        if body:
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return BySocket(self.port).send(Request(method, path, sent, body.encode("utf-8", "surrogatepass")), client)

    def raw(self, content: bytes, patience: float = SLOWEST) -> tuple[bytes, float]:
        """Send these bytes to the site, and return its response and the time in seconds."""
        began = time.monotonic()
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=patience, source_address=("127.0.0.2", 0)
        ) as raw:
            try:
                raw.sendall(content)
                answer = b"".join(iter(lambda: raw.recv(65536), b""))
            except (TimeoutError, ConnectionError):
                answer = b""
        return answer, time.monotonic() - began

    @property
    def open_event(self) -> str:
        assert self.rows is not None
        return str(self.rows["events"][4])

    @property
    def draft(self) -> str:
        assert self.rows is not None
        return str(self.rows["events"][5])


def pdf_and_log_files(site: Against) -> str:
    """Upload PDFs and logs that are expensive to read.

    Without limits, a 162 kB PDF takes a minute of CPU time, and 6 MB need gigabytes of memory.
    """
    files = {name: make() for name, make in (PDFS | LOGS).items()}
    return _refused(site, "/verify/", files | {"many attachments": many_attachments()}, "")


def many_attachments(number: int = 20_000) -> bytes:
    """Return a PDF that attaches one file of a megabyte under so many names that a reader would unpack 20 GB."""
    names = b"".join(b"(%d)<</Type/Filespec/F(%d)/EF<</F 5 0 R>>>>" % (each, each) for each in range(number))
    return a_pdf(
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 4 0 R>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        b"<</Names[%s]>>" % names,
        stream(zlib.compress(CARD + b" " * MB)),
    )


def lists_that_are_imported(site: Against) -> str:
    """Import files that are hard to read, such as 5 MB of line breaks, damaged workbooks, and lone surrogates."""
    assert site.rows is not None
    good = workbook()
    files = {name: make() for name, make in LISTS.items()}
    files |= {f"damaged {seed}": damaged(good, seed) for seed in range(12)}
    files["no sheet"] = repacked(good, SHEET, b"<a>")
    return _refused(site, f"/desk{site.open_event}import/", files, site.rows["who"]["desk"]["Cookie"])


def _refused(site: Against, path: str, files: dict[str, bytes], cookies: str) -> str:
    for name, content in files.items():
        answer, seconds = site.raw(upload_of(path, content, cookies))
        status = answer[9:12].decode() or "nothing"
        if status not in ("200", "302", "422") or seconds > SLOWEST:
            return f"“{name}” was answered {status} after {seconds:.1f} s."
    return ""


def large_uploads(site: Against) -> str:
    """Check that an upload announced as too large is rejected without being read."""
    for path in ("/verify/", "/accounts/login/", "/nothing/"):
        answer, seconds = site.raw(upload_of(path, b"x" * 1000, length=60 * MB), patience=8)
        if answer[9:12] != b"413" or seconds > 5:
            return f"60 MB to {path} were not refused at once, but {answer[:12]!r} after {seconds:.1f} s."
    return ""


def half_a_letter(site: Against) -> str:
    """Check that the site answers text with lone surrogates without a server error."""
    found = [
        site.ask("POST", "/verify/", f"digest={HALF}"),
        site.ask("GET", f"/verify/{HALF}/"),
        site.ask("POST", "/accounts/login/", f"login={HALF}&password={HALF}"),
    ]
    if site.rows is not None:
        found.append(site.ask("POST", f"/t{site.open_event}register/", f"name={HALF}&email={HALF}&key={HALF}"))
        player = site.rows["who"]["player"]
        card = next(one for role, one in site.rows["addresses"] if role == "player" and one.endswith("/signatures"))
        body = '{"digest": "\\ud800", "code": "\\ud800"}'
        found.append(
            site.ask("POST", card, body, **{"Content-Type": "application/json", "Idempotency-Key": "h", **player})
        )
    return " ".join(str(answer.status) for answer in found if answer.status >= 500 or not answer.status)


def another_address_each_time(site: Against) -> str:
    """Check that a client with forged X-Forwarded-For headers is still rate-limited and gets a message."""
    for number in range(140):
        forwarded = f"10.1.{number}.7"
        answer = site.ask("POST", "/verify/", "digest=x", "127.0.0.3", **{"X-Forwarded-For": forwarded})
        if b"Wait a minute" in answer.body:
            return ""
    return "140 questions in a row were answered, each as if by somebody else."


def a_known_name(site: Against) -> str:
    """Register with a known player's name and email, and check that nobody else sees what was typed."""
    path = f"/t{site.open_event}register/"
    for shown in ("", "&public_name=Cheater&phone=555-0100&club=Nowhere"):
        key = re.search(r'name="key" value="(\w+)"', site.ask("GET", path).body.decode())
        typed = f"name=Emmy+Noether&email=emmy%40example.org&consent=on{shown}&key={key[1] if key else ''}"
        site.ask("POST", path, typed)
    page = site.ask("GET", f"/t{site.open_event}entrants/").body.decode()
    people = set(re.findall(r"/people/\d+/|/players?/\d+/", page))
    pages = [page, *(site.ask("GET", address).body.decode() for address in people)]
    if "Emmy Noether" not in page:
        return "The first entry is not on the list."
    return "Others see what was typed." if any("Cheater" in one or "Nowhere" in one for one in pages) else ""


def a_name_that_turns_around(site: Against) -> str:
    """Check that the list of entrants shows a name without its direction marks and zero-width characters."""
    _enter(site, "Lise\u202e rent\u200bieM\u2066", "turned")
    page = site.ask("GET", f"/t{site.open_event}entrants/").body.decode()
    if "Lise rentieM" not in page:
        return "The entry is not on the list under the name without its marks."
    return "The marks are on the list." if any(mark in page for mark in "\u202e\u200b\u2066") else ""


def a_key_again(site: Against) -> str:
    """Check that a form that is submitted twice creates one entry.

    A submission with the same key and another name creates another entry.
    """
    for name in ("Sofya First", "Sofya First", "Sofya Second"):
        _enter(site, name, "again")
    page = site.ask("GET", f"/t{site.open_event}entrants/").body.decode()
    found = {name: len(re.findall(rf">\s*{name}\s*<", page)) for name in ("Sofya First", "Sofya Second")}
    return "" if set(found.values()) == {1} else f"The list has {found}."


def _enter(site: Against, name: str, key: str) -> None:
    address = f"{name.split()[0]}.{name.split()[-1]}@example.org".encode("ascii", "ignore").decode()
    site.ask("POST", f"/t{site.open_event}register/", f"name={quote(name)}&email={address}&consent=on&key={key}")


def a_hundred_links(site: Against) -> str:
    """Check that a client who asks for a hundred links for one email address is rate-limited.

    Other clients can still ask for a link for this address.
    """
    path, typed = f"/t{site.open_event}register/link/", "email=emmy%40example.org"
    found = [site.ask("POST", path, typed, "127.0.0.4").status for _ in range(100)]
    if found[-1] != 429:
        return f"The hundredth was answered {found[-1]}."
    other = site.ask("POST", path, typed, "127.0.0.5").status
    return f"Somebody else was answered {other}." if other in (0, 429) or other >= 500 else ""


def a_draft(site: Against) -> str:
    """Check that the public cannot open the page, the version, or the stream of an unpublished event."""
    paths = [f"/live{site.draft}", f"/version{site.draft}", f"/t{site.draft}", f"/t{site.draft}entrants/"]
    found = {path: site.ask("GET", path).status for path in paths}
    return ", ".join(f"{path}: {status}" for path, status in found.items() if status != 404)


def a_colleague_s_signature(site: Against) -> str:
    """Create sign-in links for other accounts as a director, and open the page of the daily close with each link.

    A director could use such a link to sign the close as the second person. The director must therefore get a link only
    for the one account that has no password. After a sign-in with this link, the page of the close must say that
    somebody else made it.
    """
    assert site.rows is not None
    singles, director = str(site.rows["events"][0]), site.rows["who"]["director"]
    opened = 0
    for user in range(1, 25):
        made = site.ask("POST", f"/desk/{singles.split('/')[1]}/staff/{user}/link/", "x=1", **director)
        for link in re.findall(r"/sign-in/[\w-]+/", made.body.decode())[:1]:
            head = f"POST {link} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n"
            answer, _seconds = site.raw(f"{head}X-CSRFToken: {TOKEN}\r\nCookie: csrftoken={TOKEN}\r\n\r\n".encode())
            session = b"".join(re.findall(rb"sessionid=\w+", answer)).decode()
            close = site.ask("GET", f"/desk{singles}close/", Cookie=session)
            opened += 1
            if close.status != 200 or b"You are signed in by a link that" not in close.body:
                return f"The close does not say who made the link of user {user}: {close.status}."
    return "" if opened == 1 else f"Links opened {opened} accounts."


def another_name_of_the_site(site: Against) -> str:
    """Check that the site rejects other host names, and that forged proxy headers do not change its links."""
    answer, _seconds = site.raw(b"GET /rules/ HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n")
    if answer[9:12] != b"400":
        return f"Under another name the site answered {answer[9:12].decode() or 'nothing'}."
    claims = {"X_Forwarded_Host": "elsewhere.example", "Forwarded": "host=elsewhere.example", "X_Forwarded_Port": "1"}
    for path in ("/", "/rules/", "/accounts/login/", "/verify/"):
        page = site.ask("GET", path, **claims)
        if page.status != 200 or b"elsewhere" in page.body:
            return f"{path} was answered {page.status}, or leads elsewhere."
    return ""


TRIES: Final[dict[str, Callable[[Against], str]]] = {
    "large_uploads": large_uploads,
    "half_a_letter": half_a_letter,
    "another_address": another_address_each_time,
    "another_name": another_name_of_the_site,
    "verify_files": pdf_and_log_files,
    "import_files": lists_that_are_imported,
    "known_name": a_known_name,
    "turned_name": a_name_that_turns_around,
    "key_again": a_key_again,
    "links": a_hundred_links,
    "draft": a_draft,
    "second_person": a_colleague_s_signature,
}
NEED_ROWS: Final = ("import_files", "known_name", "turned_name", "key_again", "links", "draft", "second_person")
