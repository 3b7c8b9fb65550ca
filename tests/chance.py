"""Control randomness in tests with a single seed per run, which pytest prints so that a failure can be repeated.

TEST_SEED=7 make test           uses other secrets, tokens, and examples
TEST_EXAMPLES=3 make test       uses three times the usual number of examples (`make test-long` uses five times)
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
    """Return how many Hypothesis examples this run uses for a property test that usually has `usual` examples."""
    return max(FEWEST, round(usual * EXAMPLES))


def in_part(number: int, parts: int) -> bool:
    """Return whether this test run includes the item with this number.

    A long run includes every item. A quick run includes one of every `parts` items, and the seed determines which.
    """
    return not QUICK or (number + SEED) % parts == 0


def seed_secrets(about: str) -> None:
    """Replace the random functions of `secrets`, so that they depend only on the run's seed and on `about`."""
    dice = random.Random(f"{SEED}|{about}")
    secrets.token_bytes = lambda nbytes=None: dice.randbytes(32 if nbytes is None else nbytes)  # type: ignore[assignment]
    secrets.randbelow = dice.randrange  # type: ignore[assignment]


def header() -> str:
    return f"chance: TEST_SEED={SEED} TEST_EXAMPLES={EXAMPLES:g}"
