"""Rule sheets, the terms under which cards become final, and entries that need confirmation by a second person."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.models.card import Card, CardTopicsMixin
from tournament.models.base import Fact, OrderedFact, SignInLinkColumns


class RuleSheet(Fact):
    """A version of an event's rule sheet, including all options. Only the latest version counts.

    `lengths` lists the stages or rounds with longer or shorter matches (see `scoring.rules.book.options`). `unfinished`
    is the rule that ends a game when time is called (see `scoring.rules.sheet.closing`). `seats` is the draw that
    determines seats and roles.
    """

    class Unfinished(models.TextChoices):
        LEADER = "leader", _("The leader has won")
        LAST_HAND = "last-hand", _("The last hand is played out, then the leader has won")
        REPLAY = "replay", _("The game is played again")
        DIRECTOR = "director", _("The director decides")

    class Seats(models.TextChoices):
        """The draw that determines seats and roles: a draw at the table before play, or the event's own draw."""

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
    """The freezing of a rule sheet when play starts. The sheet is then public, and new versions require a reason."""

    event = models.OneToOneField("tournament.Event", on_delete=models.CASCADE, related_name="rules_frozen")
    sheet = models.ForeignKey(RuleSheet, on_delete=models.RESTRICT, related_name="+")

    def __str__(self) -> str:
        return f"{self.sheet} frozen"


class CardTerms(OrderedFact):
    """The terms under which an event's cards become final, in the format of `scoring.rules.sheet.card_status`.

    The terms include the minutes after posting in which a player can report a scoring error, request a ruling, or
    appeal. A card keeps the terms that were in force when it was posted.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="card_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"card terms of {self.event}"


class StaffEntry(OrderedFact, SignInLinkColumns, CardTopicsMixin):
    """A change to a card that a staff member entered.

    The change takes effect only after a second person has confirmed it. `payload` contains the
    change, in a format that depends on its kind. `digest` is the digest of the card's content before the change.
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


class StaffEntryDecided(Fact, SignInLinkColumns):
    """The decision on a staff entry: another person confirmed or rejected it, or its author withdrew it.

    `differences` was intended for differences between the two people's versions of the entry. The column is not used,
    and is always empty.
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

    def affected_topics(self) -> tuple[str, ...]:
        return self.entry.affected_topics()
