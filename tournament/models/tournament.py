from copy import deepcopy
from functools import partial
from typing import ClassVar, Final

from django.db import models
from django.utils import timezone

from tournament.models.names import NameField

USUAL_CATEGORIES: Final = [
    *("Advertising", "Brochures", "Postage", "Stationery", "Office supplies", "Phone calls", "Charts", "Trays"),
    *("Staff", "Computer", "Internet", "Website", "Travel", "Awards"),
]
"""Expenses that are paid from fees (GRA 2012, the note under the rules). Discounts are not expenses."""
USUAL_PROVIDERS: Final = ["desk"]


class Tournament(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = NameField(max_length=200)
    venue = NameField(max_length=200)
    starts_on = models.DateField()
    ends_on = models.DateField()
    time_zone = models.CharField(max_length=60, default="America/Los_Angeles")
    currency = models.CharField(max_length=3, default="USD")
    contact = NameField(max_length=200, blank=True)
    about = models.TextField(blank=True)
    expense_categories = models.JSONField(
        default=partial(deepcopy, USUAL_CATEGORIES), db_default=models.Value(USUAL_CATEGORIES, models.JSONField())
    )
    tax_form_cents = models.PositiveBigIntegerField(null=True, blank=True)
    """The total of prizes from which a player is listed for the tax form, or None if nobody is."""
    providers = models.JSONField(
        default=partial(deepcopy, USUAL_PROVIDERS), db_default=models.Value(USUAL_PROVIDERS, models.JSONField())
    )
    """The ways to pay entry fees, as names from `tournament.money.providers`."""

    bank_account = models.TextField(blank=True, default="", db_default="")
    """The account for transfers, as players read it."""

    publishes_names = models.BooleanField(default=True, db_default=True)
    """Whether entry forms and lists show names in public unless a player objects."""

    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-starts_on", "name"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(ends_on__gte=models.F("starts_on")), name="ends_after_it_starts")
        ]

    def __str__(self) -> str:
        return self.name
