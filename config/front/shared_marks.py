"""Ask Redis whether marks are unchanged, in one query at a time. Requests that come meanwhile share the next query."""

import asyncio
from collections.abc import Collection
from time import monotonic
from typing import Final

import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tournament.core.marks import SOON, Marks

NEXT_TRY: Final = 2.0
"""Seconds without another try after Redis did not answer."""

Answer = dict[int, bytes | str | None] | None


class SharedMarks:
    def __init__(self) -> None:
        # One connection and no retry, because an outage of Redis in between must be noticed here.
        self._redis = redis.asyncio.Redis.from_url(
            settings.MARKS_URL,
            single_connection_client=True,
            socket_connect_timeout=SOON,
            socket_timeout=SOON,
            retry=Retry(NoBackoff(), 0),
        )
        self._turn = asyncio.Lock()
        self._next: tuple[set[int], asyncio.Task[Answer]] | None = None
        self._away_until = 0.0

    @property
    def are_away(self) -> bool:
        return monotonic() < self._away_until

    async def stand(self, marks: Marks) -> bool | None:
        """Return whether the marks are unchanged, or None if Redis is away and may come back with old marks."""
        if self._next is None:
            places: set[int] = set()
            self._next = places, asyncio.create_task(self._ask(places))
        places, question = self._next
        places.update(place for place, _mark in marks)
        found = await asyncio.shield(question)
        return None if found is None else all(found[place] == b"%d" % mark for place, mark in marks)

    async def _ask(self, places: Collection[int]) -> Answer:
        """Read the marks of the places, including those that are added before the query starts.

        An answer is therefore never older than its question.
        """
        async with self._turn:
            self._next = None
            asked = list(places)
            if self.are_away:
                return None
            try:
                found = await self._redis.hmget(settings.MARKS_KEY, [str(place) for place in asked])
            except (redis.RedisError, OSError):
                self._away_until = monotonic() + NEXT_TRY
                return None
        return dict(zip(asked, found, strict=True))
