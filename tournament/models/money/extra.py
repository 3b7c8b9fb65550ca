"""Extras of an event: what an entry may buy beside it, such as a dinner. They are not part of any prize."""

from typing import ClassVar

from django.db import models

from tournament.models.event import Event
from tournament.models.names import NameField
from tournament.models.topic import PRIZES


class EventExtra(models.Model):
    """An extra on offer. Its name and price are frozen once one was sold, because lines of the ledger repeat them."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="extras")
    name = NameField(max_length=60)
    price_cents = models.PositiveBigIntegerField()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_extra_a_name")]

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)
