"""Players, their entries, requests for lost private links, and imported lists."""

import re
from collections.abc import Collection
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models.base import Fact, NameField, OrderedFact, SignInLinkColumns, SortKeyField
from tournament.models.topic import DESK_TOPIC, ENTRANTS_TOPIC, EVERYBODY_TOPIC, get_entrant_topic


def make_public_name(name: str, public_name: str = "", *, hides_name: bool = False) -> str:
    """Return the public name that the person chose.

    If they chose none, return the full name, or only its initials if `hides_name` is set.
    """
    if public_name or not hides_name:
        return public_name or name
    return " ".join(f"{word[0].upper()}." for word in re.findall(r"\w+", name)) or "–"


class Player(models.Model):
    """A person in one tournament. Possible duplicates have the same `email_key` or `name_key`."""

    name = NameField(max_length=200)
    sort_name = NameField(max_length=200, blank=True, default="", db_default="")
    sort_key = SortKeyField()
    public_name = NameField(max_length=200, blank=True)
    email = models.CharField(max_length=254, blank=True)
    phone = models.CharField(max_length=60, blank=True)
    address = models.TextField(blank=True, default="", db_default="")
    """The postal address, which is only needed for a tax form."""

    club = NameField(max_length=200, blank=True)
    email_key = models.CharField(max_length=254, blank=True, db_index=True)
    name_key = models.CharField(max_length=200, db_index=True)
    consent_at = models.DateTimeField(null=True, blank=True)
    hides_name = models.BooleanField(default=False, db_default=False)
    """Whether the public sees only the player's initials, unless the player has chosen a public name."""

    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="merged")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["sort_key", "pk"]

    def __str__(self) -> str:
        return make_public_name(self.name, self.public_name, hides_name=self.hides_name)

    def find_affected_topics(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        """Return no topics for a new player. The player has no entry yet, so no page shows them."""
        return () if created else (EVERYBODY_TOPIC,)


class Merge(Fact):
    """Records that two player records are the same person.

    The record `gone` was merged into the record `kept`. `moved` lists the rows that belonged to `gone`.
    """

    kept = models.ForeignKey(Player, on_delete=models.RESTRICT, related_name="merges")
    gone = models.ForeignKey(Player, on_delete=models.RESTRICT, related_name="merges_away")
    moved = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.gone} is {self.kept}"


class MergeUndone(Fact):
    merge = models.OneToOneField(Merge, on_delete=models.RESTRICT, related_name="undone")

    def __str__(self) -> str:
        return f"not so: {self.merge}"


