"""Functions that use too much time, memory, or output, to test the limits of the process that reads uploaded files."""

from __future__ import annotations

import os


def takes_memory(content: bytes) -> int:
    return len(content * 4 * 1024)


def turns(content: bytes) -> bytes:
    while True:
        content = content[::-1]


def hands_back_much(content: bytes) -> bytes:
    return content * 40


def ends(content: bytes) -> bytes:
    os._exit(0)


def nests(content: bytes) -> list[object]:
    found: list[object] = [content]
    for _turn in range(100_000):
        found = [found]
    return found
