"""Strict reading of a stateless case: it reports every error with its path (CONTRACTS.md, the commands).

    problems = Problems()
    case = Fields(data, problems)
    target = case.integer("target", minimum=1, default=150)
    sides = case.items("sides", each=read_text)
    case.finish()          # a field that nothing has read is `unknown-field`
    problems.check()       # raises BadCase with all of them

A reader returns None for a bad value, so that reading continues and reports the other errors too. This module does no
I/O.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar, overload

from tournament.errors import BadCase, Problem
from tournament.json_faults import describe_bytes, describe_fault
from tournament.said import worded

T = TypeVar("T")

LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half characters, which JSON can escape and Python can hold, but UTF-8 cannot encode (RFC 7493, 2.1)."""

LARGEST: Final = 2**53 - 1
"""The largest integer accepted, with either sign: the last one that every JSON parser represents exactly (RFC 7493)."""

DEEPEST: Final = 200
"""The number of open brackets at which the message about too deep nesting points."""


class _Required:
    """The default of a field that must be there."""


REQUIRED: Final = _Required()


class Problems:
    """Collects the errors of one case."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, code: str, path: str, message: str) -> None:
        self.found.append(Problem(code, path, message))

    def bad(self, path: str, message: str) -> None:
        self.add("bad-value", path, message)

    def __bool__(self) -> bool:
        return bool(self.found)

    def check(self) -> None:
        if self.found:
            raise BadCase(self.found)


def join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def shown(value: object, limit: int = 60) -> str:
    """Return the value as JSON for a message, cut to `limit` characters."""
    return shortened(json.dumps(value, ensure_ascii=False, default=str), limit)


def shortened(text: str, limit: int = 60) -> str:
    """Cut a text for a message or a path, because an unknown name may be megabytes long."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_integer(
    value: object, path: str, problems: Problems, *, minimum: int = -LARGEST, maximum: int = LARGEST
) -> int | None:
    if type(value) is not int:
        problems.bad(path, worded("%(value)s is not a whole number.", value=described(value)))
    elif value < minimum or value > maximum:
        problems.bad(path, _out_of_bounds(value, minimum, maximum))
    else:
        return value
    return None


def _out_of_bounds(value: int, minimum: int, maximum: int) -> str:
    said = described(value)
    if maximum == LARGEST and value < minimum:
        return worded("%(value)s does not fit here: it must be %(least)s or more.", value=said, least=minimum)
    return worded(
        "%(value)s does not fit here: it must be from %(least)s to %(most)s.", value=said, least=minimum, most=maximum
    )


def described(value: object) -> str:
    """Describe the value for a message: by its kind if it is nested or too large, otherwise as JSON."""
    if isinstance(value, dict):
        return worded("An object")
    if isinstance(value, list):
        return worded("A list")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return worded("This number")
    return shown(value)


def read_text(
    value: object, path: str, problems: Problems, *, empty: bool = False, longest: int = 10_000
) -> str | None:
    if not isinstance(value, str):
        problems.bad(path, worded("%(value)s is not a text.", value=described(value)))
    elif not value and not empty:
        problems.bad(path, worded("This must not be empty."))
    elif len(value) > longest:
        problems.bad(path, worded("This is too long: %(most)s characters at most.", most=longest))
    elif LONE_SURROGATE.search(value):
        problems.bad(path, worded("This text holds half a character, which UTF-8 cannot write."))
    else:
        return value
    return None


def read_boolean(value: object, path: str, problems: Problems) -> bool | None:
    if isinstance(value, bool):
        return value
    problems.bad(path, worded("%(value)s is neither true nor false.", value=described(value)))
    return None


def read_choice(value: object, path: str, problems: Problems, *, choices: Sequence[str]) -> str | None:
    if not isinstance(value, str) or value not in choices:
        problems.bad(
            path, worded("%(value)s is none of: %(choices)s.", value=described(value), choices=", ".join(choices))
        )
        return None
    return value


def read_list(value: object, path: str, problems: Problems) -> list[Any] | None:
    if isinstance(value, list):
        return value
    problems.bad(path, worded("%(value)s is not a list.", value=described(value)))
    return None


def read_all(
    value: object, path: str, problems: Problems, *, each: Callable[[Any, str, Problems], T | None]
) -> list[T] | None:
    """Read a list, or return None if any item is bad: leaving an item out would shift the ones after it."""
    found = read_list(value, path, problems) or []
    taken = [each(item, f"{path}[{index}]", problems) for index, item in enumerate(found)]
    good = [item for item in taken if item is not None]
    return good if isinstance(value, list) and len(good) == len(taken) else None


