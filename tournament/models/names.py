from typing import Any

from django.db import models

from tournament.spreadsheets.keys import tidy
from tournament.spreadsheets.sort_names import LONGEST, proposed_of_entry, sort_key


class NameField(models.CharField):
    """A name that is cleaned with `tidy` on every save, without marks that would reverse the text beside it."""

    def to_python(self, value: Any) -> Any:
        return tidy(value) if isinstance(value, str) else super().to_python(value)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        name = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, name)
        return name

    def deconstruct(self) -> Any:
        """Describe the field as a plain CharField, so that migrations do not depend on this class."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class SortKeyField(models.CharField):
    """The sort key of lists, from `sort_name` or else from the name, written with every save.

    A save with `update_fields` that names the name or the sort name must name this field, too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": LONGEST, "default": "", "db_default": "", "editable": False, **options})

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        written = getattr(model_instance, "sort_name", "") or proposed_of_entry(getattr(model_instance, "name", ""))
        key = sort_key(written)
        setattr(model_instance, self.attname, key)
        return key

    def deconstruct(self) -> Any:
        """Describe the field as a plain CharField, so that migrations do not depend on this class."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs
