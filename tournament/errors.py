"""What a user can mend, told apart from what only a programmer can.

    DomainError             a refusal: a sentence the user understands, with what to do (422)
    ├── NotAllowed          this person may not do this (403)
    ├── NotFound            no such thing, or not to be seen by this person (404)
    ├── Conflict            somebody else was first, or the state has moved on (409)
    └── NeedsReason         a check warns; the same request with a reason goes through (422)

A plain exception is our own bug and is never caught on the way up. Domain errors are caught once: by the middleware
for pages and by the API for JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar


class DomainError(Exception):
    """A refusal the user can do something about.

    `code` is for machines (`already-posted`), `message` for people, `data` for both.
    """

    http_status: ClassVar[int] = 422

    def __init__(self, code: str, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = data

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **self.data), (self.code, self.message)


class NotAllowed(DomainError):
    http_status = 403


class NotFound(DomainError):
    http_status = 404


class Conflict(DomainError):
    http_status = 409


class NeedsReason(DomainError):
    """Improbable, not impossible: `data["warnings"]` lists the sentences; repeat with a reason to override."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a stateless case: `path` like `lines[3].counts.A`, `message` for a director."""

    code: str
    path: str
    message: str


class BadCase(Exception):
    """A stateless case that cannot be answered, with every problem found in it."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems))
        self.problems = problems
