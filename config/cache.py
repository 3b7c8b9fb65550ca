"""Redis as the cache; while it does not answer, the memory of this process. Slower, never an error."""

import time
from functools import partialmethod
from typing import Any, Final

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.retry import Retry

SOON: Final = 0.3
"""Seconds in which Redis has to answer."""
NEXT_TRY: Final = 2.0
"""Seconds that it is left alone when it did not: pages do not wait for it one after the other."""
OPERATIONS = [
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

_away_until: dict[str, float] = {}


class SteadyRedisCache(RedisCache):
    def __init__(self, server: str, params: dict[str, Any]) -> None:
        # Once more without a pause: a connection that was kept may be one to a server that was started again since.
        # One that is silent is not asked twice.
        again = Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,))
        told = {"socket_connect_timeout": SOON, "socket_timeout": SOON, "retry": again}
        super().__init__(server, {**params, "OPTIONS": told})
        self._server = server
        self._meanwhile = LocMemCache(server, {**params, "OPTIONS": {}})

    def steady(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        if time.monotonic() >= _away_until.get(self._server, 0.0):
            try:
                return getattr(super(), operation)(*args, **kwargs)
            except (RedisError, OSError):
                _away_until[self._server] = time.monotonic() + NEXT_TRY
        if operation == "incr":
            self._meanwhile.add(args[0], 0)  # what is counted was begun in Redis
        return getattr(self._meanwhile, operation)(*args, **kwargs)


for _operation in OPERATIONS:
    setattr(SteadyRedisCache, _operation, partialmethod(SteadyRedisCache.steady, _operation))
