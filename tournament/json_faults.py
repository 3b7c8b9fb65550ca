"""Explain in plain words why a line is not JSON, and where the error is.

    describe_fault('{"target": 150,}') -> 'A name in double quotes is missing at character 16, where “}” stands.'

The reader scans the line from the left and stops at the first error. It does not recurse, so it can read lines that
are nested to any depth.
"""

import math
import re
from typing import Final

SPACE: Final = re.compile(r"[ \t\r\n]*")
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NUMBER_START: Final = re.compile(r"[-+.]?[0-9]")
WORD: Final = re.compile(r"[^\s,:\[\]{}\"]+")
PLAIN_TEXT: Final = re.compile(r'[^"\\\x00-\x1f]*')
HEX: Final = re.compile(r"[0-9a-fA-F]{4}")
WORDS: Final = ("true", "false", "null")
NO_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
ESCAPES: Final = '"\\/bfnrt'
BYTE_ORDER_MARK: Final = "\ufeff"
LONGEST_NUMBER: Final = 4300
"""The largest number of digits. Longer numbers are reported as too large."""
SHOWN: Final = 30


class Fault(Exception):
    """The first error in a line, as a sentence."""


def describe_fault(text: str, *, deepest: int | None = None) -> str:
    """Describe the first error in the text as a sentence that names its character.

    `deepest`, if given, is the largest number of brackets that may be open at once.

    >>> describe_fault('{"a": 1, "a": 2}')
    'The name “a” stands twice in one object, the second time at character 10.'
    >>> describe_fault("[1,2")
    'This line ends too early: a comma, or the “]” that ends the list, is missing after character 4.'
    """
    try:
        _Reading(text, deepest).read()
    except Fault as fault:
        return str(fault)
    return "This line cannot be read as JSON."


