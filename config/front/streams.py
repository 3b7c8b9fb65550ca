"""How many pages may follow at once: each costs an open file and some memory for as long as it is looked at."""

from __future__ import annotations

import logging
import resource
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext_lazy as _

from config.front.guard import Refusal, counted_for, refusal_of, tell_refusal

if TYPE_CHECKING:  # there are no models before Django is set up
    from tournament.core.live import Message, Receive, Send

MOST: Final = 10_000
"""Streams of one process; where the system allows few open files, half of those."""
FROM_ONE: Final = 1_000
"""Of one client, for a hall behind one address; the machine itself may have all: a proxy or a test speaks for many."""
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
    """The ASGI callable before `app`, which gets as many streams as there is room for."""

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
        except (DatabaseError, InterfaceError) as error:  # before the stream begins, which asks nothing itself
            refusal = refusal_of(error)
            if refusal is None:
                raise
            logger.error("a stream could not begin", exc_info=error)
            await tell_refusal(refusal, headers, send)
        finally:
            self.of_client[client] -= 1
            if not self.of_client[client]:
                del self.of_client[client]
