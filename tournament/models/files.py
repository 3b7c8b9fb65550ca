from typing import ClassVar

from django.db import models
from django.utils import timezone


class FilePart(models.Model):
    """A part of a file. Prints, photos and certificates are in the database, where every server finds them."""

    name = models.CharField(max_length=255)
    number = models.PositiveIntegerField()
    content = models.BinaryField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["name", "number"], name="one_part_a_number")]

    def __str__(self) -> str:
        return f"{self.name}, part {self.number}"

    def topics(self) -> tuple[str, ...]:
        """Return no topics, because the row that refers to the file has them."""
        return ()
