from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import Fact


class ListFile(Fact):
    """An uploaded list: the bytes of its file, and how somebody chose to read them if there is more than one way."""

    file_name = models.CharField(max_length=255)
    file_digest = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    encoding = models.CharField(max_length=40, blank=True)
    sheet = models.CharField(max_length=100, blank=True, default="", db_default="")
    order = models.CharField(max_length=10, blank=True, default="", db_default="")
    """The order of day and month in ambiguous dates."""

    class Meta:
        abstract = True


class ImportBatch(ListFile):
    """An imported list of entries: the file, how it was read, and what became of its rows."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="imports")
    delimiter = models.CharField(max_length=4, blank=True)
    headers = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)
    doubted_encodings = models.CharField(max_length=200, blank=True, default="", db_default="")
    """Encodings that are equally likely, separated by spaces. The text is empty once somebody has chosen one."""
    sheets = models.TextField(blank=True, default="", db_default="")
    """The names of the workbook's sheets, one per line."""
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
        PAYS = "pays", _("Payment to record")
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


class BankList(ListFile):
    """An uploaded bank list. Its rows are parsed again on every view, and `taken_at` is when they were recorded."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="bank_lists")
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.at:%Y-%m-%d %H:%M})"
