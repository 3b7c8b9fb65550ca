from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.said import from_kept


class Job(models.Model):
    """A background job as its user sees it. Its progress is here, not in the broker."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="jobs")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=300, blank=True)
    file = models.FileField(upload_to="prints/", null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.title}: {self.state}"

    @property
    def words(self) -> str:
        """The title of the job in the reader's language."""
        return str(from_kept(self.parameters.get("title", self.title)))

    def topics(self) -> tuple[str, ...]:
        """Return no topics, because the desk is woken only when a job fails."""
        return ()
