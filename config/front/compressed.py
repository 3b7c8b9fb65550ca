"""Compressed forms of a page, and the choice of one that the client accepts (RFC 9110, 12.5.3)."""

import asyncio
import gzip
from functools import lru_cache
from typing import Final

import brotli

PLAIN: Final = "identity"
SMALLEST: Final = 200
"""Bytes below which neither this module nor Django compresses."""
AT_ONCE: Final = 4096
"""Bytes that are compressed within a millisecond. Larger bodies are compressed in a thread."""
BROTLI_QUALITY: Final = 5


async def forms_of(body: bytes) -> dict[str, bytes]:
    """Return the body by its coding, in the order of preference: Brotli, gzip, plain."""
    if len(body) < SMALLEST:
        return {PLAIN: body}
    return _forms(body) if len(body) <= AT_ONCE else await asyncio.to_thread(_forms, body)


def _forms(body: bytes) -> dict[str, bytes]:
    made = {"br": brotli.compress(body, quality=BROTLI_QUALITY), "gzip": gzip.compress(body, 6, mtime=0)}
    return {**made, PLAIN: body}


@lru_cache(maxsize=512)
def best_of(codings: tuple[str, ...], accepted: bytes) -> str:
    """Return the coding that the client prefers, or plain if it accepts no other.

    If it likes several equally, the result is the first of them.
    """
    weights = _weights(accepted[:1000].decode("latin-1").lower())
    others = weights.get("*", 0.0)
    weight = {coding: weights.get(coding, others) for coding in codings if coding != PLAIN}
    weight[PLAIN] = weights.get(PLAIN, 0.0)
    best = max(weight, key=weight.__getitem__)  # the first one if several are equal
    return best if weight[best] > 0 else PLAIN


def _weights(accepted: str) -> dict[str, float]:
    found = {}
    for each in accepted.split(","):
        coding, _, parameters = each.partition(";")
        found[coding.strip()] = _quality(parameters)
    return found


def _quality(parameters: str) -> float:
    for each in parameters.split(";"):
        name, _, value = each.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
