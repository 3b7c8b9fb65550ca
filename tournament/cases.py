"""Strict reading of JSON input for the stateless commands, with every error reported by its path (CONTRACTS.md).

    problems = ProblemCollector()
    case = FieldReader(data, problems)
    target = case.integer("target", minimum=1, default=150)
    sides = case.items("sides", each=read_text)
    case.finish()          # each field that was not read is an error, `unknown-field`
    problems.raise_if_any()  # raises InvalidInput with all errors

A reader returns None for a bad value, so that reading continues and finds the other errors. This module does no I/O.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar, overload

from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import lazy_text

_T = TypeVar("_T")

LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Unpaired surrogates. JSON can escape them and Python can store them, but UTF-8 cannot encode them (RFC 7493, 2.1)."""

MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest absolute value of an integer that every JSON parser represents exactly (RFC 7493)."""

MAX_NESTING_DEPTH: Final = 200
"""If JSON is nested too deeply, the error message points to the bracket at this depth."""


class _Required:
    """The type of `NO_DEFAULT`, which marks a field as required."""


NO_DEFAULT: Final = _Required()


class ProblemCollector:
    """Collects the errors in one JSON input (a case)."""

    def __init__(self) -> None:
        self.found: list[InputProblem] = []

    def add(self, code: str, path: str, message: str) -> None:
        self.found.append(InputProblem(code, path, message))

    def add_bad_value(self, path: str, message: str) -> None:
        self.add("bad-value", path, message)

    def __bool__(self) -> bool:
        return bool(self.found)

    def raise_if_any(self) -> None:
        if self.found:
            raise InvalidInput(self.found)


def join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def to_short_json(value: object, limit: int = 60) -> str:
    """Return the value as JSON for an error message, with at most `limit` characters."""
    return shorten_text(json.dumps(value, ensure_ascii=False, default=str), limit)


def shorten_text(text: str, limit: int = 60) -> str:
    """Shorten text for an error message or a path, because a field name may be megabytes long."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_integer(
    value: object,
    path: str,
    problems: ProblemCollector,
    *,
    minimum: int = -MAX_SAFE_INTEGER,
    maximum: int = MAX_SAFE_INTEGER,
) -> int | None:
    if type(value) is not int:
        problems.add_bad_value(path, lazy_text("%(value)s is not a whole number.", value=describe_value(value)))
    elif value < minimum or value > maximum:
        problems.add_bad_value(path, _describe_bounds(value, minimum, maximum))
    else:
        return value
    return None


def _describe_bounds(value: int, minimum: int, maximum: int) -> str:
    text = describe_value(value)
    if maximum == MAX_SAFE_INTEGER and value < minimum:
        return lazy_text("%(value)s does not fit here: it must be %(least)s or more.", value=text, least=minimum)
    return lazy_text(
        "%(value)s does not fit here: it must be from %(least)s to %(most)s.", value=text, least=minimum, most=maximum
    )


def describe_value(value: object) -> str:
    """Describe a value for an error message: as JSON, or only by its type if it is nested or too large."""
    if isinstance(value, dict):
        return lazy_text("An object")
    if isinstance(value, list):
        return lazy_text("A list")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_SAFE_INTEGER:
        return lazy_text("This number")
    return to_short_json(value)


def read_text(
    value: object, path: str, problems: ProblemCollector, *, empty: bool = False, longest: int = 10_000
) -> str | None:
    if not isinstance(value, str):
        problems.add_bad_value(path, lazy_text("%(value)s is not a text.", value=describe_value(value)))
    elif not value and not empty:
        problems.add_bad_value(path, lazy_text("This must not be empty."))
    elif len(value) > longest:
        problems.add_bad_value(path, lazy_text("This is too long: %(most)s characters at most.", most=longest))
    elif LONE_SURROGATE.search(value):
        problems.add_bad_value(path, lazy_text("This text holds half a character, which UTF-8 cannot write."))
    else:
        return value
    return None


def read_boolean(value: object, path: str, problems: ProblemCollector) -> bool | None:
    if isinstance(value, bool):
        return value
    problems.add_bad_value(path, lazy_text("%(value)s is neither true nor false.", value=describe_value(value)))
    return None


def read_choice(value: object, path: str, problems: ProblemCollector, *, choices: Sequence[str]) -> str | None:
    if not isinstance(value, str) or value not in choices:
        problems.add_bad_value(
            path,
            lazy_text("%(value)s is none of: %(choices)s.", value=describe_value(value), choices=", ".join(choices)),
        )
        return None
    return value


def read_unchecked_list(value: object, path: str, problems: ProblemCollector) -> list[Any] | None:
    if isinstance(value, list):
        return value
    problems.add_bad_value(path, lazy_text("%(value)s is not a list.", value=describe_value(value)))
    return None


