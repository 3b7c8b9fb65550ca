"""Become a command as soon as the broker answers.

python -m laptop.when_ready python -m celery …
"""

import os
import sys
import time

import redis

from laptop.parent import end_with_parent

PATIENCE = 15.0
"""Seconds; a broker with a long queue reads it in first."""


def wait_for_broker(url: str, patience: float = PATIENCE) -> bool:
    """Whether the broker answers before `patience` seconds are over."""
    deadline = time.monotonic() + patience
    with redis.Redis.from_url(url, socket_connect_timeout=1, socket_timeout=1) as client:
        while True:
            try:
                return bool(client.ping())
            except (redis.RedisError, OSError):
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.05)


if __name__ == "__main__":
    end_with_parent()
    if not wait_for_broker(os.environ["REDIS_URL"]):
        sys.exit("The broker (REDIS_URL) does not answer.")
    os.execvp(sys.argv[1], sys.argv[1:])
