"""Make a valid request, and spoil it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from tests.devtools.spoiled.known import Form, Known
from tests.devtools.spoiled.senders import Request
from tests.devtools.spoiled.values import RAW_JSON, any_text, damage, spoil_json, to_json

TOKEN: Final = "a" * 32
# fmt: off
TYPES: Final = (
    *"""
        text/plain application/json multipart/form-data x multipart/ application/xml
    """.split(),
    "", "application/json; charset=utf-16", "multipart/form-data; boundary=", 'multipart/form-data; boundary="é"',
    "multipart/form-data; boundary=" + "b" * 400, "application/x-www-form-urlencoded; charset=utf-7",
    "application/x-www-form-urlencoded; charset=nothing", "application/x-www-form-urlencoded; charset=rot13",
    "multipart/form-data; boundary=b; charset=hex", "text/plain; a*=nothing''x", "text/plain; a*=idna''%41",
    "multipart/form-data; boundary*0*=idna''%41",
)
# fmt: on
METHODS: Final = ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "GET", "POST")
# fmt: off
PATHS: Final = (
    *"""
        %00 %ff %ed%a0%80 %e2%80%ae %2e%2e .. %2f %5c % %zz ~ - 0 -1 9999999999999999999 R0M0 R1M1%0a %f0%9f%82%a1
        %E2%91%A0 a%20b ;a=b %25 1.5 None %c0%ae
    """.split(),
    "9" * 400, "x" * 3000,
)
# fmt: on
# fmt: off
QUERIES: Final = (
    *"""
        % %ff=%fe a=%00 &&& = ; page=0 page=-1 page=99999999999999999999 page=%ff page=last sort=-x
        next=//evil.example next=javascript:1 x[]=1 é=1 of=card-99999999999999999999 of=%00 name=%ed%a0%80 ? #
        %u2028=1 code=%e2%80%ae
    """.split(),
    "a=" + "b" * 6000, "&".join(f"a{n}=1" for n in range(900)), "of=" + "card-1," * 50,
)
# fmt: on
HEADERS: Final = {
    "HX-Request": ("true", "\xff"),
    "HX-Target": ("x" * 900, "\xff", ""),
    "HX-Boosted": ("true",),
    "HX-Current-URL": ("http://[::1", "é", "javascript:1"),
    "HX-Current-URL-URI-AutoEncoded": ("true",),
    "HX-Prompt": ("%ff", "%ed%a0%80"),
    "HX-Prompt-URI-AutoEncoded": ("true",),
    "HX-History-Restore-Request": ("true",),
    "HX-Trigger": ('{"a":', "\xff"),
    "Triggering-Event": ("{", "null", "[1]"),
    "Accept": ("application/json", "\xff/*;q=x"),
    "Accept-Language": ("x" * 700, "zz-\xff, en;q=9", "en_US@x"),
    "Accept-Encoding": ("gzip;q=x", "zstd, br", "\xff"),
    "If-None-Match": ('"', "W/\xff", "*"),
    "If-Match": ("*", "x"),
    "If-Modified-Since": ("Fri, 99 Foo 99999 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "9" * 400),
    "If-Unmodified-Since": ("x",),
    "Range": ("bytes=9-1", "x" * 90),
    "Referer": ("http://[x", "javascript:1", "\xff"),
    "Origin": ("null", "http://evil.example", "http://["),
    "User-Agent": ("\xff" * 800, "", "x" * 5000),
    "Idempotency-Key": ("", "k" * 101, "\xff", "k\x00"),
    "Authorization": ("Bearer \xff", "Bearer", "Basic x", "Bearer " + "x" * 900, "Bearer \x00"),
    "Cookie": ("sessionid=\xff", "sessionid=" + "x" * 900, "messages=x; csrftoken=aaaa", "=;;=", "sessionid=\x00"),
    "Host": ("evil.example", "localhost:99999", "[::1", "", "localhost:x", "\xff"),
    "X-Forwarded-Host": ("evil.example",),
    "X-Forwarded-For": ("not an address", "1.2.3.4, " * 90),
    "X-Forwarded-Proto": ("https",),
    "X-Tell": ("1",),
    "X-CSRFToken": ("wrong", "", "\xff"),
    "Expect": ("200-maybe",),
}


@dataclass(slots=True)
class Draft:
    """A request as fields, files, or a body. `request` encodes it."""

    role: str
    method: str
    path: str
    headers: dict[str, str]
    fields: list[tuple[str, str]] = field(default_factory=list)
    files: list[tuple[str, str, bytes]] = field(default_factory=list)
    is_multipart: bool = False
    body: bytes | None = None

    def request(self, dice: random.Random) -> Request:
        path, headers, body = self.path, dict(self.headers), self.body or b""
        if self.body is None and self.method != "GET" and (self.files or self.is_multipart):
            body = _as_multipart(self.fields, self.files)
            headers.setdefault("Content-Type", "multipart/form-data; boundary=b0undary")
        elif self.body is None and self.fields and self.method == "GET":
            path += ("&" if "?" in path else "?") + _as_query(dice, self.fields)[:20_000]
        elif self.body is None:
            body = _as_query(dice, self.fields).encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        return Request(self.method, path, headers, body)


PAYMENT: Final = "pay_hall"
"""A card payment that was started in the hall."""


def spoiled(known: Known, dice: random.Random) -> list[Request]:
    """Return one spoiled request, or a valid and a spoiled request with the same idempotency key."""
    draft = _good(known, dice)
    ways = [_spoil_header, _spoil_path, _spoil_query, _spoil_method, _spoil_type]
    if draft.body is None and (draft.fields or draft.method == "POST"):
        ways += [_spoil_fields] * 14
    if draft.files:
        ways += [_spoil_files] * 16
    sent = [draft.request(dice)] if dice.random() < 0.1 else []
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        dice.choice(ways)(known, dice, draft)
    request = draft.request(dice)
    if dice.random() < 0.04:
        request.body = request.body[: dice.randrange(len(request.body) + 1)]
    return [*sent, request]


def _good(known: Known, dice: random.Random) -> Draft:
    role, seen_by = known.a_role(dice), known.a_reader(dice)
    headers, kind = (
        {**known.rows["who"][role], "X-CSRFToken": TOKEN, "Idempotency-Key": f"k{dice.randrange(9)}"},
        dice.random(),
    )
    if kind < 0.12:
        ends = dice.choice(sorted(known.rows["bodies"]))
        address = dice.choice(
            [each for each in known.addresses[role] if each.startswith("/api/") and each.endswith(ends)]
        )
        good = dice.choice(known.rows["bodies"][ends])
        body = dice.choice(RAW_JSON) if dice.random() < 0.15 else to_json(dice, spoil_json(dice, good))
        return Draft(role, "POST", address, {**headers, "Content-Type": "application/json"}, body=body)
    uploads = [form for form in known.forms[seen_by] if form.files]
    if kind < 0.24 and uploads:
        return _of_form(known, dice, dice.choice(uploads), role, headers)
    if kind < 0.7 and known.forms[seen_by]:
        return _of_form(known, dice, dice.choice(known.forms[seen_by]), role, headers)
    if 0.7 <= kind < 0.73 and "card_secret" in known.rows:
        return _of_card_provider(known, dice, role, headers)
    address = dice.choice([*known.addresses[role], *known.links[seen_by]])
    method = dice.choice(("GET", "GET", "POST"))
    named = [(dice.choice(known.names), any_text(dice)) for _ in range(dice.randrange(4))]
    return Draft(role, method, address, headers, named)


def _of_card_provider(known: Known, dice: random.Random, role: str, headers: dict[str, str]) -> Draft:
    """Return a correctly signed message from the card provider with random content."""
    from tournament.money.providers import sign_webhook

    about = {"payment": PAYMENT, "amount": dice.choice((300_00, 100_00)), "currency": "USD"}
    good = {"id": f"evt_{dice.randrange(9)}", "type": "payment.succeeded", "data": about}
    body = dice.choice(RAW_JSON) if dice.random() < 0.15 else to_json(dice, spoil_json(dice, good))
    signed = {
        "Content-Type": "application/json",
        "Card-Signature": sign_webhook(body, known.rows["card_secret"], datetime.now(UTC)),
    }
    return Draft(role, "POST", "/paid-by-card/", {**headers, **signed}, body=body)


def _of_form(known: Known, dice: random.Random, form: Form, role: str, headers: dict[str, str]) -> Draft:
    path = _elsewhere(known, dice, form.path) if dice.random() < 0.1 else form.path
    draft = Draft(role, form.method, path, headers, list(form.fields), is_multipart=form.is_multipart)
    for name in form.files:
        for _ in range(dice.choice((1, 1, 1, 0, 2))):
            chosen = dice.choice(sorted(known.files))
            draft.files.append((name, chosen, known.files[chosen]))
    return draft


def _elsewhere(known: Known, dice: random.Random, path: str) -> str:
    return re.sub(r"(?<=^/[td])(?:esk)?/[^/]+/[^/]+/", lambda _found: dice.choice(known.rows["events"]), path)


# --- One thing about it --------------------------------------------------------------------------------------------


def _spoil_fields(known: Known, dice: random.Random, draft: Draft) -> None:
    fields = draft.fields or [(dice.choice(known.names), "1")]
    at = dice.randrange(len(fields))
    name, way = fields[at][0], dice.randrange(9)
    if way == 0:
        draft.fields = fields[:at] + fields[at + 1 :]
    elif way == 1:
        draft.fields = [*fields, (name, any_text(dice))]
    elif way == 2:
        draft.fields = [*fields, (dice.choice((*known.names, any_text(dice)[:99])), any_text(dice))]
    elif way == 3:
        draft.fields = [(each, any_text(dice)) for each, _value in fields]
    elif way == 4:
        draft.fields = [(each, dice.choice(fields)[1]) for each, _value in fields]
    elif way == 5:
        draft.fields = fields * dice.choice((2, 40)) if dice.random() < 0.3 else [*fields, ("key", any_text(dice))]
    else:
        draft.fields = [*fields[:at], (name, any_text(dice)), *fields[at + 1 :]]


def _spoil_files(known: Known, dice: random.Random, draft: Draft) -> None:
    at = dice.randrange(len(draft.files))
    field_name, name, content = draft.files[at]
    if dice.random() < 0.25:
        name = dice.choice(
            ("", "../../x.csv", "a\x00.pdf", "x" * 400 + ".xlsx", "\u202efdp.exe", 'a"; b=".csv', *known.files)
        )
    if dice.random() < 0.85:
        content = damage(dice, content)
    draft.files[at] = (field_name, name, content)


def _spoil_header(_known: Known, dice: random.Random, draft: Draft) -> None:
    name = dice.choice(sorted(HEADERS))
    draft.headers[name] = dice.choice(HEADERS[name])


def _spoil_path(known: Known, dice: random.Random, draft: Draft) -> None:
    path, _, query = draft.path.partition("?")
    parts = path.split("/")
    at = dice.randrange(1, len(parts)) if len(parts) > 1 else 0
    way = dice.randrange(5)
    if way == 0:
        path = _elsewhere(known, dice, path)
    elif way == 1:
        path = dice.choice((path.rstrip("/"), path + "/", "/" + path, path + "%0a", path.upper(), path + "?" * 3))
    elif way == 2:
        numbers = [place for place, part in enumerate(parts) if part.isdigit()] or [at]
        path = "/".join(
            dice.choice(("0", "9" * 19, "9" * 30, "2", "99", "-1")) if n in numbers else part
            for n, part in enumerate(parts)
        )
    else:
        path = "/".join([*parts[:at], dice.choice(PATHS), *parts[at + 1 :]])
    draft.path = (path if path.startswith("/") else "/" + path) + (f"?{query}" if query else "")


def _spoil_query(known: Known, dice: random.Random, draft: Draft) -> None:
    odd = dice.choice(QUERIES)
    if dice.random() < 0.5:
        odd = f"{dice.choice(known.names)}={_quoted(any_text(dice)[:2000])}"
    draft.path += ("&" if "?" in draft.path else "?") + odd


def _spoil_method(_known: Known, dice: random.Random, draft: Draft) -> None:
    draft.method = dice.choice(METHODS)


def _spoil_type(_known: Known, dice: random.Random, draft: Draft) -> None:
    draft.headers["Content-Type"] = dice.choice(TYPES)
    if dice.random() < 0.3:
        draft.headers.pop("X-CSRFToken", None)


# --- Written out ---------------------------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def _as_query(dice: random.Random, fields: list[tuple[str, str]]) -> str:
    written = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in fields)
    return written if dice.random() < 0.98 else written.replace("%", "%%", 3)


def _as_multipart(fields: list[tuple[str, str]], files: list[tuple[str, str, bytes]]) -> bytes:
    parts: list[tuple[str, bytes]] = [(f'name="{_plain(name)}"', _bytes(value)) for name, value in fields]
    for name, file_name, content in files:
        parts.append((f'name="{_plain(name)}"; filename="{_plain(file_name)}"', content))
    head = b"--b0undary\r\nContent-Disposition: form-data; "
    return (
        b"".join(head + _bytes(said) + b"\r\n\r\n" + content + b"\r\n" for said, content in parts) + b"--b0undary--\r\n"
    )


def _plain(name: str) -> str:
    return name.replace("\r", "").replace("\n", "")[:2000]


def _bytes(text: Any) -> bytes:
    return str(text).encode("utf-8", "surrogatepass")


Way = Callable[[Known, random.Random, Draft], None]
