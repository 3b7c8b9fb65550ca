"""Signed versions of cards, and the seals and keys that prove them."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from scoring.models.card import Card, CardTopicsMixin
from tournament.models.base import Fact, OrderedFact


class CardVersion(Fact, CardTopicsMixin):
    """A card's content as it was signed. It is kept even if the card is changed later.

    `content` is the canonical JSON (RFC 8785), and `digest` is its SHA-256. `facts` contains the event's URL path and
    the number of lines, cuts, closings and reopenings at that time. These facts are enough to compute the content
    again.
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
    """The public half of this installation's key for seals: raw Ed25519 in hexadecimal.

    The private half is not in the database.
    """

    public = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.public[:16]

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, so that saving a key does not update any pages.

        A key is stored together with its first seal, and the sealed card's pages are updated when the card is posted.
        """
        return ()


class EarlierKey(models.Model):
    """The public half of a key that this installation used for seals before its secrets were replaced.

    `signature` was made with the next key, so that nobody can add an earlier key without knowing the secrets.
    """

    public = models.CharField(max_length=64, unique=True)
    until = models.DateTimeField()
    vouched_by = models.CharField(max_length=64)
    signature = models.CharField(max_length=128)

    class Meta:
        ordering: ClassVar = ["-until", "-pk"]

    def __str__(self) -> str:
        return f"{self.public[:16]} until {self.until:%Y-%m-%d}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, so that saving the key does not update any pages. No page shows the key."""
        return ()


class CardSeal(OrderedFact):
    """The installation's seal on a version of a card. It is made when the card is posted.

    All sides have signed the version, unless two officials changed a card that was already final.

    `number` is the seal's number in the tournament. `statement` is canonical JSON that identifies the card, its version
    and its signatures, and contains the digest of the tournament's previous seal. `signature` is an Ed25519 signature
    of the statement, in hexadecimal. The tournament's log contains the statement's digest.
    """

    version = models.OneToOneField(CardVersion, on_delete=models.CASCADE, related_name="seal")
    key = models.ForeignKey(SealKey, on_delete=models.RESTRICT, related_name="seals")
    number = models.PositiveIntegerField()
    statement = models.TextField()
    digest = models.CharField(max_length=64)
    previous = models.CharField(max_length=64, blank=True)
    signature = models.CharField(max_length=128)

    def __str__(self) -> str:
        return f"seal {self.number} on {self.version}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, so that saving a seal does not update any pages.

        The pages that show the seal are updated when the card is posted.
        """
        return ()