def describe_bytes(line: bytes, at: int) -> str:
    """Describe why the bytes are not text. `at` is the index of the first byte that cannot be decoded.

    >>> describe_bytes(b'{"a": "\\xe9"}', 7)
    'This line is not UTF-8 text: byte 8 cannot be read. Save the file as UTF-8.'
    """
    if line[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "This input is UTF-16, as some programs write it. Save the file as UTF-8."
    return f"This line is not UTF-8 text: byte {at + 1} cannot be read. Save the file as UTF-8."


class _Reading:
    """A scanner with its position. `open` has the names so far for each open object, and None for each open list."""

    def __init__(self, text: str, deepest: int | None) -> None:
        self.text = text
        self.deepest = deepest
        self.at = 0
        self.open: list[set[str] | None] = []

    def read(self) -> None:
        """Read exactly one value, in a loop instead of by recursion.

        Raises:
            Fault: The text has an error.
        """
        value_is_next = True
        while value_is_next or self.open:
            value_is_next = self._value() if value_is_next else self._after_value()
        self._skip()
        if self.at < len(self.text):
            raise Fault(f"The JSON value ends before character {self.at + 1}, but {self._found()} follows.")

    def _after_value(self) -> bool:
        """Read a comma or a closing bracket, and return whether a value must follow."""
        names = self.open[-1]
        end, what = ("]", "list") if names is None else ("}", "object")
        self._skip()
        if self._take(end):
            self.open.pop()
            return False
        if not self._take(","):
            raise self._missing(f"A comma, or the “{end}” that ends the {what},")
        if names is not None:
            self._name(names)
        return True

    def _name(self, names: set[str]) -> None:
        """Read a name that is new in its object, and the colon after it."""
        self._skip()
        start = self.at
        if self._peek() != '"':
            raise self._missing("A name in double quotes")
        name = self._text()
        if name in names:
            raise Fault(
                f"The name “{_short(name)}” stands twice in one object, the second time at character {start + 1}."
            )
        names.add(name)
        self._skip()
        if not self._take(":"):
            raise self._missing("A colon after the name")

    def _value(self) -> bool:
        """Read a simple value or an opening bracket, and return whether the first value inside it must follow."""
        self._skip()
        first = self._peek()
        if first == '"':
            self._text()
        elif first not in ("{", "["):
            self._plain()
        else:
            return self._begin(first)
        return False

    def _begin(self, bracket: str) -> bool:
        self.at += 1
        if self.deepest is not None and len(self.open) >= self.deepest:
            raise Fault(f"This line is nested too deeply: {self.deepest} brackets are open at character {self.at}.")
        names: set[str] | None = set() if bracket == "{" else None
        self._skip()
        if self._take("]" if names is None else "}"):
            return False
        self.open.append(names)
        if names is not None:
            self._name(names)
        return True

    def _plain(self) -> None:
        """Read a number, true, false or null."""
        found = WORD.match(self.text, self.at)
        if found is None:
            raise self._missing("A value")
        word, where = found[0], f"at character {self.at + 1}"
        number = NUMBER.fullmatch(word)
        if word.startswith(BYTE_ORDER_MARK):
            raise Fault(f"A byte order mark, which cannot be seen, stands {where}. Only the first line may have one.")
        if word in NO_NUMBERS:
            raise Fault(f"{word} {where} is no number that can be counted with.")
        if number is None and word not in WORDS:
            raise Fault(f"“{_short(word)}” {where} {_no_value(word)}")
        if number is not None and (len(word) > LONGEST_NUMBER or _is_endless(word, number)):
            raise Fault(f"The number {where} is too large.")
        self.at += len(word)

    def _text(self) -> str:
        """Read a quoted string and return it without its escapes."""
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            plain = PLAIN_TEXT.match(self.text, self.at)
            parts.append(plain[0] if plain else "")
            self.at += len(parts[-1])
            mark = self._peek()
            if mark == "":
                raise Fault(f"The text that begins at character {start + 1} has no closing quote.")
            if mark == '"':
                self.at += 1
                return "".join(parts)
            if mark != "\\":
                raise Fault(f"A text has a line break, tab or the like at character {self.at + 1}. Write \\n or \\t.")
            parts.append(self._escape())

    def _escape(self) -> str:
        """Read an escape sequence and return its character."""
        begin, code = self.at, self.text[self.at + 1 : self.at + 2]
        if code == "u":
            digits = HEX.match(self.text, begin + 2)
            if digits is None:
                raise Fault(f"The \\u at character {begin + 1} needs four digits, or letters from A to F, after it.")
            self.at += 6
            return chr(int(digits[0], 16))
        if code == "" or code not in ESCAPES:
            raise Fault(f"The backslash at character {begin + 1} has no meaning there. Write it twice: \\\\.")
        self.at += 2
        return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(code, code)

    def _missing(self, what: str) -> Fault:
        if self.at < len(self.text):
            return Fault(f"{what} is missing at character {self.at + 1}, where {self._found()} stands.")
        said = f"{what[0].lower()}{what[1:]}"
        return Fault(f"This line ends too early: {said} is missing after character {self.at}.")

    def _found(self) -> str:
        mark = self._peek()
        return f"“{mark}”" if mark.isprintable() else f"a character that cannot be seen (U+{ord(mark):04X})"

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self, mark: str) -> bool:
        taken = self._peek() == mark
        self.at += taken
        return taken

    def _skip(self) -> None:
        space = SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at


def _short(text: str) -> str:
    shown = "".join(mark if mark.isprintable() else "?" for mark in text[:SHOWN])
    return shown if len(text) <= SHOWN else f"{shown}…"


def _no_value(word: str) -> str:
    if NUMBER_START.match(word):
        return "is not a number as JSON writes it, like 5, -12 or 0.5."
    if word.lower() in (*WORDS, "none"):
        return "is written in small letters in JSON: true, false or null."
    return "is not a value. Write a text in double quotes."


def _is_endless(word: str, number: re.Match[str]) -> bool:
    """Return whether a number with a point or an exponent overflows a float."""
    return any(number.groups()) and math.isinf(float(word))
