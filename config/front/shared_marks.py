"""Redis is asked whether marks stand: one question at a time; those who ask meanwhile are in the next one."""

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
"""Seconds that Redis is left alone when it did not answer."""

Answer = dict[int, bytes | str | None] | None


class SharedMarks:
    def __init__(self) -> None:
        # One connection and no second try: when Redis was away in between, that has to be noticed here.
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
        """None: Redis is away, and nobody knows what stood meanwhile: it may come back with marks of before."""
        if self._next is None:
            places: set[int] = set()
            self._next = places, asyncio.create_task(self._ask(places))
        places, question = self._next
        places.update(place for place, _mark in marks)
        found = await asyncio.shield(question)
        return None if found is None else all(found[place] == b"%d" % mark for place, mark in marks)

    async def _ask(self, places: Collection[int]) -> Answer:
        """What is added to `places` until its turn comes is asked, too; an answer never is older than its question."""
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
