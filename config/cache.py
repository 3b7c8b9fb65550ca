"""A Redis cache that falls back to process memory while Redis is unavailable."""

import time
from functools import partialmethod
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

REDIS_TIMEOUT_S: Final = 0.3
"""Seconds to wait for a response from Redis."""
REDIS_RETRY_S: Final = 2.0
"""Seconds to wait before trying Redis again after it did not answer."""
CACHE_OPERATIONS = [
    "add",
    "get",
    "set",
    "touch",
    "delete",
    "get_many",
    "has_key",
    "incr",
    "set_many",
    "delete_many",
    "clear",
]

_redis_away_until: dict[str, float] = {}


class FallbackRedisCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        # One retry without a pause, because an idle connection may belong to a server that has restarted since.
        # A server that times out is not asked twice.
        retry = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        options = {"socket_connect_timeout": REDIS_TIMEOUT_S, "socket_timeout": REDIS_TIMEOUT_S, "retry": retry}
        super().__init__(server, {**params, "OPTIONS": options})
        self._server = server
        self._fallback = LocMemCache(server, {**params, "OPTIONS": {}})

    def _call(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= _redis_away_until.get(self._server, 0.0):
            try:
                return getattr(super(), operation)(*args, **kwargs)
            except (RedisError, OSError):
                _redis_away_until[self._server] = time.monotonic() + REDIS_RETRY_S
        if operation == "incr":
            self._fallback.add(args[0], 0)  # the counter was created in Redis
        return getattr(self._fallback, operation)(*args, **kwargs)


for _operation in CACHE_OPERATIONS:
    setattr(FallbackRedisCache, _operation, partialmethod(FallbackRedisCache._call, _operation))
