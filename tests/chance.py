"""Randomness in tests: a single seed for each run, which pytest prints so that a failure can be repeated.

TEST_SEED=7 make test           other secrets, tokens, and examples
TEST_EXAMPLES=3 make test       three times as many examples (`make test-long`)
"""

from __future__ import annotations

import os
import random
import secrets
from typing import Final

SEED: Final = int(os.environ.get("TEST_SEED") or 1)
EXAMPLES: Final = float(os.environ.get("TEST_EXAMPLES") or 0.15)
FEWEST: Final = 5
QUICK: Final = EXAMPLES < 1


def examples(usual: int) -> int:
    """Return Hypothesis's `max_examples` for a property test in this run."""
    return max(FEWEST, round(usual * EXAMPLES))


def in_part(number: int, parts: int) -> bool:
    """Return whether a quick run includes this item.

    A quick run includes one in `parts` items, chosen by the seed. A long run includes all of them.
    """
    return not QUICK or (number + SEED) % parts == 0


def seed_secrets(about: str) -> None:
    """Make the `secrets` module depend on the run's seed and on `about`."""
    dice = random.Random(f"{SEED}|{about}")
    secrets.token_bytes = lambda nbytes=None: dice.randbytes(32 if nbytes is None else nbytes)  # type: ignore[assignment]
    secrets.randbelow = dice.randrange  # type: ignore[assignment]


def header() -> str:
    return f"chance: TEST_SEED={SEED} TEST_EXAMPLES={EXAMPLES:g}"
