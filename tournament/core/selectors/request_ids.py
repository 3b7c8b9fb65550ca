"""The id of the current request. Log lines and background tasks have it, too (`config.logs`)."""

from contextvars import ContextVar
from typing import Final

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that this thread or asyncio task handles, or "" if it handles none."""

TASK_HEADER: Final = "gin_rummy_request_id"
"""The name of a task's header with the id of the request that sent the task."""
