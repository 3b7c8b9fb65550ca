from typing import Any

from django.db import models

from tournament.spreadsheets.keys import tidy


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
