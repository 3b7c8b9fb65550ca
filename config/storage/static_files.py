"""Storages for static files that compute each address once per process, because a page names twenty of them."""

from typing import Any

from django.contrib.staticfiles.storage import StaticFilesStorage
from servestatic.storage import CompressedManifestStaticFilesStorage


class _CachedUrls:
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._addresses: dict[str | None, str] = {}

    def url(self, name: str | None) -> str:
        found = self._addresses.get(name)
        if found is None:
            found = self._addresses[name] = super().url(name)  # type: ignore[misc]
        return found


class PlainFiles(_CachedUrls, StaticFilesStorage):
    """Files served from their folders, for a development server that shows changes right away."""


class CollectedFiles(_CachedUrls, CompressedManifestStaticFilesStorage):
    """Files with a hash in their names, compressed beforehand."""
