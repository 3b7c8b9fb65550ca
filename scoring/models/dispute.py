from django.db import models
from django.utils.translation import gettext_lazy as _

from scoring.models.card import Card
from tournament.models.fact import Fact, OrderedFact


class Dispute(OrderedFact):
    """Somebody wants a ruling: a player from their card, or staff at the table.

    `kind` is one of `scoring.rules.irregularities` or of the rule set's own policy, empty while nobody has said which;
    `facts` are in that kind's names, with the letters of the card's seats for the sides; `claims` what each side says,
    by letter. `entrant` is who called; nobody where staff did. `entries`: entry numbers of those it is about, in the
    order of their letters, where there is no card whose seats say so.
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
    """What was found out since, or another kind than was said first; the last counts, each is whole."""

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=40, blank=True)
    hand = models.PositiveSmallIntegerField(null=True, blank=True)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    claims = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"facts of {self.dispute}"


class Evidence(OrderedFact):
    """A photo of the paper, the hands as cards, or words; it is never removed. `digest`: SHA-256 of the file."""

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
    """The player who called withdraws it, or the table has settled it: no ruling was made."""

    dispute = models.OneToOneField(Dispute, on_delete=models.CASCADE, related_name="dropped")

    def __str__(self) -> str:
        return f"{self.dispute} dropped"


class Ruling(OrderedFact):
    """What was decided on which facts, with the rule; what the rules recommend stays beside it as it was computed.

    `ruling` is the decision's code (`scoring.rules.irregularities.ruling.Decision`, or of the rule set's own policy),
    `decided` its words. `overrules`: it is not what was recommended; then `reason` says why. `effects` is what was done
    (lines of the sheet, results, penalties), as the director saw it before. `supersedes`: the ruling that an appeal
    changed. `decider`: who decides where it is not the director (the scorekeeper, the table).
    """

    class Decider(models.TextChoices):
        DIRECTOR = "director", _("Director")
        COMMITTEE = "committee", _("Committee")
        SCOREKEEPER = "scorekeeper", _("Scorekeeper")
        TABLE = "table", _("The other players")

    dispute = models.ForeignKey(Dispute, on_delete=models.CASCADE, related_name="rulings")
    number = models.PositiveIntegerField()
    """In the tournament's register, from 1."""

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
    """One appeal of a dispute's ruling, to the event's committee."""

    ruling = models.OneToOneField(Ruling, on_delete=models.CASCADE, related_name="appeal")
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )

    def __str__(self) -> str:
        return f"appeal against {self.ruling}"


class AppealDecided(Fact):
    """The committee's word; a ruling that it changed is a ruling of its own. `members` are who decided, by name."""

    appeal = models.OneToOneField(Appeal, on_delete=models.CASCADE, related_name="decided")
    upheld = models.BooleanField()
    members = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.appeal} decided"


class Committee(OrderedFact):
    """Who hears appeals in an event, by name; the last counts."""

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="committees")
    members = models.JSONField()

    def __str__(self) -> str:
        return f"committee of {self.event}"


class RulingRefused(Fact):
    """A player refuses a rule that was applied differently before (Metzker, “the Kali effect”): it is not applied."""

    ruling = models.OneToOneField(Ruling, on_delete=models.CASCADE, related_name="refused")
    precedent = models.ForeignKey(Ruling, on_delete=models.RESTRICT, related_name="+")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    def __str__(self) -> str:
        return f"{self.ruling} refused"


class ConductPenalty(OrderedFact):
    """What an entry was penalised with; the people who were in it then carry it into later events.

    What it does to results is a fact of its own (a lost game, a withdrawal); this is the record of it.
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
    """Whether the public register says who was ruled on in this event; the last counts, usually it does not."""

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="register_names")
    shown = models.BooleanField()

    def __str__(self) -> str:
        return f"names in the register of {self.event}: {self.shown}"


class TotalsAnnounced(OrderedFact):
    """The scorer has announced the totals before the last hand of a game (Fort Worth C 3). `hand`: the last one."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="announcements")
    hand = models.PositiveSmallIntegerField()
    totals = models.JSONField()
    """By the letters of the sides, as they were announced."""

    def __str__(self) -> str:
        return f"totals of {self.card} announced before hand {self.hand}"
