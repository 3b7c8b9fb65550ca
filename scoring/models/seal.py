from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.models.card import Card, OfCard
from tournament.models.fact import Fact, OrderedFact


class CardVersion(Fact, OfCard):
    """Exactly what was on a card when it was first signed so: it stays readable when the card is changed later.

    `content` is the canonical JSON (RFC 8785) whose SHA-256 is `digest`. `facts` is how many lines, cuts, closings and
    reopenings there were then, so that this content can be worked out again from the record at any time, and the
    event's address as it was.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    content = models.TextField()
    facts = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["card", "number"], name="one_version_a_number"),
            models.UniqueConstraint(fields=["card", "digest"], name="one_version_a_content"),
        ]

    def __str__(self) -> str:
        return f"{self.card}, version {self.number}"


class SealKey(models.Model):
    """The public half of a key of this installation, raw Ed25519 as hexadecimal digits; the other half is no row."""

    public = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.public[:16]

    def topics(self) -> tuple[str, ...]:
        """Nobody, before something is sealed with it."""
        return ()


class EarlierKey(models.Model):
    """The public half of a key that this installation sealed with until its secrets were replaced.

    The key that came after it vouches for it by `signature`, so nobody can add a key of their own without the secrets.
    """

    public = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField()
    vouched_by = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    class Meta:
        ordering: ClassVar = ["-until", "-pk"]

    def __str__(self) -> str:
        return f"{self.public[:16]} until {self.until:%Y-%m-%d}"

    def topics(self) -> tuple[str, ...]:
        """No page follows it."""
        return ()


class CardSeal(OrderedFact):
    """The installation's seal on a version that all sides signed, made when it was posted.

    `statement` is canonical JSON: the card, version, digest, who signed how and when, when it was posted, and the
    digest of the seal before it in the tournament. `signature` is Ed25519 over its bytes, hexadecimal. The statement's
    digest stands in the tournament's log.
    """

    version = models.OneToOneField(CardVersion, on_delete=models.CASCADE, related_name="seal")
    key = models.ForeignKey(SealKey, on_delete=models.RESTRICT, related_name="seals")
    number = models.PositiveIntegerField()
    """Counted over the tournament."""

    statement = models.TextField()
    digest = models.CharField(max_length=64)
    previous = models.CharField(max_length=64, blank=True)
    signature = models.CharField(max_length=128)

    def __str__(self) -> str:
        return f"seal {self.number} on {self.version}"

    def topics(self) -> tuple[str, ...]:
        """Nobody: it is made with the posting of its card, and that is what they learn of."""
        return ()