class PlayerCorrection(OrderedFact):
    """A correction of a player's data by the desk, with the old and new value of each field.

    Documents signed before the correction continue to show the earlier public name, `shown_before`.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="corrections")
    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="corrections")
    changes = models.JSONField()
    shown_before = models.CharField(max_length=200)

    def __str__(self) -> str:
        return f"{self.player}: {', '.join(self.changes)}"

    def affected_topics(self) -> tuple[str, ...]:
        return (EVERYBODY_TOPIC,)


# --- Entries ---------------------------------------------------------------------------------------------------------


class Entrant(models.Model):
    """An entry in one event. `state` and `arrived` are derived from the recorded facts and stored for queries."""

    class State(models.TextChoices):
        APPLIED = "applied", _("Waiting for approval")
        WAITING = "waiting", _("On the waiting list")
        IN = "in", _("Accepted")
        REFUSED = "refused", _("Refused")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        REMOVED = "removed", _("Withdrawn from play")
        SEEKING = "seeking", _("Looking for a partner")
        JOINED = "joined", _("In a pair")
        PARTED = "parted", _("Pair split")

    class Pool(models.TextChoices):
        """The pools of an event whose pairs consist of an A player and a B player."""

        A = "A", "A"
        B = "B", "B"

    class Side(models.TextChoices):
        """An entry's side in rotating couples and in Court Whist.

        Players on the left stay seated, and those on the right move.
        """

        LEFT = "left", _("Left")
        RIGHT = "right", _("Right")

    class Source(models.TextChoices):
        FORM = "form", _("Public form")
        IMPORT = "import", _("Imported list")
        DESK = "desk", _("Desk")
        PARTNERS = "partners", _("Two players put together as partners")
        SECOND_CHANCE = "second-chance", _("Second chance after another event")

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="entrants")
    number = models.PositiveIntegerField()
    name = NameField(max_length=200)
    sort_name = NameField(max_length=420, blank=True, default="", db_default="")
    """The sort name, such as “van Beethoven, Ludwig”, or both partners' sort names, separated by a slash.

    If it is empty, the program derives one from `name`.
    """

    sort_key = SortKeyField()
    club = NameField(max_length=200, blank=True)
    site = models.CharField(max_length=100, blank=True)
    """The location where this entry plays, if the event has several."""

    side = models.CharField(max_length=10, choices=Side.choices, blank=True)
    asks_partner = models.BooleanField(default=False)
    """Whether the player entered a pairs event without a partner. Such a player counts as half an entry."""

    pool = models.CharField(max_length=1, choices=Pool.choices, blank=True)
    joined_to = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="halves")
    """The pair's entry, once a player without a partner has joined a pair."""

    notes = models.TextField(blank=True)
    source = models.CharField(max_length=20, choices=Source.choices, default=Source.FORM)
    entered_at = models.DateTimeField(default=timezone.now)
    token = models.CharField(max_length=64, unique=True)
    sign_code = models.CharField(max_length=12)
    state = models.CharField(max_length=20, choices=State.choices, default=State.APPLIED)
    arrived = models.BooleanField(default=False)
    prize_shares = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), blank=True)
    """The percentage of the prize for each partner, in the order of their seats, or [] for equal shares."""

    reentry_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reentries")

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "number"], name="one_number_an_event")]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"

    def find_affected_topics(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        """Return the entrant list's topics for a new entry, a check-in, or a state change before the draw.

        Any other change may appear on any page, so all pages are updated.
        """
        before_draw = self.event.state in ("draft", "open", "closed")
        on_list = {"arrived", "state"} if before_draw else {"arrived"}
        is_listed = created or (fields is not None and on_list.issuperset(fields))
        return (ENTRANTS_TOPIC, get_entrant_topic(self.pk)) if is_listed else (EVERYBODY_TOPIC,)


class Member(Fact):
    """A player in an entry. The row of a substitute refers to the row of the player that the substitute replaces."""

    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="members")
    player = models.ForeignKey("Player", on_delete=models.RESTRICT, related_name="members")
    seat = models.PositiveSmallIntegerField(default=1)
    replaces = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="replaced_by"
    )

    class Meta:
        ordering: ClassVar = ["seat", "pk"]

    def __str__(self) -> str:
        return f"{self.player} in {self.entrant}"

    def affected_topics(self) -> tuple[str, ...]:
        return (ENTRANTS_TOPIC, get_entrant_topic(self.entrant_id)) if self.replaces_id is None else (EVERYBODY_TOPIC,)


class EntrantFact(OrderedFact, SignInLinkColumns):
    """A recorded fact about an entry. `tournament.purse.entry` computes the entry's state from all of them."""

    class Kind(models.TextChoices):
        ENTERED = "entered", _("Entered")
        APPROVED = "approved", _("Approved")
        REFUSED = "refused", _("Refused")
        WAIT_LISTED = "wait-listed", _("Put on the waiting list")
        PROMOTED = "promoted", _("Promoted from the waiting list")
        WITHDRAWN = "withdrawn", _("Withdrawn")
        SUBSTITUTED = "substituted", _("Substituted")
        REINSTATED = "reinstated", _("Brought back")
        SIDE = "side", _("Changed sides")
        SITE = "site", _("Changed sites")
        ASKS = "asks", _("Looking for a partner")
        POOL = "pool", _("Changed pools")
        LEFT_OVER = "left-over", _("Left without a partner in the draw")
        JOINED = "joined", _("Has a partner")
        PARTED = "parted", _("Pair split")
        ARRIVED = "arrived", _("Checked in")
        NOT_ARRIVED = "not-arrived", _("Check-in undone")
        KEPT = "kept", _("Kept in the draw")
        LEFT_OUT = "left-out", _("Left out of the draw")
        NO_SHOW = "no-show", _("No-show")
        ELIMINATED = "eliminated", _("Eliminated by a ruling")
        DISQUALIFIED = "disqualified", _("Disqualified")

    entrant = models.ForeignKey(Entrant, on_delete=models.CASCADE, related_name="facts")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    role = models.CharField(max_length=20, blank=True)
    data = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant}: {self.get_kind_display()}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return the topics of all pages that list entrants, if this is a new entry or a check-in.

        Other facts may appear on any page, so all pages are updated.
        """
        on_list = (self.Kind.ENTERED, self.Kind.ARRIVED, self.Kind.NOT_ARRIVED)
        return (ENTRANTS_TOPIC, get_entrant_topic(self.entrant_id)) if self.kind in on_list else (EVERYBODY_TOPIC,)


# --- Requests for a lost private link --------------------------------------------------------------------------------


def get_lost_link_request_topic(request: int) -> str:
    """Return the topic that the requesting phone follows. `request` is the primary key of a LinkRequest."""
    return f"link-{request}"


class LinkRequest(OrderedFact):
    """A player's request for a lost private link. The desk checks whether this player has an entry in the event."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="link_requests")
    name = models.CharField(max_length=200)
    birth_year = models.PositiveSmallIntegerField(null=True, blank=True)
    phone_end = models.CharField(max_length=8, blank=True)
    browser = models.CharField(max_length=64, unique=True)
    """The SHA-256 of a secret in the browser's session. Only this browser receives the link."""

    def __str__(self) -> str:
        return self.name

    def affected_topics(self) -> tuple[str, ...]:
        return (DESK_TOPIC, get_lost_link_request_topic(self.pk))


