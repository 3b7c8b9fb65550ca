"""Calls for the director, disputes and their evidence, rulings, appeals and penalties."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from pairing.models import get_match_topic
from scoring.models.card import Card
from tournament.models.base import Fact, OrderedFact


class DirectorCall(OrderedFact):
    """A player's request for the director at the table. It is shown at the desk until staff respond to it."""

    match = models.ForeignKey("pairing.Match", on_delete=models.CASCADE, related_name="director_calls")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="director_calls")
    about = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant} calls the director"

    def affected_topics(self) -> tuple[str, ...]:
        return (get_match_topic(self.match_id),)


class DirectorCallAnswered(Fact):
    call = models.OneToOneField(DirectorCall, on_delete=models.CASCADE, related_name="answered")

    def __str__(self) -> str:
        return f"{self.call}: answered"

    def affected_topics(self) -> tuple[str, ...]:
        return self.call.affected_topics()


class Dispute(OrderedFact):
    """A request for a ruling, made by a player on their card or by staff at the table.

    `kind` comes from `scoring.rules.irregularities` or the rule set's own policy. The keys of `facts` depend on the
    kind, and sides are given by letter. `claims` contains each side's statement, by letter. `entrant` is the player who
    called, or None if staff opened the dispute. Without a card, `entries` contains the sides' entry numbers in the
    order of their letters.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="disputes")
    match = models.ForeignKey(
        "pairing.Match", null=True, blank=True, on_delete=models.RESTRICT, related_name="disputes"
    )
    card = models.ForeignKey(Card, null=True, blank=True, on_delete=models.RESTRICT, related_name="disputes")
    hand = models.PositiveSmallIntegerField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=40, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    claims = models.JSONField(default=dict, blank=True)
    about = models.TextField(blank=True)
    entries = models.JSONField(default=list, blank=True)
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="disputes"
    )

    def __str__(self) -> str:
        return f"dispute {self.pk}"


class DisputeFacts(OrderedFact):
    """A complete new version of a dispute's kind and facts, recorded after the dispute was opened.

    Only the latest version counts.
    """

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=40, blank=True)
    hand = models.PositiveSmallIntegerField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    claims = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"facts of {self.dispute}"


class Evidence(OrderedFact):
    """Evidence in a dispute: a photo of the paper, the hands as cards, or a statement. It is never removed.

    `digest` is the SHA-256 of the file.
    """

    class Kind(models.TextChoices):
        PHOTO = "photo", _("Photo")
        HANDS = "hands", _("Hands")
        WORDS = "words", _("Statement")

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="evidence")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    photo = models.ImageField(upload_to="evidence/", blank=True)
    digest = models.CharField(max_length=64, blank=True)
    hands = models.JSONField(default=dict, blank=True)
    words = models.TextField(blank=True)
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} for {self.dispute}"


class DisputeDropped(Fact):
    """A dispute's end without a ruling, because it was withdrawn or the players settled it themselves."""

    dispute = models.OneToOneField(Dispute, on_delete=models.CASCADE, related_name="dropped")

    def __str__(self) -> str:
        return f"{self.dispute} dropped"


class Ruling(OrderedFact):
    """A ruling on a dispute, with the facts, the rule, the decision, and the rules' recommendation.

    `ruling` is the decision's code (a `Decision` from `scoring.rules.irregularities.case`, or a code from the rule
    set's own policy), and `decided` is its text. If `overrules` is True, the ruling differs from the recommendation,
    and `reason` explains why. `effects` are the changes that the ruling made to lines, results and penalties.
    `supersedes` is the earlier ruling that was changed on appeal.
    """

    class Decider(models.TextChoices):
        DIRECTOR = "director", _("Director")
        COMMITTEE = "committee", _("Committee")
        SCOREKEEPER = "scorekeeper", _("Scorekeeper")
        TABLE = "table", _("The other players")

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="rulings")
    number = models.PositiveIntegerField()
    """The number in the tournament's register of rulings, starting at 1."""

    kind = models.CharField(max_length=40)
    rule = models.CharField(max_length=60)
    facts = models.JSONField(default=dict, blank=True)
    recommended = models.JSONField(default=dict, blank=True)
    ruling = models.CharField(max_length=40)
    decided = models.TextField()
    overrules = models.BooleanField(default=False)
    effects = models.JSONField(default=dict, blank=True)
    decider = models.CharField(max_length=20, choices=Decider.choices, default=Decider.DIRECTOR)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="superseded_by"
    )

    def __str__(self) -> str:
        return f"ruling {self.number}"


class Appeal(Fact):
    """An appeal of a ruling to the event's committee. Each ruling can be appealed once."""

    ruling = models.OneToOneField(Ruling, on_delete=models.CASCADE, related_name="appeal")
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )

    def __str__(self) -> str:
        return f"appeal against {self.ruling}"


class AppealDecided(Fact):
    """The committee's decision on an appeal, with the names of its `members`.

    If the committee changes the ruling, the new ruling is a separate `Ruling`.
    """

    appeal = models.OneToOneField(Appeal, on_delete=models.CASCADE, related_name="decided")
    upheld = models.BooleanField()
    members = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.appeal} decided"


class Committee(OrderedFact):
    """The names of the members of an event's appeals committee.

    If there are several rows, only the latest one counts.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="committees")
    members = models.JSONField()

    def __str__(self) -> str:
        return f"committee of {self.event}"


class RulingRefused(Fact):
    """A player's rejection of a ruling, because the rule was applied differently before (Metzker, “the Kali effect”).

    A ruling that a player has rejected has no effect.
    """

    ruling = models.OneToOneField(Ruling, on_delete=models.CASCADE, related_name="refused")
    precedent = models.ForeignKey(Ruling, on_delete=models.RESTRICT, related_name="+")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    def __str__(self) -> str:
        return f"{self.ruling} refused"


class ConductPenalty(OrderedFact):
    """A penalty for an entry. It stays on record in later events for the people who played for the entry.

    The penalty's effect on results, such as a lost game or a withdrawal, is recorded separately.
    """

    class Effect(models.TextChoices):
        WARNING = "warning", _("Warning")
        GAME_LOSS = "game-loss", _("Loss of a game")
        ELIMINATION = "elimination", _("Elimination")
        DISQUALIFICATION = "disqualification", _("Disqualification")

    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="conduct_penalties")
    players = models.ManyToManyField("tournament.Player", related_name="conduct_penalties")
    ruling = models.ForeignKey(Ruling, null=True, blank=True, on_delete=models.RESTRICT, related_name="penalties")
    effect = models.CharField(max_length=20, choices=Effect.choices)
    offence = models.CharField(max_length=40, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant}: {self.get_effect_display()}"


class ConductPenaltyLifted(Fact):
    penalty = models.OneToOneField(ConductPenalty, on_delete=models.CASCADE, related_name="lifted")

    def __str__(self) -> str:
        return f"{self.penalty} lifted"


class RegisterNames(OrderedFact):
    """A choice to show or hide the names of an event's players in the public register of rulings.

    If there are several rows, only the latest one counts. If an event has no such row, names are hidden.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="register_names")
    shown = models.BooleanField()

    def __str__(self) -> str:
        return f"names in the register of {self.event}: {self.shown}"


class TotalsAnnounced(OrderedFact):
    """The scorekeeper's announcement of the totals before the last hand of a game (Fort Worth C 3).

    `hand` is the last hand's number. `totals` are keyed by the sides' letters.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="announcements")
    hand = models.PositiveSmallIntegerField()
    totals = models.JSONField()

    def __str__(self) -> str:
        return f"totals of {self.card} announced before hand {self.hand}"
