"""Every error in a line of JSON is reported with its position, in plain words."""

import json
import random
import re

import pytest

from tournament.cases import describe_json_error, parse_json_object
from tournament.errors import InvalidInput

GOOD = '{"rules": "gra-singles", "sides": ["A", "B"], "lines": [{"points": 32.5, "to": null}], "x": {"y": true}}'
PARSERS_WORDS = re.compile(
    r"Expecting|delimiter|property name|Extra data|Unterminated|control character|codec|char \d|JSONDecode"
)


def said(text: str | bytes) -> str:
    with pytest.raises(InvalidInput) as refusal:
        parse_json_object(text)
    (problem,) = refusal.value.problems
    assert (problem.code, problem.path) == ("bad-json", "")
    assert not PARSERS_WORDS.search(problem.message)
    assert problem.message.endswith((".", "}."))
    return problem.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "A name in double quotes is missing at character 9, where “}” stands."),
        ("{'a': 1}", "A name in double quotes is missing at character 2, where “'” stands."),
        ('{"a" 1}', "A colon after the name is missing at character 6, where “1” stands."),
        ('{"a": 1 "b": 2}', 'A comma, or the “}” that ends the object, is missing at character 9, where “"” stands.'),
        ('{"a": [1, 2}', "A comma, or the “]” that ends the list, is missing at character 12, where “}” stands."),
        (
            '{"a": [1, 2]',
            "This line ends too early: a comma, or the “}” that ends the object, is missing after character 12.",
        ),
        ('{"a": }', "A value is missing at character 7, where “}” stands."),
        ('{"a":', "This line ends too early: a value is missing after character 5."),
        ('{"a": "b', "The text that begins at character 7 has no closing quote."),
        ('{"a": "b\tc"}', "A text has a line break, tab or the like at character 9. Write \\n or \\t."),
        ('{"a": "\\q"}', "The backslash at character 8 has no meaning there. Write it twice: \\\\."),
        ('{"a": "\\u12g4"}', "The \\u at character 8 needs four digits, or letters from A to F, after it."),
        ('{"a": 1} {"b": 2}', "The JSON value ends before character 10, but “{” follows."),
        ('{"a": NaN}', "NaN at character 7 is no number that can be counted with."),
        ('{"a": -Infinity}', "-Infinity at character 7 is no number that can be counted with."),
        ('{"a": "NaN", "b": NaN}', "NaN at character 19 is no number that can be counted with."),
        ('{"a": 1e999}', "The number at character 7 is too large."),
        ('{"a": 1' + "0" * 5000 + "}", "The number at character 7 is too large."),
        ('{"a": 007}', "“007” at character 7 is not a number as JSON writes it, like 5, -12 or 0.5."),
        ('{"a": True}', "“True” at character 7 is written in small letters in JSON: true, false or null."),
        ('{"a": eight}', "“eight” at character 7 is not a value. Write a text in double quotes."),
        ('{"a": {"b": 1, "\\u0062": 2}}', "The name “b” stands twice in one object, the second time at character 16."),
        ("[" * 100_000, "This line is nested too deeply: 200 brackets are open at character 201."),
        (
            "\ufeff{}",
            "A byte order mark, which cannot be seen, stands at character 1. Only the first line may have one.",
        ),
        (b'{"a": "\xe9"}', "This line is not UTF-8 text: byte 8 cannot be read. Save the file as UTF-8."),
        (b"\xff\xfe{\x00}\x00", "This input is UTF-16, as some programs write it. Save the file as UTF-8."),
        ("5", 'This line is not a JSON object, like {"rules": …}.'),
    ],
)
def test_each_error_has_its_position(text: str | bytes, message: str) -> None:
    assert said(text) == message


def test_exactly_invalid_json_has_an_error() -> None:
    chance = random.Random(1850)
    letters = '{}[]",:\\ \t0129-+.eEtrufalsn\u00a0\ufeffNaI'
    refused = 0
    for _ in range(6000):
        text = list(GOOD)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(text))
            text[at : at + chance.randint(0, 2)] = chance.choices(letters, k=chance.randint(0, 2))
        written = "".join(text)
        try:
            assert isinstance(json.loads(written, parse_constant=lambda _: 1 / 0), dict)
        except (ValueError, ZeroDivisionError, AssertionError):
            refused += 1
            assert said(written) != "This line cannot be read as JSON."
        else:
            fault = describe_json_error(written)  # a name twice, a number beyond all: what `json` lets pass
            assert fault == "This line cannot be read as JSON." or "twice" in fault or "too large" in fault
    assert refused > 4000
