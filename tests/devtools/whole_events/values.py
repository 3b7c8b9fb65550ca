"""What the comparison says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Something is said that does not follow from the facts, or two that should say the same do not."""

    what: str
    where: str
    expected: Any
    seen: Any
    facts: str = ""

    def __str__(self) -> str:
        given = f" (by {self.facts})" if self.facts else ""
        return f"{self.what}: expected {self.expected!r}{given}, seen {self.seen!r} on {self.where}"


Found = Iterable[Disagreement]
