"""Where the static files are. A page names twenty of them: each address is worked out once a process."""

from typing import Any

from django.contrib.staticfiles.storage import StaticFilesStorage
from servestatic.storage import CompressedManifestStaticFilesStorage


class _Kept:
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._addresses: dict[str | None, str] = {}

    def url(self, name: str | None) -> str:
        found = self._addresses.get(name)
        if found is None:
            found = self._addresses[name] = super().url(name)  # type: ignore[misc]
        return found


class PlainFiles(_Kept, StaticFilesStorage):
    """As they stand in the folders: for a server that shows changes at once."""


class CollectedFiles(_Kept, CompressedManifestStaticFilesStorage):
    """Under names with a hash, compressed beforehand."""
