from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.models.card import Card, OfCard
from tournament.models.fact import ByLink, Fact, OrderedFact


class CardTerms(OrderedFact):
    """How cards of an event become final, as `scoring.rules.evidence.clocks` reads it; those in force at its posting
    count.

    Minutes for scoring errors, ruling requests and appeals from posting; what a staff entry needs besides.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="card_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"card terms of {self.event}"


class StaffEntry(OrderedFact, ByLink, OfCard):
    """A change of a card that a member of staff proposes, and that a second person accepts before it is written.

    `payload` is what to do, in the terms of its kind; `digest` what was on the card when it was proposed.
    """

    class Kind(models.TextChoices):
        CARD = "card", _("A whole card from paper")
        LINE = "line", _("One hand")
        CORRECTION = "correction", _("A correction")
        AFTER_FINAL = "after-final", _("A correction of a final card")

    class Needs(models.TextChoices):
        APPROVAL = "approve", _("A second person looks at it")
        REKEY = "rekey", _("A second person types it again")
        OFFICIAL = "official", _("A director and a second official")

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="staff_entries")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    needs = models.CharField(max_length=20, choices=Needs.choices)
    payload = models.JSONField()
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} for {self.card}"


class StaffEntryDecided(Fact, ByLink):
    """Another person agreed and it was written, or refused it, or it was withdrawn by the one who proposed it.

    `differences` are those found when it was typed again, before it was agreed to.
    """

    class Decision(models.TextChoices):
        AGREED = "agreed", _("Agreed")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")

    entry = models.OneToOneField(StaffEntry, on_delete=models.CASCADE, related_name="decided")
    decision = models.CharField(max_length=20, choices=Decision.choices)
    differences = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"{self.entry}: {self.get_decision_display()}"

    def topics(self) -> tuple[str, ...]:
        return self.entry.topics()
