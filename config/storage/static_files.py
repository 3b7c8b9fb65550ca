"""Storages for static files that compute each URL once per process, because a page names twenty of them."""

from typing import Any

from django.contrib.staticfiles.storage import StaticFilesStorage
from servestatic.storage import CompressedManifestStaticFilesStorage


class _CachedUrls:
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._urls: dict[str | None, str] = {}

    def url(self, name: str | None) -> str:
        if name not in self._urls:
            self._urls[name] = super().url(name)  # type: ignore[misc]
        return self._urls[name]


class PlainFiles(_CachedUrls, StaticFilesStorage):
    """Files served from their folders, for a development server that shows changes right away."""


class CollectedFiles(_CachedUrls, CompressedManifestStaticFilesStorage):
    """Files with a hash in their names, compressed beforehand."""
