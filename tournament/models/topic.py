from typing import ClassVar

from django.db import models

from tournament.models.event import Event


class TopicVersion(models.Model):
    """The event's version when something of this topic was last written (`tournament.core.topics`)."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    version = models.PositiveBigIntegerField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_version_a_topic")]

    def __str__(self) -> str:
        return f"{self.name}: {self.version}"
