"""Describe differences between an event's recorded facts and its pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import Any


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A page, file, or command that contradicts the facts, or two of them that contradict each other."""

    what: str
    where: str
    expected: Any
    seen: Any
    facts: str = ""

    def __str__(self) -> str:
        source = f" (by {self.facts})" if self.facts else ""
        return f"{self.what}: expected {self.expected!r}{source}, seen {self.seen!r} on {self.where}"


Found = Iterable[Disagreement]


class PageFails(Exception):
    """A page that should open returns an error."""

    def __init__(self, path: str, status: int, text: str) -> None:
        super().__init__(f"{path}: {status} {text}")
        self.disagreement = Disagreement("page", path, "the page", f"{status} {text}")


def reports_failed_pages(comparison: Callable[..., Found]) -> Callable[..., Iterator[Disagreement]]:
    """Wrap a comparison so that it stops at a failing page and reports that page."""

    @wraps(comparison)
    def report(*args: Any, **named: Any) -> Iterator[Disagreement]:
        try:
            yield from comparison(*args, **named)
        except PageFails as fails:
            yield fails.disagreement

    return report


def compare(what: str, where: str, expected: object, seen: object, facts: str) -> Iterator[Disagreement]:
    if expected != seen:
        yield Disagreement(what, where, expected, seen, facts)
