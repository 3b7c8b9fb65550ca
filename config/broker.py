"""How one Redis address is spelled for those who use it: `redis://host:6379` or `unix:///path/to/socket`."""

from __future__ import annotations


def redis_location(url: str, *, database: int) -> str:
    """The address for redis-py and Django's cache, with its database number."""
    if url.startswith("unix://"):
        return f"{url.partition('?')[0]}?db={database}"
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{database}"


def celery_location(url: str) -> str:
    """The address for Celery, which calls a Unix socket `redis+socket://`."""
    if url.startswith("unix://"):
        return f"redis+socket://{url.removeprefix('unix://').partition('?')[0]}"
    return url
