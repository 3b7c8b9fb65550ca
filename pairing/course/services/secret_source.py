"""Where the secret of a sealed draw comes from: the operating system, for every event that anybody plays in.

A made-up event that is played by chance repeats with its seed only if its secrets do. The command that plays it hands
down a source of its own for as long as it plays (`demo_secrets`). Why that weakens no draw: the source is heard in a
tournament that was made as a DEMO only, and says so on every page; it lives in the one process and call that handed
it down, and no setting, environment variable, form or request leads here; and nothing but that command may import it.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pairing.draws.order.blind import SECRET_BYTES
from tournament.models import Tournament

Source = Callable[[int], bytes]
_handed: ContextVar[Source | None] = ContextVar("secrets of a demo", default=None)


def new_secret(tournament: Tournament) -> bytes:
    """Return the secret bytes that a new seal of this tournament commits to."""
    handed = _handed.get()
    if handed is not None and tournament.is_demo:
        return handed(SECRET_BYTES)
    return secrets.token_bytes(SECRET_BYTES)


@contextmanager
def demo_secrets(source: Source) -> Iterator[None]:
    """Take the secrets of DEMO tournaments from here while this is open; all others are not touched."""
    token = _handed.set(source)
    try:
        yield
    finally:
        _handed.reset(token)
