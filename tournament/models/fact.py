from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone


class Fact(models.Model):
    """A row that is added once, with its author, time and reason.

    A correction is a new fact that supersedes an old one.
    """

    at = models.DateTimeField(default=timezone.now, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    by_name = models.CharField(max_length=200)
    reason = models.TextField(blank=True)

    class Meta:
        abstract = True


class ByLink(models.Model):
    """Columns of a signature, or of another act by a particular person, that name the maker of their sign-in link.

    Both columns are empty if the signer has a password, or if nobody else made the link.
    """

    link_by = models.CharField(max_length=200, blank=True, default="", db_default="")
    link_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class OrderedFact(Fact):
    """A fact that is read in the order in which facts were added."""

    class Meta:
        abstract = True
        ordering: ClassVar = ["pk"]
