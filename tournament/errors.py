"""Errors that the user can fix, as opposed to bugs.

    DomainError             the message explains what is wrong and what to do (422)
    ├── NotAllowed          this person may not do this (403)
    ├── NotFound            it does not exist, or this person may not see it (404)
    ├── Conflict            somebody else was first, or the state has changed (409)
    └── ReasonRequired      the input is improbable, but accepted with a reason (422)

Domain errors are caught by the middleware for pages, and by the API for JSON. Any other exception is a bug.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar


class DomainError(Exception):
    """An error that the user can fix.

    `code` identifies it for programs (`already-posted`), `message` explains it to people, and `data` has details for
    both.
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


class ReasonRequired(DomainError):
    """Raised for improbable input, with `data["warnings"]`. The same input is accepted with a reason."""


@dataclass(frozen=True, slots=True)
class InputProblem:
    """An error in the input of a stateless command.

    `path` looks like `lines[3].counts.A`, and `message` is for a director.
    """

    code: str
    path: str
    message: str


class InvalidInput(Exception):
    """Raised with all errors in the input of a stateless command."""

    def __init__(self, problems: list[InputProblem]) -> None:
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems))
        self.problems = problems
