"""Base class for commands that read one JSON object per line and print one JSON result per line (CONTRACTS.md)."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand

from tournament.cases import parse_json_object
from tournament.errors import InputProblem, InvalidInput


class JsonLinesCommand(BaseCommand):
    """A stateless command. A subclass defines `help`, and a pure function `answer` that takes one JSON object."""

    requires_system_checks = ()
    requires_migrations_checks = False

    answer: Callable[[dict[str, Any]], dict[str, Any]]
    """Return the result for one JSON object, without the key `ok`, or raise InvalidInput."""

    def handle(self, *args: Any, **options: Any) -> None:
        source = _open_input()
        all_good = True
        try:
            for line in _iter_lines(source):
                is_good, text = self._answer_line(line)
                all_good = all_good and is_good
                self.stdout.write(text)
                self.stdout.flush()
        except BrokenPipeError:
            # The reader has stopped (`| head`). Without stdout, the interpreter's own flush raises nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not all_good:
            sys.exit(1)

    def _answer_line(self, line: bytes) -> tuple[bool, str]:
        try:
            result: dict[str, Any] = {"ok": True, **self.answer(parse_json_object(line))}
        except InvalidInput as bad:
            return False, json.dumps({"ok": False, "errors": [asdict(problem) for problem in bad.problems]})
        except RecursionError:
            deep = InputProblem("bad-json", "", "This line is nested too deeply to be read.")
            return False, json.dumps({"ok": False, "errors": [asdict(deep)]})
        return True, json.dumps(result)


def _open_input() -> BinaryIO:
    """Return standard input as bytes, or an empty stream if the process has none."""
    if sys.stdin is None:
        return io.BytesIO()
    buffer: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    return buffer or io.BytesIO(sys.stdin.read().encode())


def _iter_lines(source: BinaryIO) -> Iterator[bytes]:
    for number, line in enumerate(source):
        if number == 0:
            line = line.removeprefix(b"\xef\xbb\xbf")  # the byte order mark of spreadsheets
        if line.strip():
            yield line.rstrip(b"\r\n")
