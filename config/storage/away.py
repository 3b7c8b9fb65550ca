"""A storage mixin that reports an outage of a remote store, and keeps other requests from waiting for it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.utils.translation import gettext as _

from tournament.errors import DomainError

STORAGE_RETRY_S: Final = 3.0
"""Seconds to wait before trying the store again after it did not answer."""

logger = logging.getLogger(__name__)


class StorageUnavailable(DomainError):
    http_status = 503

    def __init__(self) -> None:
        super().__init__(
            "store-away", _("Prints, photos and certificates cannot be reached right now. Try again in a minute.")
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class StorageOutageMixin(Storage):
    """A mixin for a third-party storage class, which may raise any exception when the store is unavailable."""

    _away_until = 0.0

    def _save(self, name: str, content: File[Any]) -> str:
        return self._call_unless_away(super()._save, name, content)  # type: ignore[misc]

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        """Read the whole file immediately, because a lazy read could fail in the middle of a response."""
        return self._call_unless_away(self._read_now, name, mode)

    def exists(self, name: str) -> bool:
        return self._call_unless_away(super().exists, name)

    def delete(self, name: str) -> None:
        self._call_unless_away(super().delete, name)

    def size(self, name: str) -> int:
        return self._call_unless_away(super().size, name)

    def _read_now(self, name: str, mode: str) -> File[Any]:
        with super()._open(name, mode) as file:  # type: ignore[misc]
            return ContentFile(file.read(), name=name)

    def _call_unless_away(self, ask: Callable[..., Any], *arguments: Any) -> Any:
        if time.monotonic() < self._away_until:
            raise StorageUnavailable
        try:
            return ask(*arguments)
        except FileNotFoundError:
            raise
        except Exception as error:  # several libraries raise it, without a common base class
            self._away_until = time.monotonic() + STORAGE_RETRY_S
            logger.warning("The store of files does not answer: %s", error)
            raise StorageUnavailable from error
