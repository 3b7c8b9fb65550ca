"""Base classes of recorded facts, and fields that clean names and compute sort keys."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from tournament.spreadsheets.names import MAX_SORT_KEY_LENGTH, normalize_text, propose_entry_sort_name, sort_key


class Fact(models.Model):
    """A row that is never changed, with its author, time and reason. A correction is stored as a new row."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    by_name = models.CharField(max_length=200)
    reason = models.TextField(blank=True)

    class Meta:
        abstract = True


class SignInLinkColumns(models.Model):
    """Columns of a signature that identify the person who created the signer's sign-in link.

    They are empty if the signer has a password or created the link.
    """

    link_by = models.CharField(max_length=200, blank=True, default="", db_default="")
    link_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class OrderedFact(Fact):
    """A fact that is read in the order in which it was recorded."""

    class Meta:
        abstract = True
        ordering: ClassVar = ["pk"]


class NameField(models.CharField):
    """A name that is cleaned with `normalize_text` every time it is saved."""

    def to_python(self, value: Any) -> Any:
        return normalize_text(value) if isinstance(value, str) else super().to_python(value)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        name = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, name)
        return name

    def deconstruct(self) -> Any:
        """Present the field as a plain CharField, so that migrations do not depend on this class."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class SortKeyField(models.CharField):
    """A sort key that is computed from `sort_name`, or from the name if that is empty, on every save.

    If `update_fields` includes the name or the sort name, it must include this field, too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"max_length": MAX_SORT_KEY_LENGTH, "default": "", "db_default": "", "editable": False, **options}
        )

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        proposed = propose_entry_sort_name(getattr(model_instance, "name", ""))
        key = sort_key(getattr(model_instance, "sort_name", "") or proposed)
        setattr(model_instance, self.attname, key)
        return key

    def deconstruct(self) -> Any:
        """Present the field as a plain CharField, so that migrations do not depend on this class."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs
