"""The log file is read line by line, in a format that other programs rely on."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.rules.evidence.sealing import (
    NO_PREVIOUS_DIGEST,
    check_log_file,
    encode_canonical_json,
    encode_log_row,
    encode_log_start,
    encode_signable_log,
    is_log_file,
    sha256_hex,
)

FORMAT = b'{"format":"gin-log/1","tournament":"desert"}\n'
"""The first line of a log file from before version 1.0.0, which does not name the program's version."""


def rows(*changed: dict[str, Any]) -> bytes:
    """Return a log file with one row for each argument. Each row has the digest of the row before it."""
    found, previous = [FORMAT], NO_PREVIOUS_DIGEST
    for seq, change in enumerate(changed, start=1):
        row = {"seq": seq, "previous": previous} | change
        previous = sha256_hex(encode_canonical_json(row))
        found.append(encode_log_row(row, previous))
    return b"".join(found)


def faults(content: bytes) -> list[str]:
    return [fault.place for fault in check_log_file(content, frozenset())[1]]


def test_the_lines_of_the_file_are_pinned_to_the_byte() -> None:
    assert encode_log_start("desert", "1.0.0") == b'{"format":"gin-log/1","program":"1.0.0","tournament":"desert"}\n'
    assert encode_signable_log("desert", "ab") == b'{"format":"gin-log/1","head":"ab","tournament":"desert"}'


@pytest.mark.parametrize(
    ("content", "is_one"),
    [(FORMAT, True), (b" \n" + FORMAT, True), (b'{"format":"gin-card/1"}', False), (b"of gin-log/1 they say", False)],
)
def test_a_log_file_is_known_by_its_first_line(content: bytes, is_one: bool) -> None:
    assert is_log_file(content) is is_one


def test_without_its_end_every_row_is_read() -> None:
    file = check_log_file(rows({}, {}, {}), frozenset())[0]
    assert (file.tournament, [row["seq"] for row in file.rows], file.end) == ("desert", [1, 2, 3], {})


@pytest.mark.parametrize("content", [b"", b"{}", b"no line of it"])
def test_without_its_first_line_it_names_no_tournament(content: bytes) -> None:
    assert check_log_file(content, frozenset())[0].tournament == ""


def test_a_row_without_a_number_is_named_and_the_next_one_still_follows_it() -> None:
    assert faults(rows({}, {"seq": "two"}, {})) == ["log row 2", "end"]


def test_an_unreadable_row_is_named_and_the_next_one_does_not_follow_it() -> None:
    first, second, _gone, last = rows({}, {}, {}).splitlines(keepends=True)
    assert faults(first + second + b"?\n" + last) == ["log row 2", "log row 3", "end"]
