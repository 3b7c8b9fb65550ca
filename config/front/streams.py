"""Limit the number of open streams, because each takes an open file and memory for as long as its page is open."""

from __future__ import annotations

import logging
import resource
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext_lazy as _

from config.front.guard import Refusal, counted_for, refusal_of, tell_refusal

if TYPE_CHECKING:  # models cannot be imported before Django is set up
    from tournament.core.live import Message, Receive, Send

MOST: Final = 10_000
"""The most streams of one process, or half of the open files that the system allows if that is less."""
FROM_ONE: Final = 1_000
"""The most streams of one client, enough for a hall behind one address.

This machine itself has no such limit, because a proxy or a test speaks for many.
"""
HERE: Final = ("127.0.0.1", "::/64")

FULL: Final = Refusal(
    503,
    "too-many-streams",
    _("Too many pages of this site are open. This page tries again by itself; look again in a minute."),
)

logger = logging.getLogger(__name__)


def most_streams() -> int:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, soft // 2)


class Streams:
    """The ASGI callable in front of `app` that refuses streams beyond the limits."""

    def __init__(self, app: Any) -> None:
        self.app, self.most = app, most_streams()
        self.of_client: Counter[str] = Counter()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        client = counted_for(scope)
        from_one = self.most if client in HERE else FROM_ONE
        if self.of_client.total() >= self.most or self.of_client[client] >= from_one:
            await tell_refusal(FULL, headers, send)
            return
        self.of_client[client] += 1
        try:
            await self.app(scope, receive, send)
        except (DatabaseError, InterfaceError) as error:  # before the stream begins
            refusal = refusal_of(error)
            if refusal is None:
                raise
            logger.error("a stream could not begin", exc_info=error)
            await tell_refusal(refusal, headers, send)
        finally:
            self.of_client[client] -= 1
            if not self.of_client[client]:
                del self.of_client[client]