def read_valid_list(
    value: object, path: str, problems: ProblemCollector, *, each: Callable[[Any, str, ProblemCollector], _T | None]
) -> list[_T] | None:
    """Read a list, and return None if any of its items is bad.

    Leaving out only the bad items would change the positions of the items after them.
    """
    items = [
        each(item, f"{path}[{i}]", problems) for i, item in enumerate(read_unchecked_list(value, path, problems) or [])
    ]
    good = [item for item in items if item is not None]
    return good if isinstance(value, list) and len(good) == len(items) else None


def read_object(value: object, path: str, problems: ProblemCollector) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return value
    problems.add_bad_value(
        path, lazy_text("%(value)s is not an object with named fields.", value=describe_value(value))
    )
    return None


class FieldReader:
    """The fields of a JSON object, each of which is read once by name. `finish` reports fields that were never read."""

    def __init__(self, data: dict[str, Any], problems: ProblemCollector, path: str = "") -> None:
        self.data = data
        self.problems = problems
        self.path = path
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def get_path(self, name: str) -> str:
        """Return the path of a field, for use in an error message."""
        return join_path(self.path, name)

    @overload
    def read(self, name: str, reader: Callable[[Any, str, ProblemCollector], _T | None]) -> _T | None: ...
    @overload
    def read(self, name: str, reader: Callable[[Any, str, ProblemCollector], _T | None], default: _T) -> _T: ...
    def read(self, name: str, reader: Callable[[Any, str, ProblemCollector], Any], default: Any = NO_DEFAULT) -> Any:
        """Return the field's value as converted by `reader`.

        If the field is missing or bad, return `default`. Without a default, return None, and report a missing field.
        """
        self._read.add(name)
        fallback = None if default is NO_DEFAULT else default
        if name not in self.data:
            if default is NO_DEFAULT:
                self.problems.add("missing-field", self.get_path(name), lazy_text("“%(name)s” is missing.", name=name))
            return fallback
        value = reader(self.data[name], self.get_path(name), self.problems)
        return fallback if value is None else value

    def integer(
        self, name: str, *, minimum: int = -MAX_SAFE_INTEGER, maximum: int = MAX_SAFE_INTEGER, default: Any = NO_DEFAULT
    ) -> Any:
        return self.read(name, lambda v, p, e: read_integer(v, p, e, minimum=minimum, maximum=maximum), default)

    def integer_or_none(self, name: str, *, minimum: int, maximum: int, default: int | None = None) -> Any:
        """Read an integer, or null, which means no limit."""
        if self.data.get(name, default) is None:
            return self.read(name, lambda _value, _path, _problems: None, None)
        return self.integer(name, minimum=minimum, maximum=maximum, default=default)

    def text(self, name: str, *, empty: bool = False, default: Any = NO_DEFAULT) -> Any:
        return self.read(name, lambda v, p, e: read_text(v, p, e, empty=empty), default)

    def boolean(self, name: str, *, default: Any = NO_DEFAULT) -> Any:
        return self.read(name, read_boolean, default)

    def choice(self, name: str, choices: Sequence[str], *, default: Any = NO_DEFAULT) -> Any:
        return self.read(name, lambda v, p, e: read_choice(v, p, e, choices=choices), default)

    def items(
        self, name: str, each: Callable[[Any, str, ProblemCollector], _T | None], *, default: Any = NO_DEFAULT
    ) -> Any:
        """Read a list, and convert its items with `each`. Bad items are reported and left out."""

        def reader(value: object, path: str, problems: ProblemCollector) -> list[_T] | None:
            items = read_unchecked_list(value, path, problems)
            if items is None:
                return None
            read = (each(item, f"{path}[{i}]", problems) for i, item in enumerate(items))
            return [item for item in read if item is not None]

        return self.read(name, reader, default)

    def finish(self, known: Iterable[str] = ()) -> None:
        """Report all fields that were not read, so that a misspelled option does not go unnoticed."""
        names = self._read | set(known)
        for name in self.data:
            if name not in names:
                message = lazy_text(
                    "“%(name)s” is not known here. Known: %(known)s.",
                    name=shorten_text(name),
                    known=", ".join(sorted(names)) or lazy_text("nothing"),
                )
                self.problems.add("unknown-field", self.get_path(shorten_text(name)), message)


