"""What somebody sends instead of a name, a number, a date or an object."""

from __future__ import annotations

import json
import random
from typing import Any, Final

TEXTS: Final = (
    *(
        "",
        " ",
        "\t\r\n",
        "0",
        "-1",
        "1e400",
        "NaN",
        "-Infinity",
        "0x10",
        "1_000",
        "٣",
        "½",
        "²",
        "1,000.00",
        "$5",
        "1.5",
    ),
    *(
        "None",
        "null",
        "true",
        "on",
        "[]",
        "{}",
        "__all__",
        "../../etc/passwd",
        "%00",
        "%",
        "%s%n",
        "{0}",
        "{{ 7|add:7 }}",
    ),
    *(
        "\x00",
        "a\x00b",
        "\ud800",
        "a\udfffb",
        "\u202eabc",
        "\u2066x\u2069",
        "\u200b",
        "\ufeff",
        "\u2028",
        "e" + "\u0301" * 300,
    ),
    *("=1+1", "@SUM(1)", "<script>alert(1)</script>", "' OR 1=1 --", "\\", "🂡" * 50, "İıßŉ", "\x7f\x1b[31m", "𝒜" * 90),
    *("2026-02-30", "0000-00-00", "9999-12-31", "0001-01-01", "10000-01-01", "2026-11-27T25:61", "9999-12-31T23:59"),
    *("0001-01-01T00:00", "2026-03-08T02:30", "24:00", "-00:01", "12/31/2026", "2026-11-27T14:03:00+99:99", "1" * 30),
    *(
        "9" * 19,
        "-" + "9" * 19,
        "9" * 400,
        "9" * 5000,
        "9223372036854775807",
        "2147483648",
        "1" + "0" * 30 + ".5",
        "1e999999999",
    ),
    *("x" * 300, "x" * 5000, "x" * 70_000, "word " * 3000, "\n" * 20_000, "a@b", "a@" + "b" * 300 + ".example", "@"),
    *("KS,KS,KS", "8H 8H", "R999M1", "1,2,,3", "1-99999999", "-", ",", ";", "A=A", "1 2 3 4 5 6 7 8 9 10" * 40),
)
NUMBERS: Final = (0, -1, 1.5, 1e308, 2**31, 2**63, -(2**63) - 1, 10**30, 10**400, float("nan"), float("inf"), True)
RAW_JSON: Final = (
    *(
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b'"x"',
        b"nan",
        b"{}",
        b'{"line": NaN}',
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
    ),
    *(b'{"line": {"up": "8H"}, "line": 1}', b'{"hand": 1' + b"0" * 5000 + b"}", b'{"code": "\\ud800"}', b"{}\x00"),
    *(b'{"a":' * 20_000 + b"1" + b"}" * 20_000, b'{"line": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    *(
        b'{"digest": "\xff"}',
        b'{"line": 1e999}',
        b'{"hand": -0}',
        b"{'hand': 1}",
        b'{"hand": 1,}',
        b'{"code": "\\u0000"}',
    ),
    *(b'{"a": "' + b"x" * 500_000 + b'"}', b'{"a": "' + b"x" * 300_000 + b'"}'),
)


def any_text(dice: random.Random) -> str:
    if dice.random() < 0.15:
        return "".join(
            chr(dice.choice((dice.randrange(1, 256), dice.randrange(0x110000)))) for _ in range(dice.randrange(1, 40))
        )
    if dice.random() < 0.15:
        return str(
            dice.choice((dice.randrange(-10, 300), dice.randrange(10**6), dice.randrange(10**20), dice.random() * 100))
        )
    return dice.choice(TEXTS)


def any_json(dice: random.Random, depth: int = 0) -> Any:
    kind = dice.randrange(6 if depth < 3 else 4)
    if kind == 4:
        return [any_json(dice, depth + 1) for _ in range(dice.randrange(4))]
    if kind == 5:
        return {any_text(dice)[:40]: any_json(dice, depth + 1) for _ in range(dice.randrange(4))}
    return (None, any_text(dice), dice.choice(NUMBERS), dice.random() < 0.5)[kind]


def spoil_json(dice: random.Random, good: Any) -> Any:
    """The same with one thing in it replaced, dropped, added or wrapped."""
    if isinstance(good, dict) and good and dice.random() < 0.75:
        key, spoiled = dice.choice(sorted(good)), dict(good)
        way = dice.randrange(6)
        if way == 0:
            del spoiled[key]
        elif way == 1:
            spoiled[any_text(dice)[:60]] = any_json(dice)
        elif way == 2:
            spoiled[key] = any_json(dice)
        else:
            spoiled[key] = spoil_json(dice, good[key])
        return spoiled
    if isinstance(good, list) and good and dice.random() < 0.6:
        place = dice.randrange(len(good))
        changed = [*good[:place], spoil_json(dice, good[place]), *good[place + 1 :]]
        return dice.choice((changed, good * dice.choice((2, 50, 3000)), good[:place], [good]))
    if dice.random() < 0.15:
        return [good]
    return any_json(dice)


def to_json(dice: random.Random, value: Any) -> bytes:
    """Mostly as it should be written; lone surrogates stay as they are."""
    text = json.dumps(value, ensure_ascii=dice.random() < 0.7)
    way = dice.random()
    if way < 0.04:
        return text.encode("utf-16", "surrogatepass")
    if way < 0.1:
        return text.encode("utf-8", "surrogatepass")[: dice.randrange(len(text) + 1)]
    return text.encode("utf-8", "surrogatepass")
