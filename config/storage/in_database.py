"""Where prints, photos and certificates are kept: in the database, so that every server of it has them.

What an earlier release laid into the folder of this machine (`var/files/`) is found there still;
`manage.py keep_files` moves it to where files are kept now.
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

PART: Final = 1 << 20
"""Bytes of a part: a database client holds a value several times over while it sends it."""


def folder() -> FileSystemStorage:
    """Where files were kept before they were kept in the database."""
    return FileSystemStorage(settings.MEDIA_ROOT)


@deconstructible
class FilesInDatabase(Storage):
    """Written in the transaction that names the file: both are there, or neither."""

    def _save(self, name: str, content: File[Any]) -> str:
        parts = [bytes(part) for part in content.chunks(PART)] or [b""]
        while True:
            try:
                with transaction.atomic():
                    for number, part in enumerate(parts):
                        FilePart(name=name, number=number, content=part).save()
            except IntegrityError:  # another one took the name meanwhile
                name = self.get_available_name(name)
            else:
                return name

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        parts = list(_parts(name).order_by("number").values_list("content", flat=True))
        return ContentFile(b"".join(map(bytes, parts)), name=name) if parts else folder().open(name, mode)

    def exists(self, name: str) -> bool:
        """Here, that is: what only lies in the folder of a machine is found, but takes no name from anybody."""
        return _parts(name).exists()

    def delete(self, name: str) -> None:
        _parts(name).delete()
        folder().delete(name)

    def size(self, name: str) -> int:
        return self.open(name).size


def _parts(name: str) -> QuerySet[FilePart]:
    return FilePart.objects.filter(name=name)
