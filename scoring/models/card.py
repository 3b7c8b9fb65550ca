from typing import ClassVar

from django.db import models
from django.utils import timezone

from tournament.models.fact import Fact


class Card(models.Model):
    """The score card of one game; its lines, totals, digest and state are folds of the facts below.

    The names stand on it as they were when it was opened: a later substitute does not change what was signed.
    """

    match = models.ForeignKey("pairing.Match", on_delete=models.CASCADE, related_name="cards")
    game = models.PositiveSmallIntegerField()
    one = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")
    other = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")
    one_name = models.CharField(max_length=200, default="")
    other_name = models.CharField(max_length=200, default="")
    sheet = models.ForeignKey("RuleSheet", on_delete=models.RESTRICT, related_name="cards")
    token = models.CharField(max_length=64, unique=True)
    opened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "game", "one", "other"], name="one_card_a_game")
        ]

    def __str__(self) -> str:
        return f"{self.match}, game {self.game}"


class Cut(Fact):
    """Who cut the low card: he deals first and keeps score (GRA 2012, singles 2). The last one counts."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="cuts")
    keeper = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.keeper} keeps score of {self.card}"


class SheetLine(Fact):
    """A line on the sheet, as `tally` takes it. A correction supersedes a line; a null line strikes it out."""

    class Via(models.TextChoices):
        PHONE = "phone", "A player's phone"
        DESK = "desk", "The desk, from paper"
        API = "api", "JSON"

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField()
    line = models.JSONField(null=True)
    via = models.CharField(max_length=10, choices=Via.choices)
    warnings = models.JSONField(default=list)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="superseded_by"
    )

    class Meta:
        ordering: ClassVar = ["number", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["card", "number"],
                condition=models.Q(supersedes__isnull=True),
                name="one_line_a_number",
            )
        ]

    def __str__(self) -> str:
        return f"{self.card}, line {self.number}"


class Signature(Fact):
    """One side signed exactly what was on the card: `digest` says what; it counts only while the card still has it."""

    class Method(models.TextChoices):
        DRAWN = "drawn", "Drawn"
        CODE = "code", "By personal code"
        PAPER = "paper", "On paper"

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="signatures")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")
    digest = models.CharField(max_length=64)
    method = models.CharField(max_length=10, choices=Method.choices)
    strokes = models.JSONField(default=list, blank=True)
    witness = models.CharField(max_length=200, blank=True)
    device = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["card", "entrant", "digest"], name="one_signature_a_content")
        ]

    def __str__(self) -> str:
        return f"{self.entrant} signed {self.card}"


class CardPosted(Fact):
    """A signed card counts from here on; a card changed later is posted again with its new digest."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="postings")
    digest = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["card", "digest"], name="one_posting_a_content")]

    def __str__(self) -> str:
        return f"{self.card} posted"