class LinkAnswer(Fact):
    """The desk's decision on a request for a lost link: the entrant who gets the link, or None for a rejection."""

    request = models.OneToOneField(LinkRequest, on_delete=models.CASCADE, related_name="answer")
    entrant = models.ForeignKey("Entrant", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    renewed = models.BooleanField(default=False)
    """Whether the link was replaced, so that the old one no longer works."""

    def __str__(self) -> str:
        return f"{self.request} → {self.entrant or '–'}"

    def affected_topics(self) -> tuple[str, ...]:
        return (EVERYBODY_TOPIC,) if self.renewed else (DESK_TOPIC, get_lost_link_request_topic(self.request_id))


# --- Imported lists --------------------------------------------------------------------------------------------------


class ListFile(Fact):
    """An uploaded list, with the encoding, sheet and date order that are used to parse it."""

    file_name = models.CharField(max_length=255)
    file_digest = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    encoding = models.CharField(max_length=40, blank=True)
    sheet = models.CharField(max_length=100, blank=True, default="", db_default="")
    order = models.CharField(max_length=10, blank=True, default="", db_default="")
    """The order of day and month in ambiguous dates."""

    class Meta:
        abstract = True


class ImportBatch(ListFile):
    """An imported list of entries. Its rows contain the outcome for each line."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="imports")
    delimiter = models.CharField(max_length=4, blank=True)
    headers = models.JSONField(default=list)
    mapping = models.JSONField(default=dict)
    doubted_encodings = models.CharField(max_length=200, blank=True, default="", db_default="")
    """Equally likely encodings, separated by spaces, or "" once staff have chosen one."""
    sheets = models.TextField(blank=True, default="", db_default="")
    """The workbook's sheet names, one per line."""
    imported_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.at:%Y-%m-%d %H:%M})"


class ImportRow(models.Model):
    class Verdict(models.TextChoices):
        NEW = "new", _("New")
        THERE = "there", _("Already there")
        LOOK = "look", _("Needs a look")
        PAYS = "pays", _("Payment to record")
        BLANK = "blank", _("Blank")
        IMPORTED = "imported", _("Imported")
        DROPPED = "dropped", _("Set aside")

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField()
    cells = models.JSONField()
    verdict = models.CharField(max_length=10, choices=Verdict.choices)
    remarks = models.JSONField(default=list)
    accepted = models.BooleanField(default=False)
    entrant = models.ForeignKey("Entrant", null=True, blank=True, on_delete=models.SET_NULL, related_name="import_rows")

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["batch", "number"], name="one_number_a_batch")]

    def __str__(self) -> str:
        return f"row {self.number}: {self.verdict}"


class BankList(ListFile):
    """An uploaded bank statement. The file is parsed again each time a page shows its rows.

    `taken_at` is the time when its transfers were recorded.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="bank_lists")
    taken_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.file_name} ({self.at:%Y-%m-%d %H:%M})"
