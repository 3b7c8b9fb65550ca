"""Static file storages that compute the URL of each file only once, because every page has about twenty such URLs."""

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


class PlainStaticFilesStorage(_CachedUrls, StaticFilesStorage):
    """Static files served directly from their source folders, for development."""


class CollectedStaticFilesStorage(_CachedUrls, CompressedManifestStaticFilesStorage):
    """Precompressed static files with hashed names."""
