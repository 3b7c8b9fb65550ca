from collections.abc import Collection
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import ByLink, Fact, OrderedFact
from tournament.models.names import NameField, SortKeyField
from tournament.models.topic import DESK, ENTRANTS, EVERYBODY, entrant_topic


class Entrant(models.Model):
    """One entry in one event. `state` and `arrived` repeat what the facts say, for queries."""

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
        """Where partners are drawn from two pools: one of each plays together."""

        A = "A", "A"
        B = "B", "B"

    class Side(models.TextChoices):
        """Where two sides turn against each other (couples, Court Whist): the one that stays, the one that moves."""

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
    """“van Beethoven, Ludwig”, of a pair both with a stroke between; empty: as the name proposes."""

    sort_key = SortKeyField()
    club = NameField(max_length=200, blank=True)
    site = models.CharField(max_length=100, blank=True)
    """Where an event is played at several places: the one at which this entry plays."""

    side = models.CharField(max_length=10, choices=Side.choices, blank=True)
    asks_partner = models.BooleanField(default=False)
    """Entered alone in an event for pairs, and holds half a place until there is a partner."""

    pool = models.CharField(max_length=1, choices=Pool.choices, blank=True)
    joined_to = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="halves")
    """The pair in which somebody who asked for a partner plays now; it has a number of its own."""

    notes = models.TextField(blank=True)
    source = models.CharField(max_length=20, choices=Source.choices, default=Source.FORM)
    entered_at = models.DateTimeField(default=timezone.now)
    token = models.CharField(max_length=64, unique=True)
    sign_code = models.CharField(max_length=12)
    state = models.CharField(max_length=20, choices=State.choices, default=State.APPLIED)
    arrived = models.BooleanField(default=False)
    prize_shares = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), blank=True)
    """How partners split their prize: percents by seat, 100 in all; empty: equally."""

    reentry_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reentries")

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "number"], name="one_number_an_event")]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"

    def topics_of(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        """A new entry stands on the list only; a name, and after the draw a state, may stand anywhere."""
        before_draw = self.event.state in ("draft", "open", "closed")
        on_list = {"arrived", "state"} if before_draw else {"arrived"}
        is_listed = created or (fields is not None and on_list.issuperset(fields))
        return (ENTRANTS, entrant_topic(self.pk)) if is_listed else (EVERYBODY,)


class Member(Fact):
    """A person of an entrant; a substitute's row replaces another."""

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

    def topics(self) -> tuple[str, ...]:
        return (ENTRANTS, entrant_topic(self.entrant_id)) if self.replaces_id is None else (EVERYBODY,)


class EntrantFact(OrderedFact, ByLink):
    """What happened to an entry, in order; `tournament.purse.entry` folds it into where the entry stands."""

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

    def topics(self) -> tuple[str, ...]:
        """Who came stands on the list; who went, came back or changed sides may stand anywhere."""
        on_list = (self.Kind.ENTERED, self.Kind.ARRIVED, self.Kind.NOT_ARRIVED)
        return (ENTRANTS, entrant_topic(self.entrant_id)) if self.kind in on_list else (EVERYBODY,)


def link_topic(request: int) -> str:
    """Return the topic of the phone that asked for a private link, by the request's primary key."""
    return f"link-{request}"


class LinkRequest(OrderedFact):
    """Somebody has lost their private link and asks the desk for it, by what they say of themselves.

    Whether anybody of that name is entered is not asked when it is written: the desk finds out.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="link_requests")
    name = models.CharField(max_length=200)
    birth_year = models.PositiveSmallIntegerField(null=True, blank=True)
    phone_end = models.CharField(max_length=8, blank=True)
    browser = models.CharField(max_length=64, unique=True)
    """The SHA-256 of a secret that only the session of the asking browser has: the link is shown there alone."""

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        return (DESK, link_topic(self.pk))


class LinkAnswer(Fact):
    """The desk's answer to a request: whose link it is, or nobody's (refused)."""

    request = models.OneToOneField(LinkRequest, on_delete=models.CASCADE, related_name="answer")
    entrant = models.ForeignKey("Entrant", null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    renewed = models.BooleanField(default=False)
    """Whether it is a new link, so that the old one opens nothing any more."""

    def __str__(self) -> str:
        return f"{self.request} → {self.entrant or '–'}"

    def topics(self) -> tuple[str, ...]:
        return (EVERYBODY,) if self.renewed else (DESK, link_topic(self.request_id))
