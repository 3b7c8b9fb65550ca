from typing import Any

from django.db import models

from tournament.spreadsheets.keys import tidy
from tournament.spreadsheets.sort_names import LONGEST, proposed_of_entry, sort_key


class NameField(models.CharField):
    """A name as `tidy` leaves it, by whichever door it came in: no marks that turn the text beside it around."""

    def to_python(self, value: Any) -> Any:
        return tidy(value) if isinstance(value, str) else super().to_python(value)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        name = self.to_python(super().pre_save(model_instance, add))
        setattr(model_instance, self.attname, name)
        return name

    def deconstruct(self) -> Any:
        """To migrations a text as any other."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class SortKeyField(models.CharField):
    """By what lists are sorted: the key of `sort_name`, or of what the name itself proposes. Written with every save.

    A save with `update_fields` that names the name or its sort name has to name this field, too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": LONGEST, "default": "", "db_default": "", "editable": False, **options})

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        written = getattr(model_instance, "sort_name", "") or proposed_of_entry(getattr(model_instance, "name", ""))
        key = sort_key(written)
        setattr(model_instance, self.attname, key)
        return key

    def deconstruct(self) -> Any:
        """To migrations a text as any other."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs
