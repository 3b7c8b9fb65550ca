from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import Fact, OrderedFact


class AvoidPair(Fact):
    """Keep these two apart, until the director takes them off the list: in round one, before round n, or for good.

    `before_round` is for not before that round; in a stage that is paired by record it is each one's own games and one.
    """

    class Kind(models.TextChoices):
        FIRST_ROUND = "first-round", _("In round one")
        NOT_BEFORE = "not-before", _("Before a round")
        NEVER = "never", _("Never")

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="avoid_pairs")
    one = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.FIRST_ROUND)
    before_round = models.PositiveSmallIntegerField(null=True, blank=True)
    is_couple = models.BooleanField(default=False)
    """The two are a couple: apart wherever the rounds leave room for it, as a club is."""

    def __str__(self) -> str:
        return f"{self.one} apart from {self.other}"


class AvoidPairEnded(Fact):
    pair = models.OneToOneField(AvoidPair, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.pair} no more"


class ClubsApart(OrderedFact):
    """Entries of one club do not meet up to and with this round, or game at the desk; the last one counts.

    `until` None is for good, 0 not at all.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="clubs_apart")
    until = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"clubs apart in {self.event}"


class DrawTermsSaid(OrderedFact):
    """How the places of the first bracket are filled, said before the cut; the last one counts.

    `terms` as `pairing.draws.DrawTerms` has them: blind, with byes to named entries, or seeded, and the entries.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="draw_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"draw of {self.event}: {self.terms.get('kind')}"


class Commitment(OrderedFact):
    """What is published before the cut: the list, the draw's name and the seal on a secret.

    A later change of the list takes a new commitment; the newest is the one that a draw may open.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="commitments")
    draw_id = models.CharField(max_length=120, unique=True)
    numbers = models.JSONField()
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.draw_id


class Draw(Fact):
    """The cut was entered and the order follows; a preview for staff until it is posted.

    `avoid` is the list as it was at the draw: {"pairs": [[a, b], …], "same_person": [[a, b], …]}; `moves` as
    `pairing.draws.Move.as_json` has them. `terms` say who has the byes or the seeds; empty is drawn blind.
    """

    commitment = models.OneToOneField(Commitment, on_delete=models.CASCADE, related_name="draw")
    public = models.CharField(max_length=300, blank=True)
    order = models.JSONField()
    terms = models.JSONField(default=dict, blank=True)
    avoid = models.JSONField(default=dict)
    places = models.JSONField()
    moves = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"draw {self.commitment.draw_id}"


class DrawPosted(Fact):
    draw = models.OneToOneField(Draw, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.draw} posted"


class DrawTakenBack(Fact):
    """The draw no longer counts (before the first result only); it stays in the record with its reason."""

    draw = models.OneToOneField(Draw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"