def parse_json_object(text: bytes | str) -> dict[str, Any]:
    """Parse one line of JSON into a dictionary.

    Raises:
        InvalidInput: `bad-json`: the line is not UTF-8, not JSON, or not an object; or it has NaN or Infinity,
            duplicate names, numbers that are too large, or too much nesting.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise _make_bad_json_error(_describe_decoding_error(error.object, error.start)) from None
    try:
        value = json.loads(
            decoded,
            parse_constant=_reject_json_constant,
            parse_float=_parse_finite_number,
            object_pairs_hook=_make_object_with_unique_names,
        )
    except RecursionError:
        raise _make_bad_json_error(describe_json_error(decoded, max_depth=MAX_NESTING_DEPTH)) from None
    except ValueError:
        raise _make_bad_json_error(describe_json_error(decoded)) from None
    if not isinstance(value, dict):
        raise _make_bad_json_error('This line is not a JSON object, like {"rules": …}.')
    return value


def _describe_decoding_error(line: bytes, at: int) -> str:
    r"""Explain why the bytes cannot be decoded. `at` is the index of the first bad byte.

    >>> _describe_decoding_error(b'{"a": "\xe9"}', 7)
    'This line is not UTF-8 text: byte 8 cannot be read. Save the file as UTF-8.'
    """
    if line[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "This input is UTF-16, as some programs write it. Save the file as UTF-8."
    return f"This line is not UTF-8 text: byte {at + 1} cannot be read. Save the file as UTF-8."


def _make_bad_json_error(message: str) -> InvalidInput:
    return InvalidInput([InputProblem("bad-json", "", message)])


def _reject_json_constant(name: str) -> float:
    raise ValueError(name)


def _parse_finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _make_object_with_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


# --- Errors in a line of JSON ----------------------------------------------------------------------------------------

SPACE_PATTERN: Final = re.compile(r"[ \t\r\n]*")
NUMBER_PATTERN: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NUMBER_START_PATTERN: Final = re.compile(r"[-+.]?[0-9]")
WORD_PATTERN: Final = re.compile(r"[^\s,:\[\]{}\"]+")
PLAIN_TEXT_PATTERN: Final = re.compile(r'[^"\\\x00-\x1f]*')
HEX_PATTERN: Final = re.compile(r"[0-9a-fA-F]{4}")
JSON_LITERALS: Final = ("true", "false", "null")
NONFINITE_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
JSON_ESCAPE_LETTERS: Final = '"\\/bfnrt'
BYTE_ORDER_MARK: Final = "\ufeff"
MAX_NUMBER_LENGTH: Final = 4300
"""The maximum number of digits. Longer numbers are reported as too large."""
MAX_QUOTED_LETTERS: Final = 30


class _JsonSyntaxError(Exception):
    """Raised with a message that describes the first syntax error in a line of JSON."""


def describe_json_error(text: str, *, max_depth: int | None = None) -> str:
    """Describe the first syntax error in the text, and where it is. `max_depth` is the maximum nesting depth.

    >>> describe_json_error('{"a": 1, "a": 2}')
    'The name “a” stands twice in one object, the second time at character 10.'
    >>> describe_json_error("[1,2")
    'This line ends too early: a comma, or the “]” that ends the list, is missing after character 4.'
    """
    try:
        _JsonScanner(text, max_depth).read()
    except _JsonSyntaxError as fault:
        return str(fault)
    return "This line cannot be read as JSON."


class _JsonScanner:
    """A JSON scanner.

    `open` is a stack with one item for each open bracket. The item is None for a list, or the set of names read so far
    for an object.
    """

    def __init__(self, text: str, max_depth: int | None) -> None:
        self.text = text
        self.max_depth = max_depth
        self.at = 0
        self.open: list[set[str] | None] = []

    def read(self) -> None:
        """Read exactly one value without recursion. Raise `_JsonSyntaxError` at the first syntax error."""
        value_is_next = True
        while value_is_next or self.open:
            value_is_next = self._read_value_or_bracket() if value_is_next else self._read_comma_or_end()
        self._skip_spaces()
        if self.at < len(self.text):
            raise _JsonSyntaxError(
                f"The JSON value ends before character {self.at + 1}, but {self._describe_next_character()} follows."
            )

    def _read_comma_or_end(self) -> bool:
        """After a value, read a comma or a closing bracket. Return whether another value must follow."""
        names = self.open[-1]
        end, what = ("]", "list") if names is None else ("}", "object")
        self._skip_spaces()
        if self._take_if_next(end):
            self.open.pop()
            return False
        if not self._take_if_next(","):
            raise self._make_missing_error(f"A comma, or the “{end}” that ends the {what},")
        if names is not None:
            self._read_name(names)
        return True

    def _read_name(self, names: set[str]) -> None:
        """Read an object's next name, which must be new, and the colon after it."""
        self._skip_spaces()
        start = self.at
        if self._peek() != '"':
            raise self._make_missing_error("A name in double quotes")
        name = self._read_string()
        if name in names:
            raise _JsonSyntaxError(
                f"The name “{_shorten(name)}” stands twice in one object, the second time at character {start + 1}."
            )
        names.add(name)
        self._skip_spaces()
        if not self._take_if_next(":"):
            raise self._make_missing_error("A colon after the name")

    def _read_value_or_bracket(self) -> bool:
        """Read a simple value or an opening bracket. Return whether another value must follow immediately."""
        self._skip_spaces()
        first = self._peek()
        if first == '"':
            self._read_string()
        elif first not in ("{", "["):
            self._read_number_or_literal()
        else:
            return self._open_bracket(first)
        return False

    def _open_bracket(self, bracket: str) -> bool:
        self.at += 1
        if self.max_depth is not None and len(self.open) >= self.max_depth:
            raise _JsonSyntaxError(
                f"This line is nested too deeply: {self.max_depth} brackets are open at character {self.at}."
            )
        names: set[str] | None = set() if bracket == "{" else None
        self._skip_spaces()
        if self._take_if_next("]" if names is None else "}"):
            return False
        self.open.append(names)
        if names is not None:
            self._read_name(names)
        return True

    def _read_number_or_literal(self) -> None:
        """Read a number, true, false or null."""
        found = WORD_PATTERN.match(self.text, self.at)
        if found is None:
            raise self._make_missing_error("A value")
        word, where = found[0], f"at character {self.at + 1}"
        number = NUMBER_PATTERN.fullmatch(word)
        if word.startswith(BYTE_ORDER_MARK):
            raise _JsonSyntaxError(
                f"A byte order mark, which cannot be seen, stands {where}. Only the first line may have one."
            )
        if word in NONFINITE_NUMBERS:
            raise _JsonSyntaxError(f"{word} {where} is no number that can be counted with.")
        if number is None and word not in JSON_LITERALS:
            raise _JsonSyntaxError(f"“{_shorten(word)}” {where} {_explain_invalid_value(word)}")
        if number is not None and (len(word) > MAX_NUMBER_LENGTH or (any(number.groups()) and math.isinf(float(word)))):
            raise _JsonSyntaxError(f"The number {where} is too large.")
        self.at += len(word)

    def _read_string(self) -> str:
        """Read a quoted string, and return it with its escapes decoded."""
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            plain = PLAIN_TEXT_PATTERN.match(self.text, self.at)
            parts.append(plain[0] if plain else "")
            self.at += len(parts[-1])
            mark = self._peek()
            if mark == "":
                raise _JsonSyntaxError(f"The text that begins at character {start + 1} has no closing quote.")
            if mark == '"':
                self.at += 1
                return "".join(parts)
            if mark != "\\":
                raise _JsonSyntaxError(
                    f"A text has a line break, tab or the like at character {self.at + 1}. Write \\n or \\t."
                )
            parts.append(self._read_escape())

    def _read_escape(self) -> str:
        """Read an escape sequence and return its character."""
        begin, code = self.at, self.text[self.at + 1 : self.at + 2]
        if code == "u":
            digits = HEX_PATTERN.match(self.text, begin + 2)
            if digits is None:
                raise _JsonSyntaxError(
                    f"The \\u at character {begin + 1} needs four digits, or letters from A to F, after it."
                )
            self.at += 6
            return chr(int(digits[0], 16))
        if code == "" or code not in JSON_ESCAPE_LETTERS:
            raise _JsonSyntaxError(
                f"The backslash at character {begin + 1} has no meaning there. Write it twice: \\\\."
            )
        self.at += 2
        return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(code, code)

    def _make_missing_error(self, what: str) -> _JsonSyntaxError:
        if self.at < len(self.text):
            return _JsonSyntaxError(
                f"{what} is missing at character {self.at + 1}, where {self._describe_next_character()} stands."
            )
        lowered = f"{what[0].lower()}{what[1:]}"
        return _JsonSyntaxError(f"This line ends too early: {lowered} is missing after character {self.at}.")

    def _describe_next_character(self) -> str:
        mark = self._peek()
        return f"“{mark}”" if mark.isprintable() else f"a character that cannot be seen (U+{ord(mark):04X})"

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take_if_next(self, mark: str) -> bool:
        taken = self._peek() == mark
        self.at += taken
        return taken

    def _skip_spaces(self) -> None:
        space = SPACE_PATTERN.match(self.text, self.at)
        self.at = space.end() if space else self.at


def _shorten(text: str) -> str:
    readable = "".join(mark if mark.isprintable() else "?" for mark in text[:MAX_QUOTED_LETTERS])
    return readable if len(text) <= MAX_QUOTED_LETTERS else f"{readable}…"


def _explain_invalid_value(word: str) -> str:
    if NUMBER_START_PATTERN.match(word):
        return "is not a number as JSON writes it, like 5, -12 or 0.5."
    if word.lower() in (*JSON_LITERALS, "none"):
        return "is written in small letters in JSON: true, false or null."
    return "is not a value. Write a text in double quotes."
