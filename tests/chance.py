"""The chance in tests: one seed for a whole run, printed at its head, so that what failed can be seen again.

TEST_SEED=7 make test           every secret, token and example drawn otherwise
TEST_EXAMPLES=3 make test       so many times the examples of every property (`make test-long`)
"""

from __future__ import annotations

import os
import random
import secrets
from typing import Final

SEED: Final = int(os.environ.get("TEST_SEED") or 1)
EXAMPLES: Final = float(os.environ.get("TEST_EXAMPLES") or 0.25)
FEWEST: Final = 5
QUICK: Final = EXAMPLES < 1


def examples(usual: int) -> int:
    """How many examples a property takes in this run, for `max_examples`."""
    return max(FEWEST, round(usual * EXAMPLES))


def in_part(number: int, parts: int) -> bool:
    """Whether a quick run takes what has this number: one of so many parts, another by each seed. A long run: all."""
    return not QUICK or (number + SEED) % parts == 0


def seed_secrets(about: str) -> None:
    """From here on what `secrets` gives (of a draw, a link, a code) follows from the run's seed and from `about`."""
    dice = random.Random(f"{SEED}|{about}")
    secrets.token_bytes = lambda nbytes=None: dice.randbytes(32 if nbytes is None else nbytes)  # type: ignore[assignment]
    secrets.randbelow = dice.randrange  # type: ignore[assignment]


def header() -> str:
    return f"chance: TEST_SEED={SEED} TEST_EXAMPLES={EXAMPLES:g}"
