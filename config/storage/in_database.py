"""Store printed PDFs, photos and certificates in the database, so that every server has them.

Files that an earlier release stored in a folder (`var/files/`) are still served. `manage.py keep_files`
moves them to the database.
"""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, Storage
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.deconstruct import deconstructible

from tournament.models import FilePart

FILE_PART_BYTES: Final = 1 << 20
"""The size of a file chunk in bytes. A database client keeps several copies of a value in memory while sending it."""


def get_legacy_file_storage() -> FileSystemStorage:
    """Return the file system storage that earlier releases used."""
    return FileSystemStorage(settings.MEDIA_ROOT)


@deconstructible
class DatabaseFileStorage(Storage):
    """A storage that saves each file in the transaction of the row that refers to it: both are saved, or neither."""

    def _save(self, name: str, content: File[Any]) -> str:
        parts = [bytes(part) for part in content.chunks(FILE_PART_BYTES)] or [b""]
        while True:
            try:
                with transaction.atomic():
                    for number, part in enumerate(parts):
                        FilePart(name=name, number=number, content=part).save()
            except IntegrityError:  # another process took the name meanwhile
                name = self.get_available_name(name)
            else:
                return name

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        parts = list(_load_parts(name).order_by("number").values_list("content", flat=True))
        return (
            ContentFile(b"".join(map(bytes, parts)), name=name) if parts else get_legacy_file_storage().open(name, mode)
        )

    def exists(self, name: str) -> bool:
        """Return whether the database has the file.

        A file in the old folder does not count, so its name can be used again.
        """
        return _load_parts(name).exists()

    def delete(self, name: str) -> None:
        _load_parts(name).delete()
        get_legacy_file_storage().delete(name)

    def size(self, name: str) -> int:
        return self.open(name).size


def _load_parts(name: str) -> QuerySet[FilePart]:
    return FilePart.objects.filter(name=name)
