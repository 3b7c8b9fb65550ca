"""Messages from staff to entrants, with a copy for each entrant."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models.base import Fact


class Message(Fact):
    """A message from staff to entrants. It appears on their own pages, and is sent by email or passed on by phone."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="messages")
    subject = models.CharField(max_length=200)
    body = models.TextField()
    audience = models.CharField(max_length=40, default="all")

    OF_ENTRY: ClassVar = "entered"
    """The audience of the automatic message that collects unsent confirmations."""

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return self.subject


class MessageCopy(models.Model):
    class Channel(models.TextChoices):
        EMAIL = "email", _("By email")
        PHONE = "phone", _("To call")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        SENT = "sent", _("Sent")
        FAILED = "failed", _("Failed")
        TOLD = "told", _("Called by phone")

    message = models.ForeignKey(Message, on_delete=models.CASCADE, related_name="copies")
    entrant = models.ForeignKey("Entrant", on_delete=models.CASCADE, related_name="messages")
    channel = models.CharField(max_length=10, choices=Channel.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    note = models.CharField(max_length=300, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["message", "entrant"], name="one_copy_an_entrant")]

    def __str__(self) -> str:
        return f"{self.message} → {self.entrant}"
