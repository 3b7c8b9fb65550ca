"""Send many malformed requests, and check the responses."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from tests.devtools.spoiled.known import Known
from tests.devtools.spoiled.senders import Answered, Request, Sender
from tests.devtools.spoiled.spoil import spoiled

SENTENCE: Final = re.compile(r"[A-Z“][^<>{}]{15,}\.")


def fault(answer: Answered) -> str:
    """Return what is wrong with the response, or an empty string."""
    if answer.status in (500, 502, 504):
        return str(answer.status)
    if answer.status == 503 and not (
        "retry-after" in answer.headers and SENTENCE.search(answer.body.decode(errors="replace"))
    ):
        return "503 without a word"
    return "" if answer.status else "no answer"


@dataclass(slots=True)
class Fault:
    number: int
    what: str
    request: Request
    why: str

    def __str__(self) -> str:
        return f"=== {self.number}: {self.what}\n{self.request}\n{self.why[-3000:]}"

    @property
    def place(self) -> str:
        """Return where the fault happened. Several faults at the same place are shown only once."""
        lines = [line.strip() for line in self.why.splitlines() if line.strip()]
        ours = [line for line in lines if "File " in line and "site-packages" not in line]
        return f"{self.what} {(ours or ['?'])[-1]} {lines[-1][:60] if lines else self.request.path[:40]}"


@dataclass(slots=True)
class Outcome:
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    slowest: tuple[float, int, str] = (0.0, 0, "")

    def __str__(self) -> str:
        said = ", ".join(f"{status} × {count}" for status, count in sorted(self.statuses.items()))
        return f"{said}; the slowest {self.slowest[0]:.1f} s ({self.slowest[1]}: {self.slowest[2]})"

    def by_place(self) -> dict[str, list[Fault]]:
        found: dict[str, list[Fault]] = {}
        for one in self.faults:
            found.setdefault(one.place, []).append(one)
        return found


def send_all(
    known: Known, sender: Sender, seed: int, numbers: Iterable[int], undone: Callable[[Callable[[], None]], None]
) -> Outcome:
    """Send the numbered requests. A seed and a number always give the same request.

    `undone` is called with each request, and rolls back its changes to the database.
    """
    outcome = Outcome()
    for number in numbers:
        dice = random.Random(f"{seed}-{number}")
        requests = spoiled(known, dice)
        client = f"127.{dice.randrange(1, 250)}.{dice.randrange(250)}.{dice.randrange(1, 250)}"
        undone(lambda requests=requests, client=client, number=number: _send(requests, client, number, sender, outcome))
    return outcome


def _send(requests: list[Request], client: str, number: int, sender: Sender, outcome: Outcome) -> None:
    for request in requests:
        began = time.monotonic()
        answer = sender.send(request, client)
        outcome.statuses[answer.status] += 1
        outcome.slowest = max(
            outcome.slowest, (time.monotonic() - began, number, f"{request.method} {request.path[:80]}")
        )
        wrong = fault(answer)
        if wrong:
            outcome.faults.append(
                Fault(number, wrong, request, answer.why or answer.body[:300].decode(errors="replace"))
            )
