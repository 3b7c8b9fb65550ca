"""The source of the secrets of sealed draws. It is the operating system for every real event.

A demo event that is played at random repeats with its seed only if its secrets repeat.
The command that plays it therefore hands in a source of its own, while it runs (`demo_secrets`).
This weakens no draw, for three reasons. The source is used only for tournaments made as a DEMO, which say so on
every page. It lives in one process and one call, and no setting, environment variable, form or request reaches it.
Only that command may import it.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pairing.draws.order import SECRET_BYTES
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
    """Use `source` for the secrets of DEMO tournaments inside this block. Other tournaments are not affected."""
    token = _handed.set(source)
    try:
        yield
    finally:
        _handed.reset(token)
