"""The id of the current request, which log lines and background tasks also contain (`config.logs`)."""

from contextvars import ContextVar
from typing import Final

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that this thread or asyncio task handles, or "" if it handles none."""

REQUEST_ID_TASK_HEADER: Final = "gin_rummy_request_id"
"""The task header with the id of the request that sent the task."""
