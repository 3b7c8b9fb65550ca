from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import Fact


class ImportBatch(Fact):
    """One list that came in: what the file was, how it was read, and what became of its rows."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="imports")
    file_name = models.CharField(max_length=255)
    file_digest = models.CharField(max_length=64)
    encoding = models.CharField(max_length=40)
    delimiter = models.CharField(max_length=4, blank=True)
    headers = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)
    imported_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.at:%Y-%m-%d %H:%M})"


class ImportRow(models.Model):
    class Verdict(models.TextChoices):
        NEW = "new", _("New")
        THERE = "there", _("Already there")
        LOOK = "look", _("Needs a look")
        BLANK = "blank", _("Blank")
        IMPORTED = "imported", _("Imported")
        DROPPED = "dropped", _("Set aside")

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField()
    cells = models.JSONField()
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    remarks = models.JSONField(default=list)
    accepted = models.BooleanField(default=False)
    entrant = models.ForeignKey("Entrant", null=True, blank=True, on_delete=models.SET_NULL, related_name="import_rows")

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["batch", "number"], name="one_number_a_batch")]

    def __str__(self) -> str:
        return f"row {self.number}: {self.verdict}"