def read_object(value: object, path: str, problems: Problems) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    problems.bad(path, worded("%(value)s is not an object with named fields.", value=described(value)))
    return None


class Fields:
    """The fields of one JSON object, each read once by name. `finish` reports the fields that were never read."""

    def __init__(self, data: dict[str, Any], problems: Problems, path: str = "") -> None:
        self.data = data
        self.problems = problems
        self.path = path
        self._asked: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def at(self, name: str) -> str:
        return join(self.path, name)

    @overload
    def read(self, name: str, reader: Callable[[Any, str, Problems], T | None]) -> T | None: ...
    @overload
    def read(self, name: str, reader: Callable[[Any, str, Problems], T | None], default: T) -> T: ...
    def read(self, name: str, reader: Callable[[Any, str, Problems], Any], default: Any = REQUIRED) -> Any:
        """Return the field as `reader` reads it.

        If the field is missing or bad, return `default`, or None if the field is required.
        """
        self._asked.add(name)
        fallback = None if default is REQUIRED else default
        if name not in self.data:
            if default is REQUIRED:
                self.problems.add("missing-field", self.at(name), worded("“%(name)s” is missing.", name=name))
            return fallback
        value = reader(self.data[name], self.at(name), self.problems)
        return fallback if value is None else value

    def integer(self, name: str, *, minimum: int = -LARGEST, maximum: int = LARGEST, default: Any = REQUIRED) -> Any:
        return self.read(name, lambda v, p, e: read_integer(v, p, e, minimum=minimum, maximum=maximum), default)

    def integer_or_none(self, name: str, *, minimum: int, maximum: int, default: int | None = None) -> Any:
        """Read an integer, or null for no limit."""
        if self.data.get(name, default) is None:
            return self.read(name, lambda _value, _path, _problems: None, None)
        return self.integer(name, minimum=minimum, maximum=maximum, default=default)

    def text(self, name: str, *, empty: bool = False, default: Any = REQUIRED) -> Any:
        return self.read(name, lambda v, p, e: read_text(v, p, e, empty=empty), default)

    def boolean(self, name: str, *, default: Any = REQUIRED) -> Any:
        return self.read(name, read_boolean, default)

    def choice(self, name: str, choices: Sequence[str], *, default: Any = REQUIRED) -> Any:
        return self.read(name, lambda v, p, e: read_choice(v, p, e, choices=choices), default)

    def items(self, name: str, each: Callable[[Any, str, Problems], T | None], *, default: Any = REQUIRED) -> Any:
        """Read a list with `each`. Bad items are reported and left out."""

        def reader(value: object, path: str, problems: Problems) -> list[T] | None:
            found = read_list(value, path, problems)
            if found is None:
                return None
            taken = (each(item, f"{path}[{i}]", problems) for i, item in enumerate(found))
            return [item for item in taken if item is not None]

        return self.read(name, reader, default)

    def finish(self, known: Iterable[str] = ()) -> None:
        """Report every field that was never read, so that a misspelled option is not silently ignored."""
        names = self._asked | set(known)
        for name in self.data:
            if name not in names:
                message = worded(
                    "“%(name)s” is not known here. Known: %(known)s.",
                    name=shortened(name),
                    known=", ".join(sorted(names)) or worded("nothing"),
                )
                self.problems.add("unknown-field", self.at(shortened(name)), message)


def parse_case(text: bytes | str) -> dict[str, Any]:
    """Parse one line of JSON into a dictionary.

    Raises:
        BadCase: `bad-json`: the line is not UTF-8, not JSON or not an object. Also refused are NaN and Infinity,
            duplicate names, too deep nesting, and numbers that are too large.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise _bad_json(describe_bytes(error.object, error.start)) from None
    try:
        value = json.loads(decoded, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)
    except RecursionError:
        raise _bad_json(describe_fault(decoded, deepest=DEEPEST)) from None
    except ValueError:
        raise _bad_json(describe_fault(decoded)) from None
    if not isinstance(value, dict):
        raise _bad_json('This line is not a JSON object, like {"rules": …}.')
    return value


def _bad_json(message: str) -> BadCase:
    return BadCase([Problem("bad-json", "", message)])


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
