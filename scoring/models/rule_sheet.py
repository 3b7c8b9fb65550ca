"""Rule sheets, the terms by which cards become final, and entries that a second person has to accept."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.models.card import Card, CardTopicsMixin
from tournament.models.base import ByLink, Fact, OrderedFact


class RuleSheet(Fact):
    """One version of an event's rule sheet with all its options. An option that is not on it does not exist.

    `games_to_win` and the points of a game are settings because the 2012 rules do not fix them. `lengths` says which
    matches are longer or shorter (`scoring.rules.book.options`). `unfinished` says how a game ends if time is called
    (`scoring.rules.sheet.closing`). `seats` says what decides seats and roles that are drawn for. The last version
    counts.
    """

    class Unfinished(models.TextChoices):
        LEADER = "leader", _("The leader has won")
        LAST_HAND = "last-hand", _("The last hand is played out, then the leader has won")
        REPLAY = "replay", _("The game is played again")
        DIRECTOR = "director", _("The director decides")

    class Seats(models.TextChoices):
        """The source of seats and roles: a draw at the table, or the event's draw."""

        TABLE = "table", _("The players draw cards at the table")
        EVENT = "event", _("As the event's draw seated them")

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="rule_sheets")
    version = models.PositiveIntegerField()
    variant = models.CharField(max_length=40, default="gra-singles")
    options = models.JSONField()
    games_to_win = models.PositiveSmallIntegerField(default=1)
    lengths = models.JSONField(default=list, blank=True)
    unfinished = models.CharField(max_length=10, choices=Unfinished.choices, default=Unfinished.DIRECTOR)
    seats = models.CharField(max_length=10, choices=Seats.choices, default=Seats.TABLE)
    remarks = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["version"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "version"], name="one_version_once")]

    def __str__(self) -> str:
        return f"{self.event}, rule sheet {self.version}"


class RuleSheetFrozen(Fact):
    """The freezing of a rule sheet at the start of play. It is published, and a later version needs a reason."""

    event = models.OneToOneField("tournament.Event", on_delete=models.CASCADE, related_name="rules_frozen")
    sheet = models.ForeignKey(RuleSheet, on_delete=models.RESTRICT, related_name="+")

    def __str__(self) -> str:
        return f"{self.sheet} frozen"


class CardTerms(OrderedFact):
    """The terms by which cards of an event become final, in the form of `scoring.rules.sheet.card_status`.

    They have the minutes from posting for scoring errors, ruling requests and appeals, and what a staff entry requires.
    The terms in force when a card was posted count for it.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="card_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"card terms of {self.event}"


class StaffEntry(OrderedFact, ByLink, CardTopicsMixin):
    """A change of a card that a staff member proposes and a second person has to accept before it is written.

    `payload` is the change, in the terms of its kind. `digest` is the card's content when it was proposed.
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
    """The decision about a staff entry: another person agreed or refused, or the proposer withdrew it.

    `differences` were found when it was typed again, before it was agreed to.
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
